"""The table of contents: one round of LightTEA, in the paper's order, and what goes beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lighttea.assign.confidence import confidence, noise_scale
from lighttea.assign.decode import best_candidates, one_to_one
from lighttea.assign.sinkhorn import Assignment, assign, without_assignment
from lighttea.config import Config
from lighttea.evidence.consensus import Evidence
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.views import Views
from lighttea.plan import Blocks
from lighttea.propagate.evened import evened_labels
from lighttea.propagate.labels import Labels, aspect_weights, two_aspect_labels
from lighttea.similarity.allowed import Allowed
from lighttea.similarity.search import Recall, search
from lighttea.similarity.settled import Settled, score_again
from lighttea.similarity.sources import BEFORE, BY_LABEL, BY_NEIGHBOURS, BY_TIMES, merged
from lighttea.similarity.time import time_similarity
from lighttea.similarity.topk import Candidates, Found
from lighttea.similarity.weights import chosen_weights
from lighttea.stages import Watch
from lighttea.types import Ints, LeftIds, RightIds

LIKELY = 0.2  # confidence from which a pair counts as a link while a round goes on
SHARPNESS = 0.6  # a chosen temperature, in scales at which wrong scores fall off


@dataclass(frozen=True)
class Job:
    """What stays the same from round to round."""

    pair: Pair
    views: Views
    left: LeftIds  # who asks
    right: RightIds  # who may answer
    known: SeedLinks
    blocks: Blocks
    watch: Watch
    allowed: Allowed | None = None  # who may be a candidate of whom, where that is laid down
    names: Sequence[tuple[Kind, Tokens]] = ()  # what entities are called, where that counts


@dataclass(frozen=True)
class Round:
    """What one round found, and what it hands to the next.

    Only the last round keeps its labels: they are the largest thing in memory. `settings` are
    those it used: the data choose some of them.
    """

    labels: Labels | None
    candidates: Candidates
    assignment: Assignment
    settings: Config
    recall: Recall | None = None  # of an approximate search
    n_seeds: int = 0
    settled: Settled = field(default_factory=Settled.nobody)
    promoted: SeedLinks = field(default_factory=SeedLinks.none)
    promoted_estimate: float | None = None  # how many of them are right, as far as can be told
    next_seeds: SeedLinks = field(default_factory=SeedLinks.none)
    following: Config | None = None  # the settings that the next round begins with
    evidence: SeedLinks = field(default_factory=SeedLinks.none)  # links that consensus was made of

    def without_labels(self, settled: Settled, following: Config) -> Round:
        """The same round for the next one to go on from."""
        return replace(self, labels=None, settled=settled, following=following)


def one_round(
    job: Job, seeds: SeedLinks, config: Config, rng: np.random.Generator, settled: Settled
) -> Round:
    """Labels, candidates, assignment. The settled do not search again, they choose again.

    `seeds` are the known ones and the pairs that earlier rounds added.
    """
    watch, blocks = job.watch, job.blocks
    with watch.stage("propagate"):  # eq. 1-7 and the last hop
        labels = two_aspect_labels(
            job.views, job.pair, seeds, job.left, job.right, config, rng, compact=blocks.compact
        )
        if config.evened:
            weights = aspect_weights(config)
            labels = evened_labels(labels, weights, 2 * config.dim, rng, compact=blocks.compact)
    with watch.stage("search"):  # S^l
        found, recall = search(
            labels.left,
            labels.right,
            config.top_k,
            how=config.search,
            asks=np.setdiff1d(np.arange(len(job.left)), () if config.rebuild else settled.rows),
            rng=rng,
            left_rows=blocks.left_rows,
            right_rows=blocks.right_rows,
        )
        if not config.rebuild:
            score_again(found, settled, labels.left, labels.right)
    before = settled if config.rebuild else Settled.nobody()
    candidates, config = scored(job, labels, found, before, seeds, config)
    assignment, config = assigned(candidates, config, watch)
    links = seeds
    for _ in range(config.passes - 1 if config.consensus else 0):
        links = links_so_far(job.known, candidates, assignment)
        candidates, config = scored(job, labels, found, before, links, config)
        assignment, config = assigned(candidates, config, watch)
    return Round(labels, candidates, assignment, config, recall, evidence=links)


def scored(
    job: Job, labels: Labels, found: Found, before: Settled, links: SeedLinks, config: Config
) -> tuple[Candidates, Config]:
    """S': labels, times and, beyond the paper, what the links so far say, on the candidates.

    `found` are those that labels found, `before` has a few of the round before. And the settings,
    with the weights that were used.
    """
    tables = {BY_LABEL: found.index}
    if len(before.rows):
        tables[BEFORE] = before.table(len(job.left))
    evidence = None
    if config.consensus:
        with job.watch.stage("consensus"):
            evidence = Evidence(job.pair, links, config, job.names)
            tables |= _suggested(job, evidence, config)
    candidates = _candidates(job, labels, found, tables)
    if job.allowed is not None:
        kept = job.allowed.strike(job.left, job.right, candidates.index)
        candidates = replace(candidates, index=kept)
    if config.time_weight:
        with job.watch.stage("time_similarity"):  # eq. 8
            ticks = time_similarity(candidates, job.views.tick_counts, job.pair)
            candidates = candidates.with_times(ticks)
    if evidence is not None:
        with job.watch.stage("consensus"):
            said = evidence.consensus(job.left, job.right, candidates.index)
            candidates = candidates.with_consensus(said)
            config = _with_weights(candidates, config)
    with job.watch.stage("time_similarity"):  # eq. 9
        return candidates.weighted(config.time_weight, config.consensus), config


def _candidates(job: Job, labels: Labels, found: Found, tables: dict[int, Ints]) -> Candidates:
    """The candidates of all tables in one, with their label similarity."""
    if len(tables) == 1:
        source = np.where(found.index >= 0, BY_LABEL, 0).astype(np.uint8)
        return Candidates.of(job.left, job.right, found, source)
    with job.watch.stage("search"):
        index, source = merged(tables)
        label = labels.left.dots(labels.right, np.arange(len(job.left)), index)
        return Candidates.of(job.left, job.right, Found(index, label), source)


def _suggested(job: Job, evidence: Evidence, config: Config) -> dict[int, Ints]:
    """Candidates that share rare evidence, by what found them."""
    if not config.suggestions:
        return {}
    return {
        bit: evidence.suggested(job.left, job.right, config.suggestions, neighbours=neighbours)
        for bit, neighbours in ((BY_NEIGHBOURS, True), (BY_TIMES, False))
        if neighbours or job.pair.has_time or job.names
    }


def _with_weights(candidates: Candidates, config: Config) -> Config:
    """The settings with the weights that suit the candidates, where the data are to choose."""
    beta, consensus = chosen_weights(
        candidates,
        config.time_weight,
        config.consensus,
        choose_time="beta" in config.adapted and config.time_weight > 0,
        choose_other="consensus" in config.adapted,
    )
    chosen = replace(config, consensus=consensus)
    return replace(chosen, beta=beta) if config.time_weight else chosen


def assigned(candidates: Candidates, config: Config, watch: Watch) -> tuple[Assignment, Config]:
    """The value of each candidate when nobody is taken twice (eq. 10-12), and its confidence.

    And the settings, with the temperature that was used.
    """
    with watch.stage("sinkhorn"):
        if not config.sinkhorn:
            return without_assignment(candidates), config
        if "temperature" in config.adapted:
            scale = noise_scale(candidates)
            config = replace(config, temperature=SHARPNESS * scale) if scale else config
        found = assign(candidates, temperature=config.temperature, iterations=config.iterations)
        chances = (
            confidence(candidates, iterations=config.iterations) if config.calibrated else None
        )
        if chances is not None:
            found = replace(found, confidence=chances.value, share=chances.share)
        return found, config


def links_so_far(known: SeedLinks, candidates: Candidates, assignment: Assignment) -> SeedLinks:
    """The seeds and the best candidates that are likelier right than wrong."""
    best = best_candidates(candidates, assignment)
    free = ~np.isin(best.right, known.right)
    likely = one_to_one(best.take(np.flatnonzero(free & (best.confidence > LIKELY))))
    return known.and_also(likely.left, likely.right)
