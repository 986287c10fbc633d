"""How much likelier the facts of couples are if they are one than by chance."""

from __future__ import annotations

import numba as nb
import numpy as np

from lighttea.kernels.compiled import compiled, parallel
from lighttea.types import Floats, Ints

_MOST = 50.0  # log-odds beyond which exp would say no more


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
    likely neighbour belong to one left entity, at most.
    """
    for part in nb.prange(n_parts):
        last = np.full(len(start) - 1, -1, np.int64)  # entry of a right neighbour
        before, owner = np.empty(most, np.int64), np.empty(most, np.int64)
        chance, best = np.empty(most), np.empty(most)
        for i in range(part, index.shape[0], n_parts):
            begin, end = start[left[i]], start[left[i] + 1]
            n_entries, all_missing = 0, 0.0
            for fact in range(begin, end):
                best[fact - begin] = -np.inf
                all_missing += missing[fact]
                for pair in range(pair_start[tail[fact]], pair_start[tail[fact] + 1]):
                    before[n_entries] = last[pair_right[pair]]
                    owner[n_entries], chance[n_entries] = fact, pair_chance[pair]
                    last[pair_right[pair]] = n_entries
                    n_entries += 1
            for c in range(index.shape[1]):
                if index[i, c] < 0:
                    continue
                there = right[index[i, c]]
                total, is_any = all_missing, False
                for other in range(start[there], start[there + 1]):
                    entry, highest = last[tail[other]], -np.inf
                    if entry < 0:
                        total += missing[other]
                        continue
                    while entry >= 0:
                        odds = _couple_odds(
                            owner[entry], other, relation, rarity, tick_start, tick, tick_rarity,
                            couple_start, couple_relation, couple_log, relation_log, time_log,
                            unseen,
                        )  # fmt: skip
                        if chance[entry] < 1:
                            odds = np.log1p(chance[entry] * np.expm1(min(odds, _MOST)))
                        highest = max(highest, odds)
                        own = owner[entry] - begin
                        best[own] = max(best[own], odds)
                        entry = before[entry]
                    total += highest / 2
                    is_any = True
                if is_any:
                    for own in range(end - begin):
                        if best[own] > -np.inf:
                            total += best[own] / 2 - missing[begin + own]
                            best[own] = -np.inf
                out[i, c] = total
            for fact in range(begin, end):
                for pair in range(pair_start[tail[fact]], pair_start[tail[fact] + 1]):
                    last[pair_right[pair]] = -1


@compiled
def _couple_odds(
    own: int,
    other: int,
    relation: Ints,
    rarity: Floats,
    tick_start: Ints,
    tick: Ints,
    tick_rarity: Floats,
    couple_start: Ints,
    couple_relation: Ints,
    couple_log: Floats,
    relation_log: Floats,
    time_log: Floats,
    unseen: float,
) -> float:
    """Return the log-odds of two facts with the same neighbour: relations, rarity, times."""
    here, there = relation[own], relation[other]
    shared = unseen
    low, high = couple_start[here], couple_start[here + 1]
    while low < high:
        middle = (low + high) // 2
        if couple_relation[middle] < there:
            low = middle + 1
        else:
            high = middle
    if low < couple_start[here + 1] and couple_relation[low] == there:
        shared = couple_log[low]
    odds: float = shared + relation_log[here] + relation_log[there]
    odds += (rarity[own] + rarity[other]) / 2
    if odds <= 0:
        return odds
    a, a_end = tick_start[own], tick_start[own + 1]
    b, b_end = tick_start[other], tick_start[other + 1]
    if a == a_end or b == b_end:
        return odds
    common, n_common = 0.0, 0
    while a < a_end and b < b_end:
        if tick[a] == tick[b]:
            common += (tick_rarity[a] + tick_rarity[b]) / 2
            n_common += 1
        step = tick[a] <= tick[b]
        b += tick[b] <= tick[a]
        a += step
    odds += time_log[here, 0] + common if n_common else time_log[here, 1]
    return odds
