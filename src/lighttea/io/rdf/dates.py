"""Date literals as texts of `io.times`, with their precision."""

from __future__ import annotations

import re

# XML Schema's lexical forms: date, dateTime, gYear, gYearMonth, each with an optional zone
_LEXICAL = re.compile(
    r"([+-]?\d{4,})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.\d+)?)?)?)?"
    r"(Z|[+-]\d\d:\d\d)?"
)
_YEAR, _MONTH, _DAY = 9, 10, 11  # Wikibase's precisions
_GRAPH_TIME = re.compile(
    r"(?:^|.*[^0-9])([12]\d{3})(?:(-?)(0[1-9]|1[0-2])(?:\2(0[1-9]|[12]\d|3[01]))?)?/?"
)


def time_text(lexical: str) -> str | None:
    """Return a date literal as a signed text; None where it is no date.

    A dateTime at midnight counts as a day. The zone of a date or a year is ignored.
    """
    match = _LEXICAL.fullmatch(lexical.strip())
    if match is None or match[4] == "24":
        return None
    year, month, day, hour, minute, second, zone = match.groups()
    text = year if year[0] in "+-" else f"+{year}"
    if month:
        text += f"-{month}"
    if day:
        text += f"-{day}"
    if hour and (hour, minute, second) != ("00", "00", "00"):
        text += f"T{hour}:{minute}:{second}{zone or ''}"
    return text


def coarsen(text: str, precision: int) -> str | None:
    """Return a time text cut to a Wikibase precision; None for decades and coarser."""
    if precision < _YEAR:
        return None
    date = text.partition("T")[0]
    sign, parts = date[0], date[1:].split("-")
    if precision in (_YEAR, _MONTH, _DAY):
        return sign + "-".join(parts[: precision - _YEAR + 1])
    return text


def time_of_graph_name(name: str) -> str | None:
    """Return the year, month or day at the end of a graph's name; None where there is none."""
    match = _GRAPH_TIME.fullmatch(name)
    if match is None:
        return None
    year, _, month, day = match.groups()
    return "+" + "-".join(part for part in (year, month, day) if part)
