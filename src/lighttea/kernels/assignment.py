"""Loops over a table of candidates: Sinkhorn, and the best of rows and columns."""

from __future__ import annotations

import numba as nb
import numpy as np

from lighttea.kernels.compiled import compiled, parallel, parallel_to_the_bit
from lighttea.types import Doubles, Floats, Ints

SCORE_TIE = 1e-6  # a difference of scores: as good as equal


@compiled
def list_entries(
    kernel: Doubles, index: Ints, start: Ints, entry: Ints, column: Ints, value: Doubles
) -> int:
    """List the entries of a table row by row; return how many there are.

    `start` is (n_rows + 1,); `entry` is the column of the table, `column` the right entity there.
    """
    count = 0
    for i in range(kernel.shape[0]):
        start[i] = count
        for c in range(kernel.shape[1]):
            if index[i, c] >= 0:
                entry[count], column[count], value[count] = c, index[i, c], kernel[i, c]
                count += 1
    start[kernel.shape[0]] = count
    return count


@parallel_to_the_bit
def count_excess(
    score: Floats,
    index: Ints,
    left_level: Doubles,
    right_level: Doubles,
    scale: float,
    least: float,
    highest: Doubles,
    count: Ints,
) -> None:
    """How far the best candidate of each row stands above the level of both, and how many count.

    In scales, and 0 where none does; an entry counts that is at most `-least` below.
    """
    for i in nb.prange(index.shape[0]):
        most = 0.0
        for c in range(index.shape[1]):
            if index[i, c] >= 0:
                level = (left_level[i] + right_level[index[i, c]]) / 2
                most = max(most, (score[i, c] - level) / scale)
        n = 0
        for c in range(index.shape[1]):
            if index[i, c] >= 0:
                level = (left_level[i] + right_level[index[i, c]]) / 2
                n += (score[i, c] - level) / scale - most >= least
        highest[i], count[i] = most, n


@parallel_to_the_bit
def list_excess(
    score: Floats,
    index: Ints,
    left_level: Doubles,
    right_level: Doubles,
    scale: float,
    least: float,
    highest: Doubles,
    start: Ints,
    entry: Ints,
    column: Ints,
    value: Doubles,
) -> None:
    """List exp of what `count_excess` counted, less the highest of its row."""
    for i in nb.prange(index.shape[0]):
        place = start[i]
        for c in range(index.shape[1]):
            if index[i, c] >= 0:
                level = (left_level[i] + right_level[index[i, c]]) / 2
                excess = (score[i, c] - level) / scale - highest[i]
                if excess >= least:
                    entry[place], column[place], value[place] = c, index[i, c], np.exp(excess)
                    place += 1


@parallel
def scale_rows_and_sum_columns(
    start: Ints,
    column: Ints,
    value: Doubles,
    column_scale: Doubles,
    nothing: Doubles,
    row_scale: Doubles,
    sums: Doubles,
) -> None:
    """One half of Sinkhorn: row_scale = 1 / (kernel @ column_scale + nothing); sums of the result.

    `nothing` is what each row may keep to itself. `sums` is (n_parts, n_columns); each part adds
    its rows into its own line, so that the result does not depend on which thread was first.
    """
    n_parts, n_rows = sums.shape[0], len(row_scale)
    for part in nb.prange(n_parts):
        for i in range(part * n_rows // n_parts, (part + 1) * n_rows // n_parts):
            total = nothing[i]
            for place in range(start[i], start[i + 1]):
                total += value[place] * column_scale[column[place]]
            scale = 1.0 / total if total > 0 else 0.0
            row_scale[i] = scale
            for place in range(start[i], start[i + 1]):
                sums[part, column[place]] += value[place] * scale


@parallel
def finish_assignment(
    start: Ints,
    entry: Ints,
    column: Ints,
    value: Doubles,
    row_scale: Doubles,
    column_scale: Doubles,
    out: Floats,
) -> None:
    """out = diag(row_scale) kernel diag(column_scale), 0 where no entry is listed."""
    for i in nb.prange(len(row_scale)):
        for place in range(start[i], start[i + 1]):
            out[i, entry[place]] = value[place] * row_scale[i] * column_scale[column[place]]


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
    label: Floats,
    time: Floats,
    consensus: Floats,
    likelihood: Floats,
    index: Ints,
    weights: Floats,
    best: Ints,
) -> None:
    """best[w, i]: the right place of row i with the largest weighted sum; -1 where there is none.

    Of sums that are as good as equal the lower place. `weights[w]` are those of label, time and
    consensus where the time is known, of label and consensus where it is not, and of likelihood.
    """
    n_parts = best.shape[0] and min(8, index.shape[0])
    for part in nb.prange(n_parts):
        place = np.empty(index.shape[1], np.int32)
        score = np.empty(index.shape[1], np.float32)
        terms = np.empty((6, index.shape[1]), np.float32)
        for i in range(part, index.shape[0], n_parts):
            own = label[i], time[i], consensus[i], likelihood[i]
            n = _list_terms(own, index[i], place, terms)
            for w in range(len(weights)):
                most = np.float32(-np.inf)
                for c in range(n):
                    total = weights[w, 0] * terms[0, c]
                    for term in range(1, 6):
                        total += weights[w, term] * terms[term, c]
                    score[c] = total
                    most = max(most, total)
                enough, lowest = most - np.float32(SCORE_TIE), np.int32(-1)
                for c in range(n):
                    if score[c] >= enough and (lowest < 0 or place[c] < lowest):
                        lowest = place[c]
                best[w, i] = lowest


@compiled
def _list_terms(
    own: tuple[Floats, Floats, Floats, Floats], index: Ints, place: Ints, terms: Floats
) -> int:
    """List the candidates of a row and what each weight multiplies, (6, n); return n."""
    label, time, consensus, likelihood = own
    n = 0
    for c in range(len(index)):
        if index[c] < 0:
            continue
        place[n] = index[c]
        terms[:, n] = 0
        terms[5, n] = likelihood[c]
        if np.isnan(time[c]):
            terms[3, n], terms[4, n] = label[c], consensus[c]
        else:
            terms[0, n], terms[1, n], terms[2, n] = label[c], time[c], consensus[c]
        n += 1
    return n


@parallel
def unite_rows(numbers: Ints, n_bits: int, count: Ints) -> None:
    """Rows of falling numbers, -1 at their ends: those equal but for their last bits become one.

    It has the bits of all of them. `count` says how many numbers each row has then.
    """
    for i in nb.prange(numbers.shape[0]):
        n = 0
        for c in range(numbers.shape[1]):
            own = numbers[i, c]
            if own < 0:
                break
            if n and numbers[i, n - 1] >> n_bits == own >> n_bits:
                numbers[i, n - 1] |= own
            else:
                numbers[i, n] = own
                n += 1
        numbers[i, n:] = -1
        count[i] = n
