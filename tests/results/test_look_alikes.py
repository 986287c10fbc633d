"""Entities that have the facts of another one: counted, and said where no link comes out."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import lighttea
from lighttea.display import GraphNames
from lighttea.io.frames import graph_of_frame
from lighttea.io.literals import frame_of_attributes
from lighttea.results.look_alikes import count_look_alikes, look_alikes_warning
from lighttea.results.run import Run
from tests.worlds import Fact, fact_frame, make_world

TWINS: list[Fact] = [(name, "r", "hub", "1990", "1991") for name in ("a", "b", "c")]


def count_in(facts: list[Fact], values: dict[str, str] | None = None) -> tuple[int, int]:
    """Return the counts of a graph with these facts and the value of an attribute by entity."""
    rows = {"head": [*(values or {})], "value": [*(values or {}).values()]}
    literals = pl.DataFrame(rows, schema=dict.fromkeys(rows, pl.String))
    frame = pl.concat(
        [fact_frame(*facts), literals.with_columns(relation=pl.lit("name"))], how="diagonal"
    )
    return count_look_alikes(fact_frame(*facts), frame_of_attributes(graph_of_frame(frame)))


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (TWINS, (3, 4)),
        ([*TWINS[:2], ("c", "r", "hub", "1990", "1992")], (2, 4)),
        ([*TWINS[:2], ("c", "s", "hub", "1990", "1991")], (2, 4)),
        ([*TWINS[:2], ("hub", "r", "c", "1990", "1991")], (2, 4)),
        ([("a", "r", "b", None, None), ("c", "r", "d", None, None)], (0, 4)),
    ],
)
def test_a_relation_a_time_or_a_direction_tells_entities_apart(
    facts: list[Fact], expected: tuple[int, int]
) -> None:
    assert count_in(facts) == expected


def test_what_belongs_together_counts_not_what_occurs() -> None:
    """Both know the same relations and neighbours, each in other facts."""
    none = (None, None)
    crossed: list[Fact] = [
        *(("a", "r", "x", *none), ("a", "s", "y", *none)),
        *(("b", "r", "y", *none), ("b", "s", "x", *none)),
    ]
    assert count_in(crossed) == (0, 4)


def test_literals_tell_entities_apart() -> None:
    assert count_in(TWINS, {"a": "Ann", "b": "Ben"}) == (0, 4)
    assert count_in(TWINS, {"a": "Ann", "b": "Ann"}) == (2, 4)


@pytest.fixture(scope="module")
def run() -> Run:
    world = make_world(3)
    return lighttea.align(
        world.left, world.right, seeds=world.seeds, dim=16, rounds=1, top_k=10, threads=1
    )


def test_only_a_run_without_links_whose_entities_look_alike_is_told(run: Run) -> None:
    names = GraphNames("people", "right")
    twins, others = fact_frame(*TWINS), fact_frame(("a", "r", "b", "1990", "1990"))
    alike = replace(run, facts_left=twins, facts_right=others)
    assert len(run.links)
    assert look_alikes_warning(alike, names) is None
    without = replace(alike, links=run.links.clear())
    assert look_alikes_warning(without, names) == (
        "no links: 3 of 4 entities of people (the left graph) have exactly the facts and literals "
        "of another one; nothing tells them apart"
    )
    assert look_alikes_warning(replace(without, facts_left=others), names) is None
