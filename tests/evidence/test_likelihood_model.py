"""What links say of relations, neighbours and times, against loops over single facts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np
import pytest

from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.likelihood_model import (
    _SHARES,
    _USUAL,
    LikelyPairs,
    RarityTable,
    estimate_likelihood,
)
from lighttea.graph.pair import Links, Pair
from lighttea.io.frames import graph_of_frame
from lighttea.types import Ints, LeftIds, RightIds
from tests.worlds import fact_frame, random_facts

N_ENTITIES = 12
Fact = tuple[int, int, int]  # head, tail, relation


class Linked(NamedTuple):
    """Facts between linked entities, by the couple of left entities that they are about."""

    left: dict[Fact, tuple[int, int]]
    right: dict[Fact, tuple[int, int]]
    weight: dict[tuple[int, int], float]  # of a couple: how likely both links are right


def random_pair(random_seed: int, *, timed: bool) -> Pair:
    graphs = (
        graph_of_frame(fact_frame(*random_facts(N_ENTITIES, 60, random_seed + n, timed=timed)))
        for n in (0, 1)
    )
    return Pair.of(*graphs)


def random_links(pair: Pair, n: int, random_seed: int) -> LikelyPairs:
    """Links of `n` entities to one another, some of them likelier than others."""
    rng = np.random.default_rng(random_seed)
    left, right = (rng.permutation(size)[:n] for size in (pair.n_left, pair.n_right))
    links = Links(LeftIds(left.astype(np.int32)), RightIds(right.astype(np.int32)))
    return LikelyPairs(links, rng.choice(np.array([0.25, 0.5, 1.0], np.float32), n))


def ticks_of(pair: Pair) -> dict[Fact, set[int]]:
    """The ticks of each distinct fact, in order; facts of an entity with itself say nothing."""
    columns = (c.tolist() for c in (pair.head, pair.tail, pair.relation, pair.tick))
    ticks: defaultdict[Fact, set[int]] = defaultdict(set)
    for head, tail, relation, tick in zip(*columns, strict=True):
        if head != tail:
            ticks[head, tail, relation] |= {tick} - {-1}
    return dict(sorted(ticks.items()))


def linked_facts(pair: Pair, pairs: LikelyPairs) -> Linked:
    name, chance = {}, {}
    columns = (c.tolist() for c in (pairs.links.left, pairs.links.right, pairs.chance))
    for left, right, value in zip(*columns, strict=True):
        name[left] = name[pair.n_left + right] = left
        chance[left] = value
    found = Linked({}, {}, {})
    for head, tail, relation in ticks_of(pair):
        if head in name and tail in name:
            couple = name[head], name[tail]
            side = found.left if head < pair.n_left else found.right
            side[head, tail, relation] = couple
            found.weight[couple] = chance[couple[0]] * chance[couple[1]]
    return found


def counts_of(linked: Linked) -> Counter[int]:
    """The facts of each relation, as likely as they are."""
    counts: Counter[int] = Counter()
    for side in (linked.left, linked.right):
        for (_, _, relation), couple in side.items():
            counts[relation] += linked.weight[couple]  # type: ignore[assignment]
    return counts


def slow_completeness(linked: Linked) -> dict[int, float]:
    """The share of a relation's facts whose couple the other side has; few are like its side."""
    shares, counts = {}, counts_of(linked)
    for own, other in ((linked.left, linked.right), (linked.right, linked.left)):
        total = sum(linked.weight[couple] for couple in own.values())
        is_found = {fact: couple in other.values() for fact, couple in own.items()}
        usual = sum(linked.weight[own[f]] for f, found in is_found.items() if found)
        for relation in {fact[2] for fact in own}:
            n_found = sum(
                linked.weight[own[f]] for f, found in is_found.items() if found and f[2] == relation
            )
            share = (n_found + _USUAL * usual / max(total, 1)) / (counts[relation] + _USUAL)
            shares[relation] = min(share, 0.999)
    return shares


def slow_times(pair: Pair, linked: Linked) -> dict[int, float]:
    """The share of a left relation's facts with a tick in common, where both sides know one."""
    ticks = ticks_of(pair)
    told: Counter[int] = Counter()
    agreed: Counter[int] = Counter()
    for fact, couple in linked.left.items():
        theirs = [ticks[other] for other, about in linked.right.items() if about == couple]
        if ticks[fact] and any(theirs):
            told[fact[2]] += 1
            agreed[fact[2]] += bool(ticks[fact] & set().union(*theirs))
    usual = (agreed.total() + 1) / (told.total() + 2)
    shares = {r: (agreed[r] + _USUAL * usual) / (told[r] + _USUAL) for r in range(pair.n_relations)}
    return {r: min(max(share, _SHARES[0]), _SHARES[1]) for r, share in shares.items()}


