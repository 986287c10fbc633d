"""The Dask engine itself: every function runs as a task, every block lies in some worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import numpy as np

from lighttea.engines.base import Blocks, Handle, block_arguments, unwrap
from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.dask.connection import Connection, Future
from lighttea.engines.layout import Cuts, Layout
from lighttea.engines.ops import Ops
from lighttea.engines.tables import Rows
from lighttea.kernels.rows import NumpyRows
from lighttea.types import NumpyArray

T = TypeVar("T")


class DaskEngine:
    """Values are futures; the process that drives the work holds none of them."""

    name = "dask"
    is_local = False
    is_exact = False

    def __init__(self, connection: Connection, layout: Layout, *, compact: bool = False) -> None:
        """The cuts change no result but for rounding."""
        self.ops: Ops[NumpyArray] = PLAIN
        self.layout, self.compact = layout, compact
        self._connection = connection

    def hold(self, value: T) -> Handle[T]:
        if isinstance(value, int | float | str | slice | None):
            return Handle(value)  # as small as what would stand for it
        return Handle(self._connection.hold(value))

    def make(self, function: Callable[..., T], *arguments: object) -> Handle[T]:
        return Handle(self._connection.submit(function, *map(unwrap, arguments)))

    def place(self, handle: Handle[T]) -> Handle[T]:
        return handle

    def run(self, function: Callable[..., T], *arguments: object) -> Handle[T]:
        return Handle(self._submit(function, arguments))

    def _submit(
        self, function: Callable[..., T], arguments: Sequence[object], at: float | None = None
    ) -> Future:
        return self._connection.submit(function, self.ops, *map(unwrap, arguments), at=at)

    def map(
        self, function: Callable[..., T], *arguments: object, spread: bool = False
    ) -> Blocks[T]:
        blocks = list(block_arguments(arguments))
        return Blocks(
            Handle(self._submit(function, own, at=number / len(blocks) if spread else None))
            for number, own in enumerate(blocks)
        )

    def combine(self, function: Callable[..., T], blocks: Blocks[T]) -> Handle[T]:
        parts = [handle.stored for handle in blocks]
        return Handle(self._connection.reduce(function, parts, self.ops))

    def build_rows(self, cuts: Cuts, width: int, n_parts: int) -> DaskRowsBuilder:
        return DaskRowsBuilder(self._connection, self.ops, cuts, n_parts, compact=self.compact)

    def wait(self, results: Handle[T] | Blocks[T]) -> None:
        handles = results if isinstance(results, Blocks) else [results]
        self._connection.wait([handle.stored for handle in handles])

    def fetch(self, handle: Handle[T]) -> T:
        return cast(T, self._connection.fetch(handle.stored))

    def close(self) -> None:
        """Let the workers go."""
        self._connection.close()


class DaskRowsBuilder:
    """Pieces are rounded where they are made, and put together when all are there."""

    def __init__(
        self,
        connection: Connection,
        ops: Ops[NumpyArray],
        cuts: Cuts,
        n_parts: int,
        *,
        compact: bool,
    ) -> None:
        self._connection, self._ops, self._compact = connection, ops, compact
        self._pieces: list[list[list[Future]]] = [[[] for _ in range(n_parts)] for _ in cuts]

    def put(
        self,
        block: int,
        begin: int,
        part: int,
        function: Callable[..., NumpyArray],
        *arguments: object,
    ) -> None:
        at = block / len(self._pieces)
        values = [unwrap(argument) for argument in arguments]
        piece = self._connection.submit(
            round_piece, self._ops, self._compact, function, *values, at=at
        )
        self._pieces[block][part].append(piece)

    def flush(self) -> None:
        """Wait for all pieces: what they are made of is larger, and can go then."""
        self._connection.wait([piece for block in self._pieces for part in block for piece in part])

    def finish(
        self, function: Callable[..., Rows[NumpyArray]], *arguments: object
    ) -> Blocks[Rows[NumpyArray]]:
        values, blocks = [unwrap(argument) for argument in arguments], []
        for number, parts in enumerate(self._pieces):
            whole = self._connection.submit(
                join_pieces, self._ops, function, parts, *values, at=number / len(self._pieces)
            )
            blocks.append(Handle[Rows[NumpyArray]](whole))
            parts.clear()
        return Blocks(blocks)


# ------------------------------------------------------------------------ in the workers


def round_piece(
    ops: Ops[NumpyArray], compact: bool, function: Callable[..., NumpyArray], *arguments: object
) -> NumpyRows:
    """Return the rows of a piece as they are held."""
    return NumpyRows.of(function(ops, *arguments), compact=compact)


def join_pieces(
    ops: Ops[NumpyArray],
    function: Callable[..., Rows[NumpyArray]],
    parts: Sequence[Sequence[NumpyRows]],
    *arguments: object,
) -> Rows[NumpyArray]:
    """Return a function of whole rows: pieces under one another, parts side by side."""
    first = parts[0][0]
    n_rows, width = sum(len(piece) for piece in parts[0]), first.n_columns
    rows = NumpyRows.empty(n_rows, width, len(parts), compact=first.is_compact)
    for part, pieces in enumerate(parts):
        columns = slice(part * width, (part + 1) * width)
        np.concatenate([piece.values for piece in pieces], out=rows.values[:, columns])
        np.concatenate([piece.scale[:, 0] for piece in pieces], out=rows.scale[:, part])
    return function(ops, rows, *arguments)
