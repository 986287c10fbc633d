"""Facts that can be true only once and that two candidates tell differently.

Relations that hold once (`moments.py`) and that the links so far match give each entity at most one
moment of a class. Two entities that both know it, at days that exclude each other, contradict each
other: that lowers the score of the pair. A year and a day in that year have days in common. Where
one life ends before the other begins the pair is no candidate at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Generic

import numpy as np

from lighttea.engines.base import Blocks, Engine, Handle, Ops
from lighttea.evidence.disagreement import (
    NEAR_DAYS,
    ClassMoments,
    Contradictions,
    find_contradictions,
)
from lighttea.evidence.facts import TimedFacts
from lighttea.evidence.moments import FAR_DAYS, Moments
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.graph.pair import Links, Pair
from lighttea.types import NO_CANDIDATE, A, Ints, LeftIds, RightIds

MOST = 8.0  # scales that all contradictions of a candidate count at most
_ROWS = 4096  # of a table, looked at together


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
        places = places_of(self._left, pair.n_left), places_of(self._right, pair.n_right)
        return engine.hold(found.by_place(*places, pair.n_left))

    def strike(self, found: Handle[Contradictions], index: Blocks[A]) -> Blocks[A]:
        """Return the places of candidates without those whose lives have no day in common.

        What a seed says stays: an entity with a seed is no candidate.
        """
        return self._engine.map(possible_candidates, found, self._rows, index, len(self._right))

    def terms(self, found: Handle[Contradictions], index: Blocks[A], scale: float) -> Blocks[A]:
        """Return what contradictions add to the score of each candidate, (n, k), at most 0."""
        arguments = found, self._rows, index, len(self._right), scale
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


def relation_classes(ops: Ops[A], facts: TimedFacts[A], links: Links) -> Ints:
    """Return one number for relations that say the same by these links, -1 without match."""
    return match_relations(ops, facts, LinkedNodes.of(ops, facts.pair, links)).classes()


def contradiction_terms(
    ops: Ops[A], found: Contradictions, rows: slice, index: A, n_right: int, scale: float
) -> A:
    """Return what contradictions add to the score of each candidate of a block, (n, k)."""
    out = ops.full(tuple(index.shape), 0.0, "float32")
    for own in found.classes:
        for here, gap in gaps_of_candidates(ops, own, rows, index, n_right):
            is_apart = ops.astype(gap >= 0, "float32")
            is_far = ops.astype(gap >= NEAR_DAYS, "float32")
            out[here] = out[here] + (is_apart * own.near + is_far * (own.far - own.near))
    terms: A = ops.clip(out, -MOST, 0.0) * scale
    return terms


def possible_candidates(
    ops: Ops[A], found: Contradictions, rows: slice, index: A, n_right: int
) -> A:
    """Return the places of a block's candidates, -1 for those whose lives exclude each other."""
    if found.lives is None:
        return index
    kept = ops.copy(index)
    for here, gap in gaps_of_candidates(ops, found.lives, rows, index, n_right):
        kept[here] = ops.where(gap >= 0, NO_CANDIDATE, index[here])
    return kept


def gaps_of_candidates(
    ops: Ops[A], own: ClassMoments, rows: slice, index: A, n_right: int
) -> Iterator[tuple[A, A]]:
    """Yield rows of a block that know a class, and the days between them and their candidates.

    Below 0 where days are in common, or the candidate does not know the class.
    """
    first, last = np.searchsorted(own.left.place, [rows.start, rows.stop]).tolist()
    low, high = (ops.full((n_right + 1,), far, "int32") for far in (-FAR_DAYS, FAR_DAYS))
    known = ops.asarray(own.right.place, "int64")
    low[known], high[known] = ops.asarray(own.right.low), ops.asarray(own.right.high)
    for begin in range(first, last, _ROWS):
        left = own.left.take(slice(begin, min(begin + _ROWS, last)))
        here = ops.asarray(left.place - rows.start, "int64")
        place = ops.astype(index[here], "int64")  # -1, for none, is the last, which knows nothing
        later = low[place] - ops.asarray(left.high)[:, None]
        earlier = ops.asarray(left.low)[:, None] - high[place]
        yield here, ops.where(later > earlier, later, earlier)
