"""A run of two graphs whose ids are IRIs, with names that are short, long, hostile or foreign."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import polars as pl

import lighttea
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frame
from lighttea.results.run import Run
from tests.worlds import Fact, fact_frame, random_facts, renamed

LEFT, RIGHT = "http://people.example/id/", "https://staff.example/record/"
LEFT_RELATION, RIGHT_RELATION = "http://people.example/ontology#", "https://staff.example/p/"
BOELL, HEBREW, ARABIC = "Heinrich Böll", "דוד בן־גוריון", "عمر الخيام"
LONG = "The Society for the Advancement of Very Long and Rather Unwieldy Names " * 2
HOSTILE = "<script>document.title='broken'</script> [bold]x[/bold] :key: \x1b[31m\u202eevil"
HOMONYM = "Jan Novák"
N_ENTITIES = 60
ODD_NAMES = {1: BOELL, 2: HEBREW, 3: ARABIC, 4: LONG, 5: HOSTILE, 6: HOMONYM, 7: HOMONYM}
NAMELESS = 8  # whose id is all that is known


def left_id(number: int) -> str:
    return f"{LEFT}e{number}"


def right_id(number: int) -> str:
    return f"{RIGHT}xe{number}"


def _graph(facts: list[Fact], entity: str, relation: str) -> Graph:
    spelt = [(entity + h, relation + r, entity + t, b, e) for h, r, t, b, e in facts]
    return graph_of_frame(fact_frame(*spelt))


@lru_cache
def named_world() -> tuple[Graph, Graph]:
    """The graphs: the left one has a name of its own, the right one that of its file."""
    facts = random_facts(N_ENTITIES, 400, 1)
    left = _graph(facts, LEFT, LEFT_RELATION)
    right = _graph(renamed(facts), RIGHT, RIGHT_RELATION)
    names = {i: ODD_NAMES.get(i, f"Person {i}") for i in range(N_ENTITIES) if i != NAMELESS}
    return (
        replace(
            left,
            name="People",
            source="data/dump.nt",
            entity_names={left_id(i): name for i, name in names.items()},
            relation_names={LEFT_RELATION + "r0": "was born in", LEFT_RELATION + "r1": "works at"},
        ),
        replace(
            right,
            source="data/staff.nt.gz",
            entity_names={right_id(i): f"{name} (staff)" for i, name in names.items()},
        ),
    )


@lru_cache
def named_run() -> Run:
    """A run on these graphs, with a few seeds that have ordinary names."""
    left, right = named_world()
    seeds = [(left_id(i), right_id(i)) for i in range(30, 50)]
    run = lighttea.align(
        left,
        right,
        seeds=seeds,
        dim=64,
        rounds=1,
        bootstrap=False,  # then all entities search, and nearly all are candidates
        min_confidence=0.0,
        literals=False,
    )
    odd = [left_id(i) for i in (*ODD_NAMES, NAMELESS)]
    assert run.links.filter(pl.col("left").is_in(odd)).height == len(odd)
    return run
