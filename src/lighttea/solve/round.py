"""The table of contents: one round of LightTEA, in the paper's order, and what goes beyond it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lighttea.assign.sinkhorn import Assignment
from lighttea.config import Config
from lighttea.engines.base import Engine
from lighttea.graph.pair import Links
from lighttea.similarity.search import Recall
from lighttea.similarity.settled import Settled
from lighttea.similarity.sources import BEFORE, BY_NEIGHBOURS, BY_TIMES
from lighttea.similarity.weights import chosen_weights

LIKELY = 0.2  # confidence from which a pair counts as a link while a round goes on
SHARPNESS = 0.6  # a chosen temperature, in scales at which wrong scores fall off


@dataclass(frozen=True)
class Round:
    """What one round found, and what it hands to the next.

    Only the last round keeps its labels: they are the largest thing in memory. `settings` are
    those it used: the data choose some of them.
    """

    labels: Any  # the engine's own, as are the candidates
    candidates: Any
    assignment: Assignment
    settings: Config
    recall: Recall | None = None  # of an approximate search
    n_seeds: int = 0
    settled: Settled = field(default_factory=Settled.nobody)
    promoted: Links = field(default_factory=Links.none)
    promoted_estimate: float | None = None  # how many of them are right, as far as can be told
    next_seeds: Links = field(default_factory=Links.none)
    following: Config | None = None  # the settings that the next round begins with
    evidence: Links = field(default_factory=Links.none)  # links that consensus was made of

    def without_labels(self, settled: Settled, following: Config) -> Round:
        """The same round for the next one to go on from."""
        return replace(self, labels=None, settled=settled, following=following)


def one_round(
    on: Engine, seeds: Links, config: Config, rng: np.random.Generator, settled: Settled
) -> Round:
    """Labels, candidates, assignment. The settled do not search again, they choose again.

    `seeds` are the known ones and the pairs that earlier rounds added.
    """
    progress = on.problem.progress
    with progress.stage("propagate"):  # eq. 1-7 and the last hop
        labels = on.labels(seeds, config, rng)
    with progress.stage("search"):  # S^l
        found, recall = on.search(labels, settled, config, rng)
    before = settled if config.rebuild else Settled.nobody()
    candidates, config = scored(on, labels, found, before, seeds, config)
    assignment, config = assigned(on, candidates, config)
    links = seeds
    for _ in range(config.passes - 1 if config.consensus else 0):
        links = links_so_far(on, candidates, assignment)
        candidates, config = scored(on, labels, found, before, links, config)
        assignment, config = assigned(on, candidates, config)
    return Round(labels, candidates, assignment, config, recall, evidence=links)


def scored(
    on: Engine, labels: Any, found: Any, before: Settled, links: Links, config: Config
) -> tuple[Any, Config]:
    """S': labels, times and, beyond the paper, what the links so far say, on the candidates.

    `found` are those that labels found, `before` has a few of the round before. And the settings,
    with the weights that were used.
    """
    progress, evidence = on.problem.progress, None
    more = {BEFORE: on.stayed(before)} if len(before.rows) else {}
    if config.consensus:
        with progress.stage("consensus"):
            evidence = on.evidence(links, config, on.problem.names)
            more |= _suggested(on, evidence, config)
    with progress.stage("search"):
        candidates = on.candidates(labels, found, more)
    if config.time_weight:
        with progress.stage("time_similarity"):  # eq. 8
            candidates = on.with_times(candidates)
    if evidence is not None:
        with progress.stage("consensus"):
            candidates = on.with_consensus(candidates, evidence)
            config = _with_weights(on, candidates, config)
    with progress.stage("time_similarity"):  # eq. 9
        return on.weighted(candidates, config.time_weight, config.consensus), config


def _suggested(on: Engine, evidence: Any, config: Config) -> dict[int, Any]:
    """Candidates that share rare evidence, by what found them."""
    if not config.suggestions:
        return {}
    return {
        bit: on.suggested(evidence, config.suggestions, neighbours=neighbours)
        for bit, neighbours in ((BY_NEIGHBOURS, True), (BY_TIMES, False))
        if neighbours or on.problem.pair.has_time or on.problem.names
    }


def _with_weights(on: Engine, candidates: Any, config: Config) -> Config:
    """The settings with the weights that suit the candidates, where the data are to choose."""
    beta, consensus = chosen_weights(
        lambda time, consensus: on.wanted(candidates, time, consensus),
        len(on.problem.left),
        config.time_weight,
        config.consensus,
        choose_time="beta" in config.adapted and config.time_weight > 0,
        choose_other="consensus" in config.adapted,
    )
    chosen = replace(config, consensus=consensus)
    return replace(chosen, beta=beta) if config.time_weight else chosen


def assigned(on: Engine, candidates: Any, config: Config) -> tuple[Assignment, Config]:
    """The value of each candidate when nobody is taken twice (eq. 10-12), and its confidence.

    And the settings, with the temperature that was used.
    """
    with on.problem.progress.stage("sinkhorn"):
        if not config.sinkhorn:
            return on.without_assignment(candidates), config
        if "temperature" in config.adapted:
            scale = on.noise_scale(candidates)
            config = replace(config, temperature=SHARPNESS * scale) if scale else config
        found = on.assign(candidates, config.temperature, config.iterations)
        chances = on.confidence(candidates, config.iterations) if config.calibrated else None
        if chances is not None:
            found = replace(found, confidence=chances.value, share=chances.share)
        return found, config


def links_so_far(on: Engine, candidates: Any, assignment: Assignment) -> Links:
    """The seeds and the best candidates that are likelier right than wrong."""
    known = on.problem.known
    best = on.claims(candidates, assignment, known)
    likely = best.take(np.flatnonzero(best.confidence > LIKELY))
    return known.with_pairs(likely.left, likely.right)
