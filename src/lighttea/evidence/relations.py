"""Which relations of the two sides say the same, by the links so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

import numpy as np
import scipy.sparse as sp

from lighttea.engines.ops import Ops
from lighttea.evidence.facts import TimedFacts
from lighttea.graph.pair import Links, Pair, distinct_numbers
from lighttea.types import A, Floats, Ints

MIN_SHARED = 3  # couples of linked entities that both relations must hold between
MIN_AGREEMENT = 0.3


@dataclass(frozen=True)
class LinkedNodes(Generic[A]):
    """The links in the joint node space: both ends of a link go by the left one's number."""

    name: A  # (n_nodes,)
    is_linked: A  # (n_nodes,)

    @classmethod
    def of(cls, ops: Ops[A], pair: Pair, links: Links) -> LinkedNodes[A]:
        """Return the names of all nodes."""
        left = ops.asarray(pair.left_nodes(links.left), "int64")
        right = ops.asarray(pair.right_nodes(links.right), "int64")
        name, is_linked = ops.arange(pair.n_nodes), ops.full((pair.n_nodes,), 0, "bool")
        name[right] = left
        is_linked[left] = True
        is_linked[right] = True
        return cls(name, is_linked)

    def known_names(self, ops: Ops[A]) -> A:
        """Return the names of linked nodes, -1 for all others, (n_nodes,)."""
        return ops.where(self.is_linked, self.name, -1)


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
        """Return one number for relations that say the same, -1 for those without match.

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


def match_relations(ops: Ops[A], facts: TimedFacts[A], linked: LinkedNodes[A]) -> RelationMatches:
    """Return relations that hold between the same couples of linked entities, and how often."""
    pair, rows = facts.pair, facts.rows("")
    between = linked.is_linked[rows.head] & linked.is_linked[rows.tail]
    head, tail = rows.head[between], rows.tail[between]
    relation, is_left = rows.relation[between], head < pair.n_left
    n_couples, couple = ops.number(linked.name[head] * pair.n_nodes + linked.name[tail])
    left, right = ((couple[side], relation[side]) for side in (is_left, ~is_left))
    counted = ops.count_pairs(left, right, (n_couples, pair.n_relations))
    left_ids, right_ids, shared, in_left, in_right = (ops.to_numpy(column) for column in counted)
    known = np.sqrt(in_left[left_ids].astype(np.float32) * in_right[right_ids])
    agreement = (shared / np.maximum(known, 1)).astype(np.float32)
    kept = np.flatnonzero((shared >= MIN_SHARED) & (agreement >= MIN_AGREEMENT))
    kept = kept[np.argsort(-agreement[kept], kind="stable")]
    return RelationMatches(
        left=left_ids[kept].astype(np.int32),
        right=right_ids[kept].astype(np.int32),
        shared=shared[kept].astype(np.int32),
        agreement=agreement[kept],
        n_relations=pair.n_relations,
    )


def relation_classes(ops: Ops[A], facts: TimedFacts[A], links: Links) -> Ints:
    """Return one number for relations that say the same by these links, -1 without match.

    Kept until there are other links: a pass asks for evidence and for contradictions.
    """
    name = links.digest()
    classes = facts.classes.get(name)
    if classes is None:
        matches = match_relations(ops, facts, LinkedNodes.of(ops, facts.pair, links))
        classes = matches.classes()
        facts.classes.clear()
        facts.classes[name] = classes
    return classes


def count_shared_neighbours(ops: Ops[A], pair: Pair, links: Links) -> Ints:
    """Return how many linked neighbours the two entities of each link have in common, (n,)."""
    linked = LinkedNodes.of(ops, pair, links)
    head, tail = ops.asarray(pair.head, "int64"), ops.asarray(pair.tail, "int64")
    between = linked.is_linked[head] & linked.is_linked[tail]
    head, tail = head[between], tail[between]
    couple = ops.to_numpy(linked.name[head] * pair.n_nodes + linked.name[tail])
    is_left = ops.to_numpy(head < pair.n_left)
    own, others = (distinct_numbers(couple[side]) for side in (is_left, ~is_left))
    shared = np.intersect1d(own, others, assume_unique=True)
    entity, neighbour = np.divmod(shared, pair.n_nodes)
    counts = np.bincount(entity[entity != neighbour], minlength=pair.n_nodes)
    return np.asarray(counts[links.left])
