"""S^l where comparing every couple stops paying: `similarity.approximate` by blocks.

The same cells for all blocks; who is in them is known block by block, and each left block goes
through the cells of one right block after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lighttea.engines.dask.connection import Connection, Future
from lighttea.engines.dask.labels import BlockLabels
from lighttea.engines.dask.layout import Layout
from lighttea.engines.dask.search import dots, joined_found, searched, through_right
from lighttea.engines.dask.tables import index_of
from lighttea.kernels.rows import BLOCK_ROWS, Rows
from lighttea.propagate.labels import unit_rows
from lighttea.similarity.approximate import (
    _ITERATIONS,
    _PER_CELL,
    _SAMPLE,
    FLOOR_SAMPLE,
    Placed,
    _cells_of_one,
    _n_cells,
    floors_by_sample,
    narrowing_by_sample,
    placed,
    scan,
)
from lighttea.similarity.search import RECALL_SAMPLE, Recall, recall_of
from lighttea.similarity.topk import NONE, Found
from lighttea.types import Bools, Floats, Ints


@dataclass(frozen=True)
class InCells:
    """A block of one side in its cells."""

    n_rows: int
    rows: Ints  # those that are there: not zero, and asking where it is the left side
    narrow: NDArray[np.float16]  # half the bytes: many of them lie in a worker, and travel
    cells: Ints
    n_cells: int
    members: tuple[Ints, Ints] | None  # by cell, of the right side

    def placed(self) -> Placed:
        """As they are compared."""
        return Placed(self.narrow.astype(np.float32), self.cells, self.n_cells)


def nearly_searched(
    to: Connection,
    labels: BlockLabels,
    layout: Layout,
    k: int,
    asks: Bools,
    rng: np.random.Generator,
) -> tuple[list[Future], Recall]:
    """Nearly the k best of each left entity that asks, by left block, and what share was found."""
    near = _met(to, labels, layout, k, asks, int(rng.integers(1 << 62)))
    label = dots(to, labels, layout, [to.submit(index_of, one) for one in near])
    found = to.finished([to.submit(labelled, *both) for both in zip(near, label, strict=True)])
    return found, _recall(to, labels, layout, k, asks, found, rng)


def _met(
    to: Connection, labels: BlockLabels, layout: Layout, k: int, asks: Bools, seed: int
) -> list[Future]:
    """The k nearest of those that each left entity meets in its cells."""
    n_right = layout.right.bounds[-1]
    narrowing, cells = _cells(to, labels, n_right, seed)
    n_near, every = _cells_of_one(n_right), max(1, n_right // FLOOR_SAMPLE)
    right = [to.submit(in_cells, one, None, narrowing, cells, n_near) for one in labels.right]
    sample = to.submit(joined_rows, [to.submit(every_nth, one, every) for one in right])
    asking = [
        to.submit(in_cells, one, to.hold(np.flatnonzero(asks[rows])), narrowing, cells, n_near)
        for one, rows in zip(labels.left, layout.left, strict=True)
    ]
    floors = [to.submit(floors_of_block, one, sample, k / every) for one in asking]

    def step(block: int, other: Future, begin: int, before: Future | None) -> Future:
        return to.submit(nearest_so_far, asking[block], other, floors[block], begin, k, before)

    return to.finished(through_right(right, layout, step))


def _cells(to: Connection, labels: BlockLabels, n_right: int, seed: int) -> tuple[Future, Future]:
    """What narrows rows, and the centroids of the cells: learnt from samples, in one worker."""
    sample = [
        to.submit(some_rows, one, -(-_SAMPLE // len(side)), seed)
        for side in (labels.left, labels.right)
        for one in side
    ]
    narrowing = to.submit(narrowing_by, sample, seed)
    n_cells = _n_cells(n_right)
    learnt_from = [
        to.submit(some_narrowed, one, -(-_PER_CELL * n_cells // len(labels.right)), narrowing, seed)
        for one in labels.right
    ]
    return narrowing, to.submit(centroids_among, learnt_from, n_cells, seed)


def _recall(
    to: Connection,
    labels: BlockLabels,
    layout: Layout,
    k: int,
    asks: Bools,
    found: list[Future],
    rng: np.random.Generator,
) -> Recall:
    """Some left entities are searched exactly too."""
    asking = np.flatnonzero(asks)
    sample = np.zeros_like(asks)
    sample[rng.choice(asking, min(RECALL_SAMPLE, len(asking)), replace=False)] = True
    exact = searched(to, labels, layout, k, sample)
    parts = to.fetched(
        [
            to.submit(recall_here, mine, best, np.flatnonzero(sample[rows]))
            for mine, best, rows in zip(found, exact, layout.left, strict=True)
        ]
    )
    rows, couples = (sum(one[place] for one in parts) for place in (1, 2))
    return Recall(
        sum(one.best * n for one, n, _ in parts) / rows if rows else 1.0,
        sum(one.all_k * n for one, _, n in parts) / couples if couples else 1.0,
    )


# ------------------------------------------------------------------------ in the workers


def some_rows(rows: Rows, n: int, seed: int) -> Rows:
    """Some rows that are not zero."""
    filled = np.flatnonzero(rows.filled)
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(filled, min(n, len(filled)), replace=False))
    return Rows(rows.values[chosen], rows.scale[chosen])


def some_narrowed(rows: Rows, n: int, narrowing: Floats, seed: int) -> Floats:
    """Some rows that are not zero, evened out and narrowed, of length one."""
    return unit_rows(restored([some_rows(rows, n, seed + 1)]) @ narrowing)


def restored(parts: Sequence[Rows]) -> Floats:
    """Rows under one another in float32, however they were held."""
    whole = np.empty((sum(len(one) for one in parts), parts[0].n_columns), np.float32)
    begin = 0
    for one in parts:
        whole[begin : begin + len(one)] = one.take(np.arange(len(one)))
        begin += len(one)
    return whole


def narrowing_by(sample: Sequence[Rows], seed: int) -> Floats:
    """What evens out and narrows labels, by a sample of both sides."""
    return narrowing_by_sample(restored(sample), np.random.default_rng(seed))


def _all_filled(matrix: Floats) -> Rows:
    """Rows of one part, none of them zero, without a copy."""
    return Rows(matrix, np.ones((len(matrix), 1), np.float32))


def centroids_among(sample: Sequence[Floats], n_cells: int, seed: int) -> Floats:
    """Spherical k-means over the sampled rows, as `centroids_of` does it."""
    rows = np.concatenate(sample)
    n_cells = min(n_cells, len(rows))
    chosen = np.random.default_rng(seed + 2).choice(len(rows), n_cells, replace=False)
    centroids = rows[chosen]
    one, numbers = np.ones(len(rows), np.float32), np.arange(len(rows))
    for _ in range(_ITERATIONS if n_cells else 0):
        blocks = [rows[at : at + BLOCK_ROWS] for at in range(0, len(rows), BLOCK_ROWS)]
        nearest = np.concatenate([(block @ centroids.T).argmax(axis=1) for block in blocks])
        sums = sp.csr_array((one, (nearest, numbers)), shape=(n_cells, len(rows))) @ rows
        used = np.bincount(nearest, minlength=n_cells) > 0
        centroids[used] = unit_rows(np.asarray(sums[used], np.float32))
    return centroids


def in_cells(
    rows: Rows, asks: Ints | None, narrowing: Floats, centroids: Floats, n_near: int
) -> InCells:
    """A block in its cells: all rows that are not zero, or those of them that ask."""
    there = np.flatnonzero(rows.filled)
    if asks is not None:
        there = np.intersect1d(there, asks)
    if not len(centroids):
        there = there[:0]
    found = placed(rows, there, narrowing, centroids, min(n_near, len(centroids)))
    members = found.by_cell() if asks is None else None
    narrow = found.narrow.astype(np.float16)
    return InCells(len(rows), there, narrow, found.cells, found.n_cells, members)


def every_nth(block: InCells, n: int) -> Floats:
    """A sample of a block's narrow rows."""
    return block.narrow[::n].astype(np.float32)


