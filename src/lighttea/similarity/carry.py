"""Candidates that are carried over from one round to the next.

A left entity that is paired does not search all of the right side again: it chooses anew among
its best candidates of the round before, by the new labels. A wrong pair can still be corrected, at
a hundredth of the cost of a search. Where promotions are revised in every round, a few best
candidates of all entities are kept beside what they find, or what evidence proposes to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.engines.layout import Cuts
from lighttea.engines.ops import Ops
from lighttea.engines.tables import TopK
from lighttea.similarity.candidates import Candidates, join_tables
from lighttea.types import NO_CANDIDATE, A, Ints

CARRIED = 100  # candidates that a paired entity chooses among
CARRIED_BESIDE_SEARCH = 10  # candidates that are kept where promotions are revised


@dataclass(frozen=True)
class CarriedCandidates:
    """Some left entities and their best candidates of the round before."""

    rows: Ints  # (n,) places among the left entities of the problem
    index: Ints  # (n, at most 100) places among the right entities; -1 where there is none

    @classmethod
    def none(cls) -> CarriedCandidates:
        """Return what the first round begins with."""
        return cls(np.empty(0, np.int64), np.empty((0, 1), np.int32))

    def split(self, cuts: Cuts) -> list[CarriedCandidates]:
        """Return those of each block, rows counted from the block's begin."""
        blocks = []
        for rows in cuts:
            here = (self.rows >= rows.start) & (self.rows < rows.stop)
            blocks.append(CarriedCandidates(self.rows[here] - rows.start, self.index[here]))
        return blocks


def join_carried(parts: Sequence[CarriedCandidates]) -> CarriedCandidates:
    """Return those of all blocks, as wide as the widest."""
    return CarriedCandidates(
        np.concatenate([part.rows for part in parts]),
        join_tables([part.index for part in parts], NO_CANDIDATE),
    )


# ----------------------------------------------------------------------------- of one block


def carry_over(
    ops: Ops[A], candidates: Candidates[A], value: A, rows: Ints, k: int, begin: int
) -> CarriedCandidates:
    """Return the k best candidates, by value after assignment, of some rows of a block.

    At most 100; rows of the result are counted through all blocks.
    """
    own = ops.asarray(rows, "int64")
    index, width = candidates.index[own], min(CARRIED, k, candidates.width)
    worth = value[own] + 1e-6 * candidates.score[own]
    best = ops.top_columns(ops.where(index >= 0, worth, -np.inf), width)
    kept = ops.to_numpy(ops.take_along_rows(index, best))
    return CarriedCandidates(rows + begin, kept.astype(np.int32))


def carried_table(ops: Ops[A], carried: CarriedCandidates, n_rows: int) -> A:
    """Return the candidates as a table of all rows of a block; -1 where none is carried over."""
    table = np.full((n_rows, carried.index.shape[1]), NO_CANDIDATE, np.int32)
    table[carried.rows] = carried.index
    return ops.asarray(table)


def replace_carried(ops: Ops[A], top: TopK[A], rows: Ints, index: A, label: A) -> TopK[A]:
    """Return what a search found, with carried candidates in the place of their rows."""
    places, labels = ops.copy(top.index), ops.copy(top.label)
    own, width = ops.asarray(rows, "int64"), index.shape[1]
    places[own, :width] = index
    labels[own, :width] = label
    return TopK(places, labels)
