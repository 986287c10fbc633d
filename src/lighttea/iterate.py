"""Temporal iterative learning (section 4.5): the only loop back in the flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from lighttea.assign.decode import Best, best_candidates, one_to_one
from lighttea.config import Config
from lighttea.graph.pair import SeedLinks
from lighttea.pipeline import Job, Round, one_round
from lighttea.similarity.settled import STAY, Settled
from lighttea.similarity.weights import chosen_alpha
from lighttea.types import Bools

PRECISE = 0.97  # how many of the pairs that join shall be right, where the data set the threshold

_LOWEST = 0.5  # confidence below which no pair joins


def rounds(
    job: Job,
    *,
    config: Config,
    rng: np.random.Generator,
    seeds: SeedLinks | None = None,
    first_round: int = 1,
    settled: Settled | None = None,
) -> Iterator[Round]:
    """Yield each round's result; sure pairs of one round are seeds of the next.

    The same left entities ask and the same right ones may answer in every round; one whose pair
    joined the seeds chooses again among its best candidates, or, where pairs are chosen anew,
    searches again. A run that goes on starts at `first_round` with the seeds, the settled and the
    generator that round begins with. What the data chose in one round the next begins with.
    """
    seeds = job.known if seeds is None else seeds
    settled = settled or Settled.nobody()
    for number in range(first_round, config.rounds + 1):
        job.watch.round_begins(number, config.rounds)
        result = one_round(job, seeds, config, rng, settled)
        with job.watch.stage("iterate"):
            result = with_promotion(result, seeds, job.known)
            before = seeds.without(job.known) if config.rebuild else SeedLinks.none()
            is_last = (
                number == config.rounds
                or not len(result.promoted)
                or has_converged(result.promoted, before, config.convergence)
            )
            if not is_last:
                settled, config = _settled(result), next_settings(result)
                result = result.without_labels(settled, config)
        seeds = result.next_seeds
        yield result
        del result  # two rounds never stand in memory at once
        if is_last:
            return


def with_promotion(result: Round, seeds: SeedLinks, known: SeedLinks) -> Round:
    """The round with the pairs that join the seeds: beside those there are, or all anew."""
    config = result.settings
    base = known if config.rebuild else seeds
    best = best_candidates(result.candidates, result.assignment)
    free = ~np.isin(best.left, base.left) & ~np.isin(best.right, base.right)
    best = best.take(np.flatnonzero(free))
    if "threshold" in config.adapted and result.assignment.confidence is not None:
        config = replace(config, threshold=precise_threshold(one_to_one(best)))
    sure = one_to_one(best.take(np.flatnonzero(best.confidence > config.threshold)))
    chance = result.assignment.confidence is not None and len(sure.left)
    return replace(
        result,
        settings=config,
        promoted=SeedLinks(sure.left, sure.right),
        promoted_estimate=float(sure.confidence.mean()) if chance else None,
        next_seeds=base.and_also(sure.left, sure.right),
        n_seeds=len(seeds),
    )


def next_settings(result: Round) -> Config:
    """What the next round begins with: what this one used, and the alpha that suits its labels."""
    config, labels = result.settings, result.labels
    if labels is None or "alpha" not in config.adapted or not 0 < config.temporal_weight < 1:
        return config
    return replace(config, alpha=chosen_alpha(result.candidates, labels.relational, config.alpha))


def precise_threshold(best: Best) -> float:
    """The lowest confidence such that enough of the pairs above it are right, by their own word."""
    falling = -np.sort(-best.confidence.astype(np.float64))
    falling = falling[falling > _LOWEST]
    precise: Bools = np.cumsum(falling) >= PRECISE * np.arange(1, len(falling) + 1)
    if not precise.any():
        return 0.9 if len(falling) else _LOWEST
    last = int(np.flatnonzero(precise)[-1])
    return float(falling[last + 1]) if last + 1 < len(falling) else _LOWEST


def has_converged(promoted: SeedLinks, before: SeedLinks, convergence: float) -> bool:
    """Whether nearly all pairs are those of the round before, and nearly none is gone."""
    if not convergence or not len(before):
        return False
    return min(promoted.share_in(before), before.share_in(promoted)) > 1 - convergence


def _settled(result: Round) -> Settled:
    """Who chooses again instead of searching again: the paired ones.

    Where pairs are rebuilt everybody searches again; a few best candidates stay.
    """
    config, value = result.settings, result.assignment.value
    if config.rebuild:
        return Settled.of(result.candidates, value, result.candidates.left, STAY)
    return Settled.of(result.candidates, value, result.next_seeds.left, config.top_k)
