"""Sparse and candidate products of rows, and what rows are held as."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from lighttea.kernels.compiled import parallel
from lighttea.types import Floats, Ints


@parallel
def add_product(
    start: Ints,
    columns: Ints,
    weights: Floats,
    place: Ints,
    values: Any,
    scale: Floats,
    begin: int,
    out: Floats,
) -> None:
    """Sparse times dense: out[i] += sum_j weights[begin + i, j] * (row of j)."""
    for i in nb.prange(len(out)):
        for position in range(start[begin + i], start[begin + i + 1]):
            row = place[columns[position]]
            if row >= 0:
                weight = weights[position] * scale[row, 0]
                for d in range(out.shape[1]):
                    out[i, d] += weight * values[row, d]


@parallel
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


@parallel
def store_rows(block: Floats, values: Floats, scale: Floats) -> None:
    """Copy the rows; the scale of a row is 1 if it has an entry other than zero, else 0."""
    for i in nb.prange(block.shape[0]):
        filled = np.float32(0)
        for d in range(block.shape[1]):
            values[i, d] = block[i, d]
            if block[i, d] != 0:
                filled = np.float32(1)
        scale[i] = filled


@parallel
def quantise_rows(block: Floats, values: Any, scale: Floats) -> None:
    """Each row in eight bits: values in -127 ... 127 and what one step of them stands for."""
    for i in nb.prange(block.shape[0]):
        most = np.float32(0)
        for d in range(block.shape[1]):
            most = max(most, abs(block[i, d]))
        scale[i] = most / np.float32(127)
        steps = np.float32(127) / most if most > 0 else np.float32(0)
        for d in range(block.shape[1]):
            values[i, d] = np.int8(np.rint(block[i, d] * steps))


@parallel
def restore_rows(values: Any, scale: Floats, numbers: Ints, out: Floats) -> None:
    """out[i] = row numbers[i] in float32, every part times its scale."""
    n_parts = scale.shape[1]
    width = values.shape[1] // n_parts
    for i in nb.prange(len(numbers)):
        for part in range(n_parts):
            factor = scale[numbers[i], part]
            for d in range(part * width, (part + 1) * width):
                out[i, d] = factor * values[numbers[i], d]


@parallel
def stretch_parts(values: Floats, factor: Floats) -> None:
    """Multiply each part of each row by its factor, in place."""
    n_parts = factor.shape[1]
    width = values.shape[1] // n_parts
    for i in nb.prange(values.shape[0]):
        for part in range(n_parts):
            for d in range(part * width, (part + 1) * width):
                values[i, d] *= factor[i, part]


@parallel
def add_sums_of_products(
    start: Ints,
    neighbours: Ints,
    others: Ints,
    begin: int,
    place: Ints,
    values: Any,
    scale: Floats,
    length: Floats,
    other_rows: Floats,
    out: Floats,
) -> None:
    """out[i] += over the couples (a, b) of begin + i: length[a] * (row of a) * other_rows[b].

    Rows are multiplied element by element.
    """
    for i in nb.prange(out.shape[0]):
        for position in range(start[begin + i], start[begin + i + 1]):
            a, b = neighbours[position], others[position]
            row = place[a]
            if row >= 0:
                weight = length[a] * scale[row, 0]
                for d in range(out.shape[1]):
                    out[i, d] += weight * values[row, d] * other_rows[b, d]


@parallel
def candidate_dots(
    left: Floats,
    left_scale: Floats,
    right: Floats,
    right_scale: Floats,
    rows: Ints,
    index: Ints,
    n_parts: int,
    out: Floats,
) -> None:
    """out[i, c] = left[rows[i]] . right[index[i, c]] over the first parts; 0 where index is -1."""
    width = left.shape[1] // left_scale.shape[1]
    for i in nb.prange(index.shape[0]):
        row = rows[i]
        for c in range(index.shape[1]):
            total, j = np.float32(0), index[i, c]
            for part in range(n_parts if j >= 0 else 0):
                one = left[row, part * width : (part + 1) * width]
                other = right[j, part * width : (part + 1) * width]
                dot = np.float32(0)
                for d in range(width):
                    dot += one[d] * other[d]
                total += dot * left_scale[row, part] * right_scale[j, part]
            out[i, c] = total


@parallel
def known_values(
    index: Ints, value: Floats, wanted: Ints, n_places: int, n_parts: int, out: Floats, rest: Ints
) -> None:
    """out[i, c] = the value of wanted[i, c] in row i of index; rest has the others, or -1.

    The rows are dealt out to `n_parts` parts, each with a dense scratch row of its own.
    """
    for part in nb.prange(n_parts):
        place = np.full(n_places, -1, np.int32)
        for i in range(part, index.shape[0], n_parts):
            for c in range(index.shape[1]):
                if index[i, c] >= 0:
                    place[index[i, c]] = c
            for c in range(wanted.shape[1]):
                j = wanted[i, c]
                known = j >= 0 and place[j] >= 0
                out[i, c] = value[i, place[j]] if known else np.float32(0)
                rest[i, c] = -1 if known else j
            for c in range(index.shape[1]):
                if index[i, c] >= 0:
                    place[index[i, c]] = -1


@parallel
def compact_candidate_dots(
    left: Any,
    left_scale: Floats,
    right: Any,
    right_scale: Floats,
    rows: Ints,
    index: Ints,
    n_parts: int,
    out: Floats,
) -> None:
    """`candidate_dots` of rows of eight bits, in whole numbers until the end."""
    width = left.shape[1] // left_scale.shape[1]
    for i in nb.prange(index.shape[0]):
        row = rows[i]
        for c in range(index.shape[1]):
            total, j = np.float32(0), index[i, c]
            for part in range(n_parts if j >= 0 else 0):
                one = left[row, part * width : (part + 1) * width]
                other = right[j, part * width : (part + 1) * width]
                dot = np.int32(0)
                for d in range(width):
                    dot = np.int32(dot + np.int32(np.int16(one[d]) * np.int16(other[d])))
                total += np.float32(dot) * left_scale[row, part] * right_scale[j, part]
            out[i, c] = total
