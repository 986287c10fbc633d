"""What others have published: the paper's tables, its settings, figures for other datasets."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

PAPER = (
    "Cai, Mao, Xiao, Wu, Lan: An Effective and Efficient Time-aware Entity Alignment Framework via "
    "Two-aspect Three-view Label Propagation, IJCAI 2023"
)
METRICS = ("mrr", "hits@1", "hits@10")  # in the order of the paper's tables
STAR = "*"  # marks the supervised version of a method
_WHERE = ("dataset", "seeds", "dims")


@dataclass(frozen=True)
class Results:
    """Table 2 for one dataset and number of seeds: figures by category and method."""

    categories: Mapping[str, Mapping[str, tuple[float, ...]]]  # in the order of METRICS
    p_values: Mapping[str, tuple[float, ...]]

    def rows(self) -> Iterator[tuple[str, str, tuple[float, ...]]]:
        """Category, method and its figures, in the paper's order."""
        for category, methods in self.categories.items():
            for method, figures in methods.items():
                yield category, method, figures

    def figures(self, method: str) -> tuple[float, ...] | None:
        """What the paper has for a method."""
        return next((found for _, name, found in self.rows() if name == method), None)

    def strongest(self, method: str, metric: str) -> tuple[str, float]:
        """The best baseline of the method's own category, and its figure."""
        place = METRICS.index(metric)
        category = next(category for category, name, _ in self.rows() if name == method)
        baselines = self.categories[category]
        best = max((x for x in baselines if x != method), key=lambda x: baselines[x][place])
        return best, baselines[best][place]


@dataclass(frozen=True)
class Elsewhere:
    """A figure for one of our methods to be compared with, from another source than the paper."""

    dataset: str
    seeds: int
    method: str
    by: str
    source: str
    figures: Mapping[str, float]


@dataclass(frozen=True)
class Setting:
    """How a dataset is run."""

    seeds: tuple[int, ...]
    study: int  # the number of seeds that the studies use
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PublishedFigures:
    """Everything in published.toml; tables are found by dataset and number of seeds."""

    results: Mapping[tuple[str, int], Results]
    ablation: Mapping[tuple[str, int], Mapping[str, tuple[float, ...]]]
    times: Mapping[tuple[str, int], Mapping[str, float]]
    dimensions: Mapping[tuple[str, int], Mapping[str, Mapping[int, float]]]
    elsewhere: tuple[Elsewhere, ...]
    settings: Mapping[str, Setting]


@cache
def published() -> PublishedFigures:
    """The figures that ship with the package."""
    text = files("lighttea.bench.paper").joinpath("published.toml").read_text(encoding="utf-8")
    return read_published(tomllib.loads(text))


def read_published(content: Mapping[str, Any]) -> PublishedFigures:
    """The figures of a parsed file."""
    return PublishedFigures(
        results=_by_place(content["results"], _results),
        ablation=_by_place(content["ablation"], lambda x: _tuples(_named(x))),
        times=_by_place(content["times"], _named),
        dimensions=_by_place(content["dimensions"], _by_dimension),
        elsewhere=tuple(_elsewhere(one) for one in content["elsewhere"]),
        settings=MappingProxyType({one["dataset"]: _setting(one) for one in content["setting"]}),
    )


def _by_place(entries: list[dict[str, Any]], made: Any) -> Mapping[tuple[str, int], Any]:
    return MappingProxyType({(one["dataset"], one["seeds"]): made(one) for one in entries})


def _named(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in _WHERE}


def _tuples(entry: Mapping[str, list[float]]) -> dict[str, tuple[float, ...]]:
    return {name: tuple(values) for name, values in entry.items()}


def _results(entry: Mapping[str, Any]) -> Results:
    categories = {
        name.replace("_", "-"): _tuples(entry[name]) for name in ("supervised", "semi_supervised")
    }
    return Results(categories, _tuples(entry["p_values"]))


def _by_dimension(entry: Mapping[str, Any]) -> dict[str, dict[int, float]]:
    return {
        method: dict(zip(entry["dims"], values, strict=True))
        for method, values in _named(entry).items()
    }


def _elsewhere(entry: dict[str, Any]) -> Elsewhere:
    known = {metric: entry[metric] for metric in METRICS if metric in entry}
    names = ("dataset", "seeds", "method", "by", "source")
    return Elsewhere(**{name: entry[name] for name in names}, figures=known)


def _setting(entry: dict[str, Any]) -> Setting:
    return Setting(tuple(entry["seeds"]), entry["study"], entry.get("options", {}))
