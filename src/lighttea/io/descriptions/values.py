"""Columns from values of Python whose types may differ: those of databases and of JSON."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

_LARGEST = 2**63 - 1
_TYPED = (int, float, bool, datetime.date, datetime.datetime)


def column_of_values(values: Sequence[Any]) -> pl.Series:
    """Return a column: typed where all values have one type, lists of texts, or else texts."""
    known = [value for value in values if value is not None]
    kinds = {type(value) for value in known}
    if list in kinds:
        return pl.Series([_texts(value) for value in values], dtype=pl.List(pl.String))
    if kinds == {int, float}:
        kinds = {float}
    if len(kinds) == 1 and kinds <= set(_TYPED) and not _is_odd(known):
        return pl.Series(values, strict=False)
    return pl.Series([text_of_value(value) for value in values], dtype=pl.String)


def text_of_value(value: Any) -> str | None:
    """Return a value as text that can be written as UTF-8; None for no value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, datetime.datetime) and value.tzinfo:
        in_utc = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return in_utc.isoformat(timespec="seconds")  # four digits of a year
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _texts(value: Any) -> list[str] | None:
    if value is None:
        return None
    members = value if isinstance(value, list) else [value]
    return [text for text in map(text_of_value, members) if text is not None]


def _is_odd(values: Iterable[Any]) -> bool:
    """Whether a value does not fit into a typed column: a huge number, a time with a zone."""
    return any(
        (type(value) is int and abs(value) > _LARGEST) or getattr(value, "tzinfo", None)
        for value in values
    )
