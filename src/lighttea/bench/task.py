"""One alignment with a truth kept apart: what it may see, and how each round is judged.

Needs no more libraries than the compute core, so that it runs on a bare machine with a GPU.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from lighttea.assign.decode import one_to_one
from lighttea.assign.sinkhorn import Assignment
from lighttea.config import Config
from lighttea.engines import start_engine
from lighttea.engines.base import Engine
from lighttea.evaluate.calibration import expected_calibration_error
from lighttea.evaluate.ranking import (
    Ranking,
    gold_mask,
    link_figures,
    ranking_figures,
    realistic_ranks,
)
from lighttea.evidence.names import name_tokens
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links, Pair
from lighttea.kernels.threads import limited_threads
from lighttea.progress import Progress
from lighttea.similarity.sources import SOURCES
from lighttea.similarity.topk import Candidates
from lighttea.solve.bootstrap import first_seeds
from lighttea.solve.problem import Problem, fit_to_data
from lighttea.solve.record import chosen_settings, estimates, links_of, search_figures
from lighttea.solve.round import Round
from lighttea.solve.rounds import rounds
from lighttea.types import Bools, Ints, LeftIds, RightIds


@dataclass(frozen=True)
class Task:
    """Two graphs of numbers, the seeds, and the truth kept apart for the evaluation."""

    left: Graph
    right: Graph
    seeds: Links
    truth: Links


def run_task(
    task: Task,
    config: Config,
    *,
    protocol: str,
    engine: str,
    progress: Progress,
    cluster: str | None = None,
) -> dict[str, Any]:
    """Align without the truth, judge each round with it."""
    begin, before = time.perf_counter(), dict(progress.seconds)
    course: list[dict[str, Any]] = []
    with (
        limited_threads(config.threads),
        closing(_begun(task, config, protocol, engine, cluster, progress)) as on,
    ):
        used = fit_to_data(config, on.problem.pair, progress)
        seeds, told = first_seeds(on, used)
        rng = np.random.default_rng(config.random_seed)
        for result in rounds(on, config=used, rng=rng, seeds=seeds):
            with progress.stage("evaluate"):
                seen = on.on_host(result.candidates, result.assignment)
                figures = _rounded(_judge(*seen, task).to_dict())
                if protocol == "open":
                    figures |= _rounded(_judge_links(on, result, task))
                course.append({**figures, **_course(result, seen[0], task)})
                del seen
            course[-1]["seconds"] = _since(begin, before, progress)
            del result
        figures |= _rounded(_judge_seeds(seeds, told, task))
    return {"random_seed": config.random_seed, "engine": on.name, **figures, "rounds": course}


def _begun(
    task: Task, config: Config, protocol: str, engine: str, cluster: str | None, progress: Progress
) -> Engine:
    """The engine for the task, which sees the graphs and the seeds alone."""
    with progress.stage("graph"):
        pair = Pair.of(task.left, task.right, timed=config.uses_time, grains=config.grains)
    used = fit_to_data(config, pair, progress)
    names = list(name_tokens(pair, task.left, task.right)) if used.names else []
    problem = Problem(pair, *_asked(task, pair, protocol), task.seeds, progress, names=names)
    return start_engine(engine, problem, used, cluster=cluster)


def _judge_seeds(seeds: Links, told: dict[str, Any], task: Task) -> dict[str, float]:
    """How many pairs were found to begin with, how many are right by their word and by truth."""
    left = LeftIds(seeds.left[len(task.seeds) :])
    right = RightIds(seeds.right[len(task.seeds) :])
    if not len(left):
        return {}
    return {
        "found_seeds": len(left),
        "found_seeds_said": told["found_seeds_precision"],
        "found_seeds_precision": float(_is_true(left, right, task).mean()),
    }


def _asked(task: Task, pair: Pair, protocol: str) -> tuple[LeftIds, RightIds]:
    """closed: the entities of the test pairs; open: all but the seeds, dangling ones included."""
    if protocol == "closed":
        return LeftIds(np.sort(task.truth.left)), RightIds(np.sort(task.truth.right))
    left = LeftIds(np.setdiff1d(pair.all_left, task.seeds.left))
    return left, RightIds(np.setdiff1d(pair.all_right, task.seeds.right))


def _judge(candidates: Candidates, assignment: Assignment, task: Task) -> Ranking:
    """Rank each test pair's right entity among the candidates of its left one."""
    row, gold = _gold(candidates, task)
    value, valid = assignment.value[row], candidates.valid[row]
    return ranking_figures(realistic_ranks(value, valid, gold))


def _gold(candidates: Candidates, task: Task) -> tuple[Ints, Bools]:
    """The rows of the truth's left entities, and where in them the right ones stand."""
    row = np.searchsorted(candidates.left, task.truth.left)
    place = np.searchsorted(candidates.right, task.truth.right)
    return row, gold_mask(candidates.index[row], place)


def _judge_links(on: Engine, result: Round, task: Task) -> dict[str, float]:
    """Precision, recall and F1 of the links given; a link of a dangling entity is wrong.

    Once as `align` gives them, no entity twice and none below `min_confidence`, and once without
    that: every left entity is linked to its best candidate, whoever else is. The calibration error
    is that of all links, the ones left out too.
    """
    best = on.best(result.candidates, result.assignment)
    all_links = one_to_one(best)
    right = _is_true(all_links.left, all_links.right, task)
    figures = {"calibration_error": expected_calibration_error(all_links.confidence, right)}
    for links, suffix in ((links_of(on, result), ""), (best, "_many_to_one")):
        n_correct = int(_is_true(links.left, links.right, task).sum())
        judged = link_figures(len(links.left), n_correct, len(task.truth))
        figures |= {f"{n}{suffix}": getattr(judged, n) for n in ("precision", "recall", "f1")}
    return figures


def _course(result: Round, candidates: Candidates, task: Task) -> dict[str, Any]:
    """What a round did and chose, and how that turned out."""
    return {
        **_promotion(result, task),
        **estimates(result),
        **search_figures(result),
        "candidate_recall": _recall(candidates, task),
        "settings": chosen_settings(result.settings),
    }


def _recall(candidates: Candidates, task: Task) -> dict[str, float]:
    """How many true counterparts are among the candidates, in all and by who found them."""
    row, gold = _gold(candidates, task)
    found = {"all": float(gold.any(axis=1).mean())}
    if candidates.source is not None:
        source = candidates.source[row]
        for name, bit in SOURCES.items():
            found[name] = float((gold & (source & bit > 0)).any(axis=1).mean())
    return _rounded(found)


def _promotion(result: Round, task: Task) -> dict[str, float]:
    """How many pairs joined the seeds and how many of them are true."""
    right = _is_true(result.promoted.left, result.promoted.right, task)
    precision = float(right.mean()) if len(right) else 0.0
    return {"promoted": len(right), "promoted_precision": round(precision, 4)}


def _is_true(left: LeftIds, right: RightIds, task: Task) -> Bools:
    """Which of these links are in the truth."""
    partner = np.full(len(task.left.entities), -1)
    partner[task.truth.left] = task.truth.right
    return np.asarray(partner[left] == right)


def _since(begin: float, before: dict[str, float], progress: Progress) -> dict[str, float]:
    """Seconds by stage and in all since a run began, loading aside."""
    stages = {
        n: round(s - before.get(n, 0.0), 3) for n, s in progress.seconds.items() if n != "load"
    }
    return {**stages, "total": round(time.perf_counter() - begin, 3)}


def _rounded(figures: dict[str, float]) -> dict[str, float]:
    return {n: round(v, 4) if isinstance(v, float) else v for n, v in figures.items()}
