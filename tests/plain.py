"""A CPU engine for tests of one stage: its arrays are numpy's, everything is one block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.layout import Cuts, Layout
from lighttea.engines.local import LocalEngine
from lighttea.types import NumpyArray

T = TypeVar("T")


def plain_engine(
    n_left: int, n_right: int, n_nodes: int = 0, dim: int = 1, *, n_blocks: int = 1
) -> Engine[NumpyArray]:
    """Return an engine for tables of this size, cut into one block or several of each kind."""
    sizes = (n_left, n_right, n_nodes, dim)
    left, right, nodes, columns = (Cuts.even(n, n_blocks) for n in sizes)
    piece = max(1, n_left // n_blocks)
    layout = Layout(left, right, nodes, columns, piece)
    return LocalEngine("cpu", PLAIN, layout, is_exact=False)


def one_block(value: T) -> Blocks[T]:
    """Return a value as the only block."""
    return Blocks([Handle(value)])


def value_of(blocks: Blocks[T]) -> T:
    """Return the value of the only block."""
    (handle,) = blocks
    return handle.stored  # type: ignore[return-value]


def call(function: Callable[..., T], *arguments: Any) -> T:
    """Run a function of one block as an engine would."""
    return function(PLAIN, *arguments)
