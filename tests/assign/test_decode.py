"""Assigned candidates to links, by hand and against loops over rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lighttea.assign.decode import (
    BestCandidates,
    PlainBest,
    best_candidates,
    carried_candidates,
    list_likely,
    one_to_one_matches,
    precise_threshold,
    rank_candidates,
    scored_candidates,
)
from lighttea.assign.sinkhorn import Assignment
from lighttea.config import make_config
from lighttea.engines.base import Blocks, Engine
from lighttea.types import Bools, Floats, NumpyArray
from tests.plain import call, plain_engine
from tests.tables import (
    PlainCandidates,
    make_candidates,
    make_labels,
    split_candidates,
    split_table,
)

N_RIGHT = 10
N_BLOCKS = [1, 3]

Given = tuple[Engine[NumpyArray], Blocks[PlainCandidates], Assignment[NumpyArray]]


def on_engine(
    candidates: PlainCandidates,
    value: Any,
    *,
    probability: Any = None,
    n_right: int = N_RIGHT,
    n_blocks: int = 1,
) -> Given:
    """Return candidates and their values in blocks of an engine."""
    engine = plain_engine(len(candidates.index), n_right, n_blocks=n_blocks)
    tables = (
        None if table is None else split_table(engine, np.asarray(table, np.float32))
        for table in (value, probability)
    )
    values, probabilities = tables
    assert values is not None
    assignment = Assignment(values, probability=probabilities)
    return engine, split_candidates(engine, candidates), assignment


def make(index: Sequence[Sequence[int]], value: Any, *, n_blocks: int = 1) -> Given:
    """Candidates whose score is their value."""
    return on_engine(make_candidates(index, value), value, n_blocks=n_blocks)


def as_dict(best: PlainBest) -> dict[int, int]:
    return dict(zip(best.row.tolist(), best.place.tolist(), strict=True))


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_the_best_candidate_and_its_margin(n_blocks: int) -> None:
    index, value = [[3, 1, 2], [4, -1, -1], [5, 6, 7]], [[0.2, 0.7, 0.1], [0.4, 0, 0], [1, 0, 0]]
    best = best_candidates(*make(index, value, n_blocks=n_blocks))
    assert as_dict(best) == {0: 1, 1: 4, 2: 5}
    assert np.allclose(best.value, [0.7, 0.4, 1])
    assert np.allclose(best.score, [0.7, 0.4, 1])
    assert np.allclose(best.margin, [0.5, 0.4, 1])


def test_links_go_by_value_and_are_trusted_by_their_probability() -> None:
    candidates = make_candidates([[3, 1]], [[0.5, 0.4]])
    best = best_candidates(*on_engine(candidates, [[0.6, 0.3]], probability=[[0.7, 0.2]]))
    assert as_dict(best) == {0: 3}
    assert np.allclose([best.score, best.value, best.confidence], [[0.5], [0.6], [0.7]])
    assert np.allclose(best.margin, 0.5)


def test_a_row_without_candidate_or_value_has_no_best() -> None:
    best = best_candidates(*make([[-1, -1], [2, 3], [4, 5]], [[0, 0], [0.1, 0.2], [0, 0]]))
    assert as_dict(best) == {1: 3}


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_a_right_entity_goes_to_the_most_confident_claim(n_blocks: int) -> None:
    """The others are left without a link, even where another candidate is free."""
    index, value = [[1, 2], [1, 3], [4, 5]], [[0.6, 0.1], [0.9, 0], [0.5, 0.2]]
    matches = one_to_one_matches(*make(index, value, n_blocks=n_blocks))
    assert as_dict(matches) == {1: 1, 2: 4}
    assert np.allclose(matches.value, [0.9, 0.5])


@pytest.mark.parametrize(
    ("confidence", "value", "margin", "winner"),
    [
        ([0.5, 0.6], [0.9, 0.1], [0.5, 0.1], 1),
        ([0.5, 0.5000001], [0.9, 0.1], [0.1, 0.5], 0),  # as good as equal: by value
        ([0.5, 0.5], [0.3, 0.3], [0.1, 0.5], 1),
        ([0.5, 0.5], [0.3, 0.3], [0.5, 0.5], 0),  # nothing tells them apart: the first
    ],
)
def test_what_decides_between_two_claims(
    confidence: list[float], value: list[float], margin: list[float], winner: int
) -> None:
    """Confidence, then value after assignment, then margin, each to five decimals."""
    probability = [[c, c - m] for c, m in zip(confidence, margin, strict=True)]
    values = [[one, 0.01] for one in value]
    given = on_engine(make_candidates([[1, 2], [1, 3]], values), values, probability=probability)
    assert as_dict(one_to_one_matches(*given)) == {winner: 1}


def test_nothing_to_decode() -> None:
    given = make([[-1], [-1]], [[0], [0]])
    assert len(best_candidates(*given).row) == 0
    assert len(best_candidates(*given, 3).row) == 0
    assert len(one_to_one_matches(*given).row) == 0


def test_of_values_as_good_as_equal_the_lower_number_is_best_whatever_rounding_did() -> None:
    """The first of the order is the same one; the others stay in the order of their values."""
    for noise in ([0.0, 1e-7, 0.0], [1e-7, 0.0, 0.0], [0.0, 0.0, 2e-7]):
        value = [[0.3 + more for more in noise], [0.2, 0.7, 0.1]]
        candidates = make_candidates([[7, 2, 5], [3, 1, 2]], value)
        best = best_candidates(*on_engine(candidates, value))
        assert as_dict(best) == {0: 2, 1: 1}
        ranked = call(rank_candidates, candidates, np.array(value, np.float32), 2)
        places = candidates.index[ranked.row, ranked.column]
        assert places[ranked.rank == 1].tolist() == [2, 1]
        assert ranked.rank.tolist() == [1, 2, 1, 2]


def test_of_values_as_good_as_equal_the_higher_score_comes_before_the_lower_number() -> None:
    candidates = make_candidates([[7, 2]], [[0.5, 0.4]])
    assert as_dict(best_candidates(*on_engine(candidates, [[0.3, 0.30001]]))) == {0: 7}


def test_a_better_value_wins_over_a_lower_number() -> None:
    assert as_dict(best_candidates(*make([[7, 2]], [[0.3001, 0.3]]))) == {0: 7}


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_rows_and_places_that_are_taken_have_no_new_match(n_blocks: int) -> None:
    index, value = [[1, 2], [1, 3], [4, 5], [6, 7]], [[0.6, 0.1], [0.9, 0], [0.5, 0.2], [0.8, 0]]
    given = make(index, value, n_blocks=n_blocks)
    matches = one_to_one_matches(*given, np.zeros(4, bool), np.zeros(N_RIGHT, bool))
    assert as_dict(matches) == {1: 1, 2: 4, 3: 6}
    matches = one_to_one_matches(*given, np.arange(4) == 1, np.arange(N_RIGHT) == 4)
    assert as_dict(matches) == {0: 1, 3: 6}


# --------------------------------------------------------------------- against loops over rows


def random_given(random_seed: int, n_blocks: int) -> tuple[PlainCandidates, Floats, Given]:
    """Candidates with gaps, distinct scores and distinct values."""
    rng = np.random.default_rng(random_seed)
    n, k = int(rng.integers(1, 14)), int(rng.integers(1, 7))
    index = np.stack([rng.permutation(N_RIGHT)[:k] for _ in range(n)])
    index[rng.random((n, k)) < 0.25] = -1
    score, value = (1 + rng.permutation(n * k).reshape(n, k) for _ in range(2))
    candidates = make_candidates(index, score / (n * k + 1))
    values = np.where(candidates.valid, value / (n * k + 1), 0).astype(np.float32)
    return candidates, values, on_engine(candidates, values, n_blocks=n_blocks)


def slow_order(candidates: PlainCandidates, value: Floats, row: int) -> list[int]:
    """The columns of a row's candidates, the best by value first."""
    columns = np.flatnonzero(candidates.index[row] >= 0).tolist()
    return sorted(columns, key=lambda c: -value[row, c])


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_the_n_best_are_those_of_a_sorted_row(random_seed: int, n_blocks: int, n: int) -> None:
    candidates, value, on = random_given(random_seed, n_blocks)
    best = best_candidates(*on, n)
    expected = [
        (row, candidates.index[row, c], value[row, c])
        for row in range(len(value))
        for c in slow_order(candidates, value, row)[:n]
    ]
    assert list(zip(best.row, best.place, best.value, strict=True)) == expected
    for margin, row, own in zip(best.margin, best.row, best.value, strict=True):
        others = [x for x in value[row].tolist() if x != own]
        assert margin == pytest.approx(own - max(others, default=0), abs=1e-6)
        assert (margin > 0) == (own == value[row].max())


