from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.similarity.topk import Candidates, top_k
from lighttea.types import Floats, LeftIds, RightIds


def search(left: Floats, right: Floats, k: int, **blocks: int) -> Candidates:
    left_ids, right_ids = LeftIds(np.arange(len(left))), RightIds(np.arange(len(right)))
    return top_k(left_ids, right_ids, left, right, k, **blocks)


@given(st.integers(1, 40), st.integers(1, 400), st.integers(1, 70), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_top_k_is_the_brute_force_one(n_left: int, n_right: int, k: int, random_seed: int) -> None:
    rng = np.random.default_rng(random_seed)
    left = rng.standard_normal((n_left, 8)).astype(np.float32)
    right = rng.standard_normal((n_right, 8)).astype(np.float32)
    found = search(left, right, k)
    scores = left @ right.T
    kept = min(k, n_right)
    best = -np.sort(-scores, axis=1)[:, :kept]
    assert np.allclose(-np.sort(-found.label, axis=1), best, atol=1e-5)
    assert np.allclose(np.take_along_axis(scores, found.index, 1), found.label, atol=1e-5)
    assert all(len(set(row)) == kept for row in found.index.tolist())


def test_blocks_do_not_change_the_result() -> None:
    rng = np.random.default_rng(0)
    left = rng.standard_normal((50, 12)).astype(np.float32)
    right = rng.standard_normal((300, 12)).astype(np.float32)
    right[::5] = 0  # rows that are left out break the runs
    whole, blocked = search(left, right, 20), search(left, right, 20, left_rows=7, right_rows=13)
    assert np.array_equal(np.sort(whole.index, axis=1), np.sort(blocked.index, axis=1))


@pytest.mark.parametrize("k", [1, 5, 100])
def test_sorted_scores_do_not_mislead_the_sample(k: int) -> None:
    """Rows in ascending, descending and spiked order, where a sample guesses a wrong floor."""
    n = 3000
    spiked = np.zeros(n, np.float32)
    spiked[1::7] = np.linspace(1, 2, len(spiked[1::7]))
    left = np.eye(3, dtype=np.float32)
    right = np.stack([np.arange(1, n + 1), np.arange(n, 0, -1), spiked + 0.5], 1).astype(np.float32)
    found = search(left, right, k)
    best = -np.sort(-(left @ right.T), axis=1)[:, :k]
    assert np.allclose(-np.sort(-found.label, axis=1), best)


def test_equal_scores_fill_the_candidates_and_do_not_crash() -> None:
    found = search(np.ones((3, 4), np.float32), np.ones((100, 4), np.float32), 10)
    assert (found.label == 4).all()
    assert all(len(set(row)) == 10 for row in found.index.tolist())


def test_an_entity_without_label_has_and_is_no_candidate() -> None:
    left = np.array([[1, 0], [0, 0]], np.float32)
    right = np.array([[0, 0], [0, 1], [1, 1], [0, 0]], np.float32)
    found = search(left, right, 4)
    assert not found.valid[1].any()
    assert sorted(found.index[0].tolist()) == [-1, -1, 1, 2]


def test_nobody_to_search_for() -> None:
    zero = np.zeros((2, 3), np.float32)
    assert not search(zero, zero, 5).valid.any()
