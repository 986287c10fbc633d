"""S^l where comparing every couple stops paying: near cells are scanned, what they hold is scored.

1. *Whiten.* Labels share a few strong directions that say how common an entity's facts are, not
   whose they are. Dividing each principal direction by the fourth root of its variance takes
   them back; a narrower random projection of the result keeps its inner products.
2. *Cells.* Both sides are put into the cells of the nearest centroids (spherical k-means), each
   entity into several: a true couple that falls apart in one cell meets in another.
3. *Scan.* Within a cell all couples are compared by matrix products in few columns; each left
   entity keeps the k best it meets.
4. *Score.* Those are the candidates; they get their exact inner product.

Engines that search so hold plain numpy arrays. The cells are the same for all blocks; each left
block goes through the cells of one right block after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.ops import Ops
from lighttea.engines.tables import TopK
from lighttea.kernels.directions import random_directions, whitened_axes
from lighttea.kernels.rows import BLOCK_ROWS, NumpyRows
from lighttea.kernels.same_rows import find_same_rows
from lighttea.kernels.topk import floors_by_sample
from lighttea.propagate.labels import Labels
from lighttea.similarity.cells import (
    NARROW,
    RowsInCells,
    assign_cells,
    learn_centroids,
    limit_same_rows,
    narrow_blocks,
    scan_cells,
)
from lighttea.similarity.exact import join_found, label_dots, places_found, split_rows
from lighttea.types import NO_CANDIDATE, A, Bools, Floats, Ints, NumpyArray

COARSE = 1024  # columns in which the nearest cells are sought
CELLS = 8  # times the root of the right side's size
CELLS_OF_ROW = 10  # cells that an entity is in; 5 more for each ten times 100,000 entities
_SAMPLE = 10_000  # rows of each side that tell the principal directions
_FLOOR_SAMPLE = 4096  # right rows that tell what a candidate should exceed
_HAIR = np.float32(1e-5)  # more than what rounding changes in an inner product
_PER_CELL = 8  # rows a cell that k-means learns from
_BUFFER_BYTES = 1 << 30  # for what the left entities of one batch have met


def approximate_search(
    engine: Engine[A], labels: Labels[A], k: int, asking: Bools, rng: np.random.Generator
) -> Blocks[TopK[A]]:
    """Return nearly the k best right entities of the asking left ones, by left block."""
    near = _nearest(engine, labels, k, asking, int(rng.integers(1 << 62)))
    dots = label_dots(engine, labels, engine.map(places_found, near))
    top = engine.map(with_labels, near, dots)
    engine.wait(top)
    return cast("Blocks[TopK[A]]", top)


def _nearest(
    engine: Engine[A], labels: Labels[A], k: int, asking: Bools, seed: int
) -> Blocks[TopK[A]]:
    """Return the k nearest of those that each left entity meets in its cells."""
    n_right, is_half = _count_filled(engine, labels), not engine.is_local
    narrowing, centroids = _learn_cells(engine, labels, n_right, seed)
    n_near, step = cells_of_row(n_right), max(1, n_right // _FLOOR_SAMPLE)
    learnt = narrowing, centroids, n_near, is_half
    right = engine.map(limit_same, engine.map(put_in_cells, labels.right, None, *learnt), k)
    left = engine.map(put_in_cells, labels.left, split_rows(engine, asking), *learnt)
    sample = engine.run(join_narrow, engine.map(every_nth_row, right, step))
    floors = engine.map(floors_of_block, left, sample, k / step)
    near: Blocks[TopK[NumpyArray]] | None = None
    for block, begin in zip(right, engine.layout.right.begins, strict=True):
        near = engine.map(nearest_so_far, left, block, floors, begin, k, near)
    assert near is not None
    engine.wait(near)
    return cast("Blocks[TopK[A]]", near)


def _count_filled(engine: Engine[A], labels: Labels[A]) -> int:
    """Return how many right rows are not zero: the others are never found."""
    return engine.fetch(engine.run(add_numbers, engine.map(count_filled, labels.right)))


def _learn_cells(
    engine: Engine[A], labels: Labels[A], n_right: int, seed: int
) -> tuple[Handle[Floats], Handle[Floats]]:
    """Return what narrows rows, and the centroids of the cells: learnt from samples."""
    sides = labels.left, labels.right
    sample = [
        part
        for side in sides
        for part in engine.map(sample_rows, side, -(-_SAMPLE // len(side)), seed)
    ]
    narrowing = engine.run(learn_narrowing, sample, seed)
    n_cells = count_cells(n_right)
    per_block = -(-_PER_CELL * n_cells // len(labels.right))
    rows = engine.map(sample_narrowed, labels.right, per_block, narrowing, seed + 1)
    return narrowing, engine.run(centroids_of_sample, rows, n_cells, seed + 2)


def count_cells(n_right: int) -> int:
    """Return the number of cells: it grows as the square root of the side."""
    return max(1, min(n_right, int(CELLS * math.sqrt(n_right))))


def cells_of_row(n_right: int) -> int:
    """Return the cells that an entity is in: more where cells are many, as couples part then."""
    further = 5 * math.log10(max(1, n_right) / 100_000)
    return min(count_cells(n_right), CELLS_OF_ROW + max(0, round(further)))


def batch_size(k: int) -> int:
    """Return how many left rows are scanned at a time so that their buffers stay small."""
    return max(BLOCK_ROWS, _BUFFER_BYTES // (8 * (2 * k + 16)))


def approximate_bytes(n_left: int, n_right: int, k: int) -> int:
    """Return what the search holds at most, beside the labels and its result."""
    met = min(k, n_right)
    batch = min(n_left, batch_size(met))
    narrow = 4 * (NARROW + 3 * cells_of_row(n_right)) * (n_right + n_left)  # rows, cells, members
    learning = 4 * COARSE * _PER_CELL * count_cells(n_right)
    tiles = 64 << 20  # of a thread or two
    return narrow + batch * 8 * (3 * met + 16) + learning + tiles + 4 * BLOCK_ROWS * 4 * COARSE


# ----------------------------------------------------------------------------- of one block

Plain = Ops[NumpyArray]


def count_filled(ops: Plain, rows: NumpyRows) -> int:
    """Return how many rows of a block are not zero."""
    return int(rows.filled.sum())


def add_numbers(ops: Plain, parts: Sequence[int]) -> int:
    """Return the sum of the blocks' numbers."""
    return sum(parts)


