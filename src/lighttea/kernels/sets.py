"""What the multisets and token sets of couples have in common."""

from __future__ import annotations

import numba as nb
import numpy as np

from lighttea.kernels.compiled import compiled, parallel
from lighttea.kernels.selection import keep_largest
from lighttea.types import Floats, Ints

VALUE_STEPS = 1 << 15  # of a token's value: whole steps add up alike in any order
PLACE_BITS, SPARE_BITS = 31, 6  # of a key that sorts by score, then by place
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
    node: Ints, key: Ints, start: Ints, token: Ints, slots: Ints, seen: Ints
) -> tuple[int, int]:
    """Distinct keys get numbers from 0 as they come; each node's distinct ones are listed.

    `node` rises. `start` is (n_nodes + 1,), `token` has room for all rows; `slots` is a hash table
    of numbers, -1 where free, its length a power of two above the number of rows; `seen` has a row
    of key, last node and number of holders for each number: what is read together lies together.
    How many tokens were listed, and how many there are.
    """
    mask, n_listed, n_tokens, row = len(slots) - 1, 0, 0, 0
    for one in range(len(start) - 1):
        start[one] = n_listed
        while row < len(node) and node[row] == one:
            mixed = np.uint64(key[row]) * np.uint64(0x9E3779B97F4A7C15)
            slot = np.int64(mixed >> np.uint64(20)) & mask
            while slots[slot] >= 0 and seen[slots[slot], 0] != key[row]:
                slot = (slot + 1) & mask
            number = slots[slot]
            if number < 0:
                number = n_tokens
                slots[slot] = number
                seen[number, 0], seen[number, 1], seen[number, 2] = key[row], -1, 0
                n_tokens += 1
            if seen[number, 1] != one:
                seen[number, 1] = one
                token[n_listed] = number
                seen[number, 2] += 1
                n_listed += 1
            row += 1
    start[len(start) - 1] = n_listed
    return n_listed, n_tokens


@compiled
def number_keys(key: Ints, slots: Ints, distinct: Ints, out: Ints) -> int:
    """Equal keys get the same number, from 0 as they come; return how many there are.

    `slots` is a hash table of numbers as in `number_tokens`; `distinct` has room for all keys.
    """
    mask, count = len(slots) - 1, 0
    for row in range(len(key)):
        mixed = np.uint64(key[row]) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64(mixed >> np.uint64(20)) & mask
        while slots[slot] >= 0 and distinct[slots[slot]] != key[row]:
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            slots[slot], distinct[count] = count, key[row]
            count += 1
        out[row] = slots[slot]
    return count


@compiled
def list_keys(
    node: Ints,
    neighbour: Ints,
    name: Ints,
    relation: Ints,
    relation_class: Ints,
    time: Ints,
    class_bits: int,
    time_bits: int,
    out_node: Ints,
    out_key: Ints,
) -> int:
    """List the node and the key of each row whose parts are known; return how many there are.

    A key is made of the name of the neighbour, which is another node, of the class of the relation,
    and of the time. Where a column is empty, keys are made without it. Unknown is negative.
    """
    count = 0
    for row in range(len(node)):
        key = np.int64(0)
        if len(neighbour):
            key = name[neighbour[row]] if neighbour[row] != node[row] else np.int64(-1)
        if len(relation):
            part = relation_class[relation[row]]
            key = (key << class_bits) | part if key >= 0 and part >= 0 else np.int64(-1)
        if len(time):
            part = np.int64(time[row])
            key = (key << time_bits) | part if key >= 0 and part >= 0 else np.int64(-1)
        out_node[count], out_key[count] = node[row], key
        if key >= 0:
            count += 1
    return count


@compiled
def list_lengths(start: Ints, token: Ints, weight: Floats, length: Floats) -> None:
    """length[n]: the root of the summed weights of the tokens of node n."""
    for n in range(len(length)):
        total = 0.0
        for place in range(start[n], start[n + 1]):
            total += weight[token[place]]
        length[n] = np.sqrt(total)


@compiled
def keep_shared(start: Ints, token: Ints, n_first: int, sides: Ints, out: Ints) -> None:
    """The lists without tokens that only the first nodes have, or only the others; in place.

    `sides` has a 0 for each token; `out` is the new start.
    """
    for place in range(len(token)):
        sides[token[place]] |= 1 if place < start[n_first] else 2
    count = 0
    for n in range(len(start) - 1):
        out[n] = count
        for place in range(start[n], start[n + 1]):
            if sides[token[place]] == 3:
                token[count] = token[place]
                count += 1
    out[len(start) - 1] = count


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
    value: Ints,
    holder_start: Ints,
    holder: Ints,
    holder_value: Ints,
    n_right: int,
    n_parts: int,
    index: Ints,
) -> None:
    """The places of the right rows with the largest inner product of tokens; index is -1 before.

    Values are whole numbers of small steps: their sum is the same in any order, and
    where two are equal the lower place comes first. A token of all rows has no value.
    """
    k = index.shape[1]
    for part in nb.prange(n_parts):
        scores, touched = np.zeros(n_right, np.int64), np.empty(n_right + 1, np.int32)
        keys, places = np.empty(2 * k, np.int64), np.empty(2 * k, np.int32)
        for i in range(part, len(start) - 1, n_parts):
            n_touched = 0
            for position in range(start[i], start[i + 1]):
                own = np.int64(value[position])
                for other in range(
                    holder_start[token[position]], holder_start[token[position] + 1]
                ):
                    place, gain = holder[other], own * holder_value[other]
                    before = scores[place]
                    touched[n_touched] = place  # stays if it is new: no branch to guess
                    n_touched += (before == 0) & (gain > 0)
                    scores[place] = before + gain
            count, floor = 0, np.int64(LAST_PLACE)  # a score of nothing
            for c in range(n_touched):
                place = touched[c]
                key = scores[place] >> SPARE_BITS << PLACE_BITS | (LAST_PLACE - place)
                scores[place] = 0
                if key <= floor:
                    continue
                keys[count], places[count] = key, place
                count += 1
                if count == 2 * k:
                    keep_largest(keys, places, count, k)
                    count, floor = k, keys[:k].min()
            if count > k:
                keep_largest(keys, places, count, k)
            for c in range(min(count, k)):
                index[i, c] = places[c]


@compiled
def group(key: Ints, start: Ints, order: Ints) -> None:
    """The places of equal keys one after the other, keys rising; start[key] is the first of them.

    `start` is (n_keys + 1,), all 0 before. Counting takes no comparison.
    """
    for place in range(len(key)):
        start[key[place] + 1] += 1
    for one in range(1, len(start)):
        start[one] += start[one - 1]
    for place in range(len(key)):
        order[start[key[place]]] = place
        start[key[place]] += 1
    for one in range(len(start) - 1, 0, -1):
        start[one] = start[one - 1]
    start[0] = 0
