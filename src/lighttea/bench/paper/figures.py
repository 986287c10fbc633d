"""Figures from raw results: means and spreads, beside the figures of the paper."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from lighttea.bench.paper.experiments import OPEN, Experiment, Group
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
BEST = "best"  # the default preset, in a table of methods
RawRun = Mapping[str, Any]


@dataclass(frozen=True)
class Measurement:
    """A group and its raw runs; fewer than planned where some failed."""

    group: Group
    runs: tuple[RawRun, ...]

    @property
    def place(self) -> tuple[str, int]:
        """The dataset and the number of seeds under which the paper's tables have it."""
        return self.group.subject.reference or "", self.group.n_seeds

    @property
    def n_rounds(self) -> int:
        """Rounds that every run has."""
        return min(len(run["per_run"][0]["rounds"]) for run in self.runs)

    def values(self, metric: str, round_number: int) -> tuple[float, ...]:
        """Return a figure after a round (-1: the last) in each run."""
        return tuple(run["per_run"][0]["rounds"][round_number][metric] for run in self.runs)


def join_results(
    groups: Iterable[Group], records: Mapping[Experiment, Record]
) -> list[Measurement]:
    """Return the groups with their results; a group without any is left out."""
    measurements = (
        Measurement(group, tuple(records[x].result for x in group.experiments if x in records))
        for group in groups
    )
    return [measurement for measurement in measurements if measurement.runs]


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
        """The mean of the runs."""
        return statistics.fmean(self.values)

    @property
    def std(self) -> float | None:
        """Sample standard deviation; None for a single run."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def difference(self) -> float | None:
        """The mean less the paper's figure; None where the paper has none."""
        return None if self.paper is None else self.mean - self.paper

    @property
    def is_far(self) -> bool:
        """Whether the difference from the paper is worth a line of its own."""
        return self.difference is not None and abs(self.difference) > FAR

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as results.json has it."""
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


def make_figures(measurements: Sequence[Measurement]) -> list[Figure]:
    """Return every figure that the paper's tables have a place for."""
    return [
        figure
        for measurement in measurements
        if measurement.group.section in _MAKERS
        for figure in _MAKERS[measurement.group.section](measurement)
    ]


def _make_main(measurement: Measurement) -> Iterator[Figure]:
    results = published().results.get(measurement.place)
    for version, round_number in VERSIONS[measurement.group.method]:
        paper = results.figures(version) if results else None
        yield from _make_three(measurement, version, round_number, paper)


def _make_best(measurement: Measurement) -> Iterator[Figure]:
    """Yield the figures of the default preset after its last round; the paper has none."""
    if measurement.group.label != OPEN:
        yield from _make_three(measurement, BEST, -1, None)


def _make_ablation(measurement: Measurement) -> Iterator[Figure]:
    version, last = VERSIONS[measurement.group.method][-1]
    paper = published().ablation.get(measurement.place, {}).get(measurement.group.label or version)
    yield from _make_three(measurement, version, last, paper)


def _make_three(
    measurement: Measurement, version: str, round_number: int, paper: Sequence[float] | None
) -> Iterator[Figure]:
    """Yield the figures of the paper's three metrics."""
    for number, metric in enumerate(METRICS):
        theirs = paper[number] if paper else None
        yield _make_figure(measurement, version, round_number, metric, theirs)


def _make_dimension(measurement: Measurement) -> Iterator[Figure]:
    theirs = published().dimensions.get(measurement.place, {})
    for version, round_number in VERSIONS[measurement.group.method]:
        paper = theirs.get(version, {}).get(int(measurement.group.label))
        yield _make_figure(measurement, version, round_number, "hits@1", paper)


def _make_sweep(measurement: Measurement) -> Iterator[Figure]:
    """Yield figures without the paper's: it prints none but that of its own setting."""
    for version, round_number in VERSIONS[measurement.group.method]:
        yield _make_figure(measurement, version, round_number, "hits@1", None)


def _make_figure(
    measurement: Measurement, version: str, round_number: int, metric: str, paper: float | None
) -> Figure:
    group, values = measurement.group, measurement.values(metric, round_number)
    return Figure(
        group.section, group.subject, group.n_seeds, version, group.label, metric, values, paper
    )


_MAKERS: Mapping[str, Callable[[Measurement], Iterator[Figure]]] = MappingProxyType(
    {
        "main": _make_main,
        "best": _make_best,
        "ablation": _make_ablation,
        "dimension": _make_dimension,
        "alpha": _make_sweep,
        "beta": _make_sweep,
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


def make_t_tests(figures: Iterable[Figure]) -> list[TTest]:
    """Return a test for each figure of the main table whose p-value the paper has."""
    tests = []
    for figure in figures:
        if figure.section == "main" and figure.paper is not None:
            results = published().results[figure.subject.reference or "", figure.n_seeds]
            if figure.method in results.p_values:
                tests.append(_make_t_test(figure, results))
    return tests


def _make_t_test(figure: Figure, results: Results) -> TTest:
    baseline, theirs = results.strongest(figure.method, figure.metric)
    paper = results.p_values[figure.method][METRICS.index(figure.metric)]
    return TTest(figure, baseline, theirs, compute_p_value(figure.values, theirs), paper)


def compute_p_value(values: Sequence[float], expected: float) -> float | None:
    """Return the two-sided p-value; None for fewer than two runs and for runs that all agree."""
    if len(set(values)) < 2:
        return None
    from scipy.stats import ttest_1samp

    p_value = float(ttest_1samp(values, expected).pvalue)
    return None if math.isnan(p_value) else p_value
