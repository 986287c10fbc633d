"""Log-odds of facts on the device: couples of facts laid end to end, and sums over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch

from lighttea.engines.gpu.device import Device, blocks_by_load
from lighttea.engines.gpu.ragged import MOST_ENTRIES, Lists, segment_sums, spread
from lighttea.engines.tables import FactTables
from lighttea.kernels.likelihood import MOST_LOG_ODDS

_ENTRY_BYTES = 200  # of a fact of a candidate, with what is made of it on the way
_ROW_BYTES = 40  # of a candidate


def fact_log_odds(
    tables: FactTables[torch.Tensor],
    left: torch.Tensor,
    right: torch.Tensor,
    index: torch.Tensor,
    device: Device,
) -> torch.Tensor:
    """Return the log-odds that facts give left[i] and right[index[i, c]], (n, k); 0: none.

    At first every fact counts as missing on the other side. Those that have a match there count by
    their best one instead, so that facts without a likely neighbour are never looked at.
    """
    facts = _LikelyFacts(tables)
    alone = segment_sums(tables.missing.double(), _lengths(tables.start))  # (n_nodes,)
    there = right[index.clamp_min(0)]
    odds = torch.where(index >= 0, alone[left][:, None] + alone[there], 0)
    held = torch.where(index >= 0, facts.right.counts()[there], 0)
    held *= (facts.left.counts()[left] > 0)[:, None]
    most = device.rows(_ENTRY_BYTES, MOST_ENTRIES)
    rows = device.rows(_ROW_BYTES * max(1, index.shape[1]), len(index))
    for block in blocks_by_load(held.sum(1), most, rows):
        neighbours = facts.neighbours(left[block])
        gains = facts.gains(neighbours, there[block].reshape(-1), held[block].reshape(-1))
        odds[block] += gains.view_as(odds[block])
    return odds.float()


@dataclass(frozen=True)
class _Neighbours:
    """What may be neighbours of some left nodes on the other side, sorted by row and neighbour."""

    key: torch.Tensor  # rising: row * n_nodes + right node
    first: torch.Tensor  # of the entries of a key
    count: torch.Tensor
    fact: torch.Tensor  # entry by entry: the left fact with that neighbour
    chance: torch.Tensor  # that its neighbour is the right node
    n_rows: int


@dataclass(frozen=True)
class _Couples:
    """Facts of a left node and of a candidate whose neighbours may be the same."""

    pair: torch.Tensor  # place in the table of candidates
    left: torch.Tensor  # facts
    right: torch.Tensor
    odds: torch.Tensor


@dataclass(frozen=True)
class _LikelyFacts:
    """The facts of both sides whose neighbour has a likely pair."""

    tables: FactTables[torch.Tensor]

    @property
    def _n_nodes(self) -> int:
        return len(self.tables.start) - 1

    @cached_property
    def _n_pairs(self) -> torch.Tensor:
        """Likely pairs of each left node."""
        return _lengths(self.tables.pair_start)

    @cached_property
    def left(self) -> Lists:
        """The facts of each node whose neighbour has likely pairs."""
        return self._facts.where((self._n_pairs > 0)[self.tables.tail])

    @cached_property
    def right(self) -> Lists:
        """The facts of each node whose neighbour is in likely pairs."""
        is_likely = torch.zeros(self._n_nodes, dtype=torch.bool, device=self.tables.tail.device)
        is_likely[self.tables.pair_right] = True
        return self._facts.where(is_likely[self.tables.tail])

    @property
    def _facts(self) -> Lists:
        facts = torch.arange(len(self.tables.tail), device=self.tables.tail.device)
        return Lists(self.tables.start, facts, self.tables.missing, len(facts))

    @cached_property
    def odds(self) -> _FactOdds:
        """What two facts with the same neighbour say."""
        return _FactOdds(self.tables)

    def neighbours(self, nodes: torch.Tensor) -> _Neighbours:
        """Return what may be neighbours of these left nodes on the other side."""
        tables = self.tables
        row, fact, _ = self.left.of(nodes)
        tail = tables.tail[fact]
        entry, place = spread(self._n_pairs[tail])
        pair = tables.pair_start[tail][entry] + place
        key, order = torch.sort(row[entry] * self._n_nodes + tables.pair_right[pair], stable=True)
        key, count = torch.unique_consecutive(key, return_counts=True)
        chance = tables.pair_chance[pair[order]].double()
        first = torch.cumsum(count, 0) - count
        return _Neighbours(key, first, count, fact[entry[order]], chance, len(nodes))

    def gains(self, own: _Neighbours, node: torch.Tensor, n_facts: torch.Tensor) -> torch.Tensor:
        """Return what is known of each candidate beyond that all facts are missing, flat.

        `node` are the candidates, the same number of each row, `n_facts` how many of the facts of
        each are looked at.
        """
        couples = self._couples(own, node, n_facts)
        by_side = [
            self._best(couples.pair, facts, couples.odds, len(node))
            for facts in (couples.left, couples.right)
        ]
        return by_side[0] + by_side[1]

    def _couples(self, own: _Neighbours, node: torch.Tensor, n_facts: torch.Tensor) -> _Couples:
        """Return the couples of facts of each row and its candidates."""
        pair, place = spread(n_facts)
        other = self.right.item[self.right.start[node][pair] + place]
        width = len(node) // max(1, own.n_rows)
        asked = (pair // max(1, width)) * self._n_nodes + self.tables.tail[other]
        at, is_there = _find(own.key, asked)
        pair, other, at = pair[is_there], other[is_there], at[is_there]
        match, place = spread(own.count[at])
        entry = own.first[at][match] + place
        left, right = own.fact[entry], other[match]
        return _Couples(pair[match], left, right, self._doubted(left, right, own.chance[entry]))

    def _doubted(
        self, left: torch.Tensor, right: torch.Tensor, chance: torch.Tensor
    ) -> torch.Tensor:
        """Return the log-odds of couples of facts whose neighbours are likely the same."""
        plain = self.odds.of(left, right)
        doubted = torch.log1p(chance * torch.expm1(plain.clamp_max(MOST_LOG_ODDS)))
        return torch.where(chance < 1, doubted, plain)

    def _best(
        self, pair: torch.Tensor, fact: torch.Tensor, odds: torch.Tensor, n: int
    ) -> torch.Tensor:
        """Return half of the best odds of each fact, less what it counted as missing, by pair."""
        n_facts = len(self.tables.tail)
        key, order = torch.sort(pair * n_facts + fact)
        key, count = torch.unique_consecutive(key, return_counts=True)
        pair, fact = key // max(1, n_facts), key % max(1, n_facts)
        best = torch.segment_reduce(odds[order], "max", lengths=count, unsafe=True)
        gain = best / 2 - self.tables.missing[fact].double()
        return segment_sums(gain, torch.bincount(pair, minlength=n))


@dataclass(frozen=True)
class _FactOdds:
    """What two facts with the same neighbour say: relations, rarity, times."""

    tables: FactTables[torch.Tensor]

    def of(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """Return the log-odds of couples of facts."""
        tables = self.tables
        here, there = tables.relation[left].long(), tables.relation[right].long()
        at, is_couple = _find(self._relation_keys, here * len(tables.relation_log) + there)
        odds = torch.full(left.shape, tables.unseen, dtype=torch.float64, device=left.device)
        odds[is_couple] = tables.couple_log[at[is_couple]].double()
        odds += (tables.relation_log[here] + tables.relation_log[there]).double()
        odds += (tables.rarity[left] + tables.rarity[right]).double() / 2
        n_ticks = _lengths(tables.tick_start)
        told = torch.nonzero((odds > 0) & (n_ticks[left] > 0) & (n_ticks[right] > 0)).reshape(-1)
        rarity, n_common = self._common_ticks(left[told], right[told], n_ticks)
        agrees, differs = tables.time_log[here[told]].double().unbind(1)
        odds[told] += torch.where(n_common > 0, agrees + rarity, differs)
        return odds

    def _common_ticks(
        self, left: torch.Tensor, right: torch.Tensor, n_ticks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return how rare the ticks are that two facts have in common, and how many there are."""
        tables, count = self.tables, n_ticks[left]
        couple, place = spread(count)
        own = tables.tick_start[left][couple] + place
        other, is_common = _find(self._tick_keys, right[couple] * self._n_ticks + tables.tick[own])
        rarity = (tables.tick_rarity[own] + tables.tick_rarity[other]).double() / 2
        both = torch.where(is_common, rarity, 0), is_common.double()
        return segment_sums(both[0], count), segment_sums(both[1], count)

    @cached_property
    def _relation_keys(self) -> torch.Tensor:
        """Couples of relations, rising."""
        n = len(self.tables.relation_log)
        left, _ = spread(_lengths(self.tables.couple_start))
        return left * n + self.tables.couple_relation

    @cached_property
    def _n_ticks(self) -> int:
        return int(self.tables.tick.max()) + 1 if len(self.tables.tick) else 1

    @cached_property
    def _tick_keys(self) -> torch.Tensor:
        """Facts and their ticks, rising."""
        fact, _ = spread(_lengths(self.tables.tick_start))
        return fact * self._n_ticks + self.tables.tick


def _lengths(start: torch.Tensor) -> torch.Tensor:
    """Return how many entries each list has."""
    return start[1:] - start[:-1]


def _find(rising: torch.Tensor, keys: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return where each key stands, and which are there at all."""
    if not len(rising):
        return torch.zeros_like(keys), torch.zeros(keys.shape, dtype=torch.bool, device=keys.device)
    at = torch.searchsorted(rising, keys).clamp_max(len(rising) - 1)
    return at, rising[at] == keys
