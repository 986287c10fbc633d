"""The settings of `align` in a TOML file: what they are called, what they may be, which is wrong.

They are declared in `AlignInputs`, `EngineInputs`, `Config` and `LinkRules`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lighttea.cli.inputs import AlignInputs, EngineInputs
from lighttea.config import (
    Config,
    LinkRules,
    Setting,
    declared_settings,
    make_config,
    make_rules,
    unknown_name,
)
from lighttea.errors import ConfigError, InputError

_KINDS: Mapping[type, tuple[str, tuple[type, ...]]] = {
    Path: ("the path of a file, in quotes", (str,)),
    str: ("a text in quotes", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
}
_COLUMNS = ("columns", "left_columns", "right_columns")
_COLUMNS_EXPECTED = (
    'a text such as "head=subj,relation=pred,tail=obj" or a table {head = "subj", ...}'
)
_PLACE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")


def settings_by_group() -> dict[str, dict[str, Setting]]:
    """Return every setting of `align` by group (inputs, method, links) and name."""
    inputs = {**declared_settings(AlignInputs), **declared_settings(EngineInputs)}
    groups = {"method": Config, "links": LinkRules}
    return {"inputs": inputs} | {name: {**declared_settings(c)} for name, c in groups.items()}


def all_settings() -> dict[str, Setting]:
    """Return every setting of `align` by its name."""
    return {name: s for group in settings_by_group().values() for name, s in group.items()}


def given_by_group(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return given values by group and name."""
    return {
        group: {name: given[name] for name in settings if name in given}
        for group, settings in settings_by_group().items()
    }


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
    except (
        RecursionError,
        OverflowError,
        ValueError,
    ) as error:
        raise InputError(f"{path}: not TOML that can be read: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    lines = _Lines(path, text)
    known = all_settings()
    problems, settings = [], {}
    for key, value in content.items():
        name = key.replace("-", "_")
        if name not in known:
            problems.append(f"{lines.of(key)}: {unknown_name(key, known)}")
        elif name in settings:
            problems.append(f"{lines.of(key)}: {name} appears twice, once with - and once with _")
        elif expected := _wrong(name, known[name].kind, value):
            problems.append(f"{lines.of(key)}: {name} must be {expected}; found {value!r}")
        else:
            settings[name] = _in_place(path, known[name].kind, value)
    problems += _out_of_bounds(settings, lines)
    if problems:
        raise InputError.of_many(problems)
    return settings


def _wrong(name: str, kind: type, value: Any) -> str | None:
    """What was expected instead, or None."""
    if name in _COLUMNS and isinstance(value, dict):
        fine = all(type(column) in (str, int) for column in value.values())
        return None if fine else _COLUMNS_EXPECTED
    expected, accepted = _KINDS[kind]
    if type(value) in accepted:
        return None
    return _COLUMNS_EXPECTED if name in _COLUMNS else expected


def _in_place(path: Path, kind: type, value: Any) -> Any:
    if kind is Path:
        return path.parent / value
    if isinstance(value, dict):
        return {role: str(column) for role, column in value.items()}
    return value


def _out_of_bounds(settings: Mapping[str, Any], lines: _Lines) -> list[str]:
    """Return what the declarations say about the values, with their lines."""
    given = given_by_group(settings)
    problems = [_choice_problem(name, value) for name, value in given["inputs"].items()]
    for group, make in (("method", make_config), ("links", make_rules)):
        try:
            make(**given[group])
        except ConfigError as error:
            problems += str(error).splitlines()
    return [f"{lines.of(problem.split()[0])}: {problem}" for problem in problems if problem]


def _choice_problem(name: str, value: Any) -> str | None:
    """Return what is wrong with an input that has closed choices."""
    setting = all_settings()[name]
    return setting.problem(value) if setting.choices else None


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


def _syntax(path: Path, reason: str) -> str:
    place = _PLACE.search(reason)
    line = f":{place[1]}" if place and place[1] else ""
    return f"{path}{line}: not TOML: {_PLACE.sub('', reason).strip()}; expected lines: name = value"
