"""The configuration: every default lives here once, with its bounds and its help text.

Command-line options, `align`'s keywords and the documentation are generated from, or checked
against, the fields of `Config`.
"""

from __future__ import annotations

import difflib
import math
import typing
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from lighttea.errors import ConfigError


def _option(
    default: Any,
    help_text: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
) -> Any:
    """A field with a default, a help text and bounds: low <= value <= high, value > above."""
    bounds = {"low": low, "high": high, "above": above}
    return field(default=default, metadata={"help": help_text, **bounds})


@dataclass(frozen=True, kw_only=True)
class Config:
    """One alignment's settings; the defaults are the paper's text (`preset="paper"`)."""

    alpha: float = _option(
        0.5, "weight of the temporal aspect against the relational one (eq. 7)", low=0, high=1
    )
    beta: float = _option(
        0.4, "weight of the time similarity against the label similarity (eq. 9)", low=0, high=1
    )
    dim: int = _option(512, "width of a label, the paper's d", low=1, high=65536)
    depth: int = _option(2, "rounds of label propagation, the paper's n (eq. 1-6)", low=1, high=16)
    sketch_factor: int = _option(
        2, "width of the last hop's sketch per aspect, in multiples of dim", low=1, high=64
    )
    top_k: int = _option(500, "candidates kept for each left entity", low=1)
    temperature: float = _option(0.05, "temperature t of the Sinkhorn operator (eq. 12)", above=0)
    iterations: int = _option(15, "iterations m of the Sinkhorn operator (eq. 11)", low=1)
    threshold: float = _option(
        0.8, "a best candidate with a value above this joins the seeds", low=0, high=1
    )
    rounds: int = _option(3, "rounds of temporal iterative learning; 1 is supervised", low=1)
    temporal_propagation: bool = _option(True, "propagate labels along time (the paper's TLP)")
    temporal_constraint: bool = _option(True, "blend in the time similarity (the paper's TC)")
    sinkhorn: bool = _option(True, "assign with the Sinkhorn operator (the paper's SO)")
    random_seed: int = _option(0, "number that starts the random generator", low=0)
    threads: int = _option(0, "threads to use; 0 means all cores", low=0)

    def __post_init__(self) -> None:
        problems = [p for name, value in asdict(self).items() if (p := _problem(name, value))]
        if problems:
            raise ConfigError("\n".join(problems))

    def without_time(self) -> Config:
        """The same settings with the temporal aspect and the time similarity off."""
        return replace(self, temporal_propagation=False, temporal_constraint=False)

    @property
    def temporal_weight(self) -> float:
        """alpha, or 0 where temporal propagation is switched off."""
        return self.alpha if self.temporal_propagation else 0.0

    @property
    def time_weight(self) -> float:
        """beta, or 0 where the temporal constraint is switched off."""
        return self.beta if self.temporal_constraint else 0.0


PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType({"paper": {}})
DEFAULT_PRESET = "paper"

# LightEA knows no time and was published with its own settings; the paper's LightEA rows come
# from that code, so the method is run as its authors did.
METHODS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "lighttea": {},
        "lightea": {
            "alpha": 0.0,
            "beta": 0.0,
            "dim": 1024,
            "sketch_factor": 8,
            "temperature": 0.02,
            "threshold": 0.5,
        },
    }
)

FIELD_TYPES: Mapping[str, type] = MappingProxyType(typing.get_type_hints(Config))


def make_config(
    preset: str = DEFAULT_PRESET, *, method: str = "lighttea", **overrides: Any
) -> Config:
    """A preset, then a method, then the overrides (None means: not set)."""
    settings = {**_known(PRESETS, "preset", preset), **_known(METHODS, "method", method)}
    settings.update({name: value for name, value in overrides.items() if value is not None})
    for name in settings.keys() - FIELD_TYPES.keys():
        raise ConfigError(f"there is no option {name!r}{_did_you_mean(name, FIELD_TYPES)}")
    return Config(**settings)


def _known(table: Mapping[str, Mapping[str, Any]], what: str, name: str) -> Mapping[str, Any]:
    if name not in table:
        known = ", ".join(sorted(table))
        raise ConfigError(
            f"there is no {what} {name!r}{_did_you_mean(name, table)}; known: {known}"
        )
    return table[name]


def _did_you_mean(name: str, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _problem(name: str, value: Any) -> str | None:
    """What is wrong with this value, or None."""
    wanted = FIELD_TYPES[name]
    if wanted is bool or isinstance(value, bool):
        return (
            None if type(value) is wanted else f"{name} must be {_article(wanted)}; got {value!r}"
        )
    if not isinstance(value, (int, float) if wanted is float else int):
        return f"{name} must be {_article(wanted)}; got {value!r}"
    if not math.isfinite(value):
        return f"{name} must be a finite number; got {value}"
    bounds = next(f.metadata for f in fields(Config) if f.name == name)
    return next(
        (
            f"{name} must be {sign} {bounds[key]:g}; got {value}"
            for key, sign, holds in (
                ("above", ">", value > bounds["above"]),
                ("low", ">=", value >= bounds["low"]),
                ("high", "<=", value <= bounds["high"]),
            )
            if not holds
        ),
        None,
    )


def _article(wanted: type) -> str:
    return {float: "a number", int: "a whole number", bool: "True or False"}[wanted]
