"""Lists end to end in one array, against lists of lists."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea.literals.lists import Lists

ROWS = st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=8)


def plain(lists: Lists) -> list[list[int]]:
    return [lists.of_row(row).tolist() for row in range(len(lists))]


@given(ROWS)
@example([])
@example([[], []])
def test_rows_are_what_they_were_made_of(rows: list[list[int]]) -> None:
    lists = Lists.of(rows)
    assert len(lists) == len(rows)
    assert plain(lists) == rows
    assert plain(Lists.of(iter(rows))) == rows


@given(ROWS, st.lists(st.integers(0, 99), max_size=10))
def test_items_of_rows_come_with_their_places(rows: list[list[int]], numbers: list[int]) -> None:
    chosen = [number % len(rows) for number in numbers] if rows else []
    place, item = Lists.of(rows).take(np.array(chosen, np.int64))
    expected = [(i, x) for i, row in enumerate(chosen) for x in rows[row]]
    assert list(zip(place.tolist(), item.tolist(), strict=True)) == expected


@given(st.lists(st.lists(st.integers(0, 4), max_size=5), max_size=8), ROWS)
def test_lists_of_lists_are_joined(rows: list[list[int]], others: list[list[int]]) -> None:
    others = [*others, [1], [], [2, 3], [4], [5, 6, 7]][:5]
    joined = Lists.of(rows).through(Lists.of(others))
    assert plain(joined) == [[x for item in row for x in others[item]] for row in rows]


@given(ROWS, st.integers(0, 9))
def test_some_items_are_kept(rows: list[list[int]], lowest: int) -> None:
    lists = Lists.of(rows)
    kept = lists.where(lists.item >= lowest)
    assert plain(kept) == [[x for x in row if x >= lowest] for row in rows]
