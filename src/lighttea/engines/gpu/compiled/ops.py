"""`Ops` of a GPU for which kernels can be compiled."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from lighttea.engines.gpu.compiled.alternations import CompiledSparseKernel
from lighttea.engines.gpu.compiled.likelihood import fact_log_odds
from lighttea.engines.gpu.compiled.overlaps import overlaps
from lighttea.engines.gpu.compiled.products import dots
from lighttea.engines.gpu.compiled.suggestions import suggest_by_tokens
from lighttea.engines.gpu.device import Device
from lighttea.engines.gpu.ops import TorchOps
from lighttea.engines.gpu.ragged import Lists
from lighttea.engines.tables import FactTables, TokenIndex, TokenLists


@dataclass(frozen=True)
class CompiledOps(TorchOps):
    """Primitives by kernels where torch needs many launches; all else as torch does it."""

    def list_overlaps(self, own: Lists, other: Lists, index: torch.Tensor) -> torch.Tensor:
        return overlaps(
            own, other, index, self.arange(len(index)), self.arange(len(other.start) - 1),
            smaller=True,
        )  # fmt: skip

    def token_overlaps(
        self,
        tokens: TokenLists[torch.Tensor],
        left: torch.Tensor,
        right: torch.Tensor,
        index: torch.Tensor,
    ) -> torch.Tensor:
        lists = Lists(tokens.start, tokens.token, tokens.weight[tokens.token], tokens.n_tokens)
        return overlaps(lists, lists, index, left, right, smaller=False)

    def suggest_by_tokens(self, tokens: TokenIndex[torch.Tensor], k: int) -> torch.Tensor:
        return suggest_by_tokens(tokens, k, self.device)

    def fact_log_odds(
        self,
        tables: FactTables[torch.Tensor],
        left: torch.Tensor,
        right: torch.Tensor,
        index: torch.Tensor,
    ) -> torch.Tensor:
        return fact_log_odds(tables, left, right, index)

    def row_dots(
        self, left: torch.Tensor, right: torch.Tensor, rows: torch.Tensor, index: torch.Tensor
    ) -> torch.Tensor:
        return dots(left, right, rows, index)

    def sparse_kernel(
        self, kernel: torch.Tensor, index: torch.Tensor, n_columns: int
    ) -> CompiledSparseKernel:
        return CompiledSparseKernel(kernel, self._columns_of(index, n_columns))


def try_to_compile(device: Device) -> None:
    """Run the smallest kernel once; an exception says that there is no compiler."""
    ops = CompiledOps(device)
    one_item = Lists(ops.arange(2), ops.arange(1), ops.full((1,), 1.0, "float32"), 1)
    ops.list_overlaps(one_item, one_item, ops.full((1, 1), 0, "int32"))