def joined_rows(parts: Sequence[Floats]) -> Floats:
    """Block after block."""
    return np.concatenate(parts)


def floors_of_block(asking: InCells, sample: Floats, expected: float) -> Floats:
    """What a little more right rows than are wanted should exceed, of all blocks together."""
    return floors_by_sample(asking.narrow.astype(np.float32), sample, expected)


def nearest_so_far(
    asking: InCells,
    answering: InCells,
    floors: Floats,
    begin: int,
    k: int,
    before: Found | None,
) -> Found:
    """What a left block found before, and what it meets in one more right block: the k nearest.

    By the products of narrowed rows, as they are compared in a cell.
    """
    found = Found.none(asking.n_rows, min(k, answering.n_rows))
    if len(asking.rows) and len(answering.rows):
        one, other = asking.placed(), answering.placed()
        met = scan(one, other, answering.members or other.by_cell(), found.k, floors)
        found.index[asking.rows] = np.where(met == NONE, NONE, answering.rows[met])
        found.label[asking.rows] = _all_filled(one.narrow).dots(
            _all_filled(other.narrow), np.arange(len(asking.rows)), met
        )
    return joined_found(found, begin, k, before)


def labelled(found: Found, label: Floats) -> Found:
    """What was met, with exact inner products."""
    return Found(found.index, label)


def recall_here(found: Found, exact: Found, rows: Ints) -> tuple[Recall, int, int]:
    """The recall on some rows of a block, how many have a candidate, and how many they have."""
    valid = exact.index[rows] != NONE
    return recall_of(found, exact, rows), int(valid[:, 0].sum()), int(valid.sum())
