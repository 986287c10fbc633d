from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lighttea.graph.facts import Graph
from lighttea.graph.timeline import Grain, Instants, TimeKind, Timeline, ticks_of

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
