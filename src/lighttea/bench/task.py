"""One alignment with a truth kept apart: what it may see, and how each round is judged.

Needs no more libraries than the compute core, so that it runs on a bare machine with a GPU.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from lighttea.assign.decode import PlainBest, best_candidates, one_to_one_matches
from lighttea.config import Config, EngineName
from lighttea.engines.ops import Ops
from lighttea.errors import StartError
from lighttea.evaluate.calibration import (
    calibration_figures,
    confidence_figures,
    named_figures,
)
from lighttea.evaluate.ranking import (
    Ranking,
    gold_mask,
    link_figures,
    ranking_figures,
    realistic_ranks,
)
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.kernels.threads import limited_threads, worthwhile_threads
from lighttea.progress import Progress
from lighttea.similarity.candidates import (
    Candidates,
    join_candidates,
    join_tables,
    plain_candidates,
)
from lighttea.similarity.merge import SOURCES
from lighttea.solve.bootstrap import StartingPairs
from lighttea.solve.likely import likely_links
from lighttea.solve.problem import pose_problem
from lighttea.solve.record import chosen_settings, estimates, matches_of, search_figures
from lighttea.solve.round import Round
from lighttea.solve.seed_check import SeedCheck, check_seeds
from lighttea.solve.solve import solve
from lighttea.solve.start import open_workspace
from lighttea.solve.workspace import Workspace
from lighttea.types import A, Bools, Floats, Ints, LeftIds, NumpyArray, RightIds


@dataclass(frozen=True)
class Task:
    """Two graphs of numbers, the seeds, and the truth kept apart for the evaluation."""

    left: Graph
    right: Graph
    seeds: Links
    truth: Links
    counts: Mapping[str, int] = field(default_factory=dict)  # of what was changed in the data
    pairs: Links = field(default_factory=Links.none)  # all of the dataset, removed ones too
    literals: bool = False  # whether the graphs have their names and attributes


@dataclass(frozen=True)
class Ranked:
    """All candidates of a round with their values, in plain memory, and the truth among them."""

    candidates: Candidates[NumpyArray]
    value: Floats
    row: Ints  # of the truth's left entities
    is_true: Bools  # (n_truth, k) where the right one stands


def run_task(
    task: Task,
    config: Config,
    *,
    protocol: str,
    engine: EngineName,
    progress: Progress,
    scheduler: str | None = None,
) -> dict[str, Any]:
    """Align without the truth, judge each round with it.

    Literals count only where both the settings and the task have them. In the open protocol a run
    that finds nothing to begin with has no links and no rounds.
    """
    config = replace(config, literals=config.literals and task.literals)
    seconds = partial(_since, time.perf_counter(), dict(progress.seconds), progress)
    few = worthwhile_threads(len(task.left.entities), len(task.right.entities))
    with limited_threads(config.threads or few):
        left, right = protocol_ids(task, protocol)
        problem, used = pose_problem(
            *(task.left, task.right, task.seeds, config, progress), left_ids=left, right_ids=right
        )
        with closing(open_workspace(engine, problem, used, scheduler=scheduler)) as work:
            course, start, seed_check = _judge_rounds(work, used, task, protocol, seconds)
    last = course[-1] if course else _judge_abstention(task, len(problem.left))
    figures = {name: value for name, value in _rounded(last).items() if name in _FIGURES}
    if protocol == "open":
        figures["abstained"] = not course
    if start is not None:
        figures |= _rounded(_judge_start(start, task))
    figures |= seed_figures(seed_check)
    return {
        "random_seed": config.random_seed,
        "engine": work.engine.name,
        **task.counts,
        **figures,
        "rounds": course,
    }


def _judge_rounds(
    work: Workspace[A],
    config: Config,
    task: Task,
    protocol: str,
    seconds: Callable[[], dict[str, float]],
) -> tuple[list[dict[str, Any]], StartingPairs | None, SeedCheck | None]:
    """Return the figures of all rounds, the pairs to begin with, and what is told of the seeds.

    None where there are none.
    """
    course: list[dict[str, Any]] = []
    start, seed_check = None, None
    try:
        for step in solve(work, config):
            with work.progress.stage("evaluate"):
                course.append(judge_round(work, step.result, task, protocol))
                start = step.start
            if step.state is None:
                seed_check = _check_seeds(work, step.result)
            del step
            course[-1]["seconds"] = seconds()
    except StartError as error:
        if protocol != "open":
            raise
        work.progress.warn(f"no links: {error}")
    return course, start, seed_check


def _check_seeds(work: Workspace[A], result: Round[A]) -> SeedCheck | None:
    """Return what the last round says of the seeds."""
    links = likely_links(work, work.strike_decoys(result.candidates), result.assignment)
    return check_seeds(work.problem, links, result.settings, work.literal_tokens)


def seed_figures(check: SeedCheck | None) -> dict[str, Any]:
    """Return the share of seeds that look wrong, its interval, and how many were judged."""
    if check is None:
        return {}
    return {
        "wrong_seeds_estimate": round(check.share, 4),
        "wrong_seeds_interval": [round(check.low, 4), round(check.high, 4)],
        "n_judged_seeds": check.n_judged,
        "wrong_seeds_told": check.is_notable,
    }


def protocol_ids(task: Task, protocol: str) -> tuple[LeftIds | None, RightIds | None]:
    """Return the entities to align and the possible candidates.

    closed: those of the test pairs; open (None): all but the seeds, dangling ones included.
    """
    if protocol == "closed":
        return LeftIds(np.sort(task.truth.left)), RightIds(np.sort(task.truth.right))
    return None, None


def judge_round(work: Workspace[A], result: Round[A], task: Task, protocol: str) -> dict[str, Any]:
    """Return what a round did, and how right it was."""
    ranked = rank_truth(work, result, task)
    figures = _rounded(_judge(ranked).to_dict())
    if protocol == "open":
        figures |= _rounded(_judge_links(work, result, task))
    return {
        **figures,
        **_judge_promotion(result, task),
        **estimates(result),
        **search_figures(result),
        "candidate_recall": _candidate_recall(ranked),
        "settings": chosen_settings(result.settings),
    }


_FIGURES = (
    *("hits@1", "hits@5", "hits@10", "mrr", "n", "n_unranked"),
    *("calibration_error", "calibration_error_interval", "n_calibrated", "reliability"),
    *("n_links", "mean_confidence", "n_confident", "confident_precision"),
    *("confident_precision_interval", "confident_share_of_left", "links_calibration_error"),
    *("n_named_links", "named_calibration_error", "n_named_confident", "named_confident_precision"),
    *("named_precision", "named_recall", "named_f1", "precision", "recall", "f1"),
    *("precision_many_to_one", "recall_many_to_one", "f1_many_to_one"),
)  # of the last round, which are those of the run


def rank_truth(work: Workspace[A], result: Round[A], task: Task) -> Ranked:
    """Return the candidates of all left entities, and where the true ones stand."""
    engine, problem = work.engine, work.problem
    parts = engine.map(plain_candidates, work.strike_decoys(result.candidates))
    candidates = join_candidates([engine.fetch(part) for part in parts])
    values = [engine.fetch(part) for part in engine.map(plain_table, result.assignment.value)]
    row = np.searchsorted(problem.left, task.truth.left)
    place = np.searchsorted(problem.right, task.truth.right)
    is_true = gold_mask(candidates.index[row], place)
    return Ranked(candidates, join_tables(values, 0), row, is_true)


def plain_table(ops: Ops[A], table: A) -> NumpyArray:
    """Return a table of a block in plain memory."""
    return ops.to_numpy(table)


def _judge(ranked: Ranked) -> Ranking:
    """Rank each test pair's right entity among the candidates of its left one."""
    value, valid = ranked.value[ranked.row], ranked.candidates.valid[ranked.row]
    return ranking_figures(realistic_ranks(value, valid, ranked.is_true))


