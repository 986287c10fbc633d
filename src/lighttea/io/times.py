"""Texts to instants: years, months, days and seconds of any year, also before Christ.

Years are counted as in ISO 8601 and XML Schema 1.1: 0000 is 1 BC, -0044 is 45 BC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lighttea.graph.calendar import DAY, civil_from_days, days_from_civil
from lighttea.graph.timeline import Grain, Instants

UNKNOWN_TEXTS = frozenset(
    {
        *("", "~", "-inf", "inf", "+inf", "null", "none", "nan", "nat", "<na>", "unknown", ".."),
        *("####-##-##", "xxxx-xx-xx", "0000-00-00", "0000-00-00 00:00:00", "00000000"),
    }
)
EXPECTED = "a year, YYYY-MM, YYYY-MM-DD, YYYY.MMDD, YYYYMMDD, DD.MM.YYYY or YYYY-MM-DDTHH:MM:SS"
_SHOWN = 80  # characters of a text in a message

_ZONE = r"Z|[+-]\d{2}:\d{2}"
_YEAR = re.compile(rf"([+-]?\d{{1,7}})(?:{_ZONE})?", re.ASCII)
_ERA = re.compile(r"(\d{1,7}) ?(?:(bce?|b\.c\.(?:e\.)?)|ad|ce|a\.d\.|c\.e\.)", re.ASCII | re.I)
_DOTTED = re.compile(r"([+-]?\d{1,7})\.(\d{2})(\d{2})", re.ASCII)  # 1971.0000, 2011.0102
_WHOLE = re.compile(r"([+-]?\d{1,8})\.0{1,3}", re.ASCII)  # 2011.0, a number that was a float
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)  # 07.03.2011
_EITHER_FIRST = re.compile(r"\d{1,2}([/-])\d{1,2}\1(?:\d{4}|\d{2})", re.ASCII)  # 03/07/2011
_YEAR_MONTH = re.compile(r"(\d{4})(0[1-9]|1[0-2])", re.ASCII)  # 201101
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})", re.ASCII)
_ISO = re.compile(
    r"([+-]?\d{1,11}(?=-)|\d{4})[-/](\d{1,2}|##|XX)(?:[-/](\d{1,2}|##|XX))?"
    rf"(?:({_ZONE})|[T ](\d{{2}}):(\d{{2}})(?::(\d{{2}})(?:[.,]\d+)?)?"
    r"\s*(Z|UTC|[+-]\d{2}(?::?\d{2})?)?(?:\[[\w/+-]+\])?)?",
    re.ASCII,
)
_PLAIN_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_PLAIN_SECOND = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}Z?$"


class TimeError(ValueError):
    """A text that is not a time."""

    def __init__(self, text: str) -> None:
        shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
        reason = f"is not understood; expected {EXPECTED}"
        if _EITHER_FIRST.match(text):
            reason = (
                "may start with the day or the month; say which: date_format=%d/%m/%Y or "
                f"%m/%d/%Y; expected {EXPECTED}"
            )
        super().__init__(f"time {shown!r} {reason}")


class NoSuchDayError(TimeError):
    """A day that its month does not have, such as 30 February; `month` is the month's instant."""

    def __init__(self, text: str, month: int) -> None:
        super().__init__(text)
        self.month = month


@dataclass(frozen=True)
class ParsedTimes:
    """Instants of texts in their order, problems by text, and texts that count as their month."""

    instants: Instants
    problems: dict[str, str]
    taken_as_month: list[str]


def is_unknown(text: str | None) -> bool:
    """Whether a text stands for an unknown time."""
    return text is None or text.strip().lower() in UNKNOWN_TEXTS


def parse_instant(text: str) -> tuple[int, Grain]:
    """Return the second at which an instant begins, and its grain."""
    text = text.strip()
    if match := _WHOLE.fullmatch(text):
        text = match[1]
    if match := _COMPACT.fullmatch(text):
        return _from_date(text, *map(int, match.groups()))
    if match := _YEAR_MONTH.fullmatch(text):
        return _from_date(text, int(match[1]), int(match[2]), 0)
    if match := _YEAR.fullmatch(text):
        return days_from_civil(int(match[1]), 1, 1) * DAY, Grain.YEAR
    if match := _ISO.fullmatch(text):
        return _from_iso(text, match)
    if match := _DOTTED.fullmatch(text) or _DAY_FIRST.fullmatch(text):
        parts = [int(part) for part in match.groups()]
        return _from_date(text, *(parts[::-1] if match.re is _DAY_FIRST else parts))
    if (match := _ERA.fullmatch(text)) and int(match[1]) > 0:
        year = 1 - int(match[1]) if match[2] else int(match[1])
        return days_from_civil(year, 1, 1) * DAY, Grain.YEAR
    raise TimeError(text)


