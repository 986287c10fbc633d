"""Settings whose bounds are data: a field carries its default, its help text and its bounds.

Configurations are frozen dataclasses made of `option` fields; `problems_of` checks one, and
command-line options are generated from the same fields.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from dataclasses import Field, field, fields
from types import MappingProxyType
from typing import Any


def option(
    default: Any,
    help_text: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
    choices: tuple[str, ...] = (),
    several: bool = False,
) -> Any:
    """A field with a default, a help text and bounds: low <= value <= high, value > above.

    A word is one of its choices, or, where it may be several, a list of them with commas; or any
    word where there are no choices.
    """
    bounds = {"low": low, "high": high, "above": above, "choices": choices, "several": several}
    return field(default=default, metadata={"help": help_text, **bounds})


def field_types(config: type) -> Mapping[str, type]:
    """The type of each field by name; `int` for `int` and for `int | None`."""
    hints = typing.get_type_hints(config)
    return MappingProxyType({name: single_type(hint) for name, hint in hints.items()})


def problems_of(config: Any) -> list[str]:
    """What is wrong with the values of a configuration, a sentence each."""
    kinds = field_types(type(config))
    checked = ((one, getattr(config, one.name)) for one in fields(config))
    return [p for one, value in checked if (p := _problem(one, kinds[one.name], value))]


def single_type(hint: Any) -> type:
    """The type that a hint such as `int | None` speaks of."""
    kinds = [kind for kind in typing.get_args(hint) if kind is not types.NoneType]
    found: type = kinds[0] if kinds else hint
    return found


_KINDS: Mapping[type, tuple[str, tuple[type, ...]]] = MappingProxyType(
    {
        bool: ("True or False", (bool,)),
        int: ("a whole number", (int,)),
        float: ("a number", (int, float)),
        str: ("a word", (str,)),
    }
)


def _problem(one: Field[Any], wanted_type: type, value: Any) -> str | None:
    """What is wrong with this field's value, or None."""
    if value is None and one.default is None:
        return None
    kind, accepted = _KINDS[wanted_type]
    if type(value) not in accepted:
        return f"{one.name} must be {kind}; got {value!r}"
    bounds = one.metadata
    if wanted_type is str:
        return _word_problem(one.name, bounds, value)
    checks = (
        ("a finite number", math.isfinite(value)),
        (f"> {bounds['above']:g}", value > bounds["above"]),
        (f">= {bounds['low']:g}", value >= bounds["low"]),
        (f"<= {bounds['high']:g}", value <= bounds["high"]),
    )
    wanted = next((text for text, holds in checks if not holds), None)
    return f"{one.name} must be {wanted}; got {value}" if wanted else None


def _word_problem(name: str, bounds: Mapping[str, Any], value: str) -> str | None:
    known = bounds["choices"]
    if bounds["several"]:
        unknown = [word for word in words_of(value) if word not in known]
        wanted = f"made of {', '.join(known)}, with commas"
        return f"{name} must be {wanted}; got {unknown[0]!r}" if unknown else None
    refused = known and value not in known
    return f"{name} must be {_listed(known)}; got {value!r}" if refused else None


def words_of(value: str) -> list[str]:
    """The words of a list with commas."""
    return [word for part in value.split(",") if (word := part.strip())]


def _listed(words: tuple[str, ...]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
