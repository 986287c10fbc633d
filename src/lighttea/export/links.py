"""The links to export: those that are sure enough and the seeds, with the names people use."""

from __future__ import annotations

import polars as pl

from lighttea.export.options import ExportFormat, ExportOptions
from lighttea.results.run import Run

SEED, LINK = "seed", "link"


def links_to_export(run: Run, options: ExportOptions, form: ExportFormat) -> pl.DataFrame:
    """left, right, score, confidence, margin, origin, left_name, right_name; seeds first."""
    lowest = options.lowest_confidence(form)
    links = run.links.filter(pl.col("confidence") >= lowest).with_columns(origin=pl.lit(LINK))
    if not options.links_only:
        links = pl.concat([_seeds(run, links.schema), links])
    for side, names in (("left", run.names_left), ("right", run.names_right)):
        known = entity_names(names).rename({"id": side, "name": f"{side}_name"})
        links = links.join(known, on=side, how="left", maintain_order="left")
    return links


def entity_names(names: pl.DataFrame, kind: str = "entity") -> pl.DataFrame:
    """id and name, in one line each."""
    one_line = pl.col("name").str.replace_all(r"[\t\r\n]+", " ")
    return names.filter(pl.col("kind") == kind).select("id", one_line).unique("id", keep="first")


def _seeds(run: Run, schema: pl.Schema) -> pl.DataFrame:
    """The seeds as links of confidence 1 that nobody scored."""
    given = {"confidence": pl.lit(1.0), "origin": pl.lit(SEED)}
    columns = [
        pl.col(name) if name in ("left", "right") else given.get(name, pl.lit(None)).alias(name)
        for name in schema
    ]
    return run.seeds.select(columns).cast(dict(schema))  # type: ignore[arg-type]


def is_sure(links: pl.DataFrame, sure_confidence: float) -> pl.Series:
    """Which links may be called identity: sure ones of left entities that have no other link."""
    return (links["confidence"] >= sure_confidence) & links["left"].is_unique()
