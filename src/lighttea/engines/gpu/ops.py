"""`Ops` of one device: torch, with the primitives of the modules beside this one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import torch

from lighttea.engines.gpu import candidates, search
from lighttea.engines.gpu import tokens as token_sets
from lighttea.engines.gpu.candidates import TorchSparseKernel
from lighttea.engines.gpu.device import blocks
from lighttea.engines.gpu.likelihood import fact_log_odds
from lighttea.engines.gpu.namespace import TorchNamespace
from lighttea.engines.gpu.ragged import Lists, overlaps, run_sums
from lighttea.engines.gpu.rows import TorchRows
from lighttea.engines.keys import token_keys
from lighttea.engines.rare_tokens import index_rare_tokens
from lighttea.engines.tables import (
    FactTables,
    NodeRows,
    RareLimits,
    Rows,
    SparseKernel,
    TokenColumns,
    TokenIndex,
    TokenLists,
    TopK,
)
from lighttea.graph.views import Incidence, View

TensorView = View[torch.Tensor]
_unchecked: Any = torch.sparse.check_sparse_tensor_invariants  # torch gives it no types
_COUPLE_BYTES = 16  # of one column of one fact, with what is made of it on the way


@dataclass(frozen=True)
class TorchOps(TorchNamespace):
    """Tensors on one device; blocks are as large as its free memory lets them be."""

    keeps_facts = True
    block_rows = 1 << 40  # the device has room for all
    n_tasks = 1
    _columns: list[tuple[torch.Tensor, candidates.Columns]] = field(default_factory=list)

    # ------------------------------------------------------------------------ label products

    def empty_rows(self, n_rows: int, width: int, n_parts: int, *, compact: bool) -> TorchRows:
        return TorchRows.empty(n_rows, width, n_parts, self.device.where)

    def join_rows(self, blocks: Sequence[Rows[torch.Tensor]]) -> TorchRows:
        return TorchRows.join([_rows(block) for block in blocks])

    def spread_rows(
        self, rows: Rows[torch.Tensor], nodes: Sequence[torch.Tensor], n_nodes: int
    ) -> NodeRows[torch.Tensor]:
        dense = TorchRows.empty(n_nodes, rows.n_columns, 1, self.device.where)
        dense.values.zero_()
        for some in nodes:
            dense.values[some] = _rows(rows).values
            dense.scale[some] = rows.scale
        return NodeRows(self.arange(n_nodes, "int32"), dense)

    def unit_rows(self, rows: torch.Tensor) -> torch.Tensor:
        length = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
        return torch.where(length > 0, rows / length.clamp_min(1e-30), 0)

    def sparse_product(
        self, view: TensorView, labels: NodeRows[torch.Tensor], begin: int, out: torch.Tensor
    ) -> None:
        with _unchecked(enable=False):  # and without a warning that it is
            out += _matrix(view, begin, len(out)) @ _rows(labels.rows).values

    def add_neighbour_products(
        self,
        incidence: Incidence[torch.Tensor],
        begin: int,
        labels: NodeRows[torch.Tensor],
        length: torch.Tensor,
        others: torch.Tensor,
        out: torch.Tensor,
    ) -> None:
        scaled = _rows(labels.rows).values * length[:, None]
        start = incidence.start[begin : begin + len(out) + 1]
        length_of_row = start[1:] - start[:-1]
        fit = self.device.rows(_COUPLE_BYTES * out.shape[1], len(incidence.neighbour))
        n_all, n_couples = len(incidence.start) - 1, len(incidence.neighbour)
        for rows, couples in self._couple_blocks(start, n_all, fit, n_couples):
            product = scaled[incidence.neighbour[couples]]
            product *= others[incidence.other[couples]]
            out[rows] += torch.segment_reduce(
                product, "sum", lengths=length_of_row[rows], axis=0, initial=0, unsafe=True
            )

    def _couple_blocks(
        self, start: torch.Tensor, n_all: int, fit: int, n_couples: int
    ) -> Iterator[tuple[slice, slice]]:
        """Yield rows, and their couples, of which so many fit at a time."""
        n_rows = len(start) - 1
        if fit >= n_couples and n_rows == n_all:
            yield slice(0, n_rows), slice(0, n_couples)  # without asking the device
            return
        starts, first = self.to_numpy(start), 0
        while first < n_rows:
            end = int(np.searchsorted(starts, starts[first] + fit, side="right")) - 1
            end = min(max(end, first + 1), n_rows)
            yield slice(first, end), slice(int(starts[first]), int(starts[end]))
            first = end

    def whitening_matrix(self, sample: torch.Tensor) -> torch.Tensor:
        square = sample.T @ sample / max(1, len(sample))
        variance, axes = torch.linalg.eigh(square.double())  # a third of the time of float32
        floor = max(float(variance[-1]) * 1e-6, 1e-30)
        scaled: torch.Tensor = axes * (variance.clamp_min(0) + floor) ** -0.25
        matrix: torch.Tensor = (scaled @ axes.T).float()
        return matrix

    def dots(
        self,
        left: Rows[torch.Tensor],
        right: Rows[torch.Tensor],
        rows: torch.Tensor,
        index: torch.Tensor,
        n_parts: int | None = None,
    ) -> torch.Tensor:
        left_rows, right_rows = _rows(left), _rows(right)
        width = left_rows.n_columns // left_rows.scale.shape[1]
        columns = slice(0, left_rows.n_columns if n_parts is None else n_parts * width)
        return self.row_dots(
            left_rows.values[:, columns], right_rows.values[:, columns], rows, index
        )

    def row_dots(
        self, left: torch.Tensor, right: torch.Tensor, rows: torch.Tensor, index: torch.Tensor
    ) -> torch.Tensor:
        """Return the inner products of left[rows[i]] and right[index[i, c]], 0 at -1."""
        return search.dots(left, right, rows, index, self.device)

    def look_up(
        self, known: TopK[torch.Tensor], index: torch.Tensor, n_right: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.zeros(index.shape, device=index.device), index

    def top_k(
        self, left: Rows[torch.Tensor], right: Rows[torch.Tensor], k: int, asking: torch.Tensor
    ) -> TopK[torch.Tensor]:
        return search.top_k(_rows(left), _rows(right), k, asking, self.device)

    # -------------------------------------------------------------------------------- sets

    def multiset_dice(
        self, left: TensorView, right: TensorView, index: torch.Tensor
    ) -> torch.Tensor:
        own, other = (Lists(v.start, v.columns, v.weights, v.n_columns) for v in (left, right))
        shared = self.list_overlaps(own, other, index)
        own_size, other_size = (
            run_sums(lists.value, lists.counts()).to(torch.float32) for lists in (own, other)
        )
        total = own_size[:, None] + (theirs := other_size[index.clamp_min(0)])
        is_known = (own_size > 0)[:, None] & (theirs > 0) & (index >= 0)
        return torch.where(is_known, 2 * shared / total.clamp_min(1e-30), torch.nan)

    def list_overlaps(self, own: Lists, other: Lists, index: torch.Tensor) -> torch.Tensor:
        """Return the size of what list i and list index[i, c] of others share, (n, k)."""
        return overlaps(own, other, index, self.device, smaller=True)

    def token_keys(self, columns: TokenColumns[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        return token_keys(self, columns)

    def list_lengths(
        self, start: torch.Tensor, token: torch.Tensor, weight: torch.Tensor
    ) -> torch.Tensor:
        return run_sums(weight[token].double(), start[1:] - start[:-1]).sqrt().float()

    def keep_shared(
        self, tokens: TokenLists[torch.Tensor], n_first: int
    ) -> TokenLists[torch.Tensor]:
        return token_sets.keep_shared(tokens, n_first)

    def number_tokens(
        self, n_nodes: int, node: torch.Tensor, key: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return token_sets.number_tokens(n_nodes, node, key)

    def add_token_cosines(
        self,
        tokens: TokenLists[torch.Tensor],
        left: torch.Tensor,
        right: torch.Tensor,
        index: torch.Tensor,
        factor: float,
        out: torch.Tensor,
    ) -> None:
        shared = self.token_overlaps(tokens, left, right, index)
        length = tokens.length[left][:, None] * tokens.length[right[index.clamp_min(0)]]
        out += torch.where(length > 0, factor * shared / length.clamp_min(1e-30), 0)

    def token_overlaps(
        self,
        tokens: TokenLists[torch.Tensor],
        left: torch.Tensor,
        right: torch.Tensor,
        index: torch.Tensor,
    ) -> torch.Tensor:
        """Return what the tokens that left[i] and right[index[i, c]] share weigh, (n, k)."""
        return token_sets.token_overlaps(tokens, left, right, index, self.device)

    def index_rare_tokens(
        self,
        kinds: Sequence[tuple[TokenLists[torch.Tensor], float]],
        left: torch.Tensor,
        right: torch.Tensor,
        limits: RareLimits,
    ) -> TokenIndex[torch.Tensor]:
        return index_rare_tokens(self, kinds, left, right, limits)

    def suggest_by_tokens(self, tokens: TokenIndex[torch.Tensor], k: int) -> torch.Tensor:
        return token_sets.suggest_by_tokens(tokens, k, self.device)

    def count_pairs(
        self,
        left: tuple[torch.Tensor, torch.Tensor],
        right: tuple[torch.Tensor, torch.Tensor],
        shape: tuple[int, int],
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        return token_sets.count_pairs(left, right, shape)

    def add_up_pairs(
        self,
        left: tuple[torch.Tensor, torch.Tensor],
        right: tuple[torch.Tensor, torch.Tensor],
        weight: torch.Tensor,
        n_columns: int,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return token_sets.add_up_pairs(left, right, weight, n_columns)

    # ---------------------------------------------------------------------- candidate tables

    def sparse_kernel(
        self, kernel: torch.Tensor, index: torch.Tensor, n_columns: int
    ) -> TorchSparseKernel:
        return TorchSparseKernel(kernel, self._columns_of(index, n_columns))

    def excess_kernel(
        self,
        score: torch.Tensor,
        index: torch.Tensor,
        left_level: torch.Tensor,
        right_level: torch.Tensor,
        scale: float,
        least: float,
    ) -> tuple[SparseKernel[torch.Tensor], torch.Tensor]:
        kernel = torch.zeros(index.shape, dtype=torch.float64, device=index.device)
        shrunk = torch.zeros(len(index), dtype=torch.float64, device=index.device)
        fit = self.device.rows(40 * max(1, index.shape[1]), len(index))
        for rows in blocks(len(index), fit):
            place = index[rows]
            level = (left_level[rows, None] + right_level[place.clamp_min(0)]) / 2
            excess = torch.where(place >= 0, (score[rows] - level) / scale, -torch.inf)
            highest = excess.amax(1, keepdim=True).clamp_min(0)
            kernel[rows], shrunk[rows] = (excess - highest).exp(), (-highest[:, 0]).exp()
        return self.sparse_kernel(kernel, index, len(right_level)), shrunk

    def unite(self, numbers: torch.Tensor, n_bits: int) -> torch.Tensor:
        upper, bits = numbers >> n_bits, numbers & ((1 << n_bits) - 1)
        for step in range(1, n_bits):  # the first of equal ones takes the bits of the others
            is_same = upper[:, step:] == upper[:, :-step]
            later = numbers[:, step:] & ((1 << n_bits) - 1)
            bits[:, :-step] |= torch.where(is_same, later, 0)
        kept = torch.where(numbers >= 0, upper << n_bits | bits, -1)
        kept[:, 1:][upper[:, 1:] == upper[:, :-1]] = -1
        kept = self.sort(kept)
        width = max(1, int((kept >= 0).sum(1).max())) if len(kept) else 1
        return kept[:, :width]

    def _columns_of(self, index: torch.Tensor, n_columns: int) -> candidates.Columns:
        """Return the order of a table by column; that of the last table is kept."""
        for table, columns in self._columns:
            if table is index and len(columns.length) == n_columns:
                return columns
        self._columns[:] = [(index, candidates.Columns.of(index, n_columns))]
        return self._columns[0][1]

    def best_of_rows(self, score: torch.Tensor, index: torch.Tensor, n: int) -> torch.Tensor:
        return candidates.best_of_rows(score, index, n)

    def best_of_columns(
        self, score: torch.Tensor, index: torch.Tensor, n_columns: int, n: int
    ) -> torch.Tensor:
        return candidates.best_of_columns(score, self._columns_of(index, n_columns), n)

    def fact_log_odds(
        self,
        tables: FactTables[torch.Tensor],
        left: torch.Tensor,
        right: torch.Tensor,
        index: torch.Tensor,
    ) -> torch.Tensor:
        return fact_log_odds(tables, left, right, index, self.device)

    def best_by_weights(
        self,
        terms: Sequence[torch.Tensor],
        index: torch.Tensor,
        weights: Sequence[Sequence[float]],
    ) -> torch.Tensor:
        return candidates.best_by_weights(terms, index, weights, self.device)

    def forget(self) -> None:
        """Let go of what was kept for later calls."""
        self._columns.clear()


def _rows(rows: Rows[torch.Tensor]) -> TorchRows:
    return cast(TorchRows, rows)


def _matrix(view: TensorView, begin: int, n_rows: int) -> torch.Tensor:
    """Return some rows of a view as a sparse matrix of torch."""
    start, columns, weights = view.start, view.columns, view.weights
    if n_rows < len(start) - 1:
        start = start[begin : begin + n_rows + 1]
        here = slice(int(start[0]), int(start[-1]))
        start, columns, weights = start - start[0], columns[here], weights[here]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            start.to(columns.dtype),
            columns,
            weights,
            size=(n_rows, view.n_columns),
            check_invariants=False,
        )
