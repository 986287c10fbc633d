"""Periods as people write them: 1996, 1996-98, May 1996 to 1998, since 2001."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from lighttea.graph.calendar import DAY, civil_from_days, days_from_civil
from lighttea.graph.timeline import Grain, Instants, instant_ends
from lighttea.io.times import NoSuchDayError, TimeError, parse_instant

_WITHIN = 0.8  # what a range counts that lies within the other, at least
_LONGEST = 60  # characters of a text that may be a period
_SINCE = re.compile(r"(?:since|from|after)\s+(.+)|(.+?)\s*(?:[-–—/]|\.\.)", re.IGNORECASE)
_UNTIL = re.compile(r"(?:until|till|to|before|[–—/]|\.\.)\s*(.+)", re.IGNORECASE)
_RANGE = re.compile(
    r"(?:from\s+|between\s+)?(.+?)\s*(?:\s-\s|[–—]|\.\.|\sto\s|\suntil\s|\sand\s)\s*(.+)",
    re.IGNORECASE,
)
_YEARS = re.compile(r"(\d{4})\s*[-/]\s*(\d{2}|\d{4})", re.ASCII)  # 1996-98, 1996/1998
_DAYS = re.compile(r"(\d{4}-\d{2}(?:-\d{2})?)\s*/\s*(\d{4}-\d{2}(?:-\d{2})?)", re.ASCII)
_TRAILING = re.compile(r"(.+?)\s*(?:,\s*([^,()]+)|\(([^()]+)\))\s*")


@dataclass(frozen=True)
class Period:
    """A time from one second to another, the last one not included; None where it is open."""

    begin: int | None
    end: int | None
    grain: Grain = Grain.SECOND  # how exactly it is given
    is_range: bool = True

    def likeness(self, other: Period) -> float:
        """Return how well another period fits this one, from 0 to 1.

        A point in time fits everything that holds at it. A range fits best what has the same ends;
        where one lies within the other it fits well, where they overlap in part.
        """
        own, fact = self._bounds(), other.rounded(self.grain)._bounds()
        shared = min(own[1], fact[1]) - max(own[0], fact[0])
        if shared <= 0:
            return 0.0
        if not self.is_range:
            return 1.0
        union = max(own[1], fact[1]) - min(own[0], fact[0])
        shorter = min(own[1] - own[0], fact[1] - fact[0])
        within = shared / shorter if np.isfinite(shorter) else 1.0
        return _WITHIN * within + (1 - _WITHIN) * (shared / union if np.isfinite(union) else 0.0)

    def _bounds(self) -> tuple[float, float]:
        begin = -np.inf if self.begin is None else float(self.begin)
        return begin, np.inf if self.end is None else float(self.end)

    def rounded(self, grain: Grain) -> Period:
        """Return the period with whole years or months, as a coarser one has them."""
        if grain > Grain.MONTH:
            return self
        begin = None if self.begin is None else _floor(self.begin, grain)
        end = None if self.end is None else _ceiling(self.end, grain)
        return Period(begin, end, grain, self.is_range)


def parse_period(text: str) -> Period | None:
    """Return the period that a text is; None for any other text.

    `1996-07` is a month; a range of years that could be one is written `1996-2007`.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST or not any(sign.isdigit() for sign in text):
        return None
    return _instant(text) or _range_of(text) or _open_of(text)


def _range_of(text: str) -> Period | None:
    if match := _YEARS.fullmatch(text):
        first, last = match.groups()
        return _range(first, last if len(last) == 4 else first[:2] + last)
    if match := _DAYS.fullmatch(text) or _RANGE.fullmatch(text):
        return _range(*match.groups())
    return None


def _open_of(text: str) -> Period | None:
    if match := _SINCE.fullmatch(text):
        return _open(match[1] or match[2], is_begin=True)
    if match := _UNTIL.fullmatch(text):
        return _open(match[1], is_begin=False)
    return None


def split_period(text: str) -> tuple[str, Period | None]:
    """Return a text without the period at its end, and that: `Harbour, 1996-98`."""
    match = _TRAILING.fullmatch(text[: 4 * _LONGEST])
    period = parse_period(match[2] or match[3]) if match else None
    return (match[1], period) if match and period else (text, None)


def _instant(text: str) -> Period | None:
    try:
        second, grain = parse_instant(text)
    except NoSuchDayError as error:
        second, grain = error.month, Grain.MONTH
    except (TimeError, OverflowError, ValueError):
        return None
    return period_of_instant(second, grain)


def period_of_instant(second: int, grain: int) -> Period | None:
    """Return the time from the begin of an instant to its end; None where it is too far away."""
    try:
        instants = Instants(np.array([second], np.int64), np.array([grain], np.uint8))
    except OverflowError:
        return None
    return Period(second, int(instant_ends(instants)[0]), Grain(grain), is_range=False)


def _range(first: str, last: str) -> Period | None:
    begin, end = _instant(first), _instant(last)
    if begin is None or end is None or begin.begin is None or end.end is None:
        return None
    if end.end <= begin.begin:
        return None
    return Period(begin.begin, end.end, min(begin.grain, end.grain))


def _open(text: str, *, is_begin: bool) -> Period | None:
    instant = _instant(text)
    if instant is None:
        return None
    begin, end = (instant.begin, None) if is_begin else (None, instant.end)
    return Period(begin, end, instant.grain)


def _floor(second: int, grain: Grain) -> int:
    """Return the second at which the year or month of a second begins."""
    year, month, _ = civil_from_days(second // DAY)
    return days_from_civil(year, month if grain == Grain.MONTH else 1, 1) * DAY


def _ceiling(second: int, grain: Grain) -> int:
    """Return the second at which the year or month ends that holds the one before."""
    year, month, _ = civil_from_days((second - 1) // DAY)
    if grain == Grain.MONTH and month < 12:
        return days_from_civil(year, month + 1, 1) * DAY
    return days_from_civil(year + 1, 1, 1) * DAY
