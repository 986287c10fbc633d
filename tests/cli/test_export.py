"""`lighttea export`: what it writes and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lighttea.export.options import FORMATS
from tests.cli.conftest import Command
from tests.export.worlds import made_run


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_run().save(tmp_path_factory.mktemp("runs") / "run")


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_written_and_said(
    command: Command, folder: Path, tmp_path: Path, form: str
) -> None:
    outcome = command("export", folder, "--format", form, "--out", f"new/x.{form}")
    assert (outcome.code, outcome.err) == (0, "")
    assert f"new/x.{form}" in outcome.out
    assert (tmp_path / "new" / f"x.{form}").exists()


def test_options_reach_the_file(command: Command, folder: Path, tmp_path: Path) -> None:
    base = ("export", folder, "--format", "jsonl", "--out", "x")
    assert "4 links" in command(*base).out
    again = command(*base, "--min-confidence", "0.9", "--links-only", "--overwrite")
    assert "1 links" in again.out
    (row,) = (tmp_path / "x").read_text(encoding="utf-8").splitlines()
    assert json.loads(row)["left_name"] == "Albert Einstein"


def test_max_fdr_reaches_the_file(command: Command, folder: Path) -> None:
    base = ("export", folder, "--format", "tsv", "--out", "x", "--max-fdr")
    assert "3 links" in command(*base, "0.3").out  # the seed among them
    assert "2 links" in command(*base, "0.1", "--overwrite").out


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (("--format", "tvs"), 'Did you mean "tsv"?'),
        (("--format", "tsv", "--min-confidence", "2"), "min_confidence must be <= 1; got 2"),
        (("--format", "tsv", "--min-confidence", "high"), "--min-confidence"),
        (("--format", "tsv", "--max-fdr", "2"), "max_fdr must be <= 1; got 2"),
        (("--format", "sssom", "--license", "mine"), "license must be an absolute IRI"),
        ((), "--format"),
    ],
)
def test_wrong_options_are_refused_before_the_run_is_read(
    command: Command, tmp_path: Path, tokens: tuple[str, ...], said: str
) -> None:
    outcome = command("export", "no-run", "--out", "x", *tokens)
    assert outcome.code == 2
    assert said in outcome.err
    assert "not a run folder" not in outcome.err
    assert list(tmp_path.iterdir()) == []


def test_no_run_and_an_existing_output_are_refused(
    command: Command, folder: Path, tmp_path: Path
) -> None:
    outcome = command("export", "no-run", "--format", "tsv", "--out", "x")
    assert (outcome.code, "not a run folder" in outcome.err) == (2, True)
    (tmp_path / "x").write_text("mine")
    refused = command("export", folder, "--format", "tsv", "--out", "x")
    assert refused.code == 2
    assert "use `--overwrite` to replace it" in refused.err
    assert (tmp_path / "x").read_text() == "mine"
