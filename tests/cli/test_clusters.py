"""`lighttea align A B C`, and the commands that read its runs."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from lighttea.cli import run_command
from lighttea.review.decisions import Decisions, decisions_file
from tests.several import NAMES, run_of_three, seeds, three_graphs, truth


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The three graphs, seeds and truth as files."""
    folder = tmp_path_factory.mktemp("files")
    columns = ["head", "relation", "tail", "begin", "end"]
    for name, graph in zip(NAMES, three_graphs(), strict=True):
        table = graph.to_polars().select(columns)
        table.write_csv(folder / f"{name}.tsv", separator="\t")
    seeds().write_csv(folder / "seeds.tsv", separator="\t")
    truth().write_csv(folder / "truth.tsv", separator="\t")
    return folder


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = run_of_three().save(tmp_path_factory.mktemp("many") / "run")
    return folder


def graphs_of(files: Path) -> list[str]:
    return [str(files / f"{name}.tsv") for name in NAMES]


def test_three_files_become_clusters(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["align", *graphs_of(files), "--out", str(tmp_path / "run"), "--threads", "1"]
    words += ["--seeds", str(files / "seeds.tsv"), "--truth", str(files / "truth.tsv")]
    assert run_command([*words, "--rounds", "1"]) == 0
    said = capsys.readouterr().out
    assert "clusters of" in said
    assert "links of each two graphs" in said
    assert "lighttea explain" in said
    table = pl.read_csv(tmp_path / "run" / "clusters.tsv", separator="\t", infer_schema=False)
    assert set(table["graph"]) == set(NAMES)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (record["kind"], record["clusters"]) == ("clusters", table["cluster"].n_unique())
    assert "align" in record["command"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--left-columns", "head=1"], "--left-columns goes with two graphs alone; got 3"),
        (["--many-to-one"], "use --several-per-graph"),
        (["--resume"], "--resume goes with two graphs alone"),
        (["--seeds", "nowhere.tsv"], "nowhere.tsv"),
        (["--previous", "nowhere"], "nowhere: not a run folder"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    files: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    assert run_command(["align", *graphs_of(files), "--out", str(tmp_path / "run"), *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_two_graphs_make_no_clusters(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["align", *graphs_of(files)[:2], "--out", str(tmp_path / "run")]
    assert run_command([*words, "--several-per-graph"]) == 2
    assert "--several-per-graph needs three graphs or more; got 2" in capsys.readouterr().err


def test_the_same_file_twice_is_refused(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    north, south, _ = graphs_of(files)
    assert run_command(["align", north, south, north, "--out", str(tmp_path / "run")]) == 2
    assert "align needs graphs that differ" in capsys.readouterr().err


def test_a_cluster_is_explained(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["explain", str(saved), "south e1"]) == 0
    said = capsys.readouterr().out
    assert "Cluster c" in said
    assert "north and south: confidence" in said
    assert "Matching facts" in said
    assert run_command(["explain", str(saved), "south e1", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["entity"]["graph"] == "south"
    assert run_command(["explain", str(saved), "south e1", "north e1"]) == 2
    assert "name one entity" in capsys.readouterr().err
    pair = str(saved / "pairs" / "north-south")
    assert run_command(["explain", pair, "north e1", "--graph", "north"]) == 2


def test_clusters_are_exported_and_evaluated(
    saved: Path, files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "clusters.nt"
    assert run_command(["export", str(saved), "--format", "sameas", "--out", str(out)]) == 0
    assert "clusters: " in capsys.readouterr().out
    assert out.read_text().count("sameAs>") > 50
    assert run_command(["export", str(saved), "--format", "sameas", "--out", str(out)]) == 2
    capsys.readouterr()
    assert run_command(["export", str(saved), "--format", "tsv", "--out", "-"]) == 0
    assert capsys.readouterr().out.startswith("cluster\tgraph\tentity\tconfidence")
    truth_file = str(files / "truth.tsv")
    assert run_command(["evaluate", str(saved), "--truth", truth_file, "--json", "-"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["f1"] >= figures["pairwise_f1"]
    assert run_command(["check", str(saved)]) == 0
    assert "the run is whole" in capsys.readouterr().out


def test_a_report_is_written(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("vl_convert")
    assert run_command(["report", str(saved)]) == 0
    assert (saved / "report.html").exists()
    assert run_command(["report", str(saved), "--compare-time"]) == 2
    assert "two graphs alone" in capsys.readouterr().err


def test_review_asks_for_two_graphs_and_gathers_decisions(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["review", str(saved)]) == 2
    assert "--pair north-south" in capsys.readouterr().err
    assert run_command(["review", str(saved), "--export", str(tmp_path / "none")]) == 2
    assert "no decisions yet" in capsys.readouterr().err
    for pair, left, right in (("north-south", "north e1", "south e1"), ("north-west", "x", "y")):
        path = decisions_file(saved / "pairs" / pair)
        Decisions(path).decide(left, right, "accept", seen=0)
    assert run_command(["review", str(saved), "--export", str(tmp_path / "out")]) == 0
    table = pl.read_csv(tmp_path / "out" / "must-link.tsv", separator="\t")
    assert table.rows() == [("north e1", "south e1"), ("x", "y")]
    pair_words = ["--pair", "north-south", "--export", str(tmp_path / "one")]
    assert run_command(["review", str(saved), *pair_words]) == 0
    assert len(pl.read_csv(tmp_path / "one" / "must-link.tsv", separator="\t")) == 1
    assert run_command(["review", str(saved / "pairs" / "north-south"), "--pair", "a"]) == 2
