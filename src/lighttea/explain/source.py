"""A run folder's facts and links, back in the numbers that the scores were made of."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from lighttea.config import FIELD_TYPES, Config
from lighttea.errors import InputError
from lighttea.evidence.names import name_tokens
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.evidence.tokens import Kind, Rows, Tokens, rows_of, token_sets
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links, Pair
from lighttea.graph.timeline import (
    UNKNOWN,
    Timeline,
    coarser_ticks,
    format_instants,
    instant_ends,
    ticks_of,
)
from lighttea.io.frames import graph_of_frame
from lighttea.results.run import Run
from lighttea.types import Ints, LeftIds, RightIds

_LOOKED_AT = 20_000  # names that a misspelt one is compared with


@dataclass(frozen=True, repr=False)
class Neighbourhood:
    """The distinct facts of one entity as columns, seen from it; inverse ones turned round."""

    relation: Ints  # in the numbering of `Pair`: 2r, or 2r + 1 for the inverse
    neighbour: Ints  # nodes of the joint space
    begin: Ints  # ticks, -1 for unknown
    end: Ints
    coarser: Ints  # (2, n_ticks): the month and the year that a tick counts as too, or -1

    def __len__(self) -> int:
        return len(self.relation)

    def ticks(self) -> tuple[Ints, Ints]:
        """Fact and tick, one row for each end of a fact's time; -1 where none is known."""
        only_end = (self.end != UNKNOWN) & (self.end != self.begin)
        has_begin = (self.begin != UNKNOWN) | (self.end == UNKNOWN)
        fact = np.concatenate([np.flatnonzero(has_begin), np.flatnonzero(only_end)])
        tick = np.concatenate([self.begin[has_begin], self.end[only_end]])
        for held in self.coarser if self.coarser.shape[1] else ():
            wider = np.where(tick == UNKNOWN, UNKNOWN, held[tick])
            there = wider != UNKNOWN
            fact, tick = np.append(fact, fact[there]), np.append(tick, wider[there])
        return fact, tick

    def ticks_of(self, fact: int) -> set[int]:
        """The ticks that one fact counts at."""
        own = {int(self.begin[fact]), int(self.end[fact])} - {UNKNOWN}
        wider = {int(held[tick]) for held in self.coarser for tick in own if len(held)}
        return (own | wider) - {UNKNOWN}


@dataclass(frozen=True, repr=False)
class Side:
    """The facts of one graph by entity."""

    graph: Graph
    start: Ints  # (n_entities + 1,)
    place: Ints  # facts as their head, then, shifted by the number of facts, as their tail
    begin: Ints  # ticks of the facts
    end: Ints
    first_node: int
    first_relation: int
    coarser: Ints  # (2, n_ticks)

    @classmethod
    def of(
        cls,
        graph: Graph,
        tick_of_code: Ints,
        coarser: Ints,
        *,
        first_node: int = 0,
        first_relation: int = 0,
    ) -> Side:
        """Index the facts by both of their entities."""
        facts = graph.facts
        ends = np.concatenate([facts.head, facts.tail])
        order = np.argsort(ends, kind="stable")
        start = np.searchsorted(ends[order], np.arange(len(graph.entities) + 1))
        begin, end = (ticks_of(codes, tick_of_code) for codes in (facts.begin, facts.end))
        return cls(graph, start, order, begin, end, first_node, first_relation, coarser)

    def degree(self, entity: int) -> int:
        """How many facts name this entity."""
        return int(self.start[entity + 1] - self.start[entity])

    def facts_of(self, entity: int) -> Neighbourhood:
        """The facts of one entity, each once, in order of time."""
        facts, n = self.graph.facts, len(self.graph.facts)
        place = self.place[self.start[entity] : self.start[entity + 1]]
        is_tail, number = place >= n, place % max(n, 1)
        neighbour = np.where(is_tail, facts.head[number], facts.tail[number]) + self.first_node
        relation = 2 * (facts.relation[number] + self.first_relation) + is_tail
        rows = np.stack([self.begin[number], self.end[number], relation, neighbour])
        begin, end, relation, neighbour = np.unique(rows, axis=1)
        return Neighbourhood(relation, neighbour, begin, end, self.coarser)

    def number_of(self, name: str, word: str) -> int:
        """The number of an entity; an unknown one is an error that names close ones."""
        number = self.graph.entity_ids.get(name)
        if number is None or not name:
            likely = [one for one in self.graph.entities if _may_be_meant(one, name)]
            close = difflib.get_close_matches(name, likely[:_LOOKED_AT], n=3)
            advice = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
            raise InputError(f"{name!r} is not an entity of the {word} graph{advice}")
        return number


