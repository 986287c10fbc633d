"""`lighttea bench run`: one method on one dataset, several times."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

import lighttea
from lighttea.api import first_seeds, fit_to_data
from lighttea.assign.decode import one_to_one
from lighttea.assign.sinkhorn import Assignment
from lighttea.bench.protocol import Task, draw_task
from lighttea.config import Config
from lighttea.engines import ENGINES, checked_cluster, checked_engine, start_engine
from lighttea.engines.base import Engine
from lighttea.errors import ConfigError
from lighttea.evaluate.calibration import expected_calibration_error
from lighttea.evaluate.ranking import Ranking, gold_mask, link_figures, ranking, realistic_ranks
from lighttea.evidence.names import name_tokens
from lighttea.graph.pair import Pair
from lighttea.graph.views import Views
from lighttea.io.benchmark import Dataset, read_dataset
from lighttea.iterate import rounds
from lighttea.job import Job
from lighttea.kernels.threads import limited_threads
from lighttea.outcome import chosen_settings, estimates, links_of, search_figures
from lighttea.pipeline import Round
from lighttea.similarity.sources import SOURCES
from lighttea.similarity.topk import Candidates
from lighttea.stages import STAGES, Watch, peak_rss_mb
from lighttea.types import Bools, Ints, LeftIds, RightIds

PROTOCOLS = ("closed", "open")


def bench_run(
    folder: str | Path,
    *,
    n_seeds: int,
    config: Config,
    method: str = "lighttea",
    preset: str = "paper",
    runs: int = 5,
    protocol: str = "closed",
    removed: float = 0.0,
    engine: str = ENGINES[0],
    cluster: str | None = None,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """Run the method `runs` times and average; run i starts its generator at random_seed + i.

    `removed` is the share of right counterparts that are taken out of the right graph first.
    """
    if protocol not in PROTOCOLS:
        raise ConfigError(f"protocol must be closed or open; got {protocol!r}")
    if runs < 1:
        raise ConfigError(f"runs must be >= 1; got {runs}")
    checked_cluster(checked_engine(engine), cluster)
    watch = watch or Watch()
    begin = time.perf_counter()
    with watch.stage("load"):
        dataset = read_dataset(_found(Path(folder)))
    per_run = []
    for number in range(runs):
        used = replace(config, random_seed=config.random_seed + number)
        per_run.append(_one_run(dataset, n_seeds, used, protocol, removed, engine, cluster, watch))
    total = time.perf_counter() - begin
    return {
        "dataset": dataset.name,
        "method": method,
        "preset": preset,
        "seeds": n_seeds,
        "runs": runs,
        "mean": _over_runs(per_run, np.mean),
        "std": _over_runs(per_run, np.std),
        "per_run": per_run,
        "seconds": _seconds_a_run(watch, runs, total),
        "peak_rss_mb": round(peak_rss_mb(), 1),
        "protocol": protocol,
        "removed": removed,
        "names": config.names,
        "engine": engine,
        "version": lighttea.__version__,
        "config": asdict(config),
    }


def _found(folder: Path) -> Path:
    """The folder, or the one of that name in LIGHTTEA_DATA."""
    data = os.environ.get("LIGHTTEA_DATA")
    beside = Path(data) / folder if data else folder
    return beside if beside.is_dir() and not folder.is_dir() else folder


def _one_run(
    dataset: Dataset,
    n_seeds: int,
    config: Config,
    protocol: str,
    removed: float,
    engine: str,
    cluster: str | None,
    watch: Watch,
) -> dict[str, Any]:
    """Align without the truth, judge each round with it."""
    begin, before = time.perf_counter(), dict(watch.seconds)
    rng = np.random.default_rng([config.random_seed, 1])
    task = draw_task(dataset, n_seeds, rng, removed, names=config.names)
    course: list[dict[str, Any]] = []
    with limited_threads(config.threads):
        for on, result in _task_rounds(task, config, protocol, engine, cluster, watch):
            with watch.stage("evaluate"):
                seen = on.on_host(result.candidates, result.assignment)
                figures = _rounded(_judge(*seen, task).to_dict())
                if protocol == "open":
                    figures |= _rounded(_judge_links(on, result, task))
                course.append({**figures, **_course(result, seen[0], task)})
                del seen
            course[-1]["seconds"] = _since(begin, before, watch)
            del result
    return {"random_seed": config.random_seed, **figures, "rounds": course}


def _task_rounds(
    task: Task, config: Config, protocol: str, engine: str, cluster: str | None, watch: Watch
) -> Iterator[tuple[Engine, Round]]:
    """The rounds of one alignment, which sees the graphs and the seeds alone."""
    with watch.stage("graph"):
        pair = Pair.of(task.left, task.right, timed=config.uses_time, grains=config.grains)
        views = Views.of(pair)
    used = fit_to_data(config, pair, watch)
    names = list(name_tokens(pair, task.left, task.right)) if used.names else []
    job = Job(pair, views, *_asked(task, pair, protocol), task.seeds, watch, names=names)
    with closing(start_engine(engine, job, used, cluster=cluster)) as on:
        seeds, _ = first_seeds(on, used)
        rng = np.random.default_rng(config.random_seed)
        for result in rounds(on, config=used, rng=rng, seeds=seeds):
            yield on, result
            del result


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
    return ranking(realistic_ranks(value, valid, gold))


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


def _over_runs(per_run: Sequence[dict[str, Any]], how: Any) -> dict[str, float]:
    names = [n for n in per_run[0] if isinstance(per_run[0][n], float)]
    return {name: round(float(how([run[name] for run in per_run])), 4) for name in names}


def _rounded(figures: dict[str, float]) -> dict[str, float]:
    return {n: round(v, 4) if isinstance(v, float) else v for n, v in figures.items()}


def _since(begin: float, before: dict[str, float], watch: Watch) -> dict[str, float]:
    """Seconds by stage and in all since a run began, loading aside."""
    stages = {n: round(s - before.get(n, 0.0), 3) for n, s in watch.seconds.items() if n != "load"}
    return {**stages, "total": round(time.perf_counter() - begin, 3)}


def _seconds_a_run(watch: Watch, runs: int, total: float) -> dict[str, float]:
    """Mean seconds of a run by stage; loading is done once for all and not divided."""
    seconds = {
        name: round(watch.seconds.get(name, 0.0) / (1 if name == "load" else runs), 3)
        for name in dict.fromkeys([*STAGES, *watch.seconds, "evaluate"])  # more where more is done
    }
    load = watch.seconds.get("load", 0.0)
    return {**seconds, "total": round(load + (total - load) / runs, 3)}
