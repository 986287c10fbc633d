"""The five views of section 4.1 as sparse matrices, and the fact lists of the last hop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias

import numpy as np
import scipy.sparse as sp

from lighttea.graph.pair import Pair, sorted_distinct
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import A, Ints, NumpyArray


@dataclass(frozen=True)
class View(Generic[A]):
    """A sparse matrix in rows: `columns[start[i]:start[i + 1]]` and `weights` belong to row i."""

    start: A  # (n_rows + 1,)
    columns: A
    weights: A
    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.start) - 1, self.n_columns


@dataclass(frozen=True)
class Incidence(Generic[A]):
    """The distinct (neighbour, other) couples of each node; other is a relation or a tick."""

    start: A  # (n_nodes + 1,)
    neighbour: A
    other: A


PlainView: TypeAlias = View[NumpyArray]
PlainIncidence: TypeAlias = Incidence[NumpyArray]


def to_scipy(view: PlainView) -> sp.csr_array:
    """Return the same matrix for scipy."""
    return sp.csr_array((view.weights, view.columns, view.start), shape=view.shape)


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
    n_decoys: int = 0  # of the nodes, the last ones

    @classmethod
    def of(cls, pair: Pair, nodes: slice) -> FactRows:
        """Return the facts of successive nodes."""
        numbers = np.arange(nodes.start, nodes.stop, dtype=np.int32)
        start = np.searchsorted(pair.head, np.arange(nodes.start, nodes.stop + 1))
        here = slice(start[0], start[-1])
        facts = pair.relation[here], pair.tail[here], pair.tick[here]
        sizes = pair.n_nodes, pair.n_relations, pair.n_ticks, pair.n_decoys
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

    def without_decoys(self) -> FactRows:
        """Return the facts of the nodes that are no decoys."""
        if not self.n_decoys:
            return self
        return self.take(self.nodes[self.nodes < self.n_nodes - self.n_decoys])

    @property
    def row(self) -> Ints:
        """The row of each fact: the place of its head among the nodes."""
        return np.repeat(np.arange(len(self.nodes), dtype=np.int32), np.diff(self.start))

    def of_aspect(self, temporal: bool) -> AspectFacts:
        """Return the facts as one aspect sees them; without a known time there is no tick."""
        if not temporal:
            inverse = self.relation ^ 1
            return AspectFacts(self.row, self.tail, self.relation, inverse, self.n_relations)
        known = self.tick != UNKNOWN
        tick = self.tick[known]
        return AspectFacts(self.row[known], self.tail[known], tick, tick, self.n_ticks)


@dataclass(frozen=True)
class AspectFacts:
    """Facts as columns, with the relation or tick that each has in both of its directions."""

    row: Ints  # of the head
    tail: Ints
    other: Ints  # relation or tick of the fact
    inverse_other: Ints  # of its inverse
    n_others: int


def entity_entity(facts: FactRows) -> PlainView:
    """Rows of A^EE: facts of each couple of entities; on the diagonal the degree as head and tail.

    A node is as often a tail as it is a head.
    """
    shape = len(facts.nodes), facts.n_nodes
    degree = 2 * np.diff(facts.start).astype(np.float32)
    diagonal = sp.csr_array((degree, facts.nodes, np.arange(shape[0] + 1)), shape=shape)
    counts = to_scipy(_view(facts.row, facts.tail, shape, count=True))
    return _of_scipy(counts + diagonal)


def entity_other(facts: FactRows, temporal: bool) -> PlainView:
    """Rows of A^ER or A^ET: where a node is the tail of a relation, or of a fact at a tick."""
    aspect = facts.of_aspect(temporal)
    return _view(aspect.row, aspect.inverse_other, (len(facts.nodes), aspect.n_others))


def other_entity(facts: FactRows, temporal: bool) -> PlainView:
    """A^RE or A^TE as far as these nodes are concerned: all rows, their columns.

    Decoys add nothing: no relation and no tick knows them.
    """
    aspect = facts.without_decoys().of_aspect(temporal)
    return _view(aspect.other, facts.nodes[aspect.row], (aspect.n_others, facts.n_nodes))


def incidence(facts: FactRows, temporal: bool) -> PlainIncidence:
    """The distinct couples of neighbour and relation, or tick, of each node."""
    aspect = facts.of_aspect(temporal)
    row, tail, other = sorted_distinct(aspect.row, aspect.tail, aspect.other)
    start = np.searchsorted(row, np.arange(len(facts.nodes) + 1)).astype(np.int64)
    return Incidence(start, tail, other)


def tick_counts(facts: FactRows) -> PlainView:
    """How often each tick stands at the facts of each node."""
    aspect = facts.of_aspect(temporal=True)
    return _view(aspect.row, aspect.other, (len(facts.nodes), aspect.n_others), count=True)


def _view(rows: Ints, columns: Ints, shape: tuple[int, int], *, count: bool = False) -> PlainView:
    """A matrix of ones where a row meets a column, or of how often it does."""
    matrix = sp.coo_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape).tocsr()
    matrix.sum_duplicates()
    if not count:
        matrix.data[:] = 1
    return _of_scipy(matrix)


def _of_scipy(matrix: sp.csr_array) -> PlainView:
    matrix = sp.csr_array(matrix)
    matrix.sort_indices()
    return View(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float32),
        matrix.shape[1],
    )


def take_incidence(incidence: PlainIncidence, rows: Ints) -> PlainIncidence:
    """Return the couples of some rows, in their order."""
    count = np.diff(incidence.start)[rows]
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(count)])
    place = np.arange(start[-1]) + np.repeat(incidence.start[rows] - start[:-1], count)
    return Incidence(start, incidence.neighbour[place], incidence.other[place])


def join_incidences(blocks: Sequence[PlainIncidence]) -> PlainIncidence:
    """Return the couples of several blocks of nodes, one after the other."""
    if len(blocks) == 1:
        return blocks[0]
    shifts = np.cumsum([0, *(block.start[-1] for block in blocks[:-1])])
    starts = [block.start[1:] + shift for block, shift in zip(blocks, shifts, strict=True)]
    return Incidence(
        np.concatenate([np.zeros(1, np.int64), *starts]),
        np.concatenate([block.neighbour for block in blocks]),
        np.concatenate([block.other for block in blocks]),
    )
