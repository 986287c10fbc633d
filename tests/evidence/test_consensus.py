"""Consensus and suggestions against an obvious version made of Python sets."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from lighttea.config import make_config
from lighttea.evidence import consensus as consensus_module
from lighttea.evidence.consensus import NONE, Evidence, merged
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.evidence.tokens import KINDS, used_kinds, years_of
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.types import LeftIds, RightIds
from tests.worlds import World, make_hard_world


@pytest.fixture(scope="module")
def world() -> World:
    return make_hard_world()


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


@pytest.fixture(scope="module")
def links(world: World) -> SeedLinks:
    some = (world.seeds + world.truth)[:150]
    return SeedLinks(
        LeftIds(np.array([world.left.entity_ids[a] for a, _ in some], np.int32)),
        RightIds(np.array([world.right.entity_ids[b] for _, b in some], np.int32)),
    )


def slow_tokens(pair: Pair, links: SeedLinks, kind: Any) -> list[set[tuple[int, ...]]]:
    """The tokens of each node."""
    partner = dict(
        zip(pair.right_nodes(links.right).tolist(), links.left.tolist(), strict=True)
    ) | {int(n): int(n) for n in links.left}
    nodes = pair.left_nodes(links.left), pair.right_nodes(links.right)
    classes = match_relations(pair, LinkedNodes.of(pair, *nodes)).classes()
    years = years_of(pair.ticks)
    tokens: list[set[tuple[int, ...]]] = [set() for _ in range(pair.n_nodes)]
    for head, relation, tail, tick in zip(
        pair.head.tolist(),
        pair.relation.tolist(),
        pair.tail.tolist(),
        pair.tick.tolist(),
        strict=True,
    ):
        token: list[int] = []
        if kind.neighbour:
            token.append(partner.get(tail, -1))
        if kind.relation:
            token.append(int(classes[relation]))
        if kind.time:
            token.append(
                -1 if tick < 0 else (tick if kind.time == "tick" else 9999 + int(years[tick]))
            )
        if min(token) >= 0:
            tokens[head].add(tuple(token))
    return tokens


def slow_cosines(pair: Pair, links: SeedLinks, config: Any) -> np.ndarray[Any, Any]:
    """(n_left, n_right): the weighted mean over kinds of the cosine."""
    out = np.zeros((pair.n_left, pair.n_right))
    kinds = used_kinds(config, has_time=pair.has_time).values()
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
    return out / sum(kind.weight for kind, _ in sets)


@pytest.mark.parametrize(
    "options",
    [{}, {"joint_evidence": False}, {"relation_evidence": False}, {"time_evidence": False}],
)
def test_consensus_and_suggestions_are_the_slow_ones(
    pair: Pair, links: SeedLinks, options: dict[str, Any]
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
    suggested = evidence.suggested(pair.all_left, pair.all_right, 7)
    for row, near in enumerate(suggested):
        places = near[near != NONE]
        assert len(set(places.tolist())) == len(places) == min(7, (expected[row] > 0).sum())
        ordered = np.sort(expected[row])[::-1][: len(places)]
        assert np.allclose(np.sort(expected[row, places])[::-1], ordered, atol=1e-5)


def test_what_many_have_suggests_nobody(
    pair: Pair, links: SeedLinks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consensus_module, "MOST_HOLDERS", 0)
    evidence = Evidence(pair, links, make_config("best"))
    assert (evidence.suggested(pair.all_left, pair.all_right, 5) == NONE).all()


def test_true_pairs_have_more_consensus_than_others(
    world: World, pair: Pair, links: SeedLinks
) -> None:
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


def test_merged_has_every_candidate_once() -> None:
    rng = np.random.default_rng(0)
    one = rng.integers(-1, 9, (50, 4)).astype(np.int32)
    other = rng.integers(-1, 9, (50, 3)).astype(np.int32)
    both = merged(one, other)
    for a, b, c in zip(one, other, both, strict=True):
        here = c[c != NONE].tolist()
        assert len(here) == len(set(here))
        assert set(here) == {*a.tolist(), *b.tolist()} - {NONE}
    assert both.shape[1] == max((row != NONE).sum() for row in both)
    assert (merged(np.full((2, 3), NONE), np.full((2, 2), NONE)) == NONE).all()
