"""What links say of neighbours, relations and times, for the likelihood of facts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from lighttea.graph.pair import Links, Pair, starts_of_runs
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import Bools, Doubles, Floats, Ints, Nodes

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
    unseen: float  # what stands for `couple_log` where no couple of linked entities has both


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
        unseen=float(np.log(_PRIOR * _UNSEEN)),
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
        return np.asarray(np.bincount(self.relation, self.weight, self.facts.n_relations), float)

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
        return np.asarray(np.log(np.stack([share, 1 - share], axis=1)), np.float32)


def _ticks_of(facts: RarityTable, known: Ints) -> tuple[Ints, Ints]:
    """Return places in a list of facts, one for each of their ticks, and the tick."""
    count = facts.tick_start[known + 1] - facts.tick_start[known]
    place = np.repeat(np.arange(len(known)), count)
    later = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
    return place, facts.tick[facts.tick_start[known[place]] + later]
