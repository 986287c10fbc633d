"""`lighttea bench run`: one method on one dataset, several times."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from lighttea.bench.protocol import draw_task
from lighttea.bench.settings import BenchSettings, Changes, Protocol
from lighttea.bench.task import run_task
from lighttea.config import DEFAULT_ENGINE, Config, EngineName, Method, preset_name
from lighttea.engines import check_engine, check_scheduler
from lighttea.errors import ConfigError
from lighttea.io.benchmark import Dataset, read_dataset
from lighttea.progress import STAGES, Progress, peak_rss_mb
from lighttea.version import __version__


def bench_run(
    folder: str | Path,
    *,
    n_seeds: int = 0,
    config: Config,
    literals: bool = False,
    method: Method = BenchSettings.method,
    preset: str | None = None,
    runs: int = BenchSettings.runs,
    protocol: Protocol | None = BenchSettings.protocol,
    removed: float = BenchSettings.removed,
    kept_facts: float = BenchSettings.kept_facts,
    scrambled: bool = BenchSettings.scrambled,
    wrong_seeds: float = BenchSettings.wrong_seeds,
    engine: EngineName = DEFAULT_ENGINE,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run the method `runs` times and average; run i starts its generator at random_seed + i.

    `config` has the settings of the method; `method` and `preset` are written beside the figures.
    The method sees names and literals only with `literals`, whatever the settings say. `protocol`
    is closed where it is not given, and open where the graphs are as users have them.
    `removed` is the share of right counterparts that are taken out of the right graph first,
    `kept_facts` the share of the common facts that stay common, `wrong_seeds` that of the seeds
    with a wrong right entity; in a `scrambled` right graph nothing is right.
    """
    changes = Changes(
        removed=removed, kept_facts=kept_facts, scrambled=scrambled, wrong_seeds=wrong_seeds
    )
    BenchSettings(method=method, runs=runs, protocol=protocol, **asdict(changes))  # checks them
    check_scheduler(check_engine(engine), scheduler)
    preset = preset or preset_name(config)
    config = _with_literals(config, literals=literals)
    progress = progress or Progress()
    begin, begin_cpu = time.perf_counter(), _cpu_seconds()
    with progress.stage("load"):
        dataset = read_dataset(_found(Path(folder)))
    _tell_notes(dataset, progress)
    protocol = protocol or ("open" if dataset.own_ids else "closed")
    load_cpu = _cpu_seconds() - begin_cpu
    per_run = []
    for number in range(runs):
        if number:
            progress.run_begins(number + 1, runs)
        used = replace(config, random_seed=config.random_seed + number)
        rng = np.random.default_rng([used.random_seed, 1])
        run_cpu = _cpu_seconds()
        task = draw_task(dataset, n_seeds, rng, changes, literals=literals)
        where: dict[str, Any] = {"engine": engine, "scheduler": scheduler}
        figures = run_task(task, used, protocol=protocol, progress=progress, **where)
        per_run.append({**figures, "cpu_seconds": round(_cpu_seconds() - run_cpu, 3)})
    total = time.perf_counter() - begin
    cpu = load_cpu + sum(run["cpu_seconds"] for run in per_run) / runs
    return {
        "dataset": dataset.name,
        "method": method,
        "preset": preset,
        "seeds": n_seeds,
        "runs": runs,
        "mean": _over_runs(per_run, np.mean),
        "std": _over_runs(per_run, np.std),
        "per_run": per_run,
        "seconds": _seconds_a_run(progress, runs, total),
        "cpu_seconds": round(cpu, 3),
        "peak_rss_mb": round(peak_rss_mb(), 1),
        "protocol": protocol,
        **asdict(changes),
        "literals": literals,
        "names": literals,  # as they were called before
        "engine": per_run[0]["engine"],
        "version": __version__,
        "config": asdict(config),
    }


def _with_literals(config: Config, *, literals: bool) -> Config:
    """Return the settings with literals on or off, where they can be."""
    if literals and not config.consensus:
        raise ConfigError(
            "literals are part of consensus, whose weight is 0; use the preset best, or leave "
            "`literals` out"
        )
    return replace(config, literals=literals)


def _tell_notes(dataset: Dataset, progress: Progress) -> None:
    """Pass on what the reader of a user's graphs remarked, as `align` does."""
    for graph in (dataset.left, dataset.right) if dataset.own_ids else ():
        for note in graph.notes:
            progress.warn(f"{graph.source}: {note}")


def _cpu_seconds() -> float:
    """Return the processor time of this process so far, and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _found(folder: Path) -> Path:
    """The folder, or the one of that name in LIGHTTEA_DATA."""
    data = os.environ.get("LIGHTTEA_DATA")
    beside = Path(data) / folder if data else folder
    return beside if beside.is_dir() and not folder.is_dir() else folder


def _over_runs(per_run: Sequence[dict[str, Any]], how: Any) -> dict[str, float]:
    numbers = (n for n in per_run[0] if all(isinstance(run.get(n), float) for run in per_run))
    names = [name for name in numbers if name != "cpu_seconds"]
    return {name: round(float(how([run[name] for run in per_run])), 4) for name in names}


def _seconds_a_run(progress: Progress, runs: int, total: float) -> dict[str, float]:
    """Mean seconds of a run by stage; loading is done once for all and not divided."""
    seconds = {
        name: round(progress.seconds.get(name, 0.0) / (1 if name == "load" else runs), 3)
        for name in dict.fromkeys(
            [*STAGES, *progress.seconds, "evaluate"]
        )  # more where more is done
    }
    load = progress.seconds.get("load", 0.0)
    return {**seconds, "total": round(load + (total - load) / runs, 3)}
