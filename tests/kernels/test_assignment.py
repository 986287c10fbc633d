"""Loops over a table of candidates, beside loops in Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.engines.cpu.ops import PLAIN
from lighttea.types import Doubles, Floats, Ints

SEEDS = st.integers(0, 10**6)
SIZES = st.tuples(st.integers(0, 9), st.integers(1, 8), st.integers(1, 6))  # rows, columns, k


def random_table(rng: np.random.Generator, sizes: tuple[int, int, int]) -> tuple[int, Ints, Floats]:
    """Columns of a table, its distinct places with gaps, and scores of either sign with ties."""
    n, n_columns, k = sizes
    k = min(k, n_columns)
    index = np.array([rng.permutation(n_columns)[:k] for _ in range(n)], np.int32).reshape(n, k)
    index[rng.random(index.shape) < 0.25] = -1
    return n_columns, index, np.round(rng.normal(0.3, 0.5, index.shape), 1).astype(np.float32)


@given(SIZES, st.integers(1, 5), SEEDS)
@settings(max_examples=40, deadline=None)
def test_the_best_of_rows_and_of_columns(
    sizes: tuple[int, int, int], n_best: int, random_seed: int
) -> None:
    n_columns, index, score = random_table(np.random.default_rng(random_seed), sizes)
    of_rows = PLAIN.best_of_rows(score, index, n_best)
    of_columns = PLAIN.best_of_columns(score, index, n_columns, n_best)
    rows = [score[i][index[i] >= 0] for i in range(len(index))]
    columns = [score[index == j] for j in range(n_columns)]
    for best, lists in ((of_rows, rows), (of_columns, columns)):
        assert best.shape == (len(lists), n_best)
        for line, values in zip(best, lists, strict=True):
            falling = sorted((x for x in values.tolist() if x > 0), reverse=True)[:n_best]
            assert line.tolist() == falling + [0] * (n_best - len(falling))


@given(SIZES, SEEDS)
@settings(max_examples=40, deadline=None)
def test_the_best_by_weights_is_the_lowest_place_of_the_largest_sum(
    sizes: tuple[int, int, int], random_seed: int
) -> None:
    rng = np.random.default_rng(random_seed)
    _, index, label = random_table(rng, sizes)
    time, consensus, likelihood = (
        np.round(rng.random(index.shape), 1).astype(np.float32) for _ in range(3)
    )
    time[rng.random(index.shape) < 0.4] = np.nan
    tried = rng.choice([0.0, 0.25, 0.5, 1.0], (3, 6)).tolist()
    best_by_weights = PLAIN.best_by_weights([label, time, consensus, likelihood], index, tried)
    for (w, i), best in np.ndenumerate(best_by_weights):
        weights, sums = tried[w], {}
        for c in np.flatnonzero(index[i] >= 0):
            if np.isnan(time[i, c]):
                total = weights[3] * label[i, c] + weights[4] * consensus[i, c]
            else:
                known = (label[i, c], time[i, c], consensus[i, c])
                total = float(np.dot(weights[:3], known))
            sums[int(index[i, c])] = total + weights[5] * likelihood[i, c]
        most = max(sums.values(), default=0.0)
        assert best == min((j for j, x in sums.items() if x > most - 1e-5), default=-1)


def dense(n_columns: int, index: Ints, kernel: Doubles) -> Doubles:
    whole = np.zeros((len(index), n_columns))
    for (i, c), j in np.ndenumerate(index):
        if j >= 0:
            whole[i, j] = kernel[i, c]
    return whole


@pytest.mark.parametrize("kept", [False, True])
@given(SIZES, SEEDS)
@settings(max_examples=40, deadline=None)
def test_half_an_alternation_is_that_of_a_dense_matrix(
    kept: bool, sizes: tuple[int, int, int], random_seed: int
) -> None:
    """Rows may keep something to themselves; a row of zeros stays zero."""
    rng = np.random.default_rng(random_seed)
    n_columns, index, _ = random_table(rng, sizes)
    kernel = rng.random(index.shape)
    column_scale = rng.random(n_columns) * (rng.random(n_columns) < 0.8)
    slack = rng.random(len(index)) if kept else 0.0
    sparse = PLAIN.sparse_kernel(kernel, index, n_columns)
    row_scale, sums = sparse.scale_rows(column_scale, slack)
    whole = dense(n_columns, index, kernel)
    totals = whole @ column_scale + slack
    expected = np.divide(1, totals, out=np.zeros_like(totals), where=totals > 0)
    assert np.allclose(row_scale, expected)
    assert np.allclose(sums, expected @ whole)
    plan = sparse.plan(row_scale, column_scale)
    assert plan.dtype == np.float32
    assert np.allclose(dense(n_columns, index, plan), expected[:, None] * whole * column_scale)
    assert not plan[index < 0].any()
