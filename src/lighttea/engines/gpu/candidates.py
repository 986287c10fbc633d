"""Candidates on the device: exact search, tables in one, what they are scored by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch

from lighttea.engines.gpu.device import Device, blocks, full_table
from lighttea.engines.gpu.labels import DeviceLabels
from lighttea.similarity.allowed import Allowed, Kinds

NONE = -1
_WIDEST = 1 << 16  # right rows that are looked at together
_SLACK = 32  # places around the cut where reduced precision does not decide
_BITS, _ALL = 4, 15


@dataclass(frozen=True)
class Table:
    """As `similarity.topk.Candidates`, as tensors."""

    index: torch.Tensor  # (n, k) int32
    label: torch.Tensor
    time: torch.Tensor | None  # NaN where unknown
    score: torch.Tensor
    consensus: torch.Tensor | None = None
    source: torch.Tensor | None = None

    @property
    def valid(self) -> torch.Tensor:
        """Where there is a candidate."""
        return self.index != NONE

    def weighted(self, time: float, consensus: float) -> Table:
        """S': label and time similarity blended (eq. 9), then what the links so far say."""
        return replace(self, score=self.blended(time, consensus))

    def blended(self, time: float, consensus: float) -> torch.Tensor:
        """The score under such weights; unknown time is neutral."""
        score = self.label
        if time and self.time is not None:
            both = (1 - time) * self.label + time * self.time
            score = torch.where(torch.isnan(self.time), self.label, both)
        if self.consensus is not None:
            score = (1 - consensus) * score + consensus * self.consensus
        return score


@contextmanager
def reduced_precision(device: Device) -> Iterator[None]:
    """Matrix products of numbers rounded to 10 bits, added up in float32: TF32.

    Rows have length one, so an inner product is off by about 1e-5, far below the sketch's noise.
    """
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if device.is_gpu else before)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def top_k(
    labels: DeviceLabels, k: int, asks: torch.Tensor, device: Device
) -> tuple[torch.Tensor, torch.Tensor]:
    """The k best right rows of each left row that asks, exactly: places and inner products.

    A zero row has no candidate and is none.
    """
    n_left, n_right = len(labels.left), len(labels.right)
    index, label = full_table(n_left, max(1, min(k, n_right)), labels.left)
    answers = torch.nonzero(labels.right_filled).reshape(-1)
    asking = torch.nonzero(asks & labels.left_filled).reshape(-1)
    kept = min(k, len(answers))
    if not kept or not len(asking):
        return index, label
    right = labels.right if len(answers) == n_right else labels.right[answers]
    wide, more = min(_WIDEST, len(answers)), min(kept + _SLACK, len(answers))
    rows = device.rows(16 * wide + 24 * more, len(asking))
    for block in blocks(len(asking), rows):
        here = asking[block]
        with reduced_precision(device):
            value, place = _best_of_row(labels.left[here], right, more, wide)
        if more > kept:
            value, place = _surely_best(value, place, labels.left[here], right, kept, device)
        index[here, :kept] = answers[place].to(torch.int32)
        label[here, :kept] = value
    return index, label


