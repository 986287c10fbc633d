"""Runs that are updated: known answers, constraints, what is told, errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lighttea
from lighttea.errors import InputError
from lighttea.io.frames import graph_of_frame
from lighttea.results.check import check_run
from lighttea.results.run import Run
from lighttea.update.changes import NEARBY, STILL, Reasons
from lighttea.update.graphs import SideChanges, Statements
from tests.update.growing import (
    LATE,
    PAIR,
    SETTINGS,
    Quiet,
    changes_by_left,
    first_run,
    growing_world,
    grown_run,
    pairs,
)
from tests.worlds import fact_frame


def wrong_links(run: Run) -> set[tuple[str, str]]:
    return {(left, right) for left, right in pairs(run.links) if right != f"x{left}"}


def test_entities_that_came_in_are_linked_and_the_others_stay_linked() -> None:
    before, after = pairs(first_run().links), pairs(grown_run().links)
    assert not {left for left, _ in before} & set(LATE)
    assert after == before | {(name, f"x{name}") for name in LATE}
    assert not wrong_links(grown_run())


def test_an_update_and_an_alignment_anew_give_the_same_links() -> None:
    world, run = growing_world(), first_run()
    anew = lighttea.align(
        fact_frame(*world.left, *world.late_left),
        fact_frame(*world.right, *world.late_right),
        seeds=run.seeds,
        progress=Quiet(),
        config=lighttea.Config(**run.info["config"]),
    )
    assert pairs(grown_run().links) == pairs(anew.links)


def test_changes_say_what_became_of_each_link_and_which_facts_did_it() -> None:
    run = grown_run()
    table = changes_by_left(run)
    assert pairs(run.changes) == pairs(run.links)
    for name in LATE:
        right, change, why = table[name]
        assert (right, change) == (f"x{name}", "new")
        assert why.startswith("+ left: ")
        assert name in why
    untouched = set(run.links["left"]) - {
        name for fact in growing_world().late_left for name in (fact[0], fact[2])
    }
    assert untouched
    assert {table[name][1:] for name in untouched} == {("kept", "")}


def test_a_whole_new_version_is_the_same_as_its_differences() -> None:
    world = growing_world()
    run = first_run().update(
        replace_left=fact_frame(*world.left, *world.late_left),
        replace_right=fact_frame(*world.right, *world.late_right),
        progress=Quiet(),
    )
    assert run.info["update"]["gained"] == grown_run().info["update"]["gained"]
    assert run.links.equals(grown_run().links)
    assert run.changes.equals(grown_run().changes)


def test_an_entity_whose_facts_are_withdrawn_loses_its_link_and_is_said_to_be_gone() -> None:
    world = growing_world()
    name = "e42"
    own = [fact for fact in world.left if name in (fact[0], fact[2])]
    run = first_run().update(remove_left=fact_frame(*own), progress=Quiet())
    assert name in set(first_run().links["left"])
    assert name not in set(run.links["left"])
    right, change, why = changes_by_left(run)[name]
    assert (right, change) == (f"x{name}", "withdrawn")
    assert why.startswith(f"{name} is gone; - left: ")
    assert run.info["update"]["lost"] == {"left": len(own), "right": 0}
    assert not wrong_links(run)


def test_facts_that_come_and_go_again_bring_the_links_back() -> None:
    world = growing_world()
    back = grown_run().update(
        remove_left=fact_frame(*world.late_left),
        remove_right=fact_frame(*world.late_right),
        progress=Quiet(),
    )
    assert pairs(back.links) == pairs(first_run().links)
    assert back.facts_left.sort(pl.all()).equals(first_run().facts_left.sort(pl.all()))


def test_a_link_is_overturned_where_the_facts_that_made_it_turn_out_wrong() -> None:
    world = growing_world()
    one, other = "xe40", "xe41"
    swap = {one: other, other: one}
    swapped = [
        (swap.get(h, h), r, swap.get(t, t), begin, end) for h, r, t, begin, end in world.right
    ]
    wrong = first_run().update(replace_right=fact_frame(*swapped), progress=Quiet())
    assert ("e40", other) in pairs(wrong.links)
    assert changes_by_left(wrong)["e40"][1] == "changed"
    assert changes_by_left(wrong)["e40"][2].startswith(f"was {one}; ")
    right = wrong.update(replace_right=fact_frame(*world.right), progress=Quiet())
    assert pairs(right.links) == pairs(first_run().links)


def test_seeds_and_constraints_hold() -> None:
    world, late = growing_world(), LATE[0]
    demanded = [("e30", "xe31")]
    run = first_run().update(
        left=fact_frame(*world.late_left),
        right=fact_frame(*world.late_right),
        must_link=demanded,
        cannot_link=[(late, f"x{late}")],
        progress=Quiet(),
    )
    assert pairs(run.seeds) == pairs(first_run().seeds) | set(demanded)
    assert not {left for left, _ in pairs(run.links)} & {"e30", late}
    assert "xe31" not in set(run.links["right"])
    table = changes_by_left(run)
    assert table["e30"] == ("xe31", "changed", "was xe30; demanded")
    assert table["e31"][:2] == ("xe31", "withdrawn")
    assert pairs(run.cannot_links) == {(late, f"x{late}")}
    again = run.update(left=[("e30", "r1", "e77", "1950", "1950")], progress=Quiet())
    assert pairs(again.seeds) == pairs(run.seeds)
    assert late not in set(again.links["left"])


def test_seeds_whose_entities_are_gone_are_left_out_and_counted() -> None:
    world, progress = growing_world(), Quiet()
    own = [fact for fact in world.left if "e12" in (fact[0], fact[2])]
    run = first_run().update(remove_left=fact_frame(*own), progress=progress)
    assert len(run.seeds) == len(first_run().seeds) - 1
    assert "1 seeds left out: their entities are gone" in progress.warnings


def test_an_updated_run_is_a_run(tmp_path: Path) -> None:
    folder = grown_run().save(tmp_path / "grown")
    check = check_run(folder)
    assert check.is_whole, check.problems
    loaded = lighttea.load_run(folder)
    assert loaded.changes.equals(grown_run().changes)
    lines = (folder / "changes.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "left\tright\tchange\twhy"
    assert len(lines) == len(loaded.changes) + 1
    assert loaded.explain(LATE[0]).right == f"x{LATE[0]}"


def test_scores_are_the_sums_of_their_terms_and_no_label_counts_in_the_part() -> None:
    table = grown_run().candidates
    terms = ["relational", "temporal", "time", "consensus", "likelihood", "contradiction"]
    gap = table.select((pl.sum_horizontal(terms) - pl.col("score")).abs().max()).item()
    assert gap < 1e-5
    late = table.filter(pl.col("left").is_in(LATE))
    assert late.select(pl.sum_horizontal("relational", "temporal", "time").abs().max()).item() == 0
    assert late.select(pl.col("consensus").max()).item() > 0


def test_confidence_is_told_anew_with_decoys_where_the_part_is_worked_on() -> None:
    run = grown_run()
    late = run.links.filter(pl.col("left").is_in(LATE))
    assert (late["confidence"] > 0.5).all()
    assert run.links["fdr"].null_count() == 0
    assert run.info["decoys"]["per_entity"] > 0
    assert run.info["update"]["worked_on"] > 0


def test_all_is_aligned_anew_where_settings_or_much_of_the_graphs_change() -> None:
    world = growing_world()
    late: dict[str, Any] = {
        "left": fact_frame(*world.late_left),
        "right": fact_frame(*world.late_right),
    }
    progress = Quiet()
    run = first_run().update(**late, beta=0.3, progress=progress)
    assert run.info["update"]["anew"] == "settings differ from the run's: beta"
    assert "aligning anew: settings differ from the run's: beta" in progress.told
    assert run.info["config"]["beta"] == 0.3
    assert not wrong_links(run)
    other = [(h, f"new {r}", t, b, e) for h, r, t, b, e in world.left]
    much = first_run().update(replace_left=fact_frame(*other), progress=Quiet())
    assert "of the left entities are concerned" in much.info["update"]["anew"]
    assert not wrong_links(much)
    assert len(much.info["rounds"]) == 1
    assert much.info["config"]["rounds"] == SETTINGS["rounds"] == 2


def test_times_that_come_in_later_are_compared() -> None:
    world = growing_world()
    sides = [*world.left, *world.late_left], [*world.right, *world.late_right]
    timed = [fact_frame(*facts) for facts in sides]
    timeless = [frame.with_columns(begin=None, end=None) for frame in timed]
    seeds = [(f"e{number}", f"xe{number}") for number in range(12, 40)]
    first = lighttea.align(*timeless, seeds=seeds, progress=Quiet(), **SETTINGS)
    assert not first.info["config"]["temporal_propagation"]
    progress = Quiet()
    given: dict[str, Any] = {"replace_left": timed[0], "replace_right": timed[1]}
    run = first.update(**given, progress=progress)
    assert run.info["config"]["temporal_propagation"]
    assert run.info["config"]["temporal_constraint"]
    assert "both graphs have times by now, and these are compared" in progress.told
    given |= {"temporal_propagation": False, "temporal_constraint": False}
    run = first.update(**given, progress=Quiet())
    assert not run.info["config"]["temporal_propagation"]


def test_as_many_rounds_are_done_as_are_asked_for() -> None:
    late = fact_frame(*growing_world().late_left)
    asked: dict[str, Any] = {"rounds": 4, "convergence": 0.0, "progress": Quiet()}
    run = first_run().update(left=late, **asked)
    assert run.info["config"]["rounds"] == 4
    assert len(run.info["rounds"]) == 4


def test_nothing_to_update_with_is_an_error() -> None:
    with pytest.raises(InputError, match="nothing to update with; give facts that came in"):
        first_run().update()


def test_a_whole_version_and_differences_of_one_side_do_not_go_together() -> None:
    fact = [("a", "r", "b")]
    with pytest.raises(InputError, match="`replace_left` is the whole new version"):
        first_run().update(replace_left=fact, remove_left=fact)


def test_withdrawn_facts_that_the_run_never_had_are_counted() -> None:
    world, progress = growing_world(), Quiet()
    never = ("nobody", "r1", "e5", None, None)
    first_run().update(remove_left=fact_frame(world.left[0], never), progress=progress)
    warning = next(text for text in progress.warnings if "never" in text)
    assert warning.startswith("`remove_left`: 1 of 2 facts and literals were never in the left")
    assert "1 entities that they name are unknown there" in warning
    with pytest.raises(InputError, match="none of the 1 facts and literals is in the left graph"):
        first_run().update(remove_left=fact_frame(never))


def test_facts_that_the_run_has_already_change_nothing() -> None:
    world, progress = growing_world(), Quiet()
    run = first_run().update(left=fact_frame(*world.left[:3]), progress=progress)
    assert any(text.startswith("3 of 3 new facts or literals are in") for text in progress.warnings)
    assert run.info["update"]["gained"] == {"left": 0, "right": 0}
    assert pairs(run.links) == pairs(first_run().links)
    assert set(run.changes["change"]) == {"kept"}


def test_a_reason_says_whether_any_fact_changed() -> None:
    world, run = growing_world(), first_run()
    graph = graph_of_frame(fact_frame(*world.left))
    all_facts = Statements.of_graph(graph)
    link, none = run.links.select("left", "right").head(1), all_facts.none()
    still, other = SideChanges(graph, none, none), SideChanges(graph, all_facts, none)
    for sides, expected in (((still, still), STILL), ((still, other), NEARBY)):
        reasons = Reasons(run, run, sides, ("left", "right"), link, is_anew=False)
        ((*_, why),) = reasons.of_others(link, link.clear())
        assert why.startswith(f"{expected}: confidence")


def test_nothing_may_be_left_of_a_graph() -> None:
    with pytest.raises(InputError, match="nothing is left of the left graph"):
        first_run().update(remove_left=first_run().facts_left)


def test_the_run_that_is_updated_stays_as_it_is() -> None:
    facts = first_run().facts_left.clone()
    grown_run()
    assert first_run().facts_left.equals(facts)
    assert first_run().changes.is_empty()
    assert "update" not in first_run().info


def test_changes_divide_the_links_of_both_runs() -> None:
    world = growing_world()
    run = first_run().update(
        left=fact_frame(*world.late_left),
        remove_right=fact_frame(*world.right[:40]),
        progress=Quiet(),
    )
    table = run.changes
    assert len(table) == len(table.unique(PAIR))
    now = table.filter(pl.col("change") != "withdrawn")
    assert pairs(now) == pairs(run.links)
    kept = table.filter(pl.col("change") == "kept")
    assert pairs(kept) == pairs(run.links) & pairs(first_run().links)
    gone = table.filter(pl.col("change") == "withdrawn")
    assert not pairs(gone) & pairs(run.links)
    assert pairs(gone) <= pairs(first_run().links)


def test_seeds_of_entities_without_facts_stay() -> None:
    world = growing_world()
    left = replace(graph_of_frame(fact_frame(*world.left)), name="one")
    left = replace(left, entities=[*left.entities, "lonely"])
    right = graph_of_frame(fact_frame(*world.right), entities=["alone"])
    seeds = [("e12", "xe12"), ("e13", "xe13"), ("lonely", "alone")]
    run = lighttea.align(left, right, seeds=seeds, progress=Quiet(), **SETTINGS)
    updated = run.update(left=fact_frame(*world.late_left), progress=Quiet())
    assert pairs(updated.seeds) == set(seeds)


def test_literals_come_and_go_with_facts() -> None:
    rows = pl.DataFrame(
        {"head": ["e5", "e6"], "relation": ["name", "name"], "value": ["Ada", "Bob"]}
    )
    run = first_run().update(left=rows, progress=Quiet())
    assert run.attributes_left.select("entity", "value").rows() == [("e5", "Ada"), ("e6", "Bob")]
    assert '+ left: e5 name "Ada"' in changes_by_left(run)["e5"][2]
    less = run.update(remove_left=rows.head(1), progress=Quiet())
    assert less.attributes_left["entity"].to_list() == ["e6"]
    assert '- left: e5 name "Ada"' in changes_by_left(less)["e5"][2]


def test_types_hold_as_they_did() -> None:
    world, late = growing_world(), LATE[1]
    names = {name for fact in (*world.left, *world.late_left) for name in (fact[0], fact[2])}
    left_types = [(name, "odd" if name == late else "usual") for name in sorted(names)]
    right_types = [(f"x{name}", "usual") for name in sorted(names)]
    run = lighttea.align(
        fact_frame(*world.left),
        fact_frame(*world.right),
        seeds=first_run().seeds,
        left_types=iter(left_types),
        right_types=right_types,
        progress=Quiet(),
        **SETTINGS,
    )
    updated = run.update(
        left=fact_frame(*world.late_left), right=fact_frame(*world.late_right), progress=Quiet()
    )
    assert updated.info["types"]
    assert updated.types_left.rows() == left_types
    assert late not in set(updated.links["left"])
    assert set(LATE) - {late} <= set(updated.links["left"])
    untyped = replace(run, types_left=run.types_left.clear())
    progress = Quiet()
    lost = untyped.update(left=fact_frame(*world.late_left), progress=progress)
    assert any("did not keep the types" in text for text in progress.warnings)
    assert not lost.info["types"]


def test_every_link_is_told_of_where_entities_may_have_several() -> None:
    world = growing_world()
    settings = {**SETTINGS, "rounds": 1}
    run = lighttea.align(
        fact_frame(*world.left),
        fact_frame(*world.right),
        seeds=first_run().seeds,
        top_n=2,
        progress=Quiet(),
        **settings,
    )
    updated = run.update(left=fact_frame(*world.late_left), progress=Quiet())
    assert updated.info["update"]["anew"] == "entities may have several links"
    told = updated.changes
    assert pairs(told.filter(pl.col("change") != "withdrawn")) == pairs(updated.links)
    changed = set(told.filter(pl.col("change") == "changed")["left"])
    gone = {pair for pair in pairs(run.links) - pairs(updated.links) if pair[0] not in changed}
    assert pairs(told.filter(pl.col("change") == "withdrawn")) == gone
