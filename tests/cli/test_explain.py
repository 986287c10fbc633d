"""`lighttea explain`."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import lighttea
from tests.cli.conftest import LIGHT, Command, Files


@pytest.fixture
def run(command: Command, files: Files, tmp_path: Path) -> Path:
    base = ("align", files.left, files.right, "--seeds", files.seeds, "--out", tmp_path / "run")
    assert command(*base, *LIGHT, "--preset", "best").code == 0
    return tmp_path / "run"


def linked(run: Path) -> str:
    return str(lighttea.load_run(run).links["left"][0])


def test_it_says_why(command: Command, run: Path) -> None:
    outcome = command("explain", run, linked(run))
    assert outcome.code == 0
    for words in ("is linked to", "Matching facts", "Runner-up", "Sinkhorn", "evidence in common"):
        assert words in outcome.out


def test_json_adds_up(command: Command, run: Path) -> None:
    found = command("explain", run, linked(run), "--json", "-").json()
    assert abs(sum(term["value"] for term in found["terms"]) - found["score"]) < 1e-4
    assert found["is_link"]
    outcome = command("explain", run, linked(run), found["runner_up"]["right"], "--json", "e.json")
    assert "is not linked to" in outcome.out
    other = json.loads((run.parent / "e.json").read_text())
    assert other["right"] == found["runner_up"]["right"]


@pytest.mark.parametrize("name", ["alarms.parquet", "alarms.tsv"])
def test_alarms_go_to_a_file(command: Command, run: Path, name: str) -> None:
    outcome = command("explain", run, "--alarms", name)
    assert outcome.code == 0
    path = run.parent / name
    read = pl.read_parquet(path) if name.endswith("parquet") else pl.read_csv(path, separator="\t")
    assert read.columns == ["left", "right", "kind", "severity", "message"]


def test_wrong_names_and_nothing_to_do_are_said(command: Command, run: Path) -> None:
    for tokens, said in (
        (("explain", run), "name an entity"),
        (("explain", run, "nobody"), "not an entity of the left graph"),
        (("explain", run.parent / "missing", "e1"), "not a run folder"),
        (("explain", run, "e1", "--alarms", "no/such/folder.tsv"), "cannot write there"),
    ):
        outcome = command(*tokens)
        assert outcome.code == 2
        assert said in outcome.err
