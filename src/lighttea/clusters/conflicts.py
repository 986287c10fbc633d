"""Pairwise links that no cluster keeps, and what spoke against them."""

from __future__ import annotations

import polars as pl

from lighttea.clusters.origins import PAIR

_AGAINST = "the other members of the two clusters speak against it"


def find_conflicts(pairs: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """Return the links of `pairs` that are no links of clusters, the surest first.

    With both entities in one cluster, `graph` would have two entities there: `left_has`, which is
    with the left one or is it, and `right_has`, each with the chance that it is. They are null
    where no graph has two and the other pairs decided. `evidence` says it in words.
    """
    given_up = pairs.filter("linked").join(links, on=PAIR, how="anti")
    given_up = given_up.select(*PAIR, "confidence")
    left, right = (_company(given_up, links, side) for side in ("left", "right"))
    rivals = (
        left.join(right, on=[*PAIR, "graph"])
        .filter(pl.col("left_has") != pl.col("right_has"))
        .sort(
            pl.min_horizontal("left_confidence", "right_confidence"),
            *("graph", "left_has", "right_has"),
            descending=[True, False, False, False],
        )
        .unique(PAIR, keep="first", maintain_order=True)
    )
    return (
        given_up.join(rivals, on=PAIR, how="left")
        .with_columns(evidence=_evidence())
        .sort("confidence", *PAIR, descending=[True, False, False, False, False])
    )


def _company(given_up: pl.DataFrame, links: pl.DataFrame, side: str) -> pl.DataFrame:
    """Return all that one end of each link is with, itself too: its graph, its id, the chance."""
    has, chance = f"{side}_has", f"{side}_confidence"
    own = [f"graph_{side}", side]
    with_others = pl.concat(
        links.select(
            pl.col(ends[0]).alias(own[0]),
            pl.col(ends[1]).alias(own[1]),
            pl.col(ends[2]).alias("graph"),
            pl.col(ends[3]).alias(has),
            pl.col("confidence").alias(chance),
        )
        for ends in (PAIR, (*PAIR[2:], *PAIR[:2]))
    )
    ends = given_up.select(PAIR)
    itself = ends.with_columns(
        pl.col(own[0]).alias("graph"),
        pl.col(own[1]).alias(has),
        pl.lit(1.0, pl.Float32).alias(chance),
    )
    return pl.concat([itself, ends.join(with_others, on=own)], how="diagonal")


def _evidence() -> pl.Expr:
    """Return a sentence: which graph would have two entities in one cluster."""
    ends = [
        pl.when(pl.col(side) == pl.col(f"{side}_has"), pl.col(f"graph_{side}") == pl.col("graph"))
        .then(pl.col(side))
        .otherwise(
            pl.format(
                "{} (with {}, {})", f"{side}_has", side, pl.col(f"{side}_confidence").round(3)
            )
        )
        for side in ("left", "right")
    ]
    sentence = pl.format("{} would have two entities in one cluster: {} and {}", "graph", *ends)
    return pl.when(pl.col("graph").is_not_null()).then(sentence).otherwise(pl.lit(_AGAINST))
