"""Log-odds of the facts of all candidates, in one launch for each side."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
import triton.language as tl

from lighttea.engines.gpu.ragged import segment_sums
from lighttea.engines.tables import FactTables
from lighttea.kernels.likelihood import MOST_LOG_ODDS

_TILE = 32  # facts of candidates that a program looks at together: larger ones wait for longest


def fact_log_odds(
    tables: FactTables[torch.Tensor], left: torch.Tensor, right: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    """Return the log-odds that facts give left[i] and right[index[i, c]], (n, k); 0: none.

    At first every fact counts as missing on the other side. Those that have a match there count by
    their best one instead.
    """
    alone = segment_sums(tables.missing.double(), tables.start[1:] - tables.start[:-1])
    there = right[index.clamp_min(0)]
    odds = torch.where(index >= 0, alone[left][:, None] + alone[there], 0)
    n_rows, k = index.shape
    if not (n_rows and k and len(tables.tail) and len(tables.pair_right)):
        return odds.float()
    mean_length = len(tables.tail) / max(1, len(tables.start) - 1)
    width = max(2, min(_TILE, triton.next_power_of_2(int(mean_length) + 1)))
    n_columns = min(_TILE // width, triton.next_power_of_2(k))
    grid = n_rows, triton.cdiv(k, n_columns)
    for is_right, pairs in enumerate(_Pairs.both_ways(tables)):
        _add_best_odds[grid](
            left, right, index.contiguous(), odds,
            tables.start, tables.tail, tables.relation, tables.rarity,
            tables.tick_start, tables.tick, tables.tick_rarity,
            pairs.start, pairs.other, pairs.chance, tables.missing,
            tables.couple_start, tables.couple_relation, tables.couple_log,
            tables.relation_log, tables.time_log, float(tables.unseen), MOST_LOG_ODDS,
            k, bool(is_right), n_columns, width, num_warps=1,
        )  # fmt: skip
    return odds.float()


@dataclass(frozen=True)
class _Pairs:
    """Likely pairs by the node of one side."""

    start: torch.Tensor  # (n_nodes + 1,)
    other: torch.Tensor
    chance: torch.Tensor

    @classmethod
    def both_ways(cls, tables: FactTables[torch.Tensor]) -> tuple[_Pairs, _Pairs]:
        """Return the pairs by their left node, and by their right one."""
        by_left = cls(tables.pair_start, tables.pair_right, tables.pair_chance)
        n_nodes, right = len(tables.start) - 1, tables.pair_right.long()
        nodes = torch.arange(n_nodes, device=right.device)
        lengths = tables.pair_start[1:] - tables.pair_start[:-1]
        left = torch.repeat_interleave(nodes, lengths, output_size=len(right))
        rising, order = torch.sort(right, stable=True)
        start = torch.searchsorted(rising, torch.arange(n_nodes + 1, device=right.device))
        return by_left, cls(start, left[order], tables.pair_chance[order])


@triton.jit
def _first_not_below(table, begin, end, value, can, most):
    """Return where `value` could stand in rising table[begin:end]; `most` is the longest range."""
    low = begin
    high = tl.where(can, end, begin)
    left = most
    while left > 0:
        middle = (low + high) // 2
        is_open = low < high
        held = tl.load(table + middle, mask=is_open, other=0).to(tl.int64)
        is_below = is_open & (held < value)
        high = tl.where(is_open & (held >= value), middle, high)
        low = tl.where(is_below, middle + 1, low)
        left = left // 2
    return low


@triton.jit
def _common_ticks(own, other, can, tick_start, tick, tick_rarity):
    """Return how rare the ticks are that two facts have in common, and how many there are."""
    a = tl.load(tick_start + own, mask=can, other=0).to(tl.int64)
    a_end = tl.load(tick_start + own + 1, mask=can, other=0).to(tl.int64)
    b = tl.load(tick_start + other, mask=can, other=0).to(tl.int64)
    b_end = tl.load(tick_start + other + 1, mask=can, other=0).to(tl.int64)
    rarity = tl.zeros(own.shape, tl.float64)
    n_common = tl.zeros(own.shape, tl.int32)
    is_open = (a < a_end) & (b < b_end)
    while tl.max(is_open.to(tl.int32)) > 0:
        here = tl.load(tick + a, mask=is_open, other=0)
        there = tl.load(tick + b, mask=is_open, other=0)
        is_common = is_open & (here == there)
        both = tl.load(tick_rarity + a, mask=is_common, other=0.0).to(tl.float64)
        both += tl.load(tick_rarity + b, mask=is_common, other=0.0).to(tl.float64)
        rarity += both / 2
        n_common += is_common.to(tl.int32)
        a += (is_open & (here <= there)).to(tl.int64)
        b += (is_open & (there <= here)).to(tl.int64)
        is_open = (a < a_end) & (b < b_end)
    return rarity, n_common


@triton.jit
def _couple_odds(
    own, other, can, relation, rarity, tick_start, tick, tick_rarity,
    couple_start, couple_relation, couple_log, relation_log, time_log, unseen,
):  # fmt: skip
    """Return what two facts with the same neighbour say: relations, rarity, times."""
    here = tl.load(relation + own, mask=can, other=0).to(tl.int64)
    there = tl.load(relation + other, mask=can, other=0).to(tl.int64)
    first = tl.load(couple_start + here, mask=can, other=0).to(tl.int64)
    last = tl.load(couple_start + here + 1, mask=can, other=0).to(tl.int64)
    at = _first_not_below(couple_relation, first, last, there, can, tl.max(last - first))
    found = tl.load(couple_relation + at, mask=can & (at < last), other=-1).to(tl.int64)
    is_couple = can & (at < last) & (found == there)
    shared = tl.load(couple_log + at, mask=is_couple, other=0.0).to(tl.float64)
    odds = tl.where(is_couple, shared, unseen)
    odds += tl.load(relation_log + here, mask=can, other=0.0).to(tl.float64)
    odds += tl.load(relation_log + there, mask=can, other=0.0).to(tl.float64)
    both = tl.load(rarity + own, mask=can, other=0.0).to(tl.float64)
    both += tl.load(rarity + other, mask=can, other=0.0).to(tl.float64)
    odds += both / 2
    n_own = tl.load(tick_start + own + 1, mask=can, other=0)
    n_own -= tl.load(tick_start + own, mask=can, other=0)
    n_other = tl.load(tick_start + other + 1, mask=can, other=0)
    n_other -= tl.load(tick_start + other, mask=can, other=0)
    is_told = can & (odds > 0) & (n_own > 0) & (n_other > 0)
    rare, n_common = _common_ticks(own, other, is_told, tick_start, tick, tick_rarity)
    agrees = tl.load(time_log + 2 * here, mask=is_told, other=0.0).to(tl.float64)
    differs = tl.load(time_log + 2 * here + 1, mask=is_told, other=0.0).to(tl.float64)
    return odds + tl.where(is_told, tl.where(n_common > 0, agrees + rare, differs), 0.0)


@triton.jit(do_not_specialize=["k", "unseen", "most_odds"])
def _add_best_odds(
    left, right, index, out, start, tail, relation, rarity, tick_start, tick, tick_rarity,
    pair_start, pair_other, pair_chance, missing,
    couple_start, couple_relation, couple_log, relation_log, time_log, unseen, most_odds,
    k,
    is_right: tl.constexpr,
    n_columns: tl.constexpr,
    width: tl.constexpr,
):  # fmt: skip
    """One row and some candidates: each fact of one side beside those of the other.

    Adds half of the best odds of each fact with a likely match, less what it counted as missing.
    """
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * n_columns + tl.arange(0, n_columns)
    candidate = tl.load(index + row * k + column, mask=column < k, other=-1).to(tl.int64)
    is_there = candidate >= 0
    there = tl.load(right + candidate, mask=is_there, other=0).to(tl.int64)
    here = tl.load(left + row).to(tl.int64) + there * 0
    asking, answering = here, there
    if is_right:
        asking, answering = there, here
    first = tl.load(start + asking, mask=is_there, other=0).to(tl.int64)
    last = tl.load(start + asking + 1, mask=is_there, other=0).to(tl.int64)
    low = tl.load(start + answering, mask=is_there, other=0).to(tl.int64)
    high = tl.load(start + answering + 1, mask=is_there, other=0).to(tl.int64)
    last = tl.where(low < high, last, first)
    deepest = tl.max(high - low)
    low = low[:, None] + tl.zeros((n_columns, width), tl.int64)
    high = high[:, None] + tl.zeros((n_columns, width), tl.int64)
    gain = tl.zeros((n_columns,), tl.float64)
    longest = tl.max(last - first)
    offset = longest * 0
    while offset < longest:
        fact = first[:, None] + offset + tl.arange(0, width)[None, :]
        is_fact = fact < last[:, None]
        neighbour = tl.load(tail + fact, mask=is_fact, other=0).to(tl.int64)
        pair = tl.load(pair_start + neighbour, mask=is_fact, other=0).to(tl.int64)
        pair_end = tl.load(pair_start + neighbour + 1, mask=is_fact, other=0).to(tl.int64)
        best = tl.full((n_columns, width), float("-inf"), tl.float64)
        has_pair = pair < pair_end
        while tl.max(has_pair.to(tl.int32)) > 0:
            wanted = tl.load(pair_other + pair, mask=has_pair, other=-1).to(tl.int64)
            chance = tl.load(pair_chance + pair, mask=has_pair, other=1.0).to(tl.float64)
            match = _first_not_below(tail, low, high, wanted, has_pair, deepest)
            found = tl.load(tail + match, mask=has_pair & (match < high), other=-1).to(tl.int64)
            is_match = has_pair & (match < high) & (found == wanted)
            while tl.max(is_match.to(tl.int32)) > 0:
                own, other = fact, match
                if is_right:
                    own, other = match, fact
                odds = _couple_odds(
                    own, other, is_match, relation, rarity, tick_start, tick, tick_rarity,
                    couple_start, couple_relation, couple_log, relation_log, time_log, unseen,
                )  # fmt: skip
                surely = tl.exp(tl.minimum(odds, most_odds))
                doubted = tl.log((1 - chance) + chance * surely)
                odds = tl.where(chance < 1, doubted, odds)
                best = tl.where(is_match, tl.maximum(best, odds), best)
                match += is_match.to(tl.int64)
                can = is_match & (match < high)
                found = tl.load(tail + match, mask=can, other=-1).to(tl.int64)
                is_match = can & (found == wanted)
            pair += has_pair.to(tl.int64)
            has_pair = pair < pair_end
        is_gain = best > float("-inf")
        lost = tl.load(missing + fact, mask=is_gain, other=0.0).to(tl.float64)
        gain += tl.sum(tl.where(is_gain, best / 2 - lost, 0.0), 1)
        offset += width
    place = out + row * k + column
    before = tl.load(place, mask=is_there, other=0.0)
    tl.store(place, before + gain, mask=is_there)