def _surely_best(
    value: torch.Tensor,
    place: torch.Tensor,
    asking: torch.Tensor,
    right: torch.Tensor,
    kept: int,
    device: Device,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The best of a few more than are kept: around the cut products are made again in float32."""
    value, order = value.sort(dim=1, descending=True)
    place = place.gather(1, order)
    sure = max(0, kept - _SLACK)
    near = place[:, sure:]
    rows = torch.arange(len(asking), device=asking.device)
    exact = dots(asking, right, rows, near, device)
    best, which = exact.topk(kept - sure, dim=1, sorted=False)
    return torch.cat([value[:, :sure], best], 1), torch.cat(
        [place[:, :sure], near.gather(1, which)], 1
    )


def _best_of_row(
    asking: torch.Tensor, right: torch.Tensor, kept: int, wide: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Products block by block, the best kept as they come."""
    value: torch.Tensor | None = None
    place: torch.Tensor | None = None
    for block in blocks(len(right), wide):
        product = asking @ right[block].T
        best, at = product.topk(min(kept, product.shape[1]), dim=1, sorted=False)
        at = at + block.start
        if value is not None and place is not None:
            best, at = torch.cat([value, best], 1), torch.cat([place, at], 1)
            if best.shape[1] > kept:
                best, which = best.topk(kept, dim=1, sorted=False)
                at = at.gather(1, which)
        value, place = best, at
    assert value is not None
    assert place is not None
    return value, place


def dots(
    left: torch.Tensor, right: torch.Tensor, rows: torch.Tensor, index: torch.Tensor, device: Device
) -> torch.Tensor:
    """(n, k): the inner product of left[rows[i]] and right[index[i, c]]; 0 at -1."""
    out = torch.zeros(index.shape, device=left.device)
    fit = device.rows(4 * left.shape[1] * (index.shape[1] + 2), len(index))
    for block in blocks(len(index), fit):
        here = index[block]
        others = right[here.clamp_min(0).long()]  # (b, k, width)
        found = torch.bmm(others, left[rows[block]][:, :, None])[:, :, 0]
        out[block] = torch.where(here >= 0, found, 0)
    return out


def merged(tables: Mapping[int, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """All tables of candidates in one, none twice, as wide as the fullest row; who found each."""
    packed = torch.cat(
        [
            torch.where(table == NONE, torch.tensor(NONE), table.long() << _BITS | bit)
            for bit, table in tables.items()
        ],
        1,
    )
    packed = packed.sort(dim=1, descending=True).values  # the empty ones come last
    place, found = packed >> _BITS, packed & _ALL
    again = torch.zeros_like(place, dtype=torch.bool)
    again[:, 1:] = place[:, 1:] == place[:, :-1]
    for step in range(1, len(tables)):  # one found again hands its bits on
        same = place[:, step:] == place[:, :-step]
        found[:, :-step] |= torch.where(same, found[:, step:], 0)
    packed = torch.where((packed == NONE) | again, NONE, place << _BITS | found)
    packed = packed.sort(dim=1, descending=True).values
    width = max(1, int((packed != NONE).sum(1).max())) if len(packed) else 1
    packed = packed[:, :width]
    empty = packed == NONE
    index = torch.where(empty, NONE, packed >> _BITS).to(torch.int32)
    return index, torch.where(empty, 0, packed & _ALL).to(torch.uint8)


class Struck:
    """Which pairs may be no candidates, on the device."""

    def __init__(self, allowed: Allowed, device: Device) -> None:
        """Copy what is laid down there."""
        self._n_right = allowed.n_right
        self._banned = device.put(allowed.banned, torch.int64)
        self._kinds, self._device = allowed.kinds, device
        if allowed.kinds is not None:
            self._put_kinds(allowed.kinds)

    def _put_kinds(self, kinds: Kinds) -> None:
        put = self._device.put
        self._left, self._right = put(kinds.left, torch.int64), put(kinds.right, torch.int64)
        self._agreeing = put(kinds.agreeing, torch.int64)

    def strike(self, left: torch.Tensor, right: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        """The candidates without the refused ones."""
        one, other = left[:, None], right[index.clamp_min(0).long()]
        refused = _among(one * self._n_right + other, self._banned)
        if self._kinds is not None:
            kind, another = self._left[one], self._right[other]
            agree = _among(kind * self._kinds.n_right + another, self._agreeing)
            refused |= (kind >= 0) & (another >= 0) & ~agree
        return torch.where(refused, NONE, index)


def _among(numbers: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    """Which numbers are among the known ones, which are sorted."""
    if not len(known):
        return torch.zeros_like(numbers, dtype=torch.bool)
    place = torch.searchsorted(known, numbers).clamp_max(len(known) - 1)
    return known[place] == numbers
