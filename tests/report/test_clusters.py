"""The reports of runs with clusters: of several graphs, and of one that has duplicates."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import lighttea
from lighttea.report.blocks import Heading, table_block
from lighttea.report.cluster_blocks import least_certain_blocks
from lighttea.report.clusters import write_cluster_report
from lighttea.results.clusters import ClusterRun
from tests.duplicates.worlds import career_graph
from tests.several import NAMES, run_of_three

_OF_SEVERAL = re.compile("third graph|two graphs|each graph|know each other|1 graphs|align")


@pytest.fixture(scope="module")
def duplicates() -> ClusterRun:
    return lighttea.dedupe(career_graph(), threads=1)


def words_of(run: ClusterRun, folder: Path) -> str:
    """The words of a report."""
    pytest.importorskip("vl_convert")
    page = write_cluster_report(run, folder).read_text(encoding="utf-8")
    body = re.sub(r"(?s)<(style|script)>.*?</\1>", " ", page).replace("<wbr>", "")
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def test_members_stand_below_their_cluster_in_the_order_of_the_graphs() -> None:
    run = run_of_three()
    (block,) = least_certain_blocks(run)
    headings = [row.text for row in block["rows"] if isinstance(row, Heading)]
    least = run.clusters.group_by("cluster").agg(least=run.clusters["confidence"].min())
    assert set(headings) <= set(least["cluster"])
    assert len(headings) == len(set(headings)) == min(15, least.height)
    members: dict[str, list[tuple[str, ...]]] = {}
    for row in block["rows"]:
        if isinstance(row, Heading):
            own = members.setdefault(row.text, [])
        else:
            own.append((row[0], row[1].id, row[2]))
    for cluster, rows in members.items():
        expected = run.clusters.filter(cluster=cluster)
        assert {row[1] for row in rows} == set(expected["entity"])
        places = [NAMES.index(row[0]) for row in rows]
        assert places == sorted(places)


def test_headings_do_not_count_as_cells() -> None:
    block = table_block("t", ("a", "b"), [Heading("one"), ("x", "1"), Heading("two"), ("y", "2")])
    assert block["numeric"] == [False, True]
    assert not any(table_block("t", ("a", "b"), [Heading("one")])["numeric"])


def test_a_report_on_several_graphs_says_so(tmp_path: Path) -> None:
    words = words_of(run_of_three(), tmp_path)
    assert "Alignment report" in words
    assert "Links by a third graph" in words
    assert "Duplicates" not in words


def test_a_report_on_duplicates_speaks_of_one_graph(duplicates: ClusterRun, tmp_path: Path) -> None:
    n_clusters, n_entities = duplicates.info["clusters"], duplicates.info["graphs"][0]["entities"]
    assert n_clusters
    words = words_of(duplicates, tmp_path)
    assert f"Duplicates report: {tmp_path.name}" in words
    assert f"{n_clusters} entities of {n_entities} are there twice or more." in words
    left = n_entities - len(duplicates.clusters) + n_clusters
    assert f"Once merged {left} entities are left of {n_entities}" in words
    assert "lighttea export" in words
    assert not _OF_SEVERAL.findall(words)


def test_a_report_without_duplicates_says_why(duplicates: ClusterRun, tmp_path: Path) -> None:
    reason = "no sure duplicates, and too few candidates to check confidence by decoys"
    dedupe = {**duplicates.info["dedupe"], "warning": reason}
    none = replace(
        duplicates,
        clusters=duplicates.clusters.clear(),
        links=duplicates.links.clear(),
        conflicts=duplicates.conflicts.clear(),
        info={**duplicates.info, "clusters": 0, "dedupe": dedupe},
    )
    words = words_of(none, tmp_path)
    assert "No sure duplicates, and too few candidates" in words
    assert "Expected errors none" in words
    assert "lighttea inspect" in words
    assert "lighttea export" not in words
    assert "Pairs by confidence" not in words
    assert not _OF_SEVERAL.findall(words)
