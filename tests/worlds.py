"""Graphs with a known answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import lighttea
from lighttea.config import Config, Preset, make_config
from lighttea.example import example_file
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.io.frames import graph_of_frame
from lighttea.progress import Progress
from lighttea.results.run import Run
from lighttea.similarity.allowed import AllowedPairs
from lighttea.solve.problem import pose_problem
from lighttea.solve.round import Round
from lighttea.solve.rounds import run_rounds
from lighttea.solve.start import cpu_engine
from lighttea.solve.workspace import Workspace
from lighttea.types import LeftIds, NumpyArray, RightIds

Fact = tuple[str, str, str, str | None, str | None]


@dataclass(frozen=True)
class World:
    """Two graphs, some seeds, and the rest of the true links."""

    left: Graph
    right: Graph
    seeds: list[tuple[str, str]]
    truth: list[tuple[str, str]]


def fact_frame(*facts: Fact) -> pl.DataFrame:
    """Facts as text columns."""
    names = ["head", "relation", "tail", "begin", "end"]
    return pl.DataFrame(facts, schema=dict.fromkeys(names, pl.String), orient="row")


def random_facts(
    n_entities: int, n_facts: int, random_seed: int, *, timed: bool = True, prefix: str = "e"
) -> list[Fact]:
    """Facts between skewed random entities, with years or without time."""
    rng = np.random.default_rng(random_seed)
    popular = rng.permutation(n_entities)
    pick = np.minimum(rng.geometric(4 / n_entities, n_facts) - 1, n_entities - 1)
    heads, tails = rng.integers(0, n_entities, n_facts), popular[pick]
    relations, years = rng.integers(0, 8, n_facts), rng.integers(1900, 1960, n_facts)
    spans = rng.integers(0, 4, n_facts)
    facts: list[Fact] = []
    for h, t, r, y, s in zip(heads, tails, relations, years, spans, strict=True):
        begin, end = (str(y), str(y + s)) if timed else (None, None)
        facts.append((f"{prefix}{h}", f"r{r}", f"{prefix}{t}", begin, end))
    return facts


def renamed(facts: Sequence[Fact], random_seed: int = 5) -> list[Fact]:
    """The same facts with other names for entities and relations, in another order."""
    rng = np.random.default_rng(random_seed)
    return [
        (f"x{facts[i][0]}", f"q{facts[i][1]}", f"x{facts[i][2]}", facts[i][3], facts[i][4])
        for i in rng.permutation(len(facts))
    ]


def make_world(
    random_seed: int = 0,
    *,
    n_entities: int = 60,
    n_facts: int = 400,
    n_seeds: int = 12,
    timed: bool = True,
) -> World:
    """A graph and its renamed copy: everything with a fact can be aligned."""
    facts = random_facts(n_entities, n_facts, random_seed, timed=timed)
    left, right = graph_of_frame(fact_frame(*facts)), graph_of_frame(fact_frame(*renamed(facts)))
    names = np.random.default_rng(random_seed + 1).permutation(np.array(left.entities)).tolist()
    links = [(str(name), f"x{name}") for name in names]
    return World(left, right, links[:n_seeds], links[n_seeds:])


def make_hard_world(times: int = 1) -> World:
    """Three quarters of 2,400 facts on each side: nothing here is easy, 400 entities; or more."""
    facts = random_facts(400 * times, 2400 * times, 11)
    left = graph_of_frame(fact_frame(*facts[: 1800 * times]))
    right = graph_of_frame(fact_frame(*renamed(facts[600 * times :])))
    both = sorted(name for name in left.entities if f"x{name}" in right.entity_ids)
    links = [(name, f"x{name}") for name in both]
    return World(left, right, links[::8], [link for i, link in enumerate(links) if i % 8])


def align_example(**options: Any) -> Run:
    """A run on the bundled example; without its names, unless told: they give everything away."""
    left, right = (lighttea.read_graph(example_file(name)) for name in ("left.tsv", "right.csv"))
    seeds = lighttea.read_links(example_file("seeds.tsv"))
    return lighttea.align(left, right, seeds=seeds, **{"literals": False, **options})


def seeds_of(world: World) -> Links:
    """Return the seeds of a world as ids."""
    return Links(
        LeftIds(np.array([world.left.entity_ids[a] for a, _ in world.seeds], np.int32)),
        RightIds(np.array([world.right.entity_ids[b] for _, b in world.seeds], np.int32)),
    )


def workspace_of(
    world: World, preset: Preset = "paper", allowed: AllowedPairs | None = None, **options: Any
) -> tuple[Workspace[NumpyArray], Config]:
    """Return a world as a problem on the CPU engine, and the settings."""
    config = make_config(preset, **options)
    problem, config = pose_problem(
        world.left, world.right, seeds_of(world), config, Progress(), allowed=allowed
    )
    return Workspace(cpu_engine(problem, config), problem), config


def rounds_of(
    world: World, preset: Preset = "paper", allowed: AllowedPairs | None = None, **options: Any
) -> Iterator[Round[NumpyArray]]:
    """Yield every round's result; without seeds that are found."""
    work, config = workspace_of(world, preset, allowed, **options)
    seeds = work.problem.known
    yield from run_rounds(work, config=config, rng=np.random.default_rng(0), seeds=seeds)
