"""Sinkhorn against the printed equation in dense numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.assign.sinkhorn import assign, without_assignment
from lighttea.kernels.threads import limited_threads
from lighttea.similarity.topk import Candidates
from lighttea.types import Doubles, Floats, Ints, LeftIds, RightIds


def make(index: Ints, score: Floats, n_right: int) -> Candidates:
    time = np.full_like(score, np.nan)
    left, right = LeftIds(np.arange(len(index))), RightIds(np.arange(n_right))
    return Candidates(left, right, index, score, time, score)


def random_candidates(n: int, m: int, k: int, random_seed: int) -> Candidates:
    rng = np.random.default_rng(random_seed)
    index = np.stack([rng.permutation(m)[:k] for _ in range(n)]).astype(np.int32)
    return make(index, rng.uniform(-1, 1, (n, k)).astype(np.float32), m)


def slow_sinkhorn(candidates: Candidates, temperature: float, iterations: int) -> Doubles:
    """Eq. 11 as printed, on a dense matrix with zeros where there is no candidate."""
    n, k = candidates.index.shape
    dense = np.zeros((n, len(candidates.right)))
    for i in range(n):
        for c in range(k):
            if candidates.index[i, c] >= 0:
                dense[i, candidates.index[i, c]] = np.exp(candidates.score[i, c] / temperature)
    for _ in range(iterations):
        rows = dense.sum(axis=1, keepdims=True)
        dense = np.divide(dense, rows, out=dense, where=rows > 0)
        columns = dense.sum(axis=0, keepdims=True)
        dense = np.divide(dense, columns, out=dense, where=columns > 0)
    return np.where(
        candidates.valid, np.take_along_axis(dense, np.maximum(candidates.index, 0), 1), 0
    )


@given(st.integers(1, 12), st.integers(1, 15), st.integers(1, 20), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_it_is_the_printed_equation(n: int, m: int, iterations: int, random_seed: int) -> None:
    candidates = random_candidates(n, m, max(1, m // 2), random_seed)
    fast = assign(candidates, temperature=0.05, iterations=iterations)
    assert np.allclose(fast.value, slow_sinkhorn(candidates, 0.05, iterations), atol=1e-5)


@pytest.mark.parametrize("temperature", [0.5, 0.05, 0.005, 0.0005, 1e-6])
def test_no_temperature_overflows(temperature: float) -> None:
    for random_seed in range(5):
        candidates = random_candidates(30, 30, 12, random_seed)
        value = assign(candidates, temperature=temperature, iterations=15).value
        assert np.isfinite(value).all()
        assert (value >= 0).all()
        assert (value <= 1 + 1e-6).all()
        assert value.max() > 0.5 or temperature > 0.1


def test_an_entity_without_candidates_is_no_nan() -> None:
    index = np.array([[0, 1], [-1, -1]], np.int32)
    score = np.array([[0.9, 0.1], [0, 0]], np.float32)
    value = assign(make(index, score, 3), temperature=0.05, iterations=15).value
    assert value[1].tolist() == [0, 0]
    assert np.isfinite(value).all()


def test_a_row_without_any_candidate_at_all() -> None:
    nobody = make(np.full((2, 1), -1, np.int32), np.zeros((2, 1), np.float32), 3)
    result = assign(nobody, temperature=0.05, iterations=5)
    assert not result.value.any()
    assert result.marginal_gap == 0


def test_columns_sum_to_one_and_the_gap_is_that_of_the_rows() -> None:
    candidates = random_candidates(40, 40, 40, 0)
    result = assign(candidates, temperature=0.2, iterations=2)
    columns = np.bincount(candidates.index.ravel(), result.value.ravel(), minlength=40)
    assert np.allclose(columns, 1, atol=1e-5)
    rows = result.value.astype(np.float64).sum(axis=1)
    assert result.marginal_gap == pytest.approx(np.abs(rows - 1).mean(), abs=1e-6)
    more = assign(candidates, temperature=0.2, iterations=20)
    assert more.marginal_gap < 0.1 * result.marginal_gap


def test_competition_moves_a_row_to_its_second_choice() -> None:
    """Both rows prefer column 0; row 0 by more. The assignment gives row 1 column 1."""
    index = np.array([[0, 1], [0, 1]], np.int32)
    score = np.array([[0.9, 0.1], [0.8, 0.7]], np.float32)
    value = assign(make(index, score, 2), temperature=0.05, iterations=50).value
    assert value[0].argmax() == 0
    assert value[1].argmax() == 1


def test_the_number_of_threads_does_not_change_it() -> None:
    candidates = random_candidates(200, 150, 30, 4)
    with limited_threads(1):
        one = assign(candidates, temperature=0.05, iterations=15).value
    with limited_threads(2) as count:
        assert count == 2
        two = assign(candidates, temperature=0.05, iterations=15).value
    assert np.allclose(one, two, atol=1e-5)


def test_without_it_a_value_is_the_similarity() -> None:
    candidates = random_candidates(5, 6, 3, 0)
    value = without_assignment(candidates).value
    assert np.allclose(value, candidates.score.clip(0, 1))
