"""Tasks drawn from two graphs and their true pairs: shuffled numbers, no strings, no truth."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lighttea.bench.task import Task
from lighttea.errors import InputError
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.pair import Links
from lighttea.types import Ints, LeftIds, RightIds


@dataclass(frozen=True)
class Puzzle:
    """Two graphs and the true pairs of their entities."""

    left: Graph
    right: Graph
    pairs: Ints  # (2, n): left ids, right ids
    fixed_split: bool  # the first pairs are the seeds
    name: str = ""

    def drawn(
        self, n_seeds: int, rng: np.random.Generator, removed: float = 0.0, *, names: bool = False
    ) -> Task:
        """All in a fresh random order: ids of entities and relations, facts, pairs.

        In two public sets the order of the ids alone gives the answer away; after this it cannot.
        A share of the right counterparts may be `removed`, with all their facts: their left
        entities become dangling. No name is left but where `names` are asked for.
        """
        n_pairs = self.pairs.shape[1]
        if not 0 <= removed < 1:
            raise InputError(f"removed must be a share from 0 to below 1; got {removed}")
        if not 0 <= n_seeds < n_pairs:
            raise InputError(
                f"seeds must be between 0 and {n_pairs - 1:,} for {self.name}, which "
                f"has {n_pairs:,} pairs; got {n_seeds:,}"
            )
        left, new_left = _shuffled(self.left, rng, names=names)
        right, new_right = _shuffled(self.right, rng, names=names)
        pair_left, pair_right = new_left[self.pairs[0]], new_right[self.pairs[1]]
        order = np.arange(n_pairs) if self.fixed_split else rng.permutation(n_pairs)
        seeds, truth = rng.permutation(order[:n_seeds]), rng.permutation(order[n_seeds:])
        gone, truth = np.split(truth, [int(removed * len(truth))])
        right = _without(right, pair_right[gone])
        return Task(
            left=left,
            right=right,
            seeds=Links(LeftIds(pair_left[seeds]), RightIds(pair_right[seeds])),
            truth=Links(LeftIds(pair_left[truth]), RightIds(pair_right[truth])),
        )


def _without(graph: Graph, entities: Ints) -> Graph:
    """The graph without the facts of some entities, which so are no longer in it."""
    facts = graph.facts
    kept = ~np.isin(facts.head, entities) & ~np.isin(facts.tail, entities)
    return graph if kept.all() else replace(graph, facts=facts.take(np.flatnonzero(kept)))


def _shuffled(graph: Graph, rng: np.random.Generator, *, names: bool) -> tuple[Graph, Ints]:
    """The graph with new numbers for its entities and relations and its facts in a new order."""
    new_entity = rng.permutation(len(graph.entities)).astype(np.int32)
    new_relation = rng.permutation(len(graph.relations)).astype(np.int32)
    facts = graph.facts.take(rng.permutation(len(graph.facts)))
    renumbered = Facts(
        head=new_entity[facts.head],
        relation=new_relation[facts.relation],
        tail=new_entity[facts.tail],
        begin=facts.begin,
        end=facts.end,
    )
    nameless = replace(
        graph,
        facts=renumbered,
        entities=[str(number) for number in range(len(new_entity))],
        relations=[str(number) for number in range(len(new_relation))],
        entity_names=_renumbered_names(graph, new_entity) if names else {},
        relation_names={},
    )
    return nameless, new_entity


def _renumbered_names(graph: Graph, new_entity: Ints) -> dict[str, str]:
    """What the entities are called, under their new numbers."""
    called = (graph.entity_names.get(entity, entity) for entity in graph.entities)
    return {str(number): name for number, name in zip(new_entity.tolist(), called, strict=True)}
