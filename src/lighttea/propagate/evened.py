"""Labels with their directions evened out.

Labels share a few strong directions that say how common an entity's facts are, not whose they are;
the weak directions say that. Dividing each principal direction of an aspect by the fourth root of
its variance lets both speak (docs/decisions/accuracy.md).
"""

from __future__ import annotations

import numpy as np

from lighttea.kernels.directions import evening_matrix
from lighttea.kernels.rows import BLOCK_ROWS, Rows
from lighttea.propagate.labels import Labels, blend, unit_rows
from lighttea.types import Bools, Floats, Ints

SAMPLE = 5_000  # rows of each side that tell the principal directions


def even_out(labels: Labels, weights: Floats, rng: np.random.Generator) -> None:
    """Even out each aspect of the labels and blend them again, in their place."""
    n_parts = len(weights)
    n_columns = labels.left.n_columns // n_parts
    parts = [slice(part * n_columns, (part + 1) * n_columns) for part in range(n_parts)]
    samples = np.concatenate([_sample(rows, rng) for rows in (labels.left, labels.right)])
    turns = [
        evening_matrix(unit_rows(np.array(samples[:, columns], np.float32, order="C")))
        for columns in parts
    ]
    for rows in (labels.left, labels.right):
        for begin in range(0, len(rows), BLOCK_ROWS):
            block = rows.take(np.arange(begin, min(begin + BLOCK_ROWS, len(rows))))
            for part, (columns, turn) in enumerate(zip(parts, turns, strict=True)):
                rows.put(begin, unit_rows(block[:, columns] @ turn), part)
        blend(rows, weights)


def evening_bytes(n_left: int, n_right: int, n_columns: int, n_parts: int) -> int:
    """What finding the directions and turning to them takes, beside the labels."""
    sampled = min(n_left, SAMPLE) + min(n_right, SAMPLE)
    finding = 4 * sampled * n_columns * (n_parts + 1) + 32 * n_columns * n_columns
    return max(finding, 4 * min(BLOCK_ROWS, max(n_left, n_right)) * n_columns * (n_parts + 1))


def _sample(rows: Rows, rng: np.random.Generator) -> Floats:
    return rows.take(sampled(rows.filled, rng))


def sampled(filled: Bools, rng: np.random.Generator) -> Ints:
    """Some rows that are not zero; one more or less of them changes little of the sample."""
    drawn = np.where(filled, rng.random(len(filled), np.float32), np.inf)
    first = np.argsort(drawn, kind="stable")[: min(SAMPLE, int(filled.sum()))]
    return np.sort(first)
