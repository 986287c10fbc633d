"""What duplicates would look like: divided entities, and chances by how pairs look."""

from __future__ import annotations

import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.config import Config
from lighttea.duplicates.candidates import CandidatePairs
from lighttea.duplicates.facts import EntityFacts, shared_rows
from lighttea.duplicates.features import Features, pair_features
from lighttea.duplicates.rehearsal import (
    FEWEST,
    SHARE,
    Division,
    divide_graph,
    draw_division,
    rehearse,
)
from lighttea.duplicates.rehearsed import chance_by_bins, count_duplicates, odds_by_rehearsal
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frame
from lighttea.types import Doubles, Ints
from tests.duplicates.worlds import career_graph
from tests.fuzzing import examples
from tests.worlds import fact_frame

ITEMS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, unique=True)


@examples(30)
@given(ITEMS)
def test_shared_items_are_found_as_by_a_slow_reference(rows: list[tuple[int, int]]) -> None:
    entity, item = np.array(sorted(rows)).T
    one, other = np.array(list(product(range(6), range(6)))).T
    place, row = shared_rows(entity, item, one, other)
    expected = {
        (pair, rows.index((a, own)))
        for pair, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True))
        for x, own in rows
        if x == a and (b, own) in rows
    }
    ordered = sorted(rows)
    assert {(p, rows.index(ordered[r])) for p, r in zip(place, row, strict=True)} == expected
    assert len(place) == len(expected)


def rows_of_facts(graph: Graph) -> list[tuple[str, ...]]:
    frame = graph.to_polars()
    return [tuple(str(cell) for cell in row) for row in frame.rows()]


def test_a_divided_graph_tells_the_same_of_the_same_entities() -> None:
    graph = career_graph(120)
    rng = np.random.default_rng(1)
    division = draw_division(graph, rng)
    divided = divide_graph(graph, division, rng)
    first, second = division.pairs
    assert len(first) == pytest.approx(SHARE * len(graph.entities), rel=0.3)
    assert divided.entities[: len(graph.entities)] == list(graph.entities)
    same = {divided.entities[b]: graph.entities[a] for a, b in zip(first, second, strict=True)}
    back = [tuple(same.get(cell, cell) for cell in row) for row in rows_of_facts(divided)]
    assert set(back) == set(rows_of_facts(graph))
    told_twice = len(back) - len(set(back))
    assert 0 < told_twice < 0.1 * len(back)
    facts = divided.facts
    either = np.isin(np.stack([facts.head, facts.tail]), second).any(axis=0)
    assert 0 < either.sum() < 0.2 * len(facts)


def test_a_life_is_divided_in_its_middle() -> None:
    years = range(1990, 2000)
    graph = graph_of_frame(fact_frame(*(("p", "r", f"c{y}", str(y), None) for y in years)))
    number, n = graph.entity_ids["p"], len(graph.entities)
    second = np.full(n, -1)
    second[number] = n
    days = (np.datetime64("1995-01-01") - np.datetime64("1970-01-01")).astype(int)
    division = Division(second, np.full(n, float(days)), np.zeros(n))
    divided = divide_graph(graph, division, np.random.default_rng(0))
    tails = {
        graph.entities[tail]: int(head)
        for head, tail in zip(divided.facts.head, divided.facts.tail, strict=True)
    }
    assert {y: tails[f"c{y}"] == n for y in years} == {y: y >= 1995 for y in years}


def test_a_graph_without_time_is_divided_at_random() -> None:
    facts = [(f"p{n % 30}", "r", f"q{n // 30}", None, None) for n in range(300)]
    graph = graph_of_frame(fact_frame(*facts))
    rng = np.random.default_rng(0)
    division = draw_division(graph, rng)
    first, second = division.pairs
    assert len(first)
    assert np.isnan(division.middle).all()
    head = divide_graph(graph, division, rng).facts.head
    assert np.isin(first, head).any()
    assert np.isin(second, head).any()


def test_few_entities_are_no_rehearsal() -> None:
    assert rehearse(career_graph(32), Config(threads=1)) is None
    assert FEWEST > 2 * 32 * SHARE


def test_rehearsed_pairs_share_more_than_others() -> None:
    graph = career_graph(400)
    made = rehearse(graph, Config(threads=1))
    assert made is not None
    assert len(made) == len(Features._fields)
    overlap = made[Features._fields.index("overlap")]
    one = np.arange(len(graph.entities) - 1)
    neighbours = Features(*pair_features(EntityFacts.of(graph), pairs_of(one, one + 1)))
    assert 0.9 > overlap.mean() > 2 * neighbours.overlap.mean()


def pairs_of(one: Ints, other: Ints, score: Doubles | None = None) -> CandidatePairs:
    """Candidates of these scores, or of 1, each the first choice of one of its entities."""
    ones = np.ones(len(one))
    ranks = ones.astype(int), 2 * ones.astype(int)
    return CandidatePairs(one, other, ones if score is None else score, *ranks, ones)


