"""The links to export: seeds, and links above a confidence, with human-readable names."""

from __future__ import annotations

import polars as pl

from lighttea.errors import ConfigError
from lighttea.export.options import ExportFormat, ExportOptions
from lighttea.results.run import Run

SEED, LINK, REVIEW = "seed", "link", "review"


def links_to_export(run: Run, options: ExportOptions, form: ExportFormat) -> pl.DataFrame:
    """Return the columns of the run's links, origin, left_name and right_name; seeds first."""
    lowest = options.lowest_confidence(form)
    links = run.links.filter(pl.col("confidence") >= lowest).with_columns(origin=pl.lit(LINK))
    links = _keep_below_fdr(links, options.max_fdr)
    if not options.links_only:
        links = pl.concat([_seeds(run, links.schema), links])
    return with_entity_names(links, run)


def with_entity_names(links: pl.DataFrame, run: Run) -> pl.DataFrame:
    """Return links with left_name and right_name."""
    for side, names in (("left", run.names_left), ("right", run.names_right)):
        known = names_of_kind(names).rename({"id": side, "name": f"{side}_name"})
        links = links.join(known, on=side, how="left", maintain_order="left")
    return links


def _keep_below_fdr(links: pl.DataFrame, max_fdr: float) -> pl.DataFrame:
    """Return the links with at most this fdr; 1 keeps all, also those without one."""
    if max_fdr >= 1:
        return links
    if links["fdr"].null_count():
        raise ConfigError(
            "`max_fdr` needs calibrated confidence, and the links of this run have no fdr: the "
            "run used the preset paper or many_to_one, or an earlier lighttea wrote it; use "
            "`min_confidence`, or align again"
        )
    return links.filter(pl.col("fdr") <= max_fdr)


def names_of_kind(names: pl.DataFrame, kind: str = "entity") -> pl.DataFrame:
    """Return id and name of one kind; line breaks in names become spaces."""
    single_line = pl.col("name").str.replace_all(r"[\t\r\n]+", " ")
    return names.filter(pl.col("kind") == kind).select("id", single_line).unique("id", keep="first")


def _seeds(run: Run, schema: pl.Schema) -> pl.DataFrame:
    """Return the seeds as links of confidence 1, without a score."""
    given = {"confidence": pl.lit(1.0), "alarms": pl.lit(""), "origin": pl.lit(SEED)}
    columns = [
        pl.col(name) if name in ("left", "right") else given.get(name, pl.lit(None)).alias(name)
        for name in schema
    ]
    return run.seeds.select(columns).cast(dict(schema))  # type: ignore[arg-type]


def mark_identities(links: pl.DataFrame, sure_confidence: float) -> pl.Series:
    """Mark the links to export as identity: confident, and the only link of their left entity."""
    return (links["confidence"] >= sure_confidence) & links["left"].is_unique()
