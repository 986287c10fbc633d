"""What two lists have in common, for all candidates of all rows in one launch."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from lighttea.engines.gpu.ragged import Lists, in_order

_TILE = 512  # entries of candidates that a program looks up at a time
_WIDEST = 64  # entries of one candidate among them


def overlaps(
    own: Lists,
    other: Lists,
    index: torch.Tensor,
    own_rows: torch.Tensor,
    other_rows: torch.Tensor,
    *,
    smaller: bool,
) -> torch.Tensor:
    """Return what list own_rows[i] and list other_rows[index[i, c]] have in common, (n, k).

    Summed over the items: the own value, or the smaller of both. 0 where there is no candidate.
    """
    n_rows, k = index.shape
    out = torch.zeros((n_rows, k), dtype=torch.float32, device=index.device)
    if not (n_rows and k and len(own.item) and len(other.item)):
        return out
    own = in_order(own)
    width = _width(len(other.item) / max(1, len(other.start) - 1))
    n_columns = min(_TILE // width, triton.next_power_of_2(k))
    _add_common[(n_rows, triton.cdiv(k, n_columns))](
        own.start, own.item, own.value, own_rows,
        other.start, other.item, other.value, other_rows,
        index.contiguous(), out, k, smaller, n_columns, width,
    )  # fmt: skip
    return out


def _width(mean_length: float) -> int:
    """Return how many entries of a candidate to look at together: about as many as it has."""
    return max(4, min(_WIDEST, int(triton.next_power_of_2(int(mean_length) + 1))))


@triton.jit(do_not_specialize=["k"])
def _add_common(
    own_start,
    own_item,
    own_value,
    own_rows,
    other_start,
    other_item,
    other_value,
    other_rows,
    index,
    out,
    k,
    smaller: tl.constexpr,
    n_columns: tl.constexpr,
    width: tl.constexpr,
):
    """One row and some of its candidates: each entry is looked up in the row's own list."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * n_columns + tl.arange(0, n_columns)
    right = tl.load(index + row * k + column, mask=column < k, other=-1).to(tl.int64)
    is_there = right >= 0
    node = tl.load(other_rows + right, mask=is_there, other=0).to(tl.int64)
    first = tl.load(other_start + node, mask=is_there, other=0).to(tl.int64)
    last = tl.load(other_start + node + 1, mask=is_there, other=0).to(tl.int64)
    own_node = tl.load(own_rows + row).to(tl.int64)
    begin = tl.load(own_start + own_node).to(tl.int64)
    n_own = tl.load(own_start + own_node + 1).to(tl.int64) - begin
    first = tl.where(n_own > 0, first, last)
    half = n_own * 0 + 1  # the largest power of two that is not above the length
    while half * 2 <= n_own:
        half = half * 2
    total = tl.zeros((n_columns,), tl.float64)
    place = tl.arange(0, width)
    longest = tl.max(last - first)
    offset = longest * 0
    while offset < longest:
        at = first[:, None] + offset + place[None, :]
        is_entry = at < last[:, None]
        item = tl.load(other_item + at, mask=is_entry, other=0).to(tl.int64)
        low = tl.zeros((n_columns, width), tl.int64)  # own items that are smaller
        step = half
        while step > 0:
            probe = low + step
            can = is_entry & (probe <= n_own)
            held = tl.load(own_item + begin + probe - 1, mask=can, other=0).to(tl.int64)
            low = tl.where(can & (held < item), probe, low)
            step = step // 2
        can = is_entry & (low < n_own)
        held = tl.load(own_item + begin + low, mask=can, other=-1).to(tl.int64)
        is_common = can & (held == item)
        value = tl.load(own_value + begin + low, mask=is_common, other=0.0)
        if smaller:
            theirs = tl.load(other_value + at, mask=is_common, other=0.0)
            value = tl.minimum(value, theirs)
        total += tl.sum(value.to(tl.float64), 1)
        offset += width
    tl.store(out + row * k + column, total.to(tl.float32), mask=column < k)
