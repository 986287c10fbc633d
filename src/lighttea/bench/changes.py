"""Facts and seeds that tell less than they seem to: a scrambled graph, wrong seeds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.types import Ints, RightIds


def scramble(graph: Graph, rng: np.random.Generator) -> Graph:
    """Return the graph with tails permuted within each relation, then times in the same way.

    Each relation keeps its heads, its tails and its times; what they say together is gone.
    """
    facts = graph.facts
    tails, times = (permute_within(facts.relation, rng) for _ in range(2))
    scrambled = replace(
        facts, tail=facts.tail[tails], begin=facts.begin[times], end=facts.end[times]
    )
    return replace(graph, facts=scrambled)


def permute_within(groups: Ints, rng: np.random.Generator) -> Ints:
    """Return a random order of places in which each place has one of its own group."""
    order = np.empty(len(groups), np.int64)
    order[np.argsort(groups, kind="stable")] = np.lexsort((rng.random(len(groups)), groups))
    return order


def exchange_partners(seeds: Links, share: float, rng: np.random.Generator) -> tuple[Links, int]:
    """Return the seeds, that share of them with the right entity of another, and how many.

    Two at least where there is any, because a single one has nobody to exchange with.
    """
    n_wrong = round(share * len(seeds))
    n_wrong = min(max(n_wrong, 2), len(seeds)) if n_wrong else 0
    wrong = rng.permutation(len(seeds))[:n_wrong]
    right = seeds.right.copy()
    right[wrong] = seeds.right[np.roll(wrong, 1)]
    return Links(seeds.left, RightIds(right)), n_wrong
