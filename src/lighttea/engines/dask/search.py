"""Left blocks against right blocks: the best so far of every left entity, and products."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lighttea.engines.dask.connection import Connection, Future
from lighttea.engines.dask.labels import BlockLabels
from lighttea.engines.dask.layout import Layout
from lighttea.graph.views import View
from lighttea.kernels import sets
from lighttea.kernels.rows import Rows
from lighttea.kernels.threads import current_threads
from lighttea.similarity.settled import Settled
from lighttea.similarity.topk import NONE, Found, top_k
from lighttea.types import Bools, Floats, Ints


def searched(
    to: Connection, labels: BlockLabels, layout: Layout, k: int, asks: Bools
) -> list[Future]:
    """The k best right entities of each left one that asks, exactly, by left block."""
    asking = [to.hold(np.flatnonzero(asks[rows])) for rows in layout.left]

    def step(block: int, right: Future, begin: int, before: Future | None) -> Future:
        return to.submit(best_so_far, labels.left[block], right, begin, k, asking[block], before)

    return through_right(labels.right, layout, step)


def dots(
    to: Connection,
    labels: BlockLabels,
    layout: Layout,
    indices: Sequence[Future],
    n_parts: int | None = None,
) -> list[Future]:
    """Inner products of left entities and their candidates, by left block: (n, k) each."""

    def step(block: int, right: Future, begin: int, before: Future | None) -> Future:
        left, index = labels.left[block], indices[block]
        return to.submit(dots_so_far, left, right, begin, index, n_parts, before)

    return through_right(labels.right, layout, step)


def times(
    to: Connection,
    counts: tuple[list[Future], list[Future]],
    layout: Layout,
    indices: Sequence[Future],
) -> list[Future]:
    """S^t of left entities and their candidates, by left block: (n, k) each."""

    def step(block: int, right: Future, begin: int, before: Future | None) -> Future:
        return to.submit(times_so_far, counts[0][block], right, begin, indices[block], before)

    return through_right(counts[1], layout, step)


Step = Callable[[int, Future, int, "Future | None"], Future]


def through_right(right: Sequence[Future], layout: Layout, step: Step) -> list[Future]:
    """What each left block comes to when it has met all right blocks, one after the other.

    `step` takes a left block's number, a right block, where that begins, and what the left block
    has so far. All left blocks meet a right one before the next is asked for: a worker holds few
    that are not its own, and each comes to it once.
    """
    found: list[Future | None] = [None] * len(layout.left)
    for one, begin in zip(right, layout.right.begins, strict=True):
        found = [step(block, one, begin, before) for block, before in enumerate(found)]
    return found


def settled_blocks(settled: Settled, layout: Layout) -> list[Settled]:
    """Who is settled in each left block, rows counted from its begin."""
    blocks = []
    for rows in layout.left:
        here = (settled.rows >= rows.start) & (settled.rows < rows.stop)
        blocks.append(Settled(settled.rows[here] - rows.start, settled.index[here]))
    return blocks


# ------------------------------------------------------------------------ in the workers


def best_so_far(
    left: Rows, right: Rows, begin: int, k: int, asks: Ints, before: Found | None
) -> Found:
    """What a left block found before, and in one more right block: the k best of both."""
    return joined_found(top_k(left, right, k, asks=asks), begin, k, before)


def joined_found(found: Found, begin: int, k: int, before: Found | None) -> Found:
    """What was found in a block that begins there, and before: the k best of both."""
    here = np.where(found.index == NONE, NONE, found.index + np.int32(begin))
    if before is None:
        return Found(here, found.label)
    index = np.concatenate([before.index, here], axis=1)
    label = np.concatenate([before.label, found.label], axis=1)
    if index.shape[1] <= k:
        return Found(index, label)
    worth = np.where(index == NONE, -np.inf, label)
    best = np.argpartition(-worth, k - 1, axis=1)[:, :k]
    return Found(
        np.take_along_axis(index, best, axis=1),
        np.ascontiguousarray(np.take_along_axis(label, best, axis=1)),
    )


def dots_so_far(
    left: Rows, right: Rows, begin: int, index: Ints, n_parts: int | None, before: Floats | None
) -> Floats:
    """The inner products of candidates in one right block, beside those of blocks before."""
    here = left.dots(right, np.arange(len(left)), within(index, begin, len(right)), n_parts)
    return here if before is None else before + here


def times_so_far(left: View, right: View, begin: int, index: Ints, before: Floats | None) -> Floats:
    """The similarity of times of candidates in one right block, beside those of blocks before."""
    n_left, n_right = left.shape[0], right.shape[0]
    places = within(index, begin, n_right)
    out = np.empty(index.shape, np.float32)
    sets.multiset_dice(
        np.concatenate([left.start, right.start[1:] + left.start[-1]]),
        np.concatenate([left.columns, right.columns]),
        np.concatenate([left.weights, right.weights]),
        left.n_columns,
        np.arange(n_left, dtype=np.int32),
        np.arange(n_left, n_left + n_right, dtype=np.int32),
        places,
        8 * current_threads(),
        out,
    )
    return out if before is None else np.where(places == NONE, before, out)


def within(index: Ints, begin: int, n: int) -> Ints:
    """Places within a block of n that begins there; -1 for those elsewhere."""
    here = (index >= begin) & (index < begin + n)
    return np.where(here, index - np.int32(begin), np.int32(NONE))
