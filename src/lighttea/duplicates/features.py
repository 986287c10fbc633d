"""What can be seen of a pair of entities whoever they are: how much they share, and with whom else.

No literal is among it but what scores hold: sources spell and err in ways no rehearsal knows.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

import numpy as np

from lighttea.duplicates.candidates import CandidatePairs
from lighttea.duplicates.facts import EntityFacts, shared_rows
from lighttea.duplicates.shared import told_facts, weigh_shared_facts
from lighttea.types import Doubles, Ints

T = TypeVar("T")
_TINY, _MOST_WEIGHT = 1e-6, 30.0
_MOST_GAP = 4.0  # log of a score by that of the best rival


class Features(NamedTuple, Generic[T]):
    """A thing for each feature, in their order: its column, or what it weighs."""

    score: T  # log
    gap: T  # log of the score by that of the best rival; the smaller of either entity's
    larger_gap: T
    rank: T  # log
    other_rank: T
    rarity: T  # of shared facts, log
    overlap: T  # shared facts by those of the entity with fewer
    smaller_overlap: T  # by those of the entity with more
    facts: T  # of the entity with fewer, log
    most_facts: T
    neighbour_rarity: T
    neighbour_overlap: T
    only_they: T  # facts that no third entity tells, log
    weight: T  # what shared facts count, log


def pair_features(facts: EntityFacts, pairs: CandidatePairs, places: Ints | None = None) -> Doubles:
    """Return what can be seen of each pair, or of some of them, (n_features, n_pairs).

    The others are the rivals of those at the places; nothing else is made of them.
    """
    gap, larger_gap = _sorted(*gaps_to_rivals(pairs))
    if places is not None:
        pairs, gap, larger_gap = pairs.take(places), gap[places], larger_gap[places]
    told, _ = told_facts(facts)
    n = int(facts.neighbour.max(initial=0)) + 1
    neighbours = np.divmod(np.unique(facts.entity * n + facts.neighbour), n)
    rarity, overlap, smaller, fewer, more, only = _shared(facts.entity, told, pairs)
    neighbour_rarity, neighbour_overlap, *_ = _shared(*neighbours, pairs)
    columns = Features(
        score=np.log(pairs.score + _TINY),
        gap=gap,
        larger_gap=larger_gap,
        rank=np.log(pairs.rank),
        other_rank=np.log(pairs.other_rank),
        rarity=rarity,
        overlap=overlap,
        smaller_overlap=smaller,
        facts=fewer,
        most_facts=more,
        neighbour_rarity=neighbour_rarity,
        neighbour_overlap=neighbour_overlap,
        only_they=only,
        weight=np.log1p(np.minimum(weigh_shared_facts(facts, pairs), _MOST_WEIGHT)),
    )
    return np.stack(columns)


def _sorted(one: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
    """Return the smaller and the larger of two numbers: no pair has a first and a second id."""
    return np.minimum(one, other), np.maximum(one, other)


def gaps_to_rivals(pairs: CandidatePairs) -> tuple[Doubles, Doubles]:
    """Return the log of each score by that of the best other candidate, for either entity."""
    one, other = (
        np.clip(np.log((pairs.score + _TINY) / (rival + _TINY)), -_MOST_GAP, _MOST_GAP)
        for rival in best_rivals(pairs)
    )
    return one, other


def best_rivals(pairs: CandidatePairs) -> tuple[Doubles, Doubles]:
    """Return the score of the best other candidate of each pair's entities; 0: there is none."""
    best, second = _two_best(pairs)
    one, other = (
        np.where(best[end] > pairs.score, best[end], second[end])
        for end in (pairs.one, pairs.other)
    )
    return one, other


def _two_best(pairs: CandidatePairs) -> tuple[Doubles, Doubles]:
    """Return the best and the second best score of each entity; 0 where there is none."""
    entity = np.concatenate([pairs.one, pairs.other])
    score = np.tile(pairs.score, 2)
    n = pairs.n_entities
    order = np.lexsort([-score, entity])
    place = np.searchsorted(entity[order], np.arange(n + 1))
    rows = np.append(score[order], [0.0, 0.0])
    has_one, has_two = place[1:] > place[:-1], place[1:] > place[:-1] + 1
    best = np.where(has_one, rows[place[:-1]], 0.0)
    return best, np.where(has_two, rows[place[:-1] + 1], 0.0)


def _shared(entity: Ints, item: Ints, pairs: CandidatePairs) -> tuple[Doubles, ...]:
    """Return how many items pairs share, by either's items, how rare, and how many only they have.

    The items of an entity are its facts, or its neighbours.
    """
    holders = np.bincount(item)
    place, row = shared_rows(entity, item, pairs.one, pairs.other)
    held_by = holders[item[row]]
    rarity = np.log(len(np.unique(entity)) / np.maximum(held_by - 1, 1))
    n = len(pairs)
    n_shared = np.bincount(place, minlength=n)
    n_items = np.bincount(entity, minlength=pairs.n_entities).astype(np.float64)
    fewer, more = _sorted(n_items[pairs.one], n_items[pairs.other])
    return (
        np.log1p(np.bincount(place, rarity, minlength=n)),
        n_shared / np.maximum(fewer, 1),
        n_shared / np.maximum(more, 1),
        np.log1p(fewer),
        np.log1p(more),
        np.log1p(np.bincount(place, held_by == 2, minlength=n)),
    )
