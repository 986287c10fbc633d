"""Candidates from several searches in one table, and who found which."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lighttea.similarity.topk import NONE
from lighttea.types import Bytes, Ints

BY_LABEL, BY_NEIGHBOURS, BY_TIMES, BEFORE = 1, 2, 4, 8  # bits: a candidate may be found by all
SOURCES: Mapping[str, int] = {
    "label": BY_LABEL,
    "neighbours": BY_NEIGHBOURS,
    "times": BY_TIMES,
    "rounds before": BEFORE,
}
_BITS, _ALL = 4, 15


MERGED_ROWS = 65536  # merged at a time


def merged(tables: Mapping[int, Ints]) -> tuple[Ints, Bytes]:
    """All tables of candidates in one, none twice, as wide as the fullest row; who found each."""
    n_rows = len(next(iter(tables.values())))
    blocks = [
        _merged({bit: table[begin : begin + MERGED_ROWS] for bit, table in tables.items()})
        for begin in range(0, n_rows, MERGED_ROWS)
    ]
    width = max((index.shape[1] for index, _ in blocks), default=1)
    index = np.full((n_rows, width), NONE, np.int32)
    source = np.zeros((n_rows, width), np.uint8)
    for number, (part, found) in enumerate(blocks):
        rows = slice(number * MERGED_ROWS, number * MERGED_ROWS + len(part))
        index[rows, : part.shape[1]], source[rows, : part.shape[1]] = part, found
    return index, source


def _merged(tables: Mapping[int, Ints]) -> tuple[Ints, Bytes]:
    place = np.concatenate(list(tables.values()), axis=1).astype(np.int64)
    found = np.concatenate([np.full(t.shape, bit, np.int64) for bit, t in tables.items()], axis=1)
    packed = np.where(place == NONE, NONE, place << _BITS | found)
    packed = -np.sort(-packed, axis=1)  # falling: the empty ones come last
    for column in range(packed.shape[1] - 1, 0, -1):  # one found again hands its bits on
        this, before = packed[:, column], packed[:, column - 1]
        again = (this >> _BITS == before >> _BITS) & (this != NONE)
        before[again] |= this[again] & _ALL
        this[again] = NONE
    packed = -np.sort(-packed, axis=1)
    width = max(1, int((packed != NONE).sum(axis=1).max(initial=0)))
    packed = packed[:, :width]
    empty = packed == NONE
    index = np.where(empty, NONE, packed >> _BITS).astype(np.int32)
    return index, np.where(empty, 0, packed & _ALL).astype(np.uint8)
