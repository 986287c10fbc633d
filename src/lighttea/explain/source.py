"""The facts and links of a run in the numbers that its scores were computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from lighttea.config import Config, stored_config
from lighttea.display import GraphNames, Named
from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.disagreement import Contradictions, find_contradictions
from lighttea.evidence.evidence import PlainTokens
from lighttea.evidence.facts import PlainFacts, TimedFacts
from lighttea.evidence.likelihood import (
    LikelihoodPart,
    PlainModel,
    PlainRarities,
    likelihood_parts,
)
from lighttea.evidence.likelihood_model import (
    LikelyPairs,
    RarityTable,
    estimate_likelihood,
)
from lighttea.evidence.literals import LiteralEvidence
from lighttea.evidence.moments import Moments
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.evidence.tokens import fact_tokens, weigh_repeated
from lighttea.explain.literals import LiteralRows
from lighttea.explain.search import EntityIndex
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
from lighttea.io.frames import graph_of_frames
from lighttea.literals.table import LiteralTable
from lighttea.results.literals import stored_literals
from lighttea.results.names import graph_names, with_names
from lighttea.results.run import Run
from lighttea.types import Ints, LeftIds, NumpyArray, RightIds


@dataclass(frozen=True, repr=False)
class Neighbourhood:
    """The distinct facts of one entity as columns, seen from the entity."""

    relation: Ints  # in the numbering of `Pair`: 2r, or 2r + 1 for the inverse
    neighbour: Ints  # nodes of the joint space
    begin: Ints  # ticks, -1 for unknown
    end: Ints
    coarser: Ints  # (2, n_ticks): month and year of each tick, or -1

    def __len__(self) -> int:
        return len(self.relation)

    def ticks(self) -> tuple[Ints, Ints]:
        """Return fact and tick, a row for each end of a fact's time; -1 where none is known."""
        only_end = (self.end != UNKNOWN) & (self.end != self.begin)
        has_begin = (self.begin != UNKNOWN) | (self.end == UNKNOWN)
        fact = np.concatenate([np.flatnonzero(has_begin), np.flatnonzero(only_end)])
        tick = np.concatenate([self.begin[has_begin], self.end[only_end]])
        for coarser_tick in self.coarser if self.coarser.shape[1] else ():
            coarser = np.where(tick == UNKNOWN, UNKNOWN, coarser_tick[tick])
            has_coarser = coarser != UNKNOWN
            fact, tick = np.append(fact, fact[has_coarser]), np.append(tick, coarser[has_coarser])
        return fact, tick

    def ticks_of(self, fact: int) -> set[int]:
        """Return the ticks of one fact, coarser ones included."""
        own = {int(self.begin[fact]), int(self.end[fact])} - {UNKNOWN}
        coarser = {
            int(coarser_tick[tick])
            for coarser_tick in self.coarser
            for tick in own
            if len(coarser_tick)
        }
        return (own | coarser) - {UNKNOWN}


@dataclass(frozen=True, repr=False)
class Side:
    """The facts of one graph by entity."""

    graph: Graph
    start: Ints  # (n_entities + 1,)
    place: Ints  # number of a fact of the entity as head; plus the number of facts, as tail
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
        """Return the facts of a graph, indexed by both of their entities."""
        facts = graph.facts
        ends = np.concatenate([facts.head, facts.tail])
        order = np.argsort(ends, kind="stable")
        start = np.searchsorted(ends[order], np.arange(len(graph.entities) + 1))
        begin, end = (ticks_of(codes, tick_of_code) for codes in (facts.begin, facts.end))
        return cls(graph, start, order, begin, end, first_node, first_relation, coarser)

    def degree(self, entity: int) -> int:
        """Return the number of facts of an entity."""
        return int(self.start[entity + 1] - self.start[entity])

    def facts_of(self, entity: int) -> Neighbourhood:
        """Return the distinct facts of one entity, in order of time."""
        facts, n = self.graph.facts, len(self.graph.facts)
        place = self.place[self.start[entity] : self.start[entity + 1]]
        is_tail, number = place >= n, place % max(n, 1)
        neighbour = np.where(is_tail, facts.head[number], facts.tail[number]) + self.first_node
        relation = 2 * (facts.relation[number] + self.first_relation) + is_tail
        rows = np.stack([self.begin[number], self.end[number], relation, neighbour])
        begin, end, relation, neighbour = np.unique(rows, axis=1)
        return Neighbourhood(relation, neighbour, begin, end, self.coarser)

    def number_of(self, entity: str) -> int:
        """Return the number of an entity by its id."""
        return self.graph.entity_ids[entity]

    @cached_property
    def index(self) -> EntityIndex:
        """The entities by what they are called; made when one is first looked up by name."""
        return EntityIndex.of(self.graph.entities, self.graph.entity_names)


