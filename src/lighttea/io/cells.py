"""What a cell of a table says: no value where it holds a mark for that, and times in other forms.

`missing` are texts that stand for no value; `date_formats` are forms of dates as Python's
`strptime` takes them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.io.problems import Problems
from lighttea.io.times import UNKNOWN_TEXTS, parse_instants

NA = "NA"  # how R writes a missing value; in times it is understood without being told
_PLAIN = re.compile(r"[+-]?\d{4}(?:-\d{1,2}(?:-\d{1,2}(?:[T ].*)?)?)?", re.ASCII)
_YEARS, _MONTHS, _DAYS, _HOURS = "YyG", "mbB", "dj", "HI"  # directives of strptime
_WHOLE = {"c": "YmdH", "x": "Ymd", "D": "Ymd", "F": "Ymd"}  # directives that stand for several


@dataclass(frozen=True)
class CellRules:
    """Marks of missing values, and forms of dates beside the usual ones."""

    missing: tuple[str, ...] = ()
    date_formats: tuple[str, ...] = ()

    def without_missing(self, column: pl.Series) -> pl.Series:
        """Return a column of texts with null where a cell is blank or a mark of a missing value."""
        bare = column.str.strip_chars()
        return column.set(bare.is_in(["", *self.missing]).fill_null(value=True), None)

    def iso_times(
        self, column: pl.Series, lines: pl.Series, where: str, problems: Problems
    ) -> pl.Series:
        """Return times as texts in a usual form, null for unknown ones.

        Those that are not understood become problems.
        """
        texts = column.str.strip_chars()
        texts = texts.set(is_unknown_time(texts) | (texts == NA), None)
        known = texts.drop_nulls().unique(maintain_order=True)
        readings: dict[str, str] = {}
        bad = self._add_readings(known.to_list(), readings)
        if bad:
            _add_problems(texts, lines, where, column.name, bad, problems)
        return texts.replace(readings) if readings else texts

    def iso_time(self, text: str) -> tuple[str, str | None]:
        """Return one time in a usual form, and what is wrong with it."""
        readings: dict[str, str] = {}
        bad = self._add_readings([text], readings)
        return readings.get(text, text), bad.get(text)

    def _add_readings(self, texts: Sequence[str], readings: dict[str, str]) -> dict[str, str]:
        """Add texts in the forms of `date_formats` and their usual form; return the problems."""
        if not self.date_formats:
            return parse_instants(texts).problems
        others = []
        for text in texts:
            reading = read_date(text, self.date_formats)
            if reading is not None:
                readings[text] = reading
            else:
                others.append(text)
        bad = parse_instants(text for text in others if _PLAIN.fullmatch(text)).problems
        forms = " or ".join(repr(form) for form in self.date_formats)
        expected = f"does not match date_format {forms} and is no year or ISO date"
        return bad | {
            text: f"time {text!r:.80} {expected}" for text in others if not _PLAIN.fullmatch(text)
        }


def is_unknown_time(texts: pl.Series) -> pl.Series:
    """Mark the texts, without blanks around them, that stand for an unknown time."""
    return texts.str.to_lowercase().is_in(list(UNKNOWN_TEXTS))


def note_na(count: int, columns: Iterable[str]) -> tuple[str, ...]:
    """Return a note on times that R wrote as missing."""
    named = ", ".join(columns)
    note = f"{count:,} times in {named} are NA, as R writes missing values; taken as unknown"
    return (note,) * bool(count)


def _add_problems(
    texts: pl.Series,
    lines: pl.Series,
    where: str,
    column: str,
    bad: dict[str, str],
    problems: Problems,
) -> None:
    is_bad = texts.is_in(list(bad)).fill_null(value=False)
    first = zip(lines.filter(is_bad), texts.filter(is_bad).head(SHOWN_PROBLEMS), strict=False)
    problems.add_many(
        [f"{where}:{line}: column {column!r}: {bad[text]}" for line, text in first],
        total=int(is_bad.sum()),
    )


def check_date_formats(formats: Iterable[str]) -> list[str]:
    """Return what is wrong with forms of dates."""
    problems = []
    for form in formats:
        signs = _directives(form)
        if not signs & set(_YEARS):
            problems.append(f"{form!r} has no year (%Y)")
            continue
        try:
            day = datetime.datetime(2001, 3, 4, tzinfo=datetime.UTC)
            datetime.datetime.strptime(day.strftime(form), form)
        except (ValueError, re.error) as error:
            problems.append(f"{form!r} cannot be used: {error}")
    return problems


def _directives(form: str) -> set[str]:
    signs = re.findall(r"%[-#]?(.)", form, flags=re.S)
    return {part for sign in signs for part in _WHOLE.get(sign, sign)}


def read_date(text: str, formats: Iterable[str]) -> str | None:
    """Return a text in the first form that it fits as an ISO date; None where it fits none."""
    for form in formats:
        try:
            return _iso_text(datetime.datetime.strptime(text, form), _directives(form))
        except (ValueError, OverflowError):  # the latter at the ends of time, by its zone
            continue
    return None


def _iso_text(moment: datetime.datetime, signs: set[str]) -> str:
    """Return a moment, as exactly as the form that it was read by tells it."""
    if signs & set(_HOURS):
        in_utc = moment.astimezone(datetime.UTC) if moment.tzinfo else moment
        return f"{in_utc.year:04}-{in_utc:%m-%dT%H:%M:%S}"
    if signs & set(_DAYS):
        return f"{moment.year:04}-{moment:%m-%d}"
    return f"{moment.year:04}-{moment:%m}" if signs & set(_MONTHS) else f"{moment.year:04}"


def read_formats(value: str | Sequence[str]) -> tuple[str, ...]:
    """Return forms of dates; raise an error where one cannot be used."""
    formats = (value,) if isinstance(value, str) else tuple(value)
    if problems := check_date_formats(formats):
        raise InputError.of_many([f"columns: date_format {problem}" for problem in problems])
    return formats
