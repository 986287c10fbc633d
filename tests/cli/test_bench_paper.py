"""`lighttea bench paper` as people call it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lighttea.bench.paper import run
from lighttea.bench.paper.execute import run_here
from lighttea.bench.paper.experiments import Experiment
from lighttea.cli.bench_paper import _duration
from lighttea.synth.config import SynthConfig
from tests.cli.conftest import Command


@pytest.fixture(autouse=True)
def small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_MADE_UP", SynthConfig(entities=100, seeds=20, ticks=40))


def test_quick_needs_no_data(command: Command) -> None:
    done = command("bench", "paper", "--quick", "--out", "out", "--only", "main,times")
    assert (done.code, done.err) == (0, "")
    written = re.findall(r"wrote (\S+)", done.out)
    assert [Path(path).name for path in written] == ["results.json", "report.md", "report.html"]
    assert all(Path(path).is_file() for path in written)
    assert "missing dataset: YAGO-WIKI50K" in done.out


def test_dataset_folders_are_chosen_by_name(command: Command, dataset: Path) -> None:
    words = ("bench", "paper", "--quick", "--data", dataset.parent, "--out", "out")
    done = command(*words, "--only", "main", "--datasets", "TINY", "--runs", "2")
    assert (done.code, done.err) == (0, "")
    assert "folder TINY (30 + 30 entities, 400 facts)" in Path("out/report.md").read_text()
    done = command(*words, "--datasets", "LARGE")
    assert done.code == 2
    assert "no dataset folder LARGE; found: TINY" in done.err


def test_a_wrong_section_is_bad_input(command: Command) -> None:
    done = command("bench", "paper", "--quick", "--out", "out", "--only", "mani")
    assert done.code == 2
    assert "no section 'mani'" in done.err


def test_data_is_needed_unless_quick(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIGHTTEA_DATA", raising=False)
    done = command("bench", "paper", "--out", "out")
    assert done.code == 2
    assert "give `--data`" in done.err


def test_an_interruption_says_what_is_kept(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Experiment] = []

    def interrupted(experiment: Experiment, folder: Path) -> dict[str, object]:
        seen.append(experiment)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return run_here(experiment, folder)

    monkeypatch.setattr(run, "run_here", interrupted)
    words = ("bench", "paper", "--quick", "--out", "out", "--only", "main")
    done = command(*words)
    assert done.code == 130
    assert "2 finished experiments are kept in out" in done.err
    assert command(*words).code == 0
    assert len(seen) == 3 + 2  # of four, two were left


def test_failed_experiments_are_an_error_after_the_report(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("bench", "paper", "--quick", "--out", "out", "--only", "main")
    monkeypatch.setattr("lighttea.bench.paper.execute.bench_run", _greedy)
    done = command(*words)
    assert done.code == 1
    assert "4 experiments failed" in done.err
    assert "out of memory" in Path("out/report.md").read_text()


def _greedy(*_: object, **__: object) -> None:
    raise MemoryError


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(5, "about 5 s left"), (200, "about 3 min left"), (3_900, "about 1 h 5 min left")],
)
def test_the_time_left_is_said_in_words(seconds: float, text: str) -> None:
    assert _duration(seconds) == text
