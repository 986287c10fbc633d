"""Temporal iterative learning (section 4.5): the only loop back in the flow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lighttea.assign.decode import best_candidates, one_to_one
from lighttea.config import Config
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.views import Views
from lighttea.pipeline import Round, one_round
from lighttea.plan import Blocks
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
    first_round: int = 1,
    settled: Settled | None = None,
) -> Iterator[Round]:
    """Yield each round's result; sure pairs of one round are seeds of the next.

    `left` asks and `right` may answer in every round; one whose pair joined the seeds chooses
    again among its best candidates, so each round speaks of the same entities. A run that goes on
    starts at `first_round` with the seeds, the settled and the generator that round begins with.
    """
    settled = settled or Settled.nobody()
    for number in range(first_round, config.rounds + 1):
        watch.round_begins(number, config.rounds)
        result = one_round(
            pair,
            views,
            seeds,
            left,
            right,
            config=config,
            rng=rng,
            watch=watch,
            blocks=blocks,
            settled=settled,
        )
        with watch.stage("iterate"):
            promoted = promotion(result, seeds, config.threshold)
            is_last = number == config.rounds or not len(promoted)
            result = result.with_promoted(promoted, seeds, is_last=is_last)
        settled = result.settled
        yield result
        del result  # two rounds never stand in memory at once
        if is_last:
            return
        seeds = seeds.and_also(promoted.left, promoted.right)


def promotion(result: Round, seeds: SeedLinks, threshold: float) -> SeedLinks:
    """Best candidates above the threshold whose two ends are not paired yet, no end twice."""
    best = best_candidates(result.candidates, result.assignment)
    free = ~np.isin(best.left, seeds.left) & ~np.isin(best.right, seeds.right)
    sure = one_to_one(best.take(np.flatnonzero(free & (best.value > threshold))))
    return SeedLinks(sure.left, sure.right)
