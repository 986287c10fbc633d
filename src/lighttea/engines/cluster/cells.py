"""S^l where comparing every couple stops paying: each right block has cells of its own.

As `similarity.approximate`, but for each couple of blocks. With B right blocks an entity is put
into B^(1/4) times fewer cells of each, so that about as many couples are compared as by one index
of the whole side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.engines.cluster.connection import Connection, Future
from lighttea.engines.cluster.labels import BlockLabels
from lighttea.engines.cluster.layout import Layout
from lighttea.engines.cluster.search import joined_found, searched
from lighttea.kernels.rows import Rows
from lighttea.similarity.approximate import (
    _SAMPLE,
    Placed,
    _batches,
    _cells_of_one,
    centroids_of,
    narrowing_of,
    placed,
    scan,
    score_met,
)
from lighttea.similarity.search import RECALL_SAMPLE, Recall, recall_of
from lighttea.similarity.topk import NONE, Found
from lighttea.types import Bools, Floats, Ints


@dataclass(frozen=True)
class Cells:
    """The rows of a right block in their cells."""

    narrowing: Floats
    centroids: Floats
    answers: Ints  # the rows that are not zero
    answering: Placed
    members: tuple[Ints, Ints]
    n_near: int


def nearly_searched(
    to: Connection,
    labels: BlockLabels,
    layout: Layout,
    k: int,
    asks: Bools,
    rng: np.random.Generator,
) -> tuple[list[Future], Recall]:
    """Nearly the k best of each left entity that asks, by left block, and what share was found."""
    seed = int(rng.integers(1 << 62))
    share = -(-_SAMPLE // len(labels.left))
    sample = [to.submit(some_rows, one, share, seed) for one in labels.left]
    n_near = -(-_cells_of_one(len(asks)) // len(labels.right) ** 0.25)
    cells = [to.submit(cells_of, one, sample, int(n_near), seed) for one in labels.right]
    found = []
    for left, rows in zip(labels.left, layout.left, strict=True):
        near, here = None, np.flatnonzero(asks[rows])
        for right, one, begin in zip(labels.right, cells, layout.right.begins, strict=True):
            near = to.submit(near_so_far, left, right, one, begin, k, here, near)
        found.append(near)
    to.finished(found)
    return found, _recall(to, labels, layout, k, asks, found, rng)


def _recall(
    to: Connection,
    labels: BlockLabels,
    layout: Layout,
    k: int,
    asks: Bools,
    found: list[Future],
    rng: np.random.Generator,
) -> Recall:
    """Some left entities are searched exactly too."""
    asking = np.flatnonzero(asks)
    sample = np.zeros_like(asks)
    sample[rng.choice(asking, min(RECALL_SAMPLE, len(asking)), replace=False)] = True
    exact = searched(to, labels, layout, k, sample)
    parts = to.fetched(
        [
            to.submit(recall_here, mine, best, np.flatnonzero(sample[rows]))
            for mine, best, rows in zip(found, exact, layout.left, strict=True)
        ]
    )
    rows, couples = (max(1, sum(one[place] for one in parts)) for place in (1, 2))
    return Recall(
        sum(one.best * n for one, n, _ in parts) / rows if parts else 1.0,
        sum(one.all_k * n for one, _, n in parts) / couples,
    )


# ------------------------------------------------------------------------ in the workers


def some_rows(rows: Rows, n: int, seed: int) -> Floats:
    """Some rows that are not zero."""
    filled = np.flatnonzero(rows.filled)
    rng = np.random.default_rng(seed)
    return rows.take(np.sort(rng.choice(filled, min(n, len(filled)), replace=False)))


def cells_of(right: Rows, sample: Sequence[Floats], n_near: int, seed: int) -> Cells | None:
    """The cells of a right block, and who is in them; None where nobody can answer."""
    answers, left = np.flatnonzero(right.filled), Rows.of(np.concatenate(sample))
    if not len(answers) or not len(left):
        return None
    rng = np.random.default_rng(seed)
    narrowing = narrowing_of(left, right, np.arange(len(left)), answers, rng)
    centroids = centroids_of(right, answers, narrowing, rng)
    n_near = min(n_near, len(centroids))
    answering = placed(right, answers, narrowing, centroids, n_near)
    return Cells(narrowing, centroids, answers, answering, answering.by_cell(), n_near)


def near_so_far(
    left: Rows,
    right: Rows,
    cells: Cells | None,
    begin: int,
    k: int,
    asks: Ints,
    before: Found | None,
) -> Found:
    """What a left block found before, and nearly the k best of one more right block."""
    found = Found.none(len(left), min(k, len(right)))
    asking = np.intersect1d(np.flatnonzero(left.filled), asks)
    if cells is not None:
        for rows in _batches(asking, found.k):
            here = placed(left, rows, cells.narrowing, cells.centroids, cells.n_near)
            met = scan(here, cells.answering, cells.members, found.k)
            index = np.where(met == NONE, NONE, cells.answers[met]).astype(np.int32)
            score_met(found, rows, index, left, right)
    return joined_found(found, begin, k, before)


def recall_here(found: Found, exact: Found, rows: Ints) -> tuple[Recall, int, int]:
    """The recall on some rows of a block, how many have a candidate, and how many they have."""
    valid = exact.index[rows] != NONE
    return recall_of(found, exact, rows), int(valid[:, 0].sum()), int(valid.sum())
