"""The compiled loops of the CPU engine. Each has a slow reference in the tests.

All take plain arrays and fill or return plain arrays; none knows of sides, graphs or equations.
`fastmath` is limited to what keeps infinities and NaN meaningful.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from lighttea.types import Doubles, Floats, Ints

_FAST = {"contract", "reassoc", "arcp", "nsz"}
_STRIDE = 64  # entries looked at between two checks whether a buffer is full


def _parallel(function: Any) -> Any:
    return nb.njit(parallel=True, cache=True, fastmath=_FAST, nogil=True)(function)


@_parallel
def add_product(start: Ints, columns: Ints, weights: Floats, dense: Floats, out: Floats) -> None:
    """Sparse times dense, added to out: out[i] += sum_j weights[i, j] * dense[j]."""
    for i in nb.prange(len(start) - 1):
        for position in range(start[i], start[i + 1]):
            row, weight = columns[position], weights[position]
            for d in range(out.shape[1]):
                out[i, d] += weight * dense[row, d]


@_parallel
def normalise_rows(rows: Floats) -> None:
    """Scale each row to length one in place; a zero row stays zero."""
    for i in nb.prange(rows.shape[0]):
        square = np.float32(0)
        for d in range(rows.shape[1]):
            square += rows[i, d] * rows[i, d]
        if square > 0:
            scale = np.float32(1) / np.sqrt(square)
            for d in range(rows.shape[1]):
                rows[i, d] *= scale


@_parallel
def nonzero_rows(rows: Floats) -> Floats:
    """1 for a row with an entry other than zero, else 0."""
    out = np.zeros(rows.shape[0], np.float32)
    for i in nb.prange(rows.shape[0]):
        for d in range(rows.shape[1]):
            if rows[i, d] != 0:
                out[i] = 1
                break
    return out


@_parallel
def sum_of_products(
    start: Ints, left: Ints, right: Ints, left_rows: Floats, right_rows: Floats, out: Floats
) -> None:
    """out[i] = sum over i's couples (l, r) of left_rows[l] * right_rows[r], element by element."""
    for i in nb.prange(len(start) - 1):
        for d in range(out.shape[1]):
            out[i, d] = 0
        for position in range(start[i], start[i + 1]):
            a, b = left[position], right[position]
            for d in range(out.shape[1]):
                out[i, d] += left_rows[a, d] * right_rows[b, d]


