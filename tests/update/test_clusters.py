"""Runs of several graphs that are updated: known answers, stable ids, constraints, errors."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import lighttea
from lighttea.errors import InputError, StartError
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frame
from lighttea.results.check import check_run
from lighttea.results.clusters import ClusterRun
from tests.several import NAMES, named, seeds
from tests.update.growing import SETTINGS, Quiet
from tests.worlds import Fact, fact_frame, random_facts

LATE = ("e11", "e23", "e37")  # entities that come into `north` and `south` later
FACTS = list(dict.fromkeys(random_facts(50, 480, 3)))


def facts_of(prefix: str, *, late: bool) -> pl.DataFrame:
    """The facts of one graph that name a late entity, or the others."""
    own: list[Fact] = [
        (f"{prefix} {head}", f"{prefix} {relation}", f"{prefix} {tail}", begin, end)
        for head, relation, tail, begin, end in FACTS
        if (head in LATE or tail in LATE) == late
    ]
    return fact_frame(*own)


def early_graphs() -> list[Graph]:
    """Three graphs of one world; two of them lack the late entities."""
    early = [replace(graph_of_frame(facts_of(name, late=False)), name=name) for name in NAMES[:2]]
    return [*early, replace(named(FACTS, "west "), name="west")]


@cache
def first_run() -> ClusterRun:
    """Return the run of the graphs as they were first."""
    known = seeds().filter(~pl.col("cluster").is_in(LATE))
    return lighttea.align_many(early_graphs(), seeds=known, progress=Quiet(), **SETTINGS)


@cache
def grown_run() -> ClusterRun:
    """Return the run in which one graph has got its late entities."""
    return first_run().update(added={"north": facts_of("north", late=True)}, progress=Quiet())


def groups(run: ClusterRun) -> dict[str, set[str]]:
    """The entities of each cluster."""
    table = run.clusters.group_by("cluster").agg("entity")
    return {cluster: set(entities) for cluster, entities in table.rows()}


def clusters_of(run: ClusterRun) -> dict[str, str]:
    """The cluster of each entity."""
    return dict(run.clusters.select("entity", "cluster").rows())


def are_one(run: ClusterRun, one: str, other: str) -> bool:
    """Whether two entities are in one cluster."""
    return any({one, other} <= members for members in groups(run).values())


def test_entities_that_came_in_join_clusters_and_the_others_keep_theirs() -> None:
    before, after = groups(first_run()), groups(grown_run())
    assert not any(f"north {name}" in clusters_of(first_run()) for name in LATE)
    for name in LATE:
        assert {f"north {name}", f"west {name}"} in after.values()
    assert {cluster: after[cluster] for cluster in before} == before
    assert len(after) == len(before) + len(LATE)


def test_only_the_pairs_of_the_changed_graph_are_worked_on() -> None:
    run = grown_run()
    assert run.info["update"]["pairs"] == [["north", "south"], ["north", "west"]]
    assert run.pairs["south", "west"].links.equals(first_run().pairs["south", "west"].links)
    assert "update" not in run.pairs["south", "west"].info
    assert run.info["update"]["members"]["new"] == 2 * len(LATE)
    n_north = next(graph for graph in run.info["graphs"] if graph["name"] == "north")["entities"]
    assert n_north == 50


def test_changes_name_the_facts_that_did_it() -> None:
    told = {
        entity: (cluster, change, why)
        for cluster, _, entity, change, why in grown_run().changes.rows()
    }
    assert set(told) == set(clusters_of(grown_run()))
    for name in LATE:
        for entity in (f"north {name}", f"west {name}"):
            cluster, change, why = told[entity]
            assert (cluster, change) == (clusters_of(grown_run())[entity], "new")
            assert f"north north {name} = west west {name}: new, + north: north" in why


def test_an_entity_that_is_gone_leaves_its_cluster_and_the_id_stays() -> None:
    gone = facts_of("north", late=True)
    run = grown_run().update(removed={"north": gone}, progress=Quiet())
    assert groups(run) == groups(first_run())
    told = {entity: change for _, _, entity, change, _ in run.changes.rows()}
    assert {told[f"north {name}"] for name in LATE} == {"withdrawn"}


def test_a_graph_that_is_given_anew_keeps_its_name() -> None:
    whole = pl.concat([facts_of("north", late=late) for late in (False, True)])
    info = {**first_run().info, "command": "lighttea align", "versions": {}}
    run = replace(first_run(), info=info).update(replaced={"north": whole}, progress=Quiet())
    assert run.graphs == list(NAMES)
    assert groups(run) == groups(grown_run())
    assert run.update(cannot_link=[("north e1", "west e1")], progress=Quiet()).graphs == run.graphs
    assert run.info["versions"] == first_run().info["versions"]
    assert "command" not in run.info


def test_constraints_hold_and_go_along() -> None:
    forbidden = [("north e1", "west e1")]
    assert are_one(first_run(), *forbidden[0])
    run = first_run().update(
        added={"north": facts_of("north", late=True)}, cannot_link=forbidden, progress=Quiet()
    )
    assert not are_one(run, "north e1", "west e1")
    again = run.update(added={"south": facts_of("south", late=True)}, progress=Quiet())
    own = clusters_of(again)
    assert not are_one(again, "north e1", "west e1")
    for name in LATE:
        assert len({own[f"{graph} {name}"] for graph in NAMES}) == 1
        assert own[f"west {name}"] == clusters_of(run)[f"west {name}"]


def test_an_updated_run_is_a_run(tmp_path: Path) -> None:
    folder = grown_run().save(tmp_path / "run")
    assert check_run(folder).is_whole
    loaded = lighttea.load_clusters(folder)
    assert loaded.changes.equals(grown_run().changes)
    lines = (folder / "changes.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "cluster\tgraph\tentity\tchange\twhy"
    assert first_run().changes.is_empty()


def test_two_graphs_without_a_run_are_tried_again_when_one_has_changed() -> None:
    pairs = dict(first_run().pairs)
    del pairs["north", "south"]
    record = {
        "left": "north",
        "right": "south",
        "why": "no",
        "cannot_links": [["north e2", "south e2"]],
    }
    info = {**first_run().info, "unaligned": [record]}
    without = replace(first_run(), pairs=pairs, info=info)
    same = without.update(cannot_link=[("north e1", "west e1")], progress=Quiet())
    assert same.info["unaligned"] == [record]
    run = without.update(added={"north": facts_of("north", late=True)}, progress=Quiet())
    assert ("north", "south") in run.pairs
    assert run.info["unaligned"] == []
    assert not are_one(run, "north e2", "south e2")


def test_a_graph_that_fits_no_other_any_more_does_not_stop_the_update() -> None:
    """The pairs without it stay; with no pair left there is nothing to keep."""
    foreign = fact_frame(*[(f"{h}!", f"{r}!", f"{t}!", b, e) for h, r, t, b, e in FACTS[:40]])
    asked = {"west": foreign}, [("north e2", "south e2")]
    run = first_run().update(replaced=asked[0], cannot_link=asked[1], progress=Quiet())
    assert list(run.pairs) == [("north", "south")]
    assert [(x["left"], x["right"]) for x in run.info["unaligned"]] == [
        ("north", "west"),
        ("south", "west"),
    ]
    assert any("west were not aligned" in warning for warning in run.info["warnings"])
    assert not are_one(run, "north e2", "south e2")
    two = run.update(added={"north": facts_of("north", late=True)}, progress=Quiet())
    assert [x["why"] for x in two.info["unaligned"]] == [x["why"] for x in run.info["unaligned"]]
    with pytest.raises(StartError):
        run.update(replaced={"north": foreign}, progress=Quiet())


def test_what_cannot_be_done_is_said() -> None:
    fact = [("a", "r", "b")]
    with pytest.raises(InputError, match="nothing to update with"):
        first_run().update()
    with pytest.raises(InputError, match="added: no graph is called 'east'; there are north,"):
        first_run().update(added={"east": fact})
    with pytest.raises(InputError, match="`replaced north` is the whole new version of north"):
        first_run().update(added={"north": fact}, replaced={"north": fact})
    with pytest.raises(InputError, match="`removed north`: none of the 1 facts"):
        first_run().update(removed={"north": fact})
    pairs = {("north", "south"): first_run().pairs["north", "south"]}
    with pytest.raises(InputError, match="west was aligned with no other graph"):
        replace(first_run(), pairs=pairs).update(added={"west": fact})
    dedupe = replace(first_run(), info={**first_run().info, "dedupe": {}})
    with pytest.raises(InputError, match="dedupe it again"):
        dedupe.update(added={"north": fact})
