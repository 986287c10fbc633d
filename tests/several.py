"""Three graphs of one world, whose clusters are known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl

import lighttea
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frame
from lighttea.results.clusters import ClusterRun
from tests.worlds import Fact, fact_frame, random_facts

NAMES = ("north", "south", "west")


def named(facts: list[Fact], prefix: str) -> Graph:
    """A graph in which everything has a prefix of its own."""
    own: list[Fact] = [
        (f"{prefix}{head}", f"{prefix}{relation}", f"{prefix}{tail}", begin, end)
        for head, relation, tail, begin, end in facts
    ]
    return replace(graph_of_frame(fact_frame(*own)), name=prefix, source=f"{prefix}.tsv")


@cache
def three_graphs() -> tuple[Graph, ...]:
    """Graphs of 50 entities, each with seven eighths of the facts of one world."""
    facts = random_facts(50, 480, 3)
    rng = np.random.default_rng(0)
    return tuple(
        named([fact for fact in facts if rng.random() < 0.875], f"{name} ") for name in NAMES
    )


def truth() -> pl.DataFrame:
    """The true clusters of the three graphs."""
    return pl.DataFrame(
        [
            (entity.split(" ", 1)[1], name, entity)
            for name, graph in zip(NAMES, three_graphs(), strict=True)
            for entity in graph.entities
        ],
        schema=["cluster", "graph", "entity"],
        orient="row",
    )


def seeds() -> pl.DataFrame:
    """Some of the true clusters."""
    return truth().filter(pl.col("cluster").is_in([f"e{n}" for n in range(0, 50, 5)]))


@cache
def run_of_three() -> ClusterRun:
    """A run on the three graphs."""
    return lighttea.align_many(three_graphs(), seeds=seeds(), threads=1)
