"""How much it counts that two entities have different values of an attribute that has one.

Of each couple of attributes that say the same and have one value for nearly every entity: how alike
are the values of linked entities, and how alike those of chance pairs? The logarithm of the ratio
is what values count against a pair that are a little alike, or not at all. A source with many
mistakes so counts for little. Agreement counts nothing here, since consensus has counted it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.ops import Ops
from lighttea.engines.tables import TokenLists
from lighttea.evidence.attributes import AttributeMatches
from lighttea.evidence.disagreement import LEAST, RAREST
from lighttea.evidence.tokens import make_tokens
from lighttea.graph.pair import Links
from lighttea.literals.table import LiteralTable
from lighttea.types import A, Bools, Floats, Ints, NumpyArray

ALIKE, SIMILAR = 0.5, 0.2  # cosines of parts from which values are the same, or a little alike
ONE_VALUE = 0.95  # share of the entities with an attribute that have one value of it
MIN_LINKS = 20  # that know both values
MOST_COUPLES = 8
MOST_LINKS = 5_000  # that are looked at
ROLLS = 5  # chance pairs for each link


@dataclass(frozen=True)
class ValueConflict:
    """The values of a couple of attributes, and what it counts that they differ, in scales."""

    left: int  # attributes
    right: int
    tokens: TokenLists[NumpyArray]  # words and pieces of the values, by node
    similar: float  # at most 0: for values that are a little alike
    different: float

    def weigh(self, alike: Floats) -> Floats:
        """Return what values that are so much alike count."""
        return conflict_of(PLAIN, alike, self.similar, self.different)


def find_conflicts(
    table: LiteralTable, matches: AttributeMatches, links: Links
) -> list[ValueConflict]:
    """Return the couples of attributes whose differences count, those that count most first."""
    best = _best_partners(matches)
    single = have_one_value(table)
    found = [
        conflict
        for left, right in best
        if single[left] and single[right]
        for conflict in _conflicts_of(table, left, right, links)
    ]
    return sorted(found, key=lambda conflict: conflict.different)[:MOST_COUPLES]


def stored_conflicts(
    table: LiteralTable, weights: Iterable[tuple[int, int, float, float]]
) -> Iterator[ValueConflict]:
    """Yield couples of attributes with what it was found to count that their values differ."""
    for left, right, similar, different in weights:
        yield ValueConflict(left, right, value_tokens(table, left, right), similar, different)


def _best_partners(matches: AttributeMatches) -> Iterator[tuple[int, int]]:
    """Yield the couples of attributes that are each other's best partner."""
    taken: set[int] = set()
    for left, right in zip(matches.left.tolist(), matches.right.tolist(), strict=True):
        if left not in taken and right not in taken:
            yield left, right
        taken |= {left, right}


def have_one_value(table: LiteralTable) -> Bools:
    """Return the attributes that nearly every entity with them has one value of."""
    real = table.is_real
    key = table.attribute[real] * np.int64(table.n_nodes) + table.node[real]
    distinct, count = np.unique(key, return_counts=True)
    attribute = distinct // table.n_nodes
    n_entities = np.bincount(attribute, minlength=table.n_attributes)
    n_single = np.bincount(attribute[count == 1], minlength=table.n_attributes)
    return np.asarray((n_entities > 0) & (n_single >= ONE_VALUE * n_entities))


def _conflicts_of(
    table: LiteralTable, left: int, right: int, links: Links
) -> Iterator[ValueConflict]:
    """Yield what a couple counts, if it does."""
    tokens = value_tokens(table, left, right)
    is_known = np.diff(tokens.start) > 0
    nodes = links.right + table.n_left
    links = links.take(is_known[links.left] & is_known[nodes])
    if len(links) < MIN_LINKS:
        return
    links = links.take(slice(0, None, -(-len(links) // MOST_LINKS)))
    own = cosines_of_values(tokens, table, links.left, links.right)
    chance = np.concatenate(
        [
            cosines_of_values(tokens, table, links.left, np.roll(links.right, n + 1))
            for n in range(ROLLS)
        ]
    )
    similar = _log_ratio(_is_similar(own), _is_similar(chance))
    different = _log_ratio(own < SIMILAR, chance < SIMILAR)
    if different <= -LEAST:
        yield ValueConflict(left, right, tokens, max(similar, different), different)


def _is_similar(alike: Floats) -> Bools:
    return np.asarray((alike >= SIMILAR) & (alike < ALIKE))


def _log_ratio(own: Bools, chance: Bools) -> float:
    """Return the log-likelihood ratio, at most 0."""
    rate = max(RAREST, (int(own.sum()) + 1) / (len(own) + 2))
    return min(0.0, math.log(rate / max(float(chance.mean()), RAREST)))


def value_tokens(table: LiteralTable, left: int, right: int) -> TokenLists[NumpyArray]:
    """Return words and pieces of the values of two attributes, by node."""
    own = table.where((table.attribute == left) | (table.attribute == right))
    parts = own.vocabulary.words, own.vocabulary.pieces
    columns = []
    for number, lists in enumerate(parts):
        place, item = lists.take(own.value)
        columns.append(np.stack([own.node[place], np.full(len(place), number), item]))
    node, number, item = np.concatenate(columns, axis=1)
    order = np.argsort(node, kind="stable")
    return make_tokens(
        PLAIN,
        table.n_nodes,
        node[order].astype(np.int32),
        number[order],
        item[order],
        n_decoys=table.n_decoys,
    )


def cosines_of_values(
    tokens: TokenLists[NumpyArray], table: LiteralTable, left: Ints, right: Ints
) -> Floats:
    """Return how alike the values of pairs of entities are, (n,)."""
    out = np.zeros((len(left), 1), np.float32)
    every = np.arange(table.n_left, table.n_nodes)
    index = np.asarray(right, np.int32)[:, None]
    PLAIN.add_token_cosines(tokens, np.asarray(left), every, index, 1.0, out)
    return out[:, 0]


# ----------------------------------------------------------------------------- of one block


def conflict_terms(
    ops: Ops[A],
    tokens: TokenLists[A],
    left: NumpyArray,
    right: NumpyArray,
    index: A,
    similar: float,
    different: float,
) -> A:
    """Return what differing values count against each candidate of a block, (n, k), at most 0.

    Nothing where one of the two has no value.
    """
    alike = ops.full(tuple(index.shape), 0.0, "float32")
    left_nodes, right_nodes = ops.asarray(left), ops.asarray(right)
    ops.add_token_cosines(tokens, left_nodes, right_nodes, index, 1.0, alike)
    count = tokens.start[1:] - tokens.start[:-1]
    known = (count[left_nodes] > 0)[:, None] & (count[right_nodes] > 0)[index] & (index >= 0)
    return ops.where(known, conflict_of(ops, alike, similar, different), 0.0)


def conflict_of(ops: Ops[A], alike: A, similar: float, different: float) -> A:
    """Return what values count that are so much alike."""
    little = ops.where(alike < ALIKE, similar, 0.0)
    return ops.astype(ops.where(alike < SIMILAR, different, little), "float32")
