"""Graphs from objects in memory: frames, Arrow tables, rows."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import FACT_ROLES, PRESET, checked_columns, parse_columns
from lighttea.io.frames import graph_of_frame
from lighttea.io.tables import frame_of_table

_ROW = ("head", "relation", "tail")
_EXPECTED = "(head, relation, tail), with a time, or with a begin and an end"


class ArrowStream(Protocol):
    """Any table that offers the Arrow PyCapsule interface: polars, pyarrow, pandas with it, ..."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with a stream of record batches."""
        ...


GraphSource: TypeAlias = Graph | ArrowStream | pl.LazyFrame | Iterable[Any]


def graph_from(
    table: GraphSource, *, columns: Mapping[str, str] | str | None = None, name: str = "table"
) -> Graph:
    """A graph from a pandas or polars frame, an Arrow table, or an iterable of rows.

    Columns are found as in a file: by their usual names, or as `columns` says. A row is a tuple
    (head, relation, tail), (head, relation, tail, time) or (head, relation, tail, begin, end).
    `name` is what messages call the table. A graph stays what it is.
    """
    if isinstance(table, Graph):
        return table
    if isinstance(table, str | bytes) or hasattr(table, "__fspath__"):
        raise InputError(f"{name}: expected a table, found {table!r}; read a file with read_graph")
    if isinstance(columns, str):
        columns = parse_columns(columns)
    if columns and PRESET in columns:
        raise InputError(f"{name}: the preset {columns[PRESET]} is for files; name the columns")
    frame = _frame(table, name)
    if frame is None:
        if columns:
            raise InputError(f"{name}: rows have no named columns; each is {_EXPECTED}")
        frame, columns = _from_rows(table, name)
    facts, notes = frame_of_table(frame, name, checked_columns(columns or {}), FACT_ROLES)
    return graph_of_frame(facts, source=name, notes=notes)


def _frame(table: Any, name: str) -> pl.DataFrame | None:
    """The table as a polars frame; None where it is no table of named columns."""
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if hasattr(table, "iloc") and hasattr(table, "columns"):  # pandas, with or without pyarrow
        return _from_pandas(table, name)
    if hasattr(table, "__arrow_c_stream__"):
        return pl.DataFrame(table)
    if hasattr(table, "__dataframe__"):
        raise InputError(
            f"{name}: {type(table).__name__} offers no Arrow stream (__arrow_c_stream__); "
            "turn it into a pandas or polars frame first"
        )
    return None


def _from_pandas(frame: Any, name: str) -> pl.DataFrame:
    columns = [str(column) for column in frame.columns]
    if len(set(columns)) < len(columns):
        raise InputError(f"{name}: two columns have the same name: {', '.join(columns)}")
    made = {}
    for number, column in enumerate(columns):
        series = frame.iloc[:, number]
        values = [
            None if missing else value
            for value, missing in zip(series.tolist(), series.isna().tolist(), strict=True)
        ]
        made[column] = _series(values, name, column)
    return pl.DataFrame(made)


def _from_rows(rows: Any, name: str) -> tuple[pl.DataFrame, dict[str, str]]:
    """The rows as a frame, and the columns to take of it."""
    if isinstance(rows, Mapping) or not isinstance(rows, Iterable):
        raise InputError(
            f"{name}: expected a frame, an Arrow table or an iterable of rows, "
            f"found {type(rows).__name__}"
        )
    cells: dict[str, list[Any]] = {role: [] for role in (*_ROW, "time", "begin", "end")}
    problems = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Sequence) or isinstance(row, str) or not 3 <= len(row) <= 5:
            problems.append(f"{name}:{number}: expected {_EXPECTED}, found {row!r:.200}")
            continue
        whole = [*row, *[None] * (5 - len(row))]
        time = [whole[3], None, None] if len(row) == 4 else [None, *whole[3:]]
        for column, cell in zip(cells.values(), [*whole[:3], *time], strict=True):
            column.append(cell)
    if problems:
        raise InputError.of_many(problems)
    if not cells["head"]:
        raise InputError(f"{name}: there is no row; each is {_EXPECTED}")
    frame = pl.DataFrame({role: _series(values, name, role) for role, values in cells.items()})
    return frame, {role: role for role in cells}


def _series(values: list[Any], name: str, column: str) -> pl.Series:
    """A column; where its values differ in kind, each as text."""
    try:
        made = pl.Series(column, values, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        made = None
    if made is not None and made.dtype != pl.Object:
        return made
    problems = []
    texts: list[str | None] = []
    for number, value in enumerate(values, 1):
        try:
            texts.append(_text(value))
        except (TypeError, UnicodeEncodeError):
            problems.append(
                f"{name}:{number}: {column} must be text, a number or a date; found {value!r:.200}"
            )
            if len(problems) == SHOWN_PROBLEMS:
                break
    if problems:
        raise InputError.of_many(problems)
    return pl.Series(column, texts, dtype=pl.String)


def _text(value: Any) -> str | None:
    """One value as text, written as the same value in a typed column is."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, datetime.datetime):
        in_utc = value.astimezone(datetime.UTC) if value.tzinfo else value
        return in_utc.strftime("%Y-%m-%dT%H:%M:%S")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(type(value))
    str(value).encode()  # half a character of UTF-16 is none: an error
    return str(value)
