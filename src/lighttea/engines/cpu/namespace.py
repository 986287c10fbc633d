"""The array namespace of `Ops` in numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lighttea.graph.pair import distinct_numbers
from lighttea.kernels import sets
from lighttea.types import NumpyArray


class NumpyNamespace:
    """numpy's functions under the names that all engines share."""

    def asarray(self, array: NumpyArray, dtype: str = "") -> NumpyArray:
        return np.asarray(array, dtype or None)

    def to_numpy(self, array: NumpyArray) -> NumpyArray:
        return array

    def full(self, shape: tuple[int, ...], value: float, dtype: str) -> NumpyArray:
        return np.full(shape, value, dtype)

    def arange(self, n: int, dtype: str = "int64") -> NumpyArray:
        return np.arange(n, dtype=dtype)

    def astype(self, array: NumpyArray, dtype: str) -> NumpyArray:
        return np.asarray(array).astype(dtype, copy=False)

    def copy(self, array: NumpyArray) -> NumpyArray:
        return np.array(array, order="C")

    def where(
        self, condition: NumpyArray, chosen: NumpyArray | float, other: NumpyArray | float
    ) -> NumpyArray:
        if isinstance(chosen, np.ndarray) and not isinstance(other, np.ndarray):
            return np.where(condition, chosen, chosen.dtype.type(other))
        if isinstance(other, np.ndarray) and not isinstance(chosen, np.ndarray):
            return np.where(condition, other.dtype.type(chosen), other)
        return np.where(condition, chosen, other)

    def concat(self, arrays: Sequence[NumpyArray], axis: int = 0) -> NumpyArray:
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis)

    def exp(self, array: NumpyArray) -> NumpyArray:
        return np.asarray(np.exp(array))

    def log(self, array: NumpyArray) -> NumpyArray:
        return np.asarray(np.log(array))

    def log1p(self, array: NumpyArray) -> NumpyArray:
        return np.asarray(np.log1p(array))

    def sqrt(self, array: NumpyArray) -> NumpyArray:
        return np.asarray(np.sqrt(array))

    def clip(self, array: NumpyArray, low: float, high: float) -> NumpyArray:
        return np.asarray(np.clip(array, low, high))

    def isnan(self, array: NumpyArray) -> NumpyArray:
        return np.isnan(array)

    def round(self, array: NumpyArray, decimals: int) -> NumpyArray:
        return np.asarray(np.round(array, decimals))

    def equal(self, array: NumpyArray, other: NumpyArray | float) -> NumpyArray:
        return np.asarray(array == other)

    def row_max(self, table: NumpyArray) -> NumpyArray:
        return np.asarray(table.max(axis=1, keepdims=True, initial=-np.inf))

    def row_argmin(self, table: NumpyArray) -> NumpyArray:
        return np.asarray(table.argmin(axis=1))

    def sort(self, array: NumpyArray) -> NumpyArray:
        falling = np.negative(array)
        falling.sort(axis=-1)
        return np.negative(falling, out=falling)

    def argsort(self, array: NumpyArray, *, falling: bool = False) -> NumpyArray:
        return np.argsort(-array if falling else array, axis=-1, kind="stable")

    def top_columns(self, table: NumpyArray, k: int) -> NumpyArray:
        return np.argpartition(-table, max(0, k - 1), axis=1)[:, :k]

    def take_along_rows(self, table: NumpyArray, columns: NumpyArray) -> NumpyArray:
        return np.take_along_axis(table, columns, 1)

    def cumsum(self, array: NumpyArray) -> NumpyArray:
        is_float = array.dtype.kind == "f"
        return np.cumsum(array, dtype=np.float64 if is_float else np.int64)

    def repeat(self, array: NumpyArray, counts: NumpyArray) -> NumpyArray:
        return np.repeat(array, counts)

    def unique(self, array: NumpyArray) -> NumpyArray:
        return distinct_numbers(array)

    def number(self, array: NumpyArray) -> tuple[int, NumpyArray]:
        distinct, number = np.empty(len(array), np.int64), np.empty(len(array), np.int64)
        slots = np.full(2 << len(array).bit_length(), -1, np.int32)
        return sets.number_keys(np.asarray(array, np.int64), slots, distinct, number), number

    def bincount(self, array: NumpyArray, n: int, weights: NumpyArray | None = None) -> NumpyArray:
        counts = np.bincount(array, weights, n)  # whole numbers if the array is empty
        return counts if weights is None else counts.astype(np.float64, copy=False)

    def sum_runs(self, values: NumpyArray, begin: NumpyArray) -> NumpyArray:
        return np.asarray(np.add.reduceat(values, begin))

    def isin(self, array: NumpyArray, others: NumpyArray) -> NumpyArray:
        rising = distinct_numbers(others)
        if not len(rising):
            return np.zeros(len(array), bool)
        place = np.minimum(np.searchsorted(rising, array), len(rising) - 1)
        return np.asarray(rising[place] == array)

    def searchsorted(self, rising: NumpyArray, values: NumpyArray) -> NumpyArray:
        return np.searchsorted(rising, values)

    def group(self, key: NumpyArray, n: int) -> tuple[NumpyArray, NumpyArray]:
        order, start = np.empty(len(key), np.int64), np.zeros(n + 1, np.int64)
        sets.group(key, start, order)
        return order, start

    def nonzero(self, mask: NumpyArray) -> NumpyArray:
        return np.flatnonzero(mask)
