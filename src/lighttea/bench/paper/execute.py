"""Run experiments that are not finished yet, each in a process of its own.

The peak of memory belongs to a process, so an experiment that shares one would be charged for its
predecessors.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from lighttea.bench.paper.experiments import PRESET, Experiment
from lighttea.bench.paper.progress import PaperProgress
from lighttea.bench.paper.store import Record, Store
from lighttea.bench.paper.subjects import Subject
from lighttea.bench.run import bench_run
from lighttea.config import make_config
from lighttea.errors import LightteaError
from lighttea.kernels.process import without_interrupts
from lighttea.progress import Progress
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

Runner = Callable[[Experiment, Path], dict[str, Any]]


@dataclass(frozen=True)
class Outcome:
    """The results, and the reasons of those experiments that failed."""

    records: Mapping[Experiment, Record]
    failures: Mapping[Experiment, str]


class _QuietProgress(Progress):
    """Keeps warnings with the result and does not show them."""

    def show_warning(self, message: str) -> None:
        """Show nothing."""


class ExperimentFailed(LightteaError):  # noqa: N818 - reads as a state
    """An experiment could not be finished; the others go on."""


def run_all(
    experiments: Mapping[Experiment, Subject], store: Store, runner: Runner, progress: PaperProgress
) -> Outcome:
    """Load the finished experiments, run the others, and write each result at once."""
    records = {x: record for x in experiments if (record := store.load(x))}
    failures: dict[Experiment, str] = {}
    rest = {x: subject for x, subject in experiments.items() if x not in records}
    clock = _Clock(sum(estimate_work(x, subject) for x, subject in rest.items()))
    for experiment, subject in rest.items():
        done = len(records) + len(failures)
        settings = f"{experiment.n_seeds:,} seeds, {experiment.protocol}"
        method = experiment.method if experiment.preset == PRESET else experiment.preset
        name = f"{subject.folder.name}: {method}, {settings}"
        progress.begin_experiment(name, done=done, total=len(experiments))
        try:
            records[experiment] = store.save(experiment, runner(experiment, subject.folder))
        except ExperimentFailed as error:
            failures[experiment] = str(error)
        progress.report_time_left(clock.estimate_rest(estimate_work(experiment, subject)))
    return Outcome(records, failures)


class _Clock:
    """Estimates the seconds left from the rate of the work done so far."""

    def __init__(self, total: float) -> None:
        self._total, self._done, self._begin = total, 0.0, time.monotonic()

    def estimate_rest(self, just_done: float) -> float:
        """Return the seconds that the rest will take, after this work was done."""
        self._done += just_done
        return (time.monotonic() - self._begin) * (self._total / self._done - 1)


def estimate_work(experiment: Experiment, subject: Subject) -> float:
    """Return about how many operations an experiment takes; only ratios are used."""
    config, sizes = experiment.config, subject.statistics
    pairs, facts = (sizes.pairs or 0) - experiment.n_seeds, sum(sizes.facts or ())
    sides = (pairs, pairs) if experiment.protocol == "closed" else sizes.entities or (0, 0)
    width = config.dim * config.sketch_factor * (2 if config.temporal_weight > 0 else 1)
    search, propagation = 2 * sides[0] * sides[1] * width, 180 * facts * width
    return 3e11 + config.rounds * (search + propagation)


def run_here(experiment: Experiment, folder: Path) -> dict[str, Any]:
    """Run an experiment in this process and return its raw result."""
    progress = _QuietProgress()
    try:
        result = bench_run(
            folder,
            n_seeds=experiment.n_seeds,
            config=experiment.config,
            method=experiment.method,
            preset=experiment.preset,
            runs=1,
            protocol=experiment.protocol,
            progress=progress,
        )
    except MemoryError:
        raise ExperimentFailed("out of memory") from None
    except LightteaError as error:
        raise ExperimentFailed(str(error)) from None
    return {**result, "warnings": progress.warnings}


def run_apart(experiment: Experiment, folder: Path) -> dict[str, Any]:
    """Run an experiment in a fresh process and return its raw result.

    The process never sees Ctrl-C: this one receives it too, and ends it.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run_in_child, args=(sender, experiment, folder), daemon=True)
    result: dict[str, Any]
    try:
        with without_interrupts():
            process.start()
        sender.close()
        result, problem = receiver.recv()
    except EOFError:
        problem = "its process was killed, probably for lack of memory"
    finally:
        if process.pid is not None:
            process.terminate()  # it has nothing left to do, unless this one was interrupted
            process.join()
    if problem:
        raise ExperimentFailed(problem)
    return result


def _run_in_child(connection: Connection, experiment: Experiment, folder: Path) -> None:
    try:
        connection.send((run_here(experiment, folder), None))
    except ExperimentFailed as error:
        connection.send((None, str(error)))


def warm_up(runner: Runner) -> None:
    """Compile the kernels into their cache, so that no experiment is charged for it."""
    config = make_config(PRESET, dim=16, top_k=10, rounds=2)
    with tempfile.TemporaryDirectory() as folder:
        dataset = Path(folder) / "warm-up"
        write_synth(dataset, SynthConfig(entities=100, seeds=20))
        runner(Experiment("", 20, "lighttea", "open", config), dataset)
