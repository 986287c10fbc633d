"""Time as a value of its own, and T*, the tick set that both graphs share (section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

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
    """The kind of each fact's time from the codes of its two ends."""
    has_begin, has_end = begin != UNKNOWN, end != UNKNOWN
    kinds = np.full(len(begin), TimeKind.UNKNOWN, np.int8)
    kinds[has_begin & ~has_end] = TimeKind.OPEN_END
    kinds[~has_begin & has_end] = TimeKind.OPEN_BEGIN
    both = has_begin & has_end
    kinds[both] = np.where(begin[both] == end[both], TimeKind.POINT, TimeKind.INTERVAL)
    return kinds


@dataclass(frozen=True)
class Instants:
    """Distinct instants: the second each begins at (from 1970, proleptic Gregorian), its grain."""

    second: NDArray[np.int64]
    grain: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.second)

    @classmethod
    def none(cls) -> Instants:
        """No instant at all."""
        return cls(np.empty(0, np.int64), np.empty(0, np.uint8))

    def take(self, index: Ints | Bools) -> Instants:
        """The instants at these places."""
        return Instants(self.second[index], self.grain[index])


@dataclass(frozen=True)
class Timeline:
    """T*: the ticks of both graphs in order of time, and where each graph's instants went."""

    ticks: Instants
    left_tick: Ints  # (n_left_instants,) tick of each left instant
    right_tick: Ints

    @classmethod
    def of(cls, left: Instants, right: Instants) -> Timeline:
        """Merge the two time sets: T* = T1 ∪ T2. Equal second and equal grain is equal time."""
        both = np.empty(len(left) + len(right), [("second", np.int64), ("grain", np.uint8)])
        both["second"] = np.concatenate([left.second, right.second])
        both["grain"] = np.concatenate([left.grain, right.grain])
        distinct, inverse = np.unique(both, return_inverse=True)
        ticks = Instants(distinct["second"].copy(), distinct["grain"].copy())
        tick = inverse.astype(np.int32).reshape(-1)
        return cls(ticks, tick[: len(left)], tick[len(left) :])


def coarser_ticks(ticks: Instants, used: Ints) -> Ints:
    """(2, n_ticks): the month and the year that holds each tick, where it is a tick in `used`.

    -1 where there is none; a tick does not hold itself.
    """
    found = np.full((2, len(ticks)), UNKNOWN, np.int32)
    date, used = ticks.second.astype("datetime64[s]"), np.unique(used[used != UNKNOWN])
    for row, (grain, unit) in enumerate(((Grain.MONTH, "M"), (Grain.YEAR, "Y"))):
        coarse = used[ticks.grain[used] == grain] if len(used) else used
        if not len(coarse):
            continue
        begins = ticks.second[coarse]  # in order of time
        begin = date.astype(f"datetime64[{unit}]").astype("datetime64[s]").astype(np.int64)
        place = np.minimum(np.searchsorted(begins, begin), len(begins) - 1)
        held = (begins[place] == begin) & (ticks.grain > grain)
        found[row, held] = coarse[place[held]]
    return found


def ticks_of(codes: Ints, tick_of_code: Ints) -> Ints:
    """Translate a graph's time codes into ticks; unknown stays unknown."""
    if not len(tick_of_code):
        return np.full(len(codes), UNKNOWN, np.int32)
    return np.where(codes == UNKNOWN, UNKNOWN, tick_of_code[codes]).astype(np.int32)
