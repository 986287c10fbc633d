"""Temporal iterative learning (section 4.5): the only loop back in the flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from lighttea.assign.decode import Best
from lighttea.config import Config
from lighttea.engines.base import Engine
from lighttea.graph.pair import Links
from lighttea.similarity.settled import STAY, Settled
from lighttea.similarity.weights import TEMPORAL_WEIGHTS, chosen_alpha
from lighttea.solve.round import Round, one_round
from lighttea.types import Bools

PRECISE = 0.97  # how many of the pairs that join shall be right, where the data set the threshold

_LOWEST = 0.5  # confidence below which no pair joins


def rounds(
    on: Engine,
    *,
    config: Config,
    rng: np.random.Generator,
    seeds: Links | None = None,
    first_round: int = 1,
    settled: Settled | None = None,
) -> Iterator[Round]:
    """Yield each round's result; sure pairs of one round are seeds of the next.

    The same left entities ask and the same right ones may answer in every round; one whose pair
    joined the seeds chooses again among its best candidates, or, where pairs are chosen anew,
    searches again. A run that goes on starts at `first_round` with the seeds, the settled and the
    generator that round begins with. What the data chose in one round the next begins with.
    """
    problem = on.problem
    seeds = problem.known if seeds is None else seeds
    settled = settled or Settled.nobody()
    for number in range(first_round, config.rounds + 1):
        problem.progress.round_begins(number, config.rounds)
        result = one_round(on, seeds, config, rng, settled)
        with problem.progress.stage("iterate"):
            result = with_promotion(on, result, seeds)
            before = seeds.without(problem.known) if config.rebuild else Links.none()
            is_last = (
                number == config.rounds
                or not len(result.promoted)
                or result.promoted.agrees_with(before, config.convergence)
            )
            if not is_last:
                settled, config = _settled(on, result), next_settings(on, result)
                result = result.without_labels(settled, config)
        seeds = result.next_seeds
        yield result
        del result  # two rounds never stand in memory at once
        if is_last:
            return


def with_promotion(on: Engine, result: Round, seeds: Links) -> Round:
    """The round with the pairs that join the seeds: beside those there are, or all anew."""
    config = result.settings
    base = on.problem.known if config.rebuild else seeds
    best = on.claims(result.candidates, result.assignment, base)
    if "threshold" in config.adapted and result.assignment.confidence is not None:
        config = replace(config, threshold=precise_threshold(best))
    sure = best.take(np.flatnonzero(best.confidence > config.threshold))
    chance = result.assignment.confidence is not None and len(sure.left)
    return replace(
        result,
        settings=config,
        promoted=Links(sure.left, sure.right),
        promoted_estimate=float(sure.confidence.mean()) if chance else None,
        next_seeds=base.with_pairs(sure.left, sure.right),
        n_seeds=len(seeds),
    )


def next_settings(on: Engine, result: Round) -> Config:
    """What the next round begins with: what this one used, and the alpha that suits its labels."""
    config, labels = result.settings, result.labels
    if labels is None or "alpha" not in config.adapted or not 0 < config.temporal_weight < 1:
        return config
    tried = (config.alpha, *TEMPORAL_WEIGHTS)
    found = on.wanted_by_alpha(result.candidates, labels, config.alpha, tried)
    return replace(config, alpha=chosen_alpha(found, len(on.problem.left), config.alpha))


def precise_threshold(best: Best) -> float:
    """The lowest confidence such that enough of the pairs above it are right, by their own word."""
    falling = -np.sort(-best.confidence.astype(np.float64))
    falling = falling[falling > _LOWEST]
    precise: Bools = np.cumsum(falling) >= PRECISE * np.arange(1, len(falling) + 1)
    if not precise.any():
        return 0.9 if len(falling) else _LOWEST
    last = int(np.flatnonzero(precise)[-1])
    return float(falling[last + 1]) if last + 1 < len(falling) else _LOWEST


def _settled(on: Engine, result: Round) -> Settled:
    """Who chooses again instead of searching again: the paired ones.

    Where pairs are rebuilt everybody searches again; a few best candidates stay.
    """
    config = result.settings
    paired, k = (
        (on.problem.left, STAY) if config.rebuild else (result.next_seeds.left, config.top_k)
    )
    return on.settled(result.candidates, result.assignment, paired, k)
