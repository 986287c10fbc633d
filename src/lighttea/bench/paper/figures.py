"""Raw results to figures: means, spreads, and what the paper has beside them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from lighttea.bench.paper.experiments import Experiment, Group
from lighttea.bench.paper.published import METRICS, Results, published
from lighttea.bench.paper.store import Record
from lighttea.bench.paper.subjects import Subject

FAR = 0.005  # a difference from the paper that is worth a line of its own
# a method's two versions and the round that each is read after: the star means supervised
VERSIONS: Mapping[str, tuple[tuple[str, int], ...]] = MappingProxyType(
    {
        "lighttea": (("LightTEA*", 0), ("LightTEA", -1)),
        "lightea": (("LightEA*", 0), ("LightEA", -1)),
    }
)
RawRun = Mapping[str, Any]


@dataclass(frozen=True)
class Measured:
    """A group and its raw runs; fewer than planned where some failed."""

    group: Group
    runs: tuple[RawRun, ...]

    @property
    def place(self) -> tuple[str, int]:
        """Where the paper's tables would have it."""
        return self.group.subject.reference or "", self.group.n_seeds

    def values(self, metric: str, round_number: int) -> tuple[float, ...]:
        """A figure after a round (-1: the last) in each run."""
        return tuple(run["per_run"][0]["rounds"][round_number][metric] for run in self.runs)


def measured(groups: Iterable[Group], records: Mapping[Experiment, Record]) -> list[Measured]:
    """Groups with their results; a group without any is left out."""
    found = (
        Measured(group, tuple(records[x].result for x in group.experiments if x in records))
        for group in groups
    )
    return [one for one in found if one.runs]


@dataclass(frozen=True)
class Figure:
    """One number of the paper's tables, ours and theirs."""

    section: str
    subject: Subject
    n_seeds: int
    method: str
    label: str  # what was changed: "w/o TC", "dim 64"
    metric: str
    values: tuple[float, ...]
    paper: float | None

    @property
    def mean(self) -> float:
        """Of the runs."""
        return statistics.fmean(self.values)

    @property
    def std(self) -> float | None:
        """Sample standard deviation; None for a single run."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        return None if self.paper is None else self.mean - self.paper

    @property
    def is_far(self) -> bool:
        """Whether we differ from the paper by more than a little."""
        return self.difference is not None and abs(self.difference) > FAR

    def to_dict(self) -> dict[str, Any]:
        """For results.json."""
        return {
            "section": self.section,
            "dataset": self.subject.title,
            "seeds": self.n_seeds,
            "method": self.method,
            "label": self.label,
            "metric": self.metric,
            "mean": round(self.mean, 6),
            "std": None if self.std is None else round(self.std, 6),
            "runs": len(self.values),
            "paper": self.paper,
            "difference": None if self.difference is None else round(self.difference, 6),
        }


def all_figures(found: Sequence[Measured]) -> list[Figure]:
    """Every figure that the paper's tables have a place for."""
    return [figure for one in found for figure in _FIGURES.get(one.group.section, _none)(one)]


def _none(_: Measured) -> Iterator[Figure]:
    yield from ()


def _main(one: Measured) -> Iterator[Figure]:
    results = published().results.get(one.place)
    for version, round_number in VERSIONS[one.group.method]:
        paper = results.figures(version) if results else None
        yield from _three(one, version, round_number, paper)


def _ablation(one: Measured) -> Iterator[Figure]:
    version, last = VERSIONS["lighttea"][-1]
    paper = published().ablation.get(one.place, {}).get(one.group.label or version)
    yield from _three(one, version, last, paper)


def _three(
    one: Measured, version: str, round_number: int, paper: Sequence[float] | None
) -> Iterator[Figure]:
    for number, metric in enumerate(METRICS):
        theirs = paper[number] if paper else None
        yield _figure(one, version, metric, one.values(metric, round_number), theirs)


def _dimension(one: Measured) -> Iterator[Figure]:
    theirs = published().dimensions.get(one.place, {})
    for version, round_number in VERSIONS["lighttea"]:
        paper = theirs.get(version, {}).get(int(one.group.label))
        yield _figure(one, version, "hits@1", one.values("hits@1", round_number), paper)


def _sweep(one: Measured) -> Iterator[Figure]:
    """The paper prints no number of its figure but the one of its own setting, which is main's."""
    for version, round_number in VERSIONS["lighttea"]:
        yield _figure(one, version, "hits@1", one.values("hits@1", round_number), None)


def _figure(
    one: Measured, version: str, metric: str, values: tuple[float, ...], paper: float | None
) -> Figure:
    group = one.group
    return Figure(
        group.section, group.subject, group.n_seeds, version, group.label, metric, values, paper
    )


_FIGURES: Mapping[str, Callable[[Measured], Iterator[Figure]]] = MappingProxyType(
    {
        "main": _main,
        "ablation": _ablation,
        "dimension": _dimension,
        "alpha": _sweep,
        "beta": _sweep,
    }
)


@dataclass(frozen=True)
class TTest:
    """A one-sample t-test of our runs against the strongest baseline's published figure."""

    figure: Figure
    baseline: str
    baseline_figure: float
    p_value: float | None  # None where the runs do not differ at all
    paper_p_value: float


def t_tests(figures: Iterable[Figure]) -> list[TTest]:
    """For each figure of the main table whose p-value the paper has."""
    mains = [one for one in figures if one.section == "main" and one.paper is not None]
    tests = []
    for one in mains:
        results = published().results[one.subject.reference or "", one.n_seeds]
        if one.method in results.p_values:
            tests.append(_tested(one, results))
    return tests


def _tested(figure: Figure, results: Results) -> TTest:
    baseline, theirs = results.strongest(figure.method, figure.metric)
    paper = results.p_values[figure.method][METRICS.index(figure.metric)]
    return TTest(figure, baseline, theirs, p_value(figure.values, theirs), paper)


def p_value(values: Sequence[float], expected: float) -> float | None:
    """Two-sided; None for fewer than two runs and for runs that all agree."""
    if len(set(values)) < 2:
        return None
    from scipy.stats import ttest_1samp

    found = float(ttest_1samp(values, expected).pvalue)
    return None if math.isnan(found) else found
