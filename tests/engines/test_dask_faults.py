"""What goes wrong with Dask: killed workers, a lost scheduler, no memory, Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import psutil
import pytest

import lighttea
from lighttea.cli import run_command
from lighttea.engines.dask import connection, stuck
from lighttea.engines.dask.connection import Connection
from lighttea.example import example_file
from lighttea.progress import Progress
from lighttea.results.run import Run
from lighttea.similarity.search import search_labels
from tests.engines.conftest import start_cluster
from tests.worlds import make_hard_world

OPTIONS: dict[str, Any] = {
    **{"preset": "best", "dim": 16, "top_k": 20, "iterations": 6, "suggestions": 10},
    **{
        "bootstrap": False,
        "consensus_passes": 2,
        "rounds": 2,
        "adapt": "temperature",
        "convergence": 0.0,
    },
}


def align_hard_world(**more: Any) -> Run:
    world = make_hard_world()
    return lighttea.align(world.left, world.right, seeds=world.seeds, **OPTIONS, **more)


@cache
def undisturbed_run() -> Run:
    """Return the run that nothing went wrong with."""
    return align_hard_world()


# -------------------------------------------------------------------------------- no memory


def bytes_to_disk(cluster: Any) -> float:
    """What the workers have written because memory was short."""
    known = cluster.scheduler.cumulative_worker_metrics.items()
    return float(sum(value for name, value in known if name[-2:] == ("disk-write", "bytes")))


@pytest.mark.slow
def test_workers_that_are_short_of_memory_spill_and_find_the_same() -> None:
    """Some 150 MiB are left to a worker beside its libraries, less than its blocks take."""
    world = make_hard_world(8)
    options: dict[str, Any] = {"preset": "paper", "dim": 512, "sketch_factor": 4, "top_k": 20}
    options |= {"seeds": world.seeds, "iterations": 6, "rounds": 1}
    whole = lighttea.align(world.left, world.right, **options).links
    with start_cluster(memory_limit=380 << 20) as cluster:
        run = lighttea.align(
            *(world.left, world.right),
            **options,
            engine="dask",
            scheduler=cluster.scheduler_address,
        )
        assert bytes_to_disk(cluster) > 10 << 20
    assert set(run.links.select("left", "right").rows()) == set(
        whole.select("left", "right").rows()
    )


@pytest.mark.slow
@pytest.mark.parametrize("mebibytes", [100, 200])
def test_workers_that_cannot_go_on_end_the_run_with_the_number(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    mebibytes: int,
) -> None:
    """A worker of 100 MiB dies of its libraries; one of 200 MiB is paused by Dask for good."""
    monkeypatch.setattr(connection, "_LEAST_MEMORY", 0)
    monkeypatch.setattr(connection, "_LOOK_SECONDS", 1)
    monkeypatch.setattr(stuck, "STUCK_SECONDS", 5)
    with start_cluster(memory_limit=mebibytes << 20) as cluster:
        cluster.scheduler.allowed_failures = 1
        more = ("--engine", "dask", "--scheduler", cluster.scheduler_address)
        assert run_command(align_words(tmp_path / "run", *more)) == 1
    said = capsys.readouterr().err
    assert re.search(rf"error: workers .*may hold {mebibytes / 1024:.2f} GiB; give them more", said)
    assert "Traceback" not in said
    assert not list(tmp_path.iterdir())


def test_a_share_of_memory_that_libraries_alone_would_fill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--engine", "dask", "--threads", "4", "--max-memory", "1")
    assert run_command(align_words(tmp_path / "run", *more)) == 2
    said = capsys.readouterr().err
    assert "a worker needs 0.30 GiB before it does any work; the smallest would have 0.25" in said
    assert "raise `--max-memory`, or use fewer workers: lower `--threads`" in said
    assert not list(tmp_path.iterdir())


def paused(disk: int = 0, **tasks: int) -> dict[str, Any]:
    metrics = {"task_counts": tasks, "spilled_bytes": {"memory": 0, "disk": disk}}
    return {"status": "paused", "metrics": metrics}


def test_only_workers_that_do_nothing_at_all_are_at_a_standstill(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stuck, "STUCK_SECONDS", 0)
    running = {**paused(ready=1), "status": "running"}
    assert stuck.Standstill().lasts({"a": paused(ready=1), "b": running})
    assert not stuck.Standstill().lasts({"a": running, "b": running})
    assert not stuck.Standstill().lasts({"a": paused(ready=1, executing=1)})
    assert not stuck.Standstill().lasts({})
    monkeypatch.setattr(stuck, "STUCK_SECONDS", 0.05)
    looks = stuck.Standstill()
    for written in range(4):  # to disk: that goes on
        assert not looks.lasts({"a": paused(disk=written, ready=1)})
        time.sleep(0.06)
    assert looks.lasts({"a": paused(disk=3, ready=1)})


# ------------------------------------------------------------------------- a lost scheduler


class Machines:
    """A scheduler and a worker as processes of their own."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "scheduler.json"
        self._started: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--port", "0", "--dashboard-address", ":0")
        self._start("worker", "--nthreads", "1", "--dashboard-address", ":0")
        deadline = time.monotonic() + 60
        while not self._file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)

    def _start(self, kind: str, *more: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self._file), *more]
        one = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._started.append(one)
        return one

    @property
    def address(self) -> str:
        found = re.search(r"tcp://[\d.:]+", self._file.read_text())
        assert found
        return found[0]

    def stop(self) -> None:
        for one in self._started:
            one.terminate()
        for one in self._started:
            one.wait(30)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    started = Machines(tmp_path)
    yield started
    started.stop()


