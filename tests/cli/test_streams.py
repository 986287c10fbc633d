"""`-` for stdin and stdout, closed pipes and Ctrl-C, in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import LIGHT, Files
from tests.waiting import PATIENCE

PROGRAM = (sys.executable, "-m", "lighttea")


def run(
    *tokens: str | Path, stdin: bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [*PROGRAM, *map(str, tokens)],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        cwd=cwd,
    )
    assert b"Traceback" not in done.stderr
    return done


def test_inspect_reads_stdin(files: Files) -> None:
    done = run("inspect", "-", "--json", "-", stdin=files.left.read_bytes())
    assert json.loads(done.stdout)["facts"] == 250
    assert run("inspect", "-", stdin=files.left.read_bytes()).stdout.startswith(b"stdin\n")


def test_parquet_comes_through_stdin(files: Files, tmp_path: Path) -> None:
    pl.DataFrame({"head": ["a"], "relation": ["r"], "tail": ["b"]}).write_parquet(
        tmp_path / "g.parquet"
    )
    done = run("inspect", "-", "--json", "-", stdin=(tmp_path / "g.parquet").read_bytes())
    assert json.loads(done.stdout)["facts"] == 1


def test_align_evaluate_and_export_take_streams(files: Files, tmp_path: Path) -> None:
    words = ["align", "-", files.right, "--seeds", files.seeds, "--out", "run", "--no-report"]
    done = run(*map(str, words), *LIGHT, stdin=files.left.read_bytes(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert info["input"]["left"]["source"] == "stdin"
    truth = files.truth.read_bytes()
    done = run("evaluate", "run", "--truth", "-", "--json", "-", stdin=truth, cwd=tmp_path)
    assert json.loads(done.stdout)["n_truth"] == 30
    done = run("export", "run", "--format", "tsv", "--out", "-", cwd=tmp_path)
    assert done.stdout.startswith(b"left\tright\t")
    quads = run("export", "run", "--format", "fused", "--out", "-", cwd=tmp_path)
    assert quads.stdout.splitlines()[-1].endswith(b".")
    both = run("export", "run", "--format", "tsv", "--out", "-", "--json", "-", cwd=tmp_path)
    assert (both.returncode, both.stdout) == (2, b"")


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (("inspect", "-", "-"), b"a\tr\tb\n", b"GRAPH and RIGHT are both -"),
        (("align", "-", "x.tsv", "--seeds", "-", "--out", "r"), b"a", b"LEFT and --seeds are both"),
        (("inspect", "-"), b"", b"GRAPH: stdin is empty"),
        (("inspect", "-"), b'{"a": 1}', b"stdin: JSON of an unknown structure"),
        (("inspect", "-"), b'{"a": 1}', b"with `--format`"),
        (("inspect", "-"), b"a\tb\n", b"stdin:1: expected"),
    ],
)
def test_what_stdin_cannot_be(
    words: tuple[str, ...], stdin: bytes, said: bytes, tmp_path: Path
) -> None:
    done = run(*words, stdin=stdin, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert b"lighttea-stream-" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [("--help",), ("inspect",), ("config", "example")])
def test_a_closed_pipe_is_no_error(files: Files, words: tuple[str, ...]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            [*PROGRAM, *words, *([str(files.left)] if words == ("inspect",) else [])],
            stdout=write_end,
            stderr=subprocess.PIPE,
            check=False,
            timeout=PATIENCE,
        )
    finally:
        os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")


# the command line, interrupted when a stage begins
INTERRUPTED = """
import signal, sys
from lighttea.cli import main, progress
own = progress.ConsoleProgress.entered
def entered(self, name):
    own(self, name)
    if name == sys.argv[1]:
        signal.raise_signal(signal.SIGINT)
progress.ConsoleProgress.entered = entered
main(sys.argv[2:])
"""


@pytest.mark.parametrize("stage", ["load", "search", "write", "evaluate", "report"])
def test_ctrl_c_exits_130_at_every_stage(files: Files, tmp_path: Path, stage: str) -> None:
    words = ["align", files.left, files.right, "--seeds", files.seeds, "--out", "run", *LIGHT]
    words += ["--truth", files.truth]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, stage, *map(str, words)],
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        cwd=tmp_path,
    )
    assert done.returncode == 128 + signal.SIGINT
    assert done.stdout == b""
    assert done.stderr == b"error: interrupted; nothing half-written is left\n"
    is_written = stage in ("evaluate", "report")  # the run is whole by then
    assert [path.name for path in tmp_path.iterdir()] == ["run"] * is_written
