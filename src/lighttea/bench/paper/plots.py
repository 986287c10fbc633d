"""Results to plots, as data."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from lighttea.bench.paper.document import PAPER_SERIES, Plot, Point
from lighttea.bench.paper.figures import VERSIONS, Figure, Measured
from lighttea.bench.paper.tables.common import TIMED, place, stage_seconds


def sweep_plot(name: str, figures: Sequence[Figure]) -> Plot:
    """Hits@1 of both versions over alpha or beta."""
    points = tuple(Point(float(one.label), one.mean, one.method) for one in figures)
    caption = f"Hits@1 by {name}, {place(figures[0])}"
    ticks = tuple(number / 5 for number in range(6))
    return Plot(_file(name, figures[0]), caption, "curve", name, "Hits@1", points, ticks)


def dimension_plot(figures: Sequence[Figure]) -> Plot:
    """Hits@1 of both versions by dimension, with the paper's where it has some."""
    points = [Point(float(one.label), one.mean, one.method) for one in figures]
    points += [
        Point(float(one.label), one.paper, one.method + PAPER_SERIES)
        for one in figures
        if one.paper is not None
    ]
    ticks = tuple(sorted({point.x for point in points if isinstance(point.x, float)}))
    return Plot(
        _file("dimension", figures[0]),
        f"Hits@1 by dimension, {place(figures[0])}",
        "curve",
        "dimension",
        "Hits@1",
        tuple(points),
        ticks,
        log=True,
    )


def rounds_plot(one: Measured) -> Plot:
    """Accuracy and precision of the promoted pairs, round by round."""
    n_rounds = min(len(run["per_run"][0]["rounds"]) for run in one.runs)
    names = {"promoted_precision": "promoted pairs right", "hits@1": "Hits@1"}
    points = tuple(
        Point(number + 1, statistics.fmean(one.values(metric, number)), name)
        for metric, name in names.items()
        for number in range(n_rounds)
    )
    subject, n_seeds = one.group.subject, one.group.n_seeds
    caption = f"Accuracy and promotion by round, {subject.title}, {n_seeds:,} seeds"
    ticks = tuple(float(number + 1) for number in range(n_rounds))
    name = f"rounds-{subject.folder.name}-{n_seeds}"
    return Plot(name, caption, "curve", "round", "share", points, ticks)


def stages_plot(one: Measured) -> Plot:
    """Seconds by stage, both versions."""
    subject, n_seeds = one.group.subject, one.group.n_seeds
    points = tuple(
        Point(stage.replace("_", " "), stage_seconds(one, round_number)[stage], version)
        for version, round_number in VERSIONS[one.group.method]
        for stage in TIMED
    )
    caption = f"Seconds by stage, {subject.title}, {n_seeds:,} seeds"
    return Plot(
        f"stages-{subject.folder.name}-{n_seeds}", caption, "bars", "stage", "seconds", points
    )


def _file(name: str, figure: Figure) -> str:
    return f"{name}-{figure.subject.folder.name}-{figure.n_seeds}"
