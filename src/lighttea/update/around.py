"""Who shares a fact with whom."""

from __future__ import annotations

import numpy as np

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.types import Bools


def flag_neighbours(graph: Graph, entities: Bools) -> Bools:
    """Return the entities that share a fact with one of these."""
    facts = graph.facts
    neighbours = np.zeros(len(entities), bool)
    neighbours[facts.tail[entities[facts.head]]] = True
    neighbours[facts.head[entities[facts.tail]]] = True
    return neighbours


def near_changed_links(left: Graph, right: Graph, before: Links, now: Links) -> tuple[Bools, Bools]:
    """Return the left and the right entities with a neighbour whose link came, went or changed."""
    n_right = max(1, len(right.entities))
    keys, other = (links.left.astype(np.int64) * n_right + links.right for links in (before, now))
    ends = np.divmod(np.setxor1d(keys, other), n_right)
    near = []
    for graph, changed in zip((left, right), ends, strict=True):
        flags = np.zeros(len(graph.entities), bool)
        flags[changed] = True
        near.append(flag_neighbours(graph, flags))
    return near[0], near[1]