def align_words(out: Path, *more: str) -> list[str]:
    """Return a command that aligns the bundled example in two rounds."""
    files = [str(example_file(name)) for name in ("left.tsv", "right.csv", "seeds.tsv")]
    options = ["--preset", "paper", "--dim", "16", "--top-k", "20", "--no-report", "--rounds", "2"]
    return ["align", *files[:2], "--seeds", files[2], "--out", str(out), *options, *more]


@pytest.mark.slow
def test_a_lost_scheduler_is_an_error_and_the_run_goes_on_from_its_last_round(
    tmp_path: Path,
    machines: Machines,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    searches: list[object] = []

    def search_and_lose(*arguments: Any) -> Any:
        searches.append(arguments)
        if len(searches) == 2:  # the second round's
            machines.scheduler.kill()
        return search_labels(*arguments)

    out = tmp_path / "runs" / "lost"
    with monkeypatch.context() as patched:
        patched.setattr("lighttea.solve.round.search_labels", search_and_lose)
        assert (
            run_command(align_words(out, "--engine", "dask", "--scheduler", machines.address)) == 1
        )
    said = capsys.readouterr().err
    assert re.search(r"error: the Dask scheduler at tcp://\S+ was lost .*--resume", said)
    assert "Traceback" not in said
    assert not out.exists()
    assert [path.name for path in out.parent.iterdir()] == [".lost.checkpoint"]
    assert run_command(align_words(out, "--resume")) == 0
    assert "continuing after round 1" in capsys.readouterr().err
    whole = out.with_name("whole")
    assert run_command(align_words(whole)) == 0
    one, two = (pl.read_parquet(folder / "links.parquet") for folder in (out, whole))
    assert one.select("left", "right").sort("left").equals(two.select("left", "right").sort("left"))


# -------------------------------------------------------------------------------- Ctrl-C


class Interrupted(Progress):
    """Ctrl-C while candidates are searched."""

    def entered(self, name: str) -> None:
        if name == "search":
            raise KeyboardInterrupt


@pytest.mark.slow
def test_ctrl_c_leaves_no_worker_behind() -> None:
    before = {one.pid for one in psutil.Process().children(recursive=True)}
    with pytest.raises(KeyboardInterrupt):
        align_hard_world(engine="dask", threads=1, progress=Interrupted())
    after = {one.pid for one in psutil.Process().children(recursive=True)}
    kinds = [psutil.Process(pid).cmdline() for pid in after - before]
    assert not [kind for kind in kinds if "spawn_main" in " ".join(kind)]


@pytest.mark.slow
def test_ctrl_c_leaves_a_named_scheduler_without_tasks(dask_cluster: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        align_hard_world(
            engine="dask", scheduler=dask_cluster.scheduler_address, progress=Interrupted()
        )
    deadline = time.monotonic() + 30
    while dask_cluster.scheduler.tasks and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not dask_cluster.scheduler.tasks
    assert len(dask_cluster.scheduler.workers) == 2


@pytest.fixture
def at_work(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    """A command in a terminal of its own, its workers busy, and the processes it has started."""
    files = [str(example_file(name)) for name in ("left.tsv", "right.csv", "seeds.tsv")]
    command = [sys.executable, "-m", "lighttea", "align", *files[:2], "--seeds", files[2]]
    more = ["--out", str(tmp_path / "run"), "--engine", "dask", "--threads", "2"]
    process = subprocess.Popen(
        [*command, *more], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stderr
    assert "Dask workers: 2" in process.stderr.readline()
    time.sleep(1)
    started = psutil.Process(process.pid).children(recursive=True)
    assert len([one for one in started if "spawn_main" in " ".join(one.cmdline())]) == 2
    assert process.poll() is None, "it was over too soon to be disturbed"
    yield process, started
    if process.poll() is None:
        process.kill()
    process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_in_a_terminal(
    tmp_path: Path, at_work: tuple[subprocess.Popen[str], list[psutil.Process]], presses: int
) -> None:
    """It goes to the workers as well; they leave the word to the command."""
    process, started = at_work
    for _ in range(presses):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "error: interrupted; nothing half-written is left\n"
    assert psutil.wait_procs(started, timeout=30)[1] == []
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_workers_do_not_outlive_a_command_that_is_killed(
    tmp_path: Path, at_work: tuple[subprocess.Popen[str], list[psutil.Process]]
) -> None:
    process, started = at_work
    process.kill()
    assert psutil.wait_procs(started, timeout=30)[1] == []
    assert not (tmp_path / "run").exists()


# -------------------------------------------------------------------------- killed workers


@pytest.fixture
def killed_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], Path]:
    """The worker that first begins the named task is killed in it; a note tells that it was."""
    submit = Connection.submit

    def prepare(name: str) -> Path:
        note = tmp_path / "killed"

        def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
            def task(*args: Any) -> Any:
                if not note.exists():
                    note.write_text(str(os.getpid()))
                    os.kill(os.getpid(), signal.SIGKILL)
                return function(*args)

            task.__name__ = name
            return task

        def submitted(
            self: Connection, function: Callable[..., Any], *args: Any, at: float | None = None
        ) -> Any:
            chosen = deadly(function) if function.__name__ == name else function
            return submit(self, chosen, *args, at=at)

        monkeypatch.setattr(Connection, "submit", submitted)
        return note

    return prepare


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "task"),
    [
        ("graph", "entity_entity"),
        ("propagate", "sketch_rows"),
        ("whitening", "whiten_rows"),
        ("search", "best_so_far"),
        ("consensus", "token_consensus"),
        ("time_similarity", "times_so_far"),
        ("sinkhorn", "column_sums"),
        ("iterate", "carry_over"),
        ("links", "score_ranked"),
    ],
)
def test_a_killed_worker_costs_time_not_the_result(
    dask_cluster: Any, killed_at: Callable[[str], Path], stage: str, task: str
) -> None:
    note = killed_at(task)
    run = align_hard_world(engine="dask", scheduler=dask_cluster.scheduler_address)
    assert not psutil.pid_exists(int(note.read_text())), f"nobody was killed in {stage}"
    whole = undisturbed_run().links
    assert set(run.links.select("left", "right").rows()) == set(
        whole.select("left", "right").rows()
    )
