"""The facts of one graph by entity, seen from both ends, with the days on which they hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.evidence.moments import FAR_DAYS, days_of
from lighttea.graph.facts import Graph
from lighttea.graph.pair import starts_of_runs
from lighttea.types import Bools, Ints


@dataclass(frozen=True)
class EntityFacts:
    """The distinct facts of entities, each from both of its ends, sorted by entity and relation.

    Facts of an entity with itself, such as its birth, are not among them.
    """

    entity: Ints
    relation: Ints  # 4r + 2 for an inverse + 1 where a time is known: these are compared apart
    neighbour: Ints
    begin: Ints  # codes of instants, -1 where unknown
    end: Ints
    low: Ints  # first day on which it surely holds
    high: Ints  # day after the last; without time it holds always

    def __len__(self) -> int:
        return len(self.entity)

    @classmethod
    def of(cls, graph: Graph) -> EntityFacts:
        """Return the facts of a graph."""
        facts = graph.facts
        apart = facts.take(np.flatnonzero(facts.head != facts.tail))
        is_timed = (apart.begin >= 0) | (apart.end >= 0)
        number = 4 * apart.relation.astype(np.int64) + is_timed
        low, high = sure_days(graph, apart.begin, apart.end)
        rows = [
            np.stack([one, number + turned, other, apart.begin, apart.end, low, high])
            for one, other, turned in ((apart.head, apart.tail, 0), (apart.tail, apart.head, 2))
        ]
        every = np.concatenate(rows, axis=1)
        every = every[:, np.lexsort(every[::-1])]
        return cls(*every[:, starts_of_runs(*every)])

    def take(self, kept: Bools | Ints) -> EntityFacts:
        """Return some of them."""
        return EntityFacts(*(column[kept] for column in vars(self).values()))

    @property
    def n_relations(self) -> int:
        """One more than the largest number of a relation."""
        return int(self.relation.max(initial=-1)) + 1


def sure_days(graph: Graph, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return first day and day after the last on which facts surely hold.

    One that lasts from 2001 to 2003 surely holds in 2002: it may begin late in the one year and end
    early in the other. Where one end is known, or both are the same, it holds then.
    """
    if not len(graph.instants):
        return np.full(len(begin), -FAR_DAYS), np.full(len(begin), FAR_DAYS)
    first, behind = days_of(graph.instants)
    known = np.where(begin >= 0, begin, end)
    lasts = (begin >= 0) & (end >= 0) & (begin != end)
    low = np.where(lasts, behind[begin], np.where(known >= 0, first[known], -FAR_DAYS))
    high = np.where(lasts, first[end], np.where(known >= 0, behind[known], FAR_DAYS))
    return low, high


def rows_of(entity: Ints, wanted: Ints) -> tuple[Ints, Ints]:
    """Return places in a list of wanted numbers, and every row of a rising list that has them."""
    begin = np.searchsorted(entity, wanted)
    count = np.searchsorted(entity, wanted, side="right") - begin
    place = np.repeat(np.arange(len(wanted)), count)
    first = np.cumsum(count) - count
    return place, np.arange(len(place)) - np.repeat(first - begin, count)


def shared_rows(entity: Ints, item: Ints, one: Ints, other: Ints) -> tuple[Ints, Ints]:
    """Return places of pairs, and the rows of `one` whose item the other entity has too.

    Entities and their items are a list sorted by entity, in which no item of an entity is twice.
    """
    n = int(item.max(initial=0)) + 1
    key = np.sort(entity * n + item)
    place, row = rows_of(entity, one)
    wanted = other[place] * n + item[row]
    found = np.minimum(np.searchsorted(key, wanted), max(len(key) - 1, 0))
    is_shared = key[found] == wanted if len(key) else np.zeros(len(wanted), bool)
    return place[is_shared], row[is_shared]
