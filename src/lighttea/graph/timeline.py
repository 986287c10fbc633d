"""Time as a value of its own, and T*, the tick set that both graphs share (section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from lighttea.display import Displayed, html_table
from lighttea.graph.calendar import DAY, civil_from_days
from lighttea.types import Bools, Ints

UNKNOWN = -1  # the code of an absent begin or end


class Grain(IntEnum):
    """How exactly an instant is known."""

    YEAR = 0
    MONTH = 1
    DAY = 2
    SECOND = 3


class TimeKind(IntEnum):
    """What the time of a fact is."""

    UNKNOWN = 0
    POINT = 1
    INTERVAL = 2
    OPEN_END = 3  # begin known, end not
    OPEN_BEGIN = 4  # end known, begin not


def time_kinds(begin: Ints, end: Ints) -> NDArray[np.int8]:
    """Return the `TimeKind` of each fact from the codes of its begin and end."""
    has_begin, has_end = begin != UNKNOWN, end != UNKNOWN
    kinds = np.full(len(begin), TimeKind.UNKNOWN, np.int8)
    kinds[has_begin & ~has_end] = TimeKind.OPEN_END
    kinds[~has_begin & has_end] = TimeKind.OPEN_BEGIN
    both = has_begin & has_end
    kinds[both] = np.where(begin[both] == end[both], TimeKind.POINT, TimeKind.INTERVAL)
    return kinds


@dataclass(frozen=True, repr=False)
class Instants(Displayed):
    """Distinct instants: the second each begins at (from 1970, proleptic Gregorian), its grain."""

    second: NDArray[np.int64]
    grain: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.second)

    @classmethod
    def none(cls) -> Instants:
        """Return no instants."""
        return cls(np.empty(0, np.int64), np.empty(0, np.uint8))

    def take(self, index: Ints | Bools) -> Instants:
        """Return the instants at these places."""
        return Instants(self.second[index], self.grain[index])

    def concat(self, *others: Instants) -> Instants:
        """Return these instants and the others after them."""
        parts = (self, *others)
        return Instants(
            np.concatenate([part.second for part in parts]),
            np.concatenate([part.grain for part in parts]),
        )

    def range_text(self) -> str:
        """Return the first and the last instant as text, or an empty text where there is none."""
        if not len(self):
            return ""
        ends = self.take(np.array([self.second.argmin(), self.second.argmax()]))
        return " to ".join(format_instants(ends))

    def _summary(self) -> str:
        return f"{len(self):,}: {self.range_text()}" if len(self) else "none"

    def _tables(self) -> list[str]:
        counts = np.bincount(self.grain, minlength=len(Grain))
        rows = [(grain.name.lower(), f"{counts[grain]:,}") for grain in Grain]
        return [html_table(("granularity", "instants"), rows)]


def distinct_instants(instants: Instants) -> tuple[Instants, Ints]:
    """Return the distinct instants in order of time, and the place of each given one there."""
    order = np.lexsort((instants.grain, instants.second))
    ordered = instants.take(order)
    new = np.ones(len(ordered), bool)
    new[1:] = (np.diff(ordered.second) != 0) | (np.diff(ordered.grain) != 0)
    place = np.empty(len(ordered), np.int32)
    place[order] = np.cumsum(new) - 1
    return ordered.take(new), place


def format_instant(second: int, grain: int) -> str:
    """Return the text of an instant, as exact as it is known."""
    days, clock = divmod(int(second), DAY)
    year, month, day = civil_from_days(days)
    digits = f"{abs(year):04d}"
    sign = "-" if year < 0 else "+" * (len(digits) > 5)  # 201101 alone would be a month
    date = sign + digits
    if grain == Grain.YEAR and len(digits) > 7:
        return f"{date}-00-00"  # eight digits alone would be a day
    if grain >= Grain.MONTH:
        date += f"-{month:02d}"
    if grain >= Grain.DAY:
        date += f"-{day:02d}"
    if grain >= Grain.SECOND:
        date += f"T{clock // 3600:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}"
    return date


def format_instants(instants: Instants) -> list[str]:
    """Return the texts of all instants."""
    return [format_instant(*row) for row in zip(instants.second, instants.grain, strict=True)]


def instant_ends(instants: Instants) -> NDArray[np.int64]:
    """Return the second at which each instant ends: the begin of the next one of its grain."""
    step = np.array([0, 0, DAY, 1])[instants.grain]
    ends: NDArray[np.int64] = instants.second + step
    for grain, unit in ((Grain.YEAR, "M8[Y]"), (Grain.MONTH, "M8[M]")):
        own = instants.grain == grain
        begin = instants.second[own].astype("M8[s]").astype(unit)
        ends[own] = (begin + 1).astype("M8[s]").astype(np.int64)
    return ends


@dataclass(frozen=True)
class Timeline:
    """T*: the ticks of both graphs in order of time, and the tick of each graph's instants."""

    ticks: Instants
    left_tick: Ints  # (n_left_instants,) tick of each left instant
    right_tick: Ints

    @classmethod
    def of(cls, left: Instants, right: Instants) -> Timeline:
        """Merge the two time sets: T* = T1 ∪ T2. Equal second and equal grain is an equal time."""
        ticks, tick = distinct_instants(left.concat(right))
        return cls(ticks, tick[: len(left)], tick[len(left) :])


def coarser_ticks(ticks: Instants, used: Ints) -> Ints:
    """Return the month (row 0) and the year (row 1) of each tick, (2, n_ticks).

    Only months and years that are ticks in `used` count; -1 where there is none. A tick is not its
    own month or year.
    """
    coarser = np.full((2, len(ticks)), UNKNOWN, np.int32)
    date, is_used = ticks.second.astype("datetime64[s]"), np.zeros(len(ticks), bool)
    is_used[used[used != UNKNOWN]] = True
    used = np.flatnonzero(is_used)
    for row, (grain, unit) in enumerate(((Grain.MONTH, "M"), (Grain.YEAR, "Y"))):
        coarse = used[ticks.grain[used] == grain] if len(used) else used
        if not len(coarse):
            continue
        begins = ticks.second[coarse]  # in order of time
        begin = date.astype(f"datetime64[{unit}]").astype("datetime64[s]").astype(np.int64)
        place = np.minimum(np.searchsorted(begins, begin), len(begins) - 1)
        has_coarser = (begins[place] == begin) & (ticks.grain > grain)
        coarser[row, has_coarser] = coarse[place[has_coarser]]
    return coarser


def ticks_of(codes: Ints, tick_of_code: Ints) -> Ints:
    """Return the ticks of a graph's time codes; unknown stays unknown."""
    if not len(tick_of_code):
        return np.full(len(codes), UNKNOWN, np.int32)
    return np.where(codes == UNKNOWN, UNKNOWN, tick_of_code[codes]).astype(np.int32)
