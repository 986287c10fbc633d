"""The table of contents: one round of LightTEA, in the paper's order, and what goes beyond it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Generic

import numpy as np

from lighttea.assign.decoys import probabilities_by_decoys
from lighttea.assign.probability import lower_contradicted, noise_scale
from lighttea.assign.sinkhorn import Assignment, assign, keep_similarities
from lighttea.config import Config
from lighttea.engines.base import Blocks, Handle
from lighttea.engines.tables import TopK
from lighttea.evidence.contradictions import add_in_scores
from lighttea.evidence.evidence import Evidence
from lighttea.graph.keys import Keys, draw_number, mix_keys
from lighttea.graph.pair import Links
from lighttea.propagate.labels import (
    Labels,
    aspect_weights,
    join_halves,
    no_labels,
    two_aspect_labels,
)
from lighttea.propagate.whitening import apply_whitening, find_whitening
from lighttea.similarity.candidates import (
    Candidates,
    add_consensus,
    add_contradictions,
    add_likelihood,
    blend_scores,
    index_of,
    keep_places,
)
from lighttea.similarity.carry import CarriedCandidates
from lighttea.similarity.merge import BY_NEIGHBOURS, BY_TIMES, CARRIED_OVER
from lighttea.similarity.recall import Recall
from lighttea.similarity.search import candidates_by_label, carried_tables, search_labels
from lighttea.similarity.time import add_time_similarity
from lighttea.similarity.weights import TermWeights, choose_weights, count_distinct_best
from lighttea.solve.likely import Likely, find_likely
from lighttea.solve.workspace import Workspace
from lighttea.types import A, Bools, Ints

SHARPNESS = 0.6  # a chosen temperature, in scales at which wrong scores fall off
_HALVES = 3  # keeps the halves apart from what else is drawn by keys


@dataclass(frozen=True)
class Round(Generic[A]):
    """What one round found, and what it hands to the next.

    Only the last round keeps its labels: they are the largest thing in memory. `settings` are
    those it used: the data choose some of them.
    """

    labels: Labels[A] | None
    candidates: Blocks[Candidates[A]]
    assignment: Assignment[A]
    settings: Config
    recall: Recall | None  # of an approximate search
    evidence: Likely  # what consensus and likelihood were made of
    likely: Likely  # what is likely by the result; nothing without consensus
    n_seeds: int = 0
    promoted: Links = field(default_factory=Links.none)
    promoted_precision: float | None = None  # of the promoted pairs, estimated without truth
    next_seeds: Links = field(default_factory=Links.none)
    next_settings: Config | None = None
    carried: CarriedCandidates = field(default_factory=CarriedCandidates.none)


def run_round(
    work: Workspace[A],
    seeds: Links,
    config: Config,
    rng: np.random.Generator,
    carried: CarriedCandidates,
    so_far: Likely | None = None,
) -> Round[A]:
    """Propagate labels, find and score candidates, assign them.

    `seeds` are the known ones and the promoted pairs of earlier rounds; `carried` candidates are
    those that the round before handed on, and `so_far` is what it found likely. Without, the seeds
    are taken for certain, and consensus takes a pass more.
    """
    work.fit_literals(seeds)
    labels = propagate_labels(work, seeds, config, rng)
    instead, beside = carried, CarriedCandidates.none()
    if config.revise_promotions:  # carried candidates stand beside what is proposed or found
        instead, beside = beside, instead
    with work.progress.stage("search"):  # S^l
        asking, answering = searching_entities(work, seeds, config)
        top, recall = search_labels(work.engine, labels, instead, config, rng, asking, answering)
    likely = so_far or Likely.sure(seeds)
    n_passes = max(1, config.consensus_passes - bool(so_far)) if config.consensus else 1
    while True:
        candidates, config = score_candidates(work, labels, top, beside, likely, config)
        assignment, config = assign_candidates(work, candidates, config)
        found = find_likely(work, candidates, assignment) if config.consensus else Likely.nothing()
        n_passes -= 1
        if not n_passes or found.links.agrees_with(likely.links, config.convergence):
            return Round(labels, candidates, assignment, config, recall, likely, found)
        likely = found
        del candidates, assignment  # before the next are made


def searching_entities(
    work: Workspace[A], seeds: Links, config: Config
) -> tuple[Bools | None, Bools | None]:
    """Return which left entities search by label, (n_left,), and which right ones they may find.

    Those without a promoted pair, and decoys of such. Where evidence proposes candidates, promoted
    entities choose among those. None where all search, and all are found; without labels nobody
    searches by them.
    """
    problem = work.problem
    if problem.by_evidence:
        return np.zeros(len(problem.left), bool), None
    if not (config.revise_promotions and config.consensus and config.suggestions):
        return None, None
    is_free = ~np.isin(problem.right, seeds.right)
    if problem.decoys is not None:
        is_free[problem.n_targets :] = is_free[problem.decoys.source]
    return ~np.isin(problem.left, seeds.left), is_free


def propagate_labels(
    work: Workspace[A], seeds: Links, config: Config, rng: np.random.Generator
) -> Labels[A]:
    """Return the labels of both sides (eq. 1-7 and the last hop), whitened if so set.

    A promoted pair would look like one by the labels that it made itself. So promoted pairs make
    labels in two halves, and a left entity is compared by those that the other half made.
    """
    if work.problem.by_evidence:
        return no_labels(work.engine)
    n_known = len(work.problem.known)
    if not config.cross_fit or len(seeds) == n_known:
        labels = _labels_of(work, seeds, config, rng)
        return _whiten(work, labels, config, _whitening_of(work, labels, config, rng))
    keys = work.problem.pair.left_keys
    is_known, half = np.arange(len(seeds)) < n_known, half_of(keys[seeds.left])
    drawn = draw_number(rng)  # both halves lie in the same space, which is whitened once
    of_other = half_of(keys[work.problem.left]) == 1
    whitening, whitened = None, list[Labels[A]]()
    for own, left_rows in ((0, None), (1, of_other)):  # all left rows tell how to whiten
        others = seeds.take(np.flatnonzero(is_known | (half != own)))
        labels = _labels_of(work, others, config, np.random.default_rng(drawn), left_rows)
        whitening = whitening or _whitening_of(work, labels, config, rng)
        whitened.append(_whiten(work, labels, config, whitening))
        del labels  # before the next are made
    first, second = whitened
    with work.progress.stage("propagate"):
        return join_halves(work.engine, first, second, of_other)


def half_of(keys: Keys) -> Ints:
    """Return one of two halves, 0 or 1, for each left entity; any but the same each time."""
    return (mix_keys(keys, _HALVES) & np.uint64(1)).astype(np.int64)


def _labels_of(
    work: Workspace[A],
    seeds: Links,
    config: Config,
    rng: np.random.Generator,
    left_rows: Bools | None = None,
) -> Labels[A]:
    n_known = len(work.problem.known)
    with work.progress.stage("propagate"):
        return two_aspect_labels(
            work.engine, work.views, seeds, config, rng, n_known=n_known, left_rows=left_rows
        )


def _whitening_of(
    work: Workspace[A], labels: Labels[A], config: Config, rng: np.random.Generator
) -> Handle[list[A]] | None:
    if not config.whitening:
        return None
    problem = work.problem
    keys = (
        problem.pair.left_keys[problem.left],
        problem.pair.right_keys[problem.right[: problem.n_targets]],
    )
    with work.progress.stage("propagate"):
        return find_whitening(work.engine, labels, len(aspect_weights(config)), keys, rng)


def _whiten(
    work: Workspace[A], labels: Labels[A], config: Config, whitening: Handle[list[A]] | None
) -> Labels[A]:
    with work.progress.stage("propagate"):
        if whitening is not None:
            labels = apply_whitening(work.engine, labels, aspect_weights(config), whitening)
        work.engine.wait(labels.right)
        return labels


def score_candidates(
    work: Workspace[A],
    labels: Labels[A],
    top: Blocks[TopK[A]],
    carried: CarriedCandidates,
    likely: Likely,
    config: Config,
) -> tuple[Blocks[Candidates[A]], Config]:
    """Return candidates with S': labels, times and, beyond the paper, what the links so far say.

    Candidates are those that labels found, that were carried over and that evidence proposes. And
    the settings, with the weights that were used.
    """
    engine, stage = work.engine, work.progress.stage
    evidence = None
    proposals = {CARRIED_OVER: carried_tables(engine, carried)} if len(carried.rows) else {}
    if config.consensus:
        with stage("consensus"):
            evidence = work.evidence.gather(likely.links, config, work.literal_tokens)
            proposals |= propose_candidates(work, evidence, config)
    with stage("search"):
        candidates = work.strike_refused(candidates_by_label(engine, labels, top, proposals))
    if config.time_weight:
        with stage("time_similarity"):  # eq. 8
            candidates = add_time_similarity(engine, candidates, work.views.tick_counts())
            engine.wait(candidates)
    if evidence is not None:
        with stage("consensus"):
            consensus = work.evidence.consensus(evidence, engine.map(index_of, candidates))
            candidates = engine.map(add_consensus, candidates, consensus)
            if config.uses_likelihood:
                index = engine.map(index_of, candidates)
                likelihood = work.likelihood.weigh(likely.pairs, index)
                candidates = engine.map(add_likelihood, candidates, likelihood)
            config = fit_weights(work, candidates, config)
    if config.contradictions and (work.problem.pair.has_time or work.literals is not None):
        with stage("contradictions"):
            candidates = count_contradictions(work, candidates, likely.links, config)
    with stage("time_similarity"):  # eq. 9
        weights = config.time_weight, config.consensus, config.likelihood
        candidates = engine.map(blend_scores, candidates, *weights)
        engine.wait(candidates)
        return candidates, config


def propose_candidates(
    work: Workspace[A], evidence: Handle[Evidence[A]], config: Config
) -> dict[int, Blocks[A]]:
    """Return candidates that share rare evidence, by what proposed them."""
    if not config.suggestions:
        return {}
    has_others = work.problem.pair.has_time or work.literal_tokens
    searches = {BY_NEIGHBOURS: True, **({BY_TIMES: False} if has_others else {})}
    return {
        bit: work.evidence.propose(evidence, config.suggestions, neighbours=neighbours)
        for bit, neighbours in searches.items()
    }


def count_contradictions(
    work: Workspace[A], candidates: Blocks[Candidates[A]], links: Links, config: Config
) -> Blocks[Candidates[A]]:
    """Return the candidates with what contradictions take from their scores.

    Impossible ones are left out. A score is log-odds in units of the noise scale, which the
    temperature follows from.
    """
    engine, source = work.engine, work.contradictions
    conflicts = work.literals.conflicts if work.literals is not None else ()
    found = source.gather(links) if work.problem.pair.has_time else None
    index, terms = engine.map(index_of, candidates), []
    if found is not None:
        index = source.strike(found, index)
        terms.append(source.terms(found, index))
    terms += [work.evidence.conflicts(conflict, index) for conflict in conflicts]
    if not terms:
        return candidates
    in_scores = engine.map(add_in_scores, config.temperature / SHARPNESS, *terms)
    kept = engine.map(keep_places, candidates, index)
    candidates = engine.map(add_contradictions, kept, in_scores)
    engine.wait(candidates)
    return candidates


def fit_weights(work: Workspace[A], candidates: Blocks[Candidates[A]], config: Config) -> Config:
    """Return the settings with the weights that suit the candidates, where the data may choose."""
    names = {"time": "beta", "consensus": "consensus", "likelihood": "likelihood"}
    weights = term_weights(config)
    chosen = {
        own for own, name in names.items() if name in config.adapted and getattr(weights, own)
    }
    weights = choose_weights(
        lambda tried: count_distinct_best(work.engine, candidates, tried, work.problem.n_targets),
        len(work.problem.left),
        weights,
        chosen,
    )
    return replace(config, **{names[own]: getattr(weights, own) for own in chosen})


def term_weights(config: Config) -> TermWeights:
    """Return what the terms of a score weigh by the settings."""
    likelihood = config.likelihood if config.uses_likelihood else 0.0
    return TermWeights(config.time_weight, config.consensus, likelihood)


def assign_candidates(
    work: Workspace[A], candidates: Blocks[Candidates[A]], config: Config
) -> tuple[Assignment[A], Config]:
    """Return the value of each candidate after Sinkhorn (eq. 10-12), and its probability.

    And the settings, with the temperature that was used.
    """
    engine, scale_so_far = work.engine, config.temperature / SHARPNESS
    with work.progress.stage("sinkhorn"):
        targets = work.strike_decoys(candidates)
        if not config.sinkhorn:
            return keep_similarities(engine, targets), config
        if "temperature" in config.adapted:
            scale = noise_scale(engine, targets)
            config = replace(config, temperature=SHARPNESS * scale) if scale else config
        assignment = assign(
            engine,
            targets,
            temperature=config.temperature,
            iterations=config.iterations,
            fill=_fill(work) if config.calibrated else 1.0,
        )
        if config.calibrated:
            assignment = add_probabilities(work, candidates, assignment, config)
            assignment = doubt_contradicted(work, candidates, assignment, scale_so_far)
        return assignment, config


def _fill(work: Workspace[A]) -> float:
    """Return the share of the right entities that can have a counterpart."""
    return min(1.0, len(work.problem.left) / max(1, work.problem.n_targets))


def add_probabilities(
    work: Workspace[A],
    candidates: Blocks[Candidates[A]],
    assignment: Assignment[A],
    config: Config,
) -> Assignment[A]:
    """Return the assignment with the chance of each candidate to be right, where that can be told.

    Estimated by how scores stand out, then corrected by how often decoys win.
    """
    found = probabilities_by_decoys(
        work.engine, candidates, work.problem.decoys, iterations=config.iterations
    )
    if found is None:
        return assignment
    match, competition = found
    return replace(assignment, probability=match.value, share=match.share, competition=competition)


def doubt_contradicted(
    work: Workspace[A],
    candidates: Blocks[Candidates[A]],
    assignment: Assignment[A],
    scale: float,
) -> Assignment[A]:
    """Return the assignment with less probability where facts contradict each other.

    However well the rest fits: what contradictions took from a score, in scales, are log-odds.
    """
    if assignment.probability is None:
        return assignment
    doubted = work.engine.map(lower_contradicted, candidates, assignment.probability, scale)
    return replace(assignment, probability=doubted)