def parse_instants(texts: Iterable[str]) -> ParsedTimes:
    """Parse many texts; a day that does not exist, such as 30 February, counts as its month."""
    series = pl.Series(list(texts), dtype=pl.String)
    second, grain = _parse_common_forms(series)
    problems: dict[str, str] = {}
    taken_as_month: list[str] = []
    good = np.ones(len(series), bool)
    for place in np.flatnonzero(grain == len(Grain)):
        text = series[int(place)]
        try:
            second[place], grain[place] = parse_instant(text)
        except NoSuchDayError as error:
            second[place], grain[place] = error.month, Grain.MONTH
            taken_as_month.append(text)
        except TimeError as error:
            problems[text] = str(error)
            good[place] = False
    return ParsedTimes(Instants(second[good], grain[good]), problems, taken_as_month)


def _parse_common_forms(texts: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return second and grain of the texts in the two commonest forms, in bulk.

    Other texts, and days that do not exist, get the grain `len(Grain)`.
    """
    name = "text"
    day = pl.col(name).str.head(10).str.to_date("%Y-%m-%d", strict=False)
    hour, minute, second = (
        pl.col(name).str.slice(start, 2).cast(pl.Int64, strict=False) for start in (11, 14, 17)
    )
    possible = (hour < 24) & (minute < 60) & (second < 61)
    is_day, is_second = (pl.col(name).str.contains(form) for form in (_PLAIN_DAY, _PLAIN_SECOND))
    clock = (
        pl.when(is_day).then(0).when(is_second & possible).then(hour * 3600 + minute * 60 + second)
    )
    begin = day.cast(pl.Int32).cast(pl.Int64) * DAY + clock
    parsed = pl.DataFrame({name: texts}).select(
        begin=begin,
        grain=pl.when(begin.is_null())
        .then(len(Grain))
        .when(is_day)
        .then(int(Grain.DAY))
        .otherwise(int(Grain.SECOND)),
    )
    grains = parsed["grain"].to_numpy().astype(np.uint8)
    return parsed["begin"].fill_null(0).to_numpy().astype(np.int64), grains


def _from_date(text: str, year: int, month: int, day: int) -> tuple[int, Grain]:
    """Return second and grain of a date; month 00 or day 00 means that only the rest is known."""
    grain = Grain.YEAR if month == 0 else Grain.MONTH if day == 0 else Grain.DAY
    if month == 0 and day != 0:
        raise TimeError(text)
    first = max(month, 1), max(day, 1)
    days = days_from_civil(year, *first)
    if civil_from_days(days) != (year, *first):
        if month <= 12 and day <= 31:
            raise NoSuchDayError(text, days_from_civil(year, month, 1) * DAY)
        raise TimeError(text)
    return days * DAY, grain


def _from_iso(text: str, match: re.Match[str]) -> tuple[int, Grain]:
    """Return second and grain of a date, whose zone is ignored, or of a time, converted to UTC."""
    year, month, day, date_zone, hour, minute, second, zone = match.groups()
    begin, grain = _from_date(text, int(year), _part_number(month), _part_number(day))
    if hour is None:
        _offset(text, date_zone)
        return begin, grain
    h, m, s = int(hour), int(minute), int(second or 0)
    if grain != Grain.DAY or h > 23 or m > 59 or s > 60:
        raise TimeError(text)
    return begin + h * 3600 + m * 60 + s - _offset(text, zone), Grain.SECOND


def _part_number(part: str | None) -> int:
    """Return the number of a month or a day; 0 for a placeholder."""
    return 0 if part in (None, "##", "XX") else int(part or 0)


def _offset(text: str, zone: str | None) -> int:
    """Return the seconds by which a zone is ahead of UTC."""
    if zone in (None, "Z", "UTC"):
        return 0
    digits = str(zone).replace(":", "")
    hours, minutes = int(digits[1:3]), int(digits[3:5] or 0)
    if hours > 14 or minutes > 59:
        raise TimeError(text)
    return (hours * 3600 + minutes * 60) * (-1 if digits[0] == "-" else 1)
