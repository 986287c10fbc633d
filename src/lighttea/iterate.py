"""Temporal iterative learning (section 4.5): the only loop back in the flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from lighttea.assign.decode import best_candidates, one_to_one
from lighttea.config import Config
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.views import Views
from lighttea.pipeline import Round, one_round
from lighttea.plan import Blocks
from lighttea.similarity.allowed import Allowed
from lighttea.similarity.settled import Settled
from lighttea.stages import Watch
from lighttea.types import LeftIds, RightIds


def rounds(
    pair: Pair,
    views: Views,
    seeds: SeedLinks,
    left: LeftIds,
    right: RightIds,
    *,
    config: Config,
    rng: np.random.Generator,
    watch: Watch,
    blocks: Blocks,
    known: SeedLinks | None = None,
    first_round: int = 1,
    settled: Settled | None = None,
    allowed: Allowed | None = None,
) -> Iterator[Round]:
    """Yield each round's result; sure pairs of one round are seeds of the next.

    `left` asks and `right` may answer in every round; one whose pair joined the seeds chooses
    again among its best candidates, or, where pairs are chosen anew, searches again. So each round
    speaks of the same entities. A run that goes on starts at `first_round` with the seeds, the
    settled and the generator that round begins with, and says which seeds were `known` at first.
    """
    known = seeds if known is None else known
    settled = settled or Settled.nobody()
    for number in range(first_round, config.rounds + 1):
        watch.round_begins(number, config.rounds)
        result = one_round(
            pair,
            views,
            seeds,
            left,
            right,
            known=known,
            config=config,
            rng=rng,
            watch=watch,
            blocks=blocks,
            settled=settled,
            allowed=allowed,
        )
        with watch.stage("iterate"):
            result = with_promotion(result, seeds, known, config)
            before = seeds.without(known) if config.rebuild else SeedLinks.none()
            is_last = (
                number == config.rounds
                or not len(result.promoted)
                or has_converged(result.promoted, before, config.convergence)
            )
            if not is_last:
                settled = _settled(result, config)
                result = result.without_labels(settled)
        seeds = result.next_seeds
        yield result
        del result  # two rounds never stand in memory at once
        if is_last:
            return


def with_promotion(result: Round, seeds: SeedLinks, known: SeedLinks, config: Config) -> Round:
    """The round with the pairs that join the seeds: beside those there are, or all anew."""
    base = known if config.rebuild else seeds
    promoted = promotion(result, base, config.threshold)
    following = base.and_also(promoted.left, promoted.right)
    return replace(result, promoted=promoted, next_seeds=following, n_seeds=len(seeds))


def has_converged(promoted: SeedLinks, before: SeedLinks, convergence: float) -> bool:
    """Whether nearly all pairs are those of the round before, and nearly none is gone."""
    if not convergence or not len(before):
        return False
    return min(promoted.share_in(before), before.share_in(promoted)) > 1 - convergence


def _settled(result: Round, config: Config) -> Settled:
    """Who chooses again instead of searching again: the paired ones, unless pairs are rebuilt."""
    if config.rebuild:
        return Settled.nobody()
    paired = result.next_seeds.left
    return Settled.of(result.candidates, result.assignment.value, paired, config.top_k)


def promotion(result: Round, seeds: SeedLinks, threshold: float) -> SeedLinks:
    """Best candidates above the threshold whose two ends are not paired yet, no end twice."""
    best = best_candidates(result.candidates, result.assignment)
    free = ~np.isin(best.left, seeds.left) & ~np.isin(best.right, seeds.right)
    sure = one_to_one(best.take(np.flatnonzero(free & (best.value > threshold))))
    return SeedLinks(sure.left, sure.right)
