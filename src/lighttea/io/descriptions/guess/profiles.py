"""What the values of a column look like: dates, years, numbers, names, ids, marks of nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from lighttea.errors import InputError
from lighttea.io.cells import CellRules, is_unknown_time
from lighttea.io.problems import Problems
from lighttea.io.tables import value_column
from lighttea.io.times import parse_instants

MARKS = (
    *("NA", "N/A", "n/a", "#N/A", "NULL", "null", "None", "nan", "NaN", "-", "--", "?", "\\N"),
    "9999-12-31",  # no end
)
_FORMATS = (
    *("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y"),
    *("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y"),
    *("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S"),
)
_TIME_WORDS = re.compile(
    r"year|season|date|time|since|until|start|begin|end|from|born|birth|died|death|found|debut",
    re.IGNORECASE,
)
_ID_WORDS = re.compile(r"(^|[^a-z])(id|key|code|uri|iri|url|qid)s?$|[a-z0-9](ID|Id|Key|Code)$")
_FEW = 20_000  # distinct values that are tried as dates


@dataclass(frozen=True)
class Column:
    """A column of a table and what its values look like."""

    name: str
    values: pl.Series  # distinct, without missing ones
    n_rows: int
    n_known: int
    is_list: bool = False
    is_number: bool = False
    is_time: bool = False
    date_formats: tuple[str, ...] = ()  # that fit all values, where no usual form does

    @property
    def is_unique(self) -> bool:
        """Whether every row has another value."""
        return not self.is_list and len(self.values) == self.n_known == self.n_rows

    @property
    def is_called_id(self) -> bool:
        """Whether the name is one of ids."""
        return bool(_ID_WORDS.search(self.name))


def find_marks(frames: Sequence[pl.DataFrame]) -> tuple[str, ...]:
    """Return the texts that stand for no value.

    Such a text stands between numbers or dates, or in several columns.
    """
    counts = dict.fromkeys(MARKS, 0)
    for frame in frames:
        for column in frame.get_columns():
            if column.dtype == pl.String:
                values = column.drop_nulls().str.strip_chars().unique()
                for mark in set(values.filter(values.is_in(list(MARKS)))):
                    others = values.filter(~values.is_in(["", *MARKS]))
                    counts[mark] += 2 if _is_numeric(others) or _are_times(others) else 1
    return tuple(mark for mark, count in counts.items() if count > 1)


def profile_column(column: pl.Series, rules: CellRules) -> Column:
    """Return what a column looks like once marks of missing values are gone."""
    is_list = isinstance(column.dtype, pl.List)
    flat = column.explode() if is_list else column
    try:
        value_column("", flat)
    except InputError:  # no texts, numbers or dates
        return Column(column.name, pl.Series(dtype=pl.String), len(column), 0)
    if is_list:
        members = value_column("", flat).drop_nulls()
        return Column(column.name, members.unique(), len(column), len(members), is_list=True)
    texts = rules.without_missing(value_column("", column))
    known = texts.drop_nulls()
    values = known.unique(maintain_order=True)
    is_number = _is_numeric(values)
    is_time, formats = _look_for_times(column, values, is_number=is_number)
    return Column(
        column.name,
        values,
        len(column),
        len(known),
        is_number=is_number and not is_time,
        is_time=is_time,
        date_formats=formats,
    )


def _look_for_times(
    column: pl.Series, values: pl.Series, *, is_number: bool
) -> tuple[bool, tuple[str, ...]]:
    """Return whether a column holds times, and the forms of dates that all of them have."""
    if column.dtype.is_temporal():
        return True, ()
    if values.is_empty() or len(values) > _FEW * 10:
        return False, ()
    sample = values.head(_FEW)
    if is_number:
        is_year = sample.str.contains(r"^(1[0-9]{3}|20[0-9]{2}|21[0-4][0-9])(\.0)?$").all()
        is_day = sample.str.contains(r"^[12][0-9]{7}$").all() and _are_times(sample)
        return bool(_TIME_WORDS.search(column.name)) and bool(is_year or is_day), ()
    if _are_times(sample):
        return True, ()
    formats = tuple(form for form in _FORMATS if _fits(sample, form))
    return bool(formats), formats


def _is_numeric(values: pl.Series) -> bool:
    return len(values) > 0 and values.cast(pl.Float64, strict=False).null_count() == 0


def _are_times(values: pl.Series) -> bool:
    """Whether all values are times in a usual form; texts for unknown ones are aside."""
    known = values.filter(~is_unknown_time(values))
    return len(known) > 0 and not parse_instants(known).problems


def _fits(values: pl.Series, form: str) -> bool:
    problems = Problems(strict=False)
    rows = pl.int_range(len(values), eager=True)
    CellRules(date_formats=(form,)).iso_times(values, rows, "", problems)
    return not problems.total