def facts_of(table: RarityTable[Ints]) -> list[Fact]:
    columns = (column.tolist() for column in (table.head, table.tail, table.relation))
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("random_seed", [1, 2])
def test_rarities_count_the_entities_of_a_side(random_seed: int, timed: bool) -> None:
    pair = random_pair(random_seed, timed=timed)
    table, ticks = RarityTable.of(PLAIN, pair), ticks_of(pair)
    assert facts_of(table) == list(ticks)
    heads = [fact[0] for fact in ticks]
    assert table.start.tolist() == np.searchsorted(heads, np.arange(pair.n_nodes + 1)).tolist()
    holders = Counter((relation, tail) for _, tail, relation in ticks)
    at_tick = Counter((r, tail, tick) for (_, tail, r), held in ticks.items() for tick in held)
    for n, ((head, tail, relation), held) in enumerate(ticks.items()):
        n_side = pair.n_left if head < pair.n_left else pair.n_right
        assert table.rarity[n] == pytest.approx(
            math.log(n_side / holders[relation, tail]), abs=1e-6
        )
        own = slice(*table.tick_start[n : n + 2].tolist())
        assert set(table.tick[own].tolist()) == held
        for tick, rarity in zip(table.tick[own], table.tick_rarity[own], strict=True):
            expected = math.log(holders[relation, tail] / at_tick[relation, tail, int(tick)])
            assert rarity == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n_links", [0, 4, 9])
@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("random_seed", [1, 2, 3])
def test_the_model_is_that_of_loops_over_facts(random_seed: int, timed: bool, n_links: int) -> None:
    pair = random_pair(random_seed, timed=timed)
    pairs = random_links(pair, n_links, random_seed)
    model = estimate_likelihood(PLAIN, RarityTable.of(PLAIN, pair), pairs)
    linked = linked_facts(pair, pairs)
    chance = dict(zip(pairs.links.left.tolist(), pairs.chance.tolist(), strict=True))
    right = dict(zip((pair.n_left + pairs.links.right).tolist(), pairs.chance, strict=True))
    complete, times = slow_completeness(linked), slow_times(pair, linked)
    for (_, tail, relation), missing in zip(ticks_of(pair), model.missing, strict=True):
        share = float({**chance, **right}.get(tail, 0.0)) * complete.get(relation, 0.0)
        assert missing == pytest.approx(math.log1p(-share), abs=1e-5)
    for relation, share in times.items():
        expected = [math.log(share), math.log(1 - share)]
        assert model.time_log[relation].tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("random_seed", [1, 2, 3])
def test_couples_of_relations_count_couples_of_entities_once(random_seed: int) -> None:
    """What is added so that no logarithm is of nothing is told by the model itself."""
    pair = random_pair(random_seed, timed=True)
    pairs = random_links(pair, 9, random_seed)
    model = estimate_likelihood(PLAIN, RarityTable.of(PLAIN, pair), pairs)
    linked = linked_facts(pair, pairs)
    both: defaultdict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    for (_, _, one), couple in linked.left.items():
        for (_, _, other), about in linked.right.items():
            if about == couple:
                both[one, other].add(couple)
    assert both
    starts = model.couple_start.tolist()
    rows = np.repeat(np.arange(pair.n_relations), np.diff(starts)).tolist()
    couples = list(zip(rows, model.couple_relation.tolist(), strict=True))
    assert couples == sorted(both)
    for couple, value in zip(couples, model.couple_log.tolist(), strict=True):
        expected = sum(linked.weight[about] for about in both[couple])
        assert math.exp(value) - math.exp(model.unseen) == pytest.approx(expected, rel=1e-4)
    counts = counts_of(linked)
    held = np.exp(-2 * model.relation_log.astype(np.float64))
    expected_counts = np.array([counts[r] for r in range(pair.n_relations)], np.float64)
    np.testing.assert_allclose(
        held - held.min(), expected_counts - expected_counts.min(), rtol=1e-4
    )
