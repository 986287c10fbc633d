"""What reviewers decided, joined to the links to export."""

from __future__ import annotations

import polars as pl

from lighttea.export.links import REVIEW, with_entity_names
from lighttea.results.run import Run

REVIEW_COLUMNS = {"verdict": pl.String, "reviewer": pl.String, "reviewed": pl.Date}


def with_reviews(
    links: pl.DataFrame, run: Run, reviews: pl.DataFrame | None
) -> tuple[pl.DataFrame, int]:
    """Return the links with verdict, reviewer and reviewed, the date; null where nobody decided.

    Pairs that a reviewer accepted or rejected and that are no links of the run follow, with the
    origin `review`. A link is left out where another right entity was accepted for its left one;
    the number of these comes second.
    """
    if reviews is None or reviews.is_empty():
        nothing = [pl.lit(None, dtype).alias(name) for name, dtype in REVIEW_COLUMNS.items()]
        return links.with_columns(nothing), 0
    decided = reviews.select(
        *("left", "right", "verdict", "reviewer"),
        reviewed=pl.col("at").str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False),
    )
    pairs = ["left", "right"]
    joined = links.join(decided, on=pairs, how="left", maintain_order="left")
    accepted = decided.filter(pl.col("verdict") == "accept")
    elsewhere = pl.col("left").is_in(accepted["left"].implode()) & pl.col("verdict").is_null()
    kept = joined.filter(~elsewhere)
    added = decided.join(links, on=pairs, how="anti", maintain_order="left")
    added = with_entity_names(added.with_columns(origin=pl.lit(REVIEW)), run)
    return pl.concat([kept, added], how="diagonal"), len(joined) - len(kept)
