"""Relations that an entity has with one other at a time: one club, one office, one place of birth.

They are found in the data, never by name: hardly any entity has such a relation with two others on
the same day. Two entities that have it with different ones on the same day are hardly one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lighttea.duplicates.candidates import CandidatePairs
from lighttea.duplicates.difference import Difference
from lighttea.duplicates.facts import EntityFacts, rows_of
from lighttea.graph.facts import Graph
from lighttea.types import Bools, Doubles, Ints

MIN_SUPPORT = 10  # entities from which it is told that a relation is exclusive
MOST_AT_ONCE = 0.1  # share of them that have it with two others on one day, at most
MOST_FACTS = 20  # of one relation of an entity: a hub is not compared
DIVIDED, TOLD_TWICE = 0.5, 0.2  # share of facts of one entity that go to either half, or to both
_PAIRS = 100_000  # that are compared together


def exclusive_differences(
    graph: Graph, facts: EntityFacts, pairs: CandidatePairs
) -> Iterator[Difference]:
    """Yield in which exclusive relations pairs of entities can be compared, and differ."""
    facts = _without_hubs(facts)
    exclusive, rate = exclusive_relations(facts)
    facts = facts.take(exclusive[facts.relation])
    parts = [
        compare_relations(facts, pairs.one[rows], pairs.other[rows], rows.start)
        for begin in range(0, len(pairs), _PAIRS)
        for rows in [slice(begin, min(begin + _PAIRS, len(pairs)))]
    ]
    if not parts:
        return
    place, relation, times = (np.concatenate(column) for column in zip(*parts, strict=True))
    for number in np.unique(relation).tolist():
        own = relation == number
        usual = rate[number] * DIVIDED
        among_same = usual / (usual + (1 - rate[number]) * TOLD_TWICE)
        name = graph.relations[number // 4]
        yield Difference(f"relation {name}", place[own], times[own], among_same, speaks_for=False)


def exclusive_relations(facts: EntityFacts) -> tuple[Bools, Doubles]:
    """Return which relations are exclusive, and the share of entities for which they are not."""
    every = np.unique(facts.entity)
    _, relation, times = compare_relations(facts, every, every)
    known = np.bincount(relation, minlength=facts.n_relations)
    twice = np.bincount(relation[times > 0], minlength=facts.n_relations)
    rate = (twice + 1) / (known + 2)
    return (known >= MIN_SUPPORT) & (rate <= MOST_AT_ONCE), rate


def compare_relations(
    facts: EntityFacts, one: Ints, other: Ints, first: int = 0
) -> tuple[Ints, Ints, Ints]:
    """Return pairs, counted from `first`, and relations that both have on a common day.

    And how often they have it with different others on such a day.
    """
    n = max(1, facts.n_relations)
    key = facts.entity * n + facts.relation
    pair, own = rows_of(facts.entity, one)
    place, others = rows_of(key, other[pair] * n + facts.relation[own])
    pair, own = pair[place], own[place]
    is_common = (facts.low[own] < facts.high[others]) & (facts.low[others] < facts.high[own])
    pair, own, others = pair[is_common], own[is_common], others[is_common]
    distinct, row = np.unique(pair * n + facts.relation[own], return_inverse=True)
    is_different = facts.neighbour[own] != facts.neighbour[others]
    times = np.bincount(row[is_different], minlength=len(distinct))
    return distinct // n + first, distinct % n, times


def _without_hubs(facts: EntityFacts) -> EntityFacts:
    """Return the facts of entities that have few of one relation, on days that are known."""
    key = facts.entity * max(1, facts.n_relations) + facts.relation
    _, group, count = np.unique(key, return_inverse=True, return_counts=True)
    return facts.take((count[group] <= MOST_FACTS) & (facts.low < facts.high))
