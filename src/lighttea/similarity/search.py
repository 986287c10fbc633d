"""Which search: exact while it pays, approximate beyond, with its recall measured on a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.kernels.rows import Rows
from lighttea.similarity.approximate import approximate_top_k
from lighttea.similarity.topk import NONE, Found, top_k
from lighttea.types import Ints

EXACT_COUPLES = 2.5e9  # 50,000 x 50,000: up to here exact search is at most a minute or so
RECALL_SAMPLE = 500  # left rows that are searched exactly too


@dataclass(frozen=True)
class Recall:
    """How much of the exact result an approximate search found, on a sample of the left rows."""

    best: float  # share of rows whose exact best candidate is among those found
    all_k: float  # share of all exact candidates that were found


def is_approximate(how: str, n_left: int, n_right: int) -> bool:
    """The rule: approximate from 50,000 x 50,000 on, unless told."""
    return how == "approximate" or (how == "auto" and n_left * n_right > EXACT_COUPLES)


def search(
    left: Rows,
    right: Rows,
    k: int,
    *,
    how: str,
    asks: Ints,
    rng: np.random.Generator,
    left_rows: int,
    right_rows: int,
) -> tuple[Found, Recall | None]:
    """The candidates of each left row that asks, and the recall where they are not exact."""
    if not is_approximate(how, len(left), len(right)):
        exact = top_k(left, right, k, asks=asks, left_rows=left_rows, right_rows=right_rows)
        return exact, None
    found = approximate_top_k(left, right, k, rng, asks=asks)
    sample = np.sort(rng.choice(asks, min(RECALL_SAMPLE, len(asks)), replace=False))
    exact = top_k(left, right, k, asks=sample, left_rows=left_rows, right_rows=right_rows)
    return found, recall_of(found, exact, sample)


def recall_of(found: Found, exact: Found, rows: Ints) -> Recall:
    """Compare the two on rows that have any candidate."""
    rows = rows[exact.index[rows, 0] != NONE]
    if not len(rows):
        return Recall(1.0, 1.0)
    best = exact.index[rows, exact.label[rows].argmax(axis=1)]
    hit = [
        len(np.intersect1d(exact.index[row], found.index[row], assume_unique=False)) for row in rows
    ]
    valid = (exact.index[rows] != NONE).sum()
    spare = sum(
        bool((exact.index[row] == NONE).any() and (found.index[row] == NONE).any()) for row in rows
    )  # an empty place on both sides is no candidate that was found
    met = (found.index[rows] == best[:, None]).any(axis=1)
    return Recall(float(met.mean()), float((sum(hit) - spare) / valid))
