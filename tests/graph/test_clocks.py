"""Shifted clocks are found, and none is found where there is none."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from lighttea.graph import clocks
from lighttea.graph.clocks import ClockShift, Verdict, correct_clock, find_clock_shift
from lighttea.graph.facts import Graph
from lighttea.graph.timeline import format_instants
from lighttea.io.frames import graph_of_frame
from lighttea.io.objects import graph_from

DAY_0 = datetime.date(1980, 1, 1)


def by_day(days: int) -> Callable[[int], str]:
    return lambda day: (DAY_0 + datetime.timedelta(int(day) + days)).isoformat()


def by_calendar_year(years: int) -> Callable[[int], str]:
    def written(day: int) -> str:
        date = DAY_0 + datetime.timedelta(int(day))
        return f"{date.year + years:04d}-{date.month:02d}-{min(date.day, 28):02d}"

    return written


def by_calendar_month(months: int) -> Callable[[int], str]:
    def written(day: int) -> str:
        date = DAY_0 + datetime.timedelta(int(day))
        year, month = divmod(date.year * 12 + date.month - 1 + months, 12)
        return f"{year:04d}-{month + 1:02d}-{min(date.day, 28):02d}"

    return written


def by_year(years: int) -> Callable[[int], str]:
    return lambda day: str(1900 + int(day) // 100 + years)


def by_second(seconds: int) -> Callable[[int], str]:
    def written(day: int) -> str:
        begin = datetime.datetime(2011, 1, 1) + datetime.timedelta(seconds=int(day) * 977 + seconds)
        return begin.isoformat()

    return written


def two_graphs(
    left: Callable[[int], str],
    right: Callable[[int], str],
    *,
    n_entities: int = 200,
    keep: float = 0.8,
    related: bool = True,
) -> tuple[Graph, Graph]:
    """One world seen twice with facts missing, or two worlds, in two ways to write times."""
    rng = np.random.default_rng(3)
    graphs = []
    columns = rng.integers(0, (n_entities, n_entities, 12_000), (5 * n_entities, 3))
    for written in (left, right):
        if not related:
            columns = rng.integers(0, (n_entities, n_entities, 12_000), (5 * n_entities, 3))
        rows = columns[rng.random(len(columns)) < keep]
        frame = pl.DataFrame(
            {
                "head": [f"e{n}" for n in rows[:, 0]],
                "relation": ["r"] * len(rows),
                "tail": [f"e{n}" for n in rows[:, 1]],
                "time": [written(n) for n in rows[:, 2]],
            }
        )
        graphs.append(graph_of_frame(frame))
    return graphs[0], graphs[1]


@pytest.mark.parametrize(
    ("left", "right", "amount", "unit"),
    [
        (by_day(0), by_day(1), 1, "day"),
        (by_day(0), by_day(-1), -1, "day"),
        (by_day(0), by_day(10_000), 10_000, "day"),
        (by_calendar_year(0), by_calendar_year(1), 1, "year"),
        (by_calendar_year(0), by_calendar_year(-2), -2, "year"),
        (by_calendar_month(0), by_calendar_month(1), 1, "month"),
        (by_year(0), by_year(1), 1, "year"),
        (by_year(0), by_year(-13), -13, "year"),
        (by_day(0), by_calendar_year(1), 1, "year"),
        (by_second(0), by_second(7200), 7200, "second"),
    ],
)
def test_a_shift_is_found_with_its_unit(
    left: Callable[[int], str], right: Callable[[int], str], amount: int, unit: str
) -> None:
    found = find_clock_shift(*two_graphs(left, right))
    assert (found.verdict, found.amount, found.unit) == (Verdict.SHIFTED, amount, unit)
    assert found.votes > 5 * found.votes_unshifted
    assert found.votes <= found.votes_in_all


def test_swapping_the_sides_turns_the_shift_round() -> None:
    left, right = two_graphs(by_day(0), by_day(3))
    assert find_clock_shift(left, right).amount == 3
    assert find_clock_shift(right, left).amount == -3


def test_every_entity_with_times_enough_has_a_vote() -> None:
    """Nothing is thinned out where patterns are few."""
    rng = np.random.default_rng(5)
    days = rng.integers(0, 12_000, (40, 5))
    graphs = [
        graph_from(
            [(f"e{n}", "r", f"t{n}_{d}", written(d)) for n, own in enumerate(days) for d in own]
        )
        for written in (by_day(0), by_day(3))
    ]
    found = find_clock_shift(*graphs)
    assert (found.verdict, found.amount, found.votes) == (Verdict.SHIFTED, 3, 40)


@pytest.mark.parametrize("written", [by_day(0), by_year(0), by_second(0), by_calendar_month(0)])
def test_clocks_that_agree_are_said_to(written: Callable[[int], str]) -> None:
    found = find_clock_shift(*two_graphs(written, written))
    assert (found.verdict, found.amount) == (Verdict.AGREE, 0)
    assert found.votes == found.votes_unshifted > 50


@pytest.mark.parametrize("written", [by_day(0), by_year(0), by_second(0)])
@pytest.mark.parametrize("n_entities", [20, 200, 2000])
def test_nothing_is_claimed_of_two_different_worlds(
    written: Callable[[int], str], n_entities: int
) -> None:
    graphs = two_graphs(written, written, n_entities=n_entities, related=False)
    found = find_clock_shift(*graphs)
    assert (found.verdict, found.amount) == (Verdict.UNCLEAR, 0)


def test_a_shift_is_found_where_half_of_the_facts_are_missing() -> None:
    found = find_clock_shift(*two_graphs(by_day(0), by_day(1), n_entities=500, keep=0.5))
    assert (found.verdict, found.amount) == (Verdict.SHIFTED, 1)


def test_days_against_years_are_compared_by_year() -> None:
    def year_of_day(day: int) -> str:
        return str(int(by_day(0)(day)[:4]) + 1)

    left, right = two_graphs(by_day(0), year_of_day, n_entities=600)
    found = find_clock_shift(left, right)
    assert (found.verdict, found.amount, found.unit) == (Verdict.SHIFTED, 1, "year")


@pytest.mark.parametrize(
    ("time", "amount", "unit", "back"),
    [
        ("2001-03-31", 1, "month", "2001-03-03"),  # a February of 31 days runs into March
        ("2001-03-31", 14, "month", "2000-01-31"),
        ("2004-02-29", -1, "year", "2005-03-01"),
        ("2001", 3, "year", "1998"),
        ("2001-03-01", 1, "day", "2001-02-28"),
        ("2001", 1, "day", "2001"),
        ("2001-03-01T00:00:01", 2, "second", "2001-02-28T23:59:59"),
        ("-0001-03-01", 2, "year", "-0003-03-01"),
    ],
)
def test_a_clock_is_set_back(time: str, amount: int, unit: str, back: str) -> None:
    shift = ClockShift(Verdict.SHIFTED, amount, unit, 9, 0, 9)
    graph = correct_clock(graph_from([("a", "r", "b", time)]), shift)
    assert format_instants(graph.instants) == [back]


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "r", "b")],
        [("a", "r", "b", "2001")],
        [("a", "r", "b", "2001", "2003"), ("c", "r", "d")],
        [("a", "r", "b", "-13798000000-00-00", "2003"), ("c", "r", "d", "99999999999-12-31")],
    ],
)
def test_small_and_timeless_graphs_say_nothing(rows: list[Any]) -> None:
    other = graph_from([("x", "q", "y", "1999")])
    for pair in ((graph_from(rows), other), (other, graph_from(rows))):
        found = find_clock_shift(*pair)
        assert found.verdict == Verdict.UNCLEAR
        assert (found.amount, found.votes, found.votes_unshifted, found.votes_in_all) == (0,) * 4


def test_patterns_are_thinned_alike_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of very many still tells the shift."""
    left, right = two_graphs(by_day(0), by_day(3), n_entities=1000)
    everything = find_clock_shift(left, right)
    monkeypatch.setattr(clocks, "_MOST_WINDOWS", 1000)
    thinned = find_clock_shift(left, right)
    assert (thinned.verdict, thinned.amount) == (Verdict.SHIFTED, 3)
    assert thinned.votes < everything.votes
