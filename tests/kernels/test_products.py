"""Products of rows, and how rows are held: each compiled loop beside the slow, obvious one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lighttea.kernels import products
from lighttea.types import Floats, Ints

SEEDS = st.integers(0, 10**6)


@dataclass(frozen=True)
class Held:
    """Rows as kernels take them, and what they stand for."""

    values: NDArray[Any]
    scale: Floats
    meant: Floats


def held(rng: np.random.Generator, n_rows: int, width: int, n_parts: int, dtype: Any) -> Held:
    """Random rows of several parts; a tenth of the parts is zero."""
    scale = rng.uniform(0.1, 2, (n_rows, n_parts)).astype(np.float32)
    if dtype == np.int8:
        values: NDArray[Any] = rng.integers(-127, 128, (n_rows, n_parts * width)).astype(np.int8)
    else:
        values = rng.standard_normal((n_rows, n_parts * width)).astype(np.float32)
    scale[rng.random(scale.shape) < 0.1] = 0
    meant = values.astype(np.float32) * np.repeat(scale, width, axis=1)
    return Held(values, scale, meant)


def random_lists(rng: np.random.Generator, n_rows: int, n_columns: int) -> tuple[Ints, Ints]:
    """Where each row's list begins and what is in it; some lists are empty, some repeat."""
    lengths = rng.integers(0, 6, n_rows) * (n_columns > 0)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return start, rng.integers(0, max(1, n_columns), start[-1]).astype(np.int32)


def random_places(rng: np.random.Generator, n_nodes: int, n_rows: int) -> Ints:
    """Some nodes have one of the rows, some none."""
    return rng.integers(-1, n_rows, n_nodes).astype(np.int32)


@pytest.mark.parametrize("dtype", [np.float32, np.int8])
@given(st.integers(1, 20), st.integers(1, 15), st.integers(1, 12), SEEDS)
@settings(max_examples=25, deadline=None)
def test_add_product(dtype: Any, n_rows: int, n_nodes: int, dim: int, random_seed: int) -> None:
    rng = np.random.default_rng(random_seed)
    start, columns = random_lists(rng, n_rows, n_nodes)
    weights = rng.standard_normal(len(columns)).astype(np.float32)
    labels, place = held(rng, 7, dim, 1, dtype), random_places(rng, n_nodes, 7)
    begin = int(rng.integers(0, n_rows))
    count = int(rng.integers(1, n_rows - begin + 1))
    before = rng.standard_normal((count, dim)).astype(np.float32)
    expected = before.astype(np.float64)
    for i in range(count):
        for p in range(start[begin + i], start[begin + i + 1]):
            if place[columns[p]] != -1:
                expected[i] += weights[p] * labels.meant[place[columns[p]]]
    out = before.copy()
    products.add_product(start, columns, weights, place, labels.values, labels.scale, begin, out)
    assert np.allclose(out, expected, rtol=1e-5, atol=1e-4 * (1 + np.abs(labels.meant).max()))


@given(st.integers(0, 9), st.integers(1, 9), SEEDS)
@settings(max_examples=25, deadline=None)
def test_normalise_rows(n_rows: int, width: int, random_seed: int) -> None:
    rng = np.random.default_rng(random_seed)
    rows = rng.standard_normal((n_rows, width)).astype(np.float32)
    rows[rng.random(n_rows) < 0.3] = 0
    expected = rows.copy()
    for i in range(n_rows):
        if rows[i].any():
            expected[i] /= np.linalg.norm(rows[i])
    products.normalise_rows(rows)
    assert np.allclose(rows, expected, atol=1e-6)


@given(st.integers(0, 9), st.integers(1, 9), SEEDS)
@settings(max_examples=25, deadline=None)
def test_store_rows(n_rows: int, width: int, random_seed: int) -> None:
    """Into a part of wider rows, where the neighbouring parts stay as they are."""
    rng = np.random.default_rng(random_seed)
    block = rng.standard_normal((n_rows, width)).astype(np.float32)
    block[rng.random(n_rows) < 0.3] = 0
    values = np.full((n_rows, width + 6), 55, np.float32)
    scale = np.full((n_rows, 2), 9, np.float32)
    products.store_rows(block, values[:, 3 : 3 + width], scale[:, 1])
    assert np.array_equal(values[:, 3 : 3 + width], block)
    assert scale[:, 1].tolist() == [float(row.any()) for row in block]
    assert (np.delete(values, np.s_[3 : 3 + width], axis=1) == 55).all()
    assert (scale[:, 0] == 9).all()


