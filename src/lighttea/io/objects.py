"""Graphs, links and types from objects in memory: frames, Arrow tables, rows."""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import (
    FACT_ROLES,
    PRESET,
    ColumnChoice,
    Roles,
    find_layout,
    parse_columns,
)
from lighttea.io.frames import graph_of_frame
from lighttea.io.tables import frame_of_table, text_column

_ROW = ("head", "relation", "tail")
_EXPECTED = "(head, relation, tail), with a time, or with a begin and an end"


class ArrowStream(Protocol):
    """Any table that offers the Arrow PyCapsule interface: polars, pyarrow, pandas with it, ..."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with a stream of record batches."""
        ...


TableSource: TypeAlias = ArrowStream | pl.LazyFrame | Iterable[Any]
GraphSource: TypeAlias = Graph | TableSource


def graph_from(
    table: GraphSource, *, columns: Mapping[str, str] | str | None = None, name: str = "table"
) -> Graph:
    """Return a graph from a pandas or polars frame, an Arrow table, or an iterable of rows.

    Columns are found as in a file: by their usual names, or as `columns` says. A row is a tuple
    (head, relation, tail), (head, relation, tail, time) or (head, relation, tail, begin, end), or
    all rows are mappings from names of columns to values. `name` is what messages call the table.
    A graph is returned as it is.
    """
    if isinstance(table, Graph):
        return table
    _refuse_path(table, name, "read_graph")
    if isinstance(columns, str):
        columns = parse_columns(columns)
    if columns and PRESET in columns:
        raise InputError(f"{name}: the preset {columns[PRESET]} is for files; name the columns")
    frame = _frame_of(table, name)
    if frame is None:
        _refuse_non_rows(table, name)
        first, rows = _peek(table)
        if isinstance(first, Mapping):
            frame = _from_mappings(rows, name)
        elif columns:
            raise InputError(f"{name}: rows have no named columns; each is {_EXPECTED}")
        else:
            frame, columns = _from_rows(rows, name)
    choice = ColumnChoice.of(columns or {})
    facts, notes = frame_of_table(frame, name, choice.columns, FACT_ROLES)
    facts, more_notes = choice.apply(facts, name)
    return graph_of_frame(facts, source=name, notes=(*notes, *more_notes))


def frame_from(table: TableSource, name: str) -> pl.DataFrame:
    """Return a pandas or polars frame, an Arrow table or an iterable of mappings as a frame."""
    _refuse_path(table, name, "read_graph")
    frame = _frame_of(table, name)
    if frame is not None:
        return frame
    _refuse_non_rows(table, name)
    first, rows = _peek(table)
    if not isinstance(first, Mapping):
        raise InputError(f"{name}: rows need names; expected mappings, found {first!r:.200}")
    return _from_mappings(rows, name)


def pairs_from(table: TableSource, roles: Roles, *, noun: str) -> pl.DataFrame:
    """Return two text columns, called as the two roles, and `place`: where each row comes from.

    `table` is a pandas or polars frame, an Arrow table or an iterable of couples. Columns are found
    by the names of the roles or by their usual names. Where a frame has the columns `line` and
    `source`, they are the place of a row; elsewhere it is the number of the row. `noun` is what
    messages call a row.
    """
    _refuse_path(table, f"{noun}s", "read_types" if "type" in roles else "read_links")
    frame = _frame_of(table, f"{noun}s")
    if frame is None:
        frame = _frame_of_couples(table, roles, noun)
    columns = _pair_columns(frame.columns, roles, noun)
    texts = {role: text_column(f"{noun}s", frame[column]) for role, column in columns.items()}
    pairs = pl.DataFrame({**texts, "place": _places(frame, set(columns.values()), noun)})
    empty = pairs.filter(pl.any_horizontal(pl.col(*roles).fill_null("") == ""))
    if len(empty):
        advice = f"{' and '.join(roles)} must not be empty"
        shown = empty["place"].head(SHOWN_PROBLEMS)
        raise InputError.of_many([f"{place}: {advice}" for place in shown], total=len(empty))
    return pairs


