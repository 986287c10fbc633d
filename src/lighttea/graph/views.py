"""The five views of section 4.1 as sparse matrices, and the fact lists of the last hop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from lighttea.graph.pair import Pair, sorted_distinct
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import Floats, Ints


@dataclass(frozen=True)
class View:
    """A sparse matrix in rows: `columns[start[i]:start[i + 1]]` and `weights` belong to row i."""

    start: Ints  # (n_rows + 1,)
    columns: Ints
    weights: Floats
    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.start) - 1, self.n_columns

    def to_scipy(self) -> sp.csr_array:
        """The same matrix for scipy."""
        return sp.csr_array((self.weights, self.columns, self.start), shape=self.shape)


@dataclass(frozen=True)
class Incidence:
    """The distinct (neighbour, other) couples of each node; other is a relation or a tick."""

    start: Ints  # (n_nodes + 1,)
    neighbour: Ints
    other: Ints


@dataclass(frozen=True)
class Aspect:
    """The matrices of one aspect, relational or temporal; the computation is the same for both."""

    entity_other: View  # A^ER or A^ET
    other_entity: View  # A^RE or A^TE
    incidence: Incidence


@dataclass(frozen=True)
class FactRows:
    """The facts of some nodes as heads, from which the rows of these nodes in every view are made.

    Facts are stored in both directions, so the facts with a node as tail are known too: they are
    the inverses of those with it as head.
    """

    nodes: Ints  # (n,) the heads
    start: Ints  # (n + 1,) facts start[i] to start[i + 1] are those of nodes[i]
    relation: Ints
    tail: Ints
    tick: Ints  # or -1 for unknown
    n_nodes: int
    n_relations: int
    n_ticks: int

    @classmethod
    def of(cls, pair: Pair, nodes: slice) -> FactRows:
        """Return the facts of successive nodes."""
        numbers = np.arange(nodes.start, nodes.stop, dtype=np.int32)
        start = np.searchsorted(pair.head, np.arange(nodes.start, nodes.stop + 1))
        here = slice(start[0], start[-1])
        facts = pair.relation[here], pair.tail[here], pair.tick[here]
        sizes = pair.n_nodes, pair.n_relations, pair.n_ticks
        return cls(numbers, (start - start[0]).astype(np.int64), *facts, *sizes)

    @classmethod
    def joined(cls, blocks: Sequence[FactRows]) -> FactRows:
        """Return the facts of several blocks, one after the other."""
        if len(blocks) == 1:
            return blocks[0]
        ends = np.cumsum([block.start[-1] for block in blocks])
        start = [
            block.start[1:] + end - block.start[-1] for block, end in zip(blocks, ends, strict=True)
        ]
        return replace(
            blocks[0],
            nodes=np.concatenate([block.nodes for block in blocks]),
            start=np.concatenate([blocks[0].start[:1], *start]),
            relation=np.concatenate([block.relation for block in blocks]),
            tail=np.concatenate([block.tail for block in blocks]),
            tick=np.concatenate([block.tick for block in blocks]),
        )

    def take(self, nodes: Ints) -> FactRows:
        """Return the facts of some of the nodes; `self.nodes` is sorted."""
        rows = np.searchsorted(self.nodes, nodes)
        count = np.diff(self.start)[rows]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(count)])
        places = np.arange(start[-1]) + np.repeat(self.start[rows] - start[:-1], count)
        facts = self.relation[places], self.tail[places], self.tick[places]
        return replace(
            self, nodes=nodes, start=start, relation=facts[0], tail=facts[1], tick=facts[2]
        )

    @property
    def row(self) -> Ints:
        """The row of each fact: the place of its head among the nodes."""
        return np.repeat(np.arange(len(self.nodes), dtype=np.int32), np.diff(self.start))

    def of_aspect(self, temporal: bool) -> AspectFacts:
        """Return the facts with their relations, or the facts of known time with their ticks."""
        if not temporal:
            return AspectFacts(
                self.row, self.tail, self.relation, self.relation ^ 1, self.n_relations
            )
        known = self.tick != UNKNOWN
        tick = self.tick[known]
        return AspectFacts(self.row[known], self.tail[known], tick, tick, self.n_ticks)


@dataclass(frozen=True)
class AspectFacts:
    """The facts of one aspect: row of the head, tail, and the relation or tick (the other)."""

    row: Ints
    tail: Ints
    as_head: Ints  # relation or tick of the fact
    as_tail: Ints  # relation or tick of its inverse
    n_others: int


@dataclass(frozen=True)
class Views:
    """The matrices that propagation and time similarity need."""

    entity_entity: View  # A^EE
    relational: Aspect
    temporal: Aspect
    tick_counts: View  # the multiset of ticks of each entity (eq. 8)

    @classmethod
    def of(cls, pair: Pair) -> Views:
        """Return every view of a pair."""
        facts = FactRows.of(pair, slice(0, pair.n_nodes))
        relational, temporal = (
            Aspect(
                entity_other(facts, temporal),
                other_entity(facts, temporal),
                incidence(facts, temporal),
            )
            for temporal in (False, True)
        )
        return cls(entity_entity(facts), relational, temporal, tick_counts(facts))


def entity_entity(facts: FactRows) -> View:
    """Return rows of A^EE: the number of facts of each couple of entities, degrees on the diagonal.

    The degree counts facts as head and as tail; both numbers are equal.
    """
    shape = len(facts.nodes), facts.n_nodes
    degree = 2 * np.diff(facts.start).astype(np.float32)
    diagonal = sp.csr_array((degree, facts.nodes, np.arange(shape[0] + 1)), shape=shape)
    counts = _view(facts.row, facts.tail, shape, count=True).to_scipy()
    return _of_scipy(counts + diagonal)


def entity_other(facts: FactRows, temporal: bool) -> View:
    """Return rows of A^ER or A^ET: 1 where a node is a tail of the relation, or at the tick."""
    aspect = facts.of_aspect(temporal)
    return _view(aspect.row, aspect.as_tail, (len(facts.nodes), aspect.n_others))


def other_entity(facts: FactRows, temporal: bool) -> View:
    """Return A^RE or A^TE with the columns of these nodes filled."""
    aspect = facts.of_aspect(temporal)
    return _view(aspect.as_head, facts.nodes[aspect.row], (aspect.n_others, facts.n_nodes))


def incidence(facts: FactRows, temporal: bool) -> Incidence:
    """Return the distinct (neighbour, relation) or (neighbour, tick) couples of each node."""
    aspect = facts.of_aspect(temporal)
    row, tail, other = sorted_distinct(aspect.row, aspect.tail, aspect.as_head)
    start = np.searchsorted(row, np.arange(len(facts.nodes) + 1)).astype(np.int64)
    return Incidence(start, tail, other)


def tick_counts(facts: FactRows) -> View:
    """Return how many facts of each node have each tick."""
    aspect = facts.of_aspect(temporal=True)
    return _view(aspect.row, aspect.as_head, (len(facts.nodes), aspect.n_others), count=True)


def _view(rows: Ints, columns: Ints, shape: tuple[int, int], *, count: bool = False) -> View:
    """Return a matrix of ones at (row, column), or of the number of times that it occurs."""
    matrix = sp.coo_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape).tocsr()
    matrix.sum_duplicates()
    if not count:
        matrix.data[:] = 1
    return _of_scipy(matrix)


def _of_scipy(matrix: sp.csr_array) -> View:
    matrix = sp.csr_array(matrix)
    matrix.sort_indices()
    return View(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float32),
        matrix.shape[1],
    )
