"""Dates that only their place gives away: plain texts, and times of statements by name."""

from __future__ import annotations

import re

import polars as pl

from lighttea.graph.attributes import STRING
from lighttea.io.rdf.tables import Tables
from lighttea.io.rdf.time_predicates import SPANS, local_name
from lighttea.io.rdf.vocabulary import LABELS
from lighttea.types import Bools

_ENOUGH = 5  # values, where each alone could be something else
_DAY = r"^[+-]?\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$"
_DATE = r"^[+-]?\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?)?)?)?(?:Z|[+-]\d\d:\d\d)?$"
_SOUNDS_LIKE_A_DATE = re.compile(r"date|year|born|birth|died|death|founded|established", re.I)


def with_roles(tables: Tables, dates: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the role that their predicate has for a statement, or null."""
    return dates.with_columns(tables.statement_roles().gather(dates["predicate"]).alias("role"))


def find_untyped_dates(tables: Tables) -> list[str]:
    """Turn texts that are dates into dates; return the predicates that have them.

    All values of such a predicate are dates: days, or at least five months or years.
    """
    rows = _likely_dates(tables)
    if rows.is_empty():
        return []
    texts = tables.collected.literal_texts(rows["tail"])
    times = tables.collected.times_of_literals(rows["tail"])
    rows = rows.join(texts, on="tail", maintain_order="left").join(
        times, on="tail", how="left", maintain_order="left"
    )
    plain = (pl.col("datatype") == STRING) & pl.col("text").str.strip_chars().str.contains(_DATE)
    judged = rows.group_by("relation", maintain_order=True).agg(
        all_dates=(plain & pl.col("time").is_not_null()).all(),
        share_of_days=pl.col("text").str.strip_chars().str.contains(_DAY).mean(),
        shortest=pl.col("text").str.strip_chars().str.len_chars().min(),
        count=pl.len(),
    )
    names = list(tables.collected.predicates)
    chosen = [
        row["relation"]
        for row in judged.rows(named=True)
        if row["all_dates"] and _are_dates(names[row["relation"]], row)
    ]
    dates = rows.filter(pl.col("relation").is_in(chosen))
    tables.add_dates(dates.select("time", "graph", node="head", predicate="relation"))
    tables.literals = tables.literals.filter(~pl.col("relation").is_in(chosen))
    tables.recognised["untyped dates"] += len(dates)
    return [names[number] for number in chosen]


def _likely_dates(tables: Tables) -> pl.DataFrame:
    """Return the literals of the predicates whose first value looks like a date."""
    labels = tables.numbers_of(LABELS)
    first = tables.literals.unique("relation", keep="first", maintain_order=True)
    first = first.filter(~pl.col("relation").is_in(labels))
    texts = tables.collected.literal_texts(first["tail"])
    alike = texts.filter(pl.col("text").str.strip_chars().str.contains(_DATE))["tail"]
    likely = first.filter(pl.col("tail").is_in(alike.implode()))["relation"]
    return tables.literals.filter(pl.col("relation").is_in(likely.implode()))


def _are_dates(predicate: str, judged: dict[str, float]) -> bool:
    """Whether texts that could all be dates are meant as such."""
    if judged["share_of_days"] >= 0.5:
        return True
    has_years = judged["shortest"] <= 5
    sounds_like_one = _SOUNDS_LIKE_A_DATE.search(local_name(predicate)) is not None
    return judged["count"] >= _ENOUGH and (sounds_like_one or not has_years)


def literal_times(tables: Tables) -> pl.DataFrame:
    """Return the literals that would say a time of a statement: node, predicate, time, tail."""
    numbers = tables.statement_roles().is_not_null().arg_true()
    rows = tables.literals.filter(pl.col("relation").is_in(numbers.implode()))
    times = tables.collected.times_of_literals(rows["tail"])
    named = rows.select("tail", "graph", node="head", predicate="relation")
    return named.join(times, on="tail", maintain_order="left")


def add_literal_times(tables: Tables, statements: Bools) -> None:
    """Turn literals of statements that say a time into dates and spans."""
    times = literal_times(tables)
    times = times.filter(statements[times["node"].to_numpy()])
    tables.add_dates(times)
    _take_out(tables, times)
    _add_literal_spans(tables, statements)


def _take_out(tables: Tables, used: pl.DataFrame) -> None:
    keys = used.select("tail", head="node", relation="predicate").unique()
    if len(keys):
        tables.literals = tables.literals.join(
            keys, on=keys.columns, how="anti", maintain_order="left"
        )


def _add_literal_spans(tables: Tables, statements: Bools) -> None:
    """Add the periods that statements have as texts."""
    rows = tables.literals.filter(pl.col("relation").is_in(tables.numbers_of(SPANS))).rename(
        {"head": "node", "relation": "predicate"}
    )
    rows = rows.filter(statements[rows["node"].to_numpy()])
    if rows.is_empty():
        return
    texts = tables.collected.literal_texts(rows["tail"])
    parts = [bounds_of_text(text) for text in texts["text"]]
    places = tables.collected.time_places([t for ends in parts for t in ends], count_odd=False)
    begin, end = ([places[ends[side]] for ends in parts] for side in (0, 1))
    spans = texts.select("tail", begin=pl.Series(begin), end=pl.Series(end))
    spans = rows.join(spans, on="tail").filter(pl.max_horizontal("begin", "end") >= 0)
    tables.add_spans(spans)
    _take_out(tables, spans)


def bounds_of_text(text: str) -> tuple[str, str]:
    """Return begin and end of a period that is written as text; empty where one is not said.

    "start=1990; end=1995" is Dublin Core's, "1990/1995" that of ISO 8601.
    """
    if "=" in text:
        bounds = dict(part for part in map(_split_bound, text.split(";")) if part)
        return bounds.get("start", ""), bounds.get("end", "")
    begin, slash, end = text.strip().partition("/")
    return (begin, end) if slash else (begin, begin)


def _split_bound(part: str) -> tuple[str, str] | None:
    name, _, value = part.partition("=")
    return (name.strip().lower(), value.strip()) if value else None
