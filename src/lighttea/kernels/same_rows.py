"""Identical rows: entities that nothing tells apart, such as the leaves of a hub.

They are found by a number made of each row's bits: two rows of a million that differ have the same
one once in ten million runs.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lighttea.kernels.rows import BLOCK_ROWS, NumpyRows
from lighttea.types import Ints, NumpyArray

_SAMPLE = 512  # rows that tell whether many are identical
_PIECE = 256  # rows that are numbered together: their bits take four times the room


def find_same_rows(rows: NumpyArray) -> tuple[Ints, Ints]:
    """Return the first of each group of identical rows, and the group of every row."""
    return _groups(rows[begin : begin + BLOCK_ROWS] for begin in range(0, len(rows), BLOCK_ROWS))


def find_copies(rows: NumpyRows, chosen: Ints) -> tuple[Ints, Ints] | None:
    """Return the first of each group of identical chosen rows, and the group of every chosen one.

    Both count places among the chosen. None unless about half of a sample or more are copies.
    """
    sample = chosen[:: max(1, len(chosen) // _SAMPLE)]
    n_distinct = len(_groups([rows.take(sample)])[0])
    if 2 * n_distinct > len(sample) or not len(sample):
        return None
    begins = range(0, len(chosen), BLOCK_ROWS)
    return _groups(rows.take(chosen[begin : begin + BLOCK_ROWS]) for begin in begins)


def rank_in_group(group: Ints) -> Ints:
    """Return how many members of its group stand before each row."""
    order = np.argsort(group, kind="stable")
    begins = np.searchsorted(group[order], np.arange(group.max(initial=-1) + 1))
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(order)) - begins[group[order]]
    return rank


def _groups(blocks: Iterable[NumpyArray]) -> tuple[Ints, Ints]:
    numbers = [
        _number_rows(block[begin : begin + _PIECE])
        for block in blocks
        for begin in range(0, len(block), _PIECE)
    ]
    if not numbers:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    _, first, group = np.unique(np.concatenate(numbers), return_index=True, return_inverse=True)
    return first, group


def _number_rows(block: NumpyArray) -> NumpyArray:
    """Return a number of each row that follows from its bits."""
    bits = np.ascontiguousarray(block).view(np.uint16)
    factors = np.random.default_rng(0).integers(1, 1 << 63, bits.shape[1], np.uint64)
    numbers: NumpyArray = bits.astype(np.uint64) @ factors  # wraps round
    return numbers
