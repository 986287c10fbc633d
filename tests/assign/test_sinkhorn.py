"""Sinkhorn against the printed equation in dense numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.assign.sinkhorn import assign, assign_many_to_one, keep_similarities
from lighttea.kernels.threads import limited_threads
from lighttea.types import Doubles, Floats
from tests.plain import plain_engine
from tests.tables import PlainCandidates, join_blocks, make_candidates, split_candidates


@dataclass(frozen=True)
class Values:
    """Values of all candidates, and the gap of the rows."""

    value: Floats
    marginal_gap: float


def random_candidates(n: int, m: int, k: int, random_seed: int) -> PlainCandidates:
    rng = np.random.default_rng(random_seed)
    index = np.stack([rng.permutation(m)[:k] for _ in range(n)])
    return make_candidates(index, rng.uniform(-1, 1, (n, k)))


def assigned(
    candidates: PlainCandidates,
    n_right: int,
    *,
    temperature: float = 0.05,
    iterations: int = 15,
    n_blocks: int = 1,
) -> Values:
    engine = plain_engine(len(candidates.index), n_right, n_blocks=n_blocks)
    blocks = split_candidates(engine, candidates)
    result = assign(engine, blocks, temperature=temperature, iterations=iterations)
    assert result.confidence is result.value  # without probabilities it is what links go by
    return Values(join_blocks(engine, result.value), result.marginal_gap)


def slow_sinkhorn(
    candidates: PlainCandidates, n_right: int, temperature: float, iterations: int
) -> Doubles:
    """Eq. 11 as printed, on a dense matrix with zeros where there is no candidate."""
    n, k = candidates.index.shape
    dense = np.zeros((n, n_right))
    for i in range(n):
        for c in range(k):
            if candidates.index[i, c] >= 0:
                dense[i, candidates.index[i, c]] = np.exp(candidates.score[i, c] / temperature)
    for _ in range(iterations):
        rows = dense.sum(axis=1, keepdims=True)
        dense = np.divide(dense, rows, out=dense, where=rows > 0)
        columns = dense.sum(axis=0, keepdims=True)
        dense = np.divide(dense, columns, out=dense, where=columns > 0)
    value = np.take_along_axis(dense, np.maximum(candidates.index, 0), axis=1)
    return np.asarray(np.where(candidates.valid, value, 0))


@given(
    st.integers(1, 12),
    st.integers(1, 15),
    st.integers(1, 20),
    st.integers(1, 4),
    st.integers(0, 10**6),
)
@settings(max_examples=40, deadline=None)
def test_it_is_the_printed_equation_however_rows_are_cut(
    n: int, m: int, iterations: int, n_blocks: int, random_seed: int
) -> None:
    candidates = random_candidates(n, m, max(1, m // 2), random_seed)
    fast = assigned(candidates, m, iterations=iterations, n_blocks=n_blocks)
    slow = slow_sinkhorn(candidates, m, 0.05, iterations)
    assert np.allclose(fast.value, slow, atol=1e-5)
    sums = slow.sum(axis=1)
    gap = np.abs(sums[sums > 0] - 1).mean()
    assert fast.marginal_gap == pytest.approx(gap, abs=1e-5)


@pytest.mark.parametrize("temperature", [0.5, 0.05, 0.005, 0.0005, 1e-6])
def test_no_temperature_overflows(temperature: float) -> None:
    for random_seed in range(5):
        candidates = random_candidates(30, 30, 12, random_seed)
        value = assigned(candidates, 30, temperature=temperature).value
        assert np.isfinite(value).all()
        assert (value >= 0).all()
        assert (value <= 1 + 1e-6).all()
        assert value.max() > 0.5 or temperature > 0.1


def test_an_entity_without_candidates_is_no_nan() -> None:
    candidates = make_candidates([[0, 1], [-1, -1]], [[0.9, 0.1], [0, 0]])
    value = assigned(candidates, 3).value
    assert value[1].tolist() == [0, 0]
    assert np.isfinite(value).all()


def test_no_candidates_at_all() -> None:
    result = assigned(make_candidates([[-1], [-1]], [[0], [0]]), 3, iterations=5)
    assert not result.value.any()
    assert result.marginal_gap == 0


def test_columns_sum_to_one_and_the_gap_is_that_of_the_rows() -> None:
    candidates = random_candidates(40, 40, 40, 0)
    result = assigned(candidates, 40, temperature=0.2, iterations=2)
    columns = np.bincount(candidates.index.ravel(), result.value.ravel(), minlength=40)
    assert np.allclose(columns, 1, atol=1e-5)
    rows = result.value.astype(np.float64).sum(axis=1)
    assert result.marginal_gap == pytest.approx(np.abs(rows - 1).mean(), abs=1e-6)
    longer = assigned(candidates, 40, temperature=0.2, iterations=20)
    assert longer.marginal_gap < 0.1 * result.marginal_gap


def test_competition_moves_a_row_to_its_second_choice() -> None:
    """Both rows prefer column 0; row 0 by more. The assignment gives row 1 column 1."""
    candidates = make_candidates([[0, 1], [0, 1]], [[0.9, 0.1], [0.8, 0.7]])
    value = assigned(candidates, 2, iterations=50).value
    assert value[0].argmax() == 0
    assert value[1].argmax() == 1


def test_the_number_of_threads_does_not_change_it() -> None:
    candidates = random_candidates(200, 150, 30, 4)
    with limited_threads(1):
        one = assigned(candidates, 150).value
    with limited_threads(2) as count:
        assert count == 2
        two = assigned(candidates, 150).value
    assert np.allclose(one, two, atol=1e-5)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_without_sinkhorn_a_value_is_the_similarity(n_blocks: int) -> None:
    candidates = random_candidates(5, 6, 3, 0)
    candidates.index[2, 1] = -1
    engine = plain_engine(5, 6, n_blocks=n_blocks)
    result = keep_similarities(engine, split_candidates(engine, candidates))
    expected = np.where(candidates.valid, candidates.score.clip(0, 1), 0)
    assert np.array_equal(join_blocks(engine, result.value), expected)
    assert result.marginal_gap == 0


# ---------------------------------------------------------------------------- many to one


def many_to_one(
    candidates: PlainCandidates, n_right: int, *, temperature: float = 0.05, n_blocks: int = 1
) -> Floats:
    engine = plain_engine(len(candidates.index), n_right, n_blocks=n_blocks)
    blocks = split_candidates(engine, candidates)
    return join_blocks(engine, assign_many_to_one(engine, blocks, temperature=temperature).value)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_many_to_one_is_one_alternation_with_rows_of_one(n_blocks: int) -> None:
    candidates = random_candidates(12, 9, 5, 3)
    candidates.index[4] = -1
    slow = slow_sinkhorn(candidates, 9, 0.2, iterations=1)
    sums = slow.sum(axis=1, keepdims=True)
    expected = np.divide(slow, sums, out=np.zeros_like(slow), where=sums > 0)
    value = many_to_one(candidates, 9, temperature=0.2, n_blocks=n_blocks)
    assert np.allclose(value, expected, atol=1e-5)
    assert value[4].tolist() == [0] * 5


def test_two_left_entities_that_choose_the_same_lose_nothing_by_it() -> None:
    twins = make_candidates([[0, 1], [0, 1], [1, 2]], [[0.9, 0.1], [0.9, 0.1], [0.9, 0.2]])
    assert (many_to_one(twins, 3)[:2, 0] > 0.99).all()
    shared = assigned(twins, 3, iterations=50).value
    assert (shared[:2, 0] < 0.6).all()
