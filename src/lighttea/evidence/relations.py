"""Which relations of the two sides say the same, by the links so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from lighttea.graph.pair import Pair, starts_of_runs
from lighttea.types import Bools, Floats, Ints, Nodes

MIN_SHARED = 3  # couples of linked entities that both relations must hold between
MIN_AGREEMENT = 0.3


@dataclass(frozen=True)
class LinkedNodes:
    """The links in the joint node space: both ends of a link go by the left one's number."""

    name: Nodes  # (n_nodes,)
    linked: Bools  # (n_nodes,)

    @classmethod
    def of(cls, pair: Pair, left: Ints, right: Ints) -> LinkedNodes:
        """Left and right nodes, link by link."""
        name = np.arange(pair.n_nodes, dtype=np.int32)
        linked = np.zeros(pair.n_nodes, bool)
        name[right] = left
        linked[left], linked[right] = True, True
        return cls(Nodes(name), linked)


@dataclass(frozen=True)
class RelationMatches:
    """Couples of a left and a right relation (inverses counted) that agree, best first.

    Agreement is a cosine: of the couples of linked entities that both sides know something of,
    those where both relations hold, over the geometric mean of those where either does.
    """

    left: Ints
    right: Ints
    shared: Ints  # couples of linked entities where both hold
    agreement: Floats
    n_relations: int

    def classes(self) -> Ints:
        """(n_relations,) one number for relations that say the same, -1 for those without match.

        A relation joins its best partner, from either side: one that the other side splits in
        two has both parts for partners.
        """
        best_left, best_right = (np.zeros(self.n_relations, np.float32) for _ in range(2))
        np.maximum.at(best_left, self.left, self.agreement)
        np.maximum.at(best_right, self.right, self.agreement)
        is_best = (self.agreement >= best_left[self.left]) | (
            self.agreement >= best_right[self.right]
        )
        left, right = self.left[is_best], self.right[is_best]
        joined = sp.coo_array((np.ones(len(left)), (left, right)), shape=(self.n_relations,) * 2)
        _, classes = sp.csgraph.connected_components(joined, directed=False)
        matched = np.zeros(self.n_relations, bool)
        matched[left], matched[right] = True, True
        return np.where(matched, classes, -1).astype(np.int32)


def match_relations(pair: Pair, links: LinkedNodes) -> RelationMatches:
    """Count how often relations hold between the same couples of linked entities."""
    between = links.linked[pair.head] & links.linked[pair.tail]
    head, tail = links.name[pair.head[between]], links.name[pair.tail[between]]
    relation, is_left = pair.relation[between], pair.head[between] < pair.n_left
    order = np.lexsort((tail, head))
    couple = np.empty(len(order), np.int64)
    couple[order] = np.cumsum(starts_of_runs(head[order], tail[order])) - 1
    n_couples = int(couple.max(initial=-1)) + 1
    left, right = (
        _holds(couple[side], relation[side], n_couples, pair.n_relations)
        for side in (is_left, ~is_left)
    )
    both = (left.T @ right).tocoo()
    in_left = left.T @ (right.sum(axis=1) > 0).astype(np.float32)  # where the other side speaks
    in_right = right.T @ (left.sum(axis=1) > 0).astype(np.float32)
    agreement = both.data / np.sqrt(in_left[both.row] * in_right[both.col])
    kept = np.flatnonzero((both.data >= MIN_SHARED) & (agreement >= MIN_AGREEMENT))
    kept = kept[np.argsort(-agreement[kept], kind="stable")]
    return RelationMatches(
        left=both.row[kept].astype(np.int32),
        right=both.col[kept].astype(np.int32),
        shared=both.data[kept].astype(np.int32),
        agreement=agreement[kept].astype(np.float32),
        n_relations=pair.n_relations,
    )


def _holds(couple: Ints, relation: Ints, n_couples: int, n_relations: int) -> sp.csr_array:
    """Ones where a relation holds between a couple."""
    ones = np.ones(len(couple), np.float32)
    found = sp.coo_array((ones, (couple, relation)), shape=(n_couples, n_relations)).tocsr()
    found.sum_duplicates()
    found.data[:] = 1
    return found
