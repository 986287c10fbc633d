"""How much likelier the facts of two entities are if they are one than by chance.

A neighbour that both entities have speaks for them as far as few others have it by such relations
and at such times, and as sure as the neighbour's own link is. A neighbour that one of them alone
has speaks against them as far as its relation is complete on the other side. What relations hold
together (one may lie within the other), how complete they are and how often times agree is
estimated from the links so far, in both directions. All of it are log-odds, which add up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Generic, cast

import numpy as np

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.ops import Ops
from lighttea.engines.tables import FactTables
from lighttea.evidence.likelihood_model import (
    LikelihoodModel,
    LikelyPairs,
    RarityTable,
    estimate_likelihood,
)
from lighttea.graph.pair import Pair
from lighttea.types import A, LeftIds, NumpyArray, RightIds

UNIT = 30.0  # log-odds that count as much as a similarity of one, and at most against a couple
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

    def weigh(self, pairs: LikelyPairs, index: Blocks[A]) -> Blocks[A]:
        """Return how likely the facts make each candidate, at least 0, (n, k) by left block."""
        engine = self._engine
        model = engine.run(estimate_likelihood, self._facts, engine.hold(pairs))
        return engine.map(likelihood_table, self._facts, model, *self._nodes, index)


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
