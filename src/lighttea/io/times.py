"""Texts to instants and back: years, months, days, seconds, in any year, before Christ too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lighttea.graph.timeline import Grain, Instants

DAY = 86_400
UNKNOWN_TEXTS = frozenset({"", "~", "-inf", "inf", "+inf", "null", "none", "nan", "unknown"})
EXPECTED = "a year, YYYY-MM, YYYY-MM-DD, YYYY.MMDD, YYYYMMDD or YYYY-MM-DDTHH:MM:SS"

_YEAR = re.compile(r"[+-]?\d{1,7}")
_DOTTED = re.compile(r"([+-]?\d{1,7})\.(\d{2})(\d{2})")  # 1971.0000 is a year, 2011.0102 a day
_WHOLE_YEAR = re.compile(r"([+-]?\d{1,7})\.0{1,3}")  # 2011.0, a year that went through a float
_YEAR_MONTH = re.compile(r"(\d{4})(0[1-9]|1[0-2])")  # 201101
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_ISO = re.compile(
    r"([+-]?\d{1,7}(?=-)|\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?"
    r"(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?"
)


class TimeError(ValueError):
    """A text that is not a time; says what was expected."""

    def __init__(self, text: str) -> None:
        super().__init__(f"time {text!r} is not understood; expected {EXPECTED}")


class NoSuchDayError(TimeError):
    """A day that its month does not have, such as 30 February; `month` is the month's instant."""

    def __init__(self, text: str, month: int) -> None:
        super().__init__(text)
        self.month = month


@dataclass(frozen=True)
class ParsedTimes:
    """Instants of texts in their order; texts that are none, and those taken for their month."""

    instants: Instants
    problems: dict[str, str]
    taken_as_month: list[str]


def is_unknown(text: str | None) -> bool:
    """Whether this text says that the time is not known."""
    return text is None or text.strip().lower() in UNKNOWN_TEXTS


def parse_instant(text: str) -> tuple[int, Grain]:
    """The second at which this instant begins, and how exactly it is known."""
    text = text.strip()
    if match := _COMPACT.fullmatch(text):
        return _from_date(text, *map(int, match.groups()))
    if match := _YEAR_MONTH.fullmatch(text):
        return _from_date(text, int(match[1]), int(match[2]), 0)
    if match := _WHOLE_YEAR.fullmatch(text):
        text = match[1]
    if _YEAR.fullmatch(text):
        return days_from_civil(int(text), 1, 1) * DAY, Grain.YEAR
    if match := _DOTTED.fullmatch(text):
        return _from_date(text, *map(int, match.groups()))
    if match := _ISO.fullmatch(text):
        year, month, day, hour, minute, second, zone = match.groups()
        begin, grain = _from_date(text, int(year), int(month), int(day or 0))
        if hour is None:
            return begin, grain
        return begin + _clock(text, grain, hour, minute, second, zone), Grain.SECOND
    raise TimeError(text)


def parse_instants(texts: Iterable[str]) -> ParsedTimes:
    """Parse many texts. A day that does not exist (real data has them) counts as its month."""
    seconds: list[int] = []
    grains: list[int] = []
    problems: dict[str, str] = {}
    taken_as_month: list[str] = []
    for text in texts:
        try:
            second, grain = parse_instant(text)
        except NoSuchDayError as error:
            second, grain = error.month, Grain.MONTH
            taken_as_month.append(text)
        except TimeError as error:
            problems[text] = str(error)
            continue
        seconds.append(second)
        grains.append(grain)
    instants = Instants(np.array(seconds, np.int64), np.array(grains, np.uint8))
    return ParsedTimes(instants, problems, taken_as_month)


def format_instant(second: int, grain: int) -> str:
    """The text of an instant, as exact as it is known."""
    days, clock = divmod(int(second), DAY)
    year, month, day = civil_from_days(days)
    sign = "-" if year < 0 else ""
    date = f"{sign}{abs(year):04d}"
    if grain >= Grain.MONTH:
        date += f"-{month:02d}"
    if grain >= Grain.DAY:
        date += f"-{day:02d}"
    if grain >= Grain.SECOND:
        date += f"T{clock // 3600:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}"
    return date


def format_instants(instants: Instants) -> list[str]:
    """The texts of all these instants."""
    return [format_instant(*row) for row in zip(instants.second, instants.grain, strict=True)]


def instants_over(instants: Instants) -> NDArray[np.int64]:
    """The second at which each instant is over: the begin of the next year, month, day, second."""
    step = np.array([0, 0, DAY, 1])[instants.grain]
    over: NDArray[np.int64] = instants.second + step
    for i in np.flatnonzero(instants.grain <= Grain.MONTH):
        year, month, _ = civil_from_days(int(instants.second[i]) // DAY)
        months = 12 if instants.grain[i] == Grain.YEAR else 1
        later = year * 12 + month - 1 + months
        over[i] = days_from_civil(later // 12, later % 12 + 1, 1) * DAY
    return over


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 in the proleptic Gregorian calendar; year 0 is 1 BC."""
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - 719_468


def civil_from_days(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days from 1970-01-01."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    leap_days = day_of_era // 1_460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leap_days) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + (3 if shifted_month < 10 else -9)
    return year_of_era + era * 400 + (month <= 2), month, day


def _from_date(text: str, year: int, month: int, day: int) -> tuple[int, Grain]:
    """Month 00 means that only the year is known, day 00 that only the month is."""
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


def _clock(
    text: str, grain: Grain, hour: str, minute: str, second: str | None, zone: str | None
) -> int:
    h, m, s = int(hour), int(minute), int(second or 0)
    if grain != Grain.DAY or h > 23 or m > 59 or s > 60:
        raise TimeError(text)
    offset = 0
    if zone and zone != "Z":
        digits = zone.replace(":", "")
        hours, minutes = int(digits[1:3]), int(digits[3:5] or 0)
        if hours > 14 or minutes > 59:
            raise TimeError(text)
        offset = (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)
    return h * 3600 + m * 60 + s - offset
