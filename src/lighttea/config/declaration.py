"""Declared settings: a dataclass field with its type, bounds, help text and values by preset.

Configurations are frozen dataclasses made of `option` fields. `declared_settings` reads the
declaration back, for checks, command-line options, settings files and documentation.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from lighttea.config.choices import choice_problem, choices_of

_HUGE = 10**300  # a float holds no whole number that is much larger
_NO_VALUES: Mapping[str, Any] = MappingProxyType({})
_KINDS: Mapping[type, tuple[str, tuple[type, ...]]] = MappingProxyType(
    {
        bool: ("True or False", (bool,)),
        int: ("a whole number", (int,)),
        float: ("a number", (int, float)),
        str: ("a word", (str,)),
    }
)


def option(
    default: Any,
    help_text: str,
    *,
    presets: Mapping[str, Any] = _NO_VALUES,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
    several: tuple[str, ...] = (),
    example: Any = None,
) -> Any:
    """Return a dataclass field with a default, a help text and bounds.

    Numbers: low <= value <= high and value > above. A field whose type is a `Literal` takes one of
    its words, one with `several` a list of these words with commas. `presets` has the value in each
    preset where they differ; `example` is for settings files where there is no default.
    """
    declared = {
        "help": help_text,
        "presets": presets,
        "low": low,
        "high": high,
        "above": above,
        "several": several,
        "example": example,
    }
    return field(default=default, metadata=declared)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The declaration of one setting, read back from its field."""

    name: str
    hint: Any  # the type as declared
    default: Any
    help: str
    presets: Mapping[str, Any]  # empty where all presets have the default
    low: float
    high: float
    above: float
    several: tuple[str, ...]
    example: Any

    @property
    def kind(self) -> type:
        """The plain type of the values: bool, int, float, str or Path."""
        return plain_type(self.hint)

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that are allowed; () where any value of the type is."""
        return choices_of(self.hint)

    @property
    def described(self) -> str:
        """The help text with the values that apply, such as `... [best: 4; paper: 3]`."""
        return described(self.help, self.values)

    @property
    def values(self) -> dict[str, Any]:
        """The value in each preset where they differ, else the default, if there is one."""
        if self.presets:
            return dict(self.presets)
        return {} if self.default is None else {"default": self.default}

    def problem(self, value: Any) -> str | None:
        """Return what is wrong with a value, or None."""
        if value is None and self.default is None:
            return None
        words, accepted = _KINDS[self.kind]
        if type(value) not in accepted:
            return f"{self.name} must be {words}; got {value!r}"
        return self._word_problem(value) if self.kind is str else self._bounds_problem(value)

    def _bounds_problem(self, value: float) -> str | None:
        if isinstance(value, int) and abs(value) >= _HUGE:
            return f"{self.name} must be a number of 300 digits at most"
        checks = (
            ("a finite number", math.isfinite(value)),
            (f"> {self.above:g}", value > self.above),
            (f">= {self.low:g}", value >= self.low),
            (f"<= {self.high:g}", value <= self.high),
        )
        expected = next((text for text, holds in checks if not holds), None)
        return f"{self.name} must be {expected}; got {value}" if expected else None

    def _word_problem(self, value: str) -> str | None:
        if self.several:
            unknown = [word for word in words_of(value) if word not in self.several]
            expected = f"some of {', '.join(self.several)}, separated by commas"
            return f"{self.name} must be {expected}; got {unknown[0]!r}" if unknown else None
        return choice_problem(self.name, value, self.choices) if self.choices else None


@cache
def declared_settings(config: type) -> Mapping[str, Setting]:
    """Return the declaration of each field of a configuration, by name."""
    hints = typing.get_type_hints(config)
    declared = (
        Setting(name=f.name, hint=hints[f.name], default=f.default, **f.metadata)
        for f in fields(config)
    )
    return MappingProxyType({setting.name: setting for setting in declared})


def problems_of(config: Any) -> list[str]:
    """Return what is wrong with the values of a configuration, a sentence each."""
    declared: type = type(config)
    settings = declared_settings(declared).values()
    problems = (setting.problem(getattr(config, setting.name)) for setting in settings)
    return [problem for problem in problems if problem]


def plain_type(hint: Any) -> type:
    """Return the type of the values of a hint: `int` for `int | None`, `str` for a `Literal`."""
    if typing.get_origin(hint) is Literal:
        return str
    members = [part for part in typing.get_args(hint) if part is not types.NoneType]
    plain: type = plain_type(members[0]) if members else hint
    return plain


def described(help_text: str, values: Mapping[str, Any]) -> str:
    """Return a help text followed by values, such as `... [best: 4; paper: 3]`."""
    shown = "; ".join(f"{name}: {shown_value(value)}" for name, value in values.items())
    return f"{help_text} [{shown}]" if shown else help_text


def shown_value(value: Any) -> str:
    """Return a value as help pages and documentation show it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Path):
        return value.as_posix()
    return str(value) or "none"


def words_of(value: str) -> list[str]:
    """Return the words of a list with commas."""
    return [word for part in value.split(",") if (word := part.strip())]
