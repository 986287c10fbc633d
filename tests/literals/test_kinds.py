"""Numbers, dates and places in texts: all forms, near ones, and texts that are none of them."""

from __future__ import annotations

import datetime
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea.literals.kinds import LONGEST, parse_date, parse_number, parse_place, special_words
from tests.fuzzing import examples

DAYS = st.dates()
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)  # lone surrogates too
ODD_TEXT = st.text(st.sampled_from("0123456789٣१²½+-.,/:;eETZ ()°%$ point\x00\x1f"), max_size=40)


# ------------------------------------------------------------------------------------ dates


@pytest.mark.parametrize(
    "text",
    [
        "1969-07-20",
        "1969-7-20",
        "1969/07/20",
        "1969.07.20",
        "+1969-07-20T00:00:00Z",
        "1969-07-20T20:17:40+00:00",
        "1969-07-20 20:17",
        "20.07.1969",
        "20.7.1969",
        "20-07-1969",
        "20/07/1969",
        "07/20/1969",  # no month is the twentieth
        "19690720",
        "20 July 1969",
        "20. Jul. 1969",
        "July 20, 1969",
        "jul 20 1969",
    ],
)
def test_all_forms_of_a_day(text: str) -> None:
    assert parse_date(text) == (1969, 7, 20)
    assert set(special_words(f" {text} ")) == set(special_words("1969-07-20"))


def test_day_and_month_are_read_in_that_order_where_both_could_be() -> None:
    assert parse_date("03/04/2001") == (2001, 4, 3)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("1969-07", (1969, 7, None)),
        ("1952-03-00", (1952, 3, None)),  # how some sources write a month
        ("+1952-03-00T00:00:00Z", (1952, 3, None)),
        ("-0044-03-15", (-44, 3, 15)),
        ("2000-02-29", (2000, 2, 29)),
        ("-0004-02-29", (-4, 2, 29)),
        ("12000-02-29", (12000, 2, 29)),
    ],
)
def test_other_granularities_and_far_years(text: str, date: tuple[int, int, int | None]) -> None:
    assert parse_date(text) == date
    assert str(date[0]) in set(special_words(text))


@pytest.mark.parametrize(
    "text",
    [
        *("30.02.2001", "2001-13-13", "2001-02-29", "1952-00-00", "99999999", "20011301"),
        *("1969", "20 Foo 1969", "July 1969 x", "213/467-1108", "12:30", "", "born 1969-07-20"),
    ],
)
def test_what_is_no_day_gives_no_date(text: str) -> None:
    assert parse_date(text) is None
    assert list(special_words(text)) == []


def shared(one: str, other: str) -> set[str]:
    return set(special_words(one)) & set(special_words(other))


def test_dates_share_what_they_have_in_common() -> None:
    assert shared("1969-07-20", "1969") == set()  # the words of the text share the year
    assert shared("1969-07-20", "July 1, 1969") == {"1969", "1969-7"}
    assert shared("1969-07-20", "1969-07") == {"1969", "1969-7"}
    assert shared("1969-07-20", "1969-12-24") == {"1969"}
    assert shared("1969-07-20", "1970-07-20") == set()
    assert shared("-0044-03-15", "-0050-03-15") == set()


@given(DAYS, st.integers(0, 3))
@example(datetime.date(1999, 12, 31), 1)
@example(datetime.date(2000, 2, 29), 1)
def test_only_near_days_share_a_word_for_a_day(day: datetime.date, distance: int) -> None:
    other = day + datetime.timedelta(distance if day.year < 9999 else -distance)
    common = {word for word in shared(day.isoformat(), other.isoformat()) if "day" in word}
    assert len(common) == max(0, 2 - distance)


@given(DAYS)
def test_any_day_in_any_form(day: datetime.date) -> None:
    expected = (day.year, day.month, day.day)
    forms = [day.isoformat(), f"{day.day}.{day.month}.{day.year:04}"]
    forms += [f"{day.day} {day:%B} {day.year:04}", f"{day:%b} {day.day}, {day.year:04}"]
    if day.day > 12:
        forms.append(f"{day.month:02}/{day.day:02}/{day.year:04}")
    if 1000 <= day.year < 2100:
        forms.append(day.strftime("%Y%m%d"))
    assert [parse_date(form) for form in forms] == [expected] * len(forms)


