"""S^l: the top-k right entities of each left entity by inner product, exactly and in blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lighttea.engines import kernels
from lighttea.types import Bools, Floats, Ints, LeftIds, RightIds

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
    left_ids: LeftIds,
    right_ids: RightIds,
    left: Floats,
    right: Floats,
    k: int,
    *,
    left_rows: int = 1024,
    right_rows: int = 4096,
) -> Candidates:
    """The k best right entities of each left one. An entity without a label has no candidate.

    A zero label means that nothing is known of an entity; its similarities are all zero, and any
    order among them would be the order of the ids.
    """
    asks = np.flatnonzero(kernels.nonzero_rows(left))
    answers = np.flatnonzero(kernels.nonzero_rows(right))
    k = max(1, min(k, len(right)))
    index = np.full((len(left), k), NONE, np.int32)
    label = np.zeros((len(left), k), np.float32)
    kept = min(k, len(answers))
    for begin in range(0, len(asks) if kept else 0, left_rows):
        rows = asks[begin : begin + left_rows]
        values, places, filled = kernels.selection_buffers(len(rows), kept)
        block = left[rows]
        for offset in range(0, len(answers), right_rows):
            others = _rows(right, answers[offset : offset + right_rows])
            kernels.select_largest(block @ others.T, offset, values, places, filled)
        kernels.finish_largest(values, places, filled)
        index[rows, :kept], label[rows, :kept] = answers[places[:, :kept]], values[:, :kept]
    return Candidates(left_ids, right_ids, index, label, np.full_like(label, np.nan), label)


def _rows(matrix: Floats, numbers: Ints) -> Floats:
    """These rows, without a copy where they stand together."""
    first, last = int(numbers[0]), int(numbers[-1])
    return matrix[first : last + 1] if last - first + 1 == len(numbers) else matrix[numbers]
