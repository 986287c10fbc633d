"""Consensus and suggestions against an obvious version made of Python sets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from lighttea.config import make_config
from lighttea.evidence import consensus as consensus_module
from lighttea.evidence.consensus import NONE, Evidence
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.evidence.tokens import KINDS, packed, token_sets, used_kinds, years_of
from lighttea.graph.pair import Links, Pair
from lighttea.graph.timeline import Grain
from lighttea.io.frames import graph_of_frame
from lighttea.types import LeftIds, RightIds
from tests.worlds import World, fact_frame, make_hard_world, renamed


@pytest.fixture(scope="module")
def world() -> World:
    return make_hard_world()


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


@pytest.fixture(scope="module")
def links(world: World) -> Links:
    some = (world.seeds + world.truth)[:150]
    return Links(
        LeftIds(np.array([world.left.entity_ids[a] for a, _ in some], np.int32)),
        RightIds(np.array([world.right.entity_ids[b] for _, b in some], np.int32)),
    )


def slow_rows(pair: Pair, time: str) -> Iterator[tuple[int, int, int, int]]:
    """head, relation, tail and time of every fact, as a kind sees it; -1 for unknown."""
    years = years_of(pair.ticks).tolist()
    if time == "during":
        spans = pair.spans
        for place in range(len(spans)):
            head, relation, tail = spans.head[place], spans.relation[place], spans.tail[place]
            for year in range(years[spans.begin[place]], years[spans.end[place]] + 1):
                yield int(head), int(relation), int(tail), 9999 + year
        return
    facts = (column.tolist() for column in (pair.head, pair.relation, pair.tail, pair.tick))
    for head, relation, tail, tick in zip(*facts, strict=True):
        if tick < 0:
            yield head, relation, tail, -1
        elif time == "near":
            assert pair.ticks.grain[tick] == Grain.YEAR  # in this world
            yield head, relation, tail, 9999 + years[tick]
            yield head, relation, tail, 9999 + years[tick] + 1
        else:
            yield head, relation, tail, 9999 + years[tick] if time == "year" else tick


def slow_tokens(pair: Pair, links: Links, kind: Any) -> list[set[tuple[int, ...]]]:
    """The tokens of each node."""
    partner = dict(
        zip(pair.right_nodes(links.right).tolist(), links.left.tolist(), strict=True)
    ) | {int(n): int(n) for n in links.left}
    nodes = pair.left_nodes(links.left), pair.right_nodes(links.right)
    classes = match_relations(pair, LinkedNodes.of(pair, *nodes)).classes()
    tokens: list[set[tuple[int, ...]]] = [set() for _ in range(pair.n_nodes)]
    for head, relation, tail, time in slow_rows(pair, kind.time):
        token: list[int] = []
        if kind.neighbour:
            token.append(partner.get(tail, -1))
        if kind.relation:
            token.append(int(classes[relation]))
        if kind.time:
            token.append(time)
        if min(token) >= 0:
            tokens[head].add(tuple(token))
    return tokens


def slow_cosines(
    pair: Pair, links: Links, config: Any, *, neighbours: bool | None = None
) -> np.ndarray[Any, Any]:
    """(n_left, n_right): the weighted mean over kinds of the cosine."""
    out = np.zeros((pair.n_left, pair.n_right))
    kinds: Any = used_kinds(config, has_time=pair.has_time).values()
    kinds = [kind for kind in kinds if neighbours in (None, kind.neighbour)]
    sets = [(kind, slow_tokens(pair, links, kind)) for kind in kinds]
    sets = [(kind, tokens) for kind, tokens in sets if any(tokens)]
    for kind, tokens in sets:
        holders = Counter(token for held in tokens for token in held)
        weight = {t: math.log(pair.n_nodes / n) ** 2 for t, n in holders.items()}
        total = [sum(weight[t] for t in held) for held in tokens]
        for i in range(pair.n_left):
            for j in range(pair.n_right):
                shared = tokens[i] & tokens[pair.n_left + j]
                if shared:
                    cosine = sum(weight[t] for t in shared)
                    cosine /= math.sqrt(total[i] * total[pair.n_left + j])
                    out[i, j] += kind.weight * cosine
    return np.asarray(out / sum(kind.weight for kind, _ in sets))


@pytest.mark.parametrize(
    "options",
    [{}, {"joint_evidence": False}, {"relation_evidence": False}, {"time_evidence": False}],
)
def test_consensus_and_suggestions_are_the_slow_ones(
    pair: Pair, links: Links, options: dict[str, Any]
) -> None:
    config = make_config("best", **options)
    expected = slow_cosines(pair, links, config)
    evidence = Evidence(pair, links, config)
    index = np.tile(np.arange(pair.n_right, dtype=np.int32), (pair.n_left, 1))
    index[:, 3] = NONE
    found = evidence.consensus(pair.all_left, pair.all_right, index)
    expected_there = expected.copy()
    expected_there[:, 3] = 0
    assert np.allclose(found, expected_there, atol=1e-5)
    assert 0.5 < found.max() <= 1 + 1e-5
    expected = slow_cosines(pair, links, config, neighbours=True)
    suggested = evidence.suggested(pair.all_left, pair.all_right, 7, neighbours=True)
    for row, near in enumerate(suggested):
        places = near[near != NONE]
        assert len(set(places.tolist())) == len(places) == min(7, (expected[row] > 0).sum())
        ordered = np.sort(expected[row])[::-1][: len(places)]
        assert np.allclose(np.sort(expected[row, places])[::-1], ordered, atol=1e-5)


def test_what_many_have_suggests_nobody(
    pair: Pair, links: Links, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consensus_module, "MOST_HOLDERS", 0)
    evidence = Evidence(pair, links, make_config("best"))
    for neighbours in (True, False):
        found = evidence.suggested(pair.all_left, pair.all_right, 5, neighbours=neighbours)
        assert (found == NONE).all()


def test_true_pairs_have_more_consensus_than_others(world: World, pair: Pair, links: Links) -> None:
    """A constant or a random score would fail: the counterpart is the best of all for most."""
    evidence = Evidence(pair, links, make_config("best"))
    rest = (world.seeds + world.truth)[150:]
    left = np.array([world.left.entity_ids[a] for a, _ in rest], np.int32)
    gold = np.array([world.right.entity_ids[b] for _, b in rest])
    index = np.tile(np.arange(pair.n_right, dtype=np.int32), (len(left), 1))
    found = evidence.consensus(LeftIds(left), pair.all_right, index)
    assert (found.argmax(axis=1) == gold).mean() > 0.8


def test_without_time_no_kind_looks_at_it() -> None:
    kinds = used_kinds(make_config("best"), has_time=False)
    assert list(kinds) == ["neighbour", "neighbour, relation"]
    assert used_kinds(make_config("best"), has_time=True) == dict(KINDS)


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
        for kind, tokens in token_sets(pair, links, make_config("best", relation_evidence=False)):
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


def test_numbers_too_large_to_pack_are_still_told_apart() -> None:
    rng = np.random.default_rng(0)
    parts = [rng.integers(0, 1 << 31, 400) for _ in range(3)]
    parts = [np.concatenate([part, part[:100]]) for part in parts]
    key = packed(*parts)
    rows = list(zip(*(part.tolist() for part in parts), strict=True))
    assert len(set(key.tolist())) == len(set(rows)) == 400
    assert key[:100].tolist() == key[400:].tolist()


def test_what_everybody_has_tells_nothing() -> None:
    """Its weight is zero; it must not suggest anybody, again and again."""
    facts = [(f"e{i}", "r", f"e{(i + 1) % 40}", "2001", "") for i in range(40)]
    graphs = [graph_of_frame(fact_frame(*rows)) for rows in (facts, renamed(facts))]
    pair = Pair.of(*graphs)
    evidence = Evidence(pair, Links.none(), make_config("best"))
    found = evidence.suggested(pair.all_left, pair.all_right, 10, neighbours=False)
    assert (found == NONE).all()
