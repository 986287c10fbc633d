"""Two graphs and the links between them, as tables of timed facts that can be joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from lighttea.display import GraphNames, Named
from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.disagreement import Contradictions, find_contradictions
from lighttea.evidence.facts import TimedFacts
from lighttea.evidence.moments import Moments
from lighttea.evidence.relations import LinkedNodes, relation_classes
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links, Pair, sorted_distinct
from lighttea.graph.timeline import UNKNOWN, Timeline, instant_ends, ticks_of
from lighttea.types import Ints, NumpyArray


@dataclass(frozen=True, repr=False)
class LinkedGraphs:
    """Two graphs, the links to look at, and the known ones that relations are matched by."""

    left: Graph
    right: Graph
    links: Links
    known: Links  # seeds, and one link of each entity
    pair: Pair  # with times

    @classmethod
    def of(
        cls, left: Graph, right: Graph, links: Links, known: Links, pair: Pair | None = None
    ) -> LinkedGraphs:
        """Return the graphs with a `pair` that knows their times: the one given, or a new one."""
        if pair is None or not (pair.tick != UNKNOWN).any():
            pair = Pair.of(left, right)
        return cls(left, right, links, known, pair)

    @property
    def has_time(self) -> bool:
        """Whether both graphs have times to compare."""
        return self.left.has_time and self.right.has_time

    @cached_property
    def moments(self) -> Moments:
        """When entities have relations that hold once."""
        return Moments.of(self.pair)

    @cached_property
    def classes(self) -> Ints:
        """One number for relations that say the same, -1 without match."""
        return relation_classes(PLAIN, TimedFacts(PLAIN, self.pair, keeps=False), self.known)

    @cached_property
    def contradictions(self) -> Contradictions:
        """The classes of relations whose disagreement counts, by nodes."""
        return find_contradictions(self.moments, self.classes, self.known, self.pair.n_left)

    @cached_property
    def numbered_links(self) -> pl.DataFrame:
        """The links as numbers of entities: l, r."""
        columns = {"l": self.links.left, "r": self.links.right}
        return pl.DataFrame(columns, schema={"l": pl.Int32, "r": pl.Int32})

    @cached_property
    def sides(self) -> Sequence[pl.DataFrame]:
        """The facts of both sides with a known time, once for each of their two entities.

        `low` and `high` are the seconds at which the time begins and ends, null for an open end;
        `end` is the second at which the last known instant begins.
        """
        timeline = Timeline.of(self.left.instants, self.right.instants)
        linked = LinkedNodes.of(PLAIN, self.pair, self.known)
        return [
            _side_facts(self, graph, timeline, tick_of_code, linked, *first)
            for graph, tick_of_code, first in (
                (self.left, timeline.left_tick, (0, 0)),
                (self.right, timeline.right_tick, (self.pair.n_left, len(self.left.relations))),
            )
        ]

    def relation_name(self, relation: int) -> str:
        """Return what a person reads for a relation, in the numbering of `Pair`."""
        number, graph = relation // 2, self.left
        if number >= len(graph.relations):
            number, graph = number - len(graph.relations), self.right
        return Named.of(graph.relations[number], graph.relation_names).text

    def entity_name(self, node: int) -> str:
        """Return what a person reads for a node."""
        number, graph = node, self.left
        if node >= self.pair.n_left:
            number, graph = node - self.pair.n_left, self.right
        return Named.of(graph.entities[number], graph.entity_names).text

    @property
    def names(self) -> GraphNames:
        """What the graphs are called."""
        left, right = ((graph.name, graph.source) for graph in (self.left, self.right))
        return GraphNames.of(left, right)


def _side_facts(
    graphs: LinkedGraphs,
    graph: Graph,
    timeline: Timeline,
    tick_of_code: Ints,
    linked: LinkedNodes[NumpyArray],
    first_node: int,
    first_relation: int,
) -> pl.DataFrame:
    facts = graph.facts
    begin, end = (ticks_of(codes, tick_of_code) for codes in (facts.begin, facts.end))
    known = np.flatnonzero((begin != UNKNOWN) | (end != UNKNOWN))
    columns = (facts.head, facts.relation + first_relation, facts.tail, begin, end)
    head, relation, tail, begin, end = sorted_distinct(*(column[known] for column in columns))
    both = np.concatenate([2 * relation, 2 * relation + 1])
    neighbour = np.concatenate([tail, head]) + first_node
    begin, end = np.tile(begin, 2), np.tile(end, 2)
    first, over = timeline.ticks.second, instant_ends(timeline.ticks)
    return pl.DataFrame(
        {
            "entity": np.concatenate([head, tail]),
            "relation": both,
            "class": graphs.classes[both],
            "neighbour": linked.name[neighbour].astype(np.int32),
            "linked": linked.is_linked[neighbour],
            "low": _seconds(first, begin),
            "high": _seconds(over, end),
            "end": _seconds(first, end),
            "grain": timeline.ticks.grain[np.maximum(begin, end)].astype(np.int8),
        }
    )


def _seconds(seconds: Ints, ticks: Ints) -> pl.Series:
    values = pl.Series(seconds[np.maximum(ticks, 0)], dtype=pl.Int64)
    return values.zip_with(pl.Series(ticks != UNKNOWN), pl.Series([None], dtype=pl.Int64))
