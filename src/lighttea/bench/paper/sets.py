"""What each set is run with: the content of sets.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Setting:
    """What a set is run with."""

    seeds: tuple[int, ...]
    study: int  # the number of seeds of all sections but the main results
    options: Mapping[str, Any] = field(default_factory=dict)  # of the paper's method
    points: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # of a sweep, by setting


@cache
def known_sets() -> Mapping[str, Setting]:
    """Return the settings that ship with the package, by the name of the set."""
    text = files("lighttea.bench.paper").joinpath("sets.toml").read_text(encoding="utf-8")
    return MappingProxyType({x["dataset"]: _make_setting(x) for x in tomllib.loads(text)["set"]})


def _make_setting(entry: Mapping[str, Any]) -> Setting:
    points = {name: tuple(values) for name, values in entry.get("points", {}).items()}
    return Setting(tuple(entry["seeds"]), entry["study"], entry.get("options", {}), points)
