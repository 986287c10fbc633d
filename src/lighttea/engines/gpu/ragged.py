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
    """The items of each node: `item[start[n]:start[n + 1]]`, with values beside them."""

    start: torch.Tensor  # (n_nodes + 1,) int64
    item: torch.Tensor  # int64
    value: torch.Tensor  # float32
    n_items: int

    def counts(self) -> torch.Tensor:
        """(n_nodes,) how many each has."""
        return self.start[1:] - self.start[:-1]

    def of(self, nodes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Row, item and value, entry by entry, of some nodes."""
        row, place = spread(self.counts()[nodes])
        at = self.start[nodes][row] + place
        return row, self.item[at], self.value[at]

    def where(self, kept: torch.Tensor) -> Lists:
        """Only some of the entries."""
        before = torch.nn.functional.pad(torch.cumsum(kept, 0), (1, 0))
        return Lists(before[self.start], self.item[kept], self.value[kept], self.n_items)


def spread(count: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Of lists of these lengths laid end to end: whose each entry is, and its place there."""
    owner = torch.repeat_interleave(torch.arange(len(count), device=count.device), count)
    first = torch.cumsum(count, 0) - count
    return owner, torch.arange(len(owner), device=count.device) - first[owner]


def run_sums(value: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """The sum over each list; all values are of like size, so differences of sums are exact."""
    sums = torch.nn.functional.pad(torch.cumsum(value.to(torch.float64), 0), (1, 0))
    end = torch.cumsum(count, 0)
    return sums[end] - sums[end - count]


def overlaps(
    lists: Lists,
    left: torch.Tensor,
    right: torch.Tensor,
    index: torch.Tensor,
    device: Device,
    *,
    smaller: bool,
) -> torch.Tensor:
    """(n, k): what left[i] and right[index[i, c]] have in common, summed over the items.

    The left one's value of an item, or the smaller of both. 0 where there is no candidate.
    """
    out = torch.zeros(index.shape, dtype=torch.float32, device=index.device)
    counts = lists.counts()
    k = max(1, index.shape[1])
    safe = index.clamp_min(0).long()
    held = torch.where(index >= 0, counts[right[safe]], 0)
    held *= (counts[left] > 0)[:, None]
    rows = device.rows(16 * k, _MOST_ROWS)
    for block in blocks_by_load(held.sum(1), MOST_ENTRIES, rows):
        row, item, value = lists.of(left[block])
        local, width = _numbered(item, lists.n_items)
        mine = torch.zeros((block.stop - block.start) * width, device=index.device)
        mine[row * width + local[item]] = value
        pair, place = spread(held[block].reshape(-1))
        at = lists.start[right[safe[block].reshape(-1)]][pair] + place
        here = local[lists.item[at]]
        shared = torch.where(here >= 0, mine[(pair // k) * width + here.clamp_min(0)], 0)
        if smaller:
            shared = torch.minimum(shared, lists.value[at])
        found = run_sums(shared, held[block].reshape(-1))
        out[block] = found.to(torch.float32).view(-1, k)
    return out


def _numbered(item: torch.Tensor, n_items: int) -> tuple[torch.Tensor, int]:
    """Numbers for the items of a block, -1 for all others, and how many there are."""
    if n_items <= _FEW_ITEMS:
        return torch.arange(n_items, device=item.device), n_items
    distinct = torch.unique(item)
    local = torch.full((n_items,), -1, dtype=torch.int64, device=item.device)
    local[distinct] = torch.arange(len(distinct), device=item.device)
    return local, len(distinct)


def segment_sums(value: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
    """The sum over each list, however much their sizes differ."""
    return torch.segment_reduce(value, "sum", lengths=length, initial=0, unsafe=True)
