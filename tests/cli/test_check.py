"""`lighttea check`: what is whole and what is damaged in a run folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lighttea.results.run import Run
from tests.cli.conftest import Command
from tests.run_folders import forget_list


@pytest.fixture
def folder(example_run: Run, tmp_path: Path) -> Path:
    return example_run.save(tmp_path / "run")


def test_a_whole_run_is_told_file_by_file(command: Command, folder: Path) -> None:
    (folder / "report.html").write_text("<p>")
    outcome = command("check", folder)
    assert outcome.code == 0
    assert "the run is whole" in outcome.out
    lines = {line.split()[0]: line for line in outcome.out.splitlines() if line}
    assert "whole" in lines["links.parquet"]
    assert "not checked" in lines["report.html"]
    assert outcome.err == ""


def test_every_problem_is_a_sentence_and_exit_is_1(command: Command, folder: Path) -> None:
    (folder / "seeds.parquet").unlink()
    (folder / "links.tsv").write_text("left\tright\n")
    raw = bytearray((folder / "candidates.parquet").read_bytes())
    raw[len(raw) // 2] ^= 1
    (folder / "candidates.parquet").write_bytes(bytes(raw))
    outcome = command("check", folder)
    assert outcome.code == 1
    assert "the run is whole" not in outcome.out
    errors = outcome.err.splitlines()
    assert len(errors) == 3
    assert f"{folder / 'candidates.parquet'}: damaged: its content is not what was" in errors[0]
    assert "links.tsv: damaged: expected" in errors[1]
    assert errors[2].endswith(
        "seeds.parquet: damaged: the file is missing; copy the run again from where it is whole, "
        "or align again"
    )


def test_json_has_the_same(command: Command, folder: Path) -> None:
    whole = json.loads(command("check", folder, "--json", "-").out)
    assert whole["whole"] is True
    assert {file["state"] for file in whole["files"]} == {"whole"}
    (folder / "run.json").write_text("{}")
    outcome = command("check", folder, "--json", "-")
    assert outcome.code == 1
    told = json.loads(outcome.out)
    assert told["whole"] is False
    states = {file["name"]: (file["state"], file["problem"]) for file in told["files"]}
    assert states["run.json"] == ("damaged", "it has no format")
    assert states["links.parquet"] == ("whole", None)


def test_a_run_of_an_earlier_version_is_readable(command: Command, folder: Path) -> None:
    outcome = command("check", forget_list(folder))
    assert outcome.code == 0
    assert "note: an earlier lighttea wrote it, without files.json" in outcome.out
    explained = command("export", folder, "--format", "tsv", "--out", folder.parent / "x.tsv")
    assert explained.code == 0
    assert explained.err.startswith("note: ")
    assert "an earlier lighttea wrote it" in explained.err


def test_what_is_no_run_is_bad_input(command: Command, tmp_path: Path) -> None:
    outcome = command("check", tmp_path)
    assert outcome.code == 2
    assert "not a run folder" in outcome.err


def test_a_damaged_copy_for_other_tools_is_a_note(command: Command, folder: Path) -> None:
    """lighttea reads links.parquet, so that a run is of use after links.tsv was edited."""
    (folder / "links.tsv").write_text("mine")
    outcome = command("export", folder, "--format", "tsv", "--out", folder.parent / "x.tsv")
    assert outcome.code == 0
    assert "links.tsv is not as it was written" in outcome.err


def test_a_file_of_another_run_is_noticed(
    command: Command, folder: Path, example_run: Run, tmp_path: Path
) -> None:
    other = example_run.save(tmp_path / "other")
    shutil.copy(other / "facts_left.parquet", folder / "facts_right.parquet")
    outcome = command("explain", folder, "x")
    assert outcome.code == 2
    assert "facts_right.parquet: damaged: expected" in outcome.err


def test_restore_says_what_was_restored(command: Command, folder: Path) -> None:
    from lighttea.review.decisions import Decisions, decisions_file

    assert "no decisions yet" in command("review", folder, "--restore").err
    path = decisions_file(folder)
    Decisions(path).decide("a", "x", "accept", seen=0)
    assert (
        "the decisions are whole: 1 accepted, 0 rejected"
        in command("review", folder, "--restore").out
    )
    path.unlink()
    outcome = command("review", folder, "--restore")
    assert outcome.code == 0
    assert "restored 1 decision from the log" in outcome.out
    assert "the decisions are whole again: 1 accepted, 0 rejected" in outcome.out
