"""Relations that hold once in the life of an entity, at one moment: a birth, a death, a founding.

They are found in the data, never by name: nearly every entity that has such a relation has it at
one time, and several entities do. One that nothing begins after *ends* its entities, one that
nothing ends before *begins* them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lighttea.graph.calendar import DAY
from lighttea.graph.pair import Pair, starts_of_runs
from lighttea.graph.timeline import UNKNOWN, Instants, instant_ends
from lighttea.types import Bools, Ints

MIN_SUPPORT = 10  # entities from which the meaning of a relation is inferred
MIN_SHARE = 0.95  # of them that it has to hold for
MIN_FACTS = 3  # of an entity, so that one of them can be the first or the last
FAR_DAYS = 1 << 29  # stands for a time without limit


@dataclass(frozen=True)
class Moments:
    """When nodes have the relations that hold once, and which of these begin or end an entity.

    A moment is known as a span of days, as exactly as the facts tell it. A node and a relation
    stand in one row at most, sorted by node.
    """

    node: Ints
    relation: Ints
    low: Ints  # first day
    high: Ints  # day after the last
    begins: Bools  # (n_relations,)
    ends: Bools
    n_nodes: int

    @classmethod
    def of(cls, pair: Pair) -> Moments:
        """Return the moments in the facts of a pair; none where its facts have no time.

        Decoys have moments too, but what a relation means is inferred from real entities alone.
        """
        rows = _TimedRows.of(pair)
        couples = _Couples.of(rows, pair.n_relations)
        is_entity = np.arange(pair.n_nodes) < pair.n_entities
        once = _holds(*couples.where(is_entity, couples.is_single), pair.n_relations)
        if not once.any():
            return cls(*(rows.node[:0],) * 4, begins=once, ends=once, n_nodes=pair.n_nodes)
        usable = is_entity & (rows.n_facts >= MIN_FACTS)
        begins, ends = (
            once & _holds(*couples.where(usable, outermost), pair.n_relations)
            for outermost in (couples.is_first(rows), couples.is_last(rows))
        )
        kept = couples.take(couples.is_single & once[couples.relation])
        return cls(kept.node, kept.relation, kept.low, kept.high, begins, ends, pair.n_nodes)

    @cached_property
    def lifetimes(self) -> tuple[Ints, Ints]:
        """First day and day after the last of each node's life, far away where it is not known."""
        low = np.full(self.n_nodes, -FAR_DAYS, np.int32)
        high = np.full(self.n_nodes, FAR_DAYS, np.int32)
        begin, end = self.begins[self.relation], self.ends[self.relation]
        np.maximum.at(low, self.node[begin], self.low[begin])
        np.minimum.at(high, self.node[end], self.high[end])
        is_odd = low >= high  # ended before it began, within one graph
        low[is_odd], high[is_odd] = -FAR_DAYS, FAR_DAYS
        return low, high


def days_of(ticks: Instants) -> tuple[Ints, Ints]:
    """Return the first day of each tick and the day after its last, counted from 1970."""
    low, high = ticks.second // DAY, -(-instant_ends(ticks) // DAY)
    limits = -FAR_DAYS + 1, FAR_DAYS - 1
    return np.clip(low, *limits).astype(np.int32), np.clip(high, *limits).astype(np.int32)


@dataclass(frozen=True)
class _TimedRows:
    """The facts with a known time, one row for each end of it, sorted by node."""

    node: Ints
    relation: Ints
    low: Ints
    high: Ints
    n_facts: Ints  # (n_nodes,) distinct facts with a time

    @classmethod
    def of(cls, pair: Pair) -> _TimedRows:
        known = pair.tick != UNKNOWN
        node, relation, tail = pair.head[known], pair.relation[known], pair.tail[known]
        low, high = (days[pair.tick[known]] for days in days_of(pair.ticks))
        is_fact = starts_of_runs(node, tail, relation)
        return cls(node, relation, low, high, np.bincount(node[is_fact], minlength=pair.n_nodes))


@dataclass(frozen=True)
class _Couples:
    """A node and one of its relations, and the days that all their rows have in common."""

    node: Ints
    relation: Ints
    low: Ints
    high: Ints

    @classmethod
    def of(cls, rows: _TimedRows, n_relations: int) -> _Couples:
        key = rows.node.astype(np.int64) * n_relations + rows.relation
        low, high, distinct = common_days(key, rows.low, rows.high)
        return cls(distinct // max(1, n_relations), distinct % max(1, n_relations), low, high)

    def take(self, kept: Bools) -> _Couples:
        return _Couples(*(column[kept] for column in vars(self).values()))

    @property
    def is_single(self) -> Bools:
        """Whether all rows tell one moment, more or less exactly."""
        return self.low < self.high

    def is_first(self, rows: _TimedRows) -> Bools:
        """Whether nothing of the node ends before it."""
        earliest = np.full(len(rows.n_facts), FAR_DAYS, np.int32)
        np.minimum.at(earliest, rows.node, rows.high)
        return earliest[self.node] > self.low

    def is_last(self, rows: _TimedRows) -> Bools:
        """Whether nothing of the node begins after it."""
        latest = np.full(len(rows.n_facts), -FAR_DAYS, np.int32)
        np.maximum.at(latest, rows.node, rows.low)
        return latest[self.node] < self.high

    def where(self, nodes: Bools, values: Bools) -> tuple[Bools, Ints]:
        """Return the values and the relations of some nodes' couples."""
        kept = nodes[self.node]
        return values[kept], self.relation[kept]


def common_days(key: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the days that all rows with one key have in common, and the distinct keys, rising.

    Where they have none the first day does not lie before the last.
    """
    order = np.argsort(key, kind="stable")
    key = key[order]
    start = np.flatnonzero(starts_of_runs(key))
    if not len(start):
        return low[:0], high[:0], key
    return (
        np.maximum.reduceat(low[order], start),
        np.minimum.reduceat(high[order], start),
        key[start],
    )


def _holds(values: Bools, relation: Ints, n_relations: int) -> Bools:
    """Return the relations that a value holds for nearly always, with several entities."""
    support = np.bincount(relation, minlength=n_relations)
    true = np.bincount(relation[values], minlength=n_relations)
    return (support >= MIN_SUPPORT) & (true >= MIN_SHARE * support)