def _candidate_recall(ranked: Ranked) -> dict[str, float]:
    """Return how many true counterparts are candidates, in all and by what proposed them."""
    source = ranked.candidates.source[ranked.row]
    shares = {"all": float(ranked.is_true.any(axis=1).mean())}
    for name, bit in SOURCES.items():
        shares[name] = float((ranked.is_true & (source & bit > 0)).any(axis=1).mean())
    return _rounded(shares)


def _judge_links(work: Workspace[A], result: Round[A], task: Task) -> dict[str, Any]:
    """Return precision, recall and F1 of the links; a link of a dangling entity is wrong.

    Once as `align` gives them, no entity twice and none below `min_confidence`, and once without
    that: every left entity is linked to its best candidate, whatever else is linked to it. Named
    figures leave out the links that the truth cannot judge. The calibration error is that of all
    one-to-one links, the ones left out too.
    """
    tables = result.candidates, result.assignment
    every, links = one_to_one_matches(work.engine, *tables), matches_of(work, result)
    best = best_candidates(work.engine, *tables)
    every_right, links_right, best_right = (_are_true(work, m, task) for m in (every, links, best))
    is_named = _have_named_end(work, links, task)
    return {
        **calibration_figures(every.confidence, every_right),
        **confidence_figures(links.confidence, links_right, len(work.problem.left)),
        **named_figures(links.confidence, links_right, is_named),
        **_link_shares(links_right[is_named], task, "named_{}"),
        **_link_shares(links_right, task),
        **_link_shares(best_right, task, "{}_many_to_one"),
    }