@given(st.integers(0, 10**6), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_one_to_one_matches_are_the_largest_value_of_each_place(
    random_seed: int, n_blocks: int
) -> None:
    candidates, value, on = random_given(random_seed, n_blocks)
    claims: dict[int, tuple[float, int]] = {}
    for row in range(len(value)):
        for c in slow_order(candidates, value, row)[:1]:
            place = int(candidates.index[row, c])
            claims[place] = max(claims.get(place, (0.0, -1)), (float(value[row, c]), row))
    expected = {row: place for place, (_, row) in claims.items()}
    assert as_dict(one_to_one_matches(*on)) == expected


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_candidates_are_carried_from_any_block(random_seed: int, n_blocks: int, k: int) -> None:
    candidates, value, on = random_given(random_seed, n_blocks)
    rows: Bools = np.random.default_rng(random_seed).random(len(value)) < 0.6
    carried = carried_candidates(*on, rows, k)
    assert carried.rows.tolist() == np.flatnonzero(rows).tolist()
    for row, places in zip(carried.rows, carried.index, strict=True):
        best = candidates.index[row, slow_order(candidates, value, row)[:k]]
        assert sorted(places[places >= 0]) == sorted(best)


# ------------------------------------------------------------------------ terms of the score


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
@pytest.mark.parametrize("has_consensus", [False, True])
@pytest.mark.parametrize("n_aspects", [1, 2])
def test_the_terms_of_the_best_candidates_add_up_to_their_score(
    n_aspects: int, has_consensus: bool, n_blocks: int
) -> None:
    """Labels of one or two aspects, times that may be unknown, with and without consensus."""
    rng = np.random.default_rng(0)
    n, k, n_right, kept = 11, 6, 9, 4
    config = make_config("paper", beta=0.4, consensus=0.3 if has_consensus else 0.0)
    left, right = (
        [rng.standard_normal((size, 5)).astype(np.float32) for _ in range(n_aspects)]
        for size in (n, n_right)
    )
    index = np.stack([rng.permutation(n_right)[:k] for _ in range(n)])
    index[rng.random((n, k)) < 0.2] = -1
    dense = np.sum([own @ other.T for own, other in zip(left, right, strict=True)], axis=0)
    label = np.take_along_axis(dense, np.maximum(index, 0), axis=1)
    time = np.where(rng.random((n, k)) < 0.3, np.nan, rng.random((n, k))).astype(np.float32)
    consensus = rng.random((n, k)).astype(np.float32) if has_consensus else None
    score = np.where(np.isnan(time), label, 0.6 * label + 0.4 * time)
    if consensus is not None:
        score = 0.7 * score + 0.3 * consensus
    candidates = make_candidates(index, label, time=time, consensus=consensus)
    candidates = type(candidates)(**{**vars(candidates), "score": score.astype(np.float32)})
    value = rng.random((n, k), dtype=np.float32)
    engine, blocks, assignment = on_engine(candidates, value, n_right=n_right, n_blocks=n_blocks)
    labels = make_labels(engine, left, right)
    found = scored_candidates(engine, labels, blocks, assignment, config, kept)

    places = iter(range(len(found.row)))
    for row in range(n):
        for rank, column in enumerate(slow_order(candidates, value, row)[:kept], 1):
            at, place = next(places), index[row, column]
            assert (found.row[at], found.place[at], found.rank[at]) == (row, place, rank)
            assert found.confidence[at] == value[row, column]
            assert found.score[at] == pytest.approx(score[row, column], abs=1e-5)
            terms = {name: float(term[at]) for name, term in found.terms.items()}
            assert sum(terms.values()) == pytest.approx(found.score[at], abs=1e-5)
            is_unknown = np.isnan(time[row, column])
            share = 0.7 if has_consensus else 1.0
            weight = share * (1.0 if is_unknown else 0.6)
            relational = weight * float(left[0][row] @ right[0][place])
            assert terms["relational"] == pytest.approx(relational, abs=1e-5)
            by_time = 0.0 if is_unknown else share * 0.4 * time[row, column]
            assert terms["time"] == pytest.approx(by_time, abs=1e-6)
            assert ("consensus" in terms) == has_consensus
    assert next(places, None) is None
    if n_aspects == 1:
        assert not found.terms["temporal"].any()


@pytest.mark.parametrize("n_aspects", [1, 2])
def test_labels_of_time_alone_have_no_relational_term(n_aspects: int) -> None:
    rng = np.random.default_rng(1)
    n = 5
    left, right = (
        [rng.standard_normal((n, 4)).astype(np.float32) for _ in range(n_aspects)] for _ in "lr"
    )
    label = np.sum([own @ other.T for own, other in zip(left, right, strict=True)], axis=0)
    index = np.tile(np.arange(n), (n, 1))
    candidates = make_candidates(index, label.astype(np.float32))
    engine, blocks, assignment = on_engine(candidates, label, n_right=n, n_blocks=1)
    labels = replace(make_labels(engine, left, right), has_relational=False)
    found = scored_candidates(engine, labels, blocks, assignment, make_config("paper", beta=0), n)
    assert not found.terms["relational"].any()
    np.testing.assert_allclose(found.terms["temporal"], found.score, rtol=1e-5)


def slow_threshold(confidence: Sequence[float], lowest: float, precision: float) -> float:
    """Try every threshold from below; .9 where none will do."""
    tried = sorted({lowest, *(one for one in confidence if one > lowest)})
    above = [[one for one in confidence if one > threshold] for threshold in tried]
    if not above[0]:
        return lowest
    for threshold, kept in zip(tried, above, strict=True):
        if kept and sum(kept) >= precision * len(kept):
            return threshold
    return max(lowest, 0.9)


sixteenths = st.integers(0, 16).map(lambda number: number / 16)  # sums and means are exact


@given(st.lists(sixteenths, max_size=12), sixteenths, sixteenths)
@example([1.0, 0.75, 0.75, 0.75], 0.5, 0.875)
@example([0.75, 0.75], 0.25, 1.0)
def test_the_threshold_is_the_lowest_above_which_links_are_precise(
    confidence: list[float], lowest: float, precision: float
) -> None:
    n, values = len(confidence), np.array(confidence, np.float32)
    matches: PlainBest = BestCandidates(np.arange(n), np.arange(n), values, values, values, values)
    found = precise_threshold(matches, lowest=lowest, precision=precision)
    assert found == slow_threshold(confidence, lowest, precision)


def test_likely_candidates_are_listed_with_their_row_and_chance() -> None:
    """A place without candidate counts nothing; as much as the least chance is not more."""
    candidates = make_candidates([[3, 1, -1], [2, 5, 4]], np.zeros((2, 3)))
    chance = np.array([[0.75, 0.25, 1.0], [0.5, 0.625, 0.875]], np.float32)
    row, place, found = call(list_likely, candidates, chance, 10, 0.5)
    assert (row.tolist(), place.tolist()) == ([10, 11, 11], [3, 5, 4])
    assert found.tolist() == [0.75, 0.625, 0.875]
