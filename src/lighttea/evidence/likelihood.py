"""How much likelier the facts of two entities are if they are one than by chance.

A neighbour that both entities have speaks for them as far as few others have it by such relations
and at such times, and as sure as the neighbour's own link is. A neighbour that one of them alone
has speaks against them as far as its relation is complete on the other side. What relations hold
together (one may lie within the other), how complete they are and how often times agree is
estimated from the links so far, in both directions. All of it are log-odds, which add up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np
import scipy.sparse as sp

from lighttea.engines.base import Blocks, Engine, Handle, Ops
from lighttea.graph.pair import Links, Pair, starts_of_runs
from lighttea.graph.timeline import UNKNOWN
from lighttea.kernels.likelihood import fact_log_odds
from lighttea.types import A, Bools, Doubles, Floats, Ints, LeftIds, Nodes, NumpyArray, RightIds

UNIT = 30.0  # log-odds that count as much as a similarity of one, and at most against a couple
LIKELY_PAIR = 0.05  # chance from which a pair counts
_PRIOR = 0.5  # couples of linked entities that are imagined for each relation
_UNSEEN = 1e-3  # of those, the ones where any other relation holds too
_USUAL = 5.0  # facts that count as usual before the facts of a relation are known
_SHARES = 0.02, 0.98  # of times in common that are believed


@dataclass(frozen=True)
class LikelyPairs:
    """Pairs of entities that may be one, and how likely; an entity may stand in several."""

    links: Links
    chance: Floats

    @classmethod
    def sure(cls, links: Links) -> LikelyPairs:
        """Return links that are taken for certain."""
        return cls(links, np.ones(len(links), np.float32))

    @classmethod
    def none(cls) -> LikelyPairs:
        """Return no pairs."""
        return cls.sure(Links.none())

    def extended(self, others: LikelyPairs) -> LikelyPairs:
        """Return these pairs, then the others."""
        chance = np.concatenate([self.chance, others.chance])
        return LikelyPairs(self.links.extended(others.links), chance)

    def best(self) -> LikelyPairs:
        """Return the pairs that are each other's likeliest, the first of equals."""
        order = np.argsort(-self.chance, kind="stable")
        firsts = [
            np.unique(ids[order], return_index=True)[1]
            for ids in (self.links.left, self.links.right)
        ]
        kept = order[np.intersect1d(*firsts)]
        return LikelyPairs(self.links.take(kept), self.chance[kept])


@dataclass(frozen=True)
class RarityTable:
    """The distinct facts of both graphs, sorted by head and tail, and how rare they are.

    The rarity of a fact is the logarithm of a side's entities over those with the same relation to
    the same tail; that of its ticks is the logarithm of these over those with the tick too.
    """

    start: Ints  # (n_nodes + 1,)
    head: Nodes
    tail: Nodes
    relation: Ints
    rarity: Floats
    tick_start: Ints  # (n_facts + 1,)
    tick: Ints
    tick_rarity: Floats
    n_left: int
    n_relations: int

    @classmethod
    def of(cls, pair: Pair) -> RarityTable:
        """Return the facts of a pair; one of an entity with itself tells nothing."""
        own = pair.head != pair.tail
        head, relation, tail, tick = (
            column[own] for column in (pair.head, pair.relation, pair.tail, pair.tick)
        )
        is_fact = starts_of_runs(head, tail, relation)
        fact = np.cumsum(is_fact) - 1
        timed = tick != UNKNOWN
        key = relation.astype(np.int64) * pair.n_nodes + tail
        holders = _holders(key[is_fact], head[is_fact] < pair.n_entities)
        tick_key = key[timed] * (pair.n_ticks + 1) + tick[timed]
        tick_holders = _holders(tick_key, head[timed] < pair.n_entities)
        entities = np.where(head[is_fact] < pair.n_left, pair.n_left, pair.n_right)
        head, relation, tail = head[is_fact], relation[is_fact], tail[is_fact]
        return cls(
            start=np.searchsorted(head, np.arange(pair.n_nodes + 1)),
            head=Nodes(head),
            tail=Nodes(tail),
            relation=relation,
            rarity=np.log(entities / holders).astype(np.float32),
            tick_start=np.searchsorted(fact[timed], np.arange(len(head) + 1)),
            tick=tick[timed],
            tick_rarity=np.log(holders[fact[timed]] / tick_holders).astype(np.float32),
            n_left=pair.n_left,
            n_relations=pair.n_relations,
        )


