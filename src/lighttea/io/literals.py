"""Conversion between tables of literals and the attributes of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from lighttea.graph.attributes import Attributes
from lighttea.graph.facts import Graph
from lighttea.graph.timeline import UNKNOWN, format_instants, ticks_of
from lighttea.types import Ints

XSD = "http://www.w3.org/2001/XMLSchema#"
WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"
# what a name or a text needs one of; white space is Python's, which counts \x1c to \x1f and
# polars does not
VISIBLE = r"[^\s\x1c-\x1f]"
_TEXTS = ("entity", "attribute", "value", "datatype", "language")
_LITERAL = ["value", "datatype", "language"]


def literal_rows(rows: Iterable[Sequence[str]]) -> pl.DataFrame:
    """Return rows of entity, attribute, value, datatype and language as a table."""
    return pl.DataFrame(list(rows), schema=dict.fromkeys(_TEXTS, pl.String), orient="row")


def with_literals(graph: Graph, literals: pl.DataFrame) -> Graph:
    """Return the graph with literals without time; the notes count those without text.

    `literals` has entity, attribute, value and, optionally, datatype and language. Literals of
    entities that the graph does not have are left out.
    """
    entities = pl.Series(graph.entities, dtype=pl.String)
    known = literals.filter(literals["entity"].is_in(entities.implode()))
    unknown = np.full(len(known), UNKNOWN, np.int32)
    attributes, notes = attributes_of(known, entities, unknown, unknown)
    return replace(graph, attributes=attributes, notes=(*graph.notes, *notes))


def attributes_of(
    literals: pl.DataFrame, entities: pl.Series, begin: Ints, end: Ints
) -> tuple[Attributes, tuple[str, ...]]:
    """Return the attributes of a table of literals, and notes on what was left out.

    Literals without text are left out; equal ones count once. `begin` and `end` are codes of
    instants.
    """
    if literals.is_empty():
        return Attributes(), ()
    rows = literals.select(
        pl.Series("entity", codes_of(literals["entity"], entities)),
        *("attribute", "value"),
        *(_optional_text(literals, column) for column in ("datatype", "language")),
        pl.Series("begin", begin, pl.Int32),
        pl.Series("end", end, pl.Int32),
    )
    kept = rows.filter(pl.col("value").fill_null("").str.contains(VISIBLE))
    distinct = kept.unique(maintain_order=True)
    n_empty, n_repeated = len(rows) - len(kept), len(kept) - len(distinct)
    notes = [f"{n_empty:,} empty literals left out"] * bool(n_empty)
    notes += [f"{n_repeated:,} duplicate literals, counted once"] * bool(n_repeated)
    return _number_literals(distinct), tuple(notes)


def merge_attributes(parts: Iterable[tuple[Attributes, Ints]]) -> Attributes:
    """Return the attributes of the parts of a graph as one; equal literals count once.

    Each part comes with the codes of its instants in the whole graph; entities have these numbers.
    """
    frames = [_coded_frame(attributes, code) for attributes, code in parts if len(attributes)]
    if not frames:
        return Attributes()
    return _number_literals(pl.concat(frames).unique(maintain_order=True))


def frame_of_attributes(graph: Graph) -> pl.DataFrame:
    """Return entity, attribute, value, datatype, language, begin and end of each literal, as text.

    Where there is no datatype, no language or no known time, the cell is null.
    """
    coded = _coded_frame(graph.attributes, np.arange(len(graph.instants), dtype=np.int32))
    entities = pl.Series(graph.entities, dtype=pl.String)
    times = pl.Series(format_instants(graph.instants), dtype=pl.String)
    return coded.with_columns(
        pl.col("datatype", "language").replace("", None),
        entity=entities.gather(coded["entity"]),
        begin=decode_times(coded["begin"], times),
        end=decode_times(coded["end"], times),
    )


def decode_times(codes: pl.Series, times: pl.Series) -> pl.Series:
    """Return the texts of instants by their codes; null for unknown."""
    return times.gather(codes.replace(UNKNOWN, None))


def codes_of(values: pl.Series, names: pl.Series) -> Ints:
    """Return the place of each value in names; null is -1."""
    if names.is_empty():
        return np.full(len(values), UNKNOWN, np.int32)
    places = values.cast(pl.Enum(names)).to_physical().cast(pl.Int32)
    return places.fill_null(UNKNOWN).to_numpy().astype(np.int32)


def _optional_text(table: pl.DataFrame, column: str) -> pl.Expr:
    """Return a column without nulls; empty where the table does not have it."""
    given = pl.col(column).fill_null("") if column in table.columns else pl.lit("")
    return given.str.strip_chars().alias(column)


def _coded_frame(attributes: Attributes, code: Ints) -> pl.DataFrame:
    """Return literals as text, with numbers of entities and the given codes of instants."""
    number = attributes.attribute, *(attributes.value,) * 3
    texts = attributes.names, attributes.texts, attributes.datatypes, attributes.languages
    columns = (pl.Series(column, dtype=pl.String) for column in texts)
    return pl.DataFrame(
        {
            "entity": pl.Series(attributes.entity, dtype=pl.Int32),
            **{
                name: column.gather(places)
                for name, column, places in zip(_TEXTS[1:], columns, number, strict=True)
            },
            "begin": pl.Series(ticks_of(attributes.begin, code), dtype=pl.Int32),
            "end": pl.Series(ticks_of(attributes.end, code), dtype=pl.Int32),
        }
    )


def _number_literals(rows: pl.DataFrame) -> Attributes:
    """Return literals, whose entities and times are numbers already, sorted by entity."""
    rows = rows.sort("entity", maintain_order=True)
    names = rows["attribute"].unique(maintain_order=True)
    distinct = rows.select(_LITERAL).unique(maintain_order=True)
    numbered = distinct.with_row_index("number")
    value = rows.join(numbered, on=_LITERAL, how="left", maintain_order="left")["number"]
    return Attributes(
        entity=rows["entity"].to_numpy(),
        attribute=codes_of(rows["attribute"], names),
        value=value.cast(pl.Int32).to_numpy(),
        begin=rows["begin"].to_numpy(),
        end=rows["end"].to_numpy(),
        names=names.to_list(),
        texts=distinct["value"].to_list(),
        datatypes=distinct["datatype"].to_list(),
        languages=distinct["language"].to_list(),
    )
