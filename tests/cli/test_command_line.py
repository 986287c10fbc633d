"""The command that made a run is kept with it, without passwords."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest

import lighttea
from lighttea.cli.command_line import current_command, running
from lighttea.example import example_file
from tests.cli.conftest import LIGHT, Command, Files


def test_a_run_keeps_its_date_and_its_command(command: Command, files: Files) -> None:
    words = ("align", files.left, files.right, "--seeds", files.seeds, *LIGHT, "--out", "a run")
    before = datetime.now(UTC).replace(microsecond=0)
    assert command(*words).code == 0
    info = lighttea.load_run("a run").info
    assert info["command"].startswith(f"lighttea align {files.left} {files.right} --seeds ")
    assert info["command"].endswith(" --out 'a run'")
    assert before <= datetime.fromisoformat(info["date"]) <= datetime.now(UTC)
    assert current_command() == ""  # it is over


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("https://me:secret@host.example/sparql", "https://host.example/sparql"),
        ("http://host.example/a@b", "http://host.example/a@b"),
        ("two words", "'two words'"),
    ],
)
def test_passwords_are_not_kept(word: str, kept: str) -> None:
    with running(["align", word]):
        assert current_command() == f"lighttea align {kept}"


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_letters_that_an_encoding_lacks_are_escaped(
    command: Command, files: Files, encoding: str
) -> None:
    words = ("align", files.left, files.right, "--seeds", files.seeds, *LIGHT, "--out", "run")
    assert command(*words).code == 0
    left = lighttea.load_run("run").links["left"][0]
    done = subprocess.run(
        [sys.executable, "-m", "lighttea", "explain", "run", left],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u2192" in done.stdout  # an arrow


def test_a_run_made_in_python_has_no_command() -> None:
    left, right = (lighttea.read_graph(example_file(name)) for name in ("left.tsv", "right.csv"))
    run = lighttea.align(left, right, dim=16, rounds=1, top_k=10)
    assert "command" not in run.info
