"""Links whose ends tell a fact differently that can be true only once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from lighttea.alarms.graphs import LinkedGraphs
from lighttea.evidence.disagreement import ClassMoments, SideMoments, days_between
from lighttea.graph.timeline import format_instant
from lighttea.types import Bools, Ints

ALARMING = 1.0  # scales that a disagreement has to count, at least


def find_contradicting(graphs: LinkedGraphs) -> Iterator[tuple[int, int, str]]:
    """Yield the links that contradict themselves, and the two facts in words."""
    n_left = graphs.pair.n_left
    nodes = graphs.links.left, graphs.links.right + n_left
    rows = [
        pl.DataFrame({"l": graphs.links.left[odd], "r": graphs.links.right[odd]}).with_columns(
            pl.lit(own.number, pl.Int32).alias("class")
        )
        for own in graphs.contradictions.classes
        if len(odd := np.flatnonzero(_disagree(own, *nodes)))
    ]
    if rows:
        yield from _in_words(graphs, pl.concat(rows).cast(pl.Int32))


def _disagree(own: ClassMoments, left: Ints, right: Ints) -> Bools:
    """Return which couples of nodes tell a class differently, beyond what slips explain."""
    (left_known, left_days), (right_known, right_days) = (
        _moments_of(side, nodes) for side, nodes in ((own.left, left), (own.right, right))
    )
    gap = days_between(left_days, right_days)
    return np.asarray(left_known & right_known & (own.weigh(gap) <= -ALARMING))


def _moments_of(side: SideMoments, nodes: Ints) -> tuple[Bools, SideMoments]:
    """Return which nodes know a moment, and the moments of all, any where there is none."""
    row = np.minimum(np.searchsorted(side.place, nodes), len(side.place) - 1)
    return side.place[row] == nodes, side.take(row)


def _in_words(graphs: LinkedGraphs, links: pl.DataFrame) -> Iterator[tuple[int, int, str]]:
    told = [
        facts.filter(pl.col("class") >= 0)
        .with_columns(second=pl.col("low").fill_null(pl.col("end")))
        .group_by("entity", "class", maintain_order=True)
        .agg(pl.col("relation", "second", "grain").first())
        for facts in graphs.sides
    ]
    both = links.join(told[0], left_on=["l", "class"], right_on=["entity", "class"]).join(
        told[1], left_on=["r", "class"], right_on=["entity", "class"], suffix="_right"
    )
    places = [graphs.names.place(side) for side in ("left", "right")]
    for row in both.rows(named=True):
        left = format_instant(row["second"], row["grain"])
        right = format_instant(row["second_right"], row["grain_right"])
        relation = graphs.relation_name(row["relation"])
        words = f"{relation} is {left} {places[0]} but {right} {places[1]}"
        yield row["l"], row["r"], f"{words}, but only one can be true"
