"""Wikibase's time values: precision, calendar model, years before Christ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from lighttea.io.calendar import gregorian_of_julian, julian_month_days

_TIME = re.compile(r"([+-])(\d{1,16})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)Z")
_YEAR, _MONTH, _DAY = 9, 10, 11  # precisions; below are decades and coarser, above clock times
_LARGEST_YEAR = 9_999_999
_JULIAN = "Q1985786"


def time_text(value: Mapping[str, Any], counts: Counter[str]) -> str | None:
    """A time value as a text of `io.times`, or None where it is too coarse or not understood.

    The values have no year 0: -0001 is 1 BC, which is year 0 in `io.times`.
    """
    match = _TIME.fullmatch(value["time"])
    precision = int(value["precision"])
    if precision < _YEAR:
        counts["coarse times"] += 1
        return None
    year = int(match[1] + match[2]) if match else 0
    if match is None or not 0 < abs(year) <= _LARGEST_YEAR:
        counts["odd times"] += 1
        return None
    counts["uncertain"] += bool(value.get("before") or value.get("after"))
    year += year < 0
    month, day, clock = int(match[3]), int(match[4]), match[5]
    precision = min(precision, _YEAR if not month else _MONTH if not day else precision)
    if precision >= _DAY and value.get("calendarmodel", "").endswith(_JULIAN):
        return _from_julian(year, month, day, counts)
    return _text(year, month, day, precision, clock)


def _from_julian(year: int, month: int, day: int, counts: Counter[str]) -> str | None:
    if month > 12 or day > julian_month_days(year, month):
        counts["odd times"] += 1
        return None
    counts["julian"] += 1
    return _text(*gregorian_of_julian(year, month, day), _DAY)


def _text(year: int, month: int, day: int, precision: int, clock: str = "") -> str:
    parts = [f"{year:+05d}", f"{month:02d}", f"{day:02d}"]
    text = "-".join(parts[: precision - _YEAR + 1])
    return f"{text}T{clock}" if precision > _DAY and clock else text
