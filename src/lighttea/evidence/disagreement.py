"""How much it counts that two entities tell a moment differently, estimated from the links so far.

Sources differ now and then. So: how often do the two ends of a link disagree, against how often any
two entities do? The logarithm of that ratio is the log-likelihood ratio of "one entity" against
"two", and a score is log-odds in units of the noise scale. Days less than a year apart are counted
apart from those further apart: mistakes are mostly small. Agreement counts nothing here, since
consensus has counted it already.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lighttea.evidence.moments import FAR_DAYS, MIN_SUPPORT, Moments, common_days
from lighttea.graph.pair import Links
from lighttea.types import Bools, Doubles, Ints

NEAR_DAYS = 365  # between two moments, below which it may be a slip: from one year to the next
RAREST = 0.01  # share of links that disagree, at least: no source is without mistakes
LEAST = 0.5  # scales below which a class is not looked at
BELIEVED = 0.05  # share of links with disjoint lives up to which such candidates are ruled out


@dataclass(frozen=True)
class SideMoments:
    """When the entities of one side have one class of relations."""

    place: Ints  # rising: nodes, or places among the entities of a problem
    low: Ints  # first day
    high: Ints  # day after the last

    def row_of(self, place: int) -> Ints:
        """Return the row of an entity, or no row where its moment is not known."""
        return np.flatnonzero(self.place == place)

    def take(self, kept: Ints | Bools | slice) -> SideMoments:
        """Return some of them."""
        return SideMoments(self.place[kept], self.low[kept], self.high[kept])


@dataclass(frozen=True)
class ClassMoments:
    """The moments of both sides in one class, and what disagreement counts, in scales."""

    left: SideMoments
    right: SideMoments
    number: int = -1  # of the class
    near: float = 0.0  # at most 0, for days less than a year apart
    far: float = 0.0

    def weigh(self, gap: Ints) -> Doubles:
        """Return what so many days between two moments count; 0 where they have days in common."""
        return np.where(gap >= NEAR_DAYS, self.far, np.where(gap >= 0, self.near, 0.0))


@dataclass(frozen=True)
class Contradictions:
    """The classes whose disagreement counts, and the lives of entities where these do."""

    classes: Sequence[ClassMoments]
    lives: ClassMoments | None = None

    def between(self, left: int, right: int) -> dict[int, float]:
        """Return the classes in which two entities contradict each other, and what each counts."""
        found = {}
        for own in self.classes:
            rows = own.left.row_of(left), own.right.row_of(right)
            if all(len(row) for row in rows):
                gap = int(days_between(own.left.take(rows[0]), own.right.take(rows[1]))[0])
                found[own.number] = own.weigh(np.array(gap)).item()
        return {number: scales for number, scales in found.items() if scales < 0}

    def by_place(self, left_place: Ints, right_place: Ints, n_left: int) -> Contradictions:
        """Return the same by places of a problem instead of nodes; -1 leaves an entity out."""

        def placed(own: ClassMoments) -> ClassMoments:
            return replace(
                own,
                left=_by_place(own.left, left_place, 0),
                right=_by_place(own.right, right_place, n_left),
            )

        return Contradictions(
            [placed(own) for own in self.classes], self.lives and placed(self.lives)
        )


def find_contradictions(
    moments: Moments, classes: Ints, links: Links, n_left: int
) -> Contradictions:
    """Return the classes of relations that count by these links, and the lives; by nodes."""
    linked = _link_numbers(links, n_left, moments.n_nodes)
    weighed = [
        replace(own, near=near, far=far)
        for own in moments_by_class(moments, classes, n_left)
        for near, far in [weigh_disagreement(own, linked)]
    ]
    lives = lives_of(moments, n_left)
    return Contradictions(
        [own for own in weighed if own.far <= -LEAST],
        lives if _are_believed(lives, linked) else None,
    )


def moments_by_class(moments: Moments, classes: Ints, n_left: int) -> Iterator[ClassMoments]:
    """Yield the moments of every class that both sides have, by nodes."""
    own = classes[moments.relation]
    matched = own >= 0
    keys = own[matched].astype(np.int64) * moments.n_nodes + moments.node[matched]
    low, high, key = common_days(keys, moments.low[matched], moments.high[matched])
    both = SideMoments(key, low, high).take(low < high)  # relations that tell one moment
    number = both.place // max(1, moments.n_nodes)
    for begin, end in _runs(number):
        part = both.take(slice(begin, end))
        node = (part.place % moments.n_nodes).astype(np.int32)
        sides = _split(replace(part, place=node), n_left)
        if all(len(side.place) for side in sides):
            yield ClassMoments(*sides, number=int(number[begin]))


def lives_of(moments: Moments, n_left: int) -> ClassMoments:
    """Return the lives of all nodes of which a begin or an end is known."""
    low, high = moments.lifetimes
    node = np.flatnonzero((low > -FAR_DAYS) | (high < FAR_DAYS)).astype(np.int32)
    return ClassMoments(*_split(SideMoments(node, low[node], high[node]), n_left))


def weigh_disagreement(own: ClassMoments, linked: Ints) -> tuple[float, float]:
    """Return what near and far disagreement count, in scales; 0 where too few links know both.

    `linked` has the number of the link that each node is in, or -1.
    """
    left, right = _both_linked(own, linked)
    if len(left.place) < MIN_SUPPORT:
        return 0.0, 0.0
    gap = days_between(left, right)
    apart, far_apart = (chance_apart(own, days) for days in (0, NEAR_DAYS))
    near = _log_ratio((gap >= 0) & (gap < NEAR_DAYS), apart - far_apart)
    return near, _log_ratio(gap >= NEAR_DAYS, far_apart)


def days_between(left: SideMoments, right: SideMoments) -> Ints:
    """Return the days between two moments, row by row; below 0 where they have days in common."""
    return np.asarray(np.maximum(right.low - left.high, left.low - right.high))


def chance_apart(own: ClassMoments, days: int) -> float:
    """Return the share of all couples of a left and a right entity that lie so far apart."""
    left, right = own.left, own.right
    n_right = len(right.place)
    later = n_right - np.searchsorted(np.sort(right.low), left.high + days)
    earlier = np.searchsorted(np.sort(right.high), left.low - days, side="right")
    return float((later + earlier).mean() / n_right)


def _log_ratio(disagree: Bools, chance: float) -> float:
    """Return the log-likelihood ratio of disagreement, at most 0."""
    rate = max(RAREST, (int(disagree.sum()) + 1) / (len(disagree) + 2))
    return min(0.0, math.log(rate / chance)) if chance > 0 else 0.0


def _are_believed(lives: ClassMoments, linked: Ints) -> bool:
    """Whether lives without a common day are so rare among links that they rule a link out."""
    left, right = _both_linked(lives, linked)
    known = (left.high < FAR_DAYS) & (right.low > -FAR_DAYS)
    known |= (right.high < FAR_DAYS) & (left.low > -FAR_DAYS)
    n_apart = int((days_between(left, right) >= 0).sum())
    return (n_apart + 1) / (int(known.sum()) + 2) <= BELIEVED


def _both_linked(own: ClassMoments, linked: Ints) -> tuple[SideMoments, SideMoments]:
    """Return the moments of the links that both ends know, row by row."""
    left, right = (
        np.where(linked[side.place] < 0, -1 - number, linked[side.place])  # -1 and -2 never meet
        for number, side in enumerate((own.left, own.right))
    )
    _, left_row, right_row = np.intersect1d(left, right, return_indices=True)
    return own.left.take(left_row), own.right.take(right_row)


def _link_numbers(links: Links, n_left: int, n_nodes: int) -> Ints:
    linked = np.full(n_nodes, -1, np.int32)
    numbers = np.arange(len(links), dtype=np.int32)
    linked[links.left], linked[links.right + n_left] = numbers, numbers
    return linked


def _by_place(side: SideMoments, places: Ints, first: int) -> SideMoments:
    place = places[side.place - first]
    return replace(side, place=place).take(place >= 0)


def _split(both: SideMoments, n_left: int) -> tuple[SideMoments, SideMoments]:
    """Return the moments of the left and of the right nodes; right ones lie behind left ones."""
    middle = int(np.searchsorted(both.place, n_left))
    return both.take(slice(None, middle)), both.take(slice(middle, None))


def _runs(numbers: Ints) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each run of equal numbers."""
    if len(numbers):
        cuts = (np.flatnonzero(np.diff(numbers)) + 1).tolist()
        yield from zip([0, *cuts], [*cuts, len(numbers)], strict=True)
