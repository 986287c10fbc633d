"""Facts with one time each, as the kinds of evidence see time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeAlias

import numpy as np

from lighttea.engines.ops import Ops
from lighttea.graph.pair import Pair
from lighttea.graph.timeline import UNKNOWN, Grain, Instants
from lighttea.types import A, Ints, NumpyArray

# a tick; the year it lies in, so that a year matches the days it holds; a year, month or day, or
# the next one, so that near misses count; a year that a fact held in, so that intervals overlap
TIMES = ("tick", "year", "near", "during")
LONGEST = 100  # years of a fact that are looked at


@dataclass(frozen=True)
class FactColumns(Generic[A]):
    """Facts with one time each, sorted by head; -1 where the time is unknown."""

    head: A
    relation: A
    tail: A
    time: A


PlainFacts: TypeAlias = FactColumns[NumpyArray]


@dataclass(frozen=True)
class TimedFacts(Generic[A]):
    """The facts of a pair where an engine works on them, in any kind of time."""

    ops: Ops[A]
    pair: Pair
    keeps: bool  # whether they stay for later rounds; else they are made anew each time
    _kept: dict[str, FactColumns[A]] = field(default_factory=dict)
    classes: dict[str, Ints] = field(default_factory=dict)  # of relations, by the last links

    def rows(self, time: str) -> FactColumns[A]:
        """Return the facts as one of `TIMES`, or "" for the plain ones, sees them."""
        if time in self._kept:
            return self._kept[time]
        plain = facts_by_time(self.pair, time)
        columns = (plain.head, plain.relation, plain.tail, plain.time)
        rows = FactColumns(*(self.ops.asarray(column, "int32") for column in columns))
        if self.keeps:
            self._kept[time] = rows
        return rows


def facts_of_head(facts: PlainFacts, head: int) -> PlainFacts:
    """Return the facts of one head."""
    here = slice(*np.searchsorted(facts.head, [head, head + 1]))
    return FactColumns(facts.head[here], facts.relation[here], facts.tail[here], facts.time[here])


def facts_by_time(pair: Pair, time: str) -> PlainFacts:
    """Return the facts as one of `TIMES` sees them; a fact may stand in several rows."""
    if time in ("", "tick"):
        return FactColumns(pair.head, pair.relation, pair.tail, pair.tick)
    if time == "during":
        spans = pair.spans
        place, year = years_through(pair.ticks, spans.begin, spans.end)
        return FactColumns(spans.head[place], spans.relation[place], spans.tail[place], year)
    place, seen = times_of(pair.ticks, pair.tick, time)
    return FactColumns(pair.head[place], pair.relation[place], pair.tail[place], seen)


def times_of(ticks: Instants, tick: Ints, time: str) -> tuple[Ints, Ints]:
    """Return places in a list of ticks, and what one of `TIMES` but "during" sees there."""
    place = np.arange(len(tick), dtype=np.int32)
    unknown = tick == UNKNOWN
    if time == "year":
        years = (years_of(ticks) - first_year(ticks)).astype(np.int32)
        return place, np.where(unknown, np.int32(UNKNOWN), years[tick])
    if time == "near":
        first = np.where(unknown, np.int32(UNKNOWN), units_of(ticks).astype(np.int32)[tick])
        both = np.repeat(first, 2)
        both[1::2] += ~unknown
        return np.repeat(place, 2), both
    return place, tick


def years_through(ticks: Instants, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return places in lists of begins and ends, one for each year between them, and the year."""
    year = years_of(ticks) - first_year(ticks)
    count = np.clip(year[end] - year[begin] + 1, 1, LONGEST)
    place = np.repeat(np.arange(len(begin), dtype=np.int32), count)
    first = (np.cumsum(count) - count).astype(np.int32)
    later = np.arange(len(place), dtype=np.int32) - first[place]
    later += year.astype(np.int32)[begin[place]]
    return place, later


def first_year(ticks: Instants) -> int:
    """Return the year that years are counted from, at most 1970, as years after 1970."""
    return int(years_of(ticks).min(initial=0))


def units_of(ticks: Instants) -> Ints:
    """Return years, months or days counted through, by how exactly each tick is known.

    None overlap.
    """
    if not len(ticks):
        return np.zeros(1, np.int64)
    date = ticks.second.astype("datetime64[s]")
    units = np.zeros(len(ticks), np.int64)
    for grain, unit in ((Grain.YEAR, "Y"), (Grain.MONTH, "M"), (Grain.DAY, "D")):
        here = (ticks.grain == grain) | ((grain == Grain.DAY) & (ticks.grain > grain))
        number = date[here].astype(f"datetime64[{unit}]").astype(np.int64)
        units[here] = number - number.min(initial=0) + units.max(initial=0) + 2
    return units


def years_of(ticks: Instants) -> Ints:
    """Return the year that each tick lies in; one that stands for unknown where there is none."""
    if not len(ticks):
        return np.zeros(1, np.int32)
    return ticks.second.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int32)
