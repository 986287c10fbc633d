"""Running experiments: what is finished is not run again, each in a process of its own.

The peak of memory belongs to a process, so an experiment that shares one would be charged for its
predecessors.
"""

from __future__ import annotations

import multiprocessing
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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
from lighttea.progress import Progress
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

Runner = Callable[[Experiment, Path], dict[str, Any]]


@dataclass(frozen=True)
class Outcome:
    """Every result, and why there is none where an experiment failed."""

    records: Mapping[Experiment, Record]
    failures: Mapping[Experiment, str]


class _QuietWatch(Progress):
    """Warnings are kept with the result and not shown."""

    def show_warning(self, message: str) -> None:
        """Say nothing."""


class ExperimentFailed(LightteaError):  # noqa: N818 - reads as a state
    """An experiment could not be finished; the others go on."""


def run_all(
    experiments: Mapping[Experiment, Subject], store: Store, runner: Runner, progress: PaperProgress
) -> Outcome:
    """Load what is there, run the rest, write each result at once."""
    records = {one: found for one in experiments if (found := store.load(one))}
    failures: dict[Experiment, str] = {}
    rest = {one: experiments[one] for one in experiments if one not in records}
    clock = _Clock(sum(work(one, subject) for one, subject in rest.items()))
    for one, subject in rest.items():
        done = len(records) + len(failures)
        what = f"{subject.folder.name}: {one.method}, {one.n_seeds:,} seeds, {one.protocol}"
        progress.begins(what, done=done, total=len(experiments))
        try:
            records[one] = store.save(one, runner(one, subject.folder))
        except ExperimentFailed as error:
            failures[one] = str(error)
        progress.estimates(clock.seconds_left(work(one, subject)))
    return Outcome(records, failures)


class _Clock:
    """Seconds left, when all work is done at the rate of that done so far."""

    def __init__(self, total: float) -> None:
        self._total, self._done, self._begin = total, 0.0, time.monotonic()

    def seconds_left(self, just_done: float) -> float:
        self._done += just_done
        return (time.monotonic() - self._begin) * (self._total / self._done - 1)


def work(experiment: Experiment, subject: Subject) -> float:
    """About how many operations an experiment takes; only ratios are used."""
    config, sizes = experiment.config, subject.statistics
    pairs, facts = (sizes.pairs or 0) - experiment.n_seeds, sum(sizes.facts or ())
    asked = (pairs, pairs) if experiment.protocol == "closed" else sizes.entities or (0, 0)
    width = config.dim * config.sketch_factor * (2 if config.temporal_weight > 0 else 1)
    search, propagation = 2 * asked[0] * asked[1] * width, 180 * facts * width
    return 3e11 + config.rounds * (search + propagation)


def run_here(experiment: Experiment, folder: Path) -> dict[str, Any]:
    """Run an experiment in this process."""
    progress = _QuietWatch()
    try:
        result = bench_run(
            folder,
            n_seeds=experiment.n_seeds,
            config=experiment.config,
            method=experiment.method,
            preset=PRESET,
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
    """Run an experiment in a fresh process, which ends with this one's interruption."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_in_child, args=(theirs, experiment, folder), daemon=True)
    with _deaf():  # the child stays deaf: this process is told of Ctrl-C too, and ends it
        process.start()
    theirs.close()
    try:
        result, problem = ours.recv()
    except EOFError:
        result, problem = None, "its process was killed; was there memory enough?"
    finally:
        process.terminate()  # which has nothing left to do, unless this one was interrupted
        process.join()
    if problem:
        raise ExperimentFailed(problem)
    found: dict[str, Any] = result
    return found


@contextmanager
def _deaf() -> Iterator[None]:
    """Ignore Ctrl-C; what is started inside inherits that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _in_child(connection: Connection, experiment: Experiment, folder: Path) -> None:
    try:
        connection.send((run_here(experiment, folder), None))
    except ExperimentFailed as error:
        connection.send((None, str(error)))


def warm_up(runner: Runner) -> None:
    """Compile the kernels into their cache, so that no experiment is charged for it."""
    config = make_config(PRESET, dim=16, top_k=10, rounds=2)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "warm-up"
        write_synth(made, SynthConfig(entities=100, seeds=20))
        runner(Experiment("", 20, "lighttea", "open", config), made)
