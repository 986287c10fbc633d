"""The table of contents: one round of LightTEA, in the paper's order, and what goes beyond it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from lighttea.assign.decode import best_candidates, one_to_one
from lighttea.assign.sinkhorn import Assignment, assign, without_assignment
from lighttea.config import Config
from lighttea.evidence.consensus import Evidence, merged
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.views import Views
from lighttea.plan import Blocks
from lighttea.propagate.evened import evened_labels
from lighttea.propagate.labels import Labels, aspect_weights, two_aspect_labels
from lighttea.similarity.search import Recall, search
from lighttea.similarity.settled import Settled, score_again
from lighttea.similarity.time import with_temporal_constraint
from lighttea.similarity.topk import Candidates, Found
from lighttea.stages import Watch
from lighttea.types import LeftIds, RightIds

LIKELY = 0.5  # value after assignment from which a pair counts as a link while a round goes on


@dataclass(frozen=True)
class Round:
    """What one round found, and what it hands to the next.

    Only the last round keeps its labels: they are the largest thing in memory.
    """

    labels: Labels | None
    candidates: Candidates
    assignment: Assignment
    recall: Recall | None = None  # of an approximate search
    n_seeds: int = 0
    settled: Settled = field(default_factory=Settled.nobody)
    promoted: SeedLinks = field(default_factory=SeedLinks.none)
    next_seeds: SeedLinks = field(default_factory=SeedLinks.none)
    evidence: SeedLinks = field(default_factory=SeedLinks.none)  # links that consensus was made of

    def without_labels(self, settled: Settled) -> Round:
        """The same round for the next one to go on from."""
        return replace(self, labels=None, settled=settled)


def one_round(
    pair: Pair,
    views: Views,
    seeds: SeedLinks,
    left: LeftIds,
    right: RightIds,
    *,
    known: SeedLinks,
    config: Config,
    rng: np.random.Generator,
    watch: Watch,
    blocks: Blocks,
    settled: Settled,
) -> Round:
    """Labels, candidates, assignment. The settled do not search again, they choose again.

    `seeds` are the `known` ones and the pairs that earlier rounds added.
    """
    with watch.stage("propagate"):  # eq. 1-7 and the last hop
        labels = two_aspect_labels(
            views, pair, seeds, left, right, config, rng, compact=blocks.compact
        )
        if config.evened:
            weights = aspect_weights(config)
            labels = evened_labels(labels, weights, config.dim, rng, compact=blocks.compact)
    with watch.stage("search"):  # S^l
        found, recall = search(
            labels.left,
            labels.right,
            config.top_k,
            how=config.search,
            asks=np.setdiff1d(np.arange(len(left)), settled.rows),
            rng=rng,
            left_rows=blocks.left_rows,
            right_rows=blocks.right_rows,
        )
        score_again(found, settled, labels.left, labels.right)
    candidates = scored(pair, views, labels, left, right, found, seeds, config, watch)
    assignment = assigned(candidates, config, watch)
    links = seeds
    for _ in range(config.passes - 1 if config.consensus else 0):
        links = links_so_far(known, candidates, assignment)
        candidates = scored(pair, views, labels, left, right, found, links, config, watch)
        assignment = assigned(candidates, config, watch)
    return Round(labels, candidates, assignment, recall, evidence=links)


def scored(
    pair: Pair,
    views: Views,
    labels: Labels,
    left: LeftIds,
    right: RightIds,
    found: Found,
    links: SeedLinks,
    config: Config,
    watch: Watch,
) -> Candidates:
    """S': labels, times and, beyond the paper, what the links so far say, on the candidates."""
    evidence = None
    if config.consensus:
        with watch.stage("consensus"):
            evidence = Evidence(pair, links, config)
            if config.suggestions:
                more = evidence.suggested(left, right, config.suggestions)
                index = merged(found.index, more)
                label = labels.left.dots(labels.right, np.arange(len(left)), index)
                found = Found(index, label)
    candidates = Candidates.of(left, right, found)
    with watch.stage("time_similarity"):  # eq. 8-9
        candidates = with_temporal_constraint(
            candidates, views.tick_counts, pair, config.time_weight
        )
    if evidence is None:
        return candidates
    with watch.stage("consensus"):
        consensus = evidence.consensus(left, right, candidates.index)
        return candidates.with_consensus(consensus, config.consensus)


def assigned(candidates: Candidates, config: Config, watch: Watch) -> Assignment:
    """The value of each candidate when nobody is taken twice (eq. 10-12)."""
    with watch.stage("sinkhorn"):
        if not config.sinkhorn:
            return without_assignment(candidates)
        return assign(candidates, temperature=config.temperature, iterations=config.iterations)


def links_so_far(known: SeedLinks, candidates: Candidates, assignment: Assignment) -> SeedLinks:
    """The seeds and the best candidates that got more than half of an entity's value."""
    best = best_candidates(candidates, assignment)
    likely = one_to_one(best.take(np.flatnonzero(best.value > LIKELY)))
    return known.and_also(likely.left, likely.right)