def _link_shares(is_right: Bools, task: Task, called: str = "{}") -> dict[str, float]:
    """Return precision, recall and F1 of links, under the names that `called` makes."""
    judged = link_figures(len(is_right), int(is_right.sum()), len(task.truth))
    shares = ("precision", "recall", "f1")
    return {called.format(name): getattr(judged, name) for name in shares}


def _judge_abstention(task: Task, n_left: int) -> dict[str, Any]:
    """Return the figures of a run without any link."""
    confidence, is_right = np.empty(0, np.float32), np.empty(0, bool)
    return {
        **ranking_figures(np.full(len(task.truth), np.inf)).to_dict(),
        **calibration_figures(confidence, is_right),
        **confidence_figures(confidence, is_right, n_left),
        **named_figures(confidence, is_right, is_right),
        **_link_shares(is_right, task, "named_{}"),
        **_link_shares(is_right, task),
        **_link_shares(is_right, task, "{}_many_to_one"),
    }


def _judge_promotion(result: Round[A], task: Task) -> dict[str, float]:
    """Return how many pairs were promoted and how many of them are true."""
    right = _is_true(result.promoted.left, result.promoted.right, task)
    precision = float(right.mean()) if len(right) else 0.0
    return {"promoted": len(right), "promoted_precision": round(precision, 4)}


def _judge_start(start: StartingPairs, task: Task) -> dict[str, float]:
    """Return how many pairs were found to begin with, their estimated and their true precision."""
    left = LeftIds(start.links.left[len(task.seeds) :])
    right = RightIds(start.links.right[len(task.seeds) :])
    if not len(left):
        return {}
    return {
        "found_seeds": len(left),
        "found_seeds_said": round(start.precision, 4),
        "found_seeds_precision": float(_is_true(left, right, task).mean()),
    }


def _have_named_end(work: Workspace[A], matches: PlainBest, task: Task) -> Bools:
    """Return which links have an end in a pair of the dataset, so that the truth judges them."""
    links = work.links_of(matches.row, matches.place)
    named = np.isin(links.left, task.pairs.left) | np.isin(links.right, task.pairs.right)
    return np.asarray(named)


def _are_true(work: Workspace[A], matches: PlainBest, task: Task) -> Bools:
    links = work.links_of(matches.row, matches.place)
    return _is_true(links.left, links.right, task)


def _is_true(left: LeftIds, right: RightIds, task: Task) -> Bools:
    """Return which of these links are in the truth."""
    partner = np.full(len(task.left.entities), -1)
    partner[task.truth.left] = task.truth.right
    return np.asarray(partner[left] == right)


def _since(begin: float, before: dict[str, float], progress: Progress) -> dict[str, float]:
    """Return seconds by stage and in all since a run began, loading aside."""
    stages = {
        n: round(s - before.get(n, 0.0), 3) for n, s in progress.seconds.items() if n != "load"
    }
    return {**stages, "total": round(time.perf_counter() - begin, 3)}


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    return {n: round(v, 4) if isinstance(v, float) else v for n, v in figures.items()}
