"""Work on a part of two graphs again: a smaller problem, posed to the same rounds."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from lighttea.config import Config, EngineName, LinkRules
from lighttea.graph.facts import Graph
from lighttea.graph.numbering import sort_rows
from lighttea.graph.pair import Links
from lighttea.kernels.threads import limited_threads, worthwhile_threads
from lighttea.progress import Progress
from lighttea.similarity.allowed import AllowedPairs
from lighttea.solve.bootstrap import StartingPairs
from lighttea.solve.problem import Problem, pose_problem
from lighttea.solve.solution import Solution, finish
from lighttea.solve.solve import solve
from lighttea.solve.start import open_workspace
from lighttea.types import Bools, LeftIds
from lighttea.update.chances import LastChances, with_last_chances


@dataclass(frozen=True)
class WorkedPart:
    """What the rounds made of a part."""

    problem: Problem
    solution: Solution
    config: Config
    engine: str
    n_threads: int


def evidence_settings(config: Config) -> Config:
    """Return the settings by which a part is worked on: one round, without labels.

    Weights are those of the last run; only the scale of wrong scores is taken anew. Links are left
    out by their expected share of wrong ones when all links are together again.
    """
    adapt = "temperature" if "temperature" in config.adapted else ""
    return replace(
        config,
        rounds=1,
        bootstrap=False,
        temporal_constraint=False,  # times speak as evidence; a term of their own needs labels
        dim=1,
        sketch_factor=1,
        top_k=1,
        search="exact",  # nobody searches by label
        max_fdr=1.0,
        adapt=adapt,
    )


def work_on_part(
    left: Graph,
    right: Graph,
    seeds: Links,
    last: Links,
    chances: LastChances | None,
    chosen: Bools,
    allowed: AllowedPairs | None,
    config: Config,
    rules: LinkRules,
    engine: EngineName,
    scheduler: str | None,
    progress: Progress,
) -> WorkedPart:
    """Return new links of the chosen left entities.

    `last` are the links of the last run. Those of other entities are known here; those of the
    chosen ones are evidence to begin with, which every pass can overturn. `chances` are what that
    run thought of pairs, and stand for those that nothing has touched.
    """
    known = seeds.extended(last.take(~chosen[last.left]))
    start = known.extended(last.take(chosen[last.left]))
    settings = evidence_settings(config)
    with limited_threads(
        config.threads or worthwhile_threads(len(left.entities), len(right.entities))
    ) as n_threads:
        problem, used = pose_problem(
            sort_rows(left),
            sort_rows(right),
            known,
            settings,
            progress,
            left_ids=LeftIds(np.flatnonzero(chosen).astype(np.int32)),
            allowed=allowed,
            by_evidence=True,
        )
        with closing(open_workspace(engine, problem, used, scheduler=scheduler)) as work:
            *_, step = solve(work, used, start=StartingPairs(start))
            solution = finish(work, with_last_chances(work, step, chances, left, right), rules)
            name = work.engine.name
    return WorkedPart(problem, solution, used, name, n_threads)
