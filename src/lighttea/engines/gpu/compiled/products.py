"""Inner products of label rows with those of their candidates, without a copy of these."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

_CANDIDATES, _COLUMNS = 16, 128  # multiplied at a time


def dots(
    left: torch.Tensor, right: torch.Tensor, rows: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    """Return the inner products of left[rows[i]] and right[index[i, c]], (n, k); 0 at -1."""
    n_rows, k = index.shape
    out = torch.zeros((n_rows, k), device=left.device)
    if n_rows and k and len(right):
        _multiply[(n_rows, triton.cdiv(k, _CANDIDATES))](
            left, right, rows, index.contiguous(), out,
            k, left.shape[1], left.stride(0), right.stride(0), _CANDIDATES, _COLUMNS,
        )  # fmt: skip
    return out


@triton.jit(do_not_specialize=["k"])
def _multiply(
    left,
    right,
    rows,
    index,
    out,
    k,
    width,
    left_stride,
    right_stride,
    n_candidates: tl.constexpr,
    n_columns: tl.constexpr,
):
    """One row and some of its candidates."""
    row = tl.program_id(0).to(tl.int64)
    place = tl.program_id(1) * n_candidates + tl.arange(0, n_candidates)
    candidate = tl.load(index + row * k + place, mask=place < k, other=-1).to(tl.int64)
    is_there = candidate >= 0
    own = left + tl.load(rows + row).to(tl.int64) * left_stride
    total = tl.zeros((n_candidates,), tl.float32)
    begin = 0
    while begin < width:
        column = begin + tl.arange(0, n_columns)
        mine = tl.load(own + column, mask=column < width, other=0.0)
        theirs = tl.load(
            right + candidate[:, None] * right_stride + column[None, :],
            mask=is_there[:, None] & (column < width)[None, :],
            other=0.0,
        )
        total += tl.sum(theirs * mine[None, :], 1)
        begin += n_columns
    tl.store(out + row * k + place, total, mask=is_there)