@dataclass(frozen=True, repr=False)
class Likelihood:
    """The facts of a run, and what its likely pairs say of them."""

    facts: PlainRarities
    model: PlainModel

    def parts(self, left: int, right: int) -> list[LikelihoodPart]:
        """Return what each fact of two nodes adds to their log-odds."""
        return list(likelihood_parts(self.facts, self.model, left, right))


@dataclass(frozen=True, repr=False)
class Source:
    """The data of a run that explanations are made from, prepared once.

    `known` are the seeds and the links of the run; facts are matched by them. In a run of one graph
    and itself every entity is its own link, and no other counts. `evidence` are the
    run's `evidence_links`, from which consensus and its tokens were computed.
    """

    run: Run
    config: Config
    pair: Pair
    left: Side
    right: Side
    known: LinkedNodes[NumpyArray]
    same_relation: Ints  # (n_relations,) the class of matching relations, or -1
    evidence: LinkedNodes[NumpyArray]
    evidence_relation: Ints
    tokens: Sequence[PlainTokens]
    tick_names: Sequence[str]
    tick_seconds: tuple[Ints, Ints]  # at which each tick begins and ends
    facts: TimedFacts[NumpyArray]
    contradictions: Contradictions  # by nodes
    literals: LiteralEvidence | None = None  # where they counted
    likelihood: Likelihood | None = None  # where it counted

    @classmethod
    def of(cls, run: Run) -> Source:
        """Return the tables of a run as numbers."""
        config = stored_config(run.info["config"])
        adapted = run.info["rounds"][-1].get("settings", {})
        config = replace(config, **adapted)
        left, right = (
            _with_all_entities(graph_of_frames(facts, literals), side, run)
            for side, facts, literals in (
                ("left", run.facts_left, run.attributes_left),
                ("right", run.facts_right, run.attributes_right),
            )
        )
        pair = Pair.of(
            left, right, timed=config.uses_time, mixed_granularity=config.mixed_granularity
        )
        timeline = Timeline.of(left.instants, right.instants)
        no_ticks = np.empty((2, 0), np.int32)
        coarser = [
            coarser_ticks(timeline.ticks, ticks)
            if config.mixed_granularity and config.uses_time
            else no_ticks
            for ticks in (timeline.right_tick, timeline.left_tick)
        ]
        left_side = Side.of(left, timeline.left_tick, coarser[0])
        right_side = Side.of(
            right,
            timeline.right_tick,
            coarser[1],
            first_node=pair.n_left,
            first_relation=len(left.relations),
        )
        is_of_one_graph = bool(run.info.get("duplicates"))
        tables = [run.evidence_links] if is_of_one_graph else [run.seeds, run.best_links]
        known_links = pl.concat([table.select("left", "right") for table in tables])
        known = _linked_nodes(pair, left, right, known_links)
        evidence_links = number_links(left, right, run.evidence_links)
        evidence = LinkedNodes.of(PLAIN, pair, evidence_links)
        facts = TimedFacts(PLAIN, pair, keeps=True)
        tokens = list(fact_tokens(PLAIN, facts, evidence_links, config)) if config.consensus else []
        literals = _literals(run, pair, left, right) if config.uses_literals else None
        tokens += literals.tokens if literals is not None else ()
        if is_of_one_graph:
            tokens = [(kind, weigh_repeated(PLAIN, own, pair.n_left)) for kind, own in tokens]
        evidence_relation = match_relations(PLAIN, facts, evidence).classes()
        return cls(
            run=run,
            config=config,
            pair=pair,
            left=left_side,
            right=right_side,
            known=known,
            same_relation=match_relations(PLAIN, facts, known).classes(),
            evidence=evidence,
            evidence_relation=evidence_relation,
            tokens=tokens,
            tick_names=format_instants(timeline.ticks),
            tick_seconds=(timeline.ticks.second, instant_ends(timeline.ticks)),
            facts=facts,
            contradictions=find_contradictions(
                Moments.of(pair), evidence_relation, evidence_links, pair.n_left
            ),
            literals=literals,
            likelihood=_likelihood(run, pair, left, right) if config.uses_likelihood else None,
        )

    @cached_property
    def literal_rows(self) -> LiteralRows | None:
        """The tokens of each literal, where literals counted; made when they are first used."""
        return None if self.literals is None else LiteralRows.of(self.literals)

    def rows(self, time: str) -> PlainFacts:
        """Return all facts with the times of a kind of tokens; computed once."""
        return self.facts.rows(time)

    def entity(self, node: int) -> Named:
        """Return id and name of a node of the joint space."""
        number, graph = node, self.left.graph
        if node >= self.pair.n_left:
            number, graph = node - self.pair.n_left, self.right.graph
        return Named.of(graph.entities[number], graph.entity_names)

    def relation(self, relation: int) -> tuple[Named, bool]:
        """Return id and name of a relation, and whether it is an inverse."""
        (number, is_inverse), graph = divmod(relation, 2), self.left.graph
        if number >= len(graph.relations):
            number, graph = number - len(graph.relations), self.right.graph
        return Named.of(graph.relations[number], graph.relation_names), bool(is_inverse)

    @cached_property
    def graph_names(self) -> GraphNames:
        """What the graphs are called."""
        return graph_names(self.run)

    def tick_name(self, tick: int) -> str | None:
        """Return the text of a tick; None for unknown."""
        return None if tick == UNKNOWN else self.tick_names[tick]


