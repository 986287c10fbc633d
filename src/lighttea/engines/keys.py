"""Rows of several numbers as one key each: what tokens are made of."""

from __future__ import annotations

from lighttea.engines.ops import Ops
from lighttea.engines.tables import TokenColumns
from lighttea.types import A

KEY_BITS = 62  # of a key; what does not fit is numbered first


def known_rows(ops: Ops[A], columns: TokenColumns[A]) -> tuple[A, list[A]]:
    """Return which rows give a token, and the numbers that tokens are made of."""
    is_known: A = columns.node >= 0  # all of them
    if columns.neighbour is not None:
        is_known = is_known & ~ops.equal(columns.neighbour, columns.node)
    parts = columns.parts()
    for part in parts:
        is_known = is_known & (part >= 0)
    return is_known, parts


def token_keys(ops: Ops[A], columns: TokenColumns[A]) -> tuple[A, A]:
    """Return the nodes and the keys of the rows that give a token."""
    is_known, parts = known_rows(ops, columns)
    return columns.node[is_known], pack_columns(ops, *(part[is_known] for part in parts))


def pack_columns(ops: Ops[A], *columns: A) -> A:
    """Return one number for each row of the columns, the same only for the same row."""
    key = ops.astype(columns[0], "int64")
    for column in columns[1:]:
        width = n_bits(column)
        if n_bits(key) + width > KEY_BITS:
            key = ops.number(key)[1]
        key = (key << width) | ops.astype(column, "int64")
    return key


def n_bits(numbers: A) -> int:
    """Return how many bits the largest number takes."""
    largest = int(numbers.max()) if len(numbers) else 0  # type: ignore[attr-defined]
    return max(0, largest).bit_length()
