"""Tasks drawn from two graphs and their true pairs: shuffled numbers, without strings."""

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

    def draw_task(
        self, n_seeds: int, rng: np.random.Generator, removed: float = 0.0, *, names: bool = False
    ) -> Task:
        """Return a task in a fresh random order: ids of entities and relations, facts, pairs.

        In two public datasets the order of the ids alone gives the answer away; after this it
        cannot. `removed` is the share of right counterparts that are taken out with all their
        facts, so that their left entities become dangling. Names are dropped unless `names` is set.
        """
        n_pairs = self.pairs.shape[1]
        if not 0 <= removed < 1:
            raise InputError(f"removed must be a share from 0 to below 1; got {removed}")
        if not 0 <= n_seeds < n_pairs:
            raise InputError(
                f"seeds must be between 0 and {n_pairs - 1:,} for {self.name}, which "
                f"has {n_pairs:,} pairs; got {n_seeds:,}"
            )
        left, new_left = _shuffle(self.left, rng, names=names)
        right, new_right = _shuffle(self.right, rng, names=names)
        pair_left, pair_right = new_left[self.pairs[0]], new_right[self.pairs[1]]
        order = np.arange(n_pairs) if self.fixed_split else rng.permutation(n_pairs)
        seeds, truth = rng.permutation(order[:n_seeds]), rng.permutation(order[n_seeds:])
        dangling, truth = np.split(truth, [int(removed * len(truth))])
        right = _remove_entities(right, pair_right[dangling])
        return Task(
            left=left,
            right=right,
            seeds=Links(LeftIds(pair_left[seeds]), RightIds(pair_right[seeds])),
            truth=Links(LeftIds(pair_left[truth]), RightIds(pair_right[truth])),
        )


def _remove_entities(graph: Graph, entities: Ints) -> Graph:
    """Return the graph without the facts of some entities, which thereby leave it."""
    facts = graph.facts
    kept = ~np.isin(facts.head, entities) & ~np.isin(facts.tail, entities)
    return graph if kept.all() else replace(graph, facts=facts.take(np.flatnonzero(kept)))


def _shuffle(graph: Graph, rng: np.random.Generator, *, names: bool) -> tuple[Graph, Ints]:
    """Return the graph with new ids and its facts in a new order, and the new ids of entities."""
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
    shuffled = replace(
        graph,
        facts=renumbered,
        entities=[str(number) for number in range(len(new_entity))],
        relations=[str(number) for number in range(len(new_relation))],
        entity_names=_renumber_names(graph, new_entity) if names else {},
        relation_names={},
    )
    return shuffled, new_entity


def _renumber_names(graph: Graph, new_entity: Ints) -> dict[str, str]:
    """Return the names of the entities, or else their old ids, under their new ids."""
    names = (graph.entity_names.get(entity, entity) for entity in graph.entities)
    return {str(number): name for number, name in zip(new_entity.tolist(), names, strict=True)}
