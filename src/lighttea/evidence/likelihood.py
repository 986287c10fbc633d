"""How much likelier the facts of two entities are if they are one than by chance.

A neighbour that both entities have speaks for them as far as few others have it by such relations
and at such times, and as sure as the neighbour's own link is. A neighbour that one of them alone
has speaks against them as far as its relation is complete on the other side. What relations hold
together (one may lie within the other), how complete they are and how often times agree is
estimated from the links so far, in both directions. All of it are log-odds, which add up.

Where facts alone speak, neighbours that may be the same are also half of consensus: the share of
the facts of both entities with such a neighbour, whatever the relation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Generic, cast

import numpy as np

from lighttea.engines.base import Blocks, Engine, FactTables, Handle, Ops, few_rows
from lighttea.evidence.likelihood_model import (
    LikelihoodModel,
    LikelyPairs,
    RarityTable,
    estimate_likelihood,
)
from lighttea.graph.pair import Pair
from lighttea.types import A, LeftIds, NumpyArray, RightIds

UNIT = 30.0  # log-odds that count as much as a similarity of one, and at most against a couple
TINY = 1e-4  # log-odds this small add up as the chances that they are multiplied by
PlainRarities = RarityTable[NumpyArray]
PlainModel = LikelihoodModel[NumpyArray]


class LikelihoodSource(Generic[A]):
    """The facts of a problem, ready to be weighed by any links."""

    def __init__(self, engine: Engine[A], pair: Pair, left: LeftIds, right: RightIds) -> None:
        self._engine, self._pair = engine, pair
        self._left_nodes, self._right_nodes = pair.left_nodes(left), pair.right_nodes(right)

    @cached_property
    def _facts(self) -> Handle[RarityTable[A]]:
        return self._engine.run(RarityTable.of, self._engine.hold(self._pair))

    @cached_property
    def _nodes(self) -> tuple[Blocks[A], Handle[A]]:
        """The left nodes of each block, and the right ones."""
        engine = self._engine
        left = Blocks(self._place(self._left_nodes[rows]) for rows in engine.layout.left)
        return left, self._place(self._right_nodes)

    def _place(self, nodes: NumpyArray) -> Handle[A]:
        return cast(Handle[A], self._engine.place(self._engine.hold(nodes)))

    def learn(self, pairs: LikelyPairs) -> Handle[LikelihoodModel[A]]:
        """Return what these pairs say of neighbours, relations and times."""
        engine = self._engine
        return engine.run(estimate_likelihood, self._facts, engine.hold(pairs))

    def weigh(self, model: Handle[LikelihoodModel[A]], index: Blocks[A]) -> Blocks[A]:
        """Return how likely the facts make each candidate, at least 0, (n, k) by left block."""
        return self._engine.map(likelihood_table, self._facts, model, *self._nodes, index)

    def add_neighbours(
        self, consensus: Blocks[A], model: Handle[LikelihoodModel[A]], index: Blocks[A]
    ) -> Blocks[A]:
        """Return the mean of consensus and how many neighbours may be the same, by left block."""
        engine = self._engine
        tables = engine.run(neighbour_tables, self._facts, model)
        total = engine.run(neighbour_weights, self._facts)
        return engine.map(mean_with_neighbours, consensus, tables, total, *self._nodes, index)


# ----------------------------------------------------------------------------- of one block


def likelihood_table(
    ops: Ops[A],
    facts: RarityTable[A],
    model: LikelihoodModel[A],
    left: A,
    right: A,
    index: A,
) -> A:
    """Return the likelihood of each candidate of a block, (n, k).

    In units, one where facts say nothing, and never below 0: a score is none of less.
    """
    odds = ops.fact_log_odds(fact_tables(facts, model), left, right, index)
    return ops.clip(1 + odds / UNIT, 0.0, np.inf)


def fact_tables(facts: RarityTable[A], model: LikelihoodModel[A]) -> FactTables[A]:
    """Return facts and what links say of them, as engines read them."""
    columns = vars(facts) | vars(model)
    return FactTables(**{own.name: columns[own.name] for own in fields(FactTables)})


def neighbour_tables(
    ops: Ops[A], facts: RarityTable[A], model: LikelihoodModel[A]
) -> FactTables[A]:
    """Return tables that tell neighbours alone, not relations."""
    return fact_tables(*neighbours_alone(facts, model))


def neighbours_alone(
    facts: RarityTable[A], model: LikelihoodModel[A]
) -> tuple[RarityTable[A], LikelihoodModel[A]]:
    """Return facts whose log-odds are their weight times `TINY`, and a model that adds nothing."""
    silent = {name: getattr(model, name) * 0 for name in ("missing", "couple_log", "relation_log")}
    return replace(facts, rarity=TINY * weights_of_facts(facts)), replace(
        model, unseen=0.0, **silent
    )


def weights_of_facts(facts: RarityTable[A]) -> A:
    """Return what each fact counts: the squared logarithm of entities over holders, as a token."""
    weights: A = facts.rarity * facts.rarity
    return weights


def neighbour_weights(ops: Ops[A], facts: RarityTable[A]) -> A:
    """Return the summed weights of the facts of each node, (n_nodes,)."""
    return ops.bincount(facts.head, len(facts.start) - 1, weights_of_facts(facts))


def mean_with_neighbours(
    ops: Ops[A],
    consensus: A,
    tables: FactTables[A],
    total: A,
    left: A,
    right: A,
    index: A,
) -> A:
    """Return the mean of the consensus of a block and the share of neighbours in common, (n, k).

    A neighbour that is the same by a chance counts as much as that.
    """
    out = ops.fact_log_odds(tables, left, right, index)
    for rows in few_rows(ops, len(out)):
        place = ops.where(index[rows] >= 0, index[rows], 0)
        both = TINY * (total[left[rows]][:, None] + total[right[place]]) / 2
        share = ops.clip(out[rows] / ops.clip(both, 1e-9, np.inf), 0.0, 1.0)
        out[rows] = ops.astype((consensus[rows] + share) / 2, "float32")
    return out


# ----------------------------------------------------------------------------- of one couple


@dataclass(frozen=True)
class LikelihoodPart:
    """What one fact adds to the log-odds of two entities, beside the fact that matches it best."""

    fact: int  # of the table
    best: int  # -1 where the other side has none with a neighbour that may be the same
    log_odds: float


def likelihood_parts(
    facts: PlainRarities, model: PlainModel, left: int, right: int
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


def _odds(facts: PlainRarities, model: PlainModel, own: int, other: int) -> float:
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
    return odds + float(model.time_log[here, 0 if common else 1]) + float(rarity)
