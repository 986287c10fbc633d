"""The facts of two entities matched up: same neighbour, same relation, same time, in that order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from lighttea.explain.source import Neighbourhood, Source
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import Ints

SAME, OVERLAP, DIFFERENT, UNTOLD = "same", "overlaps", "differs", "unknown"
_FAR = 1 << 62
_MANY = 40_000  # couples of facts alike but for their times; beyond, order alone decides


@dataclass(frozen=True)
class Match:
    """A fact of the left entity and one of the right entity that seem to say the same."""

    left: int  # places in the two neighbourhoods
    right: int
    same_neighbour: bool
    same_relation: bool
    time: str  # same, overlaps, differs or unknown

    @property
    def agrees(self) -> bool:
        """Same neighbour, at times that do not exclude each other."""
        return self.same_neighbour and self.time != DIFFERENT

    @property
    def contradicts(self) -> bool:
        """Same neighbour and relation, at times that exclude each other."""
        return self.same_neighbour and self.same_relation and self.time == DIFFERENT


def match_facts(left: Neighbourhood, right: Neighbourhood, source: Source) -> list[Match]:
    """Each fact at most once; what agrees in more is matched first."""
    sides = [_Keyed(facts, source) for facts in (left, right)]
    free: list[set[int]] = [set(range(len(facts))) for facts in (left, right)]
    found = []
    for key in _KEYS:
        for i, j in _couples(sides, free, key):
            free[0].discard(i)
            free[1].discard(j)
            found.append(_match(sides, i, j))
    return sorted(found, key=lambda one: one.left)


class _Keyed:
    """Facts by what both sides share: names of neighbours, classes of relations, ticks."""

    def __init__(self, facts: Neighbourhood, source: Source) -> None:
        self.neighbour: list[int] = source.known.name[facts.neighbour].tolist()
        self.relation: list[int] = source.same_relation[facts.relation].tolist()
        self.begin: list[int] = facts.begin.tolist()
        self.end: list[int] = facts.end.tolist()
        first, over = source.tick_seconds
        self._low: list[int] = _known(first, facts.begin, -_FAR).tolist()
        self._high: list[int] = _known(over, facts.end, _FAR).tolist()

    def has_time(self, i: int) -> bool:
        return self.begin[i] != UNKNOWN or self.end[i] != UNKNOWN

    def meets(self, i: int, other: _Keyed, j: int) -> bool:
        """Whether the two times have a second in common, open ends lasting for ever."""
        return self._low[i] < other._high[j] and other._low[j] < self._high[i]


def _known(seconds: Ints, ticks: Ints, otherwise: int) -> Ints:
    if not len(seconds):
        return np.full(len(ticks), otherwise)
    return np.where(ticks == UNKNOWN, otherwise, seconds[ticks])


Key = Callable[[_Keyed, int], Hashable | None]


def _all(side: _Keyed, i: int) -> Hashable | None:
    if side.relation[i] < 0:
        return None
    return side.neighbour[i], side.relation[i], side.begin[i], side.end[i]


def _start(side: _Keyed, i: int) -> Hashable | None:
    if side.relation[i] < 0 or side.begin[i] == UNKNOWN:
        return None
    return side.neighbour[i], side.relation[i], side.begin[i]


def _neighbour_relation(side: _Keyed, i: int) -> Hashable | None:
    return (side.neighbour[i], side.relation[i]) if side.relation[i] >= 0 else None


def _neighbour_time(side: _Keyed, i: int) -> Hashable | None:
    return (side.neighbour[i], side.begin[i], side.end[i]) if side.has_time(i) else None


def _neighbour(side: _Keyed, i: int) -> Hashable | None:
    return side.neighbour[i]


def _relation_time(side: _Keyed, i: int) -> Hashable | None:
    """For neighbours that are not linked to each other."""
    if side.relation[i] < 0 or not side.has_time(i):
        return None
    return side.relation[i], side.begin[i], side.end[i]


_KEYS: tuple[Key, ...] = (
    *(_all, _start, _neighbour_relation, _neighbour_time, _neighbour, _relation_time),
)


def _couples(sides: list[_Keyed], free: list[set[int]], key: Key) -> Iterator[tuple[int, int]]:
    """Free facts with the same key, one with one; within a key in order of time."""
    groups: tuple[defaultdict[Hashable, list[int]], ...] = (defaultdict(list), defaultdict(list))
    for side, group, places in zip(sides, groups, free, strict=True):
        for i in sorted(places):
            if (value := key(side, i)) is not None:
                group[value].append(i)
    for value, here in groups[0].items():
        yield from _in_time(sides, here, groups[1].get(value, []))


def _in_time(sides: list[_Keyed], here: list[int], there: list[int]) -> Iterator[tuple[int, int]]:
    """First those whose times meet, then what is left, in order."""
    if len(here) * len(there) > _MANY:
        yield from zip(here, there, strict=False)
        return
    rest, later = list(there), []
    for i in here:
        j = next((j for j in rest if sides[0].meets(i, sides[1], j)), None)
        if j is None:
            later.append(i)
        else:
            rest.remove(j)
            yield i, j
    yield from zip(later, rest, strict=False)


def _match(sides: list[_Keyed], i: int, j: int) -> Match:
    left, right = sides
    same_relation = left.relation[i] >= 0 and left.relation[i] == right.relation[j]
    same_neighbour = left.neighbour[i] == right.neighbour[j]
    return Match(i, j, same_neighbour, same_relation, _time(left, i, right, j))


def _time(left: _Keyed, i: int, right: _Keyed, j: int) -> str:
    if not left.has_time(i) or not right.has_time(j):
        return UNTOLD
    if (left.begin[i], left.end[i]) == (right.begin[j], right.end[j]):
        return SAME
    return OVERLAP if left.meets(i, right, j) else DIFFERENT
