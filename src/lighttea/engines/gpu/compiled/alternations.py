"""One step of the Sinkhorn operator in two launches: rows, then columns in their own order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
import triton
import triton.language as tl

from lighttea.engines.gpu.candidates import TorchSparseKernel

_TILE = 1024  # entries that a program adds up at a time


@dataclass(frozen=True)
class CompiledSparseKernel(TorchSparseKernel):
    """K of a table of candidates; sums are made in the same order every time."""

    @cached_property
    def _by_column(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return where each column begins, and row and value of its entries."""
        start = torch.nn.functional.pad(torch.cumsum(self.columns.length, 0), (1, 0))
        row = torch.div(self.columns.order, self.kernel.shape[1], rounding_mode="floor")
        return start, row.to(torch.int32), self.kernel.reshape(-1)[self.columns.order]

    def scale_rows(
        self, column_scale: torch.Tensor, slack: torch.Tensor | float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return u = 1 / (K v + slack) and the column sums of diag(u) K."""
        (n_rows, k), n_columns = self.kernel.shape, len(self.columns.length)
        left_over = torch.as_tensor(slack, dtype=torch.float64, device=self.kernel.device)
        row_scale, sums = self.kernel.new_zeros(n_rows), self.kernel.new_zeros(n_columns)
        if n_rows and k:
            width = triton.next_power_of_2(k)
            at_once = max(1, _TILE // width)
            _scale_rows[(triton.cdiv(n_rows, at_once),)](
                self.kernel, self.columns.index, column_scale.contiguous(),
                left_over.expand(n_rows).contiguous(), row_scale, n_rows, k, at_once, width,
            )  # fmt: skip
        start, row, value = self._by_column
        if len(row):
            width = min(_TILE // 4, triton.next_power_of_2(1 + len(row) // n_columns))
            at_once = _TILE // width
            _sum_columns[(triton.cdiv(n_columns, at_once),)](
                start, row, value, row_scale, sums, n_columns, at_once, width
            )
        return row_scale, sums


@triton.jit(do_not_specialize=["n_rows", "k"])
def _scale_rows(
    kernel,
    index,
    column_scale,
    slack,
    row_scale,
    n_rows,
    k,
    at_once: tl.constexpr,
    width: tl.constexpr,
):
    """Some rows: what brings each, and what it keeps back, to a sum of one."""
    row = tl.program_id(0).to(tl.int64) * at_once + tl.arange(0, at_once)
    column = tl.arange(0, width)
    is_entry = (row < n_rows)[:, None] & (column < k)[None, :]
    at = row[:, None] * k + column[None, :]
    value = tl.load(kernel + at, mask=is_entry, other=0.0)
    place = tl.load(index + at, mask=is_entry, other=0).to(tl.int64)
    value *= tl.load(column_scale + place, mask=is_entry, other=0.0)
    total = tl.sum(value, 1) + tl.load(slack + row, mask=row < n_rows, other=0.0)
    scale = tl.where(total > 0, 1 / tl.maximum(total, 1e-300), 0.0)
    tl.store(row_scale + row, scale, mask=row < n_rows)


@triton.jit(do_not_specialize=["n_columns"])
def _sum_columns(
    start,
    entry_row,
    entry_value,
    row_scale,
    sums,
    n_columns,
    at_once: tl.constexpr,
    width: tl.constexpr,
):
    """Some columns: the sum of their entries, each times what its row is scaled by."""
    column = tl.program_id(0).to(tl.int64) * at_once + tl.arange(0, at_once)
    first = tl.load(start + column, mask=column < n_columns, other=0).to(tl.int64)
    last = tl.load(start + column + 1, mask=column < n_columns, other=0).to(tl.int64)
    total = tl.zeros((at_once,), tl.float64)
    longest = tl.max(last - first)
    offset = longest * 0
    while offset < longest:
        at = first[:, None] + offset + tl.arange(0, width)[None, :]
        is_entry = at < last[:, None]
        row = tl.load(entry_row + at, mask=is_entry, other=0).to(tl.int64)
        value = tl.load(entry_value + at, mask=is_entry, other=0.0)
        scale = tl.load(row_scale + row, mask=is_entry, other=0.0)
        total += tl.sum(value * scale, 1)
        offset += width
    tl.store(sums + column, total, mask=column < n_columns)
