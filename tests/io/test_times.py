"""Texts to instants and back."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea.graph.calendar import DAY, civil_from_days, days_from_civil
from lighttea.graph.timeline import (
    Grain,
    Instants,
    distinct_instants,
    format_instant,
    format_instants,
    instant_ends,
)
from lighttea.io.times import (
    NoSuchDayError,
    TimeError,
    is_unknown,
    parse_instant,
    parse_instants,
)

EPOCH = datetime.date(1970, 1, 1)
FIRST_DAY = days_from_civil(-99_999_999_999, 1, 1)
LAST_DAY = days_from_civil(99_999_999_999, 12, 31)


def seconds_of(year: int, month: int = 1, day: int = 1, clock: int = 0) -> int:
    return (datetime.date(year, month, day) - EPOCH).days * DAY + clock


@given(st.dates())
def test_days_from_civil_agrees_with_datetime(date: datetime.date) -> None:
    days = (date - EPOCH).days
    assert days_from_civil(date.year, date.month, date.day) == days
    assert civil_from_days(days) == (date.year, date.month, date.day)


@pytest.mark.parametrize(
    ("instant", "over"),
    [
        ("1999", "2000-01-01"),
        ("-0001", "0000-01-01"),
        ("99999999999-00-00", "100000000000-01-01"),
        ("2023-12", "2024-01-01"),
        ("2024-02", "2024-03-01"),
        ("1600-02-29", "1600-03-01"),
        ("2024-12-31T23:59:59", "2025-01-01"),
    ],
)
def test_an_instant_is_over_when_the_next_begins(instant: str, over: str) -> None:
    second, grain = parse_instant(instant)
    instants = Instants(np.array([second]), np.array([grain], np.uint8))
    year, month, day = (int(part) for part in over.rsplit("-", 2))
    assert instant_ends(instants).tolist() == [days_from_civil(year, month, day) * DAY]


@given(st.integers(-4_000_000_000, 4_000_000_000))
def test_civil_from_days_is_undone_by_days_from_civil(days: int) -> None:
    year, month, day = civil_from_days(days)
    assert days_from_civil(year, month, day) == days
    assert 1 <= month <= 12
    assert 1 <= day <= 31


def test_the_calendar_has_no_gap_around_year_zero() -> None:
    assert days_from_civil(0, 1, 1) - days_from_civil(-1, 1, 1) == 365
    assert days_from_civil(1, 1, 1) - days_from_civil(0, 1, 1) == 366
    assert days_from_civil(1, 1, 1) - days_from_civil(0, 12, 31) == 1


@pytest.mark.parametrize(
    ("text", "second", "grain"),
    [
        ("1970", 0, Grain.YEAR),
        ("07.03.2011", seconds_of(2011, 3, 7), Grain.DAY),
        ("7.3.2011", seconds_of(2011, 3, 7), Grain.DAY),
        ("2011", seconds_of(2011), Grain.YEAR),
        ("+2011", seconds_of(2011), Grain.YEAR),
        ("  2011 ", seconds_of(2011), Grain.YEAR),
        ("987", seconds_of(987), Grain.YEAR),
        ("1", seconds_of(1), Grain.YEAR),
        ("2011-03", seconds_of(2011, 3), Grain.MONTH),
        ("2011-3", seconds_of(2011, 3), Grain.MONTH),
        ("2011/03", seconds_of(2011, 3), Grain.MONTH),
        ("2011-03-07", seconds_of(2011, 3, 7), Grain.DAY),
        ("2011-3-7", seconds_of(2011, 3, 7), Grain.DAY),
        ("2011/03/07", seconds_of(2011, 3, 7), Grain.DAY),
        ("+2011-03-07", seconds_of(2011, 3, 7), Grain.DAY),
        ("20110307", seconds_of(2011, 3, 7), Grain.DAY),
        ("20110300", seconds_of(2011, 3), Grain.MONTH),
        ("20110000", seconds_of(2011), Grain.YEAR),
        ("2011.0307", seconds_of(2011, 3, 7), Grain.DAY),
        ("2011.0300", seconds_of(2011, 3), Grain.MONTH),
        ("1971.0000", seconds_of(1971), Grain.YEAR),
        ("2011-00-00", seconds_of(2011), Grain.YEAR),
        ("2011-03-00", seconds_of(2011, 3), Grain.MONTH),
        ("2000-02-29", seconds_of(2000, 2, 29), Grain.DAY),
        ("2012-02-29", seconds_of(2012, 2, 29), Grain.DAY),
        ("2011-03-07T04:05:06", seconds_of(2011, 3, 7, 14_706), Grain.SECOND),
        ("2011-03-07 04:05:06", seconds_of(2011, 3, 7, 14_706), Grain.SECOND),
        ("2011-03-07T04:05:06.789", seconds_of(2011, 3, 7, 14_706), Grain.SECOND),
        ("2011-03-07T04:05", seconds_of(2011, 3, 7, 14_700), Grain.SECOND),
        ("2011-03-07T04:05:06Z", seconds_of(2011, 3, 7, 14_706), Grain.SECOND),
        ("2011-03-07T04:05Z", seconds_of(2011, 3, 7, 14_700), Grain.SECOND),
        ("2011-03-07T04:05:06+01:30", seconds_of(2011, 3, 7, 14_706 - 5400), Grain.SECOND),
        ("2011-03-07T04:05:06-0130", seconds_of(2011, 3, 7, 14_706 + 5400), Grain.SECOND),
        ("2011-03-07T00:00:00+02:00", seconds_of(2011, 3, 6, 79_200), Grain.SECOND),
    ],
)
def test_formats(text: str, second: int, grain: Grain) -> None:
    assert parse_instant(text) == (second, grain)


@pytest.mark.parametrize(
    ("text", "civil", "grain"),
    [
        ("0", (0, 1, 1), Grain.YEAR),
        ("0000", (0, 1, 1), Grain.YEAR),
        ("0000-02-29", (0, 2, 29), Grain.DAY),
        ("-44", (-44, 1, 1), Grain.YEAR),
        ("-0044-03-15", (-44, 3, 15), Grain.DAY),
        ("-0044-03", (-44, 3, 1), Grain.MONTH),
        ("-4.0229", (-4, 2, 29), Grain.DAY),
        ("-13798000", None, None),
        ("-9999999", (-9_999_999, 1, 1), Grain.YEAR),
        ("12345", (12_345, 1, 1), Grain.YEAR),
        ("10000-01-01", (10_000, 1, 1), Grain.DAY),
        ("9999999-12-31", (9_999_999, 12, 31), Grain.DAY),
    ],
)
def test_years_before_christ_and_after_9999(
    text: str, civil: tuple[int, int, int] | None, grain: Grain | None
) -> None:
    if civil is None:
        with pytest.raises(TimeError):
            parse_instant(text)
    else:
        assert parse_instant(text) == (days_from_civil(*civil) * DAY, grain)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "abc",
        "2011-13",
        "2011-13-01",
        "2011-02-29",
        "1900-02-29",
        "-0001-02-29",
        "2011-04-31",
        "2011-01-32",
        "2011-00-05",
        "1971.0001",
        "2011.1301",
        "2011.01",
        "20110231",
        "20111301",
        "99999999",
        "-20110102",
        "2011-01-01T24:00:00",
        "2011-01-01T10:60:00",
        "2011-01-01T10:00:61",
        "2011-01-01T10",
        "2011-01T10:00:00",
        "2011-03-07T04:05:06+1",
        "07.03.11",
        "07.13.2011",
        "03/07/2011",
        "03-07-2011",
        "March 2011",
        "1e3",
        "2011.5",
    ],
)
def test_what_is_no_time_is_refused_with_the_text_and_what_was_expected(text: str) -> None:
    with pytest.raises(TimeError) as caught:
        parse_instant(text)
    assert repr(text) in str(caught.value)
    assert "YYYY-MM-DD" in str(caught.value)
    parsed = parse_instants([text])  # many at once: days that do not exist stand for their month
    assert [*parsed.problems, *parsed.taken_as_month] == [text]


@pytest.mark.parametrize("zone", ["+99:99", "-24:00", "+01:60"])
def test_a_zone_that_cannot_be_is_refused(zone: str) -> None:
    with pytest.raises(TimeError):
        parse_instant(f"2011-03-07T04:05:06{zone}")


@pytest.mark.parametrize(
    ("year", "month", "day", "clock", "grain", "text"),
    [
        (2011, 1, 1, 0, Grain.YEAR, "2011"),
        (2011, 3, 1, 0, Grain.MONTH, "2011-03"),
        (2011, 3, 7, 0, Grain.DAY, "2011-03-07"),
        (2011, 3, 7, 14_706, Grain.SECOND, "2011-03-07T04:05:06"),
        (1, 1, 1, 0, Grain.YEAR, "0001"),
        (0, 1, 1, 0, Grain.YEAR, "0000"),
        (-44, 3, 15, 0, Grain.DAY, "-0044-03-15"),
        (-44, 3, 15, 86_399, Grain.SECOND, "-0044-03-15T23:59:59"),
        (12_345, 1, 1, 0, Grain.YEAR, "12345"),
        (201_101, 1, 1, 0, Grain.YEAR, "+201101"),
        (201_101, 2, 1, 0, Grain.MONTH, "+201101-02"),
        (-13_798_000_000, 1, 1, 0, Grain.YEAR, "-13798000000-00-00"),
        (20_110_102, 1, 1, 0, Grain.YEAR, "+20110102-00-00"),
    ],
)
def test_format(year: int, month: int, day: int, clock: int, grain: Grain, text: str) -> None:
    assert format_instant(days_from_civil(year, month, day) * DAY + clock, grain) == text


@given(
    st.integers(FIRST_DAY, LAST_DAY)
    | st.integers(0, 99_999_999).map(lambda year: days_from_civil(year, 1, 1)),
    st.integers(0, DAY - 1),
    st.sampled_from([*Grain]),
)
@example(days_from_civil(201_101, 1, 1), 0, Grain.YEAR)
def test_what_is_formatted_is_read_back(days: int, clock: int, grain: Grain) -> None:
    year, month, day = civil_from_days(days)
    begin = {
        Grain.YEAR: days_from_civil(year, 1, 1) * DAY,
        Grain.MONTH: days_from_civil(year, month, 1) * DAY,
        Grain.DAY: days_from_civil(year, month, day) * DAY,
        Grain.SECOND: days * DAY + clock,
    }[grain]
    assert parse_instant(format_instant(begin, grain)) == (begin, grain)


def test_many_texts_keep_their_order_and_each_wrong_one_its_reason() -> None:
    parsed = parse_instants(["2011", "soon", "-0044-03-15", "2011-13-01"])
    assert format_instants(parsed.instants) == ["2011", "-0044-03-15"]
    assert list(parsed.problems) == ["soon", "2011-13-01"]
    assert "'2011-13-01'" in parsed.problems["2011-13-01"]
    assert parsed.taken_as_month == []


@pytest.mark.parametrize("text", ["2011-02-30", "2011.0230", "20110230", "2011-2-29", "30.02.2011"])
def test_a_day_that_does_not_exist_counts_as_its_month(text: str) -> None:
    parsed = parse_instants(["2011", text])
    assert format_instants(parsed.instants) == ["2011", "2011-02"]
    assert parsed.taken_as_month == [text]
    assert parsed.problems == {}


@pytest.mark.parametrize("text", ["2011-13-01", "2011-01-32", "2011-00-05", "20110199"])
def test_what_no_month_has_is_a_problem(text: str) -> None:
    parsed = parse_instants([text])
    assert list(parsed.problems) == [text]
    assert parsed.taken_as_month == []


@pytest.mark.parametrize("text", [None, "", " ", "~", "-inf", "INF", "+inf", "NaN", "None", "null"])
def test_unknown_times(text: str | None) -> None:
    assert is_unknown(text)


@pytest.mark.parametrize("text", ["0", "2011", "-1", "x"])
def test_known_times(text: str) -> None:
    assert not is_unknown(text)


@pytest.mark.parametrize(
    ("text", "same"), [("201101", "2011-01"), ("2011.0", "2011"), ("2011/05/06", "2011-05-06")]
)
def test_other_ways_to_write_a_time(text: str, same: str) -> None:
    assert parse_instant(text) == parse_instant(same)


def test_a_short_zone_and_none_are_the_same_instant() -> None:
    assert parse_instant("2011-01-01 00:00:00+00") == parse_instant("2011-01-01T00:00:00")
    assert parse_instant("2011-01-01 02:00:00+02") == parse_instant("2011-01-01T00:00:00")


@pytest.mark.parametrize("text", ["5/6/21", "01/02/03", "12/31/1999"])
def test_a_date_whose_order_is_a_guess_is_refused(text: str) -> None:
    with pytest.raises(TimeError):
        parse_instant(text)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("44 BC", "-0043"),
        ("44BC", "-0043"),
        ("1 BCE", "0000"),
        ("44 b.c.", "-0043"),
        ("33 AD", "0033"),
        ("33 CE", "0033"),
        ("2011-03-07+02:00", "2011-03-07"),
        ("2011-03-07-11:00", "2011-03-07"),
        ("2011-03-07Z", "2011-03-07"),
        ("2011-03Z", "2011-03"),
        ("2011+01:00", "2011"),
        ("2011-05:00", "2011"),
        ("2011-##-##", "2011"),
        ("2011-03-XX", "2011-03"),
        ("20110307.0", "2011-03-07"),
        ("201103.0", "2011-03"),
        ("2011-03-07T04:05:06+02:00[Europe/Berlin]", "2011-03-07T02:05:06"),
        ("2011-03-07 04:05:06 UTC", "2011-03-07T04:05:06"),
        ("2011-03-07 04:05:06,789", "2011-03-07T04:05:06"),
        ("-13798000000-01-01", "-13798000000-01-01T00:00:00"),
    ],
)
def test_further_ways_to_write_a_time(text: str, same: str) -> None:
    grain = parse_instant(text)[1]
    assert parse_instant(text)[0] == parse_instant(same)[0]
    assert grain == (Grain.DAY if same.endswith("00:00:00") else parse_instant(same)[1])


@pytest.mark.parametrize(
    "text",
    [
        *("0 BC", "44 BX", "-44 BC", "2011-03-07+99:00", "2011-##-07", "201#-##-##", "##-##-##"),
        *("２０１１", "٢٠١١", "2011-03-07T04:05:06[Berlin", "123456789012-01-01", "2011+1:00"),
    ],
)
def test_further_texts_that_are_no_time(text: str) -> None:
    with pytest.raises(TimeError):
        parse_instant(text)


@pytest.mark.parametrize(
    "text", ["NaT", "<NA>", "..", "####-##-##", "0000-00-00", "0000-00-00 00:00:00", "00000000"]
)
def test_further_unknown_times(text: str) -> None:
    assert is_unknown(text)


def test_a_leap_second_is_read() -> None:
    (leap,) = parse_instants(["2016-12-31T23:59:60Z"]).instants.second
    assert leap == parse_instant("2017-01-01T00:00:00")[0]


def one_by_one(texts: list[str]) -> tuple[list[tuple[int, int]], list[str], list[str]]:
    """What `parse_instants` does, written down without its shortcut for many."""
    good, bad, months = [], [], []
    for text in texts:
        try:
            good.append((parse_instant(text)[0], int(parse_instant(text)[1])))
        except NoSuchDayError as error:
            good.append((error.month, int(Grain.MONTH)))
            months.append(text)
        except TimeError:
            bad.append(text)
    return good, bad, months


NEARLY_TIMES = st.from_regex(
    r"[+-]?[0-9]{1,8}[-/.]?[0-9]{0,4}[-/]?[0-9]{0,2}[T ]?([0-9]{2}:[0-9]{2}(:[0-9]{2}Z?)?)?",
    fullmatch=True,
)
PLAIN_TIMES = st.builds(
    "{:04d}-{:02d}-{:02d}{}".format,
    st.integers(0, 9999),
    st.integers(0, 13),
    st.integers(0, 32),
    st.sampled_from(["", "T", "T23:59:60", " 24:00:00", "T10:60:00Z", "T01:02:03Z", "Z", "\n"]),
)


@given(st.lists(NEARLY_TIMES | PLAIN_TIMES | st.text(max_size=12), max_size=8, unique=True))
def test_many_at_once_are_parsed_as_each_alone(texts: list[str]) -> None:
    parsed = parse_instants(texts)
    found = list(zip(parsed.instants.second, parsed.instants.grain, strict=True))
    assert (found, list(parsed.problems), parsed.taken_as_month) == one_by_one(texts)


@given(NEARLY_TIMES | PLAIN_TIMES | st.text())
def test_every_text_is_a_time_or_refused_and_what_is_read_is_written_and_read_alike(
    text: str,
) -> None:
    try:
        instant = parse_instant(text)
    except TimeError:
        return
    assert parse_instant(format_instant(*instant)) == instant


@given(st.lists(st.tuples(st.integers(-5, 5), st.sampled_from([*Grain])), max_size=12))
def test_distinct_instants_are_in_order_and_point_back(rows: list[tuple[int, Grain]]) -> None:
    given_ones = Instants(
        np.array([second for second, _ in rows], np.int64),
        np.array([grain for _, grain in rows], np.uint8),
    )
    distinct, place = distinct_instants(given_ones)
    found = list(zip(distinct.second.tolist(), distinct.grain.tolist(), strict=True))
    assert found == sorted({(second, int(grain)) for second, grain in rows})
    assert [found[n] for n in place] == [(second, int(grain)) for second, grain in rows]
