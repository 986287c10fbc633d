"""The installed program as a process of its own: exit codes, streams, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Files, lines_of
from tests.waiting import PATIENCE, wait_until
from tests.worlds import random_facts, renamed

PROGRAM = (sys.executable, "-m", "lighttea")


def run(*tokens: str | Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *map(str, tokens)],
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, **env},
    )


def test_results_go_to_stdout_and_exit_is_0(files: Files) -> None:
    done = run("inspect", files.left, "--json", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["facts"] == 250
    assert done.stderr == b""


def test_problems_go_to_stderr_and_exit_is_2(files: Files) -> None:
    done = run("inspect", files.folder / "no.tsv")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.count(b"\n") == 1


def test_json_is_written_where_stdout_is_not_unicode(files: Files) -> None:
    path = files.write("g.tsv", "a\tспорт\tb\t2001\n")
    done = run("inspect", path, "--json", "-", PYTHONIOENCODING="ascii")
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0
    assert json.loads(done.stdout)["top_relations"] == {"спорт": 1}


def test_a_reader_that_leaves_early_is_no_crash(files: Files) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            [*PROGRAM, "inspect", str(files.left)],
            stdout=write_end,
            stderr=subprocess.PIPE,
            check=False,
            timeout=PATIENCE,
        )
    finally:
        os.close(write_end)
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def unfinished_in(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".run.")]


@pytest.mark.parametrize("overwrite", [False, True])
def test_ctrl_c_during_align_leaves_nothing(tmp_path: Path, overwrite: bool) -> None:
    facts = random_facts(4000, 30_000, 11)
    (tmp_path / "left.tsv").write_text(lines_of(facts, "\t"))
    (tmp_path / "right.tsv").write_text(lines_of(renamed(facts), "\t"))
    (tmp_path / "seeds.tsv").write_text("".join(f"e{n}\txe{n}\n" for n in range(100)))
    out = tmp_path / "out"
    out.mkdir()
    if overwrite:
        (out / "run").mkdir()
        (out / "run" / "run.json").write_text("old")
    tokens = ["align", "left.tsv", "right.tsv", "--seeds", "seeds.tsv", "--out", "out/run"]
    tokens += ["--rounds", "1", "--iterations", "1000000", "--overwrite"]
    process = subprocess.Popen(
        [*PROGRAM, *tokens], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        wait_until(lambda: unfinished_in(out) or process.poll() is not None, "the run folder")
        time.sleep(1.0)  # well inside the work
        assert process.poll() is None, "the alignment was over too soon to be interrupted"
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert b"interrupted" in stderr
    assert b"Traceback" not in stderr
    assert stdout == b""
    assert [path.name for path in out.iterdir()] == (["run"] if overwrite else [])
    if overwrite:
        assert (out / "run" / "run.json").read_text() == "old"


# the command line, interrupted in a place of some kind once the graphs are read
STRUCK = """
import signal, sys, time
from lighttea.cli import main, progress
def ctrl_c():
    signal.raise_signal(signal.SIGINT)
class Finalised:
    def __del__(self):
        ctrl_c()
def entered(self, name):
    if name == "graph":
        {place}
        time.sleep(600)
progress.ConsoleProgress.entered = entered
main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    "place",
    ["Finalised()", "exec('ctrl_c()', globals())", "ctrl_c()"],
    ids=["in a finaliser", "in a text", "in the open"],
)
def test_ctrl_c_is_neither_lost_nor_a_death_by_signal(
    files: Files, tmp_path: Path, place: str
) -> None:
    (tmp_path / "struck.py").write_text(STRUCK.format(place=place))
    words = ["align", files.left, files.right, "--seeds", files.seeds, "--out", tmp_path / "run"]
    done = subprocess.run(
        [sys.executable, "-m", "struck", *map(str, words)],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 130
    assert done.stdout == b""
    assert done.stderr == b"error: interrupted; nothing half-written is left\n"
    assert [path.name for path in tmp_path.iterdir() if "run" in path.name] == []


# the command line, interrupted again and again from its last step to its end
LATE = """
import atexit, os, signal, sys, time
from lighttea.cli import main
def interrupt_until_the_end():
    command = os.getpid()
    if os.fork() == 0:
        while os.getppid() == command:
            os.kill(command, signal.SIGINT)
            time.sleep(0.001)
        os._exit(0)
atexit.register(interrupt_until_the_end)
main(sys.argv[1:])
"""


@pytest.mark.parametrize(("name", "code"), [("left.tsv", 0), ("no.tsv", 2)])
def test_ctrl_c_after_the_command_changes_nothing(files: Files, name: str, code: int) -> None:
    """An impatient second one, say, while the process ends."""
    done = subprocess.run(
        [sys.executable, "-c", LATE, "inspect", files.folder / name],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == code


def test_ctrl_c_while_the_program_loads_is_no_traceback(tmp_path: Path) -> None:
    """A library that is interrupted while it is imported."""
    (tmp_path / "cyclopts.py").write_text("import signal; signal.raise_signal(signal.SIGINT)")
    done = run("--help", PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))
    assert done.returncode == 130
    assert done.stderr == b"error: interrupted; nothing half-written is left\n"
