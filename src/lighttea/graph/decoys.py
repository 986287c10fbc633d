"""Decoys: made-up right entities that nothing can match.

A decoy has as many facts as the right entity it is made from, of the same relations, but each with
the other end of one fact and the time of another fact of that relation. So a decoy is as well
connected, as rare and as well dated as a right entity; only what its facts say together is nobody's
life. How often decoys win against right entities tells how often right entities win by chance.

All is drawn by keys of names and facts. So a fact more in the graph changes the decoys of the
entities that it tells of, and hardly any other.

Facts of decoys are known to decoys alone: no right entity has a decoy for a neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.graph.facts import Facts, Graph
from lighttea.graph.keys import Keys, draw_number, mix_keys
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
    facts, keys = graph.facts, graph.fact_keys()
    forward = _mix(facts, keys, rng)
    turned = Facts(facts.tail, facts.relation, facts.head, facts.begin, facts.end)
    backward = _mix(turned, keys, rng)
    changed = np.zeros(len(graph.entities), bool)
    for mixed, original in ((forward, facts), (backward, turned)):
        changed[mixed.head[_differs(mixed, original)]] = True
    if by_literals:
        changed[graph.attributes.entity] = True
    possible = entities[changed[entities]]
    n_drawn = min(n_decoys, len(possible))
    lot = mix_keys(graph.entity_keys[possible], draw_number(rng))
    source = np.sort(possible[np.argsort(lot, kind="stable")[:n_drawn]]).astype(np.int32)
    return Decoys(
        RightIds(source),
        n_drawn / max(1, len(possible)),
        *(_of_decoys(mixed, source, len(changed)) for mixed in (forward, backward)),
    )


def _mix(facts: Facts, keys: Keys, rng: np.random.Generator) -> Facts:
    """Return the facts with tails, and times, each of another fact of the same relation."""
    tails, times = (draw_within(facts.relation, keys, rng) for _ in range(2))
    return Facts(
        facts.head, facts.relation, facts.tail[tails], facts.begin[times], facts.end[times]
    )


def draw_within(groups: Ints, keys: Keys, rng: np.random.Generator) -> Ints:
    """Return for each place one of the places of its group, at random by their keys.

    The places of a group lie on a ring, each at a random point, and each draws at another random
    point: what it gets is the next place on the ring. One place more changes one draw or two.
    """
    n_bits = int(groups.max(initial=0)).bit_length() + 1  # a group is a stretch of all numbers
    first = groups.astype(np.uint64) << np.uint64(64 - n_bits)
    given, drawn = (
        first + (mix_keys(keys, draw_number(rng)) >> np.uint64(n_bits)) for _ in range(2)
    )
    ring, asking = (np.argsort(points) for points in (given, drawn))  # equal ones say the same
    following = np.empty(len(groups), np.int64)
    following[asking] = np.searchsorted(given[ring], drawn[asking])
    ends = np.cumsum(np.bincount(groups))
    begins = ends - np.bincount(groups)
    following = np.where(following == ends[groups], begins[groups], following)
    return np.asarray(ring[following])


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
