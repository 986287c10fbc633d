"""Candidates that several searches proposed, in one table, with the searches that did."""

from __future__ import annotations

from collections.abc import Mapping

from lighttea.engines.ops import Ops
from lighttea.similarity.candidates import TABLE_ROWS
from lighttea.types import NO_CANDIDATE, A

BY_LABEL, BY_NEIGHBOURS, BY_TIMES, CARRIED_OVER = 1, 2, 4, 8  # bits: several may propose one
SOURCES: Mapping[str, int] = {
    "label": BY_LABEL,
    "neighbours": BY_NEIGHBOURS,
    "times": BY_TIMES,
    "rounds before": CARRIED_OVER,
}
_BITS, _ALL_BITS = 4, 15


def merge_proposals(ops: Ops[A], tables: Mapping[int, A]) -> tuple[A, A]:
    """Return all tables of candidates in one, none twice, as wide as the fullest row.

    And the bits of the searches that proposed each.
    """
    n_rows = len(next(iter(tables.values())))
    blocks = [
        _merge_rows(ops, {bit: t[begin : begin + TABLE_ROWS] for bit, t in tables.items()})
        for begin in range(0, max(1, n_rows), TABLE_ROWS)
    ]
    if len(blocks) == 1:
        return blocks[0]
    width = max(index.shape[1] for index, _ in blocks)
    index = ops.full((n_rows, width), NO_CANDIDATE, "int32")
    source = ops.full((n_rows, width), 0, "uint8")
    for number, (places, bits) in enumerate(blocks):
        rows = slice(number * TABLE_ROWS, number * TABLE_ROWS + len(places))
        index[rows, : places.shape[1]], source[rows, : places.shape[1]] = places, bits
    return index, source


def _merge_rows(ops: Ops[A], tables: Mapping[int, A]) -> tuple[A, A]:
    packed = ops.concat([_pack(ops, table, bit) for bit, table in tables.items()], 1)
    united = ops.unite(ops.sort(packed), _BITS)
    source = ops.where(united >= 0, united & _ALL_BITS, 0)
    return ops.astype(united >> _BITS, "int32"), ops.astype(source, "uint8")


def _pack(ops: Ops[A], table: A, bit: int) -> A:
    """Return place and bit of each candidate as one number, -1 where there is none."""
    place = ops.astype(table, "int64")
    return ops.where(place >= 0, place << _BITS | bit, NO_CANDIDATE)