def _with_all_entities(graph: Graph, side: str, run: Run) -> Graph:
    """Return the graph with its entities without facts, and with names.

    They count in the rarity of tokens, and a seed may name one. The rest get an empty name.
    """
    tables = run.seeds, run.evidence_links, run.likely_pairs
    linked = pl.concat([table[side] for table in tables]).unique(maintain_order=True)
    entities = [*graph.entities, *(name for name in linked if name not in graph.entity_ids)]
    n_missing = run.info["input"][side]["entities"] - len(entities)
    return with_names(replace(graph, entities=[*entities, *[""] * n_missing]), run, side)


def _literals(run: Run, pair: Pair, left: Graph, right: Graph) -> LiteralEvidence | None:
    """Return what literals were worth in the run; None where they did not count."""
    if not run.info.get("literals", {}).get("used"):
        return None
    return stored_literals(run, LiteralTable.of(pair, left, right, np.random.default_rng()))


def _likelihood(run: Run, pair: Pair, left: Graph, right: Graph) -> Likelihood:
    """Return what facts were worth in the run."""
    links = number_links(left, right, run.likely_pairs)
    pairs = LikelyPairs(links, run.likely_pairs["chance"].to_numpy())
    facts = RarityTable.of(PLAIN, pair)
    return Likelihood(facts, estimate_likelihood(PLAIN, facts, pairs))


def number_links(left: Graph, right: Graph, links: pl.DataFrame) -> Links:
    """Return links as numbers of entities."""
    rows = [
        (left.entity_ids[a], right.entity_ids[b]) for a, b in links.select("left", "right").rows()
    ]
    left_numbers, right_numbers = np.array(rows, np.int32).reshape(-1, 2).T
    return Links(LeftIds(left_numbers), RightIds(right_numbers))


def _linked_nodes(
    pair: Pair, left: Graph, right: Graph, links: pl.DataFrame
) -> LinkedNodes[NumpyArray]:
    return LinkedNodes.of(PLAIN, pair, number_links(left, right, links))