def _holders(key: Ints, counts: Bools) -> Ints:
    """Return how many rows that count have the same key, at least one."""
    _, number = np.unique(key, return_inverse=True)
    return np.maximum(np.bincount(number[counts], minlength=number.max(initial=0) + 1), 1)[number]


@dataclass(frozen=True)
class LikelihoodModel:
    """What the links so far say of neighbours, relations and times."""

    pair_start: Ints  # (n_nodes + 1,) likely pairs, by the left node
    pair_right: Nodes
    pair_chance: Floats
    missing: Floats  # (n_facts,) log-odds if the other side does not have the neighbour
    most: int  # facts of a left node, counted by the likely pairs of the neighbour, at most
    couple_start: Ints  # (n_relations + 1,) couples of relations, by the left one
    couple_relation: Ints  # rising for each left one
    couple_log: Floats  # logarithm of how many couples of linked entities have both
    relation_log: Floats  # (n_relations,) less half of that of those with this one
    time_log: Floats  # (n_relations, 2) of the share with a tick in common, and without

    @property
    def unseen(self) -> float:
        """What stands for `couple_log` where no couple of linked entities has both."""
        return float(np.log(_PRIOR * _UNSEEN))


def estimate_likelihood(facts: RarityTable, pairs: LikelyPairs) -> LikelihoodModel:
    """Return what these pairs say of neighbours, relations and times."""
    n_nodes = len(facts.start) - 1
    left, right = pairs.links.left, pairs.links.right + facts.n_left
    order = np.lexsort((right, left))
    n_pairs = np.bincount(left, minlength=n_nodes)
    chance = np.bincount(left, pairs.chance, n_nodes) + np.bincount(right, pairs.chance, n_nodes)
    couples = _Couples.of(facts, pairs.best())
    complete = couples.completeness()
    linked = np.minimum(chance, 1.0)[facts.tail]
    entries = np.bincount(facts.head, np.maximum(n_pairs[facts.tail], 1), n_nodes)
    in_both = couples.relations_in_both()
    return LikelihoodModel(
        pair_start=np.concatenate([[0], np.cumsum(n_pairs)]),
        pair_right=Nodes(right[order].astype(np.int32)),
        pair_chance=pairs.chance[order],
        missing=np.log1p(-linked * complete[facts.relation]).astype(np.float32),
        most=int(entries.max(initial=1)),
        couple_start=in_both.indptr.astype(np.int64),
        couple_relation=in_both.indices,
        couple_log=np.log(in_both.data + _PRIOR * _UNSEEN).astype(np.float32),
        relation_log=(-np.log(couples.counts + _PRIOR) / 2).astype(np.float32),
        time_log=couples.time_log(),
    )


