"""Cells of approximate search beside loops over all couples."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.kernels.threads import limited_threads
from lighttea.similarity.cells import (
    NARROW,
    RowsInCells,
    assign_cells,
    learn_centroids,
    limit_same_rows,
    narrow_blocks,
    scan_cells,
)
from lighttea.types import Floats, Ints
from tests.tables import make_rows


def unit_rows(n: int, width: int, random_seed: int) -> Floats:
    rows = np.random.default_rng(random_seed).standard_normal((n, width)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def in_cells(rows: Ints, narrow: Floats, cells: Ints, n_cells: int) -> RowsInCells:
    return RowsInCells(2 * len(rows), rows, narrow, np.sort(cells, axis=1), n_cells)


def random_side(n: int, random_seed: int) -> RowsInCells:
    """Some rows of a block, each in three of eight cells."""
    rng = np.random.default_rng(random_seed)
    cells = np.stack([rng.permutation(8)[:3] for _ in range(n)]).astype(np.int32)
    rows = np.sort(rng.permutation(2 * n)[:n])
    return in_cells(rows, unit_rows(n, 6, random_seed), cells, 8)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("floor", [-np.inf, 0.3])
@pytest.mark.parametrize("k", [1, 4, 60])
def test_the_best_couples_that_share_a_cell_are_found(k: int, floor: float, threads: int) -> None:
    left, right = random_side(23, 0), random_side(41, 1)
    floors = np.full(23, floor, np.float32)
    with limited_threads(threads):
        index, value = scan_cells(left, right, k, floors)
    assert (floors == floor).all()  # they rise in a copy
    for i in range(23):
        met = [j for j in range(41) if set(left.cells[i].tolist()) & set(right.cells[j].tolist())]
        scores = {int(right.rows[j]): float(left.narrow[i] @ right.narrow[j]) for j in met}
        above = {place: score for place, score in scores.items() if score > floor}
        best = sorted(above, key=lambda place: -above[place])[:k]
        places = index[i][index[i] >= 0].tolist()
        assert sorted(places) == sorted(best)
        expected = [above.get(place, 0.0) for place in index[i].tolist()]
        assert np.allclose(value[i], expected, atol=1e-6)


def test_rows_by_cell() -> None:
    cells = np.array([[0, 2], [2, 3], [0, 3]], np.int32)
    start, rows = in_cells(np.arange(3), unit_rows(3, 4, 0), cells, 5).by_cell()
    lists = [rows[start[cell] : start[cell + 1]].tolist() for cell in range(5)]
    assert lists == [[0, 2], [], [0, 1], [1, 2], []]


@pytest.mark.parametrize("is_half", [False, True])
@pytest.mark.parametrize("width", [12, NARROW + 40])
def test_a_row_is_in_the_cells_of_the_nearest_centroids(width: int, is_half: bool) -> None:
    rows, centroids = unit_rows(50, width, 2), unit_rows(20, width, 3)
    chosen = np.flatnonzero(np.arange(50) % 3)
    blocks = narrow_blocks(make_rows([rows]), chosen, np.eye(width, dtype=np.float32))
    side = assign_cells(50, chosen, blocks, centroids, 4, is_half=is_half)
    assert (side.n_rows, side.n_cells) == (50, 20)
    nearest = np.argsort(-rows[chosen] @ centroids.T, axis=1)[:, :4]
    assert np.array_equal(side.cells, np.sort(nearest, axis=1))
    assert side.narrow.dtype == (np.float16 if is_half else np.float32)
    few = rows[chosen][:, :NARROW]
    few = few / np.linalg.norm(few, axis=1, keepdims=True)
    assert np.allclose(side.narrow, few, atol=1e-3 if is_half else 1e-6)


def test_centroids_are_the_means_of_what_lies_near_them() -> None:
    """Three tight groups: one centroid each, wherever they begin."""
    middles = np.eye(3, 8, dtype=np.float32)
    noise = 0.05 * unit_rows(90, 8, 4)
    rows = np.repeat(middles, 30, axis=0) + noise
    rows = np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
    best = [
        (learn_centroids(rows, 3, np.random.default_rng(seed)) @ middles.T).max(axis=0)
        for seed in range(10)
    ]
    assert max(near.min() for near in best) > 0.999
    centroids = learn_centroids(rows, 200, np.random.default_rng(0))
    assert centroids.shape == (90, 8)  # no more than there are rows
    assert np.allclose(np.linalg.norm(centroids, axis=1), 1, atol=1e-5)
    assert learn_centroids(rows[:0], 3, np.random.default_rng(0)).shape == (0, 8)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_identical_rows_are_limited(k: int) -> None:
    numbers = np.array([1, 0, 0, 2, 1, 0, 0])
    cells = np.zeros((7, 1), np.int32)
    block = in_cells(np.arange(7) * 2, unit_rows(3, 8, 1)[numbers], cells, 1)
    limited = limit_same_rows(block, k)
    kept = (limited.rows // 2).tolist()
    expected = [i for i in range(7) if (numbers[:i] == numbers[i]).sum() < k]
    assert kept == expected
