"""Date literals to texts that `io.times` understands, with their precision."""

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
    """A date literal as a signed text; None where it is none.

    Midnight is how a day is written as dateTime, so it counts as the day. The zone of a date or a
    year is left out: a day is a day.
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


def coarsened(text: str, precision: int) -> str | None:
    """A time text as exact as a Wikibase precision says; None for decades and coarser."""
    if precision < _YEAR:
        return None
    date = text.partition("T")[0]
    sign, parts = date[0], date[1:].split("-")
    if precision in (_YEAR, _MONTH, _DAY):
        return sign + "-".join(parts[: precision - _YEAR + 1])
    return text


def time_of_graph_name(name: str) -> str | None:
    """The year, month or day that the name of a graph ends with."""
    match = _GRAPH_TIME.fullmatch(name)
    if match is None:
        return None
    year, _, month, day = match.groups()
    return "+" + "-".join(part for part in (year, month, day) if part)