@dataclass(frozen=True)
class _Couples:
    """Facts between linked entities, and the couple of linked entities each is about."""

    facts: RarityTable
    known: Ints  # facts
    number: Ints  # (n_known,) of the couple
    weight: Doubles  # (n_known,) how likely both links are right
    is_left: Bools  # (n_known,)

    @classmethod
    def of(cls, facts: RarityTable, pairs: LikelyPairs) -> _Couples:
        name, chance = np.full((2, len(facts.start) - 1), -1.0)
        for ids in (pairs.links.left, pairs.links.right + facts.n_left):
            name[ids], chance[ids] = pairs.links.left, pairs.chance
        known = np.flatnonzero((name[facts.head] >= 0) & (name[facts.tail] >= 0))
        head, tail = facts.head[known], facts.tail[known]
        key = name[head].astype(np.int64) * len(name) + name[tail].astype(np.int64)
        _, number = np.unique(key, return_inverse=True)
        return cls(facts, known, number, chance[head] * chance[tail], head < facts.n_left)

    @property
    def relation(self) -> Ints:
        """Of each fact."""
        return self.facts.relation[self.known]

    @cached_property
    def counts(self) -> Doubles:
        """How many facts each relation has, (n_relations,)."""
        return np.bincount(self.relation, self.weight, self.facts.n_relations)

    def of_side(self, facts: Bools) -> Bools:
        """Return which couples any of these facts is about."""
        there = np.zeros(int(self.number.max(initial=-1)) + 1, bool)
        there[self.number[facts]] = True
        return there

    def completeness(self) -> Doubles:
        """Return for each relation the share of its facts whose couple the other side has too."""
        by_left, by_right = (self.of_side(side)[self.number] for side in self.sides)
        found = self.weight * np.where(self.is_left, by_right, by_left)
        usual = np.zeros(self.facts.n_relations)
        for side in self.sides:
            share = found[side].sum() / max(self.weight[side].sum(), 1.0)
            usual[np.unique(self.relation[side])] = share
        n_found = np.bincount(self.relation, found, self.facts.n_relations)
        return np.asarray(np.minimum((n_found + _USUAL * usual) / (self.counts + _USUAL), 0.999))

    @property
    def sides(self) -> tuple[Bools, Bools]:
        """Which facts are left ones, and which are right ones."""
        return self.is_left, ~self.is_left

    def relations_in_both(self) -> sp.csr_array:
        """Return how many couples have a left and a right relation, (n_relations, n_relations)."""
        shape = int(self.number.max(initial=-1)) + 1, self.facts.n_relations
        left, right = (
            sp.csr_array((weight[side], (self.number[side], self.relation[side])), shape=shape)
            for side, weight in zip(
                self.sides, (self.weight, np.ones_like(self.weight)), strict=True
            )
        )
        both = sp.csr_array(left.T @ right)
        both.sort_indices()
        return both

    def time_log(self) -> Floats:
        """Return logarithms of the shares with a tick in common, and without, by left relation.

        Of couples of linked entities where both sides know a time.
        """
        facts, n = self.facts, self.facts.n_relations
        timed = facts.tick_start[self.known + 1] > facts.tick_start[self.known]
        by_both = np.logical_and(*(self.of_side(side & timed) for side in self.sides))
        place, tick = _ticks_of(facts, self.known)
        key = self.number[place].astype(np.int64) * (int(facts.tick.max(initial=0)) + 1) + tick
        is_left = self.is_left[place]
        agrees = np.zeros(len(self.known), bool)
        agrees[place[is_left][np.isin(key[is_left], key[~is_left])]] = True
        told = self.is_left & timed & by_both[self.number]
        n_told, n_agreed = (
            np.bincount(self.relation[own], minlength=n) for own in (told, told & agrees)
        )
        usual = (n_agreed.sum() + 1) / (n_told.sum() + 2)
        share = np.clip((n_agreed + _USUAL * usual) / (n_told + _USUAL), *_SHARES)
        return np.log(np.stack([share, 1 - share], axis=1)).astype(np.float32)


def _ticks_of(facts: RarityTable, known: Ints) -> tuple[Ints, Ints]:
    """Return places in a list of facts, one for each of their ticks, and the tick."""
    count = facts.tick_start[known + 1] - facts.tick_start[known]
    place = np.repeat(np.arange(len(known)), count)
    later = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
    return place, facts.tick[facts.tick_start[known[place]] + later]


class LikelihoodSource(Generic[A]):
    """The facts of a problem, ready to be weighed by any links."""

    def __init__(self, engine: Engine[A], pair: Pair, left: LeftIds, right: RightIds) -> None:
        self._engine, self._pair = engine, pair
        self._left_nodes, self._right_nodes = pair.left_nodes(left), pair.right_nodes(right)

    @cached_property
    def _facts(self) -> RarityTable:
        return RarityTable.of(self._pair)

    @cached_property
    def _held_facts(self) -> Handle[RarityTable]:
        return self._engine.hold(self._facts)

    @cached_property
    def _left(self) -> Blocks[Nodes]:
        engine = self._engine
        return Blocks(engine.hold(Nodes(self._left_nodes[rows])) for rows in engine.layout.left)

    def weigh(self, pairs: LikelyPairs, index: Blocks[A]) -> Blocks[A]:
        """Return how likely the facts make each candidate, at least 0, (n, k) by left block."""
        engine = self._engine
        model = engine.hold(estimate_likelihood(self._facts, pairs))
        right = engine.hold(self._right_nodes)
        return engine.map(likelihood_table, self._held_facts, model, self._left, right, index)


