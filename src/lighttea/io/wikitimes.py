"""Wikibase's time values: precision, calendar model, years before Christ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lighttea.io.calendar import gregorian_of_julian, julian_month_days

_TIME = re.compile(r"([+-])(\d{1,16})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)Z")
_YEAR, _MONTH, _DAY = 9, 10, 11  # precisions; below are decades and coarser, above clock times
_LARGEST_YEAR = 9_999_999
_JULIAN = "Q1985786"


def time_text(value: Mapping[str, Any], counts: Counter[str]) -> str | None:
    """Return a time value as a text of `io.times`; None where it is too coarse or not understood.

    `counts` counts values that were converted or left out.
    """
    if value.get("before") or value.get("after"):
        counts["uncertain"] += 1
    calendar = value.get("calendarmodel", "")
    text, count_name = _convert(value["time"], int(value["precision"]), calendar.endswith(_JULIAN))
    if count_name:
        counts[count_name] += 1
    return text


@lru_cache(1 << 16)
def _convert(time: str, precision: int, julian: bool) -> tuple[str | None, str]:
    """Return the text, and the name of the count that it belongs to; empty for none.

    The values have no year 0: -0001 is 1 BC, which is year 0 in `io.times`.
    """
    if precision < _YEAR:
        return None, "coarse times"
    match = _TIME.fullmatch(time)
    year = int(match[1] + match[2]) if match else 0
    if match is None or not 0 < abs(year) <= _LARGEST_YEAR:
        return None, "odd times"
    year += year < 0
    month, day, clock = int(match[3]), int(match[4]), match[5]
    precision = min(precision, _YEAR if not month else _MONTH if not day else precision)
    if not julian or precision < _DAY:
        return _text(year, month, day, precision, clock), ""
    if month > 12 or day > julian_month_days(year, month):
        return None, "odd times"
    return _text(*gregorian_of_julian(year, month, day), _DAY), "julian"


def _text(year: int, month: int, day: int, precision: int, clock: str = "") -> str:
    parts = [f"{year:+05d}", f"{month:02d}", f"{day:02d}"]
    text = "-".join(parts[: precision - _YEAR + 1])
    return f"{text}T{clock}" if precision > _DAY and clock else text
