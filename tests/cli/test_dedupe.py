"""`lighttea dedupe`: what it writes and says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from lighttea.cli import run_command
from lighttea.cli.cluster_runs import pair_to_review
from lighttea.errors import InputError
from lighttea.example import example_file
from lighttea.results.cluster_store import load_clusters
from lighttea.results.store import load_run
from tests.duplicates.worlds import careers
from tests.worlds import fact_frame


@pytest.fixture(scope="module")
def graph_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "players.tsv"
    fact_frame(*careers(80)).write_csv(path, separator="\t")
    return path


@pytest.fixture(scope="module")
def run_folder(graph_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    words = ["dedupe", str(graph_file), "--out", str(out), "--threads", "1", "--no-report"]
    assert run_command([*words, "--json", str(out.with_suffix(".json"))]) == 0
    return out


def test_a_run_is_whole_and_its_figures_are_told(run_folder: Path) -> None:
    assert run_command(["check", str(run_folder)]) == 0
    run = load_clusters(run_folder)
    told = json.loads(run_folder.with_suffix(".json").read_text())
    table = pl.read_csv(run_folder / "clusters.tsv", separator="\t")
    assert table.columns == ["cluster", "graph", "entity", "confidence"]
    assert told["clusters"] == table["cluster"].n_unique() == run.info["clusters"] > 0
    assert told["dedupe"]["warning"] is None


def test_a_cluster_is_explained(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entity = load_clusters(run_folder).clusters["entity"][0]
    assert run_command(["explain", str(run_folder), entity]) == 0
    said = capsys.readouterr().out
    assert "Matching facts" in said
    assert "players and players" not in said
    assert f"{entity} and " in said or f" and {entity}: " in said


def test_review_takes_the_only_graph_there_is(run_folder: Path) -> None:
    pair = pair_to_review(run_folder, None)
    assert len(load_run(pair).links)
    with pytest.raises(InputError, match="there is no pair 'other'"):
        pair_to_review(run_folder, "other")


def test_fused_merges_duplicates(run_folder: Path, graph_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "fused"
    assert run_command(["export", str(run_folder), "--format", "fused", "--out", str(out)]) == 0
    run = load_clusters(run_folder)
    facts = pl.read_csv(graph_file, separator="\t", infer_schema=False)
    named = {*facts["head"], *facts["tail"]}
    n_merged = len(run.clusters) - run.info["clusters"]
    merged = pl.read_parquet(out / "entities.parquet")
    assert len(merged) == len(named)  # each id, and the entity it became
    assert merged["entity"].n_unique() == len(named) - n_merged < len(named)


def test_the_truth_of_one_graph_is_pairs_of_it(
    run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = tmp_path / "truth.tsv"
    pairs = "".join(f"p{n}*\tp{n}\n" for n in range(0, 80, 10))
    truth.write_text(f"left\tright\n{pairs}")
    assert run_command(["evaluate", str(run_folder), "--truth", str(truth), "--json", "-"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["n_truth"] == 8
    assert figures["precision"] == 1
    assert figures["recall"] > 0.5


def test_a_graph_without_duplicates_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["dedupe", str(example_file("left.tsv")), "--out", str(tmp_path / "run")]
    assert run_command([*words, "--threads", "1", "--no-report"]) == 0
    out = capsys.readouterr().out
    assert "0 entities of 391" in out
    assert "no sure duplicates" in out


def test_bad_input_is_refused_in_a_sentence(
    graph_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty, broken = tmp_path / "empty.tsv", tmp_path / "broken.tsv"
    empty.write_text("head\trelation\ttail\n")
    broken.write_text("head\trelation\ttail\na\tr\n")
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("left\tright\np1\tnobody\n")
    out = ["--out", str(tmp_path / "run")]
    for words, part in (
        ([str(empty)], "empty.tsv"),
        ([str(broken)], "broken.tsv"),
        ([str(tmp_path / "none.tsv")], "no such file"),
        ([str(graph_file), "--must-link", str(pairs)], "nobody"),
        ([str(graph_file), "--min-confidence", "2"], "min_confidence"),
    ):
        assert run_command(["dedupe", *words, *out]) == 2
        assert part in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
