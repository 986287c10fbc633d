"""What the multisets and token sets of couples have in common."""

from __future__ import annotations

import numba as nb
import numpy as np

from lighttea.kernels.compiled import compiled, parallel
from lighttea.kernels.selection import keep_largest
from lighttea.types import Floats, Ints

GAIN_STEPS = 1 << 24  # of what a shared token says: whole steps add up alike in any order
PLACE_BITS = 31
LAST_PLACE = (1 << PLACE_BITS) - 1


@parallel
def multiset_dice(
    left_start: Ints,
    left_columns: Ints,
    left_counts: Floats,
    right_start: Ints,
    right_columns: Ints,
    right_counts: Floats,
    n_columns: int,
    index: Ints,
    n_parts: int,
    out: Floats,
) -> None:
    """out[i, c] = 2 |A & B| / (|A| + |B|) of the multisets of left row i and right row index[i, c].

    NaN where one of them is empty or there is no candidate. The rows are dealt out to `n_parts`
    parts, each with a dense scratch row of its own.
    """
    for part in nb.prange(n_parts):
        mine = np.zeros(n_columns, np.float32)
        for i in range(part, index.shape[0], n_parts):
            begin, end = left_start[i], left_start[i + 1]
            own = np.float32(0)
            for position in range(begin, end):
                mine[left_columns[position]] = left_counts[position]
                own += left_counts[position]
            for c in range(index.shape[1]):
                shared, other = np.float32(0), np.float32(0)
                if index[i, c] >= 0 and end > begin:
                    row = index[i, c]
                    for position in range(right_start[row], right_start[row + 1]):
                        count = right_counts[position]
                        shared += min(mine[right_columns[position]], count)
                        other += count
                out[i, c] = 2 * shared / (own + other) if other > 0 else np.nan
            for position in range(begin, end):
                mine[left_columns[position]] = 0


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


@parallel
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


@parallel
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
    """The places of the right rows with the largest inner product of tokens; index is -1 before.

    Products are whole numbers of small steps: their sum is the same in any order, and where two are
    equal the lower place comes first.
    """
    k = index.shape[1]
    for part in nb.prange(n_parts):
        scores = np.zeros(n_right, np.int64)
        keys, places = np.empty(n_right, np.int64), np.empty(n_right, np.int32)
        for i in range(part, len(start) - 1, n_parts):
            count = 0
            for position in range(start[i], start[i + 1]):
                one = token[position]
                for other in range(holder_start[one], holder_start[one + 1]):
                    place, product = holder[other], value[position] * holder_value[other]
                    gain = np.int64(np.float64(product) * GAIN_STEPS + 0.5)
                    if gain <= 0:  # a token of all rows tells nothing
                        continue
                    if scores[place] == 0:
                        places[count] = place
                        count += 1
                    scores[place] += gain
            for c in range(count):
                keys[c] = scores[places[c]] << PLACE_BITS | (LAST_PLACE - places[c])
                scores[places[c]] = 0
            if count > k:
                keep_largest(keys, places, count, k)
            for c in range(min(count, k)):
                index[i, c] = places[c]
