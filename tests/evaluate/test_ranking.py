from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.evaluate.ranking import gold_mask, link_figures, ranking_figures, realistic_ranks


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.data())
def test_a_tie_has_the_mean_of_its_places(values: list[int], data: st.DataObject) -> None:
    """Against the mean position of the gold entry over every order that sorting could give."""
    gold = data.draw(st.integers(0, len(values) - 1))
    better = sum(v > values[gold] for v in values)
    equal = sum(v == values[gold] for v in values)
    places = [better + 1 + i for i in range(equal)]
    value = np.array([values], np.float32)
    mask = np.zeros(value.shape, bool)
    mask[0, gold] = True
    rank = realistic_ranks(value, np.ones(value.shape, bool), mask)
    assert rank[0] == pytest.approx(np.mean(places))


def test_values_that_differ_by_rounding_are_tied() -> None:
    third = np.float32(1 / 3)
    value = np.array([[third, np.nextafter(third, np.float32(1)), third * np.float32(1.001)]])
    gold = np.array([[True, False, False]])
    assert realistic_ranks(value, np.ones(value.shape, bool), gold).tolist() == [2.5]


def test_truth_outside_the_candidates_is_counted_and_never_a_hit() -> None:
    index = np.array([[0, 1], [2, 3], [4, -1]])
    value = np.array([[0.9, 0.1], [0.9, 0.1], [0.5, 0.0]], np.float32)
    gold = gold_mask(index, np.array([0, 7, -1]))
    figures = ranking_figures(realistic_ranks(value, index >= 0, gold))
    assert figures.to_dict() == {
        "hits@1": pytest.approx(1 / 3),
        "hits@5": pytest.approx(1 / 3),
        "hits@10": pytest.approx(1 / 3),
        "mrr": pytest.approx(1 / 3),
        "n": 3,
        "n_unranked": 2,
    }


def test_places_without_candidate_do_not_push_a_rank() -> None:
    value = np.array([[0.0, 0.0, 0.0]], np.float32)
    valid = np.array([[True, False, False]])
    gold = np.array([[True, False, False]])
    assert realistic_ranks(value, valid, gold).tolist() == [1.0]


def test_hits_and_mrr_of_known_ranks() -> None:
    figures = ranking_figures(np.array([1, 2, 5, 10, 11, np.inf]))
    assert figures.hits_at_1 == pytest.approx(1 / 6)
    assert figures.hits_at_5 == pytest.approx(3 / 6)
    assert figures.hits_at_10 == pytest.approx(4 / 6)
    assert figures.mrr == pytest.approx((1 + 1 / 2 + 1 / 5 + 1 / 10 + 1 / 11) / 6)
    assert ranking_figures(np.empty(0)).n == 0


def test_precision_recall_and_f1() -> None:
    figures = link_figures(n_links=8, n_correct=6, n_truth=12)
    assert (figures.precision, figures.recall) == (0.75, 0.5)
    assert figures.f1 == pytest.approx(0.6)
    assert link_figures(0, 0, 5).f1 == 0
