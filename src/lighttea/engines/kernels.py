"""The compiled loops of the CPU engine. Each has a slow reference in the tests.

All take plain arrays and fill or return plain arrays; none knows of sides, graphs or equations.
`fastmath` is limited to what keeps infinities and NaN meaningful.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from lighttea.engines.compiled import compiled
from lighttea.types import Doubles, Floats, Ints

_FAST = {"contract", "reassoc", "arcp", "nsz"}
_STRIDE = 16  # entries looked at together


def _parallel(function: Any) -> Any:
    return compiled(function, parallel=True, fastmath=_FAST)


@_parallel
def add_product(
    start: Ints,
    columns: Ints,
    weights: Floats,
    place: Ints,
    values: Any,
    scale: Floats,
    begin: int,
    out: Floats,
) -> None:
    """Sparse times dense: out[i] += sum_j weights[begin + i, j] * (row of j)."""
    for i in nb.prange(len(out)):
        for position in range(start[begin + i], start[begin + i + 1]):
            row = place[columns[position]]
            if row >= 0:
                weight = weights[position] * scale[row, 0]
                for d in range(out.shape[1]):
                    out[i, d] += weight * values[row, d]


@_parallel
def normalise_rows(rows: Floats) -> None:
    """Scale each row to length one in place; a zero row stays zero."""
    for i in nb.prange(rows.shape[0]):
        square = np.float32(0)
        for d in range(rows.shape[1]):
            square += rows[i, d] * rows[i, d]
        if square > 0:
            scale = np.float32(1) / np.sqrt(square)
            for d in range(rows.shape[1]):
                rows[i, d] *= scale


@_parallel
def nonzero_rows(rows: Floats) -> Floats:
    """1 for a row with an entry other than zero, else 0."""
    out = np.zeros(rows.shape[0], np.float32)
    for i in nb.prange(rows.shape[0]):
        for d in range(rows.shape[1]):
            if rows[i, d] != 0:
                out[i] = 1
                break
    return out


@_parallel
def quantise_rows(block: Floats, values: Any, scale: Floats) -> None:
    """Each row in eight bits: values in -127 ... 127 and what one step of them stands for."""
    for i in nb.prange(block.shape[0]):
        most = np.float32(0)
        for d in range(block.shape[1]):
            most = max(most, abs(block[i, d]))
        scale[i] = most / np.float32(127)
        steps = np.float32(127) / most if most > 0 else np.float32(0)
        for d in range(block.shape[1]):
            values[i, d] = np.int8(np.rint(block[i, d] * steps))


@_parallel
def restore_rows(values: Any, scale: Floats, numbers: Ints, out: Floats) -> None:
    """out[i] = row numbers[i] in float32, every part times its scale."""
    n_parts = scale.shape[1]
    width = values.shape[1] // n_parts
    for i in nb.prange(len(numbers)):
        for part in range(n_parts):
            factor = scale[numbers[i], part]
            for d in range(part * width, (part + 1) * width):
                out[i, d] = factor * values[numbers[i], d]


@_parallel
def stretch_parts(values: Floats, factor: Floats) -> None:
    """Multiply each part of each row by its factor, in place."""
    n_parts = factor.shape[1]
    width = values.shape[1] // n_parts
    for i in nb.prange(values.shape[0]):
        for part in range(n_parts):
            for d in range(part * width, (part + 1) * width):
                values[i, d] *= factor[i, part]


@_parallel
def add_sums_of_products(
    start: Ints,
    neighbours: Ints,
    others: Ints,
    nodes: Ints,
    place: Ints,
    values: Any,
    scale: Floats,
    length: Floats,
    other_rows: Floats,
    out: Floats,
) -> None:
    """out[i] += over the couples (a, b) of nodes[i]: length[a] * (row of a) * other_rows[b].

    Rows are multiplied element by element.
    """
    for i in nb.prange(len(nodes)):
        for position in range(start[nodes[i]], start[nodes[i] + 1]):
            a, b = neighbours[position], others[position]
            row = place[a]
            if row >= 0:
                weight = length[a] * scale[row, 0]
                for d in range(out.shape[1]):
                    out[i, d] += weight * values[row, d] * other_rows[b, d]


@compiled
def _keep_largest(values: Floats, places: Ints, filled: int, k: int) -> None:
    """Partition the first `filled` entries so that the k largest stand first (quickselect)."""
    low, high = 0, filled - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                places[i], places[j] = places[j], places[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return


@compiled
def _append_above(
    row: Floats, offset: int, floor: float, count: int, values: Floats, places: Ints
) -> tuple[int, float]:
    """Append the entries above the floor, cutting the buffer to its k best when it is full.

    A stride without any entry above the floor is passed over; in the others every entry is
    written and the end of the buffer moves on only for those that stay: no branch for the
    processor to guess. The buffer has room for 2k entries and one stride more.
    """
    k = (len(values) - _STRIDE) // 2
    for begin in range(0, len(row), _STRIDE):
        end = min(begin + _STRIDE, len(row))
        hits = 0
        for j in range(begin, end):
            hits += row[j] > floor
        if hits == 0:
            continue
        for j in range(begin, end):
            values[count] = row[j]
            places[count] = offset + j
            count += row[j] > floor
        if count >= 2 * k:
            _keep_largest(values, places, count, k)
            floor = max(floor, values[:k].min())
            count = k
    return count, floor


@_parallel
def likely_floors(sample: Floats, rank: int) -> Floats:
    """The rank-th largest entry of each row: what few more than k of all entries should exceed."""
    floors = np.empty(sample.shape[0], np.float32)
    for i in nb.prange(sample.shape[0]):
        values, places = (
            np.empty(2 * rank + _STRIDE, np.float32),
            np.empty(2 * rank + _STRIDE, np.int32),
        )
        count, _ = _append_above(sample[i], 0, -np.inf, 0, values, places)
        if count > rank:
            _keep_largest(values, places, count, rank)
        floors[i] = values[: min(count, rank)].min()
    return floors


@_parallel
def select_above(
    block: Floats, offset: int, floors: Floats, values: Floats, places: Ints, filled: Ints
) -> None:
    """Merge the entries of a block above each row's floor into its buffer.

    The buffer keeps at least the k best of them; the floor rises when it is cut.
    """
    for i in nb.prange(block.shape[0]):
        filled[i], floors[i] = _append_above(
            block[i], offset, floors[i], filled[i], values[i], places[i]
        )


@compiled
def _first_shared(one: Ints, other: Ints) -> int:
    """The smallest entry of two sorted rows that is in both; -1 where there is none."""
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            return int(one[i])
        if one[i] < other[j]:
            i += 1
        else:
            j += 1
    return -1


@compiled
def select_in_cell(
    block: Floats,
    cell: int,
    rows: Ints,
    members: Ints,
    row_cells: Ints,
    member_cells: Ints,
    floors: Floats,
    values: Floats,
    places: Ints,
    filled: Ints,
) -> None:
    """As `select_above` for the rows and members of one cell, in the calling thread alone.

    A couple that shares several cells counts in the first of them only.
    """
    k = (values.shape[1] - _STRIDE) // 2
    for i in range(block.shape[0]):
        row = rows[i]
        count, floor = filled[row], floors[row]
        for begin in range(0, block.shape[1], _STRIDE):
            end = min(begin + _STRIDE, block.shape[1])
            hits = 0
            for j in range(begin, end):
                hits += block[i, j] > floor
            if hits == 0:
                continue
            for j in range(begin, end):
                if block[i, j] > floor:
                    member = members[j]
                    values[row, count] = block[i, j]
                    places[row, count] = member
                    count += _first_shared(row_cells[row], member_cells[member]) == cell
            if count >= 2 * k:
                _keep_largest(values[row], places[row], count, k)
                floor = max(floor, values[row, :k].min())
                count = k
        filled[row], floors[row] = count, floor


@_parallel
def finish_largest(values: Floats, places: Ints, filled: Ints) -> None:
    """Cut each buffer to its k best, in no order."""
    k = (values.shape[1] - _STRIDE) // 2
    for i in nb.prange(values.shape[0]):
        if filled[i] > k:
            _keep_largest(values[i], places[i], filled[i], k)
            filled[i] = k


def selection_buffers(n_rows: int, k: int) -> tuple[Floats, Ints, Ints]:
    """values, places and how much of them is filled, for `select_above`."""
    width = 2 * k + _STRIDE
    values, places = np.empty((n_rows, width), np.float32), np.empty((n_rows, width), np.int32)
    return values, places, np.zeros(n_rows, np.int64)


@_parallel
def multiset_dice(
    start: Ints,
    columns: Ints,
    counts: Floats,
    n_columns: int,
    left: Ints,
    right: Ints,
    index: Ints,
    n_parts: int,
    out: Floats,
) -> None:
    """out[i, c] = 2 |A & B| / (|A| + |B|) of the multisets at rows left[i] and right[index[i, c]].

    NaN where one of them is empty or there is no candidate. The rows are dealt out to `n_parts`
    parts, each with a dense scratch row of its own.
    """
    for part in nb.prange(n_parts):
        mine = np.zeros(n_columns, np.float32)
        for i in range(part, len(left), n_parts):
            begin, end = start[left[i]], start[left[i] + 1]
            own = np.float32(0)
            for position in range(begin, end):
                mine[columns[position]] = counts[position]
                own += counts[position]
            for c in range(index.shape[1]):
                shared, other = np.float32(0), np.float32(0)
                if index[i, c] >= 0 and end > begin:
                    row = right[index[i, c]]
                    for position in range(start[row], start[row + 1]):
                        shared += min(mine[columns[position]], counts[position])
                        other += counts[position]
                out[i, c] = 2 * shared / (own + other) if other > 0 else np.nan
            for position in range(begin, end):
                mine[columns[position]] = 0


@_parallel
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


@_parallel
def best_of_rows(score: Floats, index: Ints, out: Floats) -> None:
    """out[i] holds the largest scores of row i, falling; 0 where there are fewer."""
    for i in nb.prange(index.shape[0]):
        out[i] = 0
        for c in range(index.shape[1]):
            if index[i, c] >= 0:
                _insert(out[i], score[i, c])


@compiled
def best_of_columns(score: Floats, index: Ints, out: Floats) -> None:
    """out[j] holds the largest scores of those who have j for a candidate, falling; 0 then."""
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


@_parallel
def best_by_weights(
    label: Floats, time: Floats, consensus: Floats, index: Ints, weights: Floats, best: Ints
) -> None:
    """best[i]: the right place of row i with the largest weighted sum; -1 where there is none.

    `weights` are those of label, time and consensus where the time is known, and of label and
    consensus where it is not.
    """
    for i in nb.prange(index.shape[0]):
        top = np.float32(-np.inf)
        best[i] = -1
        for c in range(index.shape[1]):
            if index[i, c] < 0:
                continue
            if np.isnan(time[i, c]):
                score = weights[3] * label[i, c] + weights[4] * consensus[i, c]
            else:
                score = (
                    weights[0] * label[i, c]
                    + weights[1] * time[i, c]
                    + weights[2] * consensus[i, c]
                )
            if score > top:
                top, best[i] = score, index[i, c]


@_parallel
def candidate_dots(
    left: Floats,
    left_scale: Floats,
    right: Floats,
    right_scale: Floats,
    rows: Ints,
    index: Ints,
    n_parts: int,
    out: Floats,
) -> None:
    """out[i, c] = left[rows[i]] . right[index[i, c]] over the first parts; 0 where index is -1."""
    width = left.shape[1] // left_scale.shape[1]
    for i in nb.prange(index.shape[0]):
        row = rows[i]
        for c in range(index.shape[1]):
            total, j = np.float32(0), index[i, c]
            for part in range(n_parts if j >= 0 else 0):
                one = left[row, part * width : (part + 1) * width]
                other = right[j, part * width : (part + 1) * width]
                dot = np.float32(0)
                for d in range(width):
                    dot += one[d] * other[d]
                total += dot * left_scale[row, part] * right_scale[j, part]
            out[i, c] = total


@_parallel
def compact_candidate_dots(
    left: Any,
    left_scale: Floats,
    right: Any,
    right_scale: Floats,
    rows: Ints,
    index: Ints,
    n_parts: int,
    out: Floats,
) -> None:
    """`candidate_dots` of rows of eight bits, in whole numbers until the end."""
    width = left.shape[1] // left_scale.shape[1]
    for i in nb.prange(index.shape[0]):
        row = rows[i]
        for c in range(index.shape[1]):
            total, j = np.float32(0), index[i, c]
            for part in range(n_parts if j >= 0 else 0):
                one = left[row, part * width : (part + 1) * width]
                other = right[j, part * width : (part + 1) * width]
                dot = np.int32(0)
                for d in range(width):
                    dot = np.int32(dot + np.int32(np.int16(one[d]) * np.int16(other[d])))
                total += np.float32(dot) * left_scale[row, part] * right_scale[j, part]
            out[i, c] = total


@_parallel
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


@compiled
def number_tokens(
    node: Ints, key: Ints, start: Ints, token: Ints, holders: Ints, slots: Ints, seen: Ints
) -> tuple[int, int]:
    """Distinct keys get numbers from 0 as they come; each node's distinct ones are listed.

    `node` rises. `start` is (n_nodes + 1,), `token` and `holders` have room for all rows; `slots`
    is a hash table of numbers, -1 where free, its length a power of two above the number of rows;
    `seen` has room for the key and the last node of each number. How many tokens were listed, and
    how many there are.
    """
    mask, n_listed, n_tokens, row = len(slots) - 1, 0, 0, 0
    for one in range(len(start) - 1):
        start[one] = n_listed
        while row < len(node) and node[row] == one:
            mixed = np.uint64(key[row]) * np.uint64(0x9E3779B97F4A7C15)
            slot = np.int64(mixed >> np.uint64(20)) & mask
            while slots[slot] >= 0 and seen[0, slots[slot]] != key[row]:
                slot = (slot + 1) & mask
            number = slots[slot]
            if number < 0:
                number = n_tokens
                slots[slot] = number
                seen[0, number], seen[1, number] = key[row], -1
                holders[number] = 0
                n_tokens += 1
            if seen[1, number] != one:
                seen[1, number] = one
                token[n_listed] = number
                holders[number] += 1
                n_listed += 1
            row += 1
    start[len(start) - 1] = n_listed
    return n_listed, n_tokens


@_parallel
def add_token_cosines(
    start: Ints,
    token: Ints,
    weight: Floats,
    length: Floats,
    left: Ints,
    right: Ints,
    index: Ints,
    factor: float,
    n_parts: int,
    out: Floats,
) -> None:
    """out[i, c] += factor * (weights of shared tokens) / (lengths of both nodes).

    The rows are dealt out to `n_parts` parts, each with a dense scratch row of its own.
    """
    for part in nb.prange(n_parts):
        mine = np.zeros(len(weight), np.float32)
        for i in range(part, len(left), n_parts):
            begin, end = start[left[i]], start[left[i] + 1]
            if begin == end:
                continue
            for position in range(begin, end):
                mine[token[position]] = weight[token[position]]
            for c in range(index.shape[1]):
                if index[i, c] < 0:
                    continue
                node = right[index[i, c]]
                shared = np.float32(0)
                for position in range(start[node], start[node + 1]):
                    shared += mine[token[position]]
                if shared > 0:
                    out[i, c] += factor * shared / (length[left[i]] * length[node])
            for position in range(begin, end):
                mine[token[position]] = 0


@_parallel
def suggest_by_tokens(
    start: Ints,
    token: Ints,
    value: Floats,
    holder_start: Ints,
    holder: Ints,
    holder_value: Floats,
    n_right: int,
    n_parts: int,
    index: Ints,
) -> None:
    """The places of the right rows with the largest inner product of tokens; index is -1 before."""
    k = index.shape[1]
    for part in nb.prange(n_parts):
        scores = np.zeros(n_right, np.float32)
        values, places = np.empty(n_right, np.float32), np.empty(n_right, np.int32)
        for i in range(part, len(start) - 1, n_parts):
            count = 0
            for position in range(start[i], start[i + 1]):
                one = token[position]
                for other in range(holder_start[one], holder_start[one + 1]):
                    place, gain = holder[other], value[position] * holder_value[other]
                    if gain <= 0:  # what everybody has tells nothing
                        continue
                    if scores[place] == 0:
                        places[count] = place
                        count += 1
                    scores[place] += gain
            for c in range(count):
                values[c] = scores[places[c]]
                scores[places[c]] = 0
            if count > k:
                _keep_largest(values, places, count, k)
            for c in range(min(count, k)):
                index[i, c] = places[c]
