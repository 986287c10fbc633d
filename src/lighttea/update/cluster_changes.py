"""What became of every member of a cluster, and which changed links did it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import polars as pl

from lighttea.results.run import Run
from lighttea.results.schema import NO_CHANGES
from lighttea.update.changes import CHANGED, KEPT, NEW, WITHDRAWN

Member: TypeAlias = tuple[str, str]  # graph and entity
OTHERS = "its own links are as they were; those of other members changed"


def compare_clusters(
    before: pl.DataFrame, after: pl.DataFrame, runs: Mapping[tuple[str, str], Run]
) -> pl.DataFrame:
    """Return cluster, graph, entity, change and why of each member of either run.

    A member that has changed stands once, with its new cluster; one that was withdrawn with its
    old one.
    """
    rows = list(_changes(_cluster_of(before), _cluster_of(after), _reasons(runs)))
    return pl.DataFrame(rows, schema=NO_CHANGES().schema, orient="row")


def _cluster_of(table: pl.DataFrame) -> dict[Member, str]:
    """Return the cluster of each member."""
    rows = table.select("graph", "entity", "cluster").rows()
    return {(graph, entity): cluster for graph, entity, cluster in rows}


def _changes(
    before: Mapping[Member, str],
    after: Mapping[Member, str],
    reasons: Mapping[Member, Sequence[str]],
) -> Iterator[tuple[str, str, str, str, str]]:
    for member, cluster in after.items():
        why = "; ".join(reasons.get(member, ()))
        if member not in before:
            yield cluster, *member, NEW, why or OTHERS
        elif before[member] == cluster:
            yield cluster, *member, KEPT, why
        else:
            yield cluster, *member, CHANGED, f"was in {before[member]}; {why or OTHERS}"
    for member, cluster in before.items():
        if member not in after:
            yield cluster, *member, WITHDRAWN, "; ".join(reasons.get(member, ())) or OTHERS


def _reasons(runs: Mapping[tuple[str, str], Run]) -> dict[Member, list[str]]:
    """Return what became of the links of each entity, in words."""
    reasons: dict[Member, list[str]] = defaultdict(list)
    for (one, other), run in runs.items():
        for left, right, change, why in run.changes.filter(pl.col("change") != KEPT).rows():
            told = f"{one} {left} = {other} {right}: {change}, {why}"
            reasons[one, left].append(told)
            reasons[other, right].append(told)
    return reasons
