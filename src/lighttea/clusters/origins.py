"""How each link of a cluster was found: by the alignment of its two graphs, or through others."""

from __future__ import annotations

import polars as pl

LINK, CANDIDATE, THROUGH = "link", "candidate", "through"
PAIR = ("graph_left", "left", "graph_right", "right")


def with_origins(links: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the links of clusters with `found`: link, candidate, or through and the graphs.

    `pairs` says which pairs the alignments considered, and which of these they link.
    """
    told = links.join(pairs.select(*PAIR, "linked"), on=PAIR, how="left")
    considered = told.filter(pl.col("linked").is_not_null())
    through = find_middles(told.filter(pl.col("linked").is_null()), considered)
    named = told.join(through, on=PAIR, how="left").with_columns(
        through=pl.format("{} {}", pl.lit(THROUGH), pl.col("through").fill_null("others"))
    )
    found = (
        pl.when(pl.col("linked").is_null())
        .then("through")
        .when("linked")
        .then(pl.lit(LINK))
        .otherwise(pl.lit(CANDIDATE))
    )
    return named.select("cluster", *PAIR, "confidence", found=found)


def find_middles(pairs: pl.DataFrame, considered: pl.DataFrame) -> pl.DataFrame:
    """Return for each pair the graphs that have an entity considered with both: `through`."""
    steps = pl.concat(
        considered.select(
            pl.col(ends[0]).alias("graph"),
            pl.col(ends[1]).alias("entity"),
            pl.col(ends[2]).alias("graph_middle"),
            pl.col(ends[3]).alias("middle"),
        )
        for ends in (PAIR, (*PAIR[2:], *PAIR[:2]))
    )
    middle, end = ["graph_middle", "middle"], ["graph", "entity"]
    return (
        pairs.select(PAIR)
        .join(steps, left_on=["graph_left", "left"], right_on=end)
        .join(steps, left_on=["graph_right", "right", *middle], right_on=[*end, *middle])
        .group_by(PAIR)
        .agg(pl.col("graph_middle").unique().sort().str.join(", ").alias("through"))
    )
