"""Sets of tokens on the device: numbered, compared, and searched by what is shared."""

from __future__ import annotations

from dataclasses import replace

import torch

from lighttea.engines.gpu.device import Device, blocks_by_load
from lighttea.engines.gpu.ragged import MOST_ENTRIES, Lists, overlaps, run_sums, spread
from lighttea.engines.tables import TokenIndex, TokenLists
from lighttea.kernels.sets import LAST_PLACE, PLACE_BITS, SPARE_BITS, VALUE_STEPS


def number_tokens(
    n_nodes: int, node: torch.Tensor, key: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return each node's distinct tokens (start, token) and how many nodes hold each."""
    if not len(key):
        empty = torch.zeros(0, dtype=torch.int64, device=key.device)
        return torch.zeros(n_nodes + 1, dtype=torch.int64, device=key.device), empty, empty
    rising, order = torch.sort(key, stable=True)  # nodes rise within a key
    is_new, holder = _differs(rising), node[order]
    token = torch.cumsum(is_new, 0) - 1
    is_first = is_new | _differs(holder)
    token, holder = token[is_first], holder[is_first]
    held = _starts(token, int(token[-1]) + 1)
    holder, order = torch.sort(holder, stable=True)
    return _starts(holder, n_nodes), token[order], held[1:] - held[:-1]


def _differs(values: torch.Tensor) -> torch.Tensor:
    """Return which entries differ from the one before; the first does."""
    return torch.nn.functional.pad(values[1:] != values[:-1], (1, 0), value=True)


def _starts(rising: torch.Tensor, n: int) -> torch.Tensor:
    """Return where each of 0 ... n - 1 begins in rising whole numbers, and where they end."""
    every = torch.arange(n + 1, dtype=rising.dtype, device=rising.device)
    return torch.searchsorted(rising, every)


def keep_shared(tokens: TokenLists[torch.Tensor], n_first: int) -> TokenLists[torch.Tensor]:
    """Return the lists without tokens that only the first nodes have, or only the others."""
    begin = int(tokens.start[n_first])
    is_held = torch.zeros((2, tokens.n_tokens), dtype=torch.bool, device=tokens.token.device)
    is_held[0][tokens.token[:begin]] = True
    is_held[1][tokens.token[begin:]] = True
    is_kept = is_held.all(0)[tokens.token]
    before = torch.nn.functional.pad(torch.cumsum(is_kept, 0), (1, 0))
    return replace(tokens, start=before[tokens.start], token=tokens.token[is_kept])


def token_overlaps(
    tokens: TokenLists[torch.Tensor],
    left: torch.Tensor,
    right: torch.Tensor,
    index: torch.Tensor,
    device: Device,
) -> torch.Tensor:
    """Return what the tokens that left[i] and right[index[i, c]] have in common weigh, (n, k)."""
    value = tokens.weight[tokens.token]
    lists = Lists(tokens.start, tokens.token, value, tokens.n_tokens)
    lists = _shared_by_both(lists, left, right)
    return overlaps(lists, lists, index, device, smaller=False, own_rows=left, other_rows=right)


def _shared_by_both(lists: Lists, left: torch.Tensor, right: torch.Tensor) -> Lists:
    """Return only the items that lists of both sides have, and that weigh anything."""
    is_kept = lists.value > 0
    for nodes in (left, right):
        _, item, _ = lists.of(nodes)
        is_held = torch.zeros(lists.n_items, dtype=torch.bool, device=item.device)
        is_held[item] = True
        is_kept &= is_held[lists.item]
    return lists.where(is_kept)


def suggest_by_tokens(tokens: TokenIndex[torch.Tensor], k: int, device: Device) -> torch.Tensor:
    """Return the right rows that share most with each left row, (n, k); -1 where there are fewer.

    Values are whole numbers of small steps: the sum of their products is the same in any order, and
    where two are equal the lower place comes first.
    """
    n_left, n_right = len(tokens.start) - 1, tokens.n_right
    asking = Lists(tokens.start, tokens.token, tokens.value, len(tokens.holder_start) - 1)
    index = torch.full((n_left, k), -1, dtype=torch.int32, device=tokens.start.device)
    if not n_right or not len(tokens.token):
        return index
    held = tokens.holder_start[1:] - tokens.holder_start[:-1]
    here = slice(int(tokens.start[0]), int(tokens.start[-1]))  # of a block of rows
    load = run_sums(held[asking.item[here]].to(torch.float64), asking.counts()).round().long()
    later = LAST_PLACE - torch.arange(n_right, device=index.device)
    for block in blocks_by_load(load, MOST_ENTRIES, device.rows(24.0 * n_right, n_left)):
        rows = torch.arange(block.start, block.stop, device=index.device)
        row, token, value = asking.of(rows)
        entry, place = spread(held[token])
        at = tokens.holder_start[token][entry] + place
        gain = in_steps(value)[entry] * in_steps(tokens.holder_value[at])
        scores = torch.zeros(len(rows) * n_right, dtype=torch.int64, device=index.device)
        scores.scatter_add_(0, row[entry] * n_right + tokens.holder[at], gain)
        keys = (
            scores.view(-1, n_right) >> SPARE_BITS << PLACE_BITS
        ) | later  # the lower place of two equal
        best = keys.topk(min(k, n_right), dim=1, sorted=False).values
        chosen = torch.where(best > LAST_PLACE, LAST_PLACE - (best & LAST_PLACE), -1)
        index[block, : chosen.shape[1]] = chosen.to(torch.int32)
    return index


def in_steps(value: torch.Tensor) -> torch.Tensor:
    """Return values as whole numbers of small steps."""
    return (value * VALUE_STEPS).round().long()


def count_pairs(
    left: tuple[torch.Tensor, torch.Tensor],
    right: tuple[torch.Tensor, torch.Tensor],
    shape: tuple[int, int],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return pairs of columns of two zero-one matrices, and how many rows they share."""
    n_rows, n = max(1, shape[0]), shape[1]
    left_cells, right_cells = (
        torch.unique(row.long() * n + column) for row, column in (left, right)
    )  # distinct, as row * n + column
    in_left, in_right = (
        torch.bincount(cells // n, minlength=n_rows) for cells in (left_cells, right_cells)
    )
    first = torch.cumsum(in_right, 0) - in_right
    entry, place = spread(in_right[left_cells // n])  # every right column of the same row
    column = right_cells[first[left_cells[entry] // n] + place] % n
    pairs, shared = torch.unique((left_cells[entry] % n) * n + column, return_counts=True)
    filled_left = torch.bincount((left_cells % n)[in_right[left_cells // n] > 0], minlength=n)
    filled_right = torch.bincount((right_cells % n)[in_left[right_cells // n] > 0], minlength=n)
    return pairs // n, pairs % n, shared, filled_left, filled_right


def add_up_pairs(
    left: tuple[torch.Tensor, torch.Tensor],
    right: tuple[torch.Tensor, torch.Tensor],
    weight: torch.Tensor,
    n_columns: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return pairs of columns of two zero-one matrices, and the weight of the rows they share."""
    in_right = torch.bincount(right[0], minlength=len(weight))
    first = torch.cumsum(in_right, 0) - in_right
    columns = right[1][torch.argsort(right[0], stable=True)]
    entry, place = spread(in_right[left[0]])  # every right column of the same row
    row = left[0][entry]
    pairs = left[1][entry].long() * n_columns + columns[first[row] + place]
    distinct, number = torch.unique(pairs, return_inverse=True)
    shared = torch.zeros(len(distinct), dtype=torch.float64, device=weight.device)
    shared.index_add_(0, number, weight[row].double())
    return distinct // n_columns, distinct % n_columns, shared
