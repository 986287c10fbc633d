"""Rows of different lengths: lists laid end to end, and sums over each of them."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from lighttea.engines.gpu.device import Device, blocks_by_load

MOST_ENTRIES = 1 << 25  # looked at together
_MOST_ROWS = 2048
_FEW_ITEMS = 8192  # up to so many distinct items they need no numbers of their own in a block


@dataclass(frozen=True)
class Lists:
    """The items of each list: `item[start[n]:start[n + 1]]`, with values beside them."""

    start: torch.Tensor  # (n_lists + 1,)
    item: torch.Tensor
    value: torch.Tensor  # float32
    n_items: int

    def counts(self) -> torch.Tensor:
        """Return how many items each list has."""
        return self.start[1:] - self.start[:-1]

    def of(self, numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return row, item and value, entry by entry, of some lists."""
        row, place = spread(self.counts()[numbers])
        at = self.start[numbers][row] + place
        return row, self.item[at], self.value[at]

    def where(self, kept: torch.Tensor) -> Lists:
        """Return the lists with only some of the entries."""
        before = torch.nn.functional.pad(torch.cumsum(kept, 0), (1, 0))
        return Lists(before[self.start], self.item[kept], self.value[kept], self.n_items)


def in_order(lists: Lists) -> Lists:
    """Return the lists with the items of each rising."""
    owner = torch.repeat_interleave(
        torch.arange(len(lists.start) - 1, device=lists.item.device),
        lists.counts(),
        output_size=len(lists.item),
    )
    key = owner * lists.n_items + lists.item
    if bool((key[1:] >= key[:-1]).all()):
        return lists
    order = torch.argsort(key)
    return Lists(lists.start, lists.item[order], lists.value[order], lists.n_items)


def spread(count: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return for lists of these lengths laid end to end the list and the place of each entry."""
    owner = torch.repeat_interleave(torch.arange(len(count), device=count.device), count)
    first = torch.cumsum(count, 0) - count
    return owner, torch.arange(len(owner), device=count.device) - first[owner]


def run_sums(value: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Return the sum over each list; values are of like size, so differences of sums are exact."""
    sums = torch.nn.functional.pad(torch.cumsum(value.to(torch.float64), 0), (1, 0))
    end = torch.cumsum(count, 0)
    return sums[end] - sums[end - count]


def overlaps(
    own: Lists,
    other: Lists,
    index: torch.Tensor,
    device: Device,
    *,
    smaller: bool,
    own_rows: torch.Tensor | None = None,
    other_rows: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return what list i of `own` and list index[i, c] of `other` have in common, (n, k).

    Summed over the items: the own value, or the smaller of both. 0 where there is no candidate.
    Where rows are given, row r stands for list own_rows[r] or other_rows[r].
    """
    out = torch.zeros(index.shape, dtype=torch.float32, device=index.device)
    k = max(1, index.shape[1])
    left = torch.arange(len(index), device=index.device) if own_rows is None else own_rows
    safe = index.clamp_min(0)
    right = safe if other_rows is None else other_rows[safe]
    held = torch.where(index >= 0, other.counts()[right], 0)
    held *= (own.counts()[left] > 0)[:, None]
    rows = device.rows(16 * k, _MOST_ROWS)
    for block in blocks_by_load(held.sum(1), MOST_ENTRIES, rows):
        row, item, value = own.of(left[block])
        local, width = _numbered(item, own.n_items)
        mine = torch.zeros((block.stop - block.start) * width, device=index.device)
        mine[row * width + local[item]] = value
        pair, place = spread(held[block].reshape(-1))
        at = other.start[right[block].reshape(-1)][pair] + place
        here = local[other.item[at]]
        shared = torch.where(here >= 0, mine[(pair // k) * width + here.clamp_min(0)], 0)
        if smaller:
            shared = torch.minimum(shared, other.value[at])
        sums = run_sums(shared, held[block].reshape(-1))
        out[block] = sums.to(torch.float32).view(-1, k)
    return out


def _numbered(item: torch.Tensor, n_items: int) -> tuple[torch.Tensor, int]:
    """Return numbers for the items of a block, -1 for all others, and how many there are."""
    if n_items <= _FEW_ITEMS:
        return torch.arange(n_items, device=item.device), n_items
    distinct = torch.unique(item)
    local = torch.full((n_items,), -1, dtype=torch.int64, device=item.device)
    local[distinct] = torch.arange(len(distinct), device=item.device)
    return local, len(distinct)


def segment_sums(value: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
    """Return the sum over each list, however much values differ in size."""
    return torch.segment_reduce(value, "sum", lengths=length, initial=0, unsafe=True)
