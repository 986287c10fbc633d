"""The array namespace of `Ops` in torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from lighttea.engines.gpu.device import Device
from lighttea.types import NumpyArray

_TYPES = {
    "float32": torch.float32,
    "float64": torch.float64,
    "int32": torch.int32,
    "int64": torch.int64,
    "uint8": torch.uint8,
    "bool": torch.bool,
}


@dataclass(frozen=True)
class TorchNamespace:
    """torch's functions under the names that all engines share."""

    device: Device

    def asarray(self, array: NumpyArray, dtype: str = "") -> torch.Tensor:
        return self.device.put(array, _TYPES[dtype] if dtype else None)

    def to_numpy(self, array: torch.Tensor) -> NumpyArray:
        plain: NumpyArray = array.detach().cpu().numpy()
        return plain

    def full(self, shape: tuple[int, ...], value: float, dtype: str) -> torch.Tensor:
        return torch.full(shape, value, dtype=_TYPES[dtype], device=self.device.where)

    def arange(self, n: int, dtype: str = "int64") -> torch.Tensor:
        return torch.arange(n, dtype=_TYPES[dtype], device=self.device.where)

    def astype(self, array: torch.Tensor, dtype: str) -> torch.Tensor:
        return torch.as_tensor(array, dtype=_TYPES[dtype], device=self.device.where)

    def copy(self, array: torch.Tensor) -> torch.Tensor:
        return array.clone(memory_format=torch.contiguous_format)

    def where(
        self, condition: torch.Tensor, chosen: torch.Tensor | float, other: torch.Tensor | float
    ) -> torch.Tensor:
        return torch.where(condition, chosen, other)

    def concat(self, arrays: Sequence[torch.Tensor], axis: int = 0) -> torch.Tensor:
        return arrays[0] if len(arrays) == 1 else torch.cat(list(arrays), axis)

    def exp(self, array: torch.Tensor) -> torch.Tensor:
        return array.exp()

    def log(self, array: torch.Tensor) -> torch.Tensor:
        return array.log()

    def log1p(self, array: torch.Tensor) -> torch.Tensor:
        return array.log1p()

    def sqrt(self, array: torch.Tensor) -> torch.Tensor:
        return array.sqrt()

    def clip(self, array: torch.Tensor, low: float, high: float) -> torch.Tensor:
        return array.clamp(low, high)

    def isnan(self, array: torch.Tensor) -> torch.Tensor:
        return array.isnan()

    def round(self, array: torch.Tensor, decimals: int) -> torch.Tensor:
        return array.round(decimals=decimals)

    def equal(self, array: torch.Tensor, other: torch.Tensor | float) -> torch.Tensor:
        return array.eq(other)

    def row_max(self, table: torch.Tensor) -> torch.Tensor:
        if not table.shape[1]:
            return table.new_full((len(table), 1), -math.inf)
        return table.amax(1, keepdim=True)

    def row_argmin(self, table: torch.Tensor) -> torch.Tensor:
        return table.argmin(1)

    def sort(self, array: torch.Tensor) -> torch.Tensor:
        return array.sort(dim=-1, descending=True).values

    def argsort(self, array: torch.Tensor, *, falling: bool = False) -> torch.Tensor:
        return torch.argsort(array, dim=-1, descending=falling, stable=True)

    def top_columns(self, table: torch.Tensor, k: int) -> torch.Tensor:
        return table.topk(k, dim=1, sorted=False).indices

    def take_along_rows(self, table: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        return table.gather(1, columns)

    def cumsum(self, array: torch.Tensor) -> torch.Tensor:
        dtype = torch.float64 if array.is_floating_point() else torch.int64
        return torch.cumsum(array, 0, dtype=dtype)

    def repeat(self, array: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        repeated: torch.Tensor = torch.repeat_interleave(array, counts)
        return repeated

    def unique(self, array: torch.Tensor) -> torch.Tensor:
        distinct: torch.Tensor = torch.unique(array)
        return distinct

    def number(self, array: torch.Tensor) -> tuple[int, torch.Tensor]:
        distinct, number = torch.unique(array, return_inverse=True)
        return len(distinct), number

    def bincount(
        self, array: torch.Tensor, n: int, weights: torch.Tensor | None = None
    ) -> torch.Tensor:
        if weights is not None and not len(array):
            return self.full((n,), 0.0, "float64")  # torch counts nothing in whole numbers
        return torch.bincount(array, None if weights is None else weights.double(), minlength=n)

    def sum_runs(self, values: torch.Tensor, begin: torch.Tensor) -> torch.Tensor:
        length = torch.diff(begin, append=begin.new_tensor([len(values)]))
        return torch.segment_reduce(values, "sum", lengths=length, unsafe=True)

    def isin(self, array: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
        return torch.isin(array, others)

    def searchsorted(self, rising: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return torch.searchsorted(rising, values.to(rising.dtype))

    def group(self, key: torch.Tensor, n: int) -> tuple[torch.Tensor, torch.Tensor]:
        sorted_keys, order = torch.sort(key, stable=True)
        every = torch.arange(n + 1, device=key.device, dtype=key.dtype)
        return order, torch.searchsorted(sorted_keys, every)

    def nonzero(self, mask: torch.Tensor) -> torch.Tensor:
        return torch.nonzero(mask).reshape(-1)
