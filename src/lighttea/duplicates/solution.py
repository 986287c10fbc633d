"""Duplicate pairs as the solution of a graph aligned with itself, for the tables of a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lighttea.assign.decode import PlainBest, ScoredCandidates
from lighttea.assign.fdr import false_discovery_rates
from lighttea.config import Config
from lighttea.duplicates.find import DuplicatePairs
from lighttea.evidence.likelihood_model import LikelyPairs
from lighttea.graph.pair import Links
from lighttea.solve.solution import Solution, matched_relations
from lighttea.solve.workspace import Workspace
from lighttea.types import A, Doubles, Ints, LeftIds, RightIds

SUREST = 0.999  # chance above which no pair but a given one is
_NO_TERMS = ("relational", "temporal", "time")


def lowest_chance(found: DuplicatePairs, config: Config) -> float:
    """Return the chance from which a pair is a link by these settings."""
    falling = -np.sort(-found.chance[found.chance >= config.min_confidence].astype(np.float32))
    kept = falling[false_discovery_rates(falling) <= config.max_fdr]
    if len(kept) == len(falling):
        return min(config.min_confidence, SUREST)
    return float(kept[-1]) if len(kept) else SUREST


def as_solution(
    work: Workspace[A], found: DuplicatePairs, least: float, names: Sequence[str]
) -> Solution:
    """Return the pairs from this chance on as links, and all of them as candidates both ways.

    A link has the entity on the left whose name comes first.
    """
    pairs, known = found.pairs, work.problem.known
    sure = np.flatnonzero(found.chance >= least)
    one, other = pairs.one[sure], pairs.other[sure]
    swapped = np.array([names[a] > names[b] for a, b in zip(one, other, strict=True)], bool)
    row, place = np.where(swapped, other, one), np.where(swapped, one, other)
    matches = PlainBest(
        row=row,
        place=place,
        score=pairs.score[sure].astype(np.float32),
        value=found.chance[sure].astype(np.float32),
        confidence=found.chance[sure].astype(np.float32),
        margin=_margins(found)[sure].astype(np.float32),
    )
    links = Links(LeftIds(row.astype(np.int32)), RightIds(place.astype(np.int32)))
    return Solution(
        matches,
        links,
        false_discovery_rates(matches.confidence),
        _both_ways(found),
        matched_relations(work.problem, known),
        known,
        likely_pairs=LikelyPairs.none(),
        records=[_record(found)],
        competition=found.competition,
        literals=work.literals,
    )


def _both_ways(found: DuplicatePairs) -> ScoredCandidates:
    """Return every pair as a candidate of either entity, the likeliest first."""
    pairs = found.pairs
    row, place = np.concatenate([[pairs.one, pairs.other], [pairs.other, pairs.one]], axis=1)
    chance = np.tile(found.chance, 2).astype(np.float32)
    score = np.tile(pairs.score, 2).astype(np.float32)
    order = np.lexsort([-score, -chance, row])
    row, place, chance, score = row[order], place[order], chance[order], score[order]
    nothing = np.zeros(len(row), np.float32)
    return ScoredCandidates(
        row=row,
        place=place,
        rank=_count_within(row) + 1,
        terms={**dict.fromkeys(_NO_TERMS, nothing), "consensus": score, "contradiction": nothing},
        score=score,
        confidence=chance,
    )


def _count_within(rising: Ints) -> Ints:
    """Return 0, 1, 2 ... within each run of equal numbers."""
    first = np.searchsorted(rising, rising)
    return (np.arange(len(rising)) - first).astype(np.int32)


def _margins(found: DuplicatePairs) -> Doubles:
    """Return how far each pair is ahead of the likeliest other pair of either entity."""
    pairs, n_pairs = found.pairs, len(found.pairs)
    entity = np.concatenate([pairs.one, pairs.other])
    chance, pair = np.tile(found.chance, 2), np.tile(np.arange(n_pairs), 2)
    order = np.lexsort([-chance, entity])
    rank = np.empty(len(entity), np.int64)
    rank[order] = _count_within(entity[order])
    n = int(entity.max(initial=-1)) + 1
    best, second = np.zeros(n), np.zeros(n)
    best[entity[rank == 0]], second[entity[rank == 1]] = chance[rank == 0], chance[rank == 1]
    rival = np.where(rank == 0, second[entity], best[entity])
    most = np.zeros(n_pairs)
    np.maximum.at(most, pair, rival)
    return np.asarray(found.chance - most)


def _record(found: DuplicatePairs) -> dict[str, object]:
    """Return what a run's record says of the one pass: consensus alone makes scores."""
    pairs = found.pairs
    return {
        "seeds": 0,
        "left_with_candidates": len(np.unique(np.concatenate([pairs.one, pairs.other]))),
        "promoted": 0,
        "sinkhorn_marginal_gap": 0.0,
        "settings": {"consensus": 1.0, "beta": 0.0},
    }
