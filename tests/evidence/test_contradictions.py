"""Contradictions against references that look at every fact and every candidate."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from lighttea.engines.base import Blocks, Handle
from lighttea.evidence.contradictions import (
    MOST,
    ContradictionSource,
    add_in_scores,
)
from lighttea.evidence.disagreement import (
    NEAR_DAYS,
    RAREST,
    ClassMoments,
    Contradictions,
    SideMoments,
    _are_believed,
    chance_apart,
    find_contradictions,
    weigh_disagreement,
)
from lighttea.evidence.evidence import timed_facts
from lighttea.evidence.moments import FAR_DAYS, MIN_SHARE, MIN_SUPPORT, Moments, days_of
from lighttea.evidence.relations import relation_classes
from lighttea.graph.pair import Links, Pair
from lighttea.io.frames import graph_of_frame
from lighttea.types import LeftIds, NumpyArray, RightIds
from tests.lives import KNUTH, knuth_and_floyd, people, person, right_names
from tests.plain import call, plain_engine
from tests.worlds import Fact, fact_frame, random_facts

Days = tuple[int, int]


def test_a_life_that_ends_where_it_begins_is_not_known() -> None:
    """One that lasts a day is a life; one whose last day is before its first is a slip."""
    begins, ends = np.array([True, False]), np.array([False, True])
    node, relation = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    low, high = np.array([10, 9, 10, 10]), np.array([11, 10, 11, 11])
    first, last = Moments(node, relation, low, high, begins, ends, n_nodes=3).lifetimes
    assert first.tolist() == [-FAR_DAYS, 10, -FAR_DAYS]
    assert last.tolist() == [FAR_DAYS, 11, FAR_DAYS]


@pytest.mark.parametrize(("n_jobs", "is_told"), [(0, False), (1, True)])
def test_of_two_facts_none_is_known_to_begin_a_life(n_jobs: int, is_told: bool) -> None:
    """One of two facts is always the first: that says nothing of what their relations mean."""
    facts: list[Fact] = []
    for n in range(2 * MIN_SUPPORT):
        facts += [(f"p{n}", "born", f"b{n}", f"{1900 + n}", f"{1900 + n}")]
        facts += [(f"p{n}", "led", f"c{n}", f"{1930 + n}", f"{1930 + n}")] * n_jobs
        facts += [(f"p{n}", "died", f"d{n}", f"{1960 + n}", f"{1960 + n}")]
    pair = pair_of(facts, facts)
    moments = Moments.of(pair)
    assert moments.begins.any() == moments.ends.any() == is_told


def pair_of(left: list[Fact], right: list[Fact], **options: Any) -> Pair:
    graphs = (graph_of_frame(fact_frame(*facts)) for facts in (left, right))
    return Pair.of(*graphs, **options)


def slow_moments(pair: Pair) -> dict[tuple[int, int], Days]:
    """The days of each node's relations that hold once, fact by fact."""
    low, high = days_of(pair.ticks)
    days: defaultdict[tuple[int, int], list[Days]] = defaultdict(list)
    for head, relation, tick in zip(pair.head, pair.relation, pair.tick, strict=True):
        if tick >= 0:
            days[int(head), int(relation)].append((int(low[tick]), int(high[tick])))
    common = {key: (max(a for a, _ in d), min(b for _, b in d)) for key, d in days.items()}
    shares: defaultdict[int, list[bool]] = defaultdict(list)
    for (_, relation), (begin, end) in common.items():
        shares[relation].append(begin < end)
    once = {r for r, one in shares.items() if len(one) >= MIN_SUPPORT and mean(one) >= MIN_SHARE}
    return {key: d for key, d in common.items() if key[1] in once and d[0] < d[1]}


def mean(values: list[bool]) -> float:
    return sum(values) / len(values)


def mixed_facts(seed: int) -> list[Fact]:
    """Random facts, most of whose relations hold more than once, beside lives."""
    return [*random_facts(50, 300, seed), *people(), *person(KNUTH, 1938, 1974, None, 3)]


@pytest.mark.parametrize("mixed_granularity", [False, True])
def test_moments_are_those_of_relations_that_hold_once(mixed_granularity: bool) -> None:
    day = (("person 1", "born in", "town 2", "1887-05-03", "1887-05-03"),)
    right = right_names([*mixed_facts(2), *day])
    pair = pair_of(mixed_facts(1), right, mixed_granularity=mixed_granularity)
    moments = Moments.of(pair)
    expected = slow_moments(pair)
    columns = (moments.node, moments.relation, moments.low, moments.high)
    found = {(n, r): (a, b) for n, r, a, b in zip(*(c.tolist() for c in columns), strict=True)}
    assert found == expected
    assert 100 < len(found) < len(pair.head)
    assert (b := moments.lifetimes[1])[b < FAR_DAYS].size >= 60


