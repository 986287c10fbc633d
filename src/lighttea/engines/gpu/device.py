"""Which device, and how much fits on it: asked for, never assumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from inspect import isfunction
from typing import Any, TypeVar

import numpy as np
import torch

from lighttea.errors import EngineUnavailable

_Engine = TypeVar("_Engine")

SHARE = 0.25  # of the free memory that one block may take
_LARGEST = 2 << 30  # bytes of a block: larger ones are no faster
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
        kept = torch.cuda.memory_reserved(self.where) - torch.cuda.memory_allocated(self.where)
        return int(free + kept)

    def rows(self, bytes_of_one: float, at_most: int) -> int:
        """How many rows of that size make a block."""
        return max(
            1, min(at_most, int(min(SHARE * self.free_bytes(), _LARGEST) / max(bytes_of_one, 1)))
        )

    def put(self, array: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
        """An array's copy on the device."""
        array = np.ascontiguousarray(array)
        made = torch.from_numpy(array if array.flags.writeable else array.copy())
        return made.to(self.where, dtype or made.dtype)

    def settle(self) -> None:
        """Wait until all work is done, so that seconds belong to their stage."""
        if self.is_gpu:
            torch.cuda.synchronize(self.where)


def tells_out_of_memory(engine: type[_Engine]) -> type[_Engine]:
    """A class whose methods end in plain words, with the numbers, when the device is full."""

    def told(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*args: Any, **options: Any) -> Any:
            try:
                return method(*args, **options)
            except torch.OutOfMemoryError:
                torch.cuda.empty_cache()
                raise EngineUnavailable(out_of_memory()) from None

        return call

    for name, method in list(vars(engine).items()):
        if isfunction(method) and (name == "__init__" or not name.startswith("_")):
            setattr(engine, name, told(method))
    return engine


def out_of_memory() -> str:
    """What a user can do, with what the device has."""
    has = "it"
    if torch.cuda.is_available():
        free, total = (number / (1 << 30) for number in torch.cuda.mem_get_info())
        held = torch.cuda.memory_allocated() / (1 << 30)
        has = f"of its {total:.1f} GiB this run held {held:.1f}, {free:.1f} are free; it"
    return (
        f"the GPU ran out of memory: {has} may be shared with another program. Close that, lower "
        "--dim, --sketch-factor or --top-k, or use --engine cpu; the same command with --resume "
        "goes on after the last finished round"
    )


def blocks(n: int, size: int) -> Iterator[slice]:
    """0 ... n in pieces."""
    for begin in range(0, n, size):
        yield slice(begin, min(begin + size, n))


def blocks_by_load(load: torch.Tensor, most: int, at_most: int) -> Iterator[slice]:
    """Pieces of rows whose loads add up to at most `most`, and that are not too many."""
    ends = np.cumsum(host(load.to(torch.int64)))
    begin, n = 0, len(ends)
    while begin < n:
        before = int(ends[begin - 1]) if begin else 0
        end = int(np.searchsorted(ends, before + most, side="right"))
        end = min(max(end, begin + 1), begin + at_most, n)
        yield slice(begin, end)
        begin = end


def host(tensor: torch.Tensor) -> Any:
    """A tensor as a numpy array."""
    return tensor.detach().cpu().numpy()


def full_table(n_rows: int, k: int, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Room for k candidates a row: places, -1 so far, and similarities, 0 so far."""
    places = torch.full((n_rows, k), -1, dtype=torch.int32, device=like.device)
    return places, torch.zeros((n_rows, k), dtype=torch.float32, device=like.device)