def _pair_columns(names: Sequence[str], roles: Roles, noun: str) -> dict[str, str]:
    """Return the column of each role."""
    if set(roles) <= set(names):
        return {role: role for role in roles}
    layout = find_layout(f"{noun}s", names, {}, roles)
    if layout is None:
        needed = " and ".join(roles)
        raise InputError(f"{noun}s need columns {needed}; found: {', '.join(names)}")
    return {role: names[number] for role, number in layout.columns.items()}


def _places(frame: pl.DataFrame, used: set[str], noun: str) -> pl.Series:
    """Return file and line of each row where the frame has them, else its noun and number."""
    known = {"line", "source"} & set(frame.columns) - used
    number = frame["line"] if "line" in known else pl.int_range(1, len(frame) + 1, eager=True)
    form = "{source}:{line}" if "source" in known else "{noun} at line {line}"
    form = form if known else "{noun} {line}"
    sources = frame["source"] if "source" in known else [""] * len(frame)
    places = [
        form.format(source=source, noun=noun, line=line)
        for source, line in zip(sources, number, strict=True)
    ]
    return pl.Series(places, dtype=pl.String)


def _frame_of_couples(rows: Any, roles: Roles, noun: str) -> pl.DataFrame:
    """Return couples as a frame with a column for each of the two roles."""
    _refuse_non_rows(rows, f"{noun}s")
    expected = f"a {noun} is a couple ({', '.join(roles)})"
    cells: list[Sequence[Any]] = []
    problems = []
    for number, row in enumerate(rows, 1):
        couple = row.tolist() if hasattr(row, "tolist") else row
        if isinstance(couple, Sequence) and not isinstance(couple, str) and len(couple) == 2:
            cells.append(couple)
        else:
            problems.append(f"{noun} {number}: {expected}, found {row!r:.200}")
    if problems:
        raise InputError.of_many(problems)
    columns = zip(*cells, strict=True) if cells else ((), ())
    return pl.DataFrame(
        {
            role: _series(list(values), noun, role)
            for role, values in zip(roles, columns, strict=True)
        }
    )


def _refuse_path(table: Any, name: str, reader: str) -> None:
    if isinstance(table, str | bytes) or hasattr(table, "__fspath__"):
        raise InputError(f"{name}: expected a table, found {table!r}; read a file with {reader}")


def _refuse_non_rows(rows: Any, name: str) -> None:
    if isinstance(rows, Mapping) or not isinstance(rows, Iterable):
        raise InputError(
            f"{name}: expected a frame, an Arrow table or an iterable of rows, "
            f"found {type(rows).__name__}"
        )


def _frame_of(table: Any, name: str) -> pl.DataFrame | None:
    """Return the table as a polars frame; None where it has no named columns."""
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
    converted = {}
    for number, column in enumerate(columns):
        series = frame.iloc[:, number]
        values = [
            None if missing else value
            for value, missing in zip(series.tolist(), series.isna().tolist(), strict=True)
        ]
        converted[column] = _series(values, name, column)
    return pl.DataFrame(converted)


def _peek(rows: Any) -> tuple[Any, Iterable[Any]]:
    """Return the first row, None where there is none, and all rows."""
    remaining = iter(rows)
    first = list(itertools.islice(remaining, 1))
    return (first[0] if first else None), itertools.chain(first, remaining)


def _from_mappings(rows: Iterable[Any], name: str) -> pl.DataFrame:
    """Return rows with named columns as a frame; a column that a row does not have is null."""
    cells: dict[str, list[Any]] = {}
    problems = []
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            expected = "expected a mapping as in the rows above"
            problems.append(f"{name}:{number + 1}: {expected}, found {row!r:.200}")
            continue
        own = {str(column): cell for column, cell in row.items()}
        for column in own:
            cells.setdefault(column, [None] * number)
        for column, values in cells.items():
            values.append(own.get(column))
    if problems:
        raise InputError.of_many(problems)
    return pl.DataFrame({column: _series(values, name, column) for column, values in cells.items()})


def _from_rows(rows: Iterable[Any], name: str) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the rows as a frame, and the column of each role."""
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
    """Return a column; values of different types become text."""
    try:
        series = pl.Series(column, values, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        series = None
    if series is not None and series.dtype != pl.Object:
        return series
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
    """Return a value as text, written as in a typed column."""
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
    str(value).encode()  # a lone half of a UTF-16 pair is an error
    return str(value)