@nb.njit(cache=True, nogil=True)
def _keep_largest(values: Floats, places: Ints, filled: int, k: int) -> None:
    """Partition the first `filled` entries so that the k largest stand first (quickselect)."""
    low, high = 0, filled - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                places[i], places[j] = places[j], places[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return


@nb.njit(cache=True, nogil=True)
def _append_above(
    row: Floats, offset: int, floor: float, count: int, values: Floats, places: Ints
) -> tuple[int, float]:
    """Append the entries above the floor, cutting the buffer to its k best when it is full.

    Every entry is written and the end of the buffer moves on only for those that stay: no branch
    for the processor to guess. The buffer has room for 2k entries and one stride more.
    """
    k = (len(values) - _STRIDE) // 2
    for begin in range(0, len(row), _STRIDE):
        for j in range(begin, min(begin + _STRIDE, len(row))):
            values[count] = row[j]
            places[count] = offset + j
            count += row[j] > floor
        if count >= 2 * k:
            _keep_largest(values, places, count, k)
            floor = values[:k].min()
            count = k
    return count, floor


@nb.njit(cache=True, nogil=True)
def _likely_floor(row: Floats, k: int, scratch: Floats, places: Ints) -> float:
    """A value that a little more than k entries of the row should exceed, from a sample of it."""
    step = max(1, len(row) // 256)
    size = 0
    for j in range(0, len(row), step):
        scratch[size] = row[j]
        size += 1
    wanted = min(size, int(1.25 * k * size / len(row)) + 8)
    _keep_largest(scratch, places, size, wanted)
    return scratch[:wanted].min() if wanted < size else -np.inf


@_parallel
def select_largest(block: Floats, offset: int, values: Floats, places: Ints, filled: Ints) -> None:
    """Merge a block of scores into each row's buffer, which keeps at least its k best.

    The first block starts from a floor guessed from a sample; if fewer than k entries exceed it
    the row is done again without, so the result is exact.
    """
    k = (values.shape[1] - _STRIDE) // 2
    for i in nb.prange(block.shape[0]):
        count, floor = filled[i], -np.inf
        if count == 0 and block.shape[1] >= 4 * k:
            scratch, at = np.empty(513, np.float32), np.empty(513, np.int32)
            floor = _likely_floor(block[i], k, scratch, at)
            count, floor = _append_above(block[i], offset, floor, 0, values[i], places[i])
            if count >= k:
                filled[i] = count
                continue
            count, floor = 0, -np.inf
        elif count >= k:
            _keep_largest(values[i], places[i], count, k)
            floor = values[i, :k].min()
            count = k
        filled[i], _ = _append_above(block[i], offset, floor, count, values[i], places[i])


@_parallel
def finish_largest(values: Floats, places: Ints, filled: Ints) -> None:
    """Cut each buffer to its k best, in no order."""
    k = (values.shape[1] - _STRIDE) // 2
    for i in nb.prange(values.shape[0]):
        if filled[i] > k:
            _keep_largest(values[i], places[i], filled[i], k)
            filled[i] = k


def selection_buffers(n_rows: int, k: int) -> tuple[Floats, Ints, Ints]:
    """values, places and how much of them is filled, for `select_largest`."""
    width = 2 * k + _STRIDE
    values, places = np.empty((n_rows, width), np.float32), np.empty((n_rows, width), np.int32)
    return values, places, np.zeros(n_rows, np.int64)


@_parallel
def multiset_dice(
    start: Ints,
    columns: Ints,
    counts: Floats,
    n_columns: int,
    left: Ints,
    right: Ints,
    index: Ints,
    n_parts: int,
    out: Floats,
) -> None:
    """out[i, c] = 2 |A & B| / (|A| + |B|) of the multisets at rows left[i] and right[index[i, c]].

    NaN where one of them is empty or there is no candidate. The rows are dealt out to `n_parts`
    parts, each with a dense scratch row of its own.
    """
    for part in nb.prange(n_parts):
        mine = np.zeros(n_columns, np.float32)
        for i in range(part, len(left), n_parts):
            begin, end = start[left[i]], start[left[i] + 1]
            own = np.float32(0)
            for position in range(begin, end):
                mine[columns[position]] = counts[position]
                own += counts[position]
            for c in range(index.shape[1]):
                shared, other = np.float32(0), np.float32(0)
                if index[i, c] >= 0 and end > begin:
                    row = right[index[i, c]]
                    for position in range(start[row], start[row + 1]):
                        shared += min(mine[columns[position]], counts[position])
                        other += counts[position]
                out[i, c] = 2 * shared / (own + other) if other > 0 else np.nan
            for position in range(begin, end):
                mine[columns[position]] = 0


@_parallel
def scale_rows_and_sum_columns(
    kernel: Doubles, index: Ints, column_scale: Doubles, row_scale: Doubles, sums: Doubles
) -> None:
    """One half of Sinkhorn: row_scale = 1 / (kernel @ column_scale); sums of what results.

    `sums` is (n_parts, n_columns); each part adds its rows into its own line, so that the result
    does not depend on which thread was first.
    """
    n_parts = sums.shape[0]
    n_rows, k = kernel.shape
    for part in nb.prange(n_parts):
        for i in range(part * n_rows // n_parts, (part + 1) * n_rows // n_parts):
            total = 0.0
            for c in range(k):
                if index[i, c] >= 0:
                    total += kernel[i, c] * column_scale[index[i, c]]
            scale = 1.0 / total if total > 0 else 0.0
            row_scale[i] = scale
            for c in range(k):
                if index[i, c] >= 0:
                    sums[part, index[i, c]] += kernel[i, c] * scale


@_parallel
def couple_dots(
    left: Floats, right: Floats, rows: Ints, places: Ints, n_columns: int, out: Floats
) -> None:
    """out[p] = left[rows[p]] . right[places[p]] over the first columns."""
    for p in nb.prange(len(rows)):
        dot = np.float32(0)
        for d in range(n_columns):
            dot += left[rows[p], d] * right[places[p], d]
        out[p] = dot


@_parallel
def finish_assignment(
    kernel: Doubles, index: Ints, row_scale: Doubles, column_scale: Doubles, out: Floats
) -> None:
    """out = diag(row_scale) kernel diag(column_scale), 0 where there is no candidate."""
    for i in nb.prange(kernel.shape[0]):
        for c in range(kernel.shape[1]):
            if index[i, c] >= 0:
                out[i, c] = kernel[i, c] * row_scale[i] * column_scale[index[i, c]]
            else:
                out[i, c] = 0
