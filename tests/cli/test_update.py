"""`lighttea update`: files in, a run folder out, decisions kept, errors in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import lighttea
from lighttea.cli import run_command
from lighttea.review.decisions import Decisions, decisions_file, read_reviews
from tests.update.growing import LATE, first_run, growing_world, pairs
from tests.update.test_clusters import facts_of
from tests.update.test_clusters import first_run as clusters_first
from tests.worlds import fact_frame

Update = Callable[..., int]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run folder, and beside it files with what came in."""
    world = growing_world()
    for name, facts in (("left", world.late_left), ("right", world.late_right)):
        fact_frame(*facts).write_csv(tmp_path / f"{name}.tsv", separator="\t", null_value="~")
    return first_run().save(tmp_path / "first")


def update(folder: Path, *words: str | Path, out: str = "second") -> int:
    """Run the command on a run folder; return its exit code."""
    where = folder.parent / out
    tokens = ["update", folder, *words, "--out", where, "--no-report"]
    return run_command([str(token) for token in tokens])


def test_a_run_is_updated_and_says_what_became_of_its_links(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = folder.parent
    code = update(folder, "--left", files / "left.tsv", "--right", files / "right.tsv")
    assert code == 0
    assert "5 new, 0 changed, 0 withdrawn (changes.tsv)" in " ".join(
        capsys.readouterr().out.split()
    )
    run = lighttea.load_run(files / "second")
    assert set(LATE) <= set(run.links["left"])
    assert run.info["command"].startswith("lighttea update")
    assert set(run.info["update"]["inputs"]) == {"left", "right"}
    assert run.info["update"]["inputs"]["left"]["digest"]


def test_figures_are_written_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = folder.parent
    code = update(folder, "--left", files / "left.tsv", "--quiet", "--json", "-")
    assert code == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["run"] == str(files / "second")
    assert sum(figures["update"]["links"].values()) == len(first_run().links)


def test_decisions_of_reviewers_hold_and_go_along(folder: Path) -> None:
    files = folder.parent
    decisions = Decisions(decisions_file(folder))
    decisions.decide("e40", "xe40", "reject", seen=0, reviewer="Ada")
    decisions.decide("e41", "xe41", "accept", seen=0, reviewer="Ada")
    assert update(folder, "--left", files / "left.tsv", "--right", files / "right.tsv") == 0
    run = lighttea.load_run(files / "second")
    assert ("e41", "xe41") in pairs(run.seeds)
    assert ("e40", "xe40") in pairs(run.cannot_links)
    assert ("e40", "xe40") not in pairs(run.links)
    why = dict(run.changes.select("left", "why").iter_rows())
    assert why["e40"] == "forbidden"
    assert why["e41"] == "demanded"
    reviews = read_reviews(files / "second")
    assert reviews is not None
    assert set(reviews.select("left", "verdict", "reviewer").iter_rows()) == {
        ("e40", "reject", "Ada"),
        ("e41", "accept", "Ada"),
    }


def test_an_updated_run_replaces_another_only_where_that_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = folder.parent / "left.tsv"
    assert update(folder, "--left", new, out="first") == 2
    assert "a run exists there; use `--overwrite`" in capsys.readouterr().err
    assert update(folder, "--left", new, "--overwrite", out="first") == 0
    assert "update" in lighttea.load_run(folder).info


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "facts that were withdrawn (`--remove-left`, `--remove-right`)"),
        (("--left", "missing.tsv"), "missing.tsv"),
        (("--remove-left", "other.tsv"), "none of the 1 facts and literals is in the left graph"),
        (("--left", "other.tsv", "--truth", "no.tsv"), "no.tsv: no such file"),
        (("--left", "other.tsv", "--replace-left", "other.tsv"), "`--replace-left` is the whole"),
    ],
)
def test_errors_are_one_sentence_and_write_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    other = folder.parent / "other.tsv"
    pl.DataFrame({"head": ["a"], "relation": ["r"], "tail": ["b"]}).write_csv(other, separator="\t")
    placed = [str(folder.parent / word) if word.endswith(".tsv") else word for word in words]
    assert update(folder, *placed) == 2
    assert message in capsys.readouterr().err
    assert not (folder.parent / "second").exists()


def test_a_folder_that_is_no_run_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    assert update(tmp_path / "empty", "--left", tmp_path / "left.tsv") == 2
    assert "not a run folder" in capsys.readouterr().err


# ------------------------------------------------------------------------- several graphs


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """The run folder of three graphs, and beside it a file with what came into one."""
    facts_of("north", late=True).write_csv(tmp_path / "north.tsv", separator="\t", null_value="~")
    return clusters_first().save(tmp_path / "first")


def test_a_run_of_several_graphs_is_updated_and_decisions_go_along(
    several: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = several.parent
    decisions = Decisions(decisions_file(several / "pairs" / "north-west"))
    decisions.decide("north e1", "west e1", "reject", seen=0, reviewer="Ada")
    assert update(several, "--add", f"north={files / 'north.tsv'}", "--json", files / "j.json") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "6 new" in said
    assert "updated: north-south, north-west" in said
    run = lighttea.load_clusters(files / "second")
    assert run.info["command"].startswith("lighttea update")
    assert json.loads((files / "j.json").read_text())["update"]["members"]["new"] == 6
    assert ("north e1", "west e1") in pairs(run.pairs["north", "west"].cannot_links)
    reviews = read_reviews(files / "second" / "pairs" / "north-west")
    assert reviews is not None
    assert reviews.select("left", "verdict", "reviewer").rows() == [("north e1", "reject", "Ada")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--left", "x.tsv"], "use --add NAME=FILE instead of --left"),
        (["--add", "x.tsv"], "--add x.tsv: expected NAME=FILE"),
        (["--add", "east=x.tsv"], "--add: no graph is called 'east'; there are north, south, west"),
        (["--add", "north=day=2/x.tsv"], "day=2/x.tsv: no such file"),
        (["--add", "north=a", "--add", "north=b"], "--add: two files for north"),
        (["--add", "north=north.tsv", "--beta", "0.1"], "`--beta` cannot change in an update of"),
        ([], "nothing to update with"),
    ],
)
def test_what_does_not_fit_several_graphs_is_said(
    several: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert update(several, *words) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (several.parent / "second").exists()


def test_options_of_several_graphs_do_not_go_with_two(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert update(folder, "--remove", "left=x.tsv") == 2
    assert "a run of two graphs; use --remove-left" in " ".join(capsys.readouterr().err.split())
