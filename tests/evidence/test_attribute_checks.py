"""What checks make of attributes: known answers, with three attributes on each side."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from lighttea.evidence.attribute_checks import AttributeCheck, JudgedAttributes, judge_attributes


def judged(*checks: AttributeCheck, ids: tuple[int, ...] = ()) -> JudgedAttributes:
    """Attributes 0 to 2 are of the left graph, 3 to 5 of the right one; `ids` are row numbers."""
    table: Any = SimpleNamespace(n_attributes=6, is_id=np.isin(np.arange(6), ids))
    return judge_attributes(table, checks)


def good(left: int, right: int, n_pairs: int = 100, *, proof: bool = False) -> AttributeCheck:
    return AttributeCheck(left, right, n_pairs, 50, 2, is_proof_needed=proof)


def bad(left: int, right: int, n_pairs: int = 100, *, proof: bool = False) -> AttributeCheck:
    return AttributeCheck(left, right, n_pairs, 25, 25, is_proof_needed=proof)


def untold(left: int, right: int) -> AttributeCheck:
    return AttributeCheck(left, right, 30, 2, 3, is_proof_needed=False)


def test_all_but_ids_are_trusted_until_something_speaks_against_them() -> None:
    found = judged(ids=(2, 5))
    assert found.trusted.tolist() == [True, True, False, True, True, False]
    assert found.unproved.tolist() == [False, False, True, False, False, True]
    assert not found.doubtful.any()


def test_what_is_contradicted_is_doubtful_and_the_rest_stays() -> None:
    """An attribute is judged by its first check, with the partner that has most in common."""
    found = judged(good(0, 3), bad(1, 4, 50), bad(0, 4, 20), untold(2, 5))
    assert found.trusted.tolist() == [True, False, True, True, False, True]
    assert found.doubtful.tolist() == [False, True, False, False, True, False]
    again = found.without_doubt()
    assert again.trusted.tolist() == [True] * 6
    assert not again.doubtful.any()


def test_where_most_is_contradicted_only_what_is_told_to_be_right_counts() -> None:
    found = judged(bad(0, 3), good(1, 4, 20))
    assert found.trusted.tolist() == [False, True, False, False, True, False]
    assert not found.doubtful.any()
    assert not judged(bad(0, 3), untold(1, 4)).trusted.any()


def test_ids_count_where_all_else_proves_them_and_judge_no_other() -> None:
    """A check with an id says nothing of the other attribute, which has checks of its own."""
    found = judged(good(0, 5, proof=True), bad(0, 3, 60), ids=(2, 5))
    assert found.trusted.tolist() == [False, False, False, False, False, True]
    found = judged(bad(0, 5, proof=True), good(0, 3, 60), ids=(2, 5))
    assert found.trusted.tolist() == [True, True, False, True, True, False]
    assert not found.doubtful.any()
