"""Identical rows: found by their bits, whatever they are held as."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.kernels.rows import NumpyRows
from lighttea.kernels.same_rows import find_copies, find_same_rows, rank_in_group
from lighttea.types import NumpyArray

DISTINCT = np.random.default_rng(0).standard_normal((700, 7), np.float32)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_identical_rows_are_found(dtype: type) -> None:
    distinct: NumpyArray = DISTINCT[:5].astype(dtype)
    numbers = np.array([4, 0, 0, 2, 4, 0])
    first, group = find_same_rows(distinct[numbers])
    assert sorted(first.tolist()) == [0, 1, 3]
    assert (numbers[first[group]] == numbers).all()
    assert [len(part) for part in find_same_rows(distinct[:0])] == [0, 0]


@pytest.mark.parametrize("compact", [False, True])
def test_copies_are_found_where_they_are_many(compact: bool) -> None:
    numbers = np.random.default_rng(1).integers(0, 20, 5_000)
    rows = NumpyRows.of(DISTINCT[numbers], compact=compact)
    chosen = np.arange(3, 5_000, 2)
    copies = find_copies(rows, chosen)
    assert copies is not None
    first, group = copies
    assert len(first) == 20
    assert (numbers[chosen[first[group]]] == numbers[chosen]).all()


def test_a_few_copies_are_not_worth_the_while() -> None:
    rows = NumpyRows.of(np.concatenate([DISTINCT, DISTINCT[:300]]))
    assert find_copies(rows, np.arange(1_000)) is None
    assert find_copies(rows, np.arange(0)) is None


def test_rows_are_ranked_in_their_groups() -> None:
    assert rank_in_group(np.array([2, 0, 2, 2, 0])).tolist() == [0, 0, 1, 2, 1]
    assert rank_in_group(np.array([], np.int64)).tolist() == []
