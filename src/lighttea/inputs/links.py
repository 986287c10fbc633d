"""Links that a user gives, checked: unknown, repeated and contradicting ones are reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lighttea.display import GraphNames
from lighttea.errors import InputError, SeedError
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links, Pair
from lighttea.io.columns import LINK_ROLES
from lighttea.io.objects import TableSource, pairs_from
from lighttea.progress import Progress
from lighttea.types import LeftIds, RightIds

if TYPE_CHECKING:
    import polars as pl

LinkTable: TypeAlias = TableSource


def read_link_table(table: LinkTable, noun: str) -> pl.DataFrame:
    """Return left, right and place of each link of a frame, an Arrow table or couples."""
    return pairs_from(table, LINK_ROLES, noun=noun)


@dataclass(frozen=True)
class NamedPairs:
    """Pairs of a left and a right entity by name, and the place that each comes from."""

    noun: str  # what a pair is: a seed, a must-link, a cannot-link
    rows: Sequence[tuple[str, str]]
    places: Sequence[str]

    @classmethod
    def of(cls, table: LinkTable | None, noun: str) -> NamedPairs:
        """Read a table; None is a table without rows."""
        if table is None:
            return cls(noun, [], [])
        pairs = read_link_table(table, noun)
        return cls(noun, pairs.select("left", "right").rows(), pairs["place"].to_list())

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, other: NamedPairs) -> NamedPairs:
        rows, places = [*self.rows, *other.rows], [*self.places, *other.places]
        return NamedPairs(f"{self.noun} or {other.noun}", rows, places)

    def distinct(self) -> NamedPairs:
        """Each pair once, at the first of its places."""
        first = dict(zip(reversed(self.rows), reversed(self.places), strict=True))
        rows = list(dict.fromkeys(self.rows))
        return NamedPairs(self.noun, rows, [first[row] for row in rows])

    def to_ids(self, left: Graph, right: Graph) -> Links:
        """Return the pairs as ids of the two graphs, which have all of their entities."""
        left_ids = [left.entity_ids[name] for name, _ in self.rows]
        right_ids = [right.entity_ids[name] for _, name in self.rows]
        return Links(LeftIds(np.array(left_ids, np.int32)), RightIds(np.array(right_ids, np.int32)))


def find_unknown_entities(pairs: NamedPairs, left: Graph, right: Graph) -> list[str]:
    """Return a problem for each name that its graph does not have.

    Where all pairs fit the other way round, or none of their names is known, that is the only
    problem.
    """
    sides, names = (("left", left), ("right", right)), GraphNames.of_graphs(left, right)
    problems = [
        f"{place}: {name!r} is not an entity of {names.graph(side)}"
        + (f" ({graph.source})" if graph.source else "")
        for place, row in zip(pairs.places, pairs.rows, strict=True)
        for name, (side, graph) in zip(row, sides, strict=True)
        if name not in graph.entity_ids
    ]
    noun, first = pairs.noun, pairs.places[0] if pairs.places else ""
    if problems and all(a in right.entity_ids and b in left.entity_ids for a, b in pairs.rows):
        advice = "are the left and the right graph swapped?"
        return [f"{first}: every {noun} fits with its sides swapped; {advice}"]
    if len(pairs) > 1 and len(problems) == 2 * len(pairs):
        return [f"{first}: no {noun} names an entity of these graphs (this is {pairs.rows[0]})"]
    return problems


def find_rival_partners(pairs: NamedPairs, *, many_to_one: bool) -> list[str]:
    """Return a problem for each entity with several partners.

    With `many_to_one` a right entity may have several.
    """
    problems = []
    for side, own in (("left", 0),) if many_to_one else (("left", 0), ("right", 1)):
        partners: dict[str, dict[str, str]] = defaultdict(dict)
        for row, place in zip(pairs.rows, pairs.places, strict=True):
            partners[row[own]].setdefault(row[1 - own], place)
        problems += [
            f"{side} entity {name!r} has {len(places)} partners: "
            + " and ".join(f"{partner!r} ({place})" for partner, place in places.items())
            + "; keep one of the rows"
            for name, places in partners.items()
            if len(places) > 1
        ]
    return problems


def resolve_seeds(
    seeds: NamedPairs, left: Graph, right: Graph, progress: Progress, *, many_to_one: bool = False
) -> Links:
    """Return the seeds as ids, each once.

    No seeds at all, unknown entities and several partners of one entity are errors.
    """
    if not len(seeds):
        raise SeedError("the seeds are empty; give at least one known link")
    distinct = seeds.distinct()
    if len(distinct) < len(seeds):
        progress.warn(f"{len(seeds) - len(distinct):,} duplicate seeds, counted once")
    problems = find_unknown_entities(seeds, left, right)
    problems += find_rival_partners(distinct, many_to_one=many_to_one)
    if problems:
        raise SeedError.of_many(problems)
    return distinct.to_ids(left, right)


def refuse_unconnected(seeds: Links, pair: Pair, names: GraphNames) -> None:
    """Raise an error where no seed has a fact on one side: labels travel along facts alone."""
    has_facts = np.zeros(pair.n_nodes, bool)
    has_facts[pair.head] = True
    for side, nodes in (
        ("left", pair.left_nodes(seeds.left)),
        ("right", pair.right_nodes(seeds.right)),
    ):
        if not has_facts[nodes].any():
            raise InputError(
                f"none of the {len(seeds):,} seeds occurs in a fact of {names.graph(side)}, so "
                "they cannot be used; give seeds whose entities have facts in both graphs"
            )
