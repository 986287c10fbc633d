"""Sums and best entries over tables of candidates on the device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from lighttea.engines.gpu.device import Device, blocks
from lighttea.engines.gpu.ragged import segment_sums
from lighttea.kernels.assignment import SCORE_TIE


@dataclass(frozen=True)
class Columns:
    """The entries of a table in the order of their columns."""

    order: torch.Tensor  # flat places, the empty ones left out
    length: torch.Tensor  # (n_columns,)
    index: torch.Tensor  # (n, k) with 0 for the empty ones

    @classmethod
    def of(cls, index: torch.Tensor, n_columns: int) -> Columns:
        """Return the order, sorted once for all sums."""
        flat = torch.where(index >= 0, index, n_columns).reshape(-1)
        rising, order = torch.sort(flat, stable=True)
        every = torch.arange(n_columns + 1, dtype=flat.dtype, device=flat.device)
        start = torch.searchsorted(rising, every)
        return cls(order[: int(start[-1])], start[1:] - start[:-1], index.clamp_min(0).long())

    def sums(self, values: torch.Tensor) -> torch.Tensor:
        """Return the sum of each column, (n_columns,)."""
        return segment_sums(values.reshape(-1)[self.order], self.length)


@dataclass(frozen=True)
class TorchSparseKernel:
    """K of a table of candidates: 0 where there is none."""

    kernel: torch.Tensor  # (n, k) float64
    columns: Columns

    def scale_rows(
        self, column_scale: torch.Tensor, slack: torch.Tensor | float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return u = 1 / (K v + slack) and the column sums of diag(u) K."""
        sums = (self.kernel * column_scale[self.columns.index]).sum(1) + slack
        row_scale = torch.where(sums > 0, 1 / sums.clamp_min(1e-300), 0)
        return row_scale, self.columns.sums(self.kernel * row_scale[:, None])

    def plan(self, row_scale: torch.Tensor, column_scale: torch.Tensor) -> torch.Tensor:
        """Return diag(u) K diag(v)."""
        value = self.kernel * row_scale[:, None] * column_scale[self.columns.index]
        return value.to(torch.float32)


def best_of_rows(score: torch.Tensor, index: torch.Tensor, n: int) -> torch.Tensor:
    """Return the n largest positive scores of each row, falling; 0 where there are fewer."""
    positive = torch.where(index >= 0, score, 0).clamp_min(0)
    best = positive.topk(min(n, positive.shape[1]), dim=1).values
    return torch.nn.functional.pad(best, (0, n - best.shape[1]))


def best_of_columns(score: torch.Tensor, columns: Columns, n: int) -> torch.Tensor:
    """Return the n largest positive scores of each column, falling; 0 where there are fewer."""
    entries = score.reshape(-1)[columns.order]
    n_columns = len(columns.length)
    owner = torch.repeat_interleave(torch.arange(n_columns, device=score.device), columns.length)
    falling = torch.argsort(entries, descending=True, stable=True)
    order = falling[torch.argsort(owner[falling], stable=True)]
    first = torch.cumsum(columns.length, 0) - columns.length
    rank = torch.arange(len(order), device=score.device) - first[owner]
    is_kept = rank < n
    best = torch.zeros((n_columns, n), device=score.device)
    best[owner[is_kept], rank[is_kept]] = entries[order][is_kept]
    return best.clamp_min(0)


def best_by_weights(
    terms: Sequence[torch.Tensor],
    index: torch.Tensor,
    weights: Sequence[Sequence[float]],
    device: Device,
) -> torch.Tensor:
    """Return the place of each row's best candidate, (n_weights, n); -1 where there is none."""
    n_rows = len(index)
    best = torch.empty((len(weights), n_rows), dtype=torch.int32, device=index.device)
    last = torch.iinfo(torch.int32).max
    for rows in blocks(n_rows, device.rows(40 * max(1, index.shape[1]), n_rows or 1)):
        label, time, consensus, likelihood = (term[rows] for term in terms)
        is_empty, is_unknown = index[rows] < 0, time.isnan()
        for number, own in enumerate(weights):
            known = own[0] * label + own[1] * time + own[2] * consensus
            score = torch.where(is_unknown, own[3] * label + own[4] * consensus, known)
            score = (score + own[5] * likelihood).masked_fill(is_empty, -math.inf)
            is_best = score >= score.amax(1, keepdim=True) - SCORE_TIE
            best[number, rows] = index[rows].masked_fill(~is_best, last).amin(1)
    return best
