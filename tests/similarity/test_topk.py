from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.similarity import topk
from lighttea.similarity.topk import Candidates, top_k
from lighttea.types import Floats, LeftIds, RightIds


def search(left: Floats, right: Floats, k: int) -> Candidates:
    return top_k(LeftIds(np.arange(len(left))), RightIds(np.arange(len(right))), left, right, k)


@given(st.integers(1, 40), st.integers(1, 60), st.integers(1, 70), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_top_k_is_the_brute_force_one(n_left: int, n_right: int, k: int, random_seed: int) -> None:
    rng = np.random.default_rng(random_seed)
    left = rng.standard_normal((n_left, 8)).astype(np.float32)
    right = rng.standard_normal((n_right, 8)).astype(np.float32)
    found = search(left, right, k)
    scores = left @ right.T
    kept = min(k, n_right)
    assert np.allclose(found.label, -np.sort(-scores, axis=1)[:, :kept], atol=1e-5)
    assert np.allclose(np.take_along_axis(scores, found.index, 1), found.label, atol=1e-5)
    assert all(len(set(row)) == kept for row in found.index.tolist())


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    left = rng.standard_normal((50, 12)).astype(np.float32)
    right = rng.standard_normal((300, 12)).astype(np.float32)
    whole = search(left, right, 20)
    monkeypatch.setattr(topk, "BLOCK_LEFT", 7)
    monkeypatch.setattr(topk, "BLOCK_RIGHT", 13)
    blocked = search(left, right, 20)
    assert np.array_equal(whole.index, blocked.index)


def test_equal_scores_fill_the_candidates_and_do_not_crash() -> None:
    found = search(np.ones((3, 4), np.float32), np.ones((100, 4), np.float32), 10)
    assert (found.label == 4).all()
    assert all(len(set(row)) == 10 for row in found.index.tolist())


def test_an_entity_without_label_has_and_is_no_candidate() -> None:
    left = np.array([[1, 0], [0, 0]], np.float32)
    right = np.array([[0, 0], [0, 1], [1, 1], [0, 0]], np.float32)
    found = search(left, right, 4)
    assert not found.valid[1].any()
    assert found.index[0].tolist() == [2, 1, -1, -1]


def test_nobody_to_search_for() -> None:
    zero = np.zeros((2, 3), np.float32)
    assert not search(zero, zero, 5).valid.any()
