"""Machines that give too little: no writing, few open files, little memory, a clock that jumps."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import lighttea
from lighttea.results.check import check_run
from lighttea.review import decisions as decision_files
from lighttea.review.decisions import Decisions
from tests.conftest import CANNOT
from tests.faults.jobs import align_words
from tests.worlds import make_world

PROGRAM = (sys.executable, "-m", "lighttea")
READ_ONLY = """
mount -t tmpfs tmpfs "$1" || exit 99
cp -R "$1.before/." "$1" && mount -o remount,ro "$1" || exit 99
shift && exec "$@"
"""
Done = subprocess.CompletedProcess[str]


def run(*words: str, timeout: float = 600) -> Done:
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=timeout)


def limited(limit: str, *words: str, timeout: float = 600) -> Done:
    """Return what a command printed that a limit of the shell holds back."""
    command = f'ulimit {limit} && exec "$@"'
    return run("sh", "-c", command, "sh", *PROGRAM, *words, timeout=timeout)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = make_world(3)
    made = lighttea.align(world.left, world.right, seeds=world.seeds, dim=16, rounds=1, top_k=10)
    return made.save(tmp_path_factory.mktemp("saved") / "run")


COMMANDS = {
    "align": lambda disk: align_words(disk / "new"),
    "overwrite": lambda disk: align_words(disk / "run", "--overwrite"),
    "export": lambda disk: [
        *("export", str(disk / "run"), "--format", "tsv", "--out", str(disk / "links.tsv"))
    ],
    "report": lambda disk: ["report", str(disk / "run")],
    "synth": lambda disk: ["synth", "--entities", "50", "--out", str(disk / "made")],
    "review": lambda disk: ["review", str(disk / "run"), "--no-browser", "--port", "0"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, saved: Path, name: str
) -> None:
    if shutil.which("unshare") is None:
        pytest.skip(f"{CANNOT}there is no unshare to mount a read-only file system with")
    disk, before = tmp_path / "disk", tmp_path / "disk.before"
    disk.mkdir()
    shutil.copytree(saved, before / "run")
    words = ("unshare", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, "sh", str(disk))
    done = run(*words, *PROGRAM, *COMMANDS[name](disk))
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip(f"{CANNOT}no read-only file system can be mounted: {done.stderr.strip()}")
    assert done.returncode in (1, 2), done.stderr
    *before_it, error = done.stderr.splitlines()
    assert error.startswith("error: ")
    assert "Read-only file system" in error
    assert "[Errno" not in error
    assert all(line.startswith(("note: ", "Preparing ")) for line in before_it)


@pytest.mark.slow
def test_thirty_two_open_files_are_enough(tmp_path: Path) -> None:
    done = limited("-n 32", *align_words(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert check_run(tmp_path / "run").is_whole


@pytest.mark.slow
@pytest.mark.parametrize("kib", [150_000, 600_000, 1_200_000])
def test_little_memory_leaves_nothing_half_written(tmp_path: Path, kib: int) -> None:
    """Libraries may end the process as they like; the run is whole or not there.

    A thread of a library that gets no memory may also leave the others waiting for it, for ever.
    """
    with contextlib.suppress(subprocess.TimeoutExpired):  # it is killed then
        limited(f"-v {kib}", *align_words(tmp_path / "run"), timeout=60)
    names = {path.name for path in tmp_path.iterdir()}
    assert "run" not in names or check_run(tmp_path / "run").is_whole
    done = run(*PROGRAM, *align_words(tmp_path / "run", "--overwrite"))
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"run"}


def test_a_clock_that_jumps_back_changes_no_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    world, moments = make_world(3), itertools.count(2e9, -86_400)
    settings: dict[str, Any] = {"dim": 16, "rounds": 1, "top_k": 10, "threads": 1}
    plain = lighttea.align(world.left, world.right, seeds=world.seeds, **settings)
    monkeypatch.setattr(time, "time", lambda: next(moments))
    run = lighttea.align(world.left, world.right, seeds=world.seeds, **settings)
    assert run.links.equals(plain.links)
    assert min(run.info["seconds"].values()) >= 0
    assert check_run(run.save(tmp_path / "run")).is_whole


def test_a_clock_that_jumps_back_turns_no_decision_round(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The later decision counts, whatever time it says."""
    years = itertools.count(2030, -1)
    monkeypatch.setattr(decision_files, "_now", lambda: f"{next(years)}-01-01T00:00:00+00:00")
    path = tmp_path / "decisions.sqlite"
    log = Decisions(path)
    first = log.decide("a", "x", "accept", seen=0)
    log.decide("a", "x", "reject", seen=first.id)
    path.unlink()
    with pytest.warns(lighttea.LightteaWarning, match="restored"):
        standing = Decisions(path).standing()["a"]
    assert standing.must is None
    assert standing.cannot == {"x"}
