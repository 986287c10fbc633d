"""How much likelier the facts of couples are if they are one than by chance."""

from __future__ import annotations

import numba as nb
import numpy as np

from lighttea.kernels.compiled import compiled, parallel
from lighttea.types import Doubles, Floats, Ints

MOST_LOG_ODDS = 50.0  # log-odds beyond which exp would say no more


@parallel
def fact_log_odds(  # noqa: PLR0912 - a call for each part is slower
    start: Ints,
    tail: Ints,
    relation: Ints,
    rarity: Floats,
    tick_start: Ints,
    tick: Ints,
    tick_rarity: Floats,
    pair_start: Ints,
    pair_right: Ints,
    pair_chance: Floats,
    missing: Floats,
    couple_start: Ints,
    couple_relation: Ints,
    couple_log: Floats,
    relation_log: Floats,
    time_log: Floats,
    unseen: float,
    most: int,
    left: Ints,
    right: Ints,
    index: Ints,
    n_parts: int,
    out: Floats,
) -> None:
    """out[i, c]: log-odds of left[i] and right[index[i, c]] by the facts that both or one have.

    A fact adds half of what the best couple with a fact of the other side says, whose neighbour may
    be the same; one without such a couple adds what is `missing`. `most` couples of a fact and a
    likely neighbour belong to one left entity, at most. Times are compared where they can matter:
    where a couple with all its ticks in common could be the best of either fact.
    """
    all_missing = _sums_of_lists(start, missing)
    couples = _hash_couples(couple_start, couple_relation, couple_log)
    most_by_ticks = _sums_of_lists(tick_start, tick_rarity) / 2
    for part in nb.prange(n_parts):
        last = np.empty(len(start) - 1, np.int64)  # entry of a right neighbour that is likely
        is_likely = np.zeros(len(start) - 1, np.bool_)  # small, so that it stays near
        before, owner = np.empty(most, np.int64), np.empty(most, np.int64)
        chance, best = np.empty(most), np.empty(most)
        for i in range(part, index.shape[0], n_parts):
            begin, end = start[left[i]], start[left[i] + 1]
            n_entries = 0
            for fact in range(begin, end):
                best[fact - begin] = -np.inf
                for pair in range(pair_start[tail[fact]], pair_start[tail[fact] + 1]):
                    neighbour = pair_right[pair]
                    before[n_entries] = last[neighbour] if is_likely[neighbour] else -1
                    owner[n_entries], chance[n_entries] = fact, pair_chance[pair]
                    last[neighbour], is_likely[neighbour] = n_entries, True
                    n_entries += 1
            for c in range(index.shape[1]):
                if index[i, c] < 0:
                    continue
                there = right[index[i, c]]
                total, is_any = all_missing[left[i]] + all_missing[there], False
                for other in range(start[there], start[there + 1]):
                    if not is_likely[tail[other]]:
                        continue
                    entry, highest = last[tail[other]], -np.inf
                    while entry >= 0:
                        fact = owner[entry]
                        own = fact - begin
                        here, beyond = relation[fact], relation[other]
                        odds = _log_of_couple(couples, here, beyond, unseen) + relation_log[here]
                        odds += relation_log[beyond]
                        odds += (rarity[fact] + rarity[other]) / 2
                        at_most = max(odds, 0.0) + most_by_ticks[fact] + most_by_ticks[other]
                        if at_most > highest or at_most > best[own]:
                            if odds > 0:
                                odds += _odds_of_ticks(
                                    tick_start[fact : fact + 2],
                                    tick_start[other : other + 2],
                                    tick, tick_rarity, time_log[here],
                                )  # fmt: skip
                            if chance[entry] < 1:
                                odds = np.log1p(chance[entry] * np.expm1(min(odds, MOST_LOG_ODDS)))
                            highest = max(highest, odds)
                            best[own] = max(best[own], odds)
                        entry = before[entry]
                    total += highest / 2 - missing[other]
                    is_any = True
                if is_any:
                    for own in range(end - begin):
                        if best[own] > -np.inf:
                            total += best[own] / 2 - missing[begin + own]
                            best[own] = -np.inf
                out[i, c] = total
            for fact in range(begin, end):
                for pair in range(pair_start[tail[fact]], pair_start[tail[fact] + 1]):
                    is_likely[pair_right[pair]] = False


@compiled
def _sums_of_lists(start: Ints, value: Floats) -> Doubles:
    """Return the sum of the values of each list."""
    total: Doubles = np.zeros(len(start) - 1)
    for one in range(len(total)):
        for place in range(start[one], start[one + 1]):
            total[one] += value[place]
    return total


@compiled
def _hash_couples(start: Ints, relation: Ints, log: Floats) -> tuple[Ints, Doubles]:
    """Return the couples of relations as a hash table: their keys, -1 where free, and values."""
    size = 2
    while size < 2 * len(relation):
        size *= 2
    slots, values = np.full(size, -1, np.int64), np.zeros(size)
    for here in range(len(start) - 1):
        for place in range(start[here], start[here + 1]):
            key = np.int64(here) << 32 | relation[place]
            slot = _first_slot(key, size)
            while slots[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            slots[slot], values[slot] = key, log[place]
    return slots, values


@compiled
def _first_slot(key: int, size: int) -> int:
    """Return where a key stands in a hash table of that size, or after it."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return int(mixed >> np.uint64(24)) & (size - 1)


@compiled
def _log_of_couple(couples: tuple[Ints, Doubles], here: int, there: int, unseen: float) -> float:
    """Return the log-odds of two relations."""
    slots, values = couples
    key = np.int64(here) << 32 | there
    slot = _first_slot(key, len(slots))
    while slots[slot] >= 0 and slots[slot] != key:
        slot = (slot + 1) & (len(slots) - 1)
    log: float = values[slot] if slots[slot] == key else unseen
    return log


@compiled
def _odds_of_ticks(
    own: Ints, other: Ints, tick: Ints, tick_rarity: Floats, time_log: Floats
) -> float:
    """Return the log-odds of the times of two facts: 0 where one has none."""
    a, a_end, b, b_end = own[0], own[1], other[0], other[1]
    if a == a_end or b == b_end:
        return 0.0
    common, n_common = 0.0, 0
    while a < a_end and b < b_end:
        if tick[a] == tick[b]:
            common += (tick_rarity[a] + tick_rarity[b]) / 2
            n_common += 1
        step = tick[a] <= tick[b]
        b += tick[b] <= tick[a]
        a += step
    odds: float = time_log[0] + common if n_common else time_log[1]
    return odds
