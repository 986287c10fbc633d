"""Numbers, dates and places in a text.

Dates and places give words beside those of their text. Equal ones share all of these words, close
ones some; the finer a word the fewer entities have it, so the more it weighs.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_UNIT_NAME = r"[^\W\d_]{1,12}"
_UNIT = re.compile(rf"\s*(?:(?:{_UNIT_NAME}(?:/{_UNIT_NAME})?|°[CFK]?|[%€$£¥])[\d²³]?\.?)?")
LONGEST = 60  # characters of a text that may be a number, a date or a place
_DAY_FORMS = (
    re.compile(r"(?P<y>[+-]?\d{4,})[-./](?P<m>\d{1,2})(?:[-./](?P<d>\d{1,2}))?(?:[T ].*)?"),
    re.compile(r"(?P<d>\d{1,2})[./-](?P<m>\d{1,2})[./-](?P<y>\d{4})"),
    re.compile(r"(?P<y>1[0-9]{3}|20[0-9]{2})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])"),
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WRITTEN = (
    re.compile(r"(?P<d>\d{1,2})\.?\s+(?P<m>[a-z]{3,9})\.?,?\s+(?P<y>\d{4})", re.IGNORECASE),
    re.compile(r"(?P<m>[a-z]{3,9})\.?\s+(?P<d>\d{1,2}),?\s+(?P<y>\d{4})", re.IGNORECASE),
)
_POINT = re.compile(r"point\s*\(\s*(?P<x>[^\s,]+)[\s,]+(?P<y>[^\s)]+)\s*\)", re.IGNORECASE)
_COUPLE = re.compile(r"\(?\s*(?P<y>[+-]?\d+\.\d+)\s*[,; ]\s*(?P<x>[+-]?\d+\.\d+)\s*\)?")
_CELLS = (0.01, 0.1)  # degrees
_CYCLE, _CYCLE_DAYS = 400, 146_097  # years after which the calendar repeats, and their days


def special_words(text: str) -> Iterator[str]:
    """Yield words that a date or a place gives beside the words of its text."""
    if _may_be_special(text):
        stripped = text.strip()
        if date := parse_date(stripped):
            yield from _date_words(*date)
        elif place := parse_place(stripped):
            yield from _place_words(*place)


def _may_be_special(text: str) -> bool:
    return len(text) <= LONGEST and _DIGIT.search(text) is not None


def parse_number(text: str) -> float | None:
    """Return the number that a text is, whatever its unit; None for any other text."""
    if not _may_be_special(text):
        return None
    plain = _THOUSANDS.sub("", text.strip())
    match = _NUMBER.match(plain)
    if match is None or not _UNIT.fullmatch(plain, match.end()):
        return None
    number = float(match[0])
    return number if math.isfinite(number) else None


def parse_date(text: str) -> tuple[int, int, int | None] | None:
    """Return year, month and day of a date, the day None where there is none; None for no date.

    Day 0 stands for none, as in `1952-03-00`.
    """
    for form in _DAY_FORMS:
        if match := form.fullmatch(text):
            year, month, day = match["y"], match["m"], match["d"]
            if int(month) > len(_MONTHS) and day is not None:  # month, day, year
                month, day = day, month
            return _checked(int(year), int(month), day)
    for form in _WRITTEN:
        if (match := form.fullmatch(text)) and (month := match["m"][:3].lower()) in _MONTHS:
            return _checked(int(match["y"]), _MONTHS.index(month) + 1, match["d"])
    return None


def _checked(year: int, month: int, day: str | None) -> tuple[int, int, int | None] | None:
    number = int(day or 0) or None
    try:
        _day_number(year, month, number or 1)
    except ValueError:
        return None
    return year, month, number


def _day_number(year: int, month: int, day: int) -> int:
    """Return the number of a day of any year, also before year 1; an error where it is none."""
    cycles, year = divmod(year, _CYCLE)
    return datetime.date(year + _CYCLE, month, day).toordinal() + cycles * _CYCLE_DAYS


def parse_place(text: str) -> tuple[float, float] | None:
    """Return longitude and latitude of a point; None for any other text."""
    match = _POINT.fullmatch(text) or _COUPLE.fullmatch(text)
    try:
        x, y = (float(match[side]) for side in "xy") if match else (math.nan, math.nan)
    except ValueError:
        return None
    return (x, y) if abs(x) <= 360 and abs(y) <= 90 else None


def _date_words(year: int, month: int, day: int | None) -> Iterator[str]:
    yield str(year)  # as a year stands in a text
    yield f"{year}-{month}"
    if day is not None:
        number = _day_number(year, month, day)
        yield f"{year}-{month}-{day}"
        yield from (f"day {near}" for near in (number, number + 1))


def _place_words(x: float, y: float) -> Iterator[str]:
    for cell in _CELLS:
        column, row = math.floor(x / cell), math.floor(y / cell)
        for near in ((0, 0), (0, 1), (1, 0), (1, 1)):
            yield f"at {column + near[0]}/{row + near[1]} of {cell}"
