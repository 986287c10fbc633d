"""Running, resuming, failing, interrupting."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lighttea.bench.paper.execute import (
    ExperimentFailed,
    run_all,
    run_apart,
    run_here,
    warm_up,
)
from lighttea.bench.paper.experiments import FULL, Experiment, deduplicate, plan
from lighttea.bench.paper.progress import PaperProgress
from lighttea.bench.paper.store import Store
from lighttea.config import make_config
from lighttea.errors import InputError
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from tests.bench.paper.fakes import make_result, make_subject
from tests.waiting import PATIENCE, wait_until

SMALL = Experiment("", 20, "lighttea", "open", make_config(dim=16, top_k=10, rounds=2, threads=1))


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "SMALL"
    write_synth(folder, SynthConfig(entities=100, seeds=20))
    return folder


class Recorder:
    """A runner that counts, and fails or is interrupted where it is told to."""

    def __init__(self, *, interrupted_at: int = -1, fails_at: int = -1) -> None:
        self.ran: list[Experiment] = []
        self.interrupted_at, self.fails_at = interrupted_at, fails_at

    def __call__(self, experiment: Experiment, _: Path) -> dict[str, Any]:
        if len(self.ran) == self.interrupted_at:
            raise KeyboardInterrupt
        self.ran.append(experiment)
        if len(self.ran) == self.fails_at:
            raise ExperimentFailed("no luck")
        return make_result(experiment)


class ProgressRecorder(PaperProgress):
    def __init__(self) -> None:
        self.begun: list[tuple[str, int, int]] = []
        self.left: list[float] = []

    def begin_experiment(self, name: str, *, done: int, total: int) -> None:
        self.begun.append((name, done, total))

    def report_time_left(self, seconds: float) -> None:
        self.left.append(seconds)


EXPERIMENTS = deduplicate(plan([make_subject()], ["main"], FULL))


def test_what_is_finished_is_not_run_again(tmp_path: Path) -> None:
    store = Store.within(tmp_path / "out")
    first = run_all(EXPERIMENTS, store, Recorder(), PaperProgress())
    again = Recorder()
    second = run_all(EXPERIMENTS, store, again, PaperProgress())
    assert again.ran == []
    assert json.dumps([x.result for x in first.records.values()]) == json.dumps(
        [x.result for x in second.records.values()]
    )


def test_an_interrupted_bench_goes_on_where_it_was(tmp_path: Path) -> None:
    store = Store.within(tmp_path / "out")
    interrupted = Recorder(interrupted_at=3)
    with pytest.raises(KeyboardInterrupt):
        run_all(EXPERIMENTS, store, interrupted, PaperProgress())
    again = Recorder()
    outcome = run_all(EXPERIMENTS, store, again, PaperProgress())
    assert again.ran == list(EXPERIMENTS)[3:]
    assert list(outcome.records)[:3] == interrupted.ran
    assert not list((tmp_path / "out").rglob("*unfinished*"))


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"key": "x"}', '{"result": {"per_run": []}}'])
def test_a_broken_file_is_measured_again(tmp_path: Path, damage: str) -> None:
    store = Store.within(tmp_path / "out")
    run_all(EXPERIMENTS, store, Recorder(), PaperProgress())
    victim = sorted(store.folder.iterdir())[4]
    whole = victim.read_text()
    victim.write_text(damage)
    again = Recorder()
    run_all(EXPERIMENTS, store, again, PaperProgress())
    assert len(again.ran) == 1
    assert victim.read_text() == whole


def test_another_version_measures_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.within(tmp_path / "out")
    run_all(EXPERIMENTS, store, Recorder(), PaperProgress())
    monkeypatch.setattr("lighttea.__version__", "99")
    again = Recorder()
    run_all(EXPERIMENTS, store, again, PaperProgress())
    assert len(again.ran) == len(EXPERIMENTS)


def test_a_failure_does_not_stop_the_others_and_is_tried_again(tmp_path: Path) -> None:
    store = Store.within(tmp_path / "out")
    outcome = run_all(EXPERIMENTS, store, Recorder(fails_at=2), PaperProgress())
    assert list(outcome.failures.values()) == ["no luck"]
    assert len(outcome.records) == len(EXPERIMENTS) - 1
    again = Recorder()
    assert not run_all(EXPERIMENTS, store, again, PaperProgress()).failures
    assert len(again.ran) == 1


def test_progress_counts_and_estimates(tmp_path: Path) -> None:
    store, progress = Store.within(tmp_path / "out"), ProgressRecorder()
    with pytest.raises(KeyboardInterrupt):
        run_all(EXPERIMENTS, store, Recorder(interrupted_at=3), PaperProgress())
    run_all(EXPERIMENTS, store, Recorder(), progress)
    total = len(EXPERIMENTS)
    assert [done for _, done, _ in progress.begun] == list(range(3, total))
    assert {n for _, _, n in progress.begun} == {total}
    assert progress.begun[0][0] == "DICEWS: lighttea, 1,000 seeds, closed"
    assert progress.left[-1] == pytest.approx(0, abs=1e-6)
    assert all(left >= -1e-9 for left in progress.left)


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("dear")
    with pytest.raises(InputError, match="not empty"):
        Store.within(tmp_path / "letters")
    with pytest.raises(InputError, match="cannot write there"):
        Store.within(tmp_path / "letters" / "a.txt" / "x")


@pytest.mark.slow
def test_a_process_of_its_own_gives_the_same_result(made_up: Path) -> None:
    here, apart = run_here(SMALL, made_up), run_apart(SMALL, made_up)
    assert here["mean"] == apart["mean"]
    assert apart["peak_rss_mb"] > 0
    assert {"f1", "f1_many_to_one"} <= set(apart["mean"])


def test_what_goes_wrong_there_is_told_here(made_up: Path, tmp_path: Path) -> None:
    with pytest.raises(ExperimentFailed, match="no such folder"):
        run_apart(SMALL, tmp_path / "nowhere")


def test_running_out_of_memory_fails_one_experiment(
    made_up: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("lighttea.bench.paper.execute.bench_run", greedy)
    with pytest.raises(ExperimentFailed, match="out of memory"):
        run_here(SMALL, made_up)


def test_warming_up_runs_something_small() -> None:
    runner = Recorder()
    warm_up(runner)
    assert len(runner.ran) == 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="cannot run here: no signals to groups")
def test_ctrl_c_keeps_what_is_finished(made_up: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["--data", str(made_up), "--out", str(out), "--only", "main", "--runs", "400"]
    program = subprocess.Popen(
        [sys.executable, "-m", "lighttea", "bench", "paper", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        wait_until(lambda: list(out.glob("experiments/*.json")), "the first result")
        os.killpg(program.pid, signal.SIGINT)
        _, err = program.communicate(timeout=PATIENCE)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)  # if it did not end, it would disturb others
    assert program.returncode == 130
    assert b"Traceback" not in err
    assert b"run the same command to continue" in err
    assert not list(out.rglob("*unfinished*"))
    for path in out.glob("experiments/*.json"):
        json.loads(path.read_text())