# ---------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("17", 17),
        (" 17 ", 17),
        ("-3.5", -3.5),
        ("+3", 3),
        (".5", 0.5),
        ("5.", 5),
        ("1e3", 1000),
        ("1,234,567.5 km", 1234567.5),
        ("12,345", 12345),
        ("1.8 m", 1.8),
        ("180cm", 180),
        ("45 m²", 45),
        ("5%", 5),
        ("20 °", 20),
        ("-5 °C", -5),
        ("90 km/h", 90),
        ("9.81 m/s²", 9.81),
        ("3 ft.", 3),
        ("٣", 3),
        ("007", 7),
    ],
)
def test_numbers_whatever_their_unit(text: str, number: float) -> None:
    assert parse_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        *("1e999", "-1e999", "nan", "inf", "", "-", "km", "x17", "1,23,456", "1 2", "12-13"),
        *("213-467-1108", "17 rue de la Paix", "²", "½", "1" * (LONGEST + 1), "1969-07-20"),
    ],
)
def test_texts_that_are_no_number(text: str) -> None:
    assert parse_number(text) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_is_read_as_it_was_written(number: float) -> None:
    assert parse_number(repr(number)) == number


@given(st.integers(-(10**15), 10**15))
def test_thousands_may_be_divided(number: int) -> None:
    assert parse_number(f"{number:,}") == parse_number(f"{number:,} people") == number


# ----------------------------------------------------------------------------------- places


@pytest.mark.parametrize(
    "text",
    [
        *("Point(2.35 48.85)", "POINT (2.35 48.85)", "point(2.35, 48.85)", "48.85, 2.35"),
        *("48.85;2.35", "(48.85 2.35)", "+48.85 2.35"),
    ],
)
def test_all_forms_of_a_place(text: str) -> None:
    assert parse_place(text) == (2.35, 48.85)
    assert set(special_words(text)) == set(special_words("Point(2.35 48.85)"))


@pytest.mark.parametrize(
    "text",
    ["Point(nan 1)", "Point(a b)", "Point(inf 1)", "91.5, 10.0", "10.0, 400.0", "1, 2", "Point()"],
)
def test_texts_that_are_no_place(text: str) -> None:
    assert parse_place(text) is None


@given(st.floats(-179, 179), st.floats(-89, 89), st.floats(-1, 1), st.floats(-1, 1))
def test_near_places_share_a_word_and_far_ones_none(
    x: float, y: float, dx: float, dy: float
) -> None:
    near = shared(f"Point({x:f} {y:f})", f"Point({x + dx / 100:f} {y + dy / 100:f})")
    assert near
    if math.hypot(dx, dy) < 0.5:
        assert any(word.endswith("of 0.01") for word in near)
    far = shared(f"Point({x:f} {y:f})", f"Point({x + 0.3:f} {y + 0.3:f})")
    assert not far


# ------------------------------------------------------------------------------ hostile texts


@examples(300)
@given(st.one_of(ANY_TEXT, ODD_TEXT))
@example("2001-05-00")
@example("+99999999999999999999-02-29")
@example("٢٠٠١-٠٥-٠٣")
@example("1e-999")
@example("point(1_0 2)")
@example("0000-01-01")
@example("\x00" * 60)
@example("9" * 60)
def test_no_text_is_an_error(text: str) -> None:
    assert all(word for word in special_words(text))
    number, date, place = parse_number(text), parse_date(text), parse_place(text)
    assert number is None or math.isfinite(number)
    assert date is None or 1 <= date[1] <= 12
    assert place is None or (abs(place[0]) <= 360 and abs(place[1]) <= 90)


def test_very_long_texts_are_none_of_these() -> None:
    text = "1969-07-20 " + "x" * 100_000
    assert list(special_words(text)) == []
    assert parse_number("1" * 1_000_000) is None
