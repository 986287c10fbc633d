"""Work done once: a left entity that is paired does not search all of the right side again.

In a later round it chooses anew among its best candidates of the round before, by the new labels:
a wrong pair can still be corrected, at a hundredth of the cost of a search. Where pairs are chosen
anew in every round everybody searches again, and a few best candidates of the round before stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.kernels.rows import BLOCK_ROWS, Rows
from lighttea.similarity.topk import NONE, Candidates, Found
from lighttea.types import Floats, Ints

KEPT = 100  # candidates that a paired entity chooses among
STAY = 10  # candidates that stay where everybody searches again


@dataclass(frozen=True)
class Settled:
    """Paired left entities and their best candidates so far."""

    rows: Ints  # (n,) places among those who ask
    index: Ints  # (n, at most 100) places among those who may answer; -1 where there is none

    @classmethod
    def nobody(cls) -> Settled:
        """Before the first round."""
        return cls(np.empty(0, np.int64), np.empty((0, 1), np.int32))

    @classmethod
    def of(cls, candidates: Candidates, value: Floats, paired: Ints, k: int = KEPT) -> Settled:
        """The best candidates, by value after assignment, of those who ask and are paired.

        At most `k` of them, the number that a search would find.
        """
        rows = np.flatnonzero(np.isin(candidates.left, paired))
        index, kept = candidates.index[rows], min(KEPT, k, candidates.index.shape[1])
        order = np.where(index == NONE, -np.inf, value[rows] + 1e-6 * candidates.score[rows])
        best = np.argpartition(-order, kept - 1, axis=1)[:, :kept]
        return cls(rows, np.take_along_axis(index, best, axis=1))

    def table(self, n_rows: int) -> Ints:
        """(n_rows, k): everybody's candidates, -1 for those who are not settled."""
        found = np.full((n_rows, self.index.shape[1]), NONE, np.int32)
        found[self.rows] = self.index
        return found


def score_again(found: Found, settled: Settled, left: Rows, right: Rows) -> None:
    """Put the candidates of the settled rows into what a search found, scored by these labels."""
    for begin in range(0, len(settled.rows), BLOCK_ROWS):
        rows = settled.rows[begin : begin + BLOCK_ROWS]
        index = settled.index[begin : begin + BLOCK_ROWS]
        found.index[rows, : index.shape[1]] = index
        found.label[rows, : index.shape[1]] = left.dots(right, rows, index)
