"""An engine of one process: blocks are values in memory, functions run at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, cast

from lighttea.engines.base import Blocks, Handle, block_arguments, unwrap
from lighttea.engines.layout import Cuts, Layout
from lighttea.engines.ops import Ops
from lighttea.engines.tables import Rows
from lighttea.types import A

T = TypeVar("T")


class LocalEngine(Generic[A]):
    """Runs functions at once, with the arrays of its `Ops`."""

    is_local = True

    def __init__(
        self, name: str, ops: Ops[A], layout: Layout, *, compact: bool = False, is_exact: bool
    ) -> None:
        self.name, self.ops, self.layout = name, ops, layout
        self.compact, self.is_exact = compact, is_exact

    def hold(self, value: T) -> Handle[T]:
        return Handle(value)

    def make(self, function: Callable[..., T], *arguments: object) -> Handle[T]:
        return Handle(function(*map(unwrap, arguments)))

    def place(self, handle: Handle[T]) -> Handle[T]:
        return handle

    def run(self, function: Callable[..., T], *arguments: object) -> Handle[T]:
        return Handle(function(self.ops, *map(unwrap, arguments)))

    def map(
        self, function: Callable[..., T], *arguments: object, spread: bool = False
    ) -> Blocks[T]:
        return Blocks(self.run(function, *own) for own in block_arguments(arguments))

    def combine(self, function: Callable[..., T], blocks: Blocks[T]) -> Handle[T]:
        return self.run(function, blocks)

    def build_rows(self, cuts: Cuts, width: int, n_parts: int) -> LocalRowsBuilder[A]:
        blocks = [
            self.ops.empty_rows(n_rows, width, n_parts, compact=self.compact)
            for n_rows in cuts.sizes
        ]
        return LocalRowsBuilder(self, blocks)

    def wait(self, results: Handle[T] | Blocks[T]) -> None:
        """Everything is done when it is asked for."""

    def fetch(self, handle: Handle[T]) -> T:
        return cast(T, handle.stored)

    def close(self) -> None:
        """Nothing is held."""


class LocalRowsBuilder(Generic[A]):
    """Pieces go to their place as they come, so that no second copy of the rows is needed."""

    def __init__(self, engine: LocalEngine[A], blocks: Sequence[Rows[A]]) -> None:
        self._engine, self._blocks = engine, blocks

    def put(
        self, block: int, begin: int, part: int, function: Callable[..., A], *arguments: object
    ) -> None:
        piece = self._engine.run(function, *arguments)
        self._blocks[block].put(begin, self._engine.fetch(piece), part)

    def flush(self) -> None:
        """Pieces are there as soon as they are put."""

    def finish(self, function: Callable[..., Rows[A]], *arguments: object) -> Blocks[Rows[A]]:
        return Blocks(self._engine.run(function, Handle(rows), *arguments) for rows in self._blocks)
