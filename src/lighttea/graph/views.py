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
    """For each node its distinct (neighbour, other) couples; other is a relation or a tick."""

    start: Ints  # (n_nodes + 1,)
    neighbour: Ints
    other: Ints


@dataclass(frozen=True)
class Aspect:
    """What the relational and the temporal aspect differ by: their matrices, nothing else."""

    entity_other: View  # A^ER or A^ET
    other_entity: View  # A^RE or A^TE
    incidence: Incidence


@dataclass(frozen=True)
class FactRows:
    """The facts of some nodes as heads: all that the rows of these nodes are made of, in any view.

    Facts are there in both directions, so the facts with a node as tail are known too: they are
    the inverses of those with it as head.
    """

    nodes: Ints  # (n,) whose facts
    start: Ints  # (n + 1,) those of nodes[i] stand from start[i] to start[i + 1]
    relation: Ints
    tail: Ints
    tick: Ints  # or -1 for unknown
    n_nodes: int
    n_relations: int
    n_ticks: int

    @classmethod
    def of(cls, pair: Pair, nodes: slice) -> FactRows:
        """The facts of neighbouring nodes."""
        numbers = np.arange(nodes.start, nodes.stop, dtype=np.int32)
        start = np.searchsorted(pair.head, np.arange(nodes.start, nodes.stop + 1))
        here = slice(start[0], start[-1])
        facts = pair.relation[here], pair.tail[here], pair.tick[here]
        sizes = pair.n_nodes, pair.n_relations, pair.n_ticks
        return cls(numbers, (start - start[0]).astype(np.int64), *facts, *sizes)

    @classmethod
    def joined(cls, blocks: Sequence[FactRows]) -> FactRows:
        """The facts of several blocks, one after the other."""
        if len(blocks) == 1:
            return blocks[0]
        ends = np.cumsum([one.start[-1] for one in blocks])
        start = [one.start[1:] + end - one.start[-1] for one, end in zip(blocks, ends, strict=True)]
        return replace(
            blocks[0],
            nodes=np.concatenate([one.nodes for one in blocks]),
            start=np.concatenate([blocks[0].start[:1], *start]),
            relation=np.concatenate([one.relation for one in blocks]),
            tail=np.concatenate([one.tail for one in blocks]),
            tick=np.concatenate([one.tick for one in blocks]),
        )

    def take(self, nodes: Ints) -> FactRows:
        """The facts of some of the nodes, which are in order here."""
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
        """The place among the nodes of each fact's head."""
        return np.repeat(np.arange(len(self.nodes), dtype=np.int32), np.diff(self.start))

    def met(self, temporal: bool) -> Met:
        """What heads and tails meet in their facts: relations, or ticks where they are known."""
        if not temporal:
            return Met(self.row, self.tail, self.relation, self.relation ^ 1, self.n_relations)
        known = self.tick != UNKNOWN
        tick = self.tick[known]
        return Met(self.row[known], self.tail[known], tick, tick, self.n_ticks)


@dataclass(frozen=True)
class Met:
    """The facts of one aspect: who, whom, and which relation or tick."""

    row: Ints
    tail: Ints
    as_head: Ints
    as_tail: Ints  # in the inverse of the fact
    n_others: int


@dataclass(frozen=True)
class Views:
    """All that propagation and time similarity need to know of a pair of graphs."""

    entity_entity: View  # A^EE
    relational: Aspect
    temporal: Aspect
    tick_counts: View  # the multiset of ticks of each entity (eq. 8)

    @classmethod
    def of(cls, pair: Pair) -> Views:
        """Build every view of a pair."""
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
    """Rows of A^EE: facts of each couple of entities; on the diagonal the degree as head and tail.

    A node is as often a tail as it is a head.
    """
    shape = len(facts.nodes), facts.n_nodes
    degree = 2 * np.diff(facts.start).astype(np.float32)
    diagonal = sp.csr_array((degree, facts.nodes, np.arange(shape[0] + 1)), shape=shape)
    counts = _view(facts.row, facts.tail, shape, count=True).to_scipy()
    return _of_scipy(counts + diagonal)


def entity_other(facts: FactRows, temporal: bool) -> View:
    """Rows of A^ER or A^ET: where a node is the tail of a relation, or of a fact at a tick."""
    met = facts.met(temporal)
    return _view(met.row, met.as_tail, (len(facts.nodes), met.n_others))


def other_entity(facts: FactRows, temporal: bool) -> View:
    """A^RE or A^TE as far as these nodes are concerned: all rows, their columns."""
    met = facts.met(temporal)
    return _view(met.as_head, facts.nodes[met.row], (met.n_others, facts.n_nodes))


def incidence(facts: FactRows, temporal: bool) -> Incidence:
    """The distinct couples of neighbour and relation, or tick, of each node."""
    met = facts.met(temporal)
    row, tail, other = sorted_distinct(met.row, met.tail, met.as_head)
    start = np.searchsorted(row, np.arange(len(facts.nodes) + 1)).astype(np.int64)
    return Incidence(start, tail, other)


def tick_counts(facts: FactRows) -> View:
    """How often each tick stands at the facts of each node."""
    met = facts.met(temporal=True)
    return _view(met.row, met.as_head, (len(facts.nodes), met.n_others), count=True)


def _view(rows: Ints, columns: Ints, shape: tuple[int, int], *, count: bool = False) -> View:
    """A matrix of ones where a row meets a column, or of how often it does."""
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
