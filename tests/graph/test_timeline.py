from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair
from lighttea.graph.timeline import (
    UNKNOWN,
    Grain,
    Instants,
    TimeKind,
    Timeline,
    coarser_ticks,
    ticks_of,
)
from lighttea.io.frames import graph_of_frame
from lighttea.io.times import parse_instants
from tests.worlds import fact_frame

instants = st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 3)), unique=True, max_size=12)


def as_instants(rows: list[tuple[int, int]]) -> Instants:
    return Instants(
        np.array([s for s, _ in rows], np.int64), np.array([g for _, g in rows], np.uint8)
    )


def test_each_kind_of_time_is_told_apart(small_graph: Graph) -> None:
    assert [TimeKind(kind).name for kind in small_graph.facts.kinds()] == [
        "POINT",
        "POINT",
        "INTERVAL",
        "OPEN_END",
        "OPEN_BEGIN",
        "UNKNOWN",
    ]


@given(instants, instants)
def test_the_timeline_is_the_union_in_order_of_time(
    left: list[tuple[int, int]], right: list[tuple[int, int]]
) -> None:
    timeline = Timeline.of(as_instants(left), as_instants(right))
    union = sorted(set(left) | set(right))
    ticks = list(zip(timeline.ticks.second.tolist(), timeline.ticks.grain.tolist(), strict=True))
    assert ticks == union
    assert [union[t] for t in timeline.left_tick] == left
    assert [union[t] for t in timeline.right_tick] == right


def test_a_year_and_its_first_day_are_different_ticks() -> None:
    year, day = as_instants([(0, Grain.YEAR)]), as_instants([(0, Grain.DAY)])
    assert len(Timeline.of(year, day).ticks) == 2


def test_unknown_time_has_no_tick() -> None:
    assert ticks_of(np.array([-1, 0, 1]), np.array([7, 8])).tolist() == [-1, 7, 8]
    assert ticks_of(np.array([-1, -1]), np.empty(0, np.int32)).tolist() == [-1, -1]


def test_a_tick_lies_in_the_month_and_the_year_that_are_used() -> None:
    texts = ["2000", "2001", "2001-03", "2001-03-04", "2001-04-01", "2002-03-04"]
    found = parse_instants(texts)
    timeline = Timeline.of(found.instants, Instants.none())
    at = dict(zip(texts, timeline.left_tick.tolist(), strict=True))
    used = np.array([at["2001"], at["2001-03"], UNKNOWN])
    month, year = coarser_ticks(timeline.ticks, used)
    name = {tick: text for text, tick in at.items()}
    assert {name[i]: name.get(int(t)) for i, t in enumerate(month)} == {
        **dict.fromkeys(texts),
        "2001-03-04": "2001-03",
    }
    assert {name[i]: name.get(int(t)) for i, t in enumerate(year)} == {
        **dict.fromkeys(texts),
        **dict.fromkeys(["2001-03", "2001-03-04", "2001-04-01"], "2001"),
    }
    assert (coarser_ticks(timeline.ticks, np.array([UNKNOWN])) == UNKNOWN).all()
    assert coarser_ticks(Instants.none(), np.array([UNKNOWN])).shape == (2, 0)


def test_days_match_years_only_where_that_is_asked_for() -> None:
    left = graph_of_frame(
        fact_frame(("a", "r", "b", "2001-03-04", ""), ("a", "r", "c", "2005", ""))
    )
    right = graph_of_frame(fact_frame(("x", "s", "y", "2001", ""), ("x", "s", "z", "2005", "")))
    plain, grained = Pair.of(left, right), Pair.of(left, right, mixed_granularity=True)

    def ticks_at(pair: Pair, node: int) -> set[int]:
        return set(pair.tick[pair.head == node].tolist())

    shared = [
        len(
            ticks_at(pair, left.entity_ids["a"])
            & ticks_at(pair, pair.n_left + right.entity_ids["x"])
        )
        for pair in (plain, grained)
    ]
    assert shared == [1, 2]
