"""Label rows against plain numpy: what is put in comes out, exactly or within half a step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.engines.cpu.ops import PLAIN
from lighttea.kernels.rows import NumpyRows
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


def filled_from(parts: Floats, block: int, *, compact: bool) -> NumpyRows:
    """Part by part and block by block, as the propagation does."""
    rows = NumpyRows.empty(len(parts), WIDTH, N_PARTS, compact=compact)
    for part in range(N_PARTS):
        for begin in range(0, len(parts), block):
            rows.put(begin, np.ascontiguousarray(parts[begin : begin + block, part]), part)
    return rows


def whole(rows: NumpyRows) -> Floats:
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
    assert not NumpyRows.empty(4, 3, 2, compact=compact).filled.any()


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
    rows = NumpyRows.of(matrix, compact=compact)
    assert rows.scale.shape == (9, 1)
    assert not np.shares_memory(rows.values, matrix)
    tolerance = HALF_STEP * np.abs(matrix).max(axis=1, keepdims=True) / 127 if compact else 0
    assert (np.abs(whole(rows) - matrix) <= tolerance).all()


def test_an_inner_product_of_unit_rows_in_eight_bits_is_off_by_little() -> None:
    """What the module promises: 3e-4 at a thousand columns, against .03 of sketching."""
    rng = np.random.default_rng(7)
    matrix = rng.standard_normal((200, 1024)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    compact = whole(NumpyRows.of(matrix, compact=True))
    error = np.abs(compact @ compact.T - matrix @ matrix.T)
    assert np.sqrt((error**2).mean()) < 4e-4
    assert error.max() < 2e-3


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("sizes", [(4, 0, 7), (11,)])
def test_blocks_under_one_another_are_the_whole(sizes: tuple[int, ...], compact: bool) -> None:
    parts = random_parts(11, 8)
    ends = np.cumsum(sizes)
    blocks = [
        filled_from(parts[end - size : end], 3, compact=compact)
        for size, end in zip(sizes, ends, strict=True)
    ]
    joined = NumpyRows.join(blocks)
    expected = filled_from(parts, 3, compact=compact)
    assert np.array_equal(joined.values, expected.values)
    assert np.array_equal(joined.scale, expected.scale)
    assert not any(np.shares_memory(joined.values, block.values) for block in blocks)


@pytest.mark.parametrize("n_parts", [None, 0, 1, 2, N_PARTS])
@pytest.mark.parametrize("compact", [False, True])
def test_inner_products_over_the_first_parts(compact: bool, n_parts: int | None) -> None:
    rng = np.random.default_rng(9)
    left, right = (rng.standard_normal((n, N_PARTS, WIDTH)).astype(np.float32) for n in (20, 15))
    sides = [filled_from(side, 7, compact=compact) for side in (left, right)]
    rows, index = rng.integers(0, 20, 12), rng.integers(-1, 15, (12, 4)).astype(np.int32)
    dots = sides[0].dots(sides[1], rows, index, n_parts)
    columns = (N_PARTS if n_parts is None else n_parts) * WIDTH
    own, other = (whole(side)[:, :columns] for side in sides)
    for (i, c), j in np.ndenumerate(index):
        exact = float(own[rows[i]] @ other[j]) if j >= 0 else 0.0
        assert dots[i, c] == pytest.approx(exact, abs=1e-5)


def test_inner_products_of_no_rows() -> None:
    rows = NumpyRows.of(np.ones((2, 3), np.float32))
    assert rows.dots(rows, np.empty(0, np.int64), np.empty((0, 4), np.int32)).shape == (0, 4)


@pytest.mark.parametrize("compact", [False, True])
def test_some_nodes_have_a_row(compact: bool) -> None:
    """Nodes 5, 0 and 3 of seven, in this order; the others have none."""
    rows = NumpyRows.of(np.array([[1, 0], [0, 0], [0, 2]], np.float32), compact=compact)
    nodes = PLAIN.spread_rows(rows, [np.array([5, 0, 3])], 7)
    assert nodes.place.tolist() == [1, -1, -1, 2, -1, 0, -1]
    assert nodes.rows is rows


def test_nodes_may_share_rows() -> None:
    rows = NumpyRows.of(np.eye(2, dtype=np.float32))
    nodes = PLAIN.spread_rows(rows, [np.array([0, 1]), np.array([4, 3])], 5)
    assert nodes.place.tolist() == [0, 1, -1, 1, 0]


def test_no_node_has_a_row() -> None:
    rows = NumpyRows.of(np.empty((0, 4), np.float32))
    assert PLAIN.spread_rows(rows, [np.empty(0, np.int64)], 3).place.tolist() == [-1, -1, -1]


@pytest.mark.parametrize("compact", [False, True])
def test_rows_with_a_flag_become_those_of_others(compact: bool) -> None:
    rows, others = (filled_from(random_parts(n, n), 4, compact=compact) for n in (9, 3))
    expected, flags = whole(rows).copy(), np.arange(9) % 3 == 1
    expected[flags] = whole(others)
    rows.replace(flags, others)
    np.testing.assert_array_equal(whole(rows), expected)
    np.testing.assert_array_equal(rows.filled[flags], others.filled)
