"""A killed run goes on where it was and ends with the same links."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lighttea.cli import run_command
from lighttea.example import example_file
from lighttea.similarity.carry import CARRIED_BESIDE_SEARCH
from lighttea.solve import start

Killed = Callable[[Path, int], None]

KILLED = """
import os, signal, sys
from lighttea.solve import start
from lighttea.cli import progress, run_command
if "ROUNDED" in os.environ:
    start._CHOICES = ((True, 4096, 2048),)
stop = int(sys.argv[1])
seen = progress.ConsoleProgress.entered
def entered(self, name):
    if self._prefix.startswith(f"round {stop} ") and name == "sinkhorn":
        os.kill(os.getpid(), signal.SIGKILL)
    seen(self, name)
progress.ConsoleProgress.entered = entered
sys.exit(run_command(sys.argv[2:]))
"""


def words(out: Path, *more: str) -> list[str]:
    files = [str(example_file(name)) for name in ("left.tsv", "right.csv", "seeds.tsv")]
    options = ["--dim", "64", "--top-k", "50", "--no-report", "--random-seed", "3", "--no-literals"]
    options += ["--convergence", "0"]  # rounds enough to be killed in
    return ["align", *files[:2], "--seeds", files[2], "--out", str(out), *options, *more]


def kill(out: Path, in_round: int, **environment: str) -> None:
    """A run that ends like this in the middle of a round."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(in_round), *words(out)],
        check=False,
        capture_output=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == -signal.SIGKILL


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """What a run that was killed in a round leaves; each round's is made once and copied."""

    @cache
    def left_by(in_round: int) -> Path:
        folder = tmp_path_factory.mktemp("killed")
        kill(folder / "run", in_round)
        return folder

    def copied(out: Path, in_round: int) -> None:
        shutil.copytree(left_by(in_round), out.parent, dirs_exist_ok=True)

    return copied


def links(out: Path) -> pl.DataFrame:
    return pl.read_parquet(out / "links.parquet")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    out = tmp_path_factory.mktemp("whole") / "run"
    assert run_command(words(out)) == 0
    assert [path.name for path in out.parent.iterdir()] == ["run"]
    return links(out)


@pytest.mark.parametrize(
    "in_round",
    [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)],
)
def test_a_killed_run_goes_on_and_ends_with_the_same_links(
    tmp_path: Path,
    killed: Killed,
    whole: pl.DataFrame,
    in_round: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "run"
    killed(out, in_round)
    assert not out.exists()
    assert run_command(words(out, "--resume")) == 0
    said = capsys.readouterr().err
    assert (f"continuing after round {in_round - 1}" in said) == (in_round > 1)
    assert links(out).equals(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]  # nothing is left lying about


@pytest.mark.slow
def test_a_run_that_was_short_of_memory_goes_on_as_it_began(tmp_path: Path) -> None:
    """Rounded to eight bits before the kill and after it, though memory is plenty again."""
    whole, out = tmp_path / "whole", tmp_path / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start, "_CHOICES", ((True, 4096, 2048),))
        assert run_command(words(whole)) == 0
    kill(out, 2, ROUNDED="1")
    assert run_command(words(out, "--resume")) == 0
    assert links(out).equals(links(whole))


@pytest.mark.slow
def test_without_resume_a_killed_run_starts_anew(
    tmp_path: Path, killed: Killed, whole: pl.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    killed(out, 3)
    assert run_command(words(out)) == 0
    assert "going on" not in capsys.readouterr().err
    assert links(out).equals(whole)


def test_a_checkpoint_of_another_command_is_refused(
    tmp_path: Path, killed: Killed, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    killed(out, 2)
    assert run_command(words(out, "--resume", "--alpha", "0.1")) == 2
    assert "to other graphs, seeds or settings" in capsys.readouterr().err
    assert run_command(words(out, "--resume", "--threads", "1")) == 0  # changes no link


@pytest.mark.parametrize(
    ("name", "keep"),
    [("state.json", 1), ("state.json", 0), ("arrays.npz", 0), ("arrays.npz", 200)],
)
def test_a_damaged_checkpoint_is_refused(
    tmp_path: Path, killed: Killed, name: str, keep: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that was cut off, and one that is not there."""
    out = tmp_path / "run"
    killed(out, 2)
    path = tmp_path / ".run.checkpoint" / name
    path.write_bytes(path.read_bytes()[:keep])
    for _ in range(2):
        assert run_command(words(out, "--resume")) == 2
        assert "the checkpoint is damaged" in capsys.readouterr().err
        (tmp_path / ".run.checkpoint" / "arrays.npz").unlink(missing_ok=True)


def test_carried_candidates_are_kept(tmp_path: Path, killed: Killed) -> None:
    """Without them a run that goes on would find other candidates."""
    killed(tmp_path / "run", 3)
    with np.load(tmp_path / ".run.checkpoint" / "arrays.npz") as arrays:
        rows, index = arrays["carried_rows"], arrays["carried_index"]
    assert len(rows) == len(index) > 100
    assert index.shape[1] == CARRIED_BESIDE_SEARCH  # the best candidates of all entities


@pytest.mark.slow
def test_resume_without_a_checkpoint_is_a_plain_run(tmp_path: Path, whole: pl.DataFrame) -> None:
    assert run_command(words(tmp_path / "run", "--resume")) == 0
    assert links(tmp_path / "run").equals(whole)


@pytest.mark.slow
def test_other_constraints_do_not_go_on_and_top_n_does(
    tmp_path: Path, killed: Killed, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the rounds saw must be the same; which candidates become links is decided after."""
    out, cannot = tmp_path / "run", tmp_path / "cannot.tsv"
    cannot.write_text("Aaron_Klug\tklug-aaron\n", encoding="utf-8")
    killed(out, 2)
    for other in (("--cannot-link", str(cannot)), ("--many-to-one",)):
        assert run_command(words(out, "--resume", *other)) == 2
        assert "to other graphs, seeds or settings" in capsys.readouterr().err
    assert run_command(words(out, "--resume", "--top-n", "2")) == 0
    assert "continuing after round 1" in capsys.readouterr().err
    assert links(out)["left"].value_counts()["count"].max() == 2
