"""The search against brute force, above all where the sampled floor is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.engines.tables import TopK
from lighttea.kernels import topk
from lighttea.kernels.rows import NumpyRows
from lighttea.kernels.topk import floors_by_sample, top_k
from lighttea.types import Floats, Ints, NumpyArray

Found = TopK[NumpyArray]


def search(left: Floats, right: Floats, k: int, *, compact: bool = False, **options: Any) -> Found:
    one, other = (NumpyRows.of(side, compact=compact) for side in (left, right))
    return TopK(*top_k(one, other, k, **options))


def rounded(rows: Floats) -> Floats:
    """Return what rows of eight bits stand for."""
    return NumpyRows.of(rows, compact=True).take(np.arange(len(rows)))


def assert_is_brute_force(found: Found, left: Floats, right: Floats, k: int) -> None:
    """The k largest of all scores in every row, and the places they stand at, each once."""
    scores = left @ right.T
    kept = min(k, len(right))
    best = -np.sort(-scores, axis=1)[:, :kept]
    assert found.index.shape == found.label.shape == best.shape
    assert np.allclose(-np.sort(-found.label, axis=1), best, atol=1e-5)
    assert np.allclose(np.take_along_axis(scores, found.index, 1), found.label, atol=1e-5)
    assert all(len(set(row)) == kept for row in found.index.tolist())


@dataclass
class Course:
    """What the search did: how many rows it began with a floor, and how many it did again."""

    with_floor: int = 0
    again: int = 0
    short: list[int] = field(default_factory=list)


@pytest.fixture
def course(monkeypatch: pytest.MonkeyPatch) -> Course:
    """Look on while it selects."""
    seen, select = Course(), topk._Search._select

    def noted(self: topk._Search, rows: Ints, block: Floats, floors: Floats) -> Ints:
        seen.with_floor += int(np.isfinite(floors).sum())
        if seen.short and seen.short[-1]:  # the call after one that came out short
            assert seen.short[-1] == len(rows)
            assert not np.isfinite(floors).any()
            seen.again += len(rows)
        short = select(self, rows, block, floors)
        seen.short.append(len(short))
        return short

    monkeypatch.setattr(topk._Search, "_select", noted)
    return seen


def random_rows(rng: np.random.Generator, n_left: int, n_right: int) -> tuple[Floats, Floats]:
    return (
        rng.standard_normal((n_left, 8)).astype(np.float32),
        rng.standard_normal((n_right, 8)).astype(np.float32),
    )


@given(st.integers(1, 30), st.integers(1, 1500), st.integers(1, 70), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_top_k_is_the_brute_force_one(n_left: int, n_right: int, k: int, random_seed: int) -> None:
    left, right = random_rows(np.random.default_rng(random_seed), n_left, n_right)
    assert_is_brute_force(search(left, right, k), left, right, k)


@given(st.integers(1, 1200), st.integers(1, 40), st.integers(1, 9), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_top_k_of_scores_with_ties_and_blocks(
    n_right: int, k: int, n_values: int, random_seed: int
) -> None:
    """Whole numbers, few of them: the floor is tied with what it should let through."""
    rng = np.random.default_rng(random_seed)
    left = rng.integers(1, n_values + 1, (9, 1)).astype(np.float32)
    right = rng.integers(-n_values, n_values + 1, (n_right, 1)).astype(np.float32)
    right[right == 0] = 1
    order = rng.choice(["as drawn", "ascending", "descending"])
    if order != "as drawn":
        right = np.sort(right, axis=0)[:: 1 if order == "ascending" else -1].copy()
    found = search(left, right, k, left_rows=4, right_rows=int(rng.integers(1, 300)))
    assert_is_brute_force(found, left, right, k)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(("left_rows", "right_rows"), [(7, 13), (1, 1000), (50, 1), (17, 64)])
def test_blocks_do_not_change_the_result(compact: bool, left_rows: int, right_rows: int) -> None:
    left, right = random_rows(np.random.default_rng(0), 50, 1000)
    left[::7] = 0
    right[::5] = 0  # rows that are left out break the runs
    whole = search(left, right, 20, compact=compact)
    blocked = search(left, right, 20, compact=compact, left_rows=left_rows, right_rows=right_rows)
    assert np.array_equal(np.sort(whole.index, axis=1), np.sort(blocked.index, axis=1))
    assert np.allclose(np.sort(whole.label, axis=1), np.sort(blocked.label, axis=1), atol=1e-6)


def test_a_usual_search_keeps_its_floor(course: Course) -> None:
    """The sample is not there for nothing: on random rows hardly one is done again."""
    left, right = random_rows(np.random.default_rng(0), 300, 4000)
    found = search(left, right, 100)
    assert course.with_floor == 300
    assert course.again <= 3
    assert_is_brute_force(found, left, right, 100)


@pytest.mark.parametrize(("k", "n_again"), [(1, 0), (5, 3), (100, 3)])
@pytest.mark.parametrize("compact", [False, True])
def test_a_floor_too_high_is_found_out(course: Course, k: int, n_again: int, compact: bool) -> None:
    """Every 32nd right row, the very sample, scores best: all but those miss the floor.

    Three of the four left rows like it. The floor is the third best of the sample for k = 1, and
    so not too high.
    """
    n = 4000
    right = np.ones((n, 2), np.float32)
    right[:, 0] = np.linspace(1, 2, n)
    sampled = np.arange(0, n, topk._SAMPLED)
    right[sampled, 0] = 10 + np.arange(len(sampled))
    left = np.array([[1, 0], [2, 0], [-1, 1], [1, 1]], np.float32)
    found = search(left, right, k, compact=compact)
    assert course.with_floor == 4
    assert course.again == n_again
    sides = (rounded(left), rounded(right)) if compact else (left, right)
    assert_is_brute_force(found, *sides, k)


def test_only_the_rows_that_came_out_short_are_done_again(course: Course) -> None:
    """Two of three left rows like what was not sampled, in the second block of left rows too."""
    n = 2000
    right = np.zeros((n, 2), np.float32)
    right[:, 0] = 1 + np.linspace(0, 1, n)
    right[:: topk._SAMPLED, 0] = 5 + np.linspace(0, 1, len(right[:: topk._SAMPLED]))
    right[:, 1] = np.random.default_rng(0).uniform(1, 2, n)
    left = np.tile(np.array([[1, 0], [0, 1], [2, 0]], np.float32), (4, 1))
    left *= np.linspace(1, 2, len(left), dtype=np.float32)[:, None]  # no two are identical
    found = search(left, right, 70, left_rows=6)
    assert course.short == [4, 0, 4, 0]
    assert course.again == 8
    assert_is_brute_force(found, left, right, 70)


def test_a_floor_too_low_costs_only_work(course: Course) -> None:
    """Every 32nd right row scores worst: nothing is below the floor, buffers are cut instead."""
    n = 3000
    right = np.linspace(1, 2, n, dtype=np.float32)[:, None].copy()
    right[:: topk._SAMPLED] = -5
    left = np.array([[1], [3]], np.float32)
    found = search(left, right, 40)
    assert course.with_floor == 2
    assert course.again == 0
    assert_is_brute_force(found, left, right, 40)


@pytest.mark.parametrize("k", [1, 5, 100])
def test_sorted_scores_do_not_mislead(k: int) -> None:
    """Rows in ascending, descending and spiked order."""
    n = 3000
    spiked = np.zeros(n, np.float32)
    spiked[1::7] = np.linspace(1, 2, len(spiked[1::7]))
    left = np.eye(3, dtype=np.float32)
    right = np.stack([np.arange(1, n + 1), np.arange(n, 0, -1), spiked + 0.5], 1).astype(np.float32)
    assert_is_brute_force(search(left, right, k), left, right, k)


@pytest.mark.parametrize("n_right", [100, 4000])
def test_equal_scores_fill_the_candidates_and_do_not_crash(course: Course, n_right: int) -> None:
    """Where all are equal none is above the floor; of few no sample is taken."""
    left = np.array([[1, 0], [2, 0], [3, 0]], np.float32)
    right = np.ones((n_right, 2), np.float32)
    right[:, 1] = np.arange(n_right)  # which no left row looks at
    found = search(left, right, 10)
    assert (found.label == left[:, :1]).all()
    assert all(len(set(row)) == 10 for row in found.index.tolist())
    assert course.with_floor == course.again == (3 if n_right == 4000 else 0)


@pytest.mark.parametrize("compact", [False, True])
def test_an_entity_without_label_has_and_is_no_candidate(compact: bool) -> None:
    left = np.array([[1, 0], [0, 0]], np.float32)
    right = np.array([[0, 0], [0, 1], [1, 1], [0, 0]], np.float32)
    found = search(left, right, 4, compact=compact)
    assert found.index[1].tolist() == [-1, -1, -1, -1]
    assert not found.label[1].any()
    assert sorted(found.index[0].tolist()) == [-1, -1, 1, 2]
    assert not found.label[0][found.index[0] == -1].any()


def test_negative_scores_are_candidates_too() -> None:
    """A zero stands for nothing found, not for a score."""
    left, right = np.array([[-1]], np.float32), np.array([[1], [2], [0]], np.float32)
    found = search(left, right, 3)
    assert sorted(zip(found.index[0].tolist(), found.label[0].tolist(), strict=True)) == [
        (-1, 0),
        (0, -1),
        (1, -2),
    ]


@pytest.mark.parametrize("k", [10, 11, 500])
def test_more_wanted_than_there_are(k: int) -> None:
    left, right = random_rows(np.random.default_rng(0), 4, 10)
    found = search(left, right, k)
    assert found.index.shape == (4, 10)
    assert_is_brute_force(found, left, right, k)


def test_nothing_to_search() -> None:
    zero, ones = np.zeros((2, 3), np.float32), np.ones((2, 3), np.float32)
    none = np.empty((0, 3), np.float32)
    for left, right in ((zero, zero), (ones, zero), (zero, ones), (ones, none), (none, ones)):
        found = search(left, right, 5)
        assert found.index.shape == (len(left), max(1, len(right)))
        assert (found.index == -1).all()
        assert not found.label.any()


@pytest.mark.parametrize("compact", [False, True])
def test_only_asking_rows_search(compact: bool) -> None:
    left, right = random_rows(np.random.default_rng(0), 40, 900)
    left[5] = 0
    asking = np.array([30, 2, 5, 17])  # in any order; one has no label
    every = search(left, right, 8, compact=compact)
    some = search(left, right, 8, compact=compact, asking=asking, left_rows=2)
    silent = np.setdiff1d(np.arange(40), [30, 2, 17])
    assert (some.index[silent] == -1).all()
    assert not some.label[silent].any()
    for row in (30, 2, 17):
        assert set(some.index[row]) == set(every.index[row])
    none = search(left, right, 8, asking=np.empty(0, np.int64))
    assert (none.index == -1).all()


def test_compact_rows_are_searched_by_what_they_stand_for() -> None:
    """Exactly, by the rounded rows; by the rows before rounding nearly."""
    rng = np.random.default_rng(0)
    left = rng.standard_normal((60, 64)).astype(np.float32)
    right = rng.standard_normal((2000, 64)).astype(np.float32)
    found = search(left, right, 50, compact=True)
    assert_is_brute_force(found, rounded(left), rounded(right), 50)
    exact = search(left, right, 50)
    common = [len(set(a) & set(b)) for a, b in zip(exact.index, found.index, strict=True)]
    assert np.mean(common) > 0.97 * 50


@given(st.integers(1, 40), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_a_floor_is_an_entry_of_the_sample_that_a_few_more_than_expected_exceed(
    expected: int, random_seed: int
) -> None:
    rng = np.random.default_rng(random_seed)
    rows, sample = random_rows(rng, 5, int(rng.integers(1, 300)))
    floors = floors_by_sample(rows, sample, expected)
    rank = int(expected + 3 * expected**0.5 + 3)  # three standard deviations to the safe side
    if rank >= len(sample) // 2:  # the sample tells too little
        assert np.isneginf(floors).all()
    else:
        assert np.allclose(floors, -np.sort(-rows @ sample.T, axis=1)[:, rank - 1], atol=1e-6)


@pytest.mark.parametrize("compact", [False, True])
def test_copies_find_what_the_one_that_was_compared_finds(course: Course, compact: bool) -> None:
    """A hub's leaves are compared once, with no more of the other hub's leaves than are kept."""
    rng = np.random.default_rng(5)
    distinct = rng.standard_normal((6, 16), np.float32)
    left, right = (distinct[rng.integers(0, 6, n)] for n in (900, 800))
    found = search(left, right, 30, compact=compact)
    assert sum(course.short) <= 6
    sides = (rounded(left), rounded(right)) if compact else (left, right)
    assert_is_brute_force(found, *sides, 30)
