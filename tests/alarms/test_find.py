"""Temporal alarms: found where they belong, nowhere else, and inferred from data alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

import lighttea
from lighttea.alarms import find as rules
from lighttea.alarms.graphs import LinkedGraphs
from lighttea.graph.pair import Links
from lighttea.io.frames import graph_of_frame
from lighttea.results.run import Run
from tests.worlds import Fact, fact_frame

N = 16
NONE = Links.none()


def life(number: int, prefix: str = "") -> list[Fact]:
    """Born, held two offices one after the other, won a prize, died."""
    name, born = f"{prefix}p{number}", 1900 + number
    return [
        (name, f"{prefix}born", f"{prefix}town{number % 5}", str(born), str(born)),
        (name, f"{prefix}holds", f"{prefix}office{number}", str(born + 30), str(born + 40)),
        (name, f"{prefix}holds", f"{prefix}office{number + 50}", str(born + 40), str(born + 50)),
        (name, f"{prefix}won", f"{prefix}prize{number % 3}", str(born + 35), str(born + 35)),
        (name, f"{prefix}died", f"{prefix}town{(number + 1) % 5}", str(born + 70), str(born + 70)),
    ]


def run_of(right: Sequence[Fact]) -> Run:
    left = [fact for number in range(N) for fact in life(number)]
    names = sorted({end for fact in left for end in (fact[0], fact[2])})
    seeds = [(one, f"x{one}") for one in names if one not in FREE]
    return lighttea.align(
        graph_of_frame(fact_frame(*left)),
        graph_of_frame(fact_frame(*right)),
        seeds=seeds,
        preset="best",
        dim=32,
        rounds=1,
    )


FREE = [f"p{number}" for number in range(8, N)]


def right_facts() -> list[Fact]:
    return [fact for number in range(N) for fact in life(number, "x")]


def kinds(run: Run) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for left, kind in run.alarms.drop_nulls("left").select("left", "kind").rows():
        found.setdefault(left, set()).add(kind)
    return found


def test_two_graphs_that_agree_raise_no_alarm() -> None:
    run = run_of(right_facts())
    assert len(run.links) == len(FREE)
    assert run.alarms.is_empty()
    assert run.alarms.schema == rules.SCHEMA


def test_what_relations_are_follows_from_the_data() -> None:
    left = graph_of_frame(fact_frame(*(fact for number in range(N) for fact in life(number))))
    graphs = LinkedGraphs.of(left, graph_of_frame(fact_frame(*right_facts())), NONE, NONE)
    moments = graphs.moments
    named = {
        what: {(graphs.relation_name(number), bool(number % 2)) for number in numbers}
        for what, numbers in (
            ("ends", np.flatnonzero(moments.ends).tolist()),
            ("begins", np.flatnonzero(moments.begins).tolist()),
            ("once", np.unique(moments.relation).tolist()),
            ("single", rules.find_single_valued_relations(graphs.sides[0])),
        )
    }
    assert named["ends"] == {("died", False), ("xdied", False)}
    assert named["begins"] == {("born", False), ("xborn", False)}
    assert named["once"] == named["ends"] | named["begins"] | {("won", False), ("xwon", False)}
    assert ("holds", False) in named["single"]
    assert not {"born", "died", "won"} & {name for name, _ in named["single"]}


def test_a_fact_after_the_end_and_one_before_the_beginning() -> None:
    late = ("xp9", "xwon", "xprize2", "1999", "1999")
    early = ("xp10", "xwon", "xprize2", "1850", "1850")
    run = run_of([*right_facts(), late, early])
    assert kinds(run) == {"p9": {rules.AFTER_END}, "p10": {rules.BEFORE_BEGIN}}
    message = run.alarms.filter(pl.col("left") == "p9")["message"][0]
    assert "died at 1979" in message
    assert "1999" in message
    assert run.explain("p9").alarms[0].kind == rules.AFTER_END


def test_a_posthumous_fact_that_both_sides_have_is_no_alarm() -> None:
    left = [fact for number in range(40) for fact in life(number)]
    right = [fact for number in range(40) for fact in life(number, "x")]
    left.append(("p9", "won", "prize2", "1999", "1999"))
    right.append(("xp9", "xwon", "xprize2", "1999", "1999"))
    names = sorted({end for fact in left for end in (fact[0], fact[2])})
    run = lighttea.align(
        graph_of_frame(fact_frame(*left)),
        graph_of_frame(fact_frame(*right)),
        seeds=[(one, f"x{one}") for one in names if one != "p9"],
        preset="best",
        dim=32,
        rounds=1,
    )
    assert run.links.row(0)[:2] == ("p9", "xp9")
    assert run.alarms.is_empty()


def test_two_values_at_one_time() -> None:
    facts = right_facts()
    other = {"xoffice9": "xoffice3", "xoffice3": "xoffice9"}  # p9 has the one of p3, a seed
    run = run_of([(*fact[:2], other.get(fact[2], fact[2]), *fact[3:]) for fact in facts])
    assert kinds(run) == {"p9": {rules.CONFLICT}}
    assert "office9" in run.alarms["message"][0]


def test_disjoint_times() -> None:
    facts = [
        fact
        if fact[0] != "xp9"
        else (*fact[:3], str(int(fact[3] or 0) + 100), str(int(fact[4] or 0) + 100))
        for fact in right_facts()
    ]
    run = run_of(facts)
    assert ("p9", "xp9") in run.links.select("left", "right").rows()
    assert {rules.DISJOINT, rules.SHIFT} <= kinds(run)["p9"]


@pytest.mark.parametrize("shift", [1, -2])
def test_clocks_that_differ_are_said_once_for_the_graphs(shift: int) -> None:
    facts = [
        (*fact[:3], str(int(fact[3] or 0) + shift), str(int(fact[4] or 0) + shift))
        for fact in right_facts()
    ]
    run = run_of(facts)
    general = run.alarms.filter(pl.col("left").is_null())
    assert general["kind"].to_list() == [rules.SHIFT]
    word = "later" if shift > 0 else "earlier"
    assert f"{abs(shift)} year{'s' * (abs(shift) != 1)} {word}" in general["message"][0]


def test_without_time_there_is_nothing_to_be_odd(recwarn: pytest.WarningsRecorder) -> None:
    facts = [(*fact[:3], None, None) for fact in right_facts()]
    run = run_of(facts)
    assert run.alarms.is_empty()
