"""What several tables share."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from lighttea.bench.paper.document import (
    NOTHING,
    Cell,
    Column,
    Difference,
    share,
    spread,
)
from lighttea.bench.paper.figures import Figure, Measured
from lighttea.bench.paper.published import METRICS
from lighttea.progress import STAGES

METRIC_NAMES = {"mrr": "MRR", "hits@1": "Hits@1", "hits@10": "Hits@10"}
TIMED = (*STAGES, "evaluate")
TRIPLE = ("ours", "paper", "Δ")


def word(name: str) -> Column:
    """A column of words."""
    return Column(name, numeric=False)


def place(figure: Figure) -> str:
    """A dataset and its seeds, in words."""
    return f"{figure.subject.title}, {figure.n_seeds:,} seeds"


def against(figure: Figure | None) -> tuple[Cell, Cell, Cell]:
    """Ours, the paper's, the difference."""
    if figure is None:
        return NOTHING, NOTHING, NOTHING
    difference = figure.difference
    return (
        spread(figure.mean, figure.std),
        share(figure.paper),
        NOTHING if difference is None else Difference(difference),
    )


def triples(groups: Iterable[str]) -> tuple[Column, ...]:
    """Columns for ours, the paper's and the difference, under each heading."""
    return tuple(Column(name, group) for group in groups for name in TRIPLE)


def by_metric(figures: Sequence[Figure], method: str) -> tuple[Cell, ...]:
    """A method's figures in the paper's order, each with the paper's and the difference."""
    found = {figure.metric: figure for figure in figures if figure.method == method}
    return tuple(cell for metric in METRICS for cell in against(found.get(metric)))


def stage_seconds(one: Measured, round_number: int) -> dict[str, float]:
    """Mean seconds by stage up to the end of a round, loading included, and in all."""
    found: dict[str, list[float]] = {name: [] for name in (*TIMED, "total")}
    for run in one.runs:
        load = run["seconds"]["load"]
        so_far = run["per_run"][0]["rounds"][round_number]["seconds"]
        for name, values in found.items():
            added = load if name in ("load", "total") else 0.0
            values.append(so_far.get(name, 0.0) + added)
    return {name: statistics.fmean(values) for name, values in found.items()}
