from __future__ import annotations

import numpy as np

from lighttea.assign.decode import best_candidates, best_order, claims, one_to_one
from lighttea.assign.sinkhorn import Assignment
from lighttea.similarity.topk import Candidates
from lighttea.types import LeftIds, RightIds


def make(index: list[list[int]], value: list[list[float]]) -> tuple[Candidates, Assignment]:
    places = np.array(index, np.int32)
    values = np.array(value, np.float32)
    left = LeftIds(np.arange(len(index)) + 100)
    right = RightIds(np.arange(10) + 500)
    return Candidates(left, right, places, values, values, values), Assignment(values, 0.0)


def test_the_best_candidate_and_its_margin() -> None:
    best = best_candidates(*make([[3, 1, 2], [4, -1, -1]], [[0.2, 0.7, 0.1], [0.4, 0, 0]]))
    assert best.left.tolist() == [100, 101]
    assert best.right.tolist() == [501, 504]
    assert np.allclose(best.value, [0.7, 0.4])
    assert np.allclose(best.margin, [0.5, 0.4])


def test_who_has_no_candidate_has_no_best() -> None:
    best = best_candidates(*make([[-1, -1], [2, 3]], [[0, 0], [0.1, 0.2]]))
    assert best.left.tolist() == [101]
    assert best.right.tolist() == [503]


def test_a_right_entity_goes_to_the_most_confident_claim() -> None:
    best = one_to_one(
        best_candidates(*make([[1, 2], [1, 3], [4, 5]], [[0.6, 0.1], [0.9, 0], [0.5, 0.2]]))
    )
    assert dict(zip(best.left.tolist(), best.right.tolist(), strict=True)) == {101: 501, 102: 504}
    assert np.allclose(best.value, [0.9, 0.5])


def test_nothing_to_decode() -> None:
    best = one_to_one(best_candidates(*make([[-1], [-1]], [[0], [0]])))
    assert len(best.left) == 0


def test_of_values_as_good_as_equal_the_lower_number_is_best_whatever_rounding_did() -> None:
    """The first of the order is the same one; the others stay in the order of their values."""
    for noise in ([0.0, 1e-7, 0.0], [1e-7, 0.0, 0.0], [0.0, 0.0, 2e-7]):
        value = [[0.3 + more for more in noise], [0.2, 0.7, 0.1]]
        given = make([[7, 2, 5], [3, 1, 2]], value)
        assert best_candidates(*given).right.tolist() == [502, 501]
        row, column, rank = best_order(*given, 2)
        assert given[0].index[row, column][rank == 1].tolist() == [2, 1]
        assert rank.tolist() == [1, 2, 1, 2]


def test_a_better_value_wins_over_a_lower_number() -> None:
    best = best_candidates(*make([[7, 2]], [[0.3001, 0.3]]))
    assert best.right.tolist() == [507]


def test_claims_leave_out_who_is_taken_on_either_side() -> None:
    index, value = [[1, 2], [1, 3], [4, 5], [6, 7]], [[0.6, 0.1], [0.9, 0], [0.5, 0.2], [0.8, 0]]
    best = best_candidates(*make(index, value))
    none = np.empty(0, np.int64)
    found = claims(best, LeftIds(none), RightIds(none))
    assert found.left.tolist() == [101, 102, 103]
    found = claims(best, LeftIds(np.array([101])), RightIds(np.array([504])))
    assert found.left.tolist() == [100, 103]
    assert found.right.tolist() == [501, 506]
