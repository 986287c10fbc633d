"""Duplicates inside one graph: found where there are some, and none where there are none."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

import lighttea
from lighttea.clusters.make import make_clusters
from lighttea.errors import ConfigError, InputError
from lighttea.example import example_file
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frame
from lighttea.results.cluster_store import load_clusters
from lighttea.results.clusters import ClusterRun
from lighttea.single import no_surer_than_pairs
from tests.duplicates.worlds import career_graph, careers, made_up_graph
from tests.worlds import fact_frame


def pairs_of(run: ClusterRun) -> set[frozenset[str]]:
    return {frozenset(row) for row in run.links.select("left", "right").rows()}


def dedupe(graph: Graph, **settings: object) -> ClusterRun:
    return lighttea.dedupe(graph, threads=1, **settings)  # type: ignore[arg-type]


def test_entities_that_are_there_twice_are_found(tmp_path: Path) -> None:
    graph, truth = made_up_graph(tmp_path / "data", duplicates=0.1)
    run = dedupe(graph)
    found = pairs_of(run)
    assert len(truth) == 40
    assert len(found & truth) >= 0.7 * len(truth)
    assert len(found & truth) >= 0.95 * len(found)
    assert run.info["dedupe"]["warning"] is None


@pytest.mark.parametrize("literals", [False, True])
def test_a_graph_without_duplicates_has_none_that_is_sure(tmp_path: Path, literals: bool) -> None:
    graph, _ = made_up_graph(tmp_path / "data", duplicates=0, literals=literals)
    run = dedupe(graph)
    assert not (run.clusters["confidence"] >= 0.9).any()
    assert "no sure duplicates" in run.info["dedupe"]["warning"]


@pytest.mark.parametrize("name", ["left.tsv", "right.csv"])
def test_the_example_has_no_duplicates(name: str) -> None:
    run = dedupe(lighttea.read_graph(example_file(name)))
    assert run.clusters.is_empty()
    assert run.links.is_empty()
    assert "decoys" in run.info["dedupe"]["warning"]


@pytest.fixture(scope="module")
def career_run() -> ClusterRun:
    return dedupe(career_graph(), min_confidence=0.1)


def test_one_life_in_two_halves_is_one_and_others_are_not(career_run: ClusterRun) -> None:
    found = pairs_of(career_run)
    truth = {frozenset((f"p{n}", f"p{n}*")) for n in range(0, 120, 10)}
    assert len(found & truth) >= 10
    assert not {pair for pair in found - truth if any(name[0] == "p" for name in pair)}


def test_exclusive_places_on_one_day_speak_against_a_pair(career_run: ClusterRun) -> None:
    """The same pair, once as it is, once with other clubs in the same years."""
    seasons = [fact for fact in careers(120) if fact[:2] == ("p10", "playsFor")]
    clashing = [("p10*", season[1], "elsewhere", season[3], season[4]) for season in seasons[:3]]
    clash = dedupe(career_graph(120, *clashing), min_confidence=0.0)
    before, behind = (chance_of(run, "p10", "p10*") for run in (career_run, clash))
    assert before > 0.9
    assert behind < 0.2


def chance_of(run: ClusterRun, one: str, other: str) -> float:
    (own,) = run.pairs.values()
    table = own.candidates.filter(left=one, right=other)
    return float(table["confidence"].max() or 0.0)  # type: ignore[arg-type]


def test_three_ids_of_one_entity_are_one_cluster(tmp_path: Path) -> None:
    graph, truth = made_up_graph(tmp_path / "data", duplicates=0.1)
    one = min(min(truth, key=sorted))
    frame = graph.to_polars()
    again = frame.filter(pl.col("head") == one).with_columns(head=pl.lit("third"))
    run = dedupe(lighttea.graph_from(pl.concat([frame, again])))
    (cluster,) = run.clusters.filter(entity="third")["cluster"]
    members = set(run.clusters.filter(cluster=cluster)["entity"])
    assert {one, "third"} <= members


def test_a_family_of_look_alikes_is_no_surer_than_its_surest_pair() -> None:
    names = ["a", "b", "c", "d"]
    rows = [("g", one, "g", other, 0.6, True) for one, other in combinations(names, 2)]
    columns = ["graph_left", "left", "graph_right", "right", "confidence", "linked"]
    pairs = pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        pl.col("confidence").cast(pl.Float32)
    )
    made = make_clusters(pairs, ["g"], several_per_graph=True)
    assert (made.clusters["confidence"] > 0.9).all()
    capped = no_surer_than_pairs(made, pairs)
    assert capped.clusters["confidence"].to_list() == pytest.approx([0.6] * 4)
    assert capped.links["confidence"].max() == pytest.approx(0.6)
    assert capped.clusters.columns == made.clusters.columns
    assert capped.links.columns == made.links.columns


def test_must_links_are_one_and_cannot_links_are_not() -> None:
    graph = career_graph()
    run = dedupe(graph, must_link=[("p1", "p2")], cannot_link=[("p0*", "p0")])
    found = pairs_of(run)
    assert frozenset(("p1", "p2")) in found
    assert frozenset(("p0", "p0*")) not in found
    assert run.clusters.filter(entity="p1")["confidence"].item() > 0.99


def test_entities_of_different_types_are_not_one() -> None:
    types = [("p0", "person"), ("p0*", "ship"), ("p10", "person"), ("p10*", "person")]
    found = pairs_of(dedupe(career_graph(), types=types))
    assert frozenset(("p0", "p0*")) not in found
    assert frozenset(("p10", "p10*")) in found


def test_the_order_of_lines_changes_nothing() -> None:
    facts = list(careers(60))
    runs = [dedupe(graph_of_frame(fact_frame(*rows))) for rows in (facts, facts[::-1])]
    assert runs[0].clusters.equals(runs[1].clusters)


def test_a_run_is_saved_loaded_and_explained(career_run: ClusterRun, tmp_path: Path) -> None:
    run = career_run
    loaded = load_clusters(run.save(tmp_path / "run"))
    assert loaded.clusters.equals(run.clusters)
    (own,) = loaded.pairs.values()
    link = run.links.row(0, named=True)
    for left, right in ((link["left"], link["right"]), (link["right"], link["left"])):
        explanation = own.explain(left, right)
        parts = sum(part.value for part in explanation.terms)
        assert explanation.score == pytest.approx(parts, abs=2e-3)
        assert explanation.facts


def test_fewer_and_surer_clusters_on_request(career_run: ClusterRun) -> None:
    graph = career_graph()
    sure, none = (
        dedupe(graph, **settings).clusters
        for settings in ({"min_confidence": 0.95}, {"max_fdr": 0.0})
    )
    assert len(career_run.clusters) >= len(sure) > len(none) == 0
    assert (sure["confidence"] >= 0.95).all()


def test_graphs_without_two_entities_are_refused() -> None:
    empty = graph_of_frame(fact_frame())
    with pytest.raises(InputError, match="neither facts nor literals"):
        dedupe(empty)
    single = graph_of_frame(fact_frame(("a", "r", "a", None, None)))
    with pytest.raises(InputError, match="a single entity, 'a'"):
        dedupe(single)


def test_two_entities_are_too_few_to_tell() -> None:
    run = dedupe(graph_of_frame(fact_frame(("a", "r", "b", "2001", None))))
    assert run.clusters.is_empty()
    assert "too few" in run.info["dedupe"]["warning"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"must_link": [("p1", "p2")], "cannot_link": [("p2", "p1")]}, "forbids what"),
        ({"must_link": [("p1", "p1")]}, "names 'p1' twice"),
        ({"cannot_link": [("p1", "nobody")]}, "nobody"),
    ],
)
def test_wrong_pairs_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        dedupe(career_graph(40), **settings)


def test_a_setting_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match="roundz"):
        dedupe(career_graph(40), roundz=3)
