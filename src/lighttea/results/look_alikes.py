"""Entities with the same facts as others: why a run may come to no link."""

from __future__ import annotations

import polars as pl

from lighttea.display import GraphNames
from lighttea.results.run import Run

_MANY = 0.5  # share of a graph's entities


def look_alikes_warning(run: Run, names: GraphNames) -> str | None:
    """Return how many entities look like others where no link came out and most do; else None."""
    if len(run.links):
        return None
    counts = {
        "left": count_look_alikes(run.facts_left, run.attributes_left),
        "right": count_look_alikes(run.facts_right, run.attributes_right),
    }
    parts = [
        f"{same:,} of {n:,} entities of {names.graph(side)}"
        for side, (same, n) in counts.items()
        if same > _MANY * n
    ]
    if not parts:
        return None
    return (
        f"no links: {' and '.join(parts)} have exactly the facts and literals of another one; "
        "nothing tells them apart"
    )


def count_look_alikes(facts: pl.DataFrame, literals: pl.DataFrame) -> tuple[int, int]:
    """Return how many entities have the facts and literals of another one, and how many there are.

    Facts are the same if relation, neighbour and time are. Each entity's are summed up as hashes.
    """
    heads = facts.select("relation", "begin", "end", entity="head", other="tail", way=pl.lit(0))
    tails = facts.select("relation", "begin", "end", entity="tail", other="head", way=pl.lit(1))
    values = literals.select(
        "begin", "end", "entity", relation="attribute", other="value", way=pl.lit(2)
    )
    statements = pl.concat([heads, tails, values], how="diagonal")
    sums = (
        statements.select("entity", said=pl.struct(pl.exclude("entity")).hash())
        .group_by("entity")
        .agg(pl.col("said").sum())
    )
    return int(sums["said"].is_duplicated().sum()), len(sums)
