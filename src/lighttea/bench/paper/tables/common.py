"""What several tables share: figures beside the paper's, and seconds by stage."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable

from lighttea.bench.paper.document import NOTHING, format_difference, format_share
from lighttea.bench.paper.figures import Figure, Measurement
from lighttea.progress import STAGES

METRIC_NAMES = {"mrr": "MRR", "hits@1": "Hits@1", "hits@10": "Hits@10"}
TIMED = (*STAGES, "evaluate")


def describe_place(figure: Figure) -> str:
    """Return the dataset and the number of seeds, in words."""
    return f"{figure.subject.title}, {figure.n_seeds:,} seeds"


def name_metric(figure: Figure) -> str:
    """Return the metric as the paper writes it."""
    return METRIC_NAMES[figure.metric]


def compare(heading: str, ours: str, paper: str, difference: str = NOTHING) -> dict[str, str]:
    """Return the cells of our figure, the paper's and the difference under a common heading."""
    cells = {"ours": ours, "paper": paper, "Δ": difference}
    return {f"{heading}: {name}" if heading else name: cell for name, cell in cells.items()}


def compare_figure(figure: Figure, heading: str = "") -> dict[str, str]:
    """Return the cells of a figure, the paper's and the difference under a common heading."""
    ours, paper = format_share(figure.mean, figure.std), format_share(figure.paper)
    return compare(heading, ours, paper, format_difference(figure.difference))


def join_figures(
    column: str,
    row: Callable[[Figure], str],
    heading: Callable[[Figure], str],
    figures: Iterable[Figure],
) -> list[dict[str, str]]:
    """Return records of figures against the paper's: one for each `row`, which `column` shows."""
    records: dict[str, dict[str, str]] = {}
    for figure in figures:
        record = records.setdefault(row(figure), {column: row(figure)})
        record |= compare_figure(figure, heading(figure))
    return list(records.values())


def stage_seconds(measurement: Measurement, round_number: int) -> dict[str, float]:
    """Return mean seconds by stage up to the end of a round, loading included, and in all."""
    seconds: dict[str, list[float]] = {name: [] for name in (*TIMED, "total")}
    for run in measurement.runs:
        load = run["seconds"]["load"]
        so_far = run["per_run"][0]["rounds"][round_number]["seconds"]
        for name, values in seconds.items():
            added = load if name in ("load", "total") else 0.0
            values.append(so_far.get(name, 0.0) + added)
    return {name: statistics.fmean(values) for name, values in seconds.items()}
