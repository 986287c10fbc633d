"""Periods as people write them."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.serve.periods import Period, parse_period, split_period


def second(year: int, month: int = 1, day: int = 1) -> int:
    return (datetime.date(year, month, day) - datetime.date(1970, 1, 1)).days * 86_400


YEARS = (second(1996), second(1999))


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("1996", (second(1996), second(1997))),
        ("1996-07", (second(1996, 7), second(1996, 8))),
        ("1996-07-03", (second(1996, 7, 3), second(1996, 7, 4))),
        ("1996-98", YEARS),
        ("1996/98", YEARS),
        ("1996-1998", YEARS),
        ("1996 - 1998", YEARS),
        ("1996–1998", YEARS),
        ("from 1996 to 1998", YEARS),
        ("between 1996 and 1998", YEARS),
        ("1996..1998", YEARS),
        ("1996-07-03/1998-12-31", (second(1996, 7, 3), second(1999))),
        ("since 1996", (second(1996), None)),
        ("1996-", (second(1996), None)),
        ("until 1998", (None, second(1999))),
    ],
)
def test_spellings(text: str, ends: tuple[int | None, int | None]) -> None:
    period = parse_period(text)
    assert period is not None
    assert (period.begin, period.end) == ends


@pytest.mark.parametrize("text", ["", "soon", "1998-1996", "12", "x" * 100, "1996-98-97-12", "to"])
def test_other_texts_are_no_periods(text: str) -> None:
    assert text == "12" or parse_period(text) is None


@given(st.text(max_size=40))
def test_any_text_is_a_period_or_none(text: str) -> None:
    period = parse_period(text)
    assert period is None or period.likeness(period) > 0
    rest, own = split_period(text)
    assert own is not None or rest == text


@given(st.integers(1000, 2500), st.integers(0, 300), st.integers(1000, 2500), st.integers(0, 300))
def test_a_range_fits_what_overlaps_it(a: int, n: int, b: int, m: int) -> None:
    own, other = parse_period(f"{a}-{a + n}"), parse_period(f"{b}-{b + m}")
    assert own is not None
    assert other is not None
    overlaps = a <= b + m and b <= a + n
    assert (own.likeness(other) > 0) == overlaps
    assert own.likeness(own) == 1
    assert own.likeness(other) < 1 or (a, n) == (b, m)


def test_a_day_within_the_year_fits_it_whole() -> None:
    """Facts may be more exact than a row: 1996-98 is a term from May 1996 to March 1998."""
    own = parse_period("1996-98")
    assert own is not None
    assert own.likeness(Period(second(1996, 5), second(1998, 3, 2))) == 1
    month = parse_period("1996-05")
    assert month is not None
    assert month.likeness(Period(second(1996, 5, 9), None)) == 1
    assert month.likeness(Period(None, second(1996, 5))) == 0


def test_a_name_and_its_period() -> None:
    assert split_period("Harbour, 1996-98")[0] == "Harbour"
    assert split_period("Harbour (1996)")[0] == "Harbour"
    assert split_period("Smith, John") == ("Smith, John", None)
