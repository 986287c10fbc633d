"""Which device, and how much fits on it: asked for, never assumed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch

from lighttea.errors import EngineUnavailable
from lighttea.types import NumpyArray

SHARE = 0.25  # of the free memory that one block may take
_LARGEST = 2 << 30  # bytes of a block: larger ones are no faster
_LITTLE = 256 << 20  # bytes that are there without asking
_PLAIN_FREE = 1 << 29  # what the CPU device may take for a block: it is there for tests


@dataclass(frozen=True)
class Device:
    """A device and the ways onto it."""

    where: torch.device

    @classmethod
    def named(cls, name: str) -> Device:
        """ "cuda", "cuda:1", "cpu"."""
        return cls(torch.device(name))

    @property
    def is_gpu(self) -> bool:
        """Whether products can be made in reduced precision."""
        return self.where.type == "cuda"

    def free_bytes(self) -> int:
        """What can still be taken, what torch keeps in reserve counted in."""
        if not self.is_gpu:
            return _PLAIN_FREE
        free, _ = torch.cuda.mem_get_info(self.where)
        stats = torch.cuda.memory_stats_as_nested_dict(self.where)
        reserved, allocated = (
            stats.get(name, {}).get("all", {}).get("current", 0)
            for name in ("reserved_bytes", "allocated_bytes")
        )
        return int(free + reserved - allocated)

    def rows(self, row_bytes: float, at_most: int) -> int:
        """Return how many rows of that size make a block: all of them where that is little."""
        if row_bytes * at_most <= _LITTLE:
            return max(1, at_most)  # asking the device takes a millisecond
        room = min(SHARE * self.free_bytes(), _LARGEST)
        return max(1, min(at_most, int(room / max(row_bytes, 1))))

    def put(self, array: NumpyArray, dtype: torch.dtype | None = None) -> torch.Tensor:
        """An array's copy on the device."""
        array = np.ascontiguousarray(array)
        made = torch.from_numpy(array if array.flags.writeable else array.copy())
        return made.to(self.where).to(dtype or made.dtype)  # fewer bytes travel, and are converted

    def settle(self) -> None:
        """Wait until all work is done, so that seconds belong to their stage."""
        if self.is_gpu:
            torch.cuda.synchronize(self.where)


@contextmanager
def tell_out_of_memory() -> Iterator[None]:
    """Turn a full device into an error that says what a user can do."""
    try:
        yield
    except torch.OutOfMemoryError:
        torch.cuda.empty_cache()
        raise EngineUnavailable(_out_of_memory()) from None


def _out_of_memory() -> str:
    """Return what the device has, and what helps."""
    has = "it"
    if torch.cuda.is_available():
        free, total = (number / (1 << 30) for number in torch.cuda.mem_get_info())
        held = torch.cuda.memory_allocated() / (1 << 30)
        has = f"of its {total:.1f} GiB this run held {held:.1f}, {free:.1f} are free; it"
    return (
        f"the GPU ran out of memory: {has} may be shared with another program. Close that, lower "
        '`dim`, `sketch_factor` or `top_k`, or use `engine="cpu"`; with `checkpoint`, the same run '
        "goes on after its last finished round"
    )


def blocks(n: int, size: int) -> Iterator[slice]:
    """0 ... n in pieces."""
    for begin in range(0, n, size):
        yield slice(begin, min(begin + size, n))


def blocks_by_load(load: torch.Tensor, most: int, at_most: int) -> Iterator[slice]:
    """Pieces of rows whose loads add up to at most `most`, and that are not too many."""
    ends = np.cumsum(load.to(torch.int64).cpu().numpy())
    begin, n = 0, len(ends)
    while begin < n:
        before = int(ends[begin - 1]) if begin else 0
        end = int(np.searchsorted(ends, before + most, side="right"))
        end = min(max(end, begin + 1), begin + at_most, n)
        yield slice(begin, end)
        begin = end
