"""The GPU engine itself: a local engine whose arrays are tensors on one device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

import numpy as np
import torch

from lighttea.engines.base import Blocks, Handle
from lighttea.engines.gpu.device import Device, tell_out_of_memory
from lighttea.engines.gpu.ops import TorchOps
from lighttea.engines.layout import Cuts, Layout
from lighttea.engines.local import LocalEngine, LocalRowsBuilder

T = TypeVar("T")


class GpuEngine(LocalEngine[torch.Tensor]):
    """All on one device, from the facts to the best candidates.

    It runs on torch's CPU device too, slowly, so that it can be tested where there is no GPU.
    """

    def __init__(self, layout: Layout, device: str = "cuda") -> None:
        self._device = Device.named(device)
        self._ops, self.slow_because = primitives_of(self._device)
        super().__init__("gpu", self._ops, layout, is_exact=True)

    @property
    def is_gpu(self) -> bool:
        """Whether it is a real GPU."""
        return self._device.is_gpu

    def free_bytes(self) -> int:
        """Return the memory of the device that can still be taken."""
        return self._device.free_bytes()

    def place(self, handle: Handle[T]) -> Handle[T]:
        with tell_out_of_memory():
            return Handle(self._moved(self.fetch(handle)))

    def _moved(self, value: T) -> T:
        """Return a dataclass, or an array, with its plain arrays as tensors."""
        if isinstance(value, np.ndarray):
            return cast(T, self._ops.asarray(value))
        if not is_dataclass(value) or isinstance(value, type):
            return value
        moved = {part.name: self._moved(getattr(value, part.name)) for part in fields(value)}
        return replace(value, **moved)

    def run(self, function: Callable[..., T], *arguments: object) -> Handle[T]:
        with tell_out_of_memory():
            return super().run(function, *arguments)

    def build_rows(self, cuts: Cuts, width: int, n_parts: int) -> LocalRowsBuilder[torch.Tensor]:
        with tell_out_of_memory():
            return super().build_rows(cuts, width, n_parts)

    def wait(self, results: Handle[T] | Blocks[T]) -> None:
        """Wait for the device, so that seconds belong to their stage."""
        self._device.settle()

    def close(self) -> None:
        """Give the device's memory back to others."""
        self._ops.forget()
        if self.is_gpu:
            torch.cuda.empty_cache()


def primitives_of(device: Device) -> tuple[TorchOps, str]:
    """Return the primitives for a device, compiled ones on a GPU, and why they are not if so."""
    if not device.is_gpu:
        return TorchOps(device), ""
    try:
        from lighttea.engines.gpu.compiled.ops import CompiledOps, try_to_compile

        try_to_compile(device)
        return CompiledOps(device), ""
    except Exception as error:  # noqa: BLE001 - no Triton, no C compiler, another version of it
        first_line = str(error).partition("\n")[0]
        return TorchOps(device), f"{type(error).__name__}: {first_line}"


def find_gpu() -> tuple[str | None, str]:
    """Return the GPU that torch would use, or None and what is missing."""
    if torch.cuda.is_available():
        return "cuda", ""
    return None, (
        f"PyTorch {torch.__version__} finds no usable GPU (it needs a CUDA or ROCm build and the "
        "driver of the GPU)"
    )