@pytest.mark.parametrize("strided", [False, True])
@given(st.integers(0, 9), st.integers(1, 9), SEEDS)
@settings(max_examples=25, deadline=None)
def test_quantise_rows(strided: bool, n_rows: int, width: int, random_seed: int) -> None:
    """Also into a part of wider rows, where the neighbouring parts stay as they are."""
    rng = np.random.default_rng(random_seed)
    block = rng.standard_normal((n_rows, width)).astype(np.float32)
    block *= np.float32(10) ** rng.integers(-8, 8, (n_rows, 1)).astype(np.float32)
    block[rng.random(n_rows) < 0.3] = 0
    around = 3 if strided else 0
    values = np.full((n_rows, width + 2 * around), 55, np.int8)
    scale = np.full((n_rows, 2 if strided else 1), 9, np.float32)
    products.quantise_rows(block, values[:, around : around + width], scale[:, 0])
    for i in range(n_rows):
        step = np.float64(np.abs(block[i]).max()) / 127
        assert scale[i, 0] == pytest.approx(step, rel=1e-6)
        for d in range(width):
            exact = block[i, d] / step if step else 0.0
            assert abs(values[i, around + d] - exact) <= 0.5 + 1e-4
            assert abs(int(values[i, around + d])) <= 127
    assert (np.delete(values, np.s_[around : around + width], axis=1) == 55).all()
    assert (scale[:, 1:] == 9).all()


def test_the_largest_value_of_a_row_keeps_its_sign_and_size() -> None:
    block = np.array([[-3, 1.5, 0], [0.25, -0.1, 0.1]], np.float32)
    values, scale = np.empty((2, 3), np.int8), np.empty(2, np.float32)
    products.quantise_rows(block, values, scale)
    assert values.tolist() == [[-127, 64, 0], [127, -51, 51]]  # 63.5 goes to the even number
    assert np.allclose(scale * 127, [3, 0.25])


@pytest.mark.parametrize("dtype", [np.float32, np.int8])
@given(st.integers(1, 9), st.integers(1, 6), st.integers(1, 3), st.integers(0, 12), SEEDS)
@settings(max_examples=25, deadline=None)
def test_restore_rows(
    dtype: Any, n_rows: int, width: int, n_parts: int, n_asked: int, random_seed: int
) -> None:
    rng = np.random.default_rng(random_seed)
    rows = held(rng, n_rows, width, n_parts, dtype)
    numbers = rng.integers(0, n_rows, n_asked)
    out = np.full((n_asked, n_parts * width), np.nan, np.float32)
    products.restore_rows(rows.values, rows.scale, numbers, out)
    assert np.allclose(out, rows.meant[numbers], rtol=1e-6, atol=0)


