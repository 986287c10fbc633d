"""Labels with their directions evened out.

Labels share a few strong directions that say how common an entity's facts are, not whose they are;
the weak directions say that. Dividing each principal direction of an aspect by the fourth root of
its variance lets both speak (docs/decisions/accuracy.md).
"""

from __future__ import annotations

import numpy as np

from lighttea.kernels.directions import evening_matrix, random_directions
from lighttea.kernels.rows import BLOCK_ROWS, Rows
from lighttea.propagate.labels import Labels, blend, unit_rows
from lighttea.types import Floats

SAMPLE = 5_000  # rows of each side that tell the principal directions


def evened_labels(
    labels: Labels, weights: Floats, width: int, rng: np.random.Generator, *, compact: bool
) -> Labels:
    """The same labels, each aspect evened out, at most `width` wide in all, blended again."""
    n_parts = len(weights)
    n_columns = labels.left.n_columns // n_parts
    width = min(width // n_parts, n_columns)
    samples = np.concatenate([_sample(rows, rng) for rows in (labels.left, labels.right)])
    axes = [
        evening(samples[:, part * n_columns : (part + 1) * n_columns], width, rng)
        for part in range(n_parts)
    ]
    sides = []
    for rows in (labels.left, labels.right):
        evened = Rows.empty(len(rows), width, n_parts, compact=compact)
        for begin in range(0, len(rows), BLOCK_ROWS):
            block = rows.take(np.arange(begin, min(begin + BLOCK_ROWS, len(rows))))
            for part, turn in enumerate(axes):
                columns = block[:, part * n_columns : (part + 1) * n_columns]
                evened.put(begin, unit_rows(columns @ turn), part)
        blend(evened, weights)
        sides.append(evened)
    return Labels(sides[0], sides[1], labels.has_relational)


def evening_bytes(n_left: int, n_right: int, n_columns: int, n_parts: int) -> int:
    """What finding the directions takes, beside the labels."""
    sampled = min(n_left, SAMPLE) + min(n_right, SAMPLE)
    return 4 * sampled * n_columns * (n_parts + 1) + 32 * n_columns * n_columns


def evening(sample: Floats, width: int, rng: np.random.Generator) -> Floats:
    """(n_columns, width): divide principal directions by the fourth root of their variance.

    A random projection narrows what results; it keeps inner products, principal components
    would not (they are the directions that matter least).
    """
    sample = unit_rows(np.array(sample, np.float32, order="C"))
    turn = evening_matrix(sample)
    if width < len(turn):
        turn = turn @ random_directions(len(turn), width, rng)
    return np.ascontiguousarray(turn, np.float32)


def _sample(rows: Rows, rng: np.random.Generator) -> Floats:
    filled = np.flatnonzero(rows.filled)
    return rows.take(np.sort(rng.choice(filled, min(len(filled), SAMPLE), replace=False)))
