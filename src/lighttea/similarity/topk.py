"""S^l: the top-k right entities of each left entity by inner product, exactly and in blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lighttea.engines import kernels
from lighttea.types import Bools, Floats, Ints, LeftIds, RightIds

BLOCK_LEFT = 1024
BLOCK_RIGHT = 4096
NONE = -1  # stands where an entity has fewer than k candidates


@dataclass(frozen=True)
class Candidates:
    """The sparse similarity of eq. 9. Row i belongs to `left[i]`, a column's number to `right`.

    `index[i, c]` is a position in `right`, or -1; `score` is the blended similarity: the label
    term and the time term added up. The candidates of a row are in no order.
    """

    left: LeftIds  # (n,) who asks
    right: RightIds  # (m,) who may answer
    index: Ints  # (n, k)
    label: Floats  # (n, k) the label similarity S^l
    time: Floats  # (n, k) the time similarity S^t; NaN where a time is unknown
    score: Floats  # (n, k) S'

    @property
    def valid(self) -> Bools:
        """Where there is a candidate."""
        return np.asarray(self.index != NONE)

    def with_scores(self, *, time: Floats, score: Floats) -> Candidates:
        """The same candidates with other similarities."""
        return replace(self, time=time, score=score)


def top_k(
    left_ids: LeftIds, right_ids: RightIds, left: Floats, right: Floats, k: int
) -> Candidates:
    """The k best right entities of each left one. An entity without a label has no candidate.

    A zero label means that nothing is known of an entity; its similarities are all zero, and any
    order among them would be the order of the ids.
    """
    asks, answers = np.flatnonzero(left.any(axis=1)), np.flatnonzero(right.any(axis=1))
    k = max(1, min(k, len(right)))
    index = np.full((len(left), k), NONE, np.int32)
    label = np.zeros((len(left), k), np.float32)
    if len(asks) and len(answers):
        kept = min(k, len(answers))
        places, values = _search(left[asks], right[answers], kept)
        index[asks, :kept], label[asks, :kept] = answers[places], values
    return Candidates(left_ids, right_ids, index, label, np.full_like(label, np.nan), label)


def _search(left: Floats, right: Floats, k: int) -> tuple[Ints, Floats]:
    """Blocked products and a selection that keeps the best k seen so far: (n, k) each."""
    index = np.empty((len(left), k), np.int32)
    value = np.empty((len(left), k), np.float32)
    for begin in range(0, len(left), BLOCK_LEFT):
        rows = left[begin : begin + BLOCK_LEFT]
        values, places, filled = kernels.selection_buffers(len(rows), k)
        for offset in range(0, len(right), BLOCK_RIGHT):
            scores = rows @ right[offset : offset + BLOCK_RIGHT].T  # (n_rows, n_block)
            kernels.select_largest(scores, offset, values, places, filled)
        kernels.finish_largest(values, places, filled)
        index[begin : begin + BLOCK_LEFT] = places[:, :k]
        value[begin : begin + BLOCK_LEFT] = values[:, :k]
    return index, value
