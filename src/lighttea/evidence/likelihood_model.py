"""What links say of neighbours, relations and times, for the likelihood of facts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np

from lighttea.engines.ops import Ops
from lighttea.graph.pair import Links, Pair
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import A, Floats

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


@dataclass(frozen=True)
class RarityTable(Generic[A]):
    """The distinct facts of both graphs, sorted by head and tail, and how rare they are.

    The rarity of a fact is the logarithm of a side's entities over those with the same relation to
    the same tail; that of its ticks is the logarithm of these over those with the tick too.
    """

    start: A  # (n_nodes + 1,)
    head: A
    tail: A
    relation: A
    rarity: A
    tick_start: A  # (n_facts + 1,)
    tick: A
    tick_rarity: A
    n_left: int
    n_relations: int
    n_ticks: int

    @classmethod
    def of(cls, ops: Ops[A], pair: Pair) -> RarityTable[A]:
        """Return the facts of a pair; one of an entity with itself tells nothing."""
        columns = [
            ops.asarray(column) for column in (pair.head, pair.relation, pair.tail, pair.tick)
        ]
        told = ops.nonzero(~ops.equal(columns[0], columns[2]))
        head, relation, tail, tick = (column[told] for column in columns)
        is_fact = _begins_fact(ops, head, tail, relation)
        fact, timed = ops.cumsum(ops.astype(is_fact, "int64")) - 1, tick != UNKNOWN
        key = ops.astype(relation, "int64") * pair.n_nodes + tail
        holders = _holders(ops, key[is_fact], head[is_fact] < pair.n_entities)
        tick_key = key[timed] * (pair.n_ticks + 1) + tick[timed]
        tick_holders = _holders(ops, tick_key, head[timed] < pair.n_entities)
        head, relation, tail, fact = head[is_fact], relation[is_fact], tail[is_fact], fact[timed]
        entities = ops.where(head < pair.n_left, float(pair.n_left), float(pair.n_right))
        return cls(
            start=ops.searchsorted(head, ops.arange(pair.n_nodes + 1, "int32")),
            head=head,
            tail=tail,
            relation=relation,
            rarity=ops.astype(ops.log(entities / holders), "float32"),
            tick_start=ops.searchsorted(fact, ops.arange(len(head) + 1)),
            tick=tick[timed],
            tick_rarity=ops.astype(ops.log(holders[fact] / tick_holders), "float32"),
            n_left=pair.n_left,
            n_relations=pair.n_relations,
            n_ticks=pair.n_ticks,
        )


def _begins_fact(ops: Ops[A], *columns: A) -> A:
    """Return which rows of sorted facts differ from the row before; the first does."""
    begins = ops.full((len(columns[0]),), 1, "bool")
    if len(begins):
        begins[1:] = False
    for column in columns:
        begins[1:] |= column[1:] != column[:-1]
    return begins


def _holders(ops: Ops[A], key: A, counts: A) -> A:
    """Return how many rows that count have the same key, at least one, in double precision."""
    n_distinct, number = ops.number(key)
    held = ops.astype(ops.bincount(number[counts], n_distinct), "float64")
    holders: A = ops.clip(held, 1.0, float("inf"))[number]
    return holders


@dataclass(frozen=True)
class LikelihoodModel(Generic[A]):
    """What the links so far say of neighbours, relations and times."""

    pair_start: A  # (n_nodes + 1,) likely pairs, by the left node
    pair_right: A
    pair_chance: A
    missing: A  # (n_facts,) log-odds if the other side does not have the neighbour
    most: int  # facts of a left node, counted by the likely pairs of the neighbour, at most
    couple_start: A  # (n_relations + 1,) couples of relations, by the left one
    couple_relation: A  # rising for each left one
    couple_log: A  # logarithm of how many couples of linked entities have both
    relation_log: A  # (n_relations,) less half of that of those with this one
    time_log: A  # (n_relations, 2) of the share with a tick in common, and without
    unseen: float  # what stands for `couple_log` where no couple of linked entities has both


def estimate_likelihood(
    ops: Ops[A], facts: RarityTable[A], pairs: LikelyPairs
) -> LikelihoodModel[A]:
    """Return what these pairs say of neighbours, relations and times."""
    n_nodes, n_relations = len(facts.start) - 1, facts.n_relations
    known = NodePairs.of(ops, facts, pairs)
    order = ops.argsort(known.left * n_nodes + known.right)
    n_pairs = ops.bincount(known.left, n_nodes)
    chance = known.chance_of_nodes(ops, n_nodes)
    couples = _Couples.of(ops, facts, known.best(ops))
    linked = ops.clip(chance, 0.0, 1.0)[facts.tail]
    entries = ops.bincount(facts.head, n_nodes, ops.where(n_pairs > 0, n_pairs, 1)[facts.tail])
    row, column, in_both = couples.relations_in_both(ops)
    missing = ops.log1p(-linked * couples.completeness(ops)[facts.relation])
    return LikelihoodModel(
        pair_start=_starts(ops, n_pairs),
        pair_right=ops.astype(known.right[order], "int32"),
        pair_chance=known.chance[order],
        missing=ops.astype(missing, "float32"),
        most=int(max(1.0, float(ops.row_max(entries[None])[0, 0]))),
        couple_start=_starts(ops, ops.bincount(row, n_relations)),
        couple_relation=column,
        couple_log=ops.astype(ops.log(in_both + _PRIOR * _UNSEEN), "float32"),
        relation_log=ops.astype(-ops.log(couples.counts(ops) + _PRIOR) / 2, "float32"),
        time_log=couples.time_log(ops),
        unseen=float(np.log(_PRIOR * _UNSEEN)),
    )


@dataclass(frozen=True)
class NodePairs(Generic[A]):
    """Likely pairs as nodes."""

    left: A
    right: A
    chance: A

    @classmethod
    def of(cls, ops: Ops[A], facts: RarityTable[A], pairs: LikelyPairs) -> NodePairs[A]:
        """Return pairs of ids as pairs of nodes."""
        left, right = (ops.asarray(ids, "int64") for ids in (pairs.links.left, pairs.links.right))
        return cls(left, right + facts.n_left, ops.asarray(pairs.chance))

    def chance_of_nodes(self, ops: Ops[A], n_nodes: int) -> A:
        """Return the summed chances of each node, (n_nodes,)."""
        sides = (ops.bincount(ids, n_nodes, self.chance) for ids in (self.left, self.right))
        left, right = sides
        both: A = left + right
        return both

    def best(self, ops: Ops[A]) -> NodePairs[A]:
        """Return the pairs that are each other's likeliest, the first of equals."""
        order = ops.argsort(self.chance, falling=True)
        is_best = ops.full((len(order),), 1, "bool")
        for ids in (self.left, self.right):
            grouped = order[ops.argsort(ids[order])]
            is_first = ops.full((len(order),), 1, "bool")
            is_first[1:] = ids[grouped][1:] != ids[grouped][:-1]
            is_best[grouped] &= is_first
        return NodePairs(self.left[is_best], self.right[is_best], self.chance[is_best])


