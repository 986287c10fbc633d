"""Closed choices as `Literal` types; what is allowed at run time is read from the same type."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Collection, Iterable
from typing import Any, Literal

from lighttea.errors import ConfigError

Preset = Literal["best", "paper"]
Method = Literal["lighttea", "lightea"]
Search = Literal["auto", "exact", "approximate"]
EngineName = Literal["cpu", "gpu", "dask"]
Adaptable = Literal[
    "alpha",
    "beta",
    "consensus",
    "convergence",
    "dim",
    "likelihood",
    "suggestions",
    "temperature",
    "threshold",
    "top_k",
]
_COMPARED_LETTERS = 100  # comparing takes the product of both lengths
DEFAULT_PRESET: Preset = "best"
DEFAULT_METHOD: Method = "lighttea"
DEFAULT_ENGINE: EngineName = "cpu"


def choices_of(hint: Any) -> tuple[str, ...]:
    """Return the words of a `Literal` type, or of one in `Literal | None`; () for other types."""
    if typing.get_origin(hint) is Literal:
        return typing.get_args(hint)
    parts = (choices_of(part) for part in typing.get_args(hint))
    return next((words for words in parts if words), ())


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise a ConfigError unless the value is one of the choices."""
    if problem := choice_problem(name, value, choices):
        raise ConfigError(problem)


def choice_problem(name: str, value: object, choices: Collection[str]) -> str | None:
    """Return what is wrong with a value that has to be one of the choices, or None."""
    if value in choices:
        return None
    hint = did_you_mean(value, choices) if isinstance(value, str) else ""
    return f"{name} must be {listed(tuple(choices))}; got {value!r}{hint}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the known one that it resembles."""
    close = difflib.get_close_matches(name[:_COMPARED_LETTERS], list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def listed(words: tuple[str, ...]) -> str:
    """Return the words as a sentence has them: a, b or c."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
