"""Matching of the facts of two entities: by neighbour, relation and time, in that order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from lighttea.explain.source import Neighbourhood, Source
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import Ints

SAME, OVERLAPPING, DIFFERENT, UNKNOWN_TIME = "same", "overlaps", "differs", "unknown"
_FAR = 1 << 62
_MOST_COMPARISONS = 40_000  # of times, among facts with the same key; beyond it order alone decides


@dataclass(frozen=True)
class Match:
    """A fact of the left entity and a fact of the right one that probably state the same."""

    left: int  # places in the two neighbourhoods
    right: int
    same_neighbour: bool
    same_relation: bool
    time: str  # same, overlaps, differs or unknown
    contradiction: float = 0.0  # scales that it counts against the pair, at most 0

    @property
    def agrees(self) -> bool:
        """Same neighbour, at times that do not exclude each other."""
        return self.same_neighbour and self.time != DIFFERENT

    @property
    def contradicts(self) -> bool:
        """Whether only one of the two facts can be true; that counts against the pair."""
        return self.contradiction < 0


def match_facts(
    left: Neighbourhood, right: Neighbourhood, source: Source, against: Mapping[int, float]
) -> list[Match]:
    """Return matches in which each fact is at most once; facts that agree in most come first.

    Before them come those that contradict: `against` has the classes of relations that do, and the
    scales that each counts.
    """
    sides = [_FactColumns(facts, source) for facts in (left, right)]
    unmatched: list[set[int]] = [set(range(len(facts))) for facts in (left, right)]
    matches = []
    for number, scales in against.items():
        i, j = (_first_of_class(facts, source, number) for facts in (left, right))
        matches.append(replace(_make_match(sides, i, j), contradiction=scales))
        unmatched[0].discard(i)
        unmatched[1].discard(j)
    for key in _MATCH_KEYS:
        for i, j in _match_by_key(sides, unmatched, key):
            unmatched[0].discard(i)
            unmatched[1].discard(j)
            matches.append(_make_match(sides, i, j))
    return sorted(matches, key=lambda match: match.left)


def _first_of_class(facts: Neighbourhood, source: Source, number: int) -> int:
    """Return the place of an entity's first fact of a class of relations."""
    has_time = (facts.begin != UNKNOWN) | (facts.end != UNKNOWN)
    return int(np.argmax((source.evidence_relation[facts.relation] == number) & has_time))


class _FactColumns:
    """Facts in terms that both sides share: linked neighbours, relation classes, ticks."""

    def __init__(self, facts: Neighbourhood, source: Source) -> None:
        self.neighbour: list[int] = source.known.name[facts.neighbour].tolist()
        self.relation: list[int] = source.same_relation[facts.relation].tolist()
        self.begin: list[int] = facts.begin.tolist()
        self.end: list[int] = facts.end.tolist()
        first, over = source.tick_seconds
        self._low: list[int] = _seconds_or(first, facts.begin, -_FAR).tolist()
        self._high: list[int] = _seconds_or(over, facts.end, _FAR).tolist()

    def has_time(self, i: int) -> bool:
        return self.begin[i] != UNKNOWN or self.end[i] != UNKNOWN

    def overlaps(self, i: int, other: _FactColumns, j: int) -> bool:
        """Whether two times have a second in common; an open end is unlimited."""
        return self._low[i] < other._high[j] and other._low[j] < self._high[i]


def _seconds_or(seconds: Ints, ticks: Ints, otherwise: int) -> Ints:
    if not len(seconds):
        return np.full(len(ticks), otherwise)
    return np.where(ticks == UNKNOWN, otherwise, seconds[ticks])


Key = Callable[[_FactColumns, int], Hashable | None]


def _key_all(side: _FactColumns, i: int) -> Hashable | None:
    if side.relation[i] < 0:
        return None
    return side.neighbour[i], side.relation[i], side.begin[i], side.end[i]


def _key_begin(side: _FactColumns, i: int) -> Hashable | None:
    if side.relation[i] < 0 or side.begin[i] == UNKNOWN:
        return None
    return side.neighbour[i], side.relation[i], side.begin[i]


def _key_neighbour_relation(side: _FactColumns, i: int) -> Hashable | None:
    return (side.neighbour[i], side.relation[i]) if side.relation[i] >= 0 else None


def _key_neighbour_time(side: _FactColumns, i: int) -> Hashable | None:
    return (side.neighbour[i], side.begin[i], side.end[i]) if side.has_time(i) else None


def _key_neighbour(side: _FactColumns, i: int) -> Hashable | None:
    return side.neighbour[i]


def _key_relation_time(side: _FactColumns, i: int) -> Hashable | None:
    """The key of facts whose neighbours are not linked."""
    if side.relation[i] < 0 or not side.has_time(i):
        return None
    return side.relation[i], side.begin[i], side.end[i]


_MATCH_KEYS: tuple[Key, ...] = (
    *(
        _key_all,
        _key_begin,
        _key_neighbour_relation,
        _key_neighbour_time,
        _key_neighbour,
        _key_relation_time,
    ),
)


def _match_by_key(
    sides: list[_FactColumns], unmatched: list[set[int]], key: Key
) -> Iterator[tuple[int, int]]:
    """Yield one-to-one matches of unmatched facts with the same key."""
    groups: tuple[defaultdict[Hashable, list[int]], ...] = (defaultdict(list), defaultdict(list))
    for side, group, places in zip(sides, groups, unmatched, strict=True):
        for i in sorted(places):
            if (value := key(side, i)) is not None:
                group[value].append(i)
    for value, left_facts in groups[0].items():
        yield from _match_by_time(sides, left_facts, groups[1].get(value, []))


def _match_by_time(
    sides: list[_FactColumns], left_facts: list[int], right_facts: list[int]
) -> Iterator[tuple[int, int]]:
    """Yield facts whose times overlap first, then the rest in order."""
    if len(left_facts) * len(right_facts) > _MOST_COMPARISONS:
        yield from zip(left_facts, right_facts, strict=False)
        return
    rest, unmatched = list(right_facts), []
    for i in left_facts:
        j = next((j for j in rest if sides[0].overlaps(i, sides[1], j)), None)
        if j is None:
            unmatched.append(i)
        else:
            rest.remove(j)
            yield i, j
    yield from zip(unmatched, rest, strict=False)


def _make_match(sides: list[_FactColumns], i: int, j: int) -> Match:
    left, right = sides
    same_relation = left.relation[i] >= 0 and left.relation[i] == right.relation[j]
    same_neighbour = left.neighbour[i] == right.neighbour[j]
    return Match(i, j, same_neighbour, same_relation, _compare_times(left, i, right, j))


def _compare_times(left: _FactColumns, i: int, right: _FactColumns, j: int) -> str:
    if not left.has_time(i) or not right.has_time(j):
        return UNKNOWN_TIME
    if (left.begin[i], left.end[i]) == (right.begin[j], right.end[j]):
        return SAME
    return OVERLAPPING if left.overlaps(i, right, j) else DIFFERENT