def test_a_day_and_its_year_are_one_moment_and_two_years_are_none() -> None:
    more = [("person 1", "born in", "town 2", "1887-05-03", "1887-05-03")]
    more += [("person 2", "born in", "town 2", "1700", "1700")]
    left = [*people(), *more]
    assert people()[5][3] == "1887"
    pair = pair_of(left, right_names(people()))
    moments = Moments.of(pair)
    graph = graph_of_frame(fact_frame(*left))
    born = 2 * list(graph.relations).index("born in")
    days = {
        graph.entities[node]: high - low
        for node, relation, low, high in zip(
            moments.node, moments.relation, moments.low, moments.high, strict=True
        )
        if relation == born and node < pair.n_left
    }
    assert days["person 1"] == 1
    assert days["person 3"] in (365, 366)
    assert "person 2" not in days


# --------------------------------------------------------------------------- what it counts


def side(places: list[int], days: list[Days]) -> SideMoments:
    low, high = np.array(days, np.int32).reshape(-1, 2).T
    return SideMoments(np.array(places, np.int32), low, high)


def random_moments(rng: np.random.Generator, n: int, **weights: float) -> ClassMoments:
    sides = []
    for _ in range(2):
        places = np.flatnonzero(rng.random(n) < 0.7).tolist()
        begin = rng.integers(-3000, 3000, len(places))
        length = rng.choice([1, 30, 365], len(places))
        days = list(zip(begin.tolist(), (begin + length).tolist(), strict=True))
        sides.append(side(places, days))
    return ClassMoments(*sides, **weights)  # type: ignore[arg-type]


@pytest.mark.parametrize("days", [0, NEAR_DAYS])
def test_the_chance_to_lie_apart_is_that_of_all_couples(days: int) -> None:
    own = random_moments(np.random.default_rng(3), 40)
    apart = [
        max(c - b, a - d) >= days
        for a, b in zip(own.left.low, own.left.high, strict=True)
        for c, d in zip(own.right.low, own.right.high, strict=True)
    ]
    assert chance_apart(own, days) == pytest.approx(mean(apart))
    assert 0.1 < mean(apart) < 1


def links_of(left: list[Fact], right: list[Fact]) -> Links:
    """All entities of the left graph with those of the same name on the right."""
    left_graph, right_graph = (graph_of_frame(fact_frame(*facts)) for facts in (left, right))
    rows = [
        (number, right_graph.entity_ids[f"x {name}"])
        for number, name in enumerate(left_graph.entities)
        if f"x {name}" in right_graph.entity_ids
    ]
    left_ids, right_ids = np.array(rows, np.int32).T
    return Links(LeftIds(left_ids), RightIds(right_ids))


def contradictions_of(left: list[Fact], right: list[Fact]) -> Contradictions:
    pair = pair_of(left, right)
    links = links_of(left, right)
    classes = relation_classes_of(pair, links)
    return find_contradictions(Moments.of(pair), classes, links, pair.n_left)


def relation_classes_of(pair: Pair, links: Links) -> NumpyArray:
    return call(relation_classes, call(timed_facts, pair, False), links)


def moved(facts: list[Fact], relation: str, every: int, years: int) -> list[Fact]:
    """The facts with every so many of one relation some years later."""
    own = [fact for fact in facts if fact[1] == relation]
    later = {
        fact: (*fact[:3], str(int(fact[3] or 0) + years), str(int(fact[4] or 0) + years))
        for fact in own[every - 1 :: every]
    }
    return [later.get(fact, fact) for fact in facts]


def test_disagreement_counts_less_where_links_disagree_more() -> None:
    weights = []
    for every in (1000, 10, 3):
        right = right_names(moved(people(), "born in", every, 20))
        found = contradictions_of(people(), right)
        assert {len(own.left.place) for own in found.classes} == {60}
        weights.append(sorted(own.far for own in found.classes))
    chance = 1 / 62
    assert weights[0][0] == pytest.approx(math.log(chance / 0.95), abs=0.1)
    assert weights[0][0] <= weights[0][-1] < -3.9
    assert weights[1][-1] == pytest.approx(math.log(7 / 62 / 0.95), abs=0.1)
    assert -1.2 < weights[2][-1] < -0.9


def test_slips_of_a_year_are_learned_from_the_links() -> None:
    right = right_names(moved(people(), "born in", 2, 1))
    found = contradictions_of(people(), right)
    born = max(found.classes, key=lambda own: own.near)
    assert born.near == 0.0
    assert born.far < -3.9
    assert max(own.near for own in found.classes if own is not born) <= 0


def test_a_rate_is_never_believed_to_be_zero() -> None:
    own = random_moments(np.random.default_rng(0), 3000)
    own = ClassMoments(own.left, SideMoments(own.left.place + 3000, own.left.low, own.left.high))
    linked = np.tile(np.arange(3000), 2)
    near, far = weigh_disagreement(own, linked)
    assert far == pytest.approx(math.log(RAREST / chance_apart(own, NEAR_DAYS)))
    assert near <= 0


