"""All rounds of a problem, from the pairs to begin with to the last; the only orchestrator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic

import numpy as np

from lighttea.config import Config
from lighttea.errors import InputError
from lighttea.graph.pair import Links
from lighttea.similarity.carry import CarriedCandidates
from lighttea.solve.bootstrap import StartingPairs, starting_pairs
from lighttea.solve.likely import Likely
from lighttea.solve.literal_check import start_literals, warn_of_attributes
from lighttea.solve.record import record_of, record_of_start
from lighttea.solve.round import Round
from lighttea.solve.rounds import run_rounds
from lighttea.solve.workspace import Workspace
from lighttea.types import A


@dataclass(frozen=True)
class State:
    """Everything the next round depends on, in plain arrays."""

    next_round: int
    seeds: Links
    carried: CarriedCandidates
    likely: Likely  # what the round before found
    generator: dict[str, Any]  # of the random numbers
    records: list[dict[str, Any]]  # of the rounds that are done
    compact: bool  # labels rounded to eight bits: a run goes on as it began


@dataclass(frozen=True)
class Step(Generic[A]):
    """One round that is done: its result, and what has happened so far."""

    result: Round[A]
    records: list[dict[str, Any]]  # of all rounds so far
    start: StartingPairs | None  # None where an earlier process found them
    state: State | None  # to go on from; None after the last round


def solve(
    work: Workspace[A],
    config: Config,
    state: State | None = None,
    start: StartingPairs | None = None,
) -> Iterator[Step[A]]:
    """Yield each round of a problem; with a state, the rounds that are still to do.

    `start` are pairs to begin with that are known from elsewhere; else they are found.
    """
    rng = np.random.default_rng(config.random_seed)
    start_literals(work, config)
    if state is None:
        start = start or starting_pairs(work, config)
        state = _state(work, 1, start.links, CarriedCandidates.none(), Likely.nothing(), rng, [])
    else:
        work.progress.warn(f"continuing after round {state.next_round - 1}")
    rng.bit_generator.state = state.generator
    records = list(state.records)
    if records:
        config = replace(config, **records[-1]["next_settings"])
    rounds = run_rounds(
        work,
        config=config,
        rng=rng,
        seeds=state.seeds,
        first_round=state.next_round,
        carried=state.carried,
        likely=state.likely,
    )
    number = state.next_round
    for result in rounds:
        number += 1
        is_first = start is not None and not records
        records.append(
            {**record_of(work, result), **(record_of_start(start) if is_first and start else {})}
        )
        to_go_on = None
        if result.labels is None:  # the last round alone keeps them
            found = result.next_seeds, result.carried, result.likely
            to_go_on = _state(work, number, *found, rng, records)
        yield Step(result, records, start, to_go_on)
        del result, to_go_on
    warn_of_attributes(work)
    _refuse_nothing_to_compare(records)


def _state(
    work: Workspace[A],
    next_round: int,
    seeds: Links,
    carried: CarriedCandidates,
    likely: Likely,
    rng: np.random.Generator,
    records: list[dict[str, Any]],
) -> State:
    generator = dict(rng.bit_generator.state)
    return State(next_round, seeds, carried, likely, generator, list(records), work.engine.compact)


def _refuse_nothing_to_compare(records: list[dict[str, Any]]) -> None:
    if not records[-1]["left_with_candidates"]:
        raise InputError(
            "nothing to compare: no left entity is connected to a seed by facts, and none shares "
            "a literal or a time with a right one; give seeds in the same part of the graph as "
            "the entities to align"
        )
