"""The likelihood of facts against a slow twin, and what it should say of small graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.likelihood import UNIT, likelihood_parts, likelihood_table
from lighttea.evidence.likelihood_model import (
    LikelyPairs,
    NodePairs,
    RarityTable,
    estimate_likelihood,
)
from lighttea.graph.pair import Links, Pair
from lighttea.io.frames import graph_of_frame
from lighttea.types import Floats, Ints, LeftIds, RightIds
from tests.worlds import Fact, fact_frame, random_facts

N_ENTITIES = 12


def pair_of(left: list[Fact], right: list[Fact]) -> Pair:
    return Pair.of(*(graph_of_frame(fact_frame(*facts)) for facts in (left, right)))


def links_of(pair: Pair, left: Ints, right: Ints) -> Links:
    assert len(left) == 0 or (left.max() < pair.n_left and right.max() < pair.n_right)
    return Links(LeftIds(left.astype(np.int32)), RightIds(right.astype(np.int32)))


def table_of(pair: Pair, pairs: LikelyPairs) -> Floats:
    """The likelihood of every left entity with every right one."""
    facts = RarityTable.of(PLAIN, pair)
    model = estimate_likelihood(PLAIN, facts, pairs)
    index = np.tile(np.arange(pair.n_right, dtype=np.int32), (pair.n_left, 1))
    nodes = pair.left_nodes(pair.all_left), pair.right_nodes(pair.all_right)
    return likelihood_table(PLAIN, facts, model, *nodes, index)


def sure(pair: Pair, names: dict[str, str], left: list[Fact], right: list[Fact]) -> LikelyPairs:
    """Links by name, for certain."""
    graphs = [graph_of_frame(fact_frame(*facts)) for facts in (left, right)]
    numbers = [
        [graph.entity_ids[name] for name in side]
        for graph, side in zip(graphs, (list(names), list(names.values())), strict=True)
    ]
    return LikelyPairs.sure(links_of(pair, *(np.array(side) for side in numbers)))


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_table_is_the_sum_of_what_each_fact_says(random_seed: int, timed: bool) -> None:
    rng = np.random.default_rng(random_seed)
    pair = pair_of(*(random_facts(N_ENTITIES, 50, random_seed + n, timed=timed) for n in (0, 1)))
    n_pairs = int(rng.integers(0, 20))
    couples = np.unique(
        np.stack([rng.integers(0, pair.n_left, n_pairs), rng.integers(0, pair.n_right, n_pairs)]),
        axis=1,
    )
    chance = rng.choice(np.array([0.1, 0.6, 1.0], np.float32), couples.shape[1])
    pairs = LikelyPairs(links_of(pair, *couples), chance)
    found = table_of(pair, pairs)
    facts = RarityTable.of(PLAIN, pair)
    model = estimate_likelihood(PLAIN, facts, pairs)
    for (left, right), value in np.ndenumerate(found):
        parts = likelihood_parts(facts, model, left, right + pair.n_left)
        odds = sum(part.log_odds for part in parts)
        assert value == pytest.approx(max(0.0, 1 + odds / UNIT), abs=1e-5)


def test_swapping_the_sides_transposes_what_needs_no_time() -> None:
    left, right = (random_facts(N_ENTITIES, 60, seed, timed=False) for seed in (3, 4))
    pair, swapped = pair_of(left, right), pair_of(right, left)
    n = min(pair.n_left, pair.n_right)
    ids, chance = np.arange(n), np.linspace(0.3, 1, n).astype(np.float32)
    one, other = (
        table_of(own, LikelyPairs(links_of(own, ids, ids), chance)) for own in (pair, swapped)
    )
    np.testing.assert_allclose(one, other.T, atol=1e-5)


def test_without_links_facts_say_nothing() -> None:
    pair = pair_of(random_facts(N_ENTITIES, 40, 1), random_facts(N_ENTITIES, 40, 2))
    assert (table_of(pair, LikelyPairs.none()) == 1).all()


# ------------------------------------------------------------------- a world of three offices

OFFICES = ("rare", "common", "other")


def office_facts(prefix: str, *extra: Fact) -> list[Fact]:
    """Ten people; two held the rare office, all of them the common one; one seeks another."""
    facts: list[Fact] = [
        (f"{prefix}{i}", "held", f"{prefix}common", "1900", "1900") for i in range(10)
    ]
    facts += [(f"{prefix}{i}", "held", f"{prefix}rare", str(1910 + i), None) for i in range(2)]
    return [*facts, (f"{prefix}9", "sought", f"{prefix}other", None, None), *extra]


def office_table(*, chance: float = 1.0, right: tuple[Fact, ...] = ()) -> tuple[Floats, Pair]:
    """Offices and six people are linked; of the others likelihood has to tell."""
    facts = office_facts("a"), office_facts("b", *right)
    pair = pair_of(*facts)
    linked = [*OFFICES, *(str(i) for i in range(2, 8))]
    pairs = sure(pair, {f"a{name}": f"b{name}" for name in linked}, *facts)
    pairs = LikelyPairs(pairs.links, (pairs.chance * chance).astype(np.float32))
    graphs = [graph_of_frame(fact_frame(*own)) for own in facts]
    rows, columns = ([graph.entity_ids[f"{p}{i}"] for i in (0, 1, 8)] for p, graph in
                     zip("ab", graphs, strict=True))  # fmt: skip
    return table_of(pair, pairs)[np.ix_(rows, columns)], pair


def test_a_rare_neighbour_and_its_time_speak_for_a_pair_and_a_missing_one_against_it() -> None:
    table, _ = office_table()
    assert table[0, 0] > table[0, 1] > table[0, 2]  # another year; no such office
    assert table[2, 2] > table[2, 0]  # the right one has an office too many
    assert table[0, 2] < table[2, 2]


def test_what_is_less_likely_counts_less() -> None:
    certain, doubtful = (office_table(chance=chance)[0] for chance in (1.0, 0.3))
    spread = [float(table[0, 0] - table[0, 2]) for table in (certain, doubtful)]
    assert spread[0] > spread[1] > 0


def test_an_incomplete_relation_says_little_where_it_is_missing() -> None:
    """Of four linked entities with an award, one or all have it on the right side too."""
    people: list[Fact] = [(f"p{i}", "in", f"town{i}", None, None) for i in range(5)]
    awards: list[Fact] = [(f"p{i}", "won", f"award{i}", None, None) for i in range(5)]
    names = {*(f"p{i}" for i in range(4)), *(fact[2] for fact in [*people, *awards])}

    def unawarded(n_awarded: int) -> float:
        others: list[Fact] = [("other", "won", fact[2], None, None) for fact in awards[n_awarded:]]
        facts = [*people, *awards], [*people, *awards[:n_awarded], *others]
        pair = pair_of(*facts)
        table = table_of(pair, sure(pair, {name: name for name in sorted(names)}, *facts))
        left, right = (graph_of_frame(fact_frame(*own)).entity_ids["p4"] for own in facts)
        return float(table[left, right])

    assert unawarded(4) < unawarded(1) - 0.01


def test_the_best_pairs_are_each_others_likeliest() -> None:
    links = Links(
        LeftIds(np.array([0, 0, 1, 2], np.int32)), RightIds(np.array([0, 1, 1, 2], np.int32))
    )
    chance = np.array([0.4, 0.6, 0.7, 0.2], np.float32)
    best = NodePairs(links.left, links.right, chance).best(PLAIN)
    pairs = set(zip(best.left.tolist(), best.right.tolist(), strict=True))
    assert pairs == {(1, 1), (2, 2)}
