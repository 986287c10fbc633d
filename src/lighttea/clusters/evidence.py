"""What pairs of entities say for and against being one: the model behind clusters.

A pair has a calibrated chance p. Three entities that are one make three pairs but only two
decisions, so that a pair cannot count by its odds alone. Each pair in a cluster counts by how much
it changes what was to be expected of a candidate: log-odds of p less those of a chance of 1 in 10.
Each entity that joins costs those of 1 in 10 once. Two entities alone then count by their own
log-odds, and a third pair of .3 speaks for a cluster that two other pairs make.

A pair that is no candidate speaks against a cluster where the two graphs usually know their common
entities, and says nothing where they don't: how often they do is counted over paths through a third
graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lighttea.types import Bools, Doubles, Ints

LEAST = 0.02  # chance of a pair; less says no more than that it is no candidate
_SURE = 0.9  # chance of both steps of a path
_FEWEST_PATHS = 10  # from which it is judged what two graphs know of each other
_EXPECTED = 0.1  # chance of a candidate before anything is known of the pair
_MOST_AGAINST = -0.5  # of a missing pair: the entities of sure paths are better known than others
_CLIP = 1e-3  # no estimated chance is surer
RULED_OUT = -1.0  # in place of a chance
KNOWN_WEIGHT = 14.0  # log-odds of a pair that somebody gave
FORBIDDEN = -1e6  # weight of a pair that somebody ruled out, or of two entities of one graph


@dataclass(frozen=True)
class Edges:
    """Pairs of nodes, each pair once, with the chance that both are the same entity.

    A chance of 1 is a pair that is known, `RULED_OUT` one that must not be.
    """

    one: Ints  # (n_edges,)
    other: Ints
    chance: Doubles

    def __len__(self) -> int:
        return len(self.one)

    def take(self, places: Ints | Bools) -> Edges:
        """Return the edges at these places."""
        return Edges(self.one[places], self.other[places], self.chance[places])


@dataclass(frozen=True)
class Evidence:
    """What every pair of nodes counts in a cluster: edges by their weight, others by graphs."""

    edges: Edges
    weight: Doubles  # (n_edges,)
    joining: float  # what an entity that joins a cluster counts, beside its pairs
    missing: Doubles  # (n_graphs, n_graphs) what a pair counts that is no edge
    graph: Ints  # (n_nodes,)

    @property
    def extra(self) -> Doubles:
        """What each edge counts beyond a missing one, (n_edges,)."""
        own = self.graph[self.edges.one], self.graph[self.edges.other]
        return self.weight - self.missing[own]


def weigh(edges: Edges, graph: Ints, n_graphs: int, *, several_per_graph: bool) -> Evidence:
    """Return what pairs count; edges of next to no chance are as if they were none.

    `graph` is the graph of each node. Two entities of one graph are never in one cluster unless
    `several_per_graph`.
    """
    kept = edges.take((edges.chance >= LEAST) | (edges.chance == RULED_OUT))
    joining = float(log_odds(_EXPECTED))
    weight = log_odds(np.clip(kept.chance, _CLIP, 1 - _CLIP)) - joining
    weight[kept.chance == 1] = KNOWN_WEIGHT - joining
    weight[kept.chance == RULED_OUT] = FORBIDDEN
    known_share = count_known_paths(kept, graph, n_graphs)
    missing = np.maximum(np.log1p(-known_share), _MOST_AGAINST)
    np.fill_diagonal(missing, 0.0 if several_per_graph else FORBIDDEN)
    if not several_per_graph:
        within = graph[kept.one] == graph[kept.other]
        weight[within] = FORBIDDEN
    return Evidence(kept, weight, joining, missing, graph)


def log_odds(chance: Doubles | float) -> Doubles:
    """Return the logarithm of the odds of a chance."""
    return np.asarray(np.log(chance) - np.log1p(-np.asarray(chance)))


def count_known_paths(edges: Edges, graph: Ints, n_graphs: int) -> Doubles:
    """Return how often two graphs know what a third one joins, (n_graphs, n_graphs).

    Of the sure paths from an entity of one graph through a third graph to one of the other: the
    share whose ends are a candidate pair themselves. 0 where paths are few.
    """
    sure, known = (
        _symmetric(edges.take(edges.chance >= least), len(graph)) for least in (_SURE, LEAST)
    )
    paths = sparse.triu((sure @ sure) > 0, k=1)
    n_paths, n_known = (
        _count_by_graphs(sparse.coo_array(matrix), graph, n_graphs)
        for matrix in (paths, paths.multiply(known))
    )
    return np.where(n_paths >= _FEWEST_PATHS, (n_known + 1) / (n_paths + 2), 0.0)


def _count_by_graphs(matrix: sparse.coo_array[Any], graph: Ints, n_graphs: int) -> Doubles:
    """Return how many couples of nodes there are of each two graphs, in either order."""
    place = graph[matrix.row] * n_graphs + graph[matrix.col]
    counts = np.bincount(place, minlength=n_graphs**2).reshape(n_graphs, n_graphs)
    return np.asarray(counts + counts.T, float)


def _symmetric(edges: Edges, n: int) -> sparse.csr_array[np.int32]:
    """Return a matrix with a one where two nodes have an edge, (n, n)."""
    places = (
        np.concatenate([edges.one, edges.other]),
        np.concatenate([edges.other, edges.one]),
    )
    ones = np.ones(2 * len(edges), np.int32)
    return sparse.csr_array((ones, places), shape=(n, n))