# ------------------------------------------------------------------------------ candidates


def slow_gap(own: ClassMoments, left: int, right: int) -> int | None:
    """Days between a left and a right entity; None where one does not know."""
    rows = (np.flatnonzero(s.place == p) for s, p in ((own.left, left), (own.right, right)))
    (i, j) = (int(row[0]) if len(row) else None for row in rows)
    if i is None or j is None:
        return None
    return int(max(own.right.low[j] - own.left.high[i], own.left.low[i] - own.right.high[j]))


def slow_term(found: Contradictions, left: int, right: int) -> float:
    total = 0.0
    for own in found.classes:
        gap = slow_gap(own, left, right)
        if gap is not None and gap >= 0:
            total += own.far if gap >= NEAR_DAYS else own.near
    return total


@pytest.mark.parametrize("n_blocks", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_terms_and_struck_candidates_are_those_of_every_couple(seed: int, n_blocks: int) -> None:
    rng, n = np.random.default_rng(seed), 40
    classes = [random_moments(rng, n, near=-1.0 * i, far=-2.5 * i) for i in (1, 2, 3)]
    found = Contradictions(classes, random_moments(rng, n))
    index = np.stack([rng.permutation(n)[:9] for _ in range(n)]).astype(np.int32)
    index[rng.random(index.shape) < 0.2] = -1
    engine = plain_engine(n, n, n_blocks=n_blocks)
    blocks = Blocks(Handle[NumpyArray](index[rows]) for rows in engine.layout.left)
    ids = LeftIds(np.arange(n)), RightIds(np.arange(n))
    source = ContradictionSource(engine, Handle(None), None, *ids)  # type: ignore[arg-type]
    held = engine.hold(found)
    parts = source.terms(held, blocks), source.strike(held, blocks)
    terms, kept = (np.concatenate([engine.fetch(part) for part in table]) for table in parts)

    for row in range(n):
        for place, term, left_over in zip(index[row], terms[row], kept[row], strict=True):
            assert left_over in (place, -1)
            if place >= 0:
                gap = slow_gap(found.lives, row, place)  # type: ignore[arg-type]
                assert (left_over == -1) == (gap is not None and gap >= 0)
                assert term == pytest.approx(slow_term(found, row, place), abs=1e-6)
            else:
                assert term == 0
    assert terms.min() < -MOST
    in_scores = call(add_in_scores, 0.02, terms, terms)
    np.testing.assert_allclose(in_scores, 0.02 * np.maximum(2 * terms, -MOST), rtol=1e-6)
    assert ((kept < 0) & (index >= 0)).any()


def test_one_pair_says_the_same_as_the_tables() -> None:
    rng, n = np.random.default_rng(5), 30
    classes = [
        ClassMoments(own.left, own.right, number, -0.5, -2.0)
        for number, own in enumerate(random_moments(rng, n) for _ in range(3))
    ]
    found = Contradictions(classes)
    for left, right in rng.integers(0, n, (200, 2)).tolist():
        counted = found.between(left, right)
        assert all(scales < 0 for scales in counted.values())
        total = sum(counted.values())
        assert total == pytest.approx(slow_term(found, left, right))


def test_the_next_day_is_as_far_apart_as_the_one_after_it() -> None:
    """Moments without a day in common differ, also where one begins as the other ends."""
    days, n = np.arange(40) * 1000, 40
    near = []
    for gap in (0, 1):
        left = SideMoments(np.arange(n), days, days + 1)
        right = SideMoments(np.arange(n, 2 * n), days + 1 + gap, days + 2 + gap)
        linked = np.tile(np.arange(n), 2)
        near.append(weigh_disagreement(ClassMoments(left, right), linked)[0])
    assert near[0] == pytest.approx(near[1])


@pytest.mark.parametrize(("gap", "is_believed"), [(-1, True), (0, False), (1, False)])
def test_lives_that_only_touch_have_no_day_in_common(gap: int, is_believed: bool) -> None:
    days, n = np.arange(40) * 1000, 40
    left = SideMoments(np.arange(n), days, days + 9)
    right = SideMoments(np.arange(n, 2 * n), days + 9 + gap, days + 18 + gap)
    assert _are_believed(ClassMoments(left, right), np.tile(np.arange(n), 2)) == is_believed


def test_lives_that_exclude_each_other_rule_out_only_where_links_do_not_do_so() -> None:
    knuth, floyd = knuth_and_floyd()
    dead = person("Ada", 1700, 1740, 1780, 3)
    found = contradictions_of([*people(), *knuth, *dead], right_names([*people(), *floyd]))
    assert found.lives is not None
    shifted = [
        (*fact[:3], *(time and str(int(time) + 300) for time in fact[3:])) for fact in people()
    ]
    found = contradictions_of(people(), right_names(shifted))  # type: ignore[arg-type]
    assert found.lives is None
    assert not found.classes
