"""Tokens of facts: which kinds there are, how times are seen, how rare tokens weigh."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest

from lighttea.config import make_config
from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.keys import pack_columns
from lighttea.evidence.degrees import TIMED, UNTIMED, degree_tokens
from lighttea.evidence.facts import TIMES, TimedFacts, facts_by_time, facts_of_head, units_of
from lighttea.evidence.tokens import (
    KINDS,
    fact_tokens,
    make_tokens,
    used_kinds,
    weigh_repeated,
)
from lighttea.graph.pair import Links, Pair
from lighttea.graph.timeline import Grain
from lighttea.io.frames import graph_of_frame
from lighttea.types import LeftIds, RightIds
from tests.worlds import World, fact_frame


def test_without_time_no_kind_looks_at_it() -> None:
    kinds = used_kinds(make_config("best"), has_time=False)
    assert list(kinds) == ["neighbour", "neighbour, relation"]
    assert used_kinds(make_config("best"), has_time=True) == dict(KINDS)


def test_a_kind_is_called_by_its_parts() -> None:
    for name, kind in KINDS.items():
        parts = name.split(", ")
        assert kind.neighbour == ("neighbour" in parts)
        assert kind.relation == ("relation" in parts)
        assert parts == [
            *["neighbour"] * kind.neighbour,
            *["relation"] * kind.relation,
            *[kind.time] * bool(kind.time),
        ]


def test_intervals_overlap_years_hold_their_days_and_near_misses_count() -> None:
    """One neighbour, one fact a side; what each kind of time says of the two."""

    def agreement(left: tuple[str, str], right: tuple[str, str]) -> dict[str, float]:
        graphs = [
            graph_of_frame(
                fact_frame(
                    (f"{side}a", "r", f"{side}b", *time), (f"{side}c", "r", f"{side}d", "1800", "")
                )
            )
            for side, time in (("l", left), ("r", right))
        ]
        pair = Pair.of(*graphs)
        at = [graph.entity_ids[f"{side}a"] for graph, side in zip(graphs, "lr", strict=True)]
        names = [graph.entity_ids[f"{side}b"] for graph, side in zip(graphs, "lr", strict=True)]
        links = Links(LeftIds(np.array(names[:1])), RightIds(np.array(names[1:])))
        found = {}
        facts = TimedFacts(PLAIN, pair, keeps=False)
        config = make_config("best", relation_evidence=False)
        for kind, tokens in fact_tokens(PLAIN, facts, links, config):
            if kind.neighbour and kind.time:
                nodes = at[0], pair.n_left + at[1]
                held = [
                    set(tokens.token[tokens.start[n] : tokens.start[n + 1]].tolist()) for n in nodes
                ]
                found[kind.time] = len(held[0] & held[1]) / max(1, len(held[0] | held[1]))
        return found

    same = agreement(("2001", ""), ("2001", ""))
    assert same["tick"] == same["year"] == same["near"] == 1
    holds = agreement(("2001", ""), ("2001-05-06", ""))
    assert holds["tick"] == 0
    assert holds["year"] == 1
    near = agreement(("2001", ""), ("2002", ""))
    assert near["tick"] == near["year"] == 0
    assert 0 < near["near"] < 1
    far = agreement(("2001", ""), ("2009", ""))
    assert not any(far.values())
    days = agreement(("2001-05-06", ""), ("2001-05-07", ""))
    assert days["tick"] == 0
    assert 0 < days["near"] < 1
    assert agreement(("2001-05-06", ""), ("2001-05-09", ""))["near"] == 0
    overlap = agreement(("2001", "2010"), ("2005", "2014"))
    assert overlap["tick"] == overlap["year"] == 0
    assert overlap["during"] == pytest.approx(6 / 14)
    assert agreement(("2001", "2004"), ("2005", "2014"))["during"] == 0


def test_units_of_unlike_times_never_meet_not_even_as_neighbours() -> None:
    """Years, months and days are counted through; a unit and the next one stand for a time."""
    times = ["1899", "2001", "2002", "1901-02", "2001-03", "1899-01-02", "2001-05-06"]
    graph = graph_of_frame(fact_frame(*((f"a{t}", "r", f"b{t}", t, t) for t in times)))
    units, grain = units_of(graph.instants), graph.instants.grain
    assert len(set(grain.tolist())) == 3
    near = [{int(u) + more for u in units[grain == g] for more in (0, 1)} for g in set(grain)]
    assert sum(map(len, near)) == len(set().union(*near))
    years = np.sort(units[grain == Grain.YEAR])
    assert np.diff(years).tolist() == [2001 - 1899, 1]
    assert units.min() >= 0


def test_numbers_too_large_to_pack_are_still_told_apart() -> None:
    rng = np.random.default_rng(0)
    parts = [rng.integers(0, 1 << 31, 400) for _ in range(3)]
    parts = [np.concatenate([part, part[:100]]) for part in parts]
    key = pack_columns(PLAIN, *parts)
    rows = list(zip(*(part.tolist() for part in parts), strict=True))
    assert len(set(key.tolist())) == len(set(rows)) == 400
    assert key[:100].tolist() == key[400:].tolist()


def test_a_token_weighs_the_more_the_fewer_nodes_have_it() -> None:
    """Tokens 5 and 9; node 1 has 5 twice, node 3 both, nodes 0 and 2 none."""
    node, key = np.array([1, 1, 3, 3], np.int32), np.array([5, 5, 9, 5])
    tokens = make_tokens(PLAIN, 4, node, key)
    held = [tokens.token[tokens.start[n] : tokens.start[n + 1]].tolist() for n in range(4)]
    common, rare = math.log(4 / 2) ** 2, math.log(4 / 1) ** 2
    assert [sorted(tokens.weight[own].tolist()) for own in held] == [
        [],
        [pytest.approx(common)],
        [],
        [pytest.approx(common), pytest.approx(rare)],
    ]
    lengths = [0, math.sqrt(common), 0, math.sqrt(common + rare)]
    assert np.allclose(tokens.length, lengths, atol=1e-6)


def test_decoys_have_tokens_and_change_no_weight() -> None:
    """Nodes 4 and 5 are decoys: token 5 has two holders, token 7 one, token 9 only a decoy."""
    node, key = np.array([0, 1, 1, 4, 4, 5], np.int32), np.array([5, 5, 7, 5, 7, 9])
    tokens = make_tokens(PLAIN, 6, node, key, n_decoys=2)
    common, rare = math.log(4 / 2) ** 2, math.log(4 / 1) ** 2
    squares = [common, common + rare, 0, 0, common + rare, rare]
    assert np.allclose(tokens.length**2, squares, atol=1e-6)
    held = [tokens.token[tokens.start[n] : tokens.start[n + 1]] for n in range(6)]
    assert np.allclose(tokens.weight[held[0]], [common])
    assert np.allclose(tokens.weight[held[5]], [rare])
    assert set(held[1].tolist()) == set(held[4].tolist())


def test_a_token_that_one_of_the_first_nodes_has_alone_weighs_nothing() -> None:
    """The first three nodes: token 5 is in two of them, token 7 in one and in two others."""
    node, key = np.array([0, 1, 2, 3, 4, 4], np.int32), np.array([5, 5, 7, 7, 5, 7])
    tokens = make_tokens(PLAIN, 5, node, key)
    kept = weigh_repeated(PLAIN, tokens, 3)
    five, seven = int(tokens.token[0]), int(tokens.token[2])
    assert kept.weight[five] == tokens.weight[five] > 0
    assert kept.weight[seven] == 0 < tokens.weight[seven]
    length = math.sqrt(kept.weight[five])
    assert np.allclose(kept.length, [length, length, 0, 0, length])


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


@pytest.mark.parametrize("time", ["", *TIMES])
def test_facts_are_sorted_by_head_and_found_by_it(pair: Pair, time: str) -> None:
    facts = facts_by_time(pair, time)
    assert len(facts.head) > 0
    assert (np.diff(facts.head) >= 0).all()
    for head in (0, 17, pair.n_nodes - 1):
        found, here = facts_of_head(facts, head), facts.head == head
        for name in ("head", "relation", "tail", "time"):
            assert np.array_equal(getattr(found, name), getattr(facts, name)[here])


@pytest.mark.parametrize("keeps", [True, False])
def test_facts_are_kept_where_that_is_asked_for(pair: Pair, keeps: bool) -> None:
    facts = TimedFacts(PLAIN, pair, keeps=keeps)
    for time in ("", *TIMES):
        first, again = facts.rows(time), facts.rows(time)
        assert (first is again) == keeps
        assert np.array_equal(first.time, facts_by_time(pair, time).time)


def test_degree_tokens_are_of_the_other_ends_degree(pair: Pair) -> None:
    """In half powers of two and the next one, with the tick or without."""
    degree = np.bincount(pair.head, minlength=pair.n_nodes)
    rows = list(zip(pair.head.tolist(), pair.tail.tolist(), pair.tick.tolist(), strict=True))
    for kind, tokens in degree_tokens(PLAIN, pair):
        expected: list[set[tuple[int, ...]]] = [set() for _ in range(pair.n_nodes)]
        for head, tail, tick in rows:
            size = math.floor(2 * math.log2(degree[tail]))
            assert tick >= 0  # in this world
            times = (tick,) if kind == TIMED else ()
            expected[head] |= {(*times, size), (*times, size + 1)}
        bounds = pairwise(tokens.start.tolist())
        held = [set(tokens.token[begin:end].tolist()) for begin, end in bounds]
        for one, other in combinations_with_replacement(range(pair.n_nodes), 2):
            assert len(held[one] & held[other]) == len(expected[one] & expected[other])
    assert [kind for kind, _ in degree_tokens(PLAIN, pair)] == [TIMED, UNTIMED]
