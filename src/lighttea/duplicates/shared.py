"""What it counts that two entities tell the same facts: same relation, neighbour and time.

Where hardly any fact of a relation is told of two entities, it is odd that two tell it; where most
are, as a match is told of all its players, it is nothing. A neighbour counts once, and a time
counts once: who meets on one day meets with others too.
"""

from __future__ import annotations

import numpy as np

from lighttea.duplicates.candidates import CandidatePairs
from lighttea.duplicates.facts import EntityFacts, shared_rows
from lighttea.graph.pair import starts_of_runs
from lighttea.types import Bools, Doubles, Ints

TOLD_TWICE = 0.3  # share of the facts of an entity that both of its ids tell
MIN_SUPPORT = 10  # different facts of a relation, from which it is told how many are shared
MOST = 4.0  # log-odds of one fact
BEYOND, FEWEST_STRANGERS = 2.0, 20  # log-odds from which the tail of strangers is measured


def weigh_shared_facts(facts: EntityFacts, pairs: CandidatePairs) -> Doubles:
    """Return what the facts that both entities of a pair tell count, as log-odds, at least 0."""
    told, weight = told_facts(facts)
    counts = weight > 0
    facts, told, weight = facts.take(counts), told[counts], weight[counts]
    pair, own = shared_rows(facts.entity, told, pairs.one, pairs.other)
    kept = _largest(pair, facts.neighbour[own], weight[own])
    pair, own = pair[kept], own[kept]
    unknown = -1 - np.arange(len(own))  # each counts for itself
    time = np.where(facts.begin[own] >= 0, facts.begin[own], unknown)
    kept = _largest(pair, time, weight[own])
    return np.bincount(pair[kept], weight[own[kept]], minlength=len(pairs)).astype(np.float64)


def trust_shared_facts(shared: Doubles, is_stranger: Bools) -> Doubles:
    """Return what shared facts count, less where strangers share many.

    Log-odds of chance fall off by a factor of e with each unit. Where those of strangers fall off
    more slowly, because facts come in bundles, as at a conference, all count so much less.
    """
    beyond = shared[is_stranger & (shared > BEYOND)] - BEYOND
    if len(beyond) < FEWEST_STRANGERS:
        return shared
    return np.asarray(shared / max(1.0, float(beyond.mean()) ** 2))


def told_facts(facts: EntityFacts) -> tuple[Ints, Doubles]:
    """Return a number for what each fact tells, whoever tells it, and what sharing it counts."""
    columns = np.stack([facts.relation, facts.neighbour, facts.begin, facts.end])
    order = np.lexsort(columns[::-1])
    starts = starts_of_runs(*columns[:, order])
    told = np.empty(len(facts), np.int64)
    told[order] = np.cumsum(starts) - 1
    holders = np.bincount(told)
    relation = facts.relation[order][starts]
    n_told = np.bincount(relation, minlength=facts.n_relations)
    n_shared = np.bincount(relation[holders > 1], minlength=facts.n_relations)
    rate = (n_shared + 0.5) / (n_told + 1)
    weight = np.log(TOLD_TWICE / rate[relation]) - np.log(np.maximum(holders - 1, 1))
    counts = (holders > 1) & (n_told[relation] >= MIN_SUPPORT)
    return told, np.where(counts, np.clip(weight, 0.0, MOST), 0.0)[told]


def _largest(pair: Ints, group: Ints, weight: Doubles) -> Ints:
    """Return the place with the largest weight of each pair and group."""
    order = np.lexsort([-weight, group, pair])
    return order[starts_of_runs(pair[order], group[order])]
