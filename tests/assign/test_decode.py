from __future__ import annotations

import numpy as np

from lighttea.assign.decode import best_candidates, one_to_one
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
