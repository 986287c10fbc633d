"""Rare tokens of both sides, and who has them: what proposes candidates.

A token that both sides have is rare if at most so many of either side have it. Decoys, the right
nodes after the first `n_targets`, have tokens but make none common.
"""

from __future__ import annotations

import numpy as np

from lighttea.kernels.compiled import compiled
from lighttea.types import Floats, Ints


@compiled
def number_rare_tokens(
    start: Ints,
    token: Ints,
    left: Ints,
    right: Ints,
    n_targets: int,
    most: int,
    first: int,
    number: Ints,
    answers: Ints,
) -> int:
    """Rare tokens get numbers from `first` on, all others -1; return how many they are.

    answers[n]: right nodes that have the token of number n; it has room for all tokens.
    """
    askers, targets, holders = (
        np.zeros(len(number), np.int32),
        np.zeros(len(number), np.int32),
        np.zeros(len(number), np.int32),
    )
    for node in left:
        for place in range(start[node], start[node + 1]):
            askers[token[place]] += 1
    for row in range(len(right)):
        for place in range(start[right[row]], start[right[row] + 1]):
            holders[token[place]] += 1
            targets[token[place]] += row < n_targets
    count = 0
    for one in range(len(number)):
        number[one] = -1
        if 0 < askers[one] <= most and 0 < targets[one] <= most:
            number[one], answers[first + count] = first + count, holders[one]
            count += 1
    return count


@compiled
def list_holders(
    start: Ints,
    token: Ints,
    weight: Floats,
    length: Floats,
    factor: float,
    number: Ints,
    right: Ints,
    holder_next: Ints,
    holder: Ints,
    holder_value: Floats,
) -> None:
    """List the right rows that have each rare token, from `holder_next` on, which moves along."""
    for row in range(len(right)):
        node = right[row]
        for place in range(start[node], start[node + 1]):
            rare = number[token[place]]
            if rare >= 0:
                at = holder_next[rare]
                holder[at] = row
                holder_value[at] = _share(factor, weight[token[place]], length[node])
                holder_next[rare] = at + 1


@compiled
def add_answers(
    start: Ints, token: Ints, number: Ints, left: Ints, answers: Ints, totals: Ints
) -> None:
    """totals[i, g] += answers to the rare tokens of left row i that have rarity g."""
    for row in range(len(left)):
        for place in range(start[left[row]], start[left[row] + 1]):
            rare = number[token[place]]
            if rare >= 0:
                totals[row, _rarity(answers[rare], totals.shape[1])] += answers[rare]


@compiled
def find_limits(totals: Ints, most: int, limit: Ints) -> None:
    """limit[i]: the last rarity that row i asks for: the first, or no more than `most` answer."""
    for row in range(len(limit)):
        before = 0
        for group in range(totals.shape[1]):
            through = before + totals[row, group]
            if before == 0 or through <= most:
                limit[row] = group
            before = through


@compiled
def count_asked(
    start: Ints,
    token: Ints,
    number: Ints,
    left: Ints,
    answers: Ints,
    limit: Ints,
    n_groups: int,
    count: Ints,
) -> None:
    """count[i] += rare tokens of left row i within its limit."""
    for row in range(len(left)):
        for place in range(start[left[row]], start[left[row] + 1]):
            rare = number[token[place]]
            count[row] += rare >= 0 and _rarity(answers[rare], n_groups) <= limit[row]


@compiled
def list_asked(
    start: Ints,
    token: Ints,
    weight: Floats,
    length: Floats,
    factor: float,
    number: Ints,
    left: Ints,
    answers: Ints,
    limit: Ints,
    n_groups: int,
    asked_next: Ints,
    asked: Ints,
    asked_value: Floats,
) -> None:
    """List what `count_asked` counted, from `asked_next` on, which moves along."""
    for row in range(len(left)):
        node = left[row]
        for place in range(start[node], start[node + 1]):
            rare = number[token[place]]
            if rare >= 0 and _rarity(answers[rare], n_groups) <= limit[row]:
                at = asked_next[row]
                asked[at] = rare
                asked_value[at] = _share(factor, weight[token[place]], length[node])
                asked_next[row] = at + 1


@compiled
def _share(factor: float, weight: float, length: float) -> float:
    """Return a token's share of the length of a row."""
    share: float = np.sqrt(np.float32(factor) * weight) / max(length, np.float32(1e-9))
    return share


@compiled
def _rarity(holders: int, n_groups: int) -> int:
    """Return the group of like rarity: of tokens with 1, 2 to 3, 4 to 7 holders and so on."""
    group = 0
    while holders and group < n_groups - 1:
        holders >>= 1
        group += 1
    return group
