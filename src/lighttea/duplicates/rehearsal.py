"""A rehearsal: what duplicates of this graph would look like.

Some entities of the graph are divided in two, as duplicates are: part of their facts goes to one
id, part to the other, some to both; by time or at random. How alike two ids of one entity are can
then be seen, in this graph and with its relations, before anything is said of pairs that are there.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lighttea.config import Config
from lighttea.duplicates.candidates import NEAR, find_candidates
from lighttea.duplicates.facts import EntityFacts
from lighttea.duplicates.features import pair_features
from lighttea.duplicates.literals import start_literals_of_one
from lighttea.duplicates.problem import pose_against_itself
from lighttea.evidence.moments import days_of
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.pair import Links
from lighttea.progress import Progress
from lighttea.solve.start import open_workspace
from lighttea.types import Bools, Doubles, Ints

SHARE, MOST = 0.1, 4_000  # entities that are divided
FEWEST = 30  # pairs from which a rehearsal tells anything
MOST_TOLD_TWICE = 0.6  # of the facts of an entity; each has a share of its own, from none to this
_BY_TIME = 0.5  # entities with an early and a late id; the others are divided at random


class Unseen(Progress):
    """The progress of a rehearsal: nothing of it is shown, and what it warns of is not told."""

    def show_warning(self, message: str) -> None:
        """Say nothing: the graph itself is looked at too."""


@dataclass(frozen=True)
class Division:
    """Which entities are divided, and how."""

    second: Ints  # (n_entities,) the other id; -1 for those that are not divided
    middle: Doubles  # day from which facts go to the other id; nan where chance decides
    told_twice: Doubles  # share of facts that go to both

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """Both ids of each divided entity."""
        first = np.flatnonzero(self.second >= 0)
        return first, self.second[first]


def rehearse(graph: Graph, config: Config) -> Doubles | None:
    """Return the features of pairs that are one, (n_features, n_pairs); None where too few."""
    rng = np.random.default_rng(config.random_seed)
    division = draw_division(graph, rng)
    if len(division.pairs[0]) < FEWEST:
        return None
    divided = divide_graph(graph, division, rng)
    problem, used = pose_against_itself(divided, config, Unseen(), cannot=Links.none())
    with closing(open_workspace("cpu", problem, used)) as work:
        start_literals_of_one(work)
        pairs, _ = find_candidates(work, used)
    n = len(divided.entities)
    first, second = division.pairs
    features = pair_features(EntityFacts.of(divided), pairs)
    is_made = np.isin(pairs.one * n + pairs.other, first * n + second) & (pairs.rank <= NEAR)
    features = features[:, is_made]
    return features if features.shape[1] >= FEWEST else None


def draw_division(graph: Graph, rng: np.random.Generator) -> Division:
    """Return some entities with two facts or more, and how each is divided."""
    n, facts = len(graph.entities), graph.facts
    ends = np.concatenate([facts.head, facts.tail, graph.attributes.entity])
    possible = np.flatnonzero(np.bincount(ends, minlength=n) > 1)
    n_divided = min(MOST, round(SHARE * len(possible)))
    chosen = np.sort(rng.choice(possible, n_divided, replace=False))
    second = np.full(n, -1)
    second[chosen] = n + np.arange(n_divided)
    by_time = rng.random(n) < _BY_TIME
    middle = np.where(by_time, _middle_days(graph), np.nan)
    return Division(second, middle, rng.uniform(0, MOST_TOLD_TWICE, n))


def divide_graph(graph: Graph, division: Division, rng: np.random.Generator) -> Graph:
    """Return the graph with the facts and literals of divided entities under both their ids."""
    columns = dict(vars(graph.facts))
    for role in ("head", "tail"):
        columns = _divide(columns, role, graph, division, rng)
    names = ("entity", "attribute", "value", "begin", "end")
    rows = {name: getattr(graph.attributes, name) for name in names}
    literals: dict[str, Any] = {**_divide(rows, "entity", graph, division, rng)}
    first, _ = division.pairs
    return replace(
        graph,
        entities=[*graph.entities, *(f"{graph.entities[n]}\0" for n in first.tolist())],
        facts=Facts(**columns),
        attributes=replace(graph.attributes, **literals),
    )


def _divide(
    columns: dict[str, Ints],
    role: str,
    graph: Graph,
    division: Division,
    rng: np.random.Generator,
) -> dict[str, Ints]:
    """Return rows with the entities in one column under either id, and some rows under both."""
    entity = columns[role]
    day = _days(graph, columns["begin"], columns["end"])
    is_divided = division.second[entity] >= 0
    has_day = np.isfinite(day) & np.isfinite(division.middle[entity])
    by_chance: Bools = rng.random(len(entity)) < 0.5
    is_late = np.where(has_day, day >= division.middle[entity], by_chance)
    own = np.where(is_divided & is_late, division.second[entity], entity)
    other = np.where(is_late, entity, division.second[entity])
    both = np.flatnonzero(is_divided & (rng.random(len(entity)) < division.told_twice[entity]))
    divided = {name: np.append(column, column[both]) for name, column in columns.items()}
    divided[role] = np.append(own, other[both]).astype(np.int32)
    return divided


def _middle_days(graph: Graph) -> Doubles:
    """Return the day in the middle of the facts of each entity; nan where none is known."""
    facts, n = graph.facts, len(graph.entities)
    day = np.tile(_days(graph, facts.begin, facts.end), 2)
    entity = np.concatenate([facts.head, facts.tail])
    entity, day = entity[np.isfinite(day)], day[np.isfinite(day)]
    if not len(day):
        return np.full(n, np.nan)
    order = np.lexsort([day, entity])
    start = np.searchsorted(entity[order], np.arange(n + 1))
    middle = day[order][np.minimum((start[:-1] + start[1:]) // 2, len(day) - 1)]
    return np.where(np.diff(start) > 0, middle, np.nan)


def _days(graph: Graph, begin: Ints, end: Ints) -> Doubles:
    """Return the first day of each fact, or of its end; nan where neither is known."""
    if not len(graph.instants):
        return np.full(len(begin), np.nan)
    first, _ = days_of(graph.instants)
    code = np.where(begin >= 0, begin, end)
    return np.where(code >= 0, first[code], np.nan)
