"""Wikibase's statement layout: precisions of its dates, and files that only look like it."""

from __future__ import annotations

import polars as pl

from lighttea.graph.timeline import UNKNOWN
from lighttea.io.rdf.collect import Collector
from lighttea.io.rdf.dates import coarsen
from lighttea.io.rdf.tables import Tables
from lighttea.io.rdf.vocabulary import TIME_VALUE


def prepare_wikibase(tables: Tables) -> None:
    """Refine the dates of value nodes, and take claims for facts where they are no Wikibase's."""
    _refine_dates(tables)
    _take_claims_for_facts(tables)


def _refine_dates(tables: Tables) -> None:
    """Cut the dates to the precision of their value nodes where they have one."""
    number = tables.number_of(TIME_VALUE)
    if number == UNKNOWN:
        return
    full = tables.dates.filter(pl.col("predicate") == number)
    dates = tables.dates = tables.dates.filter(pl.col("predicate") != number)
    if full.is_empty() or tables.full_values.is_empty():
        return
    precisions = tables.collected.table("precisions")
    exact = (
        full.select(value="node", time="time")
        .join(precisions, on="value")
        .unique(maintain_order=True)
    )
    texts = list(tables.collected.times)
    times = [_coarse(tables.collected, texts[time], p) for _, time, p in exact.iter_rows()]
    exact = exact.with_columns(time=pl.Series(times, dtype=pl.Int32))
    refined = tables.full_values.join(exact, on="value")
    tables.counts["coarse times"] += int((refined["time"] == UNKNOWN).sum())
    rest = dates.join(refined, on=["node", "predicate"], how="anti", maintain_order="left")
    known = refined.filter(pl.col("time") != UNKNOWN).select(
        "node", "predicate", "time", graph=pl.lit(UNKNOWN, pl.Int32)
    )
    tables.dates = pl.concat([rest, known])


def _coarse(collected: Collector, text: str, precision: int) -> int:
    coarse = coarsen(text, precision)
    return UNKNOWN if coarse is None else collected.times[coarse]


def _take_claims_for_facts(tables: Tables) -> None:
    """Treat claims as facts where no statement node has a value: these are not Wikibase's."""
    claims = tables.claims
    if claims.is_empty() or len(tables.values) or len(tables.literal_values):
        return
    if tables.dates["node"].is_in(claims["node"].implode()).any():
        return
    unknown = pl.lit(UNKNOWN, pl.Int32)
    facts = claims.select("head", "relation", tail="node", graph=unknown)
    tables.facts = pl.concat([tables.facts, facts])
    tables.claims = claims.clear()
