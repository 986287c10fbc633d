"""Cells of approximate search: centroids, the cells of each row, and the scan of all cells."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from lighttea.kernels import products, selection
from lighttea.kernels.rows import BLOCK_ROWS, NumpyRows
from lighttea.kernels.same_rows import find_same_rows, rank_in_group
from lighttea.kernels.threads import current_threads
from lighttea.kernels.topk import top_k
from lighttea.types import NO_CANDIDATE, Floats, Ints, NumpyArray

NARROW = 256  # columns in which the couples of a cell are compared
_ITERATIONS = 3  # of k-means
_NEAR_IN_HALF = 64  # cells looked at in half of the columns, of which the nearest are taken
_TILE = 4 << 20  # couples of a cell that a thread compares at once


@dataclass(frozen=True)
class RowsInCells:
    """The rows of a block that are searched, narrowed, and the cells of each."""

    n_rows: int  # of the block
    rows: Ints  # (n,) those that are searched
    narrow: NumpyArray  # (n, NARROW) rows of length one; half precision where they travel
    cells: Ints  # (n, cells of a row) rising
    n_cells: int

    def part(self, rows: slice | Ints) -> RowsInCells:
        """Return some of the rows."""
        return replace(self, rows=self.rows[rows], narrow=self.narrow[rows], cells=self.cells[rows])

    def by_cell(self) -> tuple[Ints, Ints]:
        """Return start (n_cells + 1,) and the rows of each cell one after the other."""
        flat = self.cells.reshape(-1)
        order = np.argsort(flat, kind="stable")
        start = np.searchsorted(flat[order], np.arange(self.n_cells + 1))
        return start, order // max(1, self.cells.shape[1])


def limit_same_rows(block: RowsInCells, k: int) -> RowsInCells:
    """Return the rows without those that are identical to k others before them.

    No left row can tell them from those k, and it keeps k at most. Without the limit the leaves of
    a large hub would all be compared with one another.
    """
    first, group = find_same_rows(block.narrow)
    if len(block.rows) - len(first) < k:
        return block
    return block.part(np.flatnonzero(rank_in_group(group) < k))


def learn_centroids(rows: Floats, n_cells: int, rng: np.random.Generator) -> Floats:
    """Return the centroids of spherical k-means over rows of length one."""
    n_cells = min(n_cells, len(rows))
    centroids = rows[rng.choice(len(rows), n_cells, replace=False)]
    ones, numbers = np.ones(len(rows), np.float32), np.arange(len(rows))
    for _ in range(_ITERATIONS if n_cells else 0):
        blocks = [rows[begin : begin + BLOCK_ROWS] for begin in range(0, len(rows), BLOCK_ROWS)]
        nearest = np.concatenate([(block @ centroids.T).argmax(axis=1) for block in blocks])
        sums = sp.csr_array((ones, (nearest, numbers)), shape=(n_cells, len(rows))) @ rows
        is_used = np.bincount(nearest, minlength=n_cells) > 0
        centroids[is_used] = _unit(np.asarray(sums[is_used], np.float32))
    return centroids


def narrow_blocks(rows: NumpyRows, numbers: Ints, narrowing: Floats) -> Iterator[Floats]:
    """Yield these rows narrowed, of length one, block by block."""
    for begin in range(0, len(numbers), BLOCK_ROWS):
        yield _unit(rows.take(numbers[begin : begin + BLOCK_ROWS]) @ narrowing)


def assign_cells(
    n_rows: int,
    chosen: Ints,
    blocks: Iterator[Floats],
    centroids: Floats,
    n_near: int,
    *,
    is_half: bool,
) -> RowsInCells:
    """Return the chosen rows of a block in few columns, and the nearest cells of each."""
    n_columns = min(NARROW, centroids.shape[1])
    n_near = min(n_near, len(centroids))
    narrow = np.empty((len(chosen), n_columns), np.float16 if is_half else np.float32)
    cells = np.empty((len(chosen), n_near), np.int32)
    whole, half = NumpyRows.of(centroids), NumpyRows.of(_half(centroids))
    begin = 0
    for block in blocks:
        rows = slice(begin, begin + len(block))
        cells[rows] = np.sort(_nearest_cells(block, whole, half, n_near))
        narrow[rows] = _unit(np.ascontiguousarray(block[:, :n_columns]))
        begin += len(block)
    return RowsInCells(n_rows, chosen, narrow, cells, len(centroids))


def _nearest_cells(rows: Floats, centroids: NumpyRows, half: NumpyRows, n_near: int) -> Ints:
    """Return the nearest centroids: many by half of the columns, the best of those by all."""
    n_many = min(_NEAR_IN_HALF, len(centroids))
    many, _ = top_k(NumpyRows.of(_half(rows)), half, n_many)
    if n_many == n_near:
        return many
    value = NumpyRows.of(rows).dots(centroids, np.arange(len(rows)), many)
    best = np.argpartition(-value, n_near - 1, axis=1)[:, :n_near]
    return np.take_along_axis(many, best, 1)


def _half(rows: Floats) -> Floats:
    """Return half of the columns, of length one: after a random projection all are alike.

    Where labels are narrow, and none was made, all of them.
    """
    n_columns = rows.shape[1] // 2 if rows.shape[1] >= 1024 else rows.shape[1]
    return _unit(np.ascontiguousarray(rows[:, :n_columns]))


def _unit(rows: Floats) -> Floats:
    products.normalise_rows(rows)
    return rows


def scan_cells(
    left: RowsInCells, right: RowsInCells, k: int, floors: Floats
) -> tuple[Ints, Floats]:
    """Return the k best right rows that each left row meets in its cells, (n, k), and how near.

    Each thread takes its share of the left rows through all cells. `floors` are what an inner
    product has to exceed.
    """
    values, places, filled = selection.selection_buffers(len(floors), k)
    floors = floors.copy()
    n_threads = current_threads()
    size = max(1, -(-len(floors) // n_threads))
    members = right.by_cell()

    def scan_share(begin: int) -> None:
        rows = slice(begin, begin + size)
        buffers = floors[rows], values[rows], places[rows], filled[rows]
        _scan_share(left.part(rows), right, members, buffers)

    with threadpool_limits(limits=1), ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(scan_share, range(0, len(floors), size)))
    selection.finish_largest(values, places, filled)
    is_empty = np.arange(k) >= filled[:, None]
    index = np.where(is_empty, NO_CANDIDATE, right.rows[np.where(is_empty, 0, places[:, :k])])
    return index.astype(np.int32), np.where(is_empty, np.float32(0), values[:, :k])


def _scan_share(
    left: RowsInCells,
    right: RowsInCells,
    members: tuple[Ints, Ints],
    buffers: tuple[Floats, Floats, Ints, Ints],
) -> None:
    left_start, left_rows = left.by_cell()
    right_start, right_rows = members
    for cell in range(left.n_cells):
        here = left_rows[left_start[cell] : left_start[cell + 1]]
        there = right_rows[right_start[cell] : right_start[cell + 1]]
        asking = left.narrow[here].astype(np.float32, copy=False)
        for tile in _tiles(there, max(1, _TILE // max(1, len(here)))):
            scores = asking @ right.narrow[tile].astype(np.float32, copy=False).T
            selection.select_in_cell(scores, cell, here, tile, left.cells, right.cells, *buffers)


def _tiles(rows: Ints, size: int) -> Iterator[Ints]:
    for begin in range(0, len(rows), size):
        yield rows[begin : begin + size]
