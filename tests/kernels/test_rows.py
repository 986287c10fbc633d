"""Rows against plain numpy: what is put in comes out, exactly or within half a step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.kernels.rows import NodeRows, Rows
from lighttea.types import Floats

N_PARTS, WIDTH = 3, 5
HALF_STEP = 0.5 * (1 + 1e-5)  # of a step of eight bits, and the rounding of float32


def random_parts(n_rows: int, random_seed: int) -> Floats:
    """(n_rows, N_PARTS, WIDTH) of very unlike sizes, some parts and some whole rows zero."""
    rng = np.random.default_rng(random_seed)
    parts = rng.standard_normal((n_rows, N_PARTS, WIDTH))
    parts *= 10.0 ** rng.integers(-6, 6, (n_rows, N_PARTS, 1))
    parts[rng.random((n_rows, N_PARTS)) < 0.2] = 0
    parts[rng.random(n_rows) < 0.2] = 0
    return np.asarray(parts, np.float32)


def filled_from(parts: Floats, block: int, *, compact: bool) -> Rows:
    """Part by part and block by block, as the propagation does."""
    rows = Rows.empty(len(parts), WIDTH, N_PARTS, compact=compact)
    for part in range(N_PARTS):
        for begin in range(0, len(parts), block):
            rows.put(begin, np.ascontiguousarray(parts[begin : begin + block, part]), part)
    return rows


def whole(rows: Rows) -> Floats:
    return rows.take(np.arange(len(rows)))


def steps_of(parts: Floats) -> Floats:
    """What one step of eight bits stands for in each part of each row."""
    return np.asarray(np.abs(parts).max(axis=2, keepdims=True) / 127)


@given(st.integers(0, 40), st.integers(1, 50), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_float32_comes_out_as_it_was_put_in(n_rows: int, block: int, random_seed: int) -> None:
    parts = random_parts(n_rows, random_seed)
    rows = filled_from(parts, block, compact=False)
    assert not rows.is_compact
    assert (len(rows), rows.n_columns) == (n_rows, N_PARTS * WIDTH)
    assert np.array_equal(whole(rows), parts.reshape(n_rows, N_PARTS * WIDTH))
    assert np.array_equal(rows.scale, parts.any(axis=2))


@given(st.integers(0, 40), st.integers(1, 50), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_eight_bits_lose_at_most_half_a_step(n_rows: int, block: int, random_seed: int) -> None:
    parts = random_parts(n_rows, random_seed)
    rows = filled_from(parts, block, compact=True)
    assert rows.is_compact
    assert rows.values.dtype == np.int8
    assert rows.values.shape == (n_rows, N_PARTS * WIDTH)
    steps = steps_of(parts)
    assert np.allclose(rows.scale, steps[:, :, 0], rtol=1e-6, atol=0)
    error = np.abs(whole(rows).reshape(parts.shape) - parts)
    assert (error <= HALF_STEP * steps).all()


@pytest.mark.parametrize("compact", [False, True])
def test_a_row_is_filled_where_any_part_is(compact: bool) -> None:
    parts = random_parts(200, 0)
    some = np.asarray(parts.any(axis=2))
    assert {0, 1, N_PARTS} <= set(some.sum(axis=1).tolist())  # none, one and all of the parts
    rows = filled_from(parts, 64, compact=compact)
    assert np.array_equal(rows.filled, some.any(axis=1))
    assert np.array_equal(rows.scale > 0, some)
    assert not whole(rows)[~rows.filled].any()


@pytest.mark.parametrize("compact", [False, True])
def test_nothing_put_yet_is_not_filled(compact: bool) -> None:
    assert not Rows.empty(4, 3, 2, compact=compact).filled.any()


@pytest.mark.parametrize("compact", [False, True])
def test_a_part_put_again_replaces_the_old_one_and_no_other(compact: bool) -> None:
    before, after = random_parts(30, 1), random_parts(30, 2)
    rows = filled_from(before, 30, compact=compact)
    untouched = whole(rows).reshape(before.shape).copy()
    rows.put(10, np.ascontiguousarray(after[10:15, 1]), part=1)
    found = whole(rows).reshape(before.shape)
    expected = filled_from(after, 30, compact=compact)
    assert np.array_equal(found[10:15, 1], whole(expected).reshape(after.shape)[10:15, 1])
    found[10:15, 1] = untouched[10:15, 1]
    assert np.array_equal(found, untouched)


@pytest.mark.parametrize("compact", [False, True])
def test_stretching_multiplies_each_part_of_each_row(compact: bool) -> None:
    parts = random_parts(60, 3)
    factor = np.random.default_rng(4).uniform(0.1, 3, (60, N_PARTS)).astype(np.float32)
    rows = filled_from(parts, 17, compact=compact)
    before = whole(rows).copy()
    filled = rows.filled
    rows.stretch(factor)
    expected = (before.reshape(parts.shape) * factor[:, :, None]).reshape(60, -1)
    assert np.allclose(whole(rows), expected, rtol=1e-6, atol=0)
    assert np.array_equal(rows.filled, filled)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [0],
        [19],
        [4, 5, 6, 7],
        [4, 6, 7],
        [7, 5, 6, 4],
        [4, 6, 5, 7],  # first and last are as far apart as in a run
        [3, 3, 5],
        [9, 2],
    ],
    ids=str,
)
def test_any_rows_are_taken_in_the_order_asked(compact: bool, numbers: list[int]) -> None:
    rows = filled_from(random_parts(20, 5), 20, compact=compact)
    all_of_them = rows.values * np.repeat(rows.scale, WIDTH, axis=1) if compact else rows.values
    found = rows.take(np.array(numbers, np.int64))
    assert found.dtype == np.float32
    assert found.shape == (len(numbers), N_PARTS * WIDTH)
    assert np.allclose(found, all_of_them[numbers], rtol=1e-6, atol=0)


def test_a_run_of_float32_rows_is_taken_without_a_copy() -> None:
    rows = filled_from(random_parts(20, 5), 20, compact=False)
    assert np.shares_memory(rows.take(np.arange(3, 9)), rows.values)
    assert not np.shares_memory(rows.take(np.array([3, 5])), rows.values)


@pytest.mark.parametrize("compact", [False, True])
def test_a_matrix_is_rows_of_one_part(compact: bool) -> None:
    matrix = random_parts(9, 6)[:, 0].copy()
    rows = Rows.of(matrix, compact=compact)
    assert rows.scale.shape == (9, 1)
    assert not np.shares_memory(rows.values, matrix)
    tolerance = HALF_STEP * np.abs(matrix).max(axis=1, keepdims=True) / 127 if compact else 0
    assert (np.abs(whole(rows) - matrix) <= tolerance).all()


def test_an_inner_product_of_unit_rows_in_eight_bits_is_off_by_little() -> None:
    """What the module promises: 3e-4 at a thousand columns, against .03 of sketching."""
    rng = np.random.default_rng(7)
    matrix = rng.standard_normal((200, 1024)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    compact = whole(Rows.of(matrix, compact=True))
    error = np.abs(compact @ compact.T - matrix @ matrix.T)
    assert np.sqrt((error**2).mean()) < 4e-4
    assert error.max() < 2e-3


def test_every_node_has_its_row() -> None:
    rows = Rows.of(np.array([[1, 0], [0, 0], [0, 2]], np.float32))
    nodes = NodeRows.all_of(rows)
    assert nodes.place.tolist() == [0, 1, 2]
    assert nodes.filled.tolist() == [1, 0, 1]


@pytest.mark.parametrize("compact", [False, True])
def test_some_nodes_have_a_row(compact: bool) -> None:
    """Nodes 5, 0 and 3 of seven, in this order; the row of node 0 is zero."""
    rows = Rows.of(np.array([[1, 0], [0, 0], [0, 2]], np.float32), compact=compact)
    nodes = NodeRows.some_of(7, np.array([5, 0, 3]), rows)
    assert nodes.place.tolist() == [1, -1, -1, 2, -1, 0, -1]
    assert nodes.filled.tolist() == [0, 0, 0, 1, 0, 1, 0]
    assert nodes.filled.dtype == np.float32


def test_nodes_may_share_rows() -> None:
    rows = Rows.of(np.eye(2, dtype=np.float32))
    nodes = NodeRows.some_of(5, np.array([[0, 1], [4, 3]]), rows)
    assert nodes.place.tolist() == [0, 1, -1, 1, 0]
    assert nodes.filled.tolist() == [1, 1, 0, 1, 1]


def test_no_node_has_a_row() -> None:
    nodes = NodeRows.some_of(3, np.empty(0, np.int64), Rows.of(np.empty((0, 4), np.float32)))
    assert nodes.filled.tolist() == [0, 0, 0]