@dataclass(frozen=True, repr=False)
class Source:
    """All that explanations need, made once for a run.

    `known` links are the seeds and the links of the run: by them facts are matched up. Consensus
    was made of the run's `evidence_links`, so its tokens are made of these again.
    """

    run: Run
    config: Config
    pair: Pair
    left: Side
    right: Side
    known: LinkedNodes
    same_relation: Ints  # (n_relations,) one number for relations that say the same, or -1
    evidence: LinkedNodes
    evidence_relation: Ints
    tokens: Sequence[tuple[Kind, Tokens]]
    tick_names: Sequence[str]
    tick_seconds: tuple[Ints, Ints]  # at which each tick begins and is over
    _rows: dict[str, Rows] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> Source:
        """Read a run's tables back into numbers."""
        config = Config(**{k: v for k, v in run.info["config"].items() if k in FIELD_TYPES})
        config = replace(config, **run.info["rounds"][-1].get("settings", {}))  # the data's choice
        left, right = (
            _whole(graph_of_frame(facts), side, run)
            for side, facts in (("left", run.facts_left), ("right", run.facts_right))
        )
        pair = Pair.of(left, right, timed=config.uses_time, grains=config.grains)
        timeline = Timeline.of(left.instants, right.instants)
        none = np.empty((2, 0), np.int32)
        wider = [
            coarser_ticks(timeline.ticks, ticks) if config.grains and config.uses_time else none
            for ticks in (timeline.right_tick, timeline.left_tick)
        ]
        one = Side.of(left, timeline.left_tick, wider[0])
        other = Side.of(
            right,
            timeline.right_tick,
            wider[1],
            first_node=pair.n_left,
            first_relation=len(left.relations),
        )
        tables = run.seeds, run.best_links
        known_links = pl.concat([table.select("left", "right") for table in tables])
        known = _nodes(pair, left, right, known_links)
        used = links_of(left, right, run.evidence_links)
        evidence = LinkedNodes.of(pair, pair.left_nodes(used.left), pair.right_nodes(used.right))
        tokens = list(token_sets(pair, used, config)) if config.consensus else []
        if config.names:
            named = _called(left, run.names_left), _called(right, run.names_right)
            tokens += name_tokens(pair, *named)
        return cls(
            run=run,
            config=config,
            pair=pair,
            left=one,
            right=other,
            known=known,
            same_relation=match_relations(pair, known).classes(),
            evidence=evidence,
            evidence_relation=match_relations(pair, evidence).classes(),
            tokens=tokens,
            tick_names=format_instants(timeline.ticks),
            tick_seconds=(timeline.ticks.second, instant_ends(timeline.ticks)),
        )

    def rows(self, time: str) -> Rows:
        """All facts as a kind of tokens sees them, made once."""
        if time not in self._rows:
            self._rows[time] = rows_of(self.pair, time)
        return self._rows[time]

    def entity_name(self, node: int) -> str:
        """The name of a node of the joint space."""
        if node < self.pair.n_left:
            return self.left.graph.entities[node]
        return self.right.graph.entities[node - self.pair.n_left]

    def relation_name(self, relation: int) -> tuple[str, bool]:
        """The name of a relation, and whether it is turned round."""
        number, is_inverse = divmod(relation, 2)
        n_left = len(self.left.graph.relations)
        names = self.left.graph.relations if number < n_left else self.right.graph.relations
        return names[number if number < n_left else number - n_left], bool(is_inverse)

    def tick_name(self, tick: int) -> str | None:
        """The text of a tick; None for unknown."""
        return None if tick == UNKNOWN else self.tick_names[tick]


def _may_be_meant(name: str, written: str) -> bool:
    """Begins alike and is about as long: those are worth a closer look."""
    return name[:1].lower() == written[:1].lower() and abs(len(name) - len(written)) <= 3


def _whole(graph: Graph, side: str, run: Run) -> Graph:
    """The graph with its entities that have no facts.

    They count in how rare a token is, and a seed may name one. The others have no name here.
    """
    linked = pl.concat([run.seeds[side], run.evidence_links[side]]).unique(maintain_order=True)
    named = [*graph.entities, *(name for name in linked if name not in graph.entity_ids)]
    missing = run.info["input"][side]["entities"] - len(named)
    return replace(graph, entities=[*named, *[""] * missing])


def _called(graph: Graph, names: pl.DataFrame) -> Graph:
    """The graph with what its entities are called."""
    of_entities = names.filter(pl.col("kind") == "entity")
    return replace(graph, entity_names=dict(of_entities.select("id", "name").rows()))


def links_of(left: Graph, right: Graph, links: pl.DataFrame) -> Links:
    """Links as numbers."""
    numbers = [
        (left.entity_ids[a], right.entity_ids[b]) for a, b in links.select("left", "right").rows()
    ]
    one, other = np.array(numbers, np.int32).reshape(-1, 2).T
    return Links(LeftIds(one), RightIds(other))


def _nodes(pair: Pair, left: Graph, right: Graph, links: pl.DataFrame) -> LinkedNodes:
    found = links_of(left, right, links)
    return LinkedNodes.of(pair, pair.left_nodes(found.left), pair.right_nodes(found.right))
