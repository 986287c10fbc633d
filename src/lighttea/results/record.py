"""`run.json`, read and compared with what a run must say of itself."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lighttea.config import make_rules, stored_config, with_current_names
from lighttea.errors import ConfigError, InputError
from lighttea.results.manifest import describe_damage
from lighttea.results.schema import (
    COUNT,
    ENTRIES,
    FLAG,
    FORMAT_VERSION,
    LIST,
    MAPPING,
    NUMBER,
    NUMBER_LIST,
    NUMBERS,
    RECORD,
    TEXT,
    TEXTS,
    Entry,
)

_LARGEST = 2**31 - 1  # entities and facts are numbered in 32 bits
_MISSING = object()
_SHOWN_LENGTH = 40


def parse_record(folder: Path) -> dict[str, Any]:
    """Return the content of `run.json`, if it is one that this version reads."""
    path = folder / RECORD
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(describe_damage(path, f"it is no readable JSON ({error})")) from None
    if not isinstance(info, dict) or "format" not in info:
        raise InputError(describe_damage(path, "it has no format"))
    if info["format"] != FORMAT_VERSION:
        raise InputError(
            f"{path}: written in run format {_shown(info['format'])}, this version reads "
            f"{FORMAT_VERSION}; align again or use the lighttea that wrote it"
        )
    return info


def check_record(info: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return what a run says of itself, its settings with their names of today.

    Raise an error where something is missing, or is not what it must be.
    """
    path = folder / RECORD
    check_entries(info, path, ENTRIES, list(_contradictions(info)))
    current = {**info, "config": with_current_names(info["config"])}
    _refuse_wrong_settings(current, path)
    return current


def check_entries(
    info: dict[str, Any], path: Path, entries: Sequence[Entry], further: Sequence[str] = ()
) -> None:
    """Raise an error that names what is missing or of another kind, in the order of the entries."""
    problems = [
        problem
        for entry in entries
        for problem in _problems_of(info, entry, entry.path.split("."), "")
    ]
    if problems := [*problems, *further]:
        raise InputError.of_many([describe_damage(path, problem) for problem in problems])


def _contradictions(info: dict[str, Any]) -> Iterator[str]:
    """Yield what the record of a run lacks by what else it says."""
    if info.get("rounds") == []:
        yield "rounds is empty"
    literals = info.get("literals")
    if isinstance(literals, dict) and literals.get("used") is True:
        for name in ("ids_used", "left_out"):
            if literals.get(name) is None:
                yield f"literals.{name} is missing"


def _problems_of(outer: Any, entry: Entry, names: list[str], place: str) -> Iterator[str]:
    """Yield the problem of an entry, looked for inside an outer one."""
    name, rest = names[0], names[1:]
    if not isinstance(outer, dict):
        return  # a problem of its own
    value = outer.get(name.removesuffix("[]"), _MISSING)
    if rest:
        items = value if isinstance(value, list) and name.endswith("[]") else [value]
        for number, item in enumerate(items):
            here = f"{place}{name.replace('[]', f'[{number}]')}."
            if name.endswith("[]") and not isinstance(item, dict) and item is not _MISSING:
                yield f"expected an object at {here[:-1]}, found {_shown(item)}"
            yield from _problems_of(item, entry, rest, here)
        return
    if value is _MISSING or value is None:
        if entry.needed:
            yield f"{place}{name} is missing"
    elif not _IS_KIND[entry.kind](value):
        yield f"expected {entry.kind} at {place}{name}, found {_shown(value)}"


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]} ..."


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and abs(value) < 1e300


_IS_KIND: dict[str, Callable[[Any], bool]] = {
    COUNT: _is_count,
    NUMBER: _is_number,
    TEXT: lambda value: isinstance(value, str),
    FLAG: lambda value: isinstance(value, bool),
    MAPPING: lambda value: isinstance(value, dict),
    LIST: lambda value: isinstance(value, list),
    TEXTS: lambda value: isinstance(value, list) and all(isinstance(text, str) for text in value),
    NUMBERS: lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
    NUMBER_LIST: lambda value: isinstance(value, list) and all(map(_is_number, value)),
}


def _refuse_wrong_settings(info: dict[str, Any], path: Path) -> None:
    """Raise an error where settings or rules have a type or a value that none can have."""
    try:
        config = stored_config(info["config"])
        for number, figures in enumerate(info["rounds"]):
            adapted = figures.get("settings") or {}
            unknown = sorted(set(adapted) - set(vars(config)))
            if unknown:
                raise ConfigError(f"rounds[{number}].settings has an unknown {unknown[0]!r}")
            stored_config({**info["config"], **adapted})
        make_rules(**(info.get("rules") or {}))
    except (ConfigError, TypeError, ValueError) as error:
        raise InputError(describe_damage(path, str(error).splitlines()[0])) from None
