"""The settings of `align` in a TOML file: what they are called, what they may be, which is wrong.

The names, types and help texts are those of the command and of its configuration objects.
"""

from __future__ import annotations

import inspect
import re
import tomllib
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from docstring_parser import parse as parse_docstring

from lighttea.config import Config, LinkRules, did_you_mean, make_config, make_rules
from lighttea.errors import ConfigError, InputError
from lighttea.settings import field_types, single_type

_KINDS: Mapping[type, tuple[str, tuple[type, ...]]] = {
    Path: ("the path of a file, in quotes", (str,)),
    str: ("a text in quotes", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
}
_COLUMNS = ("columns", "left_columns", "right_columns")
_COLUMNS_WANTED = (
    'a text such as "head=subj,relation=pred,tail=obj" or a table {head = "subj", ...}'
)
_PLACE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")


@dataclass(frozen=True)
class Setting:
    """One option of `align`."""

    name: str
    kind: type
    help: str
    default: Any  # None where there is none
    group: str  # inputs, method or links


def all_settings() -> dict[str, Setting]:
    """Every option of `align` by its name, in the order of its help page."""
    from lighttea.cli.align import align

    return {one.name: one for one in (*_of_command(align), *_of_configs())}


def _of_command(command: Any) -> Iterator[Setting]:
    """The parameters that are no field of a configuration."""
    hints = typing.get_type_hints(command)
    helps = {one.arg_name: one.description or "" for one in parse_docstring(command.__doc__).params}
    for name in inspect.signature(command).parameters:
        if name not in ("config", "options", "rules"):
            text = " ".join(helps[name].split())
            yield Setting(name, single_type(hints[name]), text, None, "inputs")


def _of_configs() -> Iterator[Setting]:
    for config, group in ((Config, "method"), (LinkRules, "links")):
        kinds = field_types(config)
        for one in fields(config):
            yield Setting(one.name, kinds[one.name], one.metadata["help"], one.default, group)


def read_settings(path: Path) -> dict[str, Any]:
    """The settings of a file; paths in it are relative to its folder. All problems at once."""
    if not path.is_file():
        raise InputError(f"{path}: no such file; check the path of --config")
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(_syntax(path, str(error))) from None
    lines = _Lines(path, text)
    known = all_settings()
    problems, settings = [], {}
    for key, value in content.items():
        name = key.replace("-", "_")
        if name not in known:
            problems.append(
                f"{lines.of(key)}: there is no option {key!r}{did_you_mean(name, known)}"
            )
        elif name in settings:
            problems.append(f"{lines.of(key)}: {name} is given twice, with - and with _")
        elif wanted := _wrong(name, known[name].kind, value):
            problems.append(f"{lines.of(key)}: {name} must be {wanted}; found {value!r}")
        else:
            settings[name] = _in_place(path, known[name].kind, value)
    problems += _out_of_bounds(settings, known, lines)
    if problems:
        raise InputError.of_many(problems)
    return settings


def _wrong(name: str, kind: type, value: Any) -> str | None:
    """What was expected instead, or None."""
    if name in _COLUMNS and isinstance(value, dict):
        fine = all(type(column) in (str, int) for column in value.values())
        return None if fine else _COLUMNS_WANTED
    wanted, accepted = _KINDS[kind]
    if type(value) in accepted:
        return None
    return _COLUMNS_WANTED if name in _COLUMNS else wanted


def _in_place(path: Path, kind: type, value: Any) -> Any:
    if kind is Path:
        return path.parent / value
    if isinstance(value, dict):
        return {role: str(column) for role, column in value.items()}
    return value


def _out_of_bounds(
    settings: Mapping[str, Any], known: Mapping[str, Setting], lines: _Lines
) -> list[str]:
    """What the configuration objects say about the values, with their lines."""
    problems = []
    for group, make in (("method", make_config), ("links", make_rules)):
        own = {name: value for name, value in settings.items() if known[name].group == group}
        try:
            make(**own)
        except ConfigError as error:
            problems += [f"{lines.of(said.split()[0])}: {said}" for said in str(error).splitlines()]
    return problems


@dataclass(frozen=True)
class _Lines:
    """Where in a file a key stands."""

    path: Path
    text: str

    def of(self, key: str) -> str:
        spelt = re.escape(key).replace("_", "[-_]")
        for number, line in enumerate(self.text.splitlines(), 1):
            if re.match(rf"""\s*\[?\s*["']?{spelt}["']?\s*[=.\]]""", line):
                return f"{self.path}:{number}"
        return str(self.path)


def _syntax(path: Path, said: str) -> str:
    place = _PLACE.search(said)
    line = f":{place[1]}" if place and place[1] else ""
    return f"{path}{line}: not TOML: {_PLACE.sub('', said).strip()}; expected lines: name = value"
