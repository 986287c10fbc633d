"""Published figures: the paper's tables, and figures of other publications."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
_PLACE = ("dataset", "seeds", "dims")


@dataclass(frozen=True)
class Results:
    """Table 2 for one dataset and number of seeds: figures by category and method."""

    categories: Mapping[str, Mapping[str, tuple[float, ...]]]  # in the order of METRICS
    p_values: Mapping[str, tuple[float, ...]]

    def rows(self) -> Iterator[tuple[str, str, tuple[float, ...]]]:
        """Yield category, method and figures, in the paper's order."""
        for category, methods in self.categories.items():
            for method, figures in methods.items():
                yield category, method, figures

    def figures(self, method: str) -> tuple[float, ...] | None:
        """Return the paper's figures for a method; None where it has none."""
        return next((figures for _, name, figures in self.rows() if name == method), None)

    def strongest(self, method: str, metric: str) -> tuple[str, float]:
        """Return the best baseline of the method's own category, and its figure."""
        place = METRICS.index(metric)
        category = next(category for category, name, _ in self.rows() if name == method)
        baselines = self.categories[category]
        best = max((x for x in baselines if x != method), key=lambda x: baselines[x][place])
        return best, baselines[best][place]


@dataclass(frozen=True)
class Elsewhere:
    """Figures of a method from another source than the paper; a star means supervised."""

    dataset: str
    seeds: int
    method: str
    year: int
    source: str
    seen: str  # where the figure was read; empty where that is the source
    figures: Mapping[str, float]

    @property
    def full_source(self) -> str:
        """The source, and where the figure was read."""
        return f"{self.source}; as listed at {self.seen}" if self.seen else self.source


@dataclass(frozen=True)
class PublishedFigures:
    """The content of published.toml; tables are keyed by dataset and number of seeds."""

    results: Mapping[tuple[str, int], Results]
    ablation: Mapping[tuple[str, int], Mapping[str, tuple[float, ...]]]
    times: Mapping[tuple[str, int], Mapping[str, float]]
    dimensions: Mapping[tuple[str, int], Mapping[str, Mapping[int, float]]]
    elsewhere: tuple[Elsewhere, ...]


@cache
def published() -> PublishedFigures:
    """Return the figures that ship with the package."""
    text = files("lighttea.bench.paper").joinpath("published.toml").read_text(encoding="utf-8")
    return read_published(tomllib.loads(text))


def read_published(content: Mapping[str, Any]) -> PublishedFigures:
    """Return the figures of a parsed file."""
    return PublishedFigures(
        results=_by_place(content["results"], _make_results),
        ablation=_by_place(content["ablation"], lambda x: _make_tuples(_drop_place(x))),
        times=_by_place(content["times"], _drop_place),
        dimensions=_by_place(content["dimensions"], _key_by_dimension),
        elsewhere=tuple(map(_make_elsewhere, content["elsewhere"])),
    )


def _by_place(entries: list[dict[str, Any]], make: Any) -> Mapping[tuple[str, int], Any]:
    return MappingProxyType({(x["dataset"], x["seeds"]): make(x) for x in entries})


def _drop_place(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in _PLACE}


def _make_tuples(entry: Mapping[str, list[float]]) -> dict[str, tuple[float, ...]]:
    return {name: tuple(values) for name, values in entry.items()}


def _make_results(entry: Mapping[str, Any]) -> Results:
    categories = {
        name.replace("_", "-"): _make_tuples(entry[name])
        for name in ("supervised", "semi_supervised")
    }
    return Results(categories, _make_tuples(entry["p_values"]))


def _key_by_dimension(entry: Mapping[str, Any]) -> dict[str, dict[int, float]]:
    return {
        method: dict(zip(entry["dims"], values, strict=True))
        for method, values in _drop_place(entry).items()
    }


def _make_elsewhere(entry: dict[str, Any]) -> Elsewhere:
    known = {metric: entry[metric] for metric in METRICS if metric in entry}
    names = ("dataset", "seeds", "method", "year", "source")
    given = {name: entry[name] for name in names}
    return Elsewhere(**given, seen=entry.get("seen", ""), figures=known)