# ----------------------------------------------------------------------------- of one block


def likelihood_table(
    ops: Ops[A],
    facts: RarityTable,
    model: LikelihoodModel,
    left: NumpyArray,
    right: NumpyArray,
    index: A,
) -> A:
    """Return the likelihood of each candidate of a block, (n, k).

    In units, one where facts say nothing, and never below 0: a score is none of less.
    """
    places = ops.to_numpy(index)
    odds = np.zeros(places.shape)
    n_parts = max(1, min(ops.n_tasks, len(places)))
    couples = model.couple_start, model.couple_relation, model.couple_log
    fact_log_odds(
        *(facts.start, facts.tail, facts.relation, facts.rarity),
        *(facts.tick_start, facts.tick, facts.tick_rarity),
        *(model.pair_start, model.pair_right, model.pair_chance, model.missing, *couples),
        *(model.relation_log, model.time_log, model.unseen),
        *(left, right, places, model.most, n_parts, odds),
    )
    return ops.asarray(np.maximum(1 + odds / UNIT, 0).astype(np.float32))


# ----------------------------------------------------------------------------- of one couple


@dataclass(frozen=True)
class LikelihoodPart:
    """What one fact adds to the log-odds of two entities, beside the fact that matches it best."""

    fact: int  # of the table
    best: int  # -1 where the other side has none with a neighbour that may be the same
    log_odds: float


def likelihood_parts(
    facts: RarityTable, model: LikelihoodModel, left: int, right: int
) -> Iterator[LikelihoodPart]:
    """Yield what each fact of two nodes adds to their log-odds: a slow twin of the kernel."""
    own, others = (range(*facts.start[node : node + 2].tolist()) for node in (left, right))
    odds: dict[tuple[int, int], float] = {}
    for fact in own:
        pairs = slice(*model.pair_start[facts.tail[fact] : facts.tail[fact] + 2].tolist())
        chances = dict(zip(model.pair_right[pairs], model.pair_chance[pairs], strict=True))
        for other in others:
            chance = float(chances.get(facts.tail[other], 0.0))
            if chance:
                plain = min(_odds(facts, model, fact, other), 50.0)
                odds[fact, other] = float(np.log1p(chance * np.expm1(plain)))
    for side, facts_of_side in enumerate((own, others)):
        for fact in facts_of_side:
            couples = {key[1 - side]: value for key, value in odds.items() if key[side] == fact}
            if couples:
                best = max(couples, key=lambda other: couples[other])
                yield LikelihoodPart(fact, best, couples[best] / 2)
            elif model.missing[fact]:
                yield LikelihoodPart(fact, -1, float(model.missing[fact]))


def _odds(facts: RarityTable, model: LikelihoodModel, own: int, other: int) -> float:
    """Return the log-odds of two facts with the same neighbour."""
    here, there = facts.relation[own], facts.relation[other]
    row = slice(model.couple_start[here], model.couple_start[here + 1])
    shared = dict(zip(model.couple_relation[row], model.couple_log[row], strict=True))
    odds = float(shared.get(there, model.unseen))
    odds += float(model.relation_log[here]) + float(model.relation_log[there])
    odds += (float(facts.rarity[own]) + float(facts.rarity[other])) / 2
    ticks = [
        dict(zip(facts.tick[row].tolist(), facts.tick_rarity[row].tolist(), strict=True))
        for row in (slice(*facts.tick_start[fact : fact + 2]) for fact in (own, other))
    ]
    if odds <= 0 or not all(ticks):
        return odds
    common = ticks[0].keys() & ticks[1].keys()
    rarity = sum((ticks[0][tick] + ticks[1][tick]) / 2 for tick in common)
    return odds + (float(model.time_log[here, 0 if common else 1]) + rarity)