@given(st.integers(0, 9), st.integers(1, 6), st.integers(1, 3), SEEDS)
@settings(max_examples=25, deadline=None)
def test_stretch_parts(n_rows: int, width: int, n_parts: int, random_seed: int) -> None:
    rng = np.random.default_rng(random_seed)
    values = rng.standard_normal((n_rows, n_parts * width)).astype(np.float32)
    factor = rng.standard_normal((n_rows, n_parts)).astype(np.float32)
    expected = values.copy()
    for i in range(n_rows):
        for d in range(n_parts * width):
            expected[i, d] *= factor[i, d // width]
    products.stretch_parts(values, factor)
    assert np.allclose(values, expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize("dtype", [np.float32, np.int8])
@given(st.integers(1, 15), st.integers(1, 5), st.integers(1, 12), st.integers(0, 8), SEEDS)
@settings(max_examples=25, deadline=None)
def test_add_sums_of_products(
    dtype: Any, n_nodes: int, n_others: int, dim: int, begin: int, random_seed: int
) -> None:
    """Into columns in the middle of wider rows, as the last hop does."""
    rng = np.random.default_rng(random_seed)
    start, neighbours = random_lists(rng, n_nodes, n_nodes)
    others = rng.integers(0, n_others, len(neighbours)).astype(np.int32)
    labels, place = held(rng, 6, dim, 1, dtype), random_places(rng, n_nodes, 6)
    length = rng.uniform(0, 1, n_nodes).astype(np.float32)
    other_rows = rng.standard_normal((n_others, dim)).astype(np.float32)
    begin = min(begin, n_nodes)
    count = int(rng.integers(0, n_nodes - begin + 1))
    before = rng.standard_normal((count, dim + 4)).astype(np.float32)
    expected = before.astype(np.float64)
    for i in range(count):
        for p in range(start[begin + i], start[begin + i + 1]):
            a, b = neighbours[p], others[p]
            if place[a] != -1:
                expected[i, 2:-2] += length[a] * labels.meant[place[a]] * other_rows[b]
    out = before.copy()
    products.add_sums_of_products(
        start,
        neighbours,
        others,
        begin,
        place,
        labels.values,
        labels.scale,
        length,
        other_rows,
        out[:, 2:-2],
    )
    assert np.allclose(out, expected, rtol=1e-5, atol=1e-4 * (1 + np.abs(labels.meant).max()))


@pytest.mark.parametrize("kind", [np.float32, np.int8])
@given(st.integers(1, 8), st.integers(1, 3), st.integers(0, 6), st.integers(1, 4), SEEDS)
@settings(max_examples=30, deadline=None)
def test_candidate_dots(
    kind: Any, width: int, n_parts: int, n_rows: int, k: int, random_seed: int
) -> None:
    rng = np.random.default_rng(random_seed)
    left = held(rng, 5, width, n_parts, kind)
    right = held(rng, 4, width, n_parts, kind)
    rows, index = rng.integers(0, 5, n_rows), rng.integers(-1, 4, (n_rows, k))
    counted = int(rng.integers(0, n_parts + 1))
    out = np.full((n_rows, k), np.nan, np.float32)
    multiply = products.compact_candidate_dots if kind == np.int8 else products.candidate_dots
    multiply(left.values, left.scale, right.values, right.scale, rows, index, counted, out)
    for (i, c), j in np.ndenumerate(index):
        own, other = left.meant[rows[i], : counted * width], right.meant[j, : counted * width]
        exact = float(own.astype(np.float64) @ other) if j != -1 else 0.0
        largest = float(np.abs(own.astype(np.float64)) @ np.abs(other))
        assert abs(out[i, c] - exact) <= 1e-5 * (largest + 1e-3)


def test_candidate_dots_of_held_float32_rows_trust_their_scale() -> None:
    """A part of scale zero counts as zero, and no part beyond those asked for is read."""
    left = np.array([[1, 2, 3, 4, np.nan, np.nan]], np.float32)
    scale = np.array([[1, 0, 1]], np.float32)
    out = np.empty((1, 1), np.float32)
    products.candidate_dots(left, scale, left, scale, np.array([0]), np.array([[0]]), 2, out)
    assert out.tolist() == [[1 + 4]]


@given(SEEDS)
@settings(max_examples=30, deadline=None)
def test_known_values_are_looked_up_and_the_rest_is_named(random_seed: int) -> None:
    rng = np.random.default_rng(random_seed)
    n, k, n_places = 7, 5, 12
    index = np.stack([rng.permutation(n_places)[:k] for _ in range(n)]).astype(np.int32)
    index[rng.random(index.shape) < 0.2] = -1
    value = rng.random((n, k), dtype=np.float32)
    wanted = np.stack([rng.permutation(n_places)[:8] for _ in range(n)]).astype(np.int32)
    wanted[rng.random(wanted.shape) < 0.2] = -1
    out, rest = np.empty(wanted.shape, np.float32), np.empty(wanted.shape, np.int32)
    products.known_values(index, value, wanted, n_places, 3, out, rest)
    for i in range(n):
        known = {j: v for j, v in zip(index[i].tolist(), value[i], strict=True) if j >= 0}
        assert out[i].tolist() == [known.get(j, 0) for j in wanted[i].tolist()]
        assert rest[i].tolist() == [-1 if j in known else j for j in wanted[i].tolist()]
