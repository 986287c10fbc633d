"""Facts that can be true only once and that two candidates tell differently.

Relations that hold once (`moments.py`) and that the links so far match give each entity at most one
moment of a class. Two entities that both know it, at days that exclude each other, contradict each
other: that lowers the score of the pair. A year and a day in that year have days in common. Where
one life ends before the other begins the pair is no candidate at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.ops import Ops
from lighttea.evidence.disagreement import (
    NEAR_DAYS,
    ClassMoments,
    Contradictions,
    find_contradictions,
)
from lighttea.evidence.facts import TimedFacts
from lighttea.evidence.moments import FAR_DAYS, Moments
from lighttea.evidence.relations import relation_classes
from lighttea.graph.pair import Links, Pair
from lighttea.types import NO_CANDIDATE, A, Ints, LeftIds, RightIds

MOST = 8.0  # scales that all contradictions of a candidate count at most
_PARTS = 16  # of a block of rows that are looked at one after the other: they stay in a cache


class ContradictionSource(Generic[A]):
    """The moments of a problem, ready to be compared by any links."""

    def __init__(
        self,
        engine: Engine[A],
        facts: Handle[TimedFacts[A]],
        pair: Pair,
        left: LeftIds,
        right: RightIds,
    ) -> None:
        self._engine, self._facts, self._pair = engine, facts, pair
        self._left, self._right = left, right

    @cached_property
    def _moments(self) -> Moments:
        """The moments of all entities, found once."""
        return Moments.of(self._pair)

    def gather(self, links: Links) -> Handle[Contradictions] | None:
        """Return what disagreement counts by these links; None where nothing counts."""
        engine, pair = self._engine, self._pair
        if not len(self._moments.node) or not len(links):
            return None
        matched = engine.run(relation_classes, self._facts, engine.hold(links))
        found = find_contradictions(self._moments, engine.fetch(matched), links, pair.n_left)
        if not found.classes and found.lives is None:
            return None
        n_right = pair.n_right + pair.n_decoys
        places = places_of(self._left, pair.n_left), places_of(self._right, n_right)
        return engine.hold(found.by_place(*places, pair.n_left))

    def strike(self, found: Handle[Contradictions], index: Blocks[A]) -> Blocks[A]:
        """Return the places of candidates without those whose lives have no day in common.

        What a seed says stays: an entity with a seed is no candidate.
        """
        return self._engine.map(possible_candidates, found, self._rows, index, len(self._right))

    def terms(self, found: Handle[Contradictions], index: Blocks[A]) -> Blocks[A]:
        """Return what contradictions count against each candidate, in scales, (n, k)."""
        arguments = found, self._rows, index, len(self._right)
        return self._engine.map(contradiction_terms, *arguments)

    @property
    def _rows(self) -> Blocks[slice]:
        return Blocks(self._engine.hold(rows) for rows in self._engine.layout.left)


def places_of(ids: Ints, n: int) -> Ints:
    """Return the place of each of n entities among the ids, -1 where it is not among them."""
    places = np.full(n, -1, np.int32)
    places[ids] = np.arange(len(ids), dtype=np.int32)
    return places


# ----------------------------------------------------------------------------- of one block


def contradiction_terms(
    ops: Ops[A], found: Contradictions, rows: slice, index: A, n_right: int
) -> A:
    """Return what contradictions count against each candidate of a block, in scales, (n, k)."""
    out = ops.full(tuple(index.shape), 0.0, "float32")
    for own in found.classes:
        steps = [(0, own.near), (NEAR_DAYS, own.far - own.near)]
        for here, days in compared_days(ops, own, rows, index, n_right):
            for least, weight in steps:
                if weight:
                    is_apart = ops.astype(days.lie_apart(least), "float32")
                    out[here] = out[here] + is_apart * weight
    return out


def add_in_scores(ops: Ops[A], scale: float, *terms: A) -> A:
    """Return what all contradictions add to the score of each candidate of a block, at most 0."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    in_scores: A = ops.clip(total, -MOST, 0.0) * scale
    return in_scores


def possible_candidates(
    ops: Ops[A], found: Contradictions, rows: slice, index: A, n_right: int
) -> A:
    """Return the places of a block's candidates, -1 for those whose lives exclude each other."""
    if found.lives is None:
        return index
    kept = ops.copy(index)
    for here, days in compared_days(ops, found.lives, rows, index, n_right):
        kept[here] = ops.where(days.lie_apart(0), NO_CANDIDATE, index[here])
    return kept


@dataclass(frozen=True)
class ComparedDays(Generic[A]):
    """The moments of some left entities, (n, 1), and of their candidates, (n, k)."""

    left_low: A
    left_high: A
    low: A
    high: A

    def lie_apart(self, days: int) -> A:
        """Return which moments have at least so many days between them."""
        apart: A = (self.low >= self.left_high + days) | (self.high <= self.left_low - days)
        return apart


def compared_days(
    ops: Ops[A], own: ClassMoments, rows: slice, index: A, n_right: int
) -> Iterator[tuple[A, ComparedDays[A]]]:
    """Yield a few rows of a block that know a class, and its days there and at the candidates.

    A candidate that does not know the class has a moment without limits.
    """
    first, last = np.searchsorted(own.left.place, [rows.start, rows.stop]).tolist()
    low, high = (ops.full((n_right + 1,), far, "int32") for far in (-FAR_DAYS, FAR_DAYS))
    known = ops.asarray(own.right.place, "int64")
    low[known], high[known] = ops.asarray(own.right.low), ops.asarray(own.right.high)
    step = max(1, ops.block_rows // _PARTS)
    for begin in range(first, last, step):
        left = own.left.take(slice(begin, min(begin + step, last)))
        here = ops.asarray(left.place - rows.start, "int64")
        place = ops.astype(index[here], "int64")  # -1, for none, is the last, which knows nothing
        left_low, left_high = (ops.asarray(days)[:, None] for days in (left.low, left.high))
        yield here, ComparedDays(left_low, left_high, low[place], high[place])