def sample_rows(ops: Plain, rows: NumpyRows, n: int, seed: int) -> Floats:
    """Return some rows that are not zero, in float32."""
    filled = np.flatnonzero(rows.filled)
    rng = np.random.default_rng(seed)
    return rows.take(np.sort(rng.choice(filled, min(n, len(filled)), replace=False)))


def learn_narrowing(ops: Plain, sample: Sequence[Floats], seed: int) -> Floats:
    """Return what whitens labels, then projects them at random: (n_columns, COARSE at most)."""
    rng, rows = np.random.default_rng(seed), np.concatenate(sample)
    first = _projection(rows.shape[1], 2 * COARSE, rng)
    axes = whitened_axes(rows if first is None else rows @ first)
    last = _projection(len(axes), COARSE, rng)
    narrowing = axes if last is None else axes @ last
    return np.asarray(narrowing if first is None else first @ narrowing, np.float32)


def _projection(n_from: int, n_to: int, rng: np.random.Generator) -> Floats | None:
    """Return a random projection to fewer columns; None where there are few enough."""
    return random_directions(n_from, n_to, rng) if n_to < n_from else None


def sample_narrowed(ops: Plain, rows: NumpyRows, n: int, narrowing: Floats, seed: int) -> Floats:
    """Return some rows that are not zero, narrowed, of length one."""
    return ops.unit_rows(sample_rows(ops, rows, n, seed) @ narrowing)


def centroids_of_sample(ops: Plain, sample: Sequence[Floats], n_cells: int, seed: int) -> Floats:
    """Return the centroids of the cells, (n_cells, COARSE at most)."""
    return learn_centroids(np.concatenate(sample), n_cells, np.random.default_rng(seed))


def put_in_cells(
    ops: Plain,
    rows: NumpyRows,
    asking: Ints | None,
    narrowing: Floats,
    centroids: Floats,
    n_near: int,
    is_half: bool,
) -> RowsInCells:
    """Return a block in its cells: all rows that are not zero, or those of them that ask."""
    chosen = np.flatnonzero(rows.filled)
    if asking is not None:
        chosen = np.intersect1d(chosen, asking)
    if not len(centroids):
        chosen = chosen[:0]
    blocks = narrow_blocks(rows, chosen, narrowing)
    return assign_cells(len(rows), chosen, blocks, centroids, n_near, is_half=is_half)


def limit_same(ops: Plain, block: RowsInCells, k: int) -> RowsInCells:
    """Return a block with k identical rows at most."""
    return limit_same_rows(block, k)


def every_nth_row(ops: Plain, block: RowsInCells, n: int) -> Floats:
    """Return a sample of the narrowed rows of a block."""
    return block.narrow[::n].astype(np.float32)


def join_narrow(ops: Plain, parts: Sequence[Floats]) -> Floats:
    """Return the samples of all blocks."""
    return np.concatenate(parts)


def floors_of_block(ops: Plain, left: RowsInCells, sample: Floats, expected: float) -> Floats:
    """Return what a little more right rows than are kept should exceed, of all blocks together.

    A hair less, so that rows as near as the floor itself are met: identical ones all are.
    """
    floors = [
        floors_by_sample(
            left.narrow[begin : begin + BLOCK_ROWS].astype(np.float32), sample, expected
        )
        for begin in range(0, len(left.rows), BLOCK_ROWS)
    ]
    return np.concatenate(floors or [np.empty(0, np.float32)]) - _HAIR


def nearest_so_far(
    ops: Plain,
    left: RowsInCells,
    right: RowsInCells,
    floors: Floats,
    begin: int,
    k: int,
    before: TopK[NumpyArray] | None,
) -> TopK[NumpyArray]:
    """Return the k nearest of what a left block met before and meets in one more right block.

    By the inner products of narrowed rows, as they are compared in a cell. Of identical left rows
    one is compared.
    """
    shape = left.n_rows, max(1, min(k, right.n_rows))
    index, value = np.full(shape, NO_CANDIDATE, np.int32), np.zeros(shape, np.float32)
    size = batch_size(shape[1])
    first, group = find_same_rows(left.narrow)
    for batch in range(0, len(first) if len(right.rows) else 0, size):
        part = first[batch : batch + size]
        rows = left.rows[part]
        index[rows], value[rows] = scan_cells(left.part(part), right, shape[1], floors[part])
    compared = left.rows[first[group]]
    index[left.rows], value[left.rows] = index[compared], value[compared]
    return join_found(ops, TopK(index, value), begin, k, before)


def with_labels(ops: Plain, near: TopK[NumpyArray], dots: Floats) -> TopK[NumpyArray]:
    """Return what was met, with exact inner products."""
    return TopK(near.index, dots)
