"""Decoys: made-up right entities that nothing can match.

A decoy has as many facts as the right entity it is made from, of the same relations, but each with
the other end of one fact and the time of another fact of that relation. So a decoy is as well
connected, as rare and as well dated as a right entity; only what its facts say together is nobody's
life. How often decoys win against right entities tells how often right entities win by chance.

Facts of decoys are known to decoys alone: no right entity has a decoy for a neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.graph.facts import Facts, Graph
from lighttea.types import Bools, Ints, RightIds


@dataclass(frozen=True)
class Decoys:
    """Made-up entities and their facts; the head of each is the number of a decoy."""

    source: RightIds  # the right entity that each decoy is made from, rising
    per_source: float  # decoys for each entity that could have had one
    forward: Facts  # facts of which a decoy is the head
    backward: Facts  # facts of which a decoy is the tail: its number stands for the head here

    def __len__(self) -> int:
        return len(self.source)


def draw_decoys(
    graph: Graph,
    entities: RightIds,
    n_decoys: int,
    rng: np.random.Generator,
    *,
    by_literals: bool = False,
) -> Decoys:
    """Return decoys made from some of the entities, at most so many.

    An entity without facts has no decoy, nor has one whose facts cannot be mixed up because their
    relations hold nowhere else; with `by_literals` these have one if they have literals.
    """
    facts = graph.facts
    forward = _mix(facts, rng)
    turned = Facts(facts.tail, facts.relation, facts.head, facts.begin, facts.end)
    backward = _mix(turned, rng)
    changed = np.zeros(len(graph.entities), bool)
    for mixed, original in ((forward, facts), (backward, turned)):
        changed[mixed.head[_differs(mixed, original)]] = True
    if by_literals:
        changed[graph.attributes.entity] = True
    possible = entities[changed[entities]]
    n_drawn = min(n_decoys, len(possible))
    source = np.sort(rng.choice(possible, n_drawn, replace=False)).astype(np.int32)
    return Decoys(
        RightIds(source),
        n_drawn / max(1, len(possible)),
        *(_of_decoys(mixed, source, len(changed)) for mixed in (forward, backward)),
    )


def _mix(facts: Facts, rng: np.random.Generator) -> Facts:
    """Return the facts with tails, and times, each exchanged among facts of the same relation."""
    tails, times = (_exchange_within(facts.relation, rng) for _ in range(2))
    return Facts(
        facts.head, facts.relation, facts.tail[tails], facts.begin[times], facts.end[times]
    )


def _exchange_within(groups: Ints, rng: np.random.Generator) -> Ints:
    """Return a random permutation that leaves every place within its group."""
    shuffled = rng.permutation(len(groups))
    places = np.empty(len(groups), np.int64)
    places[np.argsort(groups, kind="stable")] = shuffled[
        np.argsort(groups[shuffled], kind="stable")
    ]
    return places


def _differs(mixed: Facts, original: Facts) -> Bools:
    """Return which facts have another tail or another time than before."""
    other_time = (mixed.begin != original.begin) | (mixed.end != original.end)
    return np.asarray(other_time | (mixed.tail != original.tail))


def _of_decoys(facts: Facts, source: Ints, n_entities: int) -> Facts:
    """Return the facts of the entities that decoys are made from, under the decoys' numbers."""
    number = np.full(n_entities, -1, np.int32)
    number[source] = np.arange(len(source), dtype=np.int32)
    kept = facts.take(np.flatnonzero(number[facts.head] >= 0))
    return Facts(number[kept.head], kept.relation, kept.tail, kept.begin, kept.end)
