"""The five views of section 4.1 as sparse matrices, and the fact lists of the last hop."""

from __future__ import annotations

from dataclasses import dataclass

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
class Views:
    """All that propagation and time similarity need to know of a pair of graphs."""

    entity_entity: View  # A^EE
    relational: Aspect
    temporal: Aspect
    tick_counts: View  # the multiset of ticks of each entity (eq. 8)

    @classmethod
    def of(cls, pair: Pair) -> Views:
        """Build every view of a pair."""
        timed = pair.tick != UNKNOWN
        head, tail, tick = pair.head[timed], pair.tail[timed], pair.tick[timed]
        return cls(
            entity_entity=_entity_entity(pair),
            relational=_aspect(pair.n_nodes, pair.head, pair.tail, pair.relation, pair.n_relations),
            temporal=_aspect(pair.n_nodes, head, tail, tick, pair.n_ticks),
            tick_counts=_view(head, tick, (pair.n_nodes, pair.n_ticks), count=True),
        )


def _entity_entity(pair: Pair) -> View:
    """A^EE: facts of each couple of entities; on the diagonal the degree as head and as tail."""
    n = pair.n_nodes
    degree = np.bincount(pair.head, minlength=n) + np.bincount(pair.tail, minlength=n)
    counts = _view(pair.head, pair.tail, (n, n), count=True).to_scipy()
    return _of_scipy(counts + sp.diags_array(degree.astype(np.float32)))


def _aspect(n_nodes: int, head: Ints, tail: Ints, other: Ints, n_others: int) -> Aspect:
    return Aspect(
        entity_other=_view(tail, other, (n_nodes, n_others)),
        other_entity=_view(other, head, (n_others, n_nodes)),
        incidence=_incidence(n_nodes, head, tail, other),
    )


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


def _incidence(n_nodes: int, head: Ints, tail: Ints, other: Ints) -> Incidence:
    head, tail, other = sorted_distinct(head, tail, other)
    start = np.searchsorted(head, np.arange(n_nodes + 1)).astype(np.int64)
    return Incidence(start, tail, other)
