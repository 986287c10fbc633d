"""Loops over a table of candidates: Sinkhorn, and the best of rows and columns."""

from __future__ import annotations

import numba as nb
import numpy as np

from lighttea.kernels.compiled import compiled, parallel
from lighttea.types import Doubles, Floats, Ints

SCORE_TIE = 1e-6  # a difference of scores: as good as equal


@parallel
def scale_rows_and_sum_columns(
    kernel: Doubles,
    index: Ints,
    column_scale: Doubles,
    nothing: Doubles,
    row_scale: Doubles,
    sums: Doubles,
) -> None:
    """One half of Sinkhorn: row_scale = 1 / (kernel @ column_scale + nothing); sums of the result.

    `nothing` is what each row may keep to itself. `sums` is (n_parts, n_columns); each part adds
    its rows into its own line, so that the result does not depend on which thread was first.
    """
    n_parts = sums.shape[0]
    n_rows, k = kernel.shape
    for part in nb.prange(n_parts):
        for i in range(part * n_rows // n_parts, (part + 1) * n_rows // n_parts):
            total = nothing[i]
            for c in range(k):
                if index[i, c] >= 0:
                    total += kernel[i, c] * column_scale[index[i, c]]
            scale = 1.0 / total if total > 0 else 0.0
            row_scale[i] = scale
            for c in range(k):
                if index[i, c] >= 0:
                    sums[part, index[i, c]] += kernel[i, c] * scale


@parallel
def finish_assignment(
    kernel: Doubles, index: Ints, row_scale: Doubles, column_scale: Doubles, out: Floats
) -> None:
    """out = diag(row_scale) kernel diag(column_scale), 0 where there is no candidate."""
    for i in nb.prange(kernel.shape[0]):
        for c in range(kernel.shape[1]):
            if index[i, c] >= 0:
                out[i, c] = kernel[i, c] * row_scale[i] * column_scale[index[i, c]]
            else:
                out[i, c] = 0


@parallel
def best_of_rows(score: Floats, index: Ints, out: Floats) -> None:
    """out[i] holds the largest scores of row i, falling; 0 where there are fewer."""
    for i in nb.prange(index.shape[0]):
        out[i] = 0
        for c in range(index.shape[1]):
            if index[i, c] >= 0:
                _insert(out[i], score[i, c])


@compiled
def best_of_columns(score: Floats, index: Ints, out: Floats) -> None:
    """out[j] holds the largest scores of candidate j in any row, falling; 0 where fewer."""
    out[:] = 0
    for i in range(index.shape[0]):
        for c in range(index.shape[1]):
            if index[i, c] >= 0:
                _insert(out[index[i, c]], score[i, c])


@compiled
def _insert(falling: Floats, value: float) -> None:
    """Put a value into its place in a short falling list, the last one falls out."""
    place = len(falling)
    while place > 0 and falling[place - 1] < value:
        place -= 1
    for later in range(len(falling) - 1, place, -1):
        falling[later] = falling[later - 1]
    if place < len(falling):
        falling[place] = value


@parallel
def best_by_weights(
    label: Floats, time: Floats, consensus: Floats, index: Ints, weights: Floats, best: Ints
) -> None:
    """best[i]: the right place of row i with the largest weighted sum; -1 where there is none.

    Of sums that are as good as equal the lower place. `weights` are those of label, time and
    consensus where the time is known, and of label and consensus where it is not.
    """
    for i in nb.prange(index.shape[0]):
        score = np.full(index.shape[1], -np.inf, np.float32)
        best[i] = -1
        for c in range(index.shape[1]):
            if index[i, c] < 0:
                continue
            if np.isnan(time[i, c]):
                score[c] = weights[3] * label[i, c] + weights[4] * consensus[i, c]
            else:
                score[c] = (
                    weights[0] * label[i, c]
                    + weights[1] * time[i, c]
                    + weights[2] * consensus[i, c]
                )
        enough = score.max() - np.float32(SCORE_TIE)
        for c in range(index.shape[1]):
            if index[i, c] >= 0 and score[c] >= enough and (best[i] < 0 or index[i, c] < best[i]):
                best[i] = index[i, c]
