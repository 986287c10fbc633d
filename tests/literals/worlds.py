"""Graphs with literals, and people to put into them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

import lighttea
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links, Pair
from lighttea.io.frames import graph_of_frame
from lighttea.literals.table import GraphLiterals, LiteralTable
from lighttea.progress import Progress
from lighttea.results.run import Run
from lighttea.types import LeftIds, RightIds
from tests.worlds import Fact

Literal = tuple[str, str, str]  # entity, attribute, text
_COLUMNS = ("head", "relation", "tail", "begin", "end", "value")


class Silent(Progress):
    def show_warning(self, message: str) -> None:
        """Keep it for the record alone."""


def graph_of(literals: Iterable[Literal], facts: Iterable[Fact] = ()) -> Graph:
    """A graph of literals and facts."""
    rows: list[tuple[str | None, ...]] = [(*fact, None) for fact in facts]
    rows += [(entity, name, None, None, None, text) for entity, name, text in literals]
    return graph_of_frame(
        pl.DataFrame(rows, schema=dict.fromkeys(_COLUMNS, pl.String), orient="row")
    )


def table_of(left: Graph, right: Graph) -> LiteralTable:
    """The literals of two graphs, without decoys."""
    return GraphLiterals(left, right, 0).table(Pair.of(left, right))


def links_of(left: Graph, right: Graph, pairs: Iterable[tuple[str, str]]) -> Links:
    """Links by the numbers of the entities."""
    ids = [(left.entity_ids[a], right.entity_ids[b]) for a, b in pairs]
    one, other = np.array(ids, np.int32).reshape(-1, 2).T
    return Links(LeftIds(one), RightIds(other))


def invented_words(rng: np.random.Generator, n: int, length: int = 8) -> list[str]:
    """Words of random letters, all different for all practical purposes."""
    return ["".join(map(chr, row)) for row in rng.integers(97, 123, (n, length)).tolist()]


def with_typo(rng: np.random.Generator, word: str) -> str:
    """The word with another letter somewhere."""
    place = int(rng.integers(len(word)))
    return word[:place] + "qxzj"[int(rng.integers(4))] + word[place + 1 :]


def shuffled_pairs(n: int, random_seed: int = 3) -> list[tuple[str, str]]:
    """Who is who: `l0`, `l1`, ... are right entities of random numbers."""
    numbers = np.random.default_rng(random_seed).permutation(n).tolist()
    return [(f"l{i}", f"r{number}") for i, number in enumerate(numbers)]


def align_quietly(left: Graph, right: Graph, **options: Any) -> Run:
    """A run on small graphs."""
    given: dict[str, Any] = {"dim": 64, "progress": Silent(), "threads": 1, **options}
    return lighttea.align(left, right, **given)


def right_and_wrong(
    run: Run, pairs: Sequence[tuple[str, str]], min_confidence: float = 0.0
) -> tuple[int, int]:
    """How many links at that confidence are among the true pairs, and how many are not."""
    sure = run.links.filter(pl.col("confidence") >= min_confidence).select("left", "right").rows()
    n_right = len(set(sure) & set(pairs))
    return n_right, len(sure) - n_right
