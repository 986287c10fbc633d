"""Graphs in which some entities are there twice, with a known answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from lighttea.graph.facts import Graph
from lighttea.io.benchmark import read_dataset
from lighttea.io.frames import graph_of_frame
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from tests.worlds import Fact, fact_frame


def made_up_graph(
    folder: Path, *, duplicates: float, literals: bool = True
) -> tuple[Graph, set[frozenset[str]]]:
    """Return a made-up graph of some hundred entities, and the pairs that are one."""
    config = SynthConfig(
        entities=400, duplicates=duplicates, literals=literals, missing_left=0.1, random_seed=3
    )
    write_synth(folder, config)
    if not duplicates:
        return read_dataset(folder).left, set()
    twice = pl.read_csv(
        folder / "duplicates_1", separator="\t", has_header=False, schema_overrides=[pl.String] * 2
    )
    return read_dataset(folder).left, {frozenset(row) for row in twice.rows()}


def careers(n: int, random_seed: int = 0) -> Iterator[Fact]:
    """Yield the careers of n players: born once, in one club at a time, each club for some years.

    Every tenth player's career is told under two ids: the first years of one, the last of the
    other, and one season of both.
    """
    rng = np.random.default_rng(random_seed)
    for player in range(n):
        year = int(rng.integers(1950, 1990))
        born = f"{year}-{rng.integers(1, 13):02}-{rng.integers(1, 28):02}"
        clubs = rng.choice(n // 4, 6, replace=False)
        is_twice = player % 10 == 0
        for half in ("", "*") if is_twice else ("",):
            yield (
                f"p{player}{half}",
                "bornIn",
                f"town{rng.integers(n) if not is_twice else player}",
                born,
                born,
            )
        for number, club in enumerate(clubs):
            begin, end = year + 18 + 3 * number, year + 21 + 3 * number
            halves = ["", "*"] if number in (2, 3) else [""] if number < 2 else ["*"]
            for half in halves if is_twice else [""]:
                yield f"p{player}{half}", "playsFor", f"club{club}", str(begin), str(end)


def career_graph(n: int = 120, *more: Fact) -> Graph:
    """Return a graph of careers, and further facts."""
    return graph_of_frame(fact_frame(*careers(n), *more))
