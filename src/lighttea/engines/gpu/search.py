"""Exact search and inner products of candidates on the device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from lighttea.engines.gpu.device import Device, blocks
from lighttea.engines.gpu.rows import TorchRows
from lighttea.engines.tables import TopK

_WIDEST = 1 << 16  # right rows that are looked at together
_SLACK = 32  # places around the cut where reduced precision does not decide


@contextmanager
def reduced_precision(device: Device) -> Iterator[None]:
    """Make matrix products of numbers rounded to 10 bits, added up in float32: TF32.

    Rows have length one, so an inner product is off by about 1e-5, far below the sketch's noise.
    """
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if device.is_gpu else before)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def top_k(
    left: TorchRows, right: TorchRows, k: int, asking: torch.Tensor, device: Device
) -> TopK[torch.Tensor]:
    """Return the k best right rows of the asking left rows, exactly.

    A zero row has no candidate and is none.
    """
    n_left, n_right = len(left), len(right)
    shape = n_left, max(1, min(k, n_right))
    index = torch.full(shape, -1, dtype=torch.int32, device=left.values.device)
    label = torch.zeros(shape, device=left.values.device)
    answers = torch.nonzero(right.filled).reshape(-1)
    rows = asking[left.filled[asking]]
    kept = min(k, len(answers))
    if not kept or not len(rows):
        return TopK(index, label)
    others = right.values if len(answers) == n_right else right.values[answers]
    wide, looked_at = min(_WIDEST, len(answers)), min(kept + _SLACK, len(answers))
    fit = device.rows(16 * wide + 24 * looked_at, len(rows))
    for block in blocks(len(rows), fit):
        here = rows[block]
        with reduced_precision(device):
            value, place = _best_of_rows(left.values[here], others, looked_at, wide)
        if looked_at > kept:
            value, place = _surely_best(value, place, left.values[here], others, kept, device)
        index[here, :kept] = answers[place].to(torch.int32)
        label[here, :kept] = value
    return TopK(index, label)


def _surely_best(
    value: torch.Tensor,
    place: torch.Tensor,
    rows: torch.Tensor,
    others: torch.Tensor,
    kept: int,
    device: Device,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the best of a few more than are kept: around the cut by products in float32."""
    value, order = value.sort(dim=1, descending=True)
    place = place.gather(1, order)
    sure = max(0, kept - _SLACK)
    near = place[:, sure:]
    exact = dots(rows, others, torch.arange(len(rows), device=rows.device), near, device)
    best, which = exact.topk(kept - sure, dim=1, sorted=False)
    return torch.cat([value[:, :sure], best], 1), torch.cat(
        [place[:, :sure], near.gather(1, which)], 1
    )


def _best_of_rows(
    rows: torch.Tensor, others: torch.Tensor, kept: int, wide: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the best products of each row, made block by block, and their places."""
    value = torch.empty((len(rows), 0), device=rows.device)
    place = torch.empty((len(rows), 0), dtype=torch.int64, device=rows.device)
    for block in blocks(len(others), wide):
        product = rows @ others[block].T
        best, at = product.topk(min(kept, product.shape[1]), dim=1, sorted=False)
        value, place = torch.cat([value, best], 1), torch.cat([place, at + block.start], 1)
        if value.shape[1] > kept:
            value, which = value.topk(kept, dim=1, sorted=False)
            place = place.gather(1, which)
    return value, place


def dots(
    left: torch.Tensor, right: torch.Tensor, rows: torch.Tensor, index: torch.Tensor, device: Device
) -> torch.Tensor:
    """Return the inner products of left[rows[i]] and right[index[i, c]], (n, k); 0 at -1."""
    out = torch.zeros(index.shape, device=left.device)
    fit = device.rows(4 * left.shape[1] * (index.shape[1] + 2), len(index))
    for block in blocks(len(index), fit):
        here = index[block]
        others = right[here.clamp_min(0)]  # (b, k, width)
        products = torch.bmm(others, left[rows[block]][:, :, None])[:, :, 0]
        out[block] = torch.where(here >= 0, products, 0)
    return out
