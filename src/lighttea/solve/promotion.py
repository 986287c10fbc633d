"""Which pairs of a round are promoted to seeds of the next (section 4.5)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lighttea.assign.decode import carried_candidates, one_to_one_matches, precise_threshold
from lighttea.config import Config
from lighttea.graph.pair import Links
from lighttea.similarity.carry import CARRIED_BESIDE_SEARCH, CarriedCandidates
from lighttea.similarity.weights import (
    TEMPORAL_WEIGHTS,
    choose_alpha,
    count_distinct_best_by_alpha,
)
from lighttea.solve.round import Round
from lighttea.solve.workspace import Workspace
from lighttea.types import A

PRECISION = 0.97  # of the promoted pairs, where the data set the threshold
LOWEST = 0.5  # confidence below which no pair is promoted


def promote(work: Workspace[A], result: Round[A], seeds: Links) -> Round[A]:
    """Return the round with its promoted pairs: beside those there are, or all chosen anew."""
    config = result.settings
    base = work.problem.known if config.revise_promotions else seeds
    matches = one_to_one_matches(
        work.engine, result.candidates, result.assignment, *work.taken(base)
    )
    is_calibrated = result.assignment.probability is not None
    if "threshold" in config.adapted and is_calibrated:
        config = replace(
            config, threshold=precise_threshold(matches, lowest=LOWEST, precision=PRECISION)
        )
    sure = matches.take(np.flatnonzero(matches.confidence > config.threshold))
    promoted = work.links_of(sure.row, sure.place)
    return replace(
        result,
        settings=config,
        promoted=promoted,
        promoted_precision=(
            float(sure.confidence.mean()) if is_calibrated and len(promoted) else None
        ),
        next_seeds=base.extended(promoted),
        n_seeds=len(seeds),
    )


def next_settings(work: Workspace[A], result: Round[A]) -> Config:
    """Return what the next round begins with: what this one used, and an alpha that suits it."""
    config, labels = result.settings, result.labels
    if labels is None or "alpha" not in config.adapted or not 0 < config.temporal_weight < 1:
        return config
    tried = (config.alpha, *TEMPORAL_WEIGHTS)
    counts = count_distinct_best_by_alpha(
        work.engine, result.candidates, labels, config.alpha, tried
    )
    return replace(config, alpha=choose_alpha(counts, len(work.problem.left), config.alpha))


def candidates_to_carry(work: Workspace[A], result: Round[A]) -> CarriedCandidates:
    """Return the candidates that the next round is given.

    Those of promoted entities, which do not search again; or a few of all entities, where
    promotions are revised.
    """
    config, left = result.settings, work.problem.left
    rows, k = np.isin(left, result.next_seeds.left), config.top_k
    if config.revise_promotions:
        rows, k = np.ones(len(left), bool), CARRIED_BESIDE_SEARCH
    return carried_candidates(work.engine, result.candidates, result.assignment, rows, k)
