"""S^l: the top-k right entities of each left entity by inner product, exactly and in blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from lighttea.kernels import products, selection
from lighttea.kernels.rows import Rows
from lighttea.kernels.threads import current_threads
from lighttea.types import Bools, Bytes, Floats, Ints, LeftIds, RightIds

NONE = -1  # stands where an entity has fewer than k candidates
_SAMPLED, _SAMPLE_AT_MOST = 32, 4096  # every 32nd right row tells the likely floor, at most 4,096


@dataclass(frozen=True)
class Found:
    """What a search found: for each left row the places of right rows and their inner products.

    In no order; -1 and 0 where there are fewer than k.
    """

    index: Ints  # (n_left, k)
    label: Floats  # (n_left, k)

    @classmethod
    def none(cls, n_left: int, k: int) -> Found:
        """Room for k, nothing found yet."""
        k = max(1, k)
        return cls(np.full((n_left, k), NONE, np.int32), np.zeros((n_left, k), np.float32))

    @property
    def k(self) -> int:
        """How many there is room for."""
        return int(self.index.shape[1])


@dataclass(frozen=True)
class Candidates:
    """The sparse similarity of eq. 9. Row i belongs to `left[i]`, a column's number to `right`.

    `index[i, c]` is a position in `right`, or -1; `score` is the blended similarity: the label
    term, the time term and what the links so far say, added up. The candidates of a row are in
    no order.
    """

    left: LeftIds  # (n,) who asks
    right: RightIds  # (m,) who may answer
    index: Ints  # (n, k)
    label: Floats  # (n, k) the label similarity S^l
    time: Floats  # (n, k) the time similarity S^t; NaN where a time is unknown
    score: Floats  # (n, k) S'
    consensus: Floats | None = None  # (n, k) what the links so far say, where they are asked
    source: Bytes | None = None  # (n, k) which searches found it, where it is known

    @classmethod
    def of(
        cls, left: LeftIds, right: RightIds, found: Found, source: Bytes | None = None
    ) -> Candidates:
        """What a search found, scored by labels alone so far."""
        unknown = np.full_like(found.label, np.nan)
        return cls(left, right, found.index, found.label, unknown, found.label, source=source)

    @property
    def valid(self) -> Bools:
        """Where there is a candidate."""
        return np.asarray(self.index != NONE)

    def with_times(self, time: Floats) -> Candidates:
        """The same candidates, the similarity of their times known."""
        return replace(self, time=time)

    def with_consensus(self, consensus: Floats) -> Candidates:
        """The same candidates, what the links so far say of them known."""
        return replace(self, consensus=consensus)

    def weighted(self, time: float, consensus: float) -> Candidates:
        """S': label and time similarity blended (eq. 9), then what the links so far say.

        Unknown time is neutral: the label stands for it. Counting it as zero overlap would make
        it evidence against a link.
        """
        score = self.label
        if time:
            score = np.float32(1 - time) * self.label
            score += np.float32(time) * self.time
            np.copyto(score, self.label, where=np.isnan(self.time))
        if self.consensus is not None:
            score = np.float32(1 - consensus) * score + np.float32(consensus) * self.consensus
        return replace(self, score=score)


def label_similarity(left: Rows, right: Rows, found: Found, index: Ints) -> Floats:
    """(n, k): S^l of these candidates; what the search found need not be multiplied again."""
    label, rest = np.empty(index.shape, np.float32), np.empty(index.shape, np.int32)
    parts = 8 * current_threads()
    products.known_values(found.index, found.label, index, len(right), parts, label, rest)
    label += left.dots(right, np.arange(len(left)), rest)
    return label


def top_k(
    left: Rows,
    right: Rows,
    k: int,
    *,
    asks: Ints | None = None,
    left_rows: int = 4096,
    right_rows: int = 2048,
) -> Found:
    """The k best right rows of each left row that asks (all, unless told), exactly.

    A zero row means that nothing is known of an entity; its similarities are all zero, and any
    order among them would be the order of the ids. It has no candidate and is none.
    """
    found = Found.none(len(left), min(k, len(right)))
    answers = np.flatnonzero(right.filled)
    asking = np.flatnonzero(left.filled)
    if asks is not None:
        asking = np.intersect1d(asking, asks)
    kept = min(found.k, len(answers))
    for begin in range(0, len(asking) if kept else 0, left_rows):
        rows = asking[begin : begin + left_rows]
        block = left.take(rows)
        floors = _likely_floors(block, right, answers, kept)
        short = _select(found, rows, block, right, answers, kept, floors, right_rows)
        if len(short):  # too few above the floor that the sample promised: again, without one
            floors = np.full(len(short), -np.inf, np.float32)
            again, block = rows[short], np.ascontiguousarray(block[short])
            _select(found, again, block, right, answers, kept, floors, right_rows)
    return found


def _select(
    found: Found,
    rows: Ints,
    block: Floats,
    right: Rows,
    answers: Ints,
    kept: int,
    floors: Floats,
    right_rows: int,
) -> Ints:
    """Products block by block, each row's best kept as they come; which rows came out short."""
    values, places, filled = selection.selection_buffers(len(rows), kept)
    scores = np.empty((len(rows), min(right_rows, len(answers))), np.float32)
    for offset in range(0, len(answers), right_rows):
        others = right.take(answers[offset : offset + right_rows])
        part = scores[:, : len(others)]
        np.matmul(block, others.T, out=part)
        selection.select_above(part, offset, floors, values, places, filled)
    selection.finish_largest(values, places, filled)
    done = np.flatnonzero(filled >= kept)
    found.index[rows[done], :kept] = answers[places[done, :kept]]
    found.label[rows[done], :kept] = values[done, :kept]
    return np.flatnonzero(filled < kept)


def _likely_floors(block: Floats, right: Rows, answers: Ints, kept: int) -> Floats:
    """For each row a value that a little more than `kept` of all scores should exceed.

    Taken from the scores of every 32nd right row: three standard deviations to the safe side.
    """
    sample = answers[:: max(_SAMPLED, len(answers) // _SAMPLE_AT_MOST)]
    expected = kept * len(sample) / len(answers)
    rank = int(expected + 3 * math.sqrt(expected) + 3)
    if rank >= len(sample) // 2:
        return np.full(len(block), -np.inf, np.float32)
    floors: Floats = selection.likely_floors(block @ right.take(sample).T, rank)
    return floors
