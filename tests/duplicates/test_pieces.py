"""What chances of duplicates are made of, against slow references and known answers."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.duplicates.candidates import CandidatePairs
from lighttea.duplicates.chance import (
    MOST_COMMON,
    RAREST,
    expected_odds,
    learn_prior,
    most_by_decoys,
    pair_chances,
)
from lighttea.duplicates.difference import MOST_AGAINST, Difference, weigh_differences
from lighttea.duplicates.exclusive import compare_relations, exclusive_relations
from lighttea.duplicates.facts import EntityFacts, sure_days
from lighttea.duplicates.shared import told_facts, trust_shared_facts, weigh_shared_facts
from lighttea.evidence.moments import FAR_DAYS
from lighttea.io.frames import graph_of_frame
from tests.worlds import fact_frame

NAMES = st.sampled_from("abcdefgh")
YEARS = st.one_of(st.none(), st.integers(1990, 1999).map(str))
FACTS = st.lists(st.tuples(NAMES, st.sampled_from("rs"), NAMES, YEARS, YEARS), min_size=1)


def day_of(year: int) -> int:
    return (date(year, 1, 1) - date(1970, 1, 1)).days


def pairs_of(one: list[int], other: list[int], **columns: list[float]) -> CandidatePairs:
    n = len(one)
    given_columns = {
        "score": [0.5] * n,
        "rank": [1] * n,
        "other_rank": [1] * n,
        "chance": [np.nan] * n,
    } | columns
    arrays = {name: np.array(values) for name, values in given_columns.items()}
    return CandidatePairs(np.array(one), np.array(other), **arrays)


def test_a_lasting_fact_surely_holds_between_its_outer_years() -> None:
    graph = graph_of_frame(
        fact_frame(
            ("a", "r", "b", "2001", "2003"),
            ("a", "r", "c", "2005", None),
            ("a", "r", "d", None, None),
            ("a", "r", "e", "2001", "2002"),
        )
    )
    low, high = sure_days(graph, graph.facts.begin, graph.facts.end)
    tails = [graph.entities[tail] for tail in graph.facts.tail]
    known = {tail: days for tail, *days in zip(tails, low.tolist(), high.tolist(), strict=True)}
    assert known["b"] == [day_of(2002), day_of(2003)]
    assert known["c"] == [day_of(2005), day_of(2006)]
    assert known["d"] == [-FAR_DAYS, FAR_DAYS]
    assert known["e"] == [day_of(2002), day_of(2002)]  # on no day for sure


@settings(max_examples=15)
@given(FACTS)
def test_relations_are_compared_as_a_slow_reference_does(rows: list[tuple[str, ...]]) -> None:
    graph = graph_of_frame(fact_frame(*rows))  # type: ignore[arg-type]
    facts = EntityFacts.of(graph)
    n = len(graph.entities)
    one, other = np.array(list(product(range(n), range(n)))).T
    found = compare_relations(facts, one, other)
    own = defaultdict(list)
    for row in zip(*vars(facts).values(), strict=True):
        own[row[0]].append(row)
    expected: dict[tuple[int, int], int] = {}
    for pair, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        for x, y in product(own[a], own[b]):
            if x[1] == y[1] and x[5] < y[6] and y[5] < x[6]:
                key = pair, int(x[1])
                expected[key] = expected.get(key, 0) + int(x[2] != y[2])
    assert expected == {(int(p), int(r)): int(t) for p, r, t in zip(*found, strict=True)}


@settings(max_examples=15)
@given(FACTS)
def test_facts_are_seen_from_both_ends_and_once(rows: list[tuple[str, ...]]) -> None:
    graph = graph_of_frame(fact_frame(*rows))  # type: ignore[arg-type]
    facts = EntityFacts.of(graph)
    columns = facts.entity, facts.relation // 2, facts.neighbour, facts.begin, facts.end
    seen = Counter(zip(*(column.tolist() for column in columns), strict=True))
    own = graph.facts
    distinct = set(zip(*(column.tolist() for column in vars(own).values()), strict=True))
    apart = [fact for fact in distinct if fact[0] != fact[2]]
    assert seen == Counter(
        [(h, 2 * r, t, b, e) for h, r, t, b, e in apart]
        + [(t, 2 * r + 1, h, b, e) for h, r, t, b, e in apart]
    )
    assert (np.diff(facts.entity) >= 0).all()


def test_a_relation_with_one_other_at_a_time_is_exclusive_and_one_with_several_is_not() -> None:
    rows = []
    for n in range(20):
        clubs = ("club", f"c{n}", "2001", "2005"), ("club", f"d{n}", "2005", "2009")
        friends = ("friend", f"x{n}", "2001", "2005"), ("friend", f"y{n}", "2003", "2009")
        rows += [(f"p{n}", *fact) for fact in (*clubs, *friends)]
    graph = graph_of_frame(fact_frame(*rows))
    exclusive, rate = exclusive_relations(EntityFacts.of(graph))
    club, friend = (4 * graph.relations.index(name) + 1 for name in ("club", "friend"))
    assert exclusive[club]
    assert not exclusive[friend]
    assert rate[club] < 0.1 < rate[friend]


def test_a_shared_fact_counts_the_more_the_rarer_sharing_is() -> None:
    rows = [(f"p{n}", "office", f"o{n}", "2001", None) for n in range(30)]
    rows += [("q", "office", "o0", "2001", None), ("q", "office", "o1", "2001", None)]
    rows += [(f"p{n}", "team", f"t{n // 5}", "2001", None) for n in range(60)]
    graph = graph_of_frame(fact_frame(*rows))
    facts, number = EntityFacts.of(graph), graph.entity_ids
    pairs = pairs_of([number["q"], number["p2"]], [number["p0"], number["p3"]])
    office, team = weigh_shared_facts(facts, pairs)
    assert office == pytest.approx(np.log(0.3 / (2.5 / 31)))
    assert team == 0
    assert set(facts.relation[told_facts(facts)[1] > 0] // 4) == {graph.relations.index("office")}


def test_facts_of_one_time_count_once() -> None:
    rows = [(f"p{n}", "office", f"o{n}", str(1900 + n), None) for n in range(30)]
    same_year = [("q", "office", "x", "1950", None), ("q", "office", "y", "1950", None)]
    same_year += [("r", *fact[1:]) for fact in same_year]
    graph = graph_of_frame(fact_frame(*rows, *same_year))
    one, other = graph.entity_ids["q"], graph.entity_ids["r"]
    (value,) = weigh_shared_facts(EntityFacts.of(graph), pairs_of([one], [other]))
    assert value == pytest.approx(np.log(0.3 / (2.5 / 33)))


def test_shared_facts_count_less_where_strangers_share_many() -> None:
    is_stranger = np.arange(100) >= 20
    usual, bundled = (np.where(is_stranger, value, 8.0) for value in (2.5, 5.0))
    assert (trust_shared_facts(usual, is_stranger) == usual).all()
    assert trust_shared_facts(bundled, is_stranger)[0] == pytest.approx(8 / 9)
    assert (trust_shared_facts(bundled, is_stranger & (np.arange(100) < 30)) == bundled).all()


def test_what_strangers_differ_in_counts_against_and_what_they_share_does_not() -> None:
    every = np.arange(100)
    is_stranger = every > 1
    telling = Difference("x", every, (every > 0).astype(int), 0.05, speaks_for=True)
    idle = Difference("y", every, (every % 20 == 1).astype(int), 0.05, speaks_for=True)
    told = weigh_differences([telling, idle], 100, is_stranger)
    assert told.against[1] == pytest.approx(np.log(0.05 / 0.98))
    assert told.speaking[0] == pytest.approx(np.log(0.95 / 0.02), abs=0.9)  # at most 3
    assert told.is_tested.all()
    assert (told.against >= -MOST_AGAINST).all()


def test_few_duplicates_are_expected_until_facts_speak_for_more() -> None:
    odds = [
        expected_odds(pairs_of(list(range(100)), list(range(100, 200))), np.array(shared))
        for shared in ([0.0] * 100, [0.0] * 95 + [9.0] * 5, [9.0] * 100)
    ]
    shares = [1 / (1 + np.exp(-own)) for own in odds]
    assert shares[0] == pytest.approx(RAREST)
    assert 0.04 < shares[1] < 0.09
    assert shares[2] == pytest.approx(MOST_COMMON)


def test_untested_pairs_gain_nothing_by_their_score() -> None:
    features = np.concatenate([np.full(50, 3.0), np.full(450, -1 / 3)])[None]
    tests = np.concatenate([np.full(25, 3.0), np.zeros(25), np.full(450, -5.0)])
    is_tested = np.arange(500) % 50 < 25
    is_tested[50:] = True
    odds = learn_prior(features, np.zeros(500), tests, is_tested, -6.0)
    assert odds[0] > -2  # tested, and they agree
    assert odds[30] == -6.0


def test_no_chance_is_above_what_decoys_leave() -> None:
    pairs = pairs_of([0, 0, 3], [1, 2, 4], chance=[0.45, 0.45, 0.2])
    most = most_by_decoys(pairs, np.array([0.9, 0.9, 0.9]))
    assert most == pytest.approx([0.9, 0.9, 0.2])  # of three ids of one entity, two are others'


def test_without_candidates_there_are_no_chances() -> None:
    no_number = np.empty(0, np.int64)
    none = CandidatePairs(no_number, no_number, np.empty(0), no_number, no_number, np.empty(0))
    told = weigh_differences([], 0, np.zeros(0, bool))
    assert len(pair_chances(none, np.zeros(0), told)) == 0