@dataclass(frozen=True)
class _Couples(Generic[A]):
    """Facts between linked entities, and the couple of linked entities each is about."""

    facts: RarityTable[A]
    known: A  # facts
    number: A  # (n_known,) of the couple
    n_couples: int
    weight: A  # (n_known,) how likely both links are right
    is_left: A  # (n_known,)

    @classmethod
    def of(cls, ops: Ops[A], facts: RarityTable[A], pairs: NodePairs[A]) -> _Couples[A]:
        n_nodes = len(facts.start) - 1
        name, chance = ops.full((n_nodes,), -1, "int64"), ops.full((n_nodes,), -1, "float64")
        for ids in (pairs.left, pairs.right):
            name[ids], chance[ids] = pairs.left, ops.astype(pairs.chance, "float64")
        known = ops.nonzero((name[facts.head] >= 0) & (name[facts.tail] >= 0))
        head, tail = facts.head[known], facts.tail[known]
        n_couples, number = ops.number(name[head] * n_nodes + name[tail])
        weight = chance[head] * chance[tail]
        return cls(facts, known, number, n_couples, weight, head < facts.n_left)

    @cached_property
    def relation(self) -> A:
        """Of each fact."""
        relation: A = self.facts.relation[self.known]
        return relation

    def counts(self, ops: Ops[A]) -> A:
        """Return how many facts each relation has, (n_relations,)."""
        return ops.bincount(self.relation, self.facts.n_relations, self.weight)

    def of_side(self, ops: Ops[A], facts: A) -> A:
        """Return which couples any of these facts is about."""
        there = ops.full((self.n_couples,), 0, "bool")
        there[self.number[facts]] = True
        return there

    def completeness(self, ops: Ops[A]) -> A:
        """Return for each relation the share of its facts whose couple the other side has too."""
        n_relations = self.facts.n_relations
        by_left, by_right = (self.of_side(ops, side)[self.number] for side in self.sides)
        found = self.weight * ops.where(self.is_left, by_right, by_left)
        usual = ops.full((n_relations,), 0.0, "float64")
        for side in self.sides:
            share = float(found[side].sum()) / max(float(self.weight[side].sum()), 1.0)
            usual[self.relation[side]] = share
        n_found = ops.bincount(self.relation, n_relations, found)
        share_found = (n_found + _USUAL * usual) / (self.counts(ops) + _USUAL)
        return ops.clip(share_found, 0.0, 0.999)

    @property
    def sides(self) -> tuple[A, A]:
        """Which facts are left ones, and which are right ones."""
        return self.is_left, ~self.is_left

    def relations_in_both(self, ops: Ops[A]) -> tuple[A, A, A]:
        """Return couples of a left and a right relation, rising, and how many couples have both."""
        left, right = ((self.number[side], self.relation[side]) for side in self.sides)
        weight = ops.full((self.n_couples,), 0.0, "float64")
        weight[self.number] = self.weight
        return ops.add_up_pairs(left, right, weight, self.facts.n_relations)

    def time_log(self, ops: Ops[A]) -> A:
        """Return logarithms of the shares with a tick in common, and without, by left relation.

        Of couples of linked entities where both sides know a time.
        """
        facts, n = self.facts, self.facts.n_relations
        timed = facts.tick_start[self.known + 1] > facts.tick_start[self.known]
        of_left, of_right = (self.of_side(ops, side & timed) for side in self.sides)
        told = self.is_left & timed & (of_left & of_right)[self.number]
        agrees = told & self._agrees(ops)
        n_told, n_agreed = (ops.bincount(self.relation[own], n) for own in (told, agrees))
        usual = (int(n_agreed.sum()) + 1) / (int(n_told.sum()) + 2)
        share = ops.clip((n_agreed + _USUAL * usual) / (n_told + _USUAL), *_SHARES)
        both = ops.concat([share[:, None], 1 - share[:, None]], 1)
        return ops.astype(ops.log(both), "float32")

    def _agrees(self, ops: Ops[A]) -> A:
        """Return which left facts have a tick in common with a right one about their couple."""
        facts = self.facts
        place, tick = _ticks_of(ops, facts, self.known)
        key = self.number[place] * (facts.n_ticks + 1) + tick
        is_left = self.is_left[place]
        agrees = ops.full((len(self.known),), 0, "bool")
        agrees[place[is_left][ops.isin(key[is_left], key[~is_left])]] = True
        return agrees


def _starts(ops: Ops[A], counts: A) -> A:
    """Return where lists of these lengths begin, laid end to end, and where the last ends."""
    return ops.concat([ops.arange(1) * 0, ops.cumsum(counts)])


def _ticks_of(ops: Ops[A], facts: RarityTable[A], known: A) -> tuple[A, A]:
    """Return places in a list of facts, one for each of their ticks, and the tick."""
    begin = facts.tick_start[known]
    count = facts.tick_start[known + 1] - begin
    place = ops.repeat(ops.arange(len(known)), count)
    later = ops.arange(len(place)) - (ops.cumsum(count) - count)[place]
    return place, facts.tick[begin[place] + later]
