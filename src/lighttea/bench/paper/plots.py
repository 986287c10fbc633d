"""Plots, as data, from figures and measurements."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from lighttea.bench.paper.document import PAPER_SERIES, Plot, Point
from lighttea.bench.paper.figures import VERSIONS, Figure, Measurement
from lighttea.bench.paper.tables.common import TIMED, describe_place, stage_seconds


def sweep_plot(name: str, figures: Sequence[Figure]) -> Plot:
    """Return Hits@1 of both versions over alpha or beta."""
    points = tuple(Point(float(x.label), x.mean, x.method) for x in figures)
    caption = f"Hits@1 by {name}, {describe_place(figures[0])}"
    ticks = tuple(number / 5 for number in range(6))
    return Plot(_file_name(name, figures[0]), caption, "curve", name, "Hits@1", points, ticks)


def dimension_plot(figures: Sequence[Figure]) -> Plot:
    """Return Hits@1 of both versions by dimension, with the paper's where it has some."""
    points = [Point(float(x.label), x.mean, x.method) for x in figures]
    points += [
        Point(float(x.label), x.paper, x.method + PAPER_SERIES)
        for x in figures
        if x.paper is not None
    ]
    ticks = tuple(sorted({point.x for point in points if isinstance(point.x, float)}))
    return Plot(
        _file_name("dimension", figures[0]),
        f"Hits@1 by dimension, {describe_place(figures[0])}",
        "curve",
        "dimension",
        "Hits@1",
        tuple(points),
        ticks,
        log=True,
    )


def rounds_plot(measurement: Measurement) -> Plot:
    """Return accuracy and precision of the promoted pairs, round by round."""
    n_rounds = measurement.n_rounds
    names = {"promoted_precision": "promoted pairs right", "hits@1": "Hits@1"}
    points = tuple(
        Point(number + 1, statistics.fmean(measurement.values(metric, number)), name)
        for metric, name in names.items()
        for number in range(n_rounds)
    )
    subject, n_seeds = measurement.group.subject, measurement.group.n_seeds
    caption = f"Accuracy and promotion by round, {subject.title}, {n_seeds:,} seeds"
    ticks = tuple(float(number + 1) for number in range(n_rounds))
    name = f"rounds-{subject.folder.name}-{n_seeds}"
    return Plot(name, caption, "curve", "round", "share", points, ticks)


def stages_plot(measurement: Measurement) -> Plot:
    """Return seconds by stage, both versions."""
    subject, n_seeds = measurement.group.subject, measurement.group.n_seeds
    points = tuple(
        Point(stage.replace("_", " "), stage_seconds(measurement, round_number)[stage], version)
        for version, round_number in VERSIONS[measurement.group.method]
        for stage in TIMED
    )
    caption = f"Seconds by stage, {subject.title}, {n_seeds:,} seeds"
    return Plot(
        f"stages-{subject.folder.name}-{n_seeds}", caption, "bars", "stage", "seconds", points
    )


def _file_name(name: str, figure: Figure) -> str:
    return f"{name}-{figure.subject.folder.name}-{figure.n_seeds}"
