"""Pairwise links that no cluster keeps, and what spoke against them."""

from __future__ import annotations

import polars as pl

from lighttea.clusters.origins import PAIR


def find_conflicts(pairs: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """Return the links of `pairs` that are no links of clusters, the surest first.

    `left_has` is the entity of the right graph that the left entity is with instead, `right_has`
    the entity of the left graph that the right one is with, both with the chance of that pair.
    `evidence` says it in words.
    """
    given_up = pairs.filter("linked").join(links, on=PAIR, how="anti")
    both_ways = pl.concat(
        [
            links.select(*PAIR, "confidence"),
            links.select(
                graph_left="graph_right",
                left="right",
                graph_right="graph_left",
                right="left",
                confidence="confidence",
            ),
        ]
    )
    best = both_ways.sort("confidence", "right", descending=[True, False]).unique(
        ["graph_left", "left", "graph_right"], keep="first", maintain_order=True
    )
    told = given_up.select(*PAIR, "confidence")
    for side, other in (("left", "right"), ("right", "left")):
        instead = best.select(
            pl.col("graph_left").alias(f"graph_{side}"),
            pl.col("left").alias(side),
            pl.col("graph_right").alias(f"graph_{other}"),
            pl.col("right").alias(f"{side}_has"),
            pl.col("confidence").alias(f"{side}_confidence"),
        )
        told = told.join(instead, on=[f"graph_{side}", side, f"graph_{other}"], how="left")
    return told.with_columns(evidence=_evidence()).sort(
        "confidence", *PAIR, descending=[True, False, False, False, False]
    )


def _evidence() -> pl.Expr:
    """Return a sentence: what the two ends are with instead."""
    ends = [
        pl.format(
            "{} is with {} of {} ({})",
            side,
            f"{side}_has",
            f"graph_{other}",
            pl.col(f"{side}_confidence").round(3),
        )
        for side, other in (("left", "right"), ("right", "left"))
    ]
    has_left, has_right = (pl.col(f"{side}_has").is_not_null() for side in ("left", "right"))
    return (
        pl.when(has_left & has_right)
        .then(pl.format("{}; {}", *ends))
        .when(has_left)
        .then(ends[0])
        .when(has_right)
        .then(ends[1])
        .otherwise(pl.lit("the other members of both clusters speak against it"))
    )
