"""The seam between algorithms and hardware.

An algorithm is a function of one block of rows, written once over `Ops` (ops.py). An `Engine` says
where blocks lie and runs functions on them; it knows nothing of labels, candidates or rounds. Every
function that an engine runs takes the `Ops` of its arrays first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from lighttea.engines.layout import Cuts, Layout
from lighttea.engines.ops import Ops
from lighttea.engines.tables import Rows
from lighttea.types import A, Array

T = TypeVar("T")
RowsA = TypeVar("RowsA", bound=Array)


class Handle(Generic[T]):
    """A value where the engine keeps it: in this process, or in some worker."""

    __slots__ = ("stored",)

    def __init__(self, stored: object) -> None:
        """`stored` is the engine's own: the value itself, or what stands for it."""
        self.stored = stored


class Blocks(Generic[T]):
    """One handle for each block of rows, in order."""

    __slots__ = ("handles",)

    def __init__(self, handles: Iterable[Handle[T]]) -> None:
        self.handles: Sequence[Handle[T]] = list(handles)

    def __len__(self) -> int:
        return len(self.handles)

    def __iter__(self) -> Iterator[Handle[T]]:
        return iter(self.handles)


def unwrap(argument: object) -> object:
    """Return what stands for an argument of a function: handles and blocks as they are stored."""
    if isinstance(argument, Handle):
        return argument.stored
    if isinstance(argument, Blocks):
        return [handle.stored for handle in argument]
    if isinstance(argument, list):
        return [unwrap(part) for part in argument]
    return argument


def block_arguments(arguments: Sequence[object]) -> Iterator[list[object]]:
    """Yield the arguments of each block: its own of all `Blocks`, the whole of all others."""
    n_blocks = max(len(blocks) for blocks in arguments if isinstance(blocks, Blocks))
    for number in range(n_blocks):
        yield [part.handles[number] if isinstance(part, Blocks) else part for part in arguments]


class RowsBuilder(Protocol[RowsA]):
    """Label rows that are filled piece by piece, in blocks."""

    def put(
        self, block: int, begin: int, part: int, function: Callable[..., RowsA], *arguments: object
    ) -> None:
        """Set one part of the rows of a block from `begin` on to what a function returns.

        Rows of a block come in order.
        """

    def flush(self) -> None:
        """Return when all pieces so far are there."""

    def finish(
        self, function: Callable[..., Rows[RowsA]], *arguments: object
    ) -> Blocks[Rows[RowsA]]:
        """Return the whole rows of each block, after a function of them that may change them."""


class Engine(Protocol[A]):
    """Where blocks of rows lie, and what runs functions on them."""

    name: str
    ops: Ops[A]
    layout: Layout
    compact: bool  # whether labels are rounded to eight bits to take less memory
    is_local: bool  # one process: views are kept for all rounds, rows are changed in place
    is_exact: bool  # whether the search always compares every couple

    def hold(self, value: T) -> Handle[T]:
        """Return a handle of a value of this process, as it is."""

    def make(self, function: Callable[..., T], *arguments: object) -> Handle[T]:
        """Run a function of plain numpy arrays, without `Ops`; its result stays plain."""

    def place(self, handle: Handle[T]) -> Handle[T]:
        """Return the same value with its plain arrays as arrays of the engine."""

    def run(self, function: Callable[..., T], *arguments: object) -> Handle[T]:
        """Run `function(ops, *arguments)`: handles are what they stand for, blocks are lists."""

    def map(
        self, function: Callable[..., T], *arguments: object, spread: bool = False
    ) -> Blocks[T]:
        """Run a function for each block: of `Blocks` it takes its own, of all else the whole.

        `spread` asks for results that lie evenly over all workers.
        """

    def combine(self, function: Callable[..., T], blocks: Blocks[T]) -> Handle[T]:
        """Run an associative function of a list of parts, in a tree where they are many."""

    def build_rows(self, cuts: Cuts, width: int, n_parts: int) -> RowsBuilder[A]:
        """Return empty label rows in blocks of these sizes."""

    def wait(self, results: Handle[T] | Blocks[T]) -> None:
        """Return when these are done, or raise what went wrong with any of them."""

    def fetch(self, handle: Handle[T]) -> T:
        """Return the value itself, in this process."""

    def close(self) -> None:
        """Give back what the engine holds."""
