"""The largest entries of rows that come block by block."""

from __future__ import annotations

import numba as nb
import numpy as np

from lighttea.kernels.compiled import compiled, parallel
from lighttea.types import Floats, Ints

_STRIDE = 16  # entries looked at together


@compiled
def keep_largest(values: Floats, places: Ints, filled: int, k: int) -> None:
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


@compiled
def _append_above(
    row: Floats, offset: int, floor: float, count: int, values: Floats, places: Ints
) -> tuple[int, float]:
    """Append the entries above the floor, cutting the buffer to its k best when it is full.

    A stride without any entry above the floor is passed over; in the others every entry is
    written and the end of the buffer moves on only for those that stay: no branch for the
    processor to guess. The buffer has room for 2k entries and one stride more.
    """
    k = (len(values) - _STRIDE) // 2
    for begin in range(0, len(row), _STRIDE):
        end = min(begin + _STRIDE, len(row))
        hits = 0
        for j in range(begin, end):
            hits += row[j] > floor
        if hits == 0:
            continue
        for j in range(begin, end):
            values[count] = row[j]
            places[count] = offset + j
            count += row[j] > floor
        if count >= 2 * k:
            keep_largest(values, places, count, k)
            floor = max(floor, values[:k].min())
            count = k
    return count, floor


@parallel
def likely_floors(sample: Floats, rank: int) -> Floats:
    """The rank-th largest entry of each row: what few more than k of all entries should exceed."""
    floors = np.empty(sample.shape[0], np.float32)
    for i in nb.prange(sample.shape[0]):
        values, places = (
            np.empty(2 * rank + _STRIDE, np.float32),
            np.empty(2 * rank + _STRIDE, np.int32),
        )
        count, _ = _append_above(sample[i], 0, -np.inf, 0, values, places)
        if count > rank:
            keep_largest(values, places, count, rank)
        floors[i] = values[: min(count, rank)].min()
    return floors


@parallel
def select_above(
    block: Floats, offset: int, floors: Floats, values: Floats, places: Ints, filled: Ints
) -> None:
    """Merge the entries of a block above each row's floor into its buffer.

    The buffer keeps at least the k best of them; the floor rises when it is cut.
    """
    for i in nb.prange(block.shape[0]):
        filled[i], floors[i] = _append_above(
            block[i], offset, floors[i], filled[i], values[i], places[i]
        )


@compiled
def _first_shared(one: Ints, other: Ints) -> int:
    """The smallest entry of two sorted rows that is in both; -1 where there is none."""
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            return int(one[i])
        if one[i] < other[j]:
            i += 1
        else:
            j += 1
    return -1


@compiled
def select_in_cell(
    block: Floats,
    cell: int,
    rows: Ints,
    members: Ints,
    row_cells: Ints,
    member_cells: Ints,
    floors: Floats,
    values: Floats,
    places: Ints,
    filled: Ints,
) -> None:
    """As `select_above` for the rows and members of one cell, in the calling thread alone.

    A couple that shares several cells counts in the first of them only.
    """
    k = (values.shape[1] - _STRIDE) // 2
    for i in range(block.shape[0]):
        row = rows[i]
        count, floor = filled[row], floors[row]
        for begin in range(0, block.shape[1], _STRIDE):
            end = min(begin + _STRIDE, block.shape[1])
            hits = 0
            for j in range(begin, end):
                hits += block[i, j] > floor
            if hits == 0:
                continue
            for j in range(begin, end):
                if block[i, j] > floor:
                    member = members[j]
                    values[row, count] = block[i, j]
                    places[row, count] = member
                    count += _first_shared(row_cells[row], member_cells[member]) == cell
            if count >= 2 * k:
                keep_largest(values[row], places[row], count, k)
                floor = max(floor, values[row, :k].min())
                count = k
        filled[row], floors[row] = count, floor


@parallel
def finish_largest(values: Floats, places: Ints, filled: Ints) -> None:
    """Cut each buffer to its k best, in no order."""
    k = (values.shape[1] - _STRIDE) // 2
    for i in nb.prange(values.shape[0]):
        if filled[i] > k:
            keep_largest(values[i], places[i], filled[i], k)
            filled[i] = k


def selection_buffers(n_rows: int, k: int) -> tuple[Floats, Ints, Ints]:
    """values, places and how much of them is filled, for `select_above`."""
    width = 2 * k + _STRIDE
    values, places = np.empty((n_rows, width), np.float32), np.empty((n_rows, width), np.int32)
    return values, places, np.zeros(n_rows, np.int64)
