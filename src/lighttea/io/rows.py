"""Frames of objects in memory: pandas and polars frames, Arrow streams, tuples, mappings."""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError

EXPECTED_ROW = "(head, relation, tail), with a time, or with a begin and an end"
_ROW = ("head", "relation", "tail")


def frame_of_columns(table: Any, name: str) -> pl.DataFrame | None:
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
        converted[column] = column_of(values, name, column)
    return pl.DataFrame(converted)


def peek(rows: Any) -> tuple[Any, Iterable[Any]]:
    """Return the first row, None where there is none, and all rows."""
    remaining = iter(rows)
    first = list(itertools.islice(remaining, 1))
    return (first[0] if first else None), itertools.chain(first, remaining)


def frame_of_mappings(rows: Iterable[Any], name: str) -> pl.DataFrame:
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
    return pl.DataFrame(
        {column: column_of(values, name, column) for column, values in cells.items()}
    )


def frame_of_rows(rows: Iterable[Any], name: str) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the rows as a frame, and the column of each role."""
    cells: dict[str, list[Any]] = {role: [] for role in (*_ROW, "time", "begin", "end")}
    problems = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Sequence) or isinstance(row, str) or not 3 <= len(row) <= 5:
            problems.append(f"{name}:{number}: expected {EXPECTED_ROW}, found {row!r:.200}")
            continue
        whole = [*row, *[None] * (5 - len(row))]
        time = [whole[3], None, None] if len(row) == 4 else [None, *whole[3:]]
        for column, cell in zip(cells.values(), [*whole[:3], *time], strict=True):
            column.append(cell)
    if problems:
        raise InputError.of_many(problems)
    if not cells["head"]:
        raise InputError(f"{name}: there is no row; each is {EXPECTED_ROW}")
    frame = pl.DataFrame({role: column_of(values, name, role) for role, values in cells.items()})
    return frame, {role: role for role in cells}


def column_of(values: list[Any], name: str, column: str) -> pl.Series:
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
            texts.append(text_of(value))
        except (TypeError, UnicodeEncodeError):
            problems.append(
                f"{name}:{number}: {column} must be text, a number or a date; found {value!r:.200}"
            )
            if len(problems) == SHOWN_PROBLEMS:
                break
    if problems:
        raise InputError.of_many(problems)
    return pl.Series(column, texts, dtype=pl.String)


def text_of(value: Any) -> str | None:
    """Return a value as text, written as in a typed column."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, datetime.datetime):
        in_utc = value.astimezone(datetime.UTC) if value.tzinfo else value
        return in_utc.replace(tzinfo=None).isoformat(timespec="seconds")  # four digits of a year
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(type(value))
    str(value).encode()  # a lone half of a UTF-16 pair is an error
    return str(value)
