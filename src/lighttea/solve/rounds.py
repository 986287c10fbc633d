"""Temporal iterative learning (section 4.5): the only loop back in the flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from lighttea.config import Config
from lighttea.graph.pair import Links
from lighttea.similarity.carry import CarriedCandidates
from lighttea.solve.likely import Likely
from lighttea.solve.promotion import candidates_to_carry, next_settings, promote
from lighttea.solve.round import Round, run_round
from lighttea.solve.workspace import Workspace
from lighttea.types import A


def run_rounds(
    work: Workspace[A],
    *,
    config: Config,
    rng: np.random.Generator,
    seeds: Links,
    first_round: int = 1,
    carried: CarriedCandidates | None = None,
    likely: Likely | None = None,
) -> Iterator[Round[A]]:
    """Yield each round's result; promoted pairs of one round are seeds of the next.

    The same left entities are aligned and the same right ones are possible candidates in every
    round. A run that is resumed starts at `first_round` with the seeds, the carried candidates, the
    likely links and the generator that this round begins with. Rounds end when the promoted pairs
    stay the same.
    """
    problem = work.problem
    carried = carried or CarriedCandidates.none()
    for number in range(first_round, config.rounds + 1):
        work.progress.round_begins(number, config.rounds)
        result = run_round(work, seeds, config, rng, carried, likely)
        with work.progress.stage("iterate"):
            result = promote(work, result, seeds)
            before = seeds.without(problem.known) if config.revise_promotions else Links.none()
            is_last = (
                number == config.rounds
                or not len(result.promoted)
                or result.promoted.agrees_with(before, config.convergence)
            )
            if not is_last:
                carried, config = candidates_to_carry(work, result), next_settings(work, result)
                result = replace(result, labels=None, carried=carried, next_settings=config)
        seeds, likely = result.next_seeds, result.likely
        yield result
        del result  # two rounds never stand in memory at once
        if is_last:
            return
