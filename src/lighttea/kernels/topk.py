"""The k largest inner products of rows, exactly and in blocks."""

from __future__ import annotations

import math

import numpy as np

from lighttea.kernels import selection
from lighttea.kernels.rows import NumpyRows
from lighttea.kernels.same_rows import find_copies, rank_in_group
from lighttea.types import NO_CANDIDATE, Floats, Ints

_SAMPLED, _SAMPLE_AT_MOST = 32, 4096  # every 32nd right row tells the likely floor, at most 4,096


def top_k(
    left: NumpyRows,
    right: NumpyRows,
    k: int,
    *,
    asking: Ints | None = None,
    left_rows: int = 4096,
    right_rows: int = 2048,
) -> tuple[Ints, Floats]:
    """Return the k best right rows of the asking left rows (all, unless told), in no order.

    Places of right rows and inner products, (n_left, k); -1 and 0 where there are fewer. A zero
    row means that nothing is known of an entity; its similarities are all zero, and any order among
    them would be the order of the ids. It has no candidate and is none.

    Where most left rows are copies, as the leaves of a hub are, one of each is compared, and with k
    of identical right rows at most: no left row can tell the others from those.
    """
    width = max(1, min(k, len(right)))
    index = np.full((len(left), width), NO_CANDIDATE, np.int32)
    value = np.zeros((len(left), width), np.float32)
    answers = _limit_copies(right, np.flatnonzero(right.filled), width)
    rows = np.flatnonzero(left.filled)
    if asking is not None:
        rows = np.intersect1d(rows, asking)
    copies = find_copies(left, rows)
    searched = rows if copies is None else rows[np.sort(copies[0])]
    kept = min(width, len(answers))
    for begin in range(0, len(searched) if kept else 0, left_rows):
        search = _Search(right, answers, kept, right_rows, index, value)
        search.fill(left, searched[begin : begin + left_rows])
    if copies is not None:
        first, group = copies
        index[rows], value[rows] = index[rows[first[group]]], value[rows[first[group]]]
    return index, value


def _limit_copies(rows: NumpyRows, chosen: Ints, most: int) -> Ints:
    """Return the chosen rows without those that are identical to so many before them."""
    copies = find_copies(rows, chosen)
    return chosen if copies is None else chosen[rank_in_group(copies[1]) < most]


class _Search:
    """Searches the right rows for one block of left rows."""

    def __init__(
        self,
        right: NumpyRows,
        answers: Ints,
        kept: int,
        right_rows: int,
        index: Ints,
        value: Floats,
    ) -> None:
        self._right, self._answers, self._kept = right, answers, kept
        self._right_rows, self._index, self._value = right_rows, index, value

    def fill(self, left: NumpyRows, rows: Ints) -> None:
        block = left.take(rows)
        short = self._select(rows, block, self._likely_floors(block))
        if len(short):  # too few above the floor that the sample promised: again, without one
            floors = np.full(len(short), -np.inf, np.float32)
            self._select(rows[short], np.ascontiguousarray(block[short]), floors)

    def _select(self, rows: Ints, block: Floats, floors: Floats) -> Ints:
        """Keep each row's best, products block by block; return the rows that came out short."""
        answers, kept, right_rows = self._answers, self._kept, self._right_rows
        values, places, filled = selection.selection_buffers(len(rows), kept)
        scores = np.empty((len(rows), min(right_rows, len(answers))), np.float32)
        for offset in range(0, len(answers), right_rows):
            others = self._right.take(answers[offset : offset + right_rows])
            part = scores[:, : len(others)]
            np.matmul(block, others.T, out=part)
            selection.select_above(part, offset, floors, values, places, filled)
        selection.finish_largest(values, places, filled)
        done = np.flatnonzero(filled >= kept)
        self._index[rows[done], :kept] = answers[places[done, :kept]]
        self._value[rows[done], :kept] = values[done, :kept]
        return np.flatnonzero(filled < kept)

    def _likely_floors(self, block: Floats) -> Floats:
        """Return for each row a value that a little more than `kept` of all scores should exceed.

        Taken from the scores of every 32nd right row: three standard deviations to the safe side.
        """
        answers = self._answers
        sample = answers[:: max(_SAMPLED, len(answers) // _SAMPLE_AT_MOST)]
        expected = self._kept * len(sample) / len(answers)
        return floors_by_sample(block, self._right.take(sample), expected)


def floors_by_sample(rows: Floats, sample: Floats, expected: float) -> Floats:
    """Return for each row what a little more than `expected` of the sampled rows exceed."""
    rank = int(expected + 3 * math.sqrt(expected) + 3)
    if rank >= len(sample) // 2:
        return np.full(len(rows), -np.inf, np.float32)
    floors: Floats = selection.likely_floors(rows @ sample.T, rank)
    return floors
