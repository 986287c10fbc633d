"""`Ops` of plain memory: numpy, and compiled loops for the primitives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import scipy.sparse as sp

from lighttea.engines.base import NodeRows, Ops, Rows, TokenIndex, TokenLists, TopK
from lighttea.engines.cpu.namespace import NumpyNamespace
from lighttea.graph.views import PlainIncidence, PlainView
from lighttea.kernels import assignment, products, sets
from lighttea.kernels.directions import whitening_matrix
from lighttea.kernels.rows import BLOCK_ROWS, NumpyRows
from lighttea.kernels.threads import current_threads
from lighttea.kernels.topk import top_k
from lighttea.types import NO_CANDIDATE, Doubles, Floats, Ints, NumpyArray

_MOST_TASKS = 2  # that are worth running side by side: each takes memory of its own


@dataclass(frozen=True)
class NumpyOps(NumpyNamespace):
    """numpy arrays; how many rows are searched at a time changes no result."""

    left_rows: int = 4096
    right_rows: int = 2048
    keeps_facts = False
    block_rows = BLOCK_ROWS

    @property
    def n_tasks(self) -> int:
        """Functions that are worth running side by side."""
        return min(current_threads(), _MOST_TASKS)

    # ------------------------------------------------------------------------ label products

    def empty_rows(self, n_rows: int, width: int, n_parts: int, *, compact: bool) -> NumpyRows:
        return NumpyRows.empty(n_rows, width, n_parts, compact=compact)

    def join_rows(self, blocks: Sequence[Rows[NumpyArray]]) -> NumpyRows:
        return NumpyRows.join([_plain(block) for block in blocks])

    def spread_rows(
        self, rows: Rows[NumpyArray], nodes: Sequence[NumpyArray], n_nodes: int
    ) -> NodeRows[NumpyArray]:
        place = np.full(n_nodes, -1, np.int32)
        for some in nodes:
            place[some] = np.arange(len(rows), dtype=np.int32)
        return NodeRows(place, rows)

    def unit_rows(self, rows: NumpyArray) -> NumpyArray:
        products.normalise_rows(rows)
        return rows

    def sparse_product(
        self, view: PlainView, labels: NodeRows[NumpyArray], begin: int, out: NumpyArray
    ) -> None:
        rows = _plain(labels.rows)
        matrix = view.start, view.columns, view.weights
        products.add_product(*matrix, labels.place, rows.values, rows.scale, begin, out)

    def add_neighbour_products(
        self,
        incidence: PlainIncidence,
        begin: int,
        labels: NodeRows[NumpyArray],
        length: NumpyArray,
        others: NumpyArray,
        out: NumpyArray,
    ) -> None:
        rows = _plain(labels.rows)
        products.add_sums_of_products(
            incidence.start,
            incidence.neighbour,
            incidence.other,
            begin,
            labels.place,
            rows.values,
            rows.scale,
            length,
            np.ascontiguousarray(others),
            out,
        )

    def whitening_matrix(self, sample: NumpyArray) -> NumpyArray:
        return whitening_matrix(sample)

    def dots(
        self,
        left: Rows[NumpyArray],
        right: Rows[NumpyArray],
        rows: NumpyArray,
        index: NumpyArray,
        n_parts: int | None = None,
    ) -> NumpyArray:
        return _plain(left).dots(_plain(right), rows, index, n_parts)

    def look_up(
        self, known: TopK[NumpyArray], index: NumpyArray, n_right: int
    ) -> tuple[NumpyArray, NumpyArray]:
        label, rest = np.empty(index.shape, np.float32), np.empty(index.shape, np.int32)
        parts = 8 * current_threads()
        products.known_values(known.index, known.label, index, n_right, parts, label, rest)
        return label, rest

    def top_k(
        self, left: Rows[NumpyArray], right: Rows[NumpyArray], k: int, asking: NumpyArray
    ) -> TopK[NumpyArray]:
        rows = {"left_rows": self.left_rows, "right_rows": self.right_rows}
        return TopK(*top_k(_plain(left), _plain(right), k, asking=asking, **rows))

    # -------------------------------------------------------------------------------- sets

    def multiset_dice(self, left: PlainView, right: PlainView, index: NumpyArray) -> NumpyArray:
        out = np.empty(index.shape, np.float32)
        both = [(view.start, view.columns, view.weights) for view in (left, right)]
        parts = 8 * current_threads()
        sets.multiset_dice(*both[0], *both[1], left.n_columns, index, parts, out)
        return out

    def number_tokens(
        self, n_nodes: int, node: NumpyArray, key: NumpyArray
    ) -> tuple[NumpyArray, NumpyArray, NumpyArray]:
        n_rows = len(node)
        start, token = np.empty(n_nodes + 1, np.int64), np.empty(n_rows, np.int32)
        holders = np.empty(n_rows, np.int32)
        slots = np.full(1 << (2 * n_rows).bit_length(), -1, np.int32)
        seen = np.empty((2, n_rows), np.int64)
        n_listed, n_tokens = sets.number_tokens(node, key, start, token, holders, slots, seen)
        return start, token[:n_listed].copy(), holders[:n_tokens]

    def add_token_cosines(
        self,
        tokens: TokenLists[NumpyArray],
        left: NumpyArray,
        right: NumpyArray,
        index: NumpyArray,
        factor: float,
        out: NumpyArray,
    ) -> None:
        lists = tokens.start, tokens.token, tokens.weight, tokens.length
        parts = 8 * current_threads()
        sets.add_token_cosines(*lists, left, right, index, np.float32(factor), parts, out)

    def suggest_by_tokens(self, tokens: TokenIndex[NumpyArray], k: int) -> NumpyArray:
        index = np.full((len(tokens.start) - 1, k), NO_CANDIDATE, np.int32)
        sets.suggest_by_tokens(
            tokens.start,
            tokens.token,
            tokens.value,
            tokens.holder_start,
            tokens.holder,
            tokens.holder_value,
            tokens.n_right,
            2 * current_threads(),
            index,
        )
        return index

    def count_pairs(
        self,
        left: tuple[NumpyArray, NumpyArray],
        right: tuple[NumpyArray, NumpyArray],
        shape: tuple[int, int],
    ) -> tuple[NumpyArray, NumpyArray, NumpyArray, NumpyArray, NumpyArray]:
        holds_left, holds_right = (_zero_one(*side, shape) for side in (left, right))
        both = (holds_left.T @ holds_right).tocoo()
        in_left = holds_left.T @ (holds_right.sum(axis=1) > 0).astype(np.float32)
        in_right = holds_right.T @ (holds_left.sum(axis=1) > 0).astype(np.float32)
        return both.row, both.col, both.data, in_left, in_right

    # ---------------------------------------------------------------------- candidate tables

    def sparse_kernel(
        self, kernel: NumpyArray, index: NumpyArray, n_columns: int
    ) -> NumpySparseKernel:
        return NumpySparseKernel(kernel, index, n_columns)

    def best_of_rows(self, score: NumpyArray, index: NumpyArray, n: int) -> NumpyArray:
        best = np.empty((len(index), n), np.float32)
        assignment.best_of_rows(score, index, best)
        return best

    def best_of_columns(
        self, score: NumpyArray, index: NumpyArray, n_columns: int, n: int
    ) -> NumpyArray:
        best = np.empty((n_columns, n), np.float32)
        assignment.best_of_columns(score, index, best)
        return best

    def best_by_weights(
        self, terms: Sequence[NumpyArray], index: NumpyArray, weights: Sequence[float]
    ) -> NumpyArray:
        best = np.empty(len(index), np.int32)
        assignment.best_by_weights(*terms, index, np.array(weights, np.float32), best)
        return best


@dataclass(frozen=True)
class NumpySparseKernel:
    """K of a table of candidates."""

    kernel: Doubles  # (n, k)
    index: Ints
    n_columns: int

    def scale_rows(
        self, column_scale: NumpyArray, slack: NumpyArray | float
    ) -> tuple[Doubles, Doubles]:
        """Return u = 1 / (K v + slack) and the column sums of diag(u) K.

        Each thread adds its rows into a line of its own: the result does not depend on which thread
        was first.
        """
        row_scale = np.zeros(len(self.kernel))
        kept = np.full(len(self.kernel), slack) if isinstance(slack, float) else slack
        parts = np.zeros((current_threads(), self.n_columns))
        assignment.scale_rows_and_sum_columns(
            self.kernel, self.index, column_scale, kept, row_scale, parts
        )
        return row_scale, parts.sum(axis=0)

    def plan(self, row_scale: NumpyArray, column_scale: NumpyArray) -> Floats:
        """Return diag(u) K diag(v); 0 where there is no candidate."""
        value = np.empty(self.kernel.shape, np.float32)
        assignment.finish_assignment(self.kernel, self.index, row_scale, column_scale, value)
        return value


def _plain(rows: Rows[NumpyArray]) -> NumpyRows:
    return cast(NumpyRows, rows)


def _zero_one(row: Ints, column: Ints, shape: tuple[int, int]) -> sp.csr_array:
    """Return a matrix with ones at these places."""
    ones = np.ones(len(row), np.float32)
    matrix = sp.coo_array((ones, (row, column)), shape=shape).tocsr()
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


PLAIN: Ops[NumpyArray] = NumpyOps()
