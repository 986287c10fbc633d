"""Tasks drawn from two graphs and their true pairs: shuffled numbers, strings only if asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lighttea.bench.changes import exchange_partners, scramble
from lighttea.bench.literals import (
    Strings,
    drop_strings,
    renumber_entities,
    scramble_strings,
    shuffle_attributes,
)
from lighttea.bench.overlap import CommonFacts, find_common_facts, keep_common_facts
from lighttea.bench.settings import Changes
from lighttea.bench.task import Task
from lighttea.errors import InputError
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.pair import Links
from lighttea.types import Bools, Ints, LeftIds, RightIds


@dataclass(frozen=True)
class Puzzle:
    """Two graphs and the true pairs of their entities."""

    left: Graph
    right: Graph
    pairs: Ints  # (2, n): left ids, right ids
    fixed_split: bool  # the first pairs are the seeds
    name: str = ""
    own_ids: bool = False  # ids belong to the data: they may be seen where literals may

    def draw_task(
        self,
        n_seeds: int,
        rng: np.random.Generator,
        changes: Changes | None = None,
        *,
        literals: bool = False,
    ) -> Task:
        """Return a task in a fresh random order: ids of entities and relations, facts, pairs.

        In two public datasets the order of the ids alone gives the answer away; after this it
        cannot. Names and literals are dropped unless `literals` is set. Tasks that differ in
        their changes alone have the same seeds, with literals and without.
        """
        n_pairs = self.pairs.shape[1]
        if not 0 <= n_seeds < n_pairs:
            raise InputError(
                f"seeds must be between 0 and {n_pairs - 1:,} for {self.name}, which "
                f"has {n_pairs:,} pairs; got {n_seeds:,}"
            )
        strings = Strings(literals, self.own_ids)
        left, new_left = _shuffle(self.left, rng, strings)
        right, new_right = _shuffle(self.right, rng, strings)
        pairs = Links(LeftIds(new_left[self.pairs[0]]), RightIds(new_right[self.pairs[1]]))
        order = np.arange(n_pairs) if self.fixed_split else rng.permutation(n_pairs)
        seeds, truth = rng.permutation(order[:n_seeds]), rng.permutation(order[n_seeds:])
        split = pairs.take(seeds), pairs.take(truth)
        task = Task(left, right, *split, pairs=pairs, literals=literals)
        return _with_shuffled_attributes(change_task(task, changes or Changes(), rng), rng)


def change_task(task: Task, changes: Changes, rng: np.random.Generator) -> Task:
    """Return the task with counterparts removed, facts dropped, facts scrambled, seeds made wrong.

    What was dropped and made wrong is counted in the task.
    """
    dropping, scrambling, exchanging = rng.spawn(3)  # none changes what another one draws
    if changes.removed or changes.kept_facts < 1:
        task = _with_less_in_common(task, changes, dropping)
    if changes.scrambled:
        right = scramble(task.right, scrambling)
        task = replace(task, right=scramble_strings(right, scrambling) if task.literals else right)
    if changes.wrong_seeds:
        seeds, n_wrong = exchange_partners(task.seeds, changes.wrong_seeds, exchanging)
        task = replace(task, seeds=seeds, counts={**task.counts, "n_wrong_seeds": n_wrong})
    return task


def _with_less_in_common(task: Task, changes: Changes, rng: np.random.Generator) -> Task:
    """Return the task without some right counterparts, and with a share of its common facts.

    Removed counterparts are taken out with all their facts and literals, so that their left
    entities become dangling and their pairs leave the truth. So do pairs of which an entity loses
    its last fact where common facts are dropped.
    """
    n_removed = int(changes.removed * len(task.truth))
    dangling, truth = task.truth.take(np.s_[:n_removed]), task.truth.take(np.s_[n_removed:])
    places = _places_without(task.right.facts, dangling.right)
    right = replace(task.right, facts=task.right.facts.take(places))
    right = drop_strings(right, dangling.right) if task.literals else right
    if changes.kept_facts == 1:
        return replace(task, right=right, truth=truth)
    common = find_common_facts(task.left, task.right, task.seeds.extended(task.truth))
    common = CommonFacts(common.left, common.right[places])
    kept_left, kept_right, n_kept = keep_common_facts(
        task.left, right, common, changes.kept_facts, rng
    )
    lost = _lose_all_facts(task.left, kept_left)[truth.left]
    lost |= _lose_all_facts(right, kept_right)[truth.right]
    counts = {
        "n_common_facts": len(common.numbers()),
        "n_kept_common_facts": n_kept,
        "n_pairs_without_facts": int(lost.sum()),
    }
    kept = truth.take(~lost)
    return replace(task, left=kept_left, right=kept_right, truth=kept, counts=counts)


def _places_without(facts: Facts, entities: Ints) -> Ints:
    """Return the places of the facts that have none of these entities."""
    return np.flatnonzero(~np.isin(facts.head, entities) & ~np.isin(facts.tail, entities))


def _lose_all_facts(before: Graph, after: Graph) -> Bools:
    """Return which entities have facts before and none after, (n_entities,)."""
    has_before, has_after = np.zeros((2, len(before.entities)), bool)
    for facts, has_facts in ((before.facts, has_before), (after.facts, has_after)):
        has_facts[facts.head], has_facts[facts.tail] = True, True
    return has_before & ~has_after


def _with_shuffled_attributes(task: Task, rng: np.random.Generator) -> Task:
    """Return the task with the literals of both graphs in a random order."""
    left, right = (
        replace(graph, attributes=shuffle_attributes(graph.attributes, rng))
        for graph in (task.left, task.right)
    )
    return replace(task, left=left, right=right)


def _shuffle(graph: Graph, rng: np.random.Generator, strings: Strings) -> tuple[Graph, Ints]:
    """Return the graph with new numbers, its facts in a new order, and the new entities."""
    new_entity = rng.permutation(len(graph.entities)).astype(np.int32)
    graph = renumber_entities(graph, new_entity, strings)
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
        relations=[str(number) for number in range(len(new_relation))],
        relation_names={},
    )
    return shuffled, new_entity
