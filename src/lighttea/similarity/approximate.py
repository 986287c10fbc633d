"""S^l where comparing every couple stops paying: near cells are scanned, what they hold is scored.

1. *Even out.* Labels share a few strong directions that say how common an entity's facts are, not
   whose they are. Dividing each principal direction by the fourth root of its variance takes
   them back; a narrower random projection of the result keeps its inner products.
2. *Cells.* Both sides are put into the cells of the nearest centroids (spherical k-means), each
   entity into several: a true couple that falls apart in one cell meets in another.
3. *Scan.* Within a cell all couples are compared by matrix products in few columns; each left
   entity keeps the k best it meets.
4. *Score.* Those are the candidates; they get their exact inner product.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from lighttea.kernels import products, selection
from lighttea.kernels.directions import evened_axes, random_directions
from lighttea.kernels.rows import BLOCK_ROWS, Rows
from lighttea.kernels.threads import current_threads
from lighttea.similarity.topk import NONE, Found, top_k
from lighttea.types import Floats, Ints

COARSE = 1024  # columns in which the nearest cells are sought
NARROW = 256  # columns in which the couples of a cell are compared
CELLS = 8  # times the root of the right side's size
CELLS_OF_ONE = 10  # cells that an entity is in; 5 more for each ten times 100,000 entities
_SAMPLE = 10_000  # rows of each side that tell the principal directions
FLOOR_SAMPLE = 4096  # right rows that tell what a candidate should exceed
_PER_CELL = 8  # rows a cell that k-means learns from
_ITERATIONS = 3
_NEAR_IN_HALF = 64  # cells looked at in half of the columns, of which the nearest are taken
_BUFFER_BYTES = 1 << 30  # for what the left entities of one batch have met
_TILE = 4 << 20  # couples of a cell that a thread compares at once


def approximate_top_k(
    left: Rows, right: Rows, k: int, rng: np.random.Generator, *, asks: Ints | None = None
) -> Found:
    """Nearly the k best right rows of each left row that asks; as `top_k`, faster, not exact."""
    found = Found.none(len(left), min(k, len(right)))
    answers = np.flatnonzero(right.filled)
    asking = np.flatnonzero(left.filled)
    if asks is not None:
        asking = np.intersect1d(asking, asks)
    if not len(answers) or not len(asking):
        return found
    narrowing = narrowing_of(left, right, asking, answers, rng)
    centroids = centroids_of(right, answers, narrowing, rng)
    n_near = _cells_of_one(len(answers))
    answering = placed(right, answers, narrowing, centroids, n_near)
    members = answering.by_cell()
    for rows in _batches(asking, found.k):
        asks_here = placed(left, rows, narrowing, centroids, n_near)
        places = scan(asks_here, answering, members, found.k)
        score_met(found, rows, np.where(places == NONE, NONE, answers[places]), left, right)
    return found


def approximate_bytes(n_left: int, n_right: int, k: int) -> int:
    """What the search holds at most, beside the labels and its result."""
    met = min(k, n_right)
    batch = min(n_left, _batch_size(met))
    narrow = 4 * (NARROW + 3 * _cells_of_one(n_right)) * (n_right + batch)  # rows, cells, members
    learning = 4 * COARSE * _PER_CELL * _n_cells(n_right)
    tiles = 64 << 20  # of a thread or two
    return narrow + batch * 8 * (3 * met + 16) + learning + tiles + 4 * BLOCK_ROWS * 4 * COARSE


def _n_cells(n_right: int) -> int:
    return max(1, min(n_right, int(CELLS * math.sqrt(n_right))))


def _cells_of_one(n_right: int) -> int:
    """Cells grow in number with the side, so that two that belong together part more often."""
    more = 5 * math.log10(max(1, n_right) / 100_000)
    return min(_n_cells(n_right), CELLS_OF_ONE + max(0, round(more)))


def _batch_size(met: int) -> int:
    return max(BLOCK_ROWS, _BUFFER_BYTES // (8 * (2 * met + 16)))


def _batches(asking: Ints, met: int) -> Iterator[Ints]:
    """So many left rows at a time that their buffers stay small."""
    size = _batch_size(met)
    for begin in range(0, len(asking), size):
        yield asking[begin : begin + size]


# ------------------------------------------------------------------------------- even out


def narrowing_of(
    left: Rows, right: Rows, asking: Ints, answers: Ints, rng: np.random.Generator
) -> Floats:
    """What evens out and narrows the rows of both sides, by a sample of them."""
    sample = np.concatenate([_some(left, asking, rng), _some(right, answers, rng)])
    return narrowing_by_sample(sample, rng)


def narrowing_by_sample(sample: Floats, rng: np.random.Generator) -> Floats:
    """(n_columns, COARSE at most): evens out the principal directions, then projects at random."""
    n_columns = sample.shape[1]
    first = _directions(n_columns, min(n_columns, 2 * COARSE), rng)
    sample = sample @ first if first is not None else sample
    evened = evened_axes(sample)
    last = _directions(len(evened), min(len(evened), COARSE), rng)
    evened = evened @ last if last is not None else evened
    return np.asarray(first @ evened if first is not None else evened, np.float32)


def _some(rows: Rows, numbers: Ints, rng: np.random.Generator) -> Floats:
    return rows.take(np.sort(rng.choice(numbers, min(len(numbers), _SAMPLE), replace=False)))


def _directions(n_from: int, n_to: int, rng: np.random.Generator) -> Floats | None:
    """A random projection to fewer columns; None where there are few enough."""
    return random_directions(n_from, n_to, rng) if n_to < n_from else None


# ----------------------------------------------------------------------------------- cells


@dataclass(frozen=True)
class Placed:
    """Rows of one side in their cells."""

    narrow: Floats  # (n, NARROW) rows of length one in which couples are compared
    cells: Ints  # (n, cells of one) sorted
    n_cells: int

    def part(self, rows: slice) -> Placed:
        """Some of them."""
        return Placed(self.narrow[rows], self.cells[rows], self.n_cells)

    def by_cell(self) -> tuple[Ints, Ints]:
        """start (n_cells + 1,) and the rows of each cell one after the other."""
        flat = self.cells.reshape(-1)
        order = np.argsort(flat, kind="stable")
        start = np.searchsorted(flat[order], np.arange(self.n_cells + 1))
        return start, order // self.cells.shape[1]


def centroids_of(right: Rows, answers: Ints, narrowing: Floats, rng: np.random.Generator) -> Floats:
    """Spherical k-means over some right rows; cells grow as the square root of the side."""
    n_cells = _n_cells(len(answers))
    size = min(len(answers), _PER_CELL * n_cells)
    numbers = np.sort(rng.choice(answers, size, replace=False))
    rows = np.concatenate([block for _, block in _narrowed(right, numbers, narrowing)])
    centroids = rows[rng.choice(len(rows), n_cells, replace=False)]
    for _ in range(_ITERATIONS):
        nearest = np.concatenate(
            [
                (rows[begin : begin + BLOCK_ROWS] @ centroids.T).argmax(axis=1)
                for begin in range(0, len(rows), BLOCK_ROWS)
            ]
        )
        one = np.ones(len(rows), np.float32)
        shape = (n_cells, len(rows))
        sums = sp.csr_array((one, (nearest, np.arange(len(rows)))), shape=shape) @ rows
        used = np.bincount(nearest, minlength=n_cells) > 0
        centroids[used] = _unit(np.asarray(sums[used], np.float32))
    return centroids


def placed(rows: Rows, numbers: Ints, narrowing: Floats, centroids: Floats, n_near: int) -> Placed:
    """These rows in few columns, and the nearest cells of each."""
    n_columns = min(NARROW, narrowing.shape[1])
    narrow = np.empty((len(numbers), n_columns), np.float32)
    cells = np.empty((len(numbers), n_near), np.int32)
    whole, half = Rows.of(centroids), Rows.of(_half(centroids))
    for begin, block in _narrowed(rows, numbers, narrowing):
        cells[begin : begin + len(block)] = np.sort(_nearest(block, whole, half, n_near))
        narrow[begin : begin + len(block)] = block[:, :n_columns]
    return Placed(_unit(narrow), cells, len(centroids))


def _nearest(rows: Floats, centroids: Rows, half: Rows, n_near: int) -> Ints:
    """The nearest centroids: many are found in half of the columns, the best of those in all."""
    n_many = min(_NEAR_IN_HALF, len(centroids))
    many = top_k(Rows.of(_half(rows)), half, n_many).index
    if n_many == n_near:
        return many
    value = Rows.of(rows).dots(centroids, np.arange(len(rows)), many)
    best = np.argpartition(-value, n_near - 1, axis=1)[:, :n_near]
    return np.take_along_axis(many, best, 1)


def _half(rows: Floats) -> Floats:
    """Half of the columns, of length one: after a random projection all are alike.

    Without one, where labels are narrow, all of them.
    """
    n_columns = COARSE // 2 if rows.shape[1] == COARSE else rows.shape[1]
    return _unit(np.ascontiguousarray(rows[:, :n_columns]))


def _narrowed(rows: Rows, numbers: Ints, narrowing: Floats) -> Iterator[tuple[int, Floats]]:
    """The rows evened out and projected, of length one, block by block."""
    for begin in range(0, len(numbers), BLOCK_ROWS):
        yield begin, _unit(rows.take(numbers[begin : begin + BLOCK_ROWS]) @ narrowing)


def _unit(rows: Floats) -> Floats:
    products.normalise_rows(rows)
    return rows


# ------------------------------------------------------------------------------------ scan


def scan(
    asking: Placed,
    answering: Placed,
    members: tuple[Ints, Ints],
    met: int,
    floors: Floats | None = None,
) -> Ints:
    """(n, met): the places of the best right rows that each left row meets in its cells.

    Each thread takes its share of the left rows through all cells. `floors` are what is looked
    at must exceed, where more right rows than these were asked about it.
    """
    if floors is None:
        floors = _floors(asking, answering, met)
    values, places, filled = selection.selection_buffers(len(floors), met)
    n_threads = current_threads()
    size = max(1, -(-len(floors) // n_threads))

    def one_share(begin: int) -> None:
        rows = slice(begin, begin + size)
        buffers = floors[rows], values[rows], places[rows], filled[rows]
        _scan_share(asking.part(rows), answering, members, buffers)

    with threadpool_limits(limits=1), ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(one_share, range(0, len(floors), size)))
    selection.finish_largest(values, places, filled)
    found = places[:, :met]
    found[np.arange(met) >= filled[:, None]] = NONE
    return found


def _scan_share(
    asking: Placed, answering: Placed, members: tuple[Ints, Ints], buffers: tuple[Any, ...]
) -> None:
    left_start, left_rows = asking.by_cell()
    right_start, right_rows = members
    for cell in range(asking.n_cells):
        here = left_rows[left_start[cell] : left_start[cell + 1]]
        there = right_rows[right_start[cell] : right_start[cell + 1]]
        asks = asking.narrow[here]
        for some in _tiles(there, max(1, _TILE // max(1, len(here)))):
            scores = asks @ answering.narrow[some].T
            cells = asking.cells, answering.cells
            selection.select_in_cell(scores, cell, here, some, *cells, *buffers)


def _tiles(rows: Ints, size: int) -> Iterator[Ints]:
    for begin in range(0, len(rows), size):
        yield rows[begin : begin + size]


def _floors(asking: Placed, answering: Placed, met: int) -> Floats:
    """What a little more right rows than are wanted should exceed, by a sample of them."""
    n = len(answering.cells)
    sample = np.arange(0, n, max(1, n // FLOOR_SAMPLE))
    return floors_by_sample(asking.narrow, answering.narrow[sample], met * len(sample) / n)


def floors_by_sample(rows: Floats, sample: Floats, expected: float) -> Floats:
    """For each row what a little more than so many of the sampled right rows exceed."""
    rank = int(expected + 3 * math.sqrt(expected) + 3)
    if rank >= len(sample) // 2:
        return np.full(len(rows), -np.inf, np.float32)
    floors = [selection.likely_floors(rows[some] @ sample.T, rank) for some in _blocks(len(rows))]
    return np.concatenate(floors)


def _blocks(n: int) -> Iterator[Ints]:
    for begin in range(0, n, BLOCK_ROWS):
        yield np.arange(begin, min(n, begin + BLOCK_ROWS))


# ----------------------------------------------------------------------------------- score


def score_met(found: Found, rows: Ints, index: Ints, left: Rows, right: Rows) -> None:
    """What was met, with exact inner products, into what is found."""
    width = index.shape[1]
    for block in _blocks(len(rows)):
        found.index[rows[block], :width] = index[block]
        found.label[rows[block], :width] = left.dots(right, rows[block], index[block])
