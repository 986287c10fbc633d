"""Odd times, and whether time is likely to help."""

from __future__ import annotations

from typing import Any

import pytest

from lighttea.graph.oddities import count_mentions, find_odd_times
from lighttea.graph.profile import profile
from lighttea.graph.timeline import format_instant
from lighttea.graph.usefulness import assess_time
from lighttea.io.objects import graph_from


def dated(*times: str, who: str = "e") -> list[Any]:
    return [(f"{who}{n}", "r", f"{who}{n + 1}", time) for n, time in enumerate(times)]


def days(n: int) -> list[str]:
    return [f"{1950 + i % 60}-{i % 11 + 2:02d}-{i % 27 + 2:02d}" for i in range(n)]


def odd_of(rows: list[Any]) -> dict[str, tuple[int, list[str]]]:
    return {
        odd.what: (odd.count, [format_instant(*one) for one in odd.examples])
        for odd in find_odd_times(graph_from(rows))
    }


def test_plain_times_are_not_odd() -> None:
    assert odd_of(dated(*days(200))) == {}
    assert odd_of(dated("2001", "2002")) == {}
    assert odd_of([("a", "r", "b")]) == {}


def test_placeholders_are_odd_where_they_are_many() -> None:
    found = odd_of(dated(*days(200), *["1970-01-01"] * 30, *["9999-12-31"] * 40))
    assert found["dates that often mean unknown"] == (70, ["9999-12-31", "1970-01-01"])
    assert found["times after the year 2100"] == (40, ["9999-12-31"])
    assert odd_of(dated(*days(200), "1970-01-01")) == {}


def test_placeholders_are_odd_where_there_is_no_other_day() -> None:
    what = "dates that often mean unknown"
    assert odd_of(dated(*["1970-01-01"] * 3))[what] == (3, ["1970-01-01"])
    assert what not in odd_of(dated(*["1970-01-01"] * 2))


def test_placeholders_are_compared_with_days_alone() -> None:
    """Years are mentioned far more often than any day: they say nothing of what is usual."""
    rows = dated(*[f"{1900 + n % 5}" for n in range(2000)], *["1970-01-01"] * 30, *days(3))
    assert odd_of(rows)["dates that often mean unknown"] == (30, ["1970-01-01"])


def test_years_written_as_the_first_of_january_are_odd() -> None:
    found = odd_of(dated(*days(50), *[f"{year}-01-01" for year in range(1980, 2000)]))
    (what,) = found
    assert "1 January" in what
    assert found[what][0] == 20
    assert odd_of(dated(*days(400), *[f"{year}-01-01" for year in range(1980, 1999)])) == {}


def test_days_written_as_midnight_are_odd() -> None:
    found = odd_of(dated(*[f"{day}T00:00:00" for day in days(30)]))
    (what,) = found
    assert "midnight" in what
    assert found[what][0] == 30
    assert odd_of(dated(*[f"{day}T10:00:00" for day in days(30)])) == {}


def test_mentions_count_a_point_once_and_an_interval_at_both_ends() -> None:
    graph = graph_from([("a", "r", "b", "2001"), ("a", "r", "b", "2001", "2002"), ("a", "r", "b")])
    assert count_mentions(graph).tolist() == [2, 1]


def test_the_profile_has_coverage_and_odd_times() -> None:
    found = profile(graph_from([*dated(*days(60), *["1970-01-01"] * 20), *[("a", "r", "b")] * 80]))
    assert found.timed_facts == 0.5
    assert found.to_dict()["odd"][0]["count"] == 20


def use(left: list[Any], right: list[Any]) -> tuple[str, str]:
    found = assess_time(graph_from(left), graph_from(right))
    return found.helps, found.reason


def test_a_profile_warns_of_days_beside_years() -> None:
    said = "times differ in granularity"
    assert said in " ".join(profile(graph_from(dated("2001", "2001-02-03"))).warnings)
    assert said not in " ".join(profile(graph_from(dated("2001", "2002"))).warnings)


def test_time_is_likely_to_help_where_both_share_it_and_it_tells_entities_apart() -> None:
    found = assess_time(graph_from(dated(*days(60))), graph_from(dated(*days(60), who="x")))
    assert found.helps == "likely"
    assert found.left.timed_facts == found.left.shared_times == 1
    assert found.left.told_apart > 0.9
    assert found.shared_ticks == len(set(days(60)))


@pytest.mark.parametrize(
    ("left", "right", "helps", "reason"),
    [
        ([("a", "r", "b")], dated("2001"), "no", "the left graph has no fact with a known time"),
        (dated("2001"), [("a", "r", "b")], "no", "the right graph has no fact with a known time"),
        (dated("2001"), dated("2002"), "no", "no time in common"),
        (dated("2001"), dated("2002-01-02"), "no", "no time in common"),
        (dated("2001-01"), dated("2001"), "a little", "entities have distinctive times"),
        (
            dated(*days(60)),
            dated(days(1)[0]),
            "a little",
            "of the left graph's times are also in the",
        ),
        (
            [*dated(*days(9)), *[("p", "r", f"q{n}") for n in range(60)]],
            dated(*days(9)),
            "a little",
            "of the left graph's facts have a time",
        ),
        (
            dated(*["2001"] * 9),
            dated(*["2001"] * 9),
            "a little",
            "entities have distinctive times",
        ),
    ],
)
def test_what_is_short_is_said(left: list[Any], right: list[Any], helps: str, reason: str) -> None:
    found = use(left, right)
    assert found[0] == helps
    assert reason in found[1]


def test_a_day_meets_its_month_and_its_year() -> None:
    left = graph_from(dated("2001-05-06", "2001-05-07", "2002-03-04", "2003-01-01"))
    right = graph_from(dated("2001-05", "2002", "2004"))
    found = assess_time(left, right)
    assert found.left.shared_times == 3 / 4
    assert found.right.shared_times == 2 / 3
    assert found.shared_ticks == 2  # 2001-05 and 2002
    swapped = assess_time(right, left)
    assert (swapped.left, swapped.right) == (found.right, found.left)


def test_an_entity_is_told_apart_by_its_set_of_times_not_by_how_often() -> None:
    rows = [("a", "r", "b", "2001"), ("a", "r", "b", "2001"), ("c", "r", "d", "2001", "2005")]
    found = assess_time(graph_from(rows), graph_from(dated("2001")))
    assert found.left.told_apart == 0  # a like b, c like d
    found = assess_time(graph_from([*rows, ("d", "r", "e", "2007")]), graph_from(dated("2001")))
    assert found.left.told_apart == 3 / 5
