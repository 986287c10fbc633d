"""Exact search, and inner products of candidates: left blocks meet right blocks one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lighttea.engines.base import Blocks, Engine
from lighttea.engines.ops import Ops
from lighttea.engines.tables import Rows, TopK
from lighttea.propagate.labels import Labels, flags_by_block
from lighttea.types import NO_CANDIDATE, A, Bools, Ints


def split_rows(engine: Engine[A], flags: Bools) -> Blocks[Ints]:
    """Return where the flags are set, by left block, counted from its begin."""
    return Blocks(engine.hold(np.flatnonzero(flags[rows])) for rows in engine.layout.left)


def exact_search(engine: Engine[A], labels: Labels[A], k: int, asking: Bools) -> Blocks[TopK[A]]:
    """Return the k best right entities of the asking left ones, (n, k) by left block.

    All left blocks meet a right one before the next is asked for: a worker holds few that are not
    its own, and each comes to it once.
    """
    rows = split_rows(engine, asking)
    top: Blocks[TopK[A]] | None = None
    for right, begin in zip(labels.right, engine.layout.right.begins, strict=True):
        top = engine.map(best_so_far, labels.left, right, begin, k, rows, top)
    assert top is not None
    return top


def label_dots(
    engine: Engine[A],
    labels: Labels[A],
    index: Blocks[A],
    n_parts: int | None = None,
    rows: Blocks[Ints] | None = None,
) -> Blocks[A]:
    """Return the inner products of left entities and their candidates, (n, k) by left block.

    Over all parts of the labels, or the first ones; of all left entities, or of these rows.
    """
    if labels.other is None:
        return _label_dots(engine, labels, index, n_parts, rows)
    assert rows is None, "labels of two halves are compared for all left entities"
    of_other = flags_by_block(engine, labels.other.rows)
    dots, other = (
        _label_dots(engine, own, engine.map(places_of_rows, index, of_other, flag), n_parts, None)
        for own, flag in ((replace(labels, other=None), False), (labels.other.labels, True))
    )
    return engine.map(add_tables, dots, other)


def _label_dots(
    engine: Engine[A],
    labels: Labels[A],
    index: Blocks[A],
    n_parts: int | None,
    rows: Blocks[Ints] | None,
) -> Blocks[A]:
    dots: Blocks[A] | None = None
    for right, begin in zip(labels.right, engine.layout.right.begins, strict=True):
        dots = engine.map(dots_so_far, labels.left, right, begin, index, n_parts, rows, dots)
    assert dots is not None
    return dots


# ----------------------------------------------------------------------------- of one block


def places_found(ops: Ops[A], top: TopK[A]) -> A:
    """Return the places that a search found."""
    return top.index


def places_of_rows(ops: Ops[A], index: A, rows: Bools, flag: bool) -> A:
    """Return the places of the rows that have this flag, -1 in all others."""
    own = ops.equal(ops.asarray(rows, "bool"), flag)
    return ops.astype(ops.where(own[:, None], index, NO_CANDIDATE), "int32")


def add_tables(ops: Ops[A], table: A, other: A) -> A:
    """Return the sum of two tables."""
    total: A = table + other
    return total


def take_rows_of_other(ops: Ops[A], top: TopK[A], other: TopK[A], rows: Bools) -> TopK[A]:
    """Return what a search found, for some rows what another found instead."""
    chosen = ops.asarray(rows, "bool")[:, None]
    index = ops.astype(ops.where(chosen, other.index, top.index), "int32")
    return TopK(index, ops.where(chosen, other.label, top.label))


def best_so_far(
    ops: Ops[A],
    left: Rows[A],
    right: Rows[A],
    begin: int,
    k: int,
    asking: Ints,
    before: TopK[A] | None,
) -> TopK[A]:
    """Return the k best of what a left block found before and finds in one more right block."""
    return join_found(
        ops, ops.top_k(left, right, k, ops.asarray(asking, "int64")), begin, k, before
    )


def join_found(ops: Ops[A], top: TopK[A], begin: int, k: int, before: TopK[A] | None) -> TopK[A]:
    """Return the k best of what was found in a right block that begins there, and before."""
    if before is None and begin == 0:
        return top
    here = ops.where(top.index >= 0, top.index + begin, NO_CANDIDATE)
    here = ops.astype(here, "int32")
    if before is None:
        return TopK(here, top.label)
    index = ops.concat([before.index, here], 1)
    label = ops.concat([before.label, top.label], 1)
    if index.shape[1] <= k:
        return TopK(index, label)
    best = ops.top_columns(ops.where(index >= 0, label, -np.inf), k)
    return TopK(ops.take_along_rows(index, best), ops.take_along_rows(label, best))


def dots_so_far(
    ops: Ops[A],
    left: Rows[A],
    right: Rows[A],
    begin: int,
    index: A,
    n_parts: int | None,
    rows: Ints | None,
    before: A | None,
) -> A:
    """Return the inner products of candidates in one right block, beside those of blocks before."""
    own = places_within(ops, index, begin, len(right))
    numbers = ops.arange(len(left)) if rows is None else ops.asarray(rows, "int64")
    here = ops.dots(left, right, numbers, own, n_parts)
    return here if before is None else before + here


def places_within(ops: Ops[A], index: A, begin: int, n: int) -> A:
    """Return places within a block of n that begins there; -1 for those elsewhere."""
    is_here = (index >= begin) & (index < begin + n)
    return ops.astype(ops.where(is_here, index - begin, NO_CANDIDATE), "int32")
