"""What reads an updated run of which most links stand, and the engines that make one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lighttea
from lighttea.io.frames import graph_of_frame
from lighttea.results.run import Run
from lighttea.review.decisions import Decisions, decisions_file
from lighttea.update import part
from lighttea.update.changes import ANEW, STILL, compare_links
from lighttea.update.graphs import SideChanges, Statements
from tests.update.growing import LATE, Quiet, first_run, growing_world, pairs
from tests.worlds import fact_frame


def updated(**keywords: Any) -> Run:
    """Return an update that works on few entities beside those that changed."""
    world = growing_world()
    late = {"left": world.late_left, "right": world.late_right}
    tables: dict[str, Any] = {side: fact_frame(*facts) for side, facts in late.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(part, "FEWEST", 5)
        patch.setattr("lighttea.update.update.MOST_SHARE", 0.9)
        return first_run().update(**tables, progress=Quiet(), **keywords)


@cache
def in_part() -> Run:
    """Return the update that the tests of readers look at."""
    return updated()


def standing() -> str:
    """Return a left entity that was not worked on again."""
    labels = in_part().candidates.filter(pl.col("relational") > 0)
    return str(labels["left"].sort()[0])


def test_few_entities_are_worked_on_and_the_others_stand() -> None:
    run = in_part()
    assert run.info["update"]["anew"] is None
    assert run.info["update"]["worked_on"] < 200
    name = standing()
    before, after = (
        run.links.filter(left=name).drop("fdr").rows() for run in (first_run(), in_part())
    )
    assert before == after


@pytest.mark.parametrize("is_anew", [True, False])
def test_a_link_that_no_fact_moved_tells_both_confidences(is_anew: bool) -> None:
    run = first_run()
    left, right, chance = run.links.select("left", "right", "confidence").row(0)
    of_link = pl.col("left") == left
    after = replace(
        run, links=run.links.filter(~of_link), candidates=run.candidates.filter(~of_link)
    )
    graphs = (graph_of_frame(table) for table in (run.facts_left, run.facts_right))
    own, others = (
        SideChanges(graph, Statements.of_graph(graph).none(), Statements.of_graph(graph).none())
        for graph in graphs
    )
    came, went = (
        compare_links(*runs, own, others, is_anew=is_anew).filter(pl.col("change") != "kept").row(0)
        for runs in ((after, run), (run, after))
    )
    words = ANEW if is_anew else STILL
    told = f"confidence {chance:.2f}"
    assert came == (left, right, "new", f"{words}: no candidate before, {told} now")
    assert went == (left, right, "withdrawn", f"{words}: {told} before, no candidate now")


@pytest.mark.parametrize("late", [True, False])
def test_links_are_explained_by_facts_of_the_graphs_as_they_are(late: bool) -> None:
    name = LATE[0] if late else standing()
    why = in_part().explain(name)
    link = in_part().links.filter(left=name).row(0, named=True)
    assert (why.left, why.right) == (name, link["right"])
    assert why.score == pytest.approx(link["score"], abs=1e-5)
    assert why.confidence == pytest.approx(link["confidence"], abs=1e-5)
    assert why.facts
    assert sum(why.aspects.values()) == pytest.approx(why.score, abs=1e-4)


@pytest.mark.parametrize("form", ["tsv", "parquet", "jsonl", "sameas", "sssom", "fused"])
def test_every_format_has_all_links(form: Any, tmp_path: Path) -> None:
    run = in_part()
    path = run.export(tmp_path / "out", format=form)
    if form == "fused":
        fused = lighttea.read_graph(path)
        n_all = len({*run.facts_left["head"], *run.facts_left["tail"]}) * 2
        assert len(fused.entities) == n_all - len(run.links) - len(run.seeds)
        return
    text = pl.read_parquet(path).write_csv() if form == "parquet" else path.read_text("utf-8")
    for name in (LATE[0], standing()):
        assert name in text


def test_an_updated_run_is_evaluated() -> None:
    run = in_part()
    names = {name for table in (run.links, run.seeds) for name in table["left"]}
    evaluation = run.evaluate([(name, f"x{name}") for name in sorted(names)])
    assert evaluation.links.precision == 1.0


def test_decisions_on_an_updated_run_hold_in_the_next(tmp_path: Path) -> None:
    folder = in_part().save(tmp_path / "second")
    for name, verdict in ((LATE[0], "accept"), (standing(), "reject")):
        Decisions(decisions_file(folder)).decide(name, f"x{name}", verdict, seen=0)
    accepted, rejected = Decisions(decisions_file(folder)).links()
    run = lighttea.load_run(folder).update(
        must_link=accepted, cannot_link=rejected, progress=Quiet()
    )
    assert (LATE[0], f"x{LATE[0]}") in pairs(run.seeds)
    assert (standing(), f"x{standing()}") not in pairs(run.links)


def test_links_that_moved_without_facts_tell_their_confidence() -> None:
    world = growing_world()
    run = first_run().update(cannot_link=[("e40", "xe40")], progress=Quiet())
    told = run.changes.filter(pl.col("change") != "kept")
    assert ("e40", "xe40", "withdrawn", "forbidden") in told.rows()
    for left, right, _, why in told.rows():
        assert why, (left, right)
    gone = [fact for fact in world.left if "e42" in (fact[0], fact[2])]
    less = first_run().update(remove_left=fact_frame(*gone[1:]), progress=Quiet())
    assert all(less.changes.filter(pl.col("change") != "kept")["why"])


def test_the_torch_engine_gives_the_same_update(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr("lighttea.engines.gpu.engine.find_gpu", lambda: ("cpu", ""))
    run = updated(engine="gpu")
    assert run.info["engine"] == "gpu"
    assert pairs(run.links) == pairs(in_part().links)
    both = run.links.join(in_part().links, on=["left", "right"])
    assert both.select((pl.col("score") - pl.col("score_right")).abs().max()).item() < 1e-4


@pytest.mark.slow
def test_dask_gives_the_same_update(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    run = updated(engine="dask")
    assert run.info["engine"] == "dask"
    assert pairs(run.links) == pairs(in_part().links)
    assert run.changes.equals(in_part().changes)
    folder = run.save(tmp_path / "run")
    assert pl.read_parquet(folder / "links_parts").equals(run.links)
