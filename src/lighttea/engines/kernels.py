"""The compiled loops of the CPU engine. Each has a slow reference in the tests.

All take plain arrays and fill or return plain arrays; none knows of sides, graphs or equations.
`fastmath` is limited to what keeps infinities and NaN meaningful.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from lighttea.types import Bools, Doubles, Floats, Ints

_FAST = {"contract", "reassoc", "arcp", "nsz"}


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


@_parallel
def select_largest(block: Floats, offset: int, values: Floats, places: Ints, filled: Ints) -> None:
    """Merge a block of scores into each row's buffer, which keeps at least its k best.

    The buffers are 2k wide: a score above the row's floor is appended, and a full buffer is cut
    to its k best, whose smallest becomes the floor. `finish_largest` cuts and sorts at the end.
    """
    k = values.shape[1] // 2
    for i in nb.prange(block.shape[0]):
        count = filled[i]
        floor = -np.inf
        if count >= k:
            _keep_largest(values[i], places[i], count, k)
            floor = values[i, :k].min()
            count = k
        for j in range(block.shape[1]):
            if block[i, j] > floor:
                values[i, count] = block[i, j]
                places[i, count] = offset + j
                count += 1
                if count == 2 * k:
                    _keep_largest(values[i], places[i], count, k)
                    floor = values[i, :k].min()
                    count = k
        filled[i] = count


@_parallel
def finish_largest(values: Floats, places: Ints, filled: Ints) -> None:
    """Cut each buffer to its k best and sort them, best first."""
    k = values.shape[1] // 2
    for i in nb.prange(values.shape[0]):
        count = filled[i]
        if count > k:
            _keep_largest(values[i], places[i], count, k)
            count = k
            filled[i] = k
        order = np.argsort(-values[i, :count], kind="mergesort")
        sorted_values, sorted_places = values[i, :count][order], places[i, :count][order]
        values[i, :count] = sorted_values
        places[i, :count] = sorted_places


@_parallel
def shared_counts(
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
    """out[i, c] = size of the common multiset of row left[i] and row right[index[i, c]].

    The rows are dealt out to `n_parts` parts, each with a dense scratch row of its own.
    """
    for part in nb.prange(n_parts):
        mine = np.zeros(n_columns, np.float32)
        for i in range(part, len(left), n_parts):
            begin, end = start[left[i]], start[left[i] + 1]
            for position in range(begin, end):
                mine[columns[position]] = counts[position]
            for c in range(index.shape[1]):
                shared = np.float32(0)
                if index[i, c] >= 0 and end > begin:
                    row = right[index[i, c]]
                    for position in range(start[row], start[row + 1]):
                        shared += min(mine[columns[position]], counts[position])
                out[i, c] = shared
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
def candidate_dots(left: Floats, right: Floats, index: Ints, out: Floats) -> None:
    """out[i, c] = left[i] . right[index[i, c]], or 0 where there is no candidate."""
    for i in nb.prange(index.shape[0]):
        for c in range(index.shape[1]):
            dot = np.float32(0)
            if index[i, c] >= 0:
                j = index[i, c]
                for d in range(left.shape[1]):
                    dot += left[i, d] * right[j, d]
            out[i, c] = dot


@nb.njit(cache=True, nogil=True)
def first_claims(left: Ints, right: Ints, n_left: int, n_right: int) -> Bools:
    """Walk the couples in order; keep one only if neither end was kept before."""
    kept = np.zeros(len(left), np.bool_)
    left_taken, right_taken = np.zeros(n_left, np.bool_), np.zeros(n_right, np.bool_)
    for i in range(len(left)):
        if not left_taken[left[i]] and not right_taken[right[i]]:
            kept[i] = left_taken[left[i]] = right_taken[right[i]] = True
    return kept