def some_candidates(n_entities: int) -> CandidatePairs:
    """Candidates of random scores, of which every third is a first choice."""
    rng = np.random.default_rng(3)
    one, other = np.unique(rng.integers(0, n_entities, (2, 10 * n_entities)), axis=1)
    one, other = one[one < other], other[one < other]
    rank = 1 + np.arange(len(one)) % 3
    return CandidatePairs(one, other, rng.random(len(one)), rank, rank + 1, np.ones(len(one)))


def test_some_pairs_are_seen_as_among_all_of_them() -> None:
    graph = career_graph(400)
    facts, pairs = EntityFacts.of(graph), some_candidates(len(graph.entities))
    places = np.flatnonzero(pairs.rank == 1)
    every = pair_features(facts, pairs)[:, places]
    assert np.array_equal(pair_features(facts, pairs, places), every)
    alone = Features(*pair_features(facts, pairs.take(places)))
    assert not np.array_equal(alone.gap, Features(*every).gap)  # others are their rivals


def test_features_of_others_take_no_memory() -> None:
    graph = career_graph(400)
    facts, pairs = EntityFacts.of(graph), some_candidates(len(graph.entities))
    places = np.flatnonzero(pairs.rank == 1)
    assert peak_of(facts, pairs, places) < 0.7 * peak_of(facts, pairs, None)


def peak_of(facts: EntityFacts, pairs: CandidatePairs, places: Ints | None) -> int:
    """Return the bytes that the features of these pairs take at most."""
    tracemalloc.start()
    try:
        pair_features(facts, pairs, places)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_what_is_seen_of_a_pair() -> None:
    facts = ("arx", "ary", "asz", "brx", "bry", "bsv", "bsw", "crx")
    graph = graph_of_frame(fact_frame(*((one[0], one[1], one[2], None, None) for one in facts)))
    a, b, c = (graph.entity_ids[name] for name in "abc")
    pairs = pairs_of(np.array([a, a]), np.array([b, c]), np.array([2.0, 1.0]))
    first, second = (Features(*row) for row in pair_features(EntityFacts.of(graph), pairs).T)
    assert (first.overlap, second.overlap) == pytest.approx((2 / 3, 1))
    assert (first.smaller_overlap, second.smaller_overlap) == pytest.approx((2 / 4, 1 / 3))
    assert (first.neighbour_overlap, second.neighbour_overlap) == pytest.approx((2 / 3, 1))
    assert (first.facts, first.most_facts) == pytest.approx((np.log(4), np.log(5)))
    assert (first.only_they, second.only_they) == pytest.approx((np.log(2), 0))
    rare, rarest = np.log(8 / 2), np.log(8)  # of eight entities three tell `rx`, two `ry`
    assert first.rarity == first.neighbour_rarity == pytest.approx(np.log1p(rare + rarest))
    assert second.rarity == pytest.approx(np.log1p(rare))
    assert (first.gap, second.gap) == pytest.approx((np.log(2), -np.log(2)), abs=1e-5)
    assert (first.larger_gap, second.larger_gap) == (4, 4)  # b and c have no other candidate
    assert (first.rank, first.other_rank) == pytest.approx((0, np.log(2)))


def looks(rng: np.random.Generator, n: int, mean: float) -> np.ndarray:
    """Features of n pairs: `rarity` tells duplicates from others, the rest says nothing."""
    columns = rng.normal(0, 0.2, (len(Features._fields), n))
    columns[Features._fields.index("rarity")] += mean + rng.normal(0, 1, n)
    return columns


@pytest.mark.parametrize("n_duplicates", [0, 60, 600])
def test_a_confidence_by_looks_is_as_often_right_as_it_says(n_duplicates: int) -> None:
    rng = np.random.default_rng(0)
    seen = np.concatenate([looks(rng, n_duplicates, 7), looks(rng, 12_000, 0)], axis=1)
    odds = odds_by_rehearsal(seen, looks(rng, 400, 7), 6_000, rng)
    is_right = np.arange(seen.shape[1]) < n_duplicates
    chance = 1 / (1 + np.exp(-odds))
    if n_duplicates:
        assert is_right[chance > 0.5].mean() > 0.9
        assert (chance[is_right] > 0.5).mean() > 0.5
    else:
        assert not (chance > 0.5).any()


def test_duplicates_are_counted_by_those_that_look_like_rehearsed_ones() -> None:
    rng = np.random.default_rng(0)
    made = rng.normal(9, 1, 500)
    others = rng.normal(0, 1, 20_000)
    assert count_duplicates(others, made, 2_000) == 1  # what look-alikes are expected to be
    found = count_duplicates(np.append(others, rng.normal(9, 1, 300)), made, 2_000)
    assert 240 < found <= 310
    chance = chance_by_bins(np.append(others, rng.normal(9, 1, 300)), made, 2_000)
    assert chance[:20_000].sum() < 30
    assert 0.6 < chance[20_000:].mean() <= 0.95  # one bin holds rehearsed pairs below all others
