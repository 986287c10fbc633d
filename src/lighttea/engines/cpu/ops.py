"""`Ops` of plain memory: numpy, and compiled loops for the primitives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import scipy.sparse as sp

from lighttea.engines.cpu.namespace import NumpyNamespace
from lighttea.engines.keys import KEY_BITS, n_bits, token_keys
from lighttea.engines.ops import Ops
from lighttea.engines.tables import (
    FactTables,
    NodeRows,
    RareLimits,
    Rows,
    TokenColumns,
    TokenIndex,
    TokenLists,
    TopK,
)
from lighttea.graph.views import PlainIncidence, PlainView
from lighttea.kernels import assignment, products, rare, sets
from lighttea.kernels.directions import whitening_matrix
from lighttea.kernels.likelihood import fact_log_odds
from lighttea.kernels.rows import BLOCK_ROWS, NumpyRows
from lighttea.kernels.threads import current_threads
from lighttea.kernels.topk import top_k
from lighttea.types import NO_CANDIDATE, Doubles, Floats, Ints, NumpyArray

_NO_COLUMN = np.empty(0, np.int32)
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

    def token_keys(self, columns: TokenColumns[NumpyArray]) -> tuple[NumpyArray, NumpyArray]:
        name, relation_class = (_table(own) for own in (columns.name, columns.relation_class))
        time = _NO_COLUMN if columns.time is None else columns.time
        name_bits, *widths = (n_bits(own) for own in (name, relation_class, time))
        if name_bits + sum(widths) > KEY_BITS:
            return token_keys(self, columns)
        neighbour = _NO_COLUMN if columns.neighbour is None else columns.neighbour
        relation = _NO_COLUMN if columns.relation is None else columns.relation
        n_rows = len(columns.node)
        out = np.empty(n_rows, columns.node.dtype), np.empty(n_rows, np.int64)
        looked_up = neighbour, name, relation, relation_class
        n = sets.list_keys(columns.node, *looked_up, time, *widths, *out)
        return out[0][:n], out[1][:n]

    def list_lengths(self, start: NumpyArray, token: NumpyArray, weight: NumpyArray) -> NumpyArray:
        length = np.empty(len(start) - 1, np.float32)
        sets.list_lengths(start, token, weight, length)
        return length

    def keep_shared(self, tokens: TokenLists[NumpyArray], n_first: int) -> TokenLists[NumpyArray]:
        start, sides = np.empty_like(tokens.start), np.zeros(tokens.n_tokens, np.uint8)
        sets.keep_shared(tokens.start, tokens.token, n_first, sides, start)
        return replace(tokens, start=start, token=tokens.token[: start[-1]].copy())

    def number_tokens(
        self, n_nodes: int, node: NumpyArray, key: NumpyArray
    ) -> tuple[NumpyArray, NumpyArray, NumpyArray]:
        n_rows, largest = len(node), int(key.max()) if len(key) else 0
        start, token = np.empty(n_nodes + 1, np.int64), np.empty(n_rows, np.int32)
        most = min(n_rows, largest + 1) if len(key) and key.min() >= 0 else n_rows
        slots = np.full(1 << (most + most // 2).bit_length(), -1, np.int32)
        seen = np.empty((most, 3), np.int64)
        n_listed, n_tokens = sets.number_tokens(node, key, start, token, slots, seen)
        return start, token[:n_listed].copy(), seen[:n_tokens, 2].astype(np.int32)

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
        sides = (np.asarray(side, np.int32) for side in (left, right))
        parts = 8 * current_threads()
        sets.add_token_cosines(*lists, *sides, index, np.float32(factor), parts, out)

    def index_rare_tokens(
        self,
        kinds: Sequence[tuple[TokenLists[NumpyArray], float]],
        left: NumpyArray,
        right: NumpyArray,
        limits: RareLimits,
    ) -> TokenIndex[NumpyArray]:
        n_rare, n_groups = 0, limits.n_groups
        answers = np.empty(sum(tokens.n_tokens for tokens, _ in kinds), np.int32)
        numbers = [np.empty(tokens.n_tokens, np.int32) for tokens, _ in kinds]
        totals = np.zeros((len(left), n_groups), np.int64)
        for (tokens, _), number in zip(kinds, numbers, strict=True):
            lists, most = (tokens.start, tokens.token), limits.most_holders
            sides = left, right, limits.n_targets
            n_rare += rare.number_rare_tokens(*lists, *sides, most, n_rare, number, answers)
            rare.add_answers(*lists, number, left, answers, totals)
        holder_start = _begins(answers[:n_rare])
        holder = np.empty(holder_start[-1], np.int32), np.empty(holder_start[-1], np.float32)
        limit, count = np.empty(len(left), np.int32), np.zeros(len(left), np.int64)
        rare.find_limits(totals, limits.most_answers, limit)
        at = holder_start[:-1].copy()
        for (tokens, weight), number in zip(kinds, numbers, strict=True):
            rare.list_holders(*vars(tokens).values(), weight, number, right, at, *holder)
            lists = tokens.start, tokens.token
            rare.count_asked(*lists, number, left, answers, limit, n_groups, count)
        start = _begins(count)
        asked = np.empty(start[-1], np.int32), np.empty(start[-1], np.float32)
        at = start[:-1].copy()
        for (tokens, weight), number in zip(kinds, numbers, strict=True):
            asking = left, answers, limit, n_groups, at
            rare.list_asked(*vars(tokens).values(), weight, number, *asking, *asked)
        return TokenIndex(start, *asked, holder_start, *holder, len(right))

    def suggest_by_tokens(self, tokens: TokenIndex[NumpyArray], k: int) -> NumpyArray:
        index = np.full((len(tokens.start) - 1, k), NO_CANDIDATE, np.int32)
        sets.suggest_by_tokens(
            tokens.start,
            tokens.token,
            _in_steps(tokens.value),
            tokens.holder_start,
            tokens.holder,
            _in_steps(tokens.holder_value),
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
        one, other = (_zero_one(side, shape) for side in (left, right))
        both = sp.csr_array(one.T @ other)
        both.sort_indices()
        lefts = np.repeat(np.arange(shape[1]), np.diff(both.indptr))
        filled_left, filled_right = (np.diff(side.indptr) > 0 for side in (one, other))
        in_left, in_right = filled_right @ one, filled_left @ other
        return lefts, both.indices, both.data, in_left, in_right

    def add_up_pairs(
        self,
        left: tuple[NumpyArray, NumpyArray],
        right: tuple[NumpyArray, NumpyArray],
        weight: NumpyArray,
        n_columns: int,
    ) -> tuple[NumpyArray, NumpyArray, NumpyArray]:
        shape, ones = (len(weight), n_columns), np.ones(len(right[0]))
        weighted = sp.csr_array((weight[left[0]], left), shape=shape)
        both = sp.csr_array(weighted.T @ sp.csr_array((ones, right), shape=shape))
        both.sort_indices()
        return np.repeat(np.arange(n_columns), np.diff(both.indptr)), both.indices, both.data

    # ---------------------------------------------------------------------- candidate tables

    def sparse_kernel(
        self, kernel: NumpyArray, index: NumpyArray, n_columns: int
    ) -> NumpySparseKernel:
        return NumpySparseKernel.of(kernel, index, n_columns)

    def excess_kernel(
        self,
        score: NumpyArray,
        index: NumpyArray,
        left_level: NumpyArray,
        right_level: NumpyArray,
        scale: float,
        least: float,
    ) -> tuple[NumpySparseKernel, NumpyArray]:
        given = score, index, left_level, right_level, scale, math.log(least)
        highest, start = np.empty(len(index)), np.zeros(len(index) + 1, np.int64)
        assignment.count_excess(*given, highest, start[1:])
        np.cumsum(start, out=start)
        lists = np.empty(start[-1], np.int32), np.empty(start[-1], np.int32), np.empty(start[-1])
        assignment.list_excess(*given, highest, start, *lists)
        kernel = NumpySparseKernel(index.shape, start, *lists, len(right_level))
        return kernel, np.exp(-highest)

    def unite(self, numbers: NumpyArray, n_bits: int) -> NumpyArray:
        united, count = np.array(numbers), np.empty(len(numbers), np.int64)
        assignment.unite_rows(united, n_bits, count)
        return united[:, : max(1, count.max(initial=0))]

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

    def fact_log_odds(
        self,
        tables: FactTables[NumpyArray],
        left: NumpyArray,
        right: NumpyArray,
        index: NumpyArray,
    ) -> NumpyArray:
        odds = np.zeros(index.shape, np.float32)
        n_parts = max(1, min(8 * current_threads(), len(index)))
        fact_log_odds(*vars(tables).values(), left, right, index, n_parts, odds)
        return odds

    def best_by_weights(
        self, terms: Sequence[NumpyArray], index: NumpyArray, weights: Sequence[Sequence[float]]
    ) -> NumpyArray:
        best = np.empty((len(weights), len(index)), np.int32)
        assignment.best_by_weights(*terms, index, np.array(weights, np.float32), best)
        return best


@dataclass(frozen=True)
class NumpySparseKernel:
    """K of a table of candidates: the entries that count, row by row."""

    shape: tuple[int, int]  # (n, k) of the table
    start: Ints  # (n + 1,)
    entry: Ints  # columns of the table
    column: Ints  # columns of K
    value: Doubles
    n_columns: int

    @classmethod
    def of(cls, kernel: Doubles, index: Ints, n_columns: int) -> NumpySparseKernel:
        """Return the entries of a table."""
        n = int(np.count_nonzero(index >= 0))
        start = np.empty(len(index) + 1, np.int64)
        lists = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n)
        assignment.list_entries(kernel, index, start, *lists)
        return cls(kernel.shape, start, *lists, n_columns)

    def scale_rows(
        self, column_scale: NumpyArray, slack: NumpyArray | float
    ) -> tuple[Doubles, Doubles]:
        """Return u = 1 / (K v + slack) and the column sums of diag(u) K.

        Each thread adds its rows into a line of its own: the result does not depend on which thread
        was first.
        """
        n_rows = self.shape[0]
        row_scale = np.zeros(n_rows)
        kept = np.full(n_rows, slack) if isinstance(slack, float) else slack
        parts = np.zeros((current_threads(), self.n_columns))
        assignment.scale_rows_and_sum_columns(
            self.start, self.column, self.value, column_scale, kept, row_scale, parts
        )
        return row_scale, parts.sum(axis=0)

    def plan(self, row_scale: NumpyArray, column_scale: NumpyArray) -> Floats:
        """Return diag(u) K diag(v); 0 where there is no candidate."""
        plan = np.zeros(self.shape, np.float32)
        lists = self.start, self.entry, self.column, self.value
        assignment.finish_assignment(*lists, row_scale, column_scale, plan)
        return plan


def _zero_one(places: tuple[NumpyArray, NumpyArray], shape: tuple[int, int]) -> sp.csr_array:
    """Return a matrix of ones at these rows and columns."""
    matrix = sp.csr_array((np.ones(len(places[0]), np.int32), places), shape=shape)
    matrix.data[:] = 1  # a place listed twice was added up
    return matrix


def _begins(count: NumpyArray) -> NumpyArray:
    """Return where lists of these lengths begin, laid end to end, and where the last ends."""
    return np.concatenate([[0], np.cumsum(count, dtype=np.int64)])


def _in_steps(value: NumpyArray) -> NumpyArray:
    """Return values as whole numbers of small steps."""
    return np.rint(value * np.float32(sets.VALUE_STEPS)).astype(np.int32)


def _table(table: NumpyArray | None) -> NumpyArray:
    """Return a table to look numbers up in; an empty one where there is none."""
    return np.asarray(_NO_COLUMN if table is None else table, np.int64)


def _plain(rows: Rows[NumpyArray]) -> NumpyRows:
    return cast(NumpyRows, rows)


PLAIN: Ops[NumpyArray] = NumpyOps()
