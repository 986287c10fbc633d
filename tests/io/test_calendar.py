"""Julian days by the astronomers' day number, computed the slow way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.io.calendar import days_from_julian, gregorian_of_julian, julian_month_days


@pytest.mark.parametrize(
    ("julian", "gregorian"),
    [
        ((1582, 10, 5), (1582, 10, 15)),  # the day after 4 October 1582
        ((1917, 10, 25), (1917, 11, 7)),
        ((1500, 2, 29), (1500, 3, 10)),
        ((200, 3, 1), (200, 3, 1)),  # the two calendars agree in the third century
        ((1, 1, 1), (0, 12, 30)),
        ((-43, 3, 15), (-43, 3, 13)),  # 15 March 44 BC
        ((-4712, 1, 1), (-4713, 11, 24)),  # day 0 of the astronomers
    ],
)
def test_known_days(julian: tuple[int, int, int], gregorian: tuple[int, int, int]) -> None:
    assert gregorian_of_julian(*julian) == gregorian


@given(st.integers(-6_000, 4_000), st.integers(1, 12))
def test_months_follow_each_other(year: int, month: int) -> None:
    lengths = [31, 29 if year % 4 == 0 else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    assert julian_month_days(year, month) == lengths[month - 1]
    last = days_from_julian(year, month, lengths[month - 1])
    after = (year, month + 1) if month < 12 else (year + 1, 1)
    assert days_from_julian(*after, 1) == last + 1
