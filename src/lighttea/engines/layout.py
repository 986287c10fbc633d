"""How the work of a problem is cut into blocks: rows of both sides, nodes and label columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lighttea.types import Bools


@dataclass(frozen=True)
class Cuts:
    """Where a range is cut: block b goes from bounds[b] to bounds[b + 1]."""

    bounds: tuple[int, ...]

    @classmethod
    def even(cls, n: int, n_blocks: int) -> Cuts:
        """Return about so many blocks of equal size, none of them empty; one where n is 0."""
        n_blocks = max(1, min(n, n_blocks))
        return cls(tuple(n * number // n_blocks for number in range(n_blocks + 1)))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __iter__(self) -> Iterator[slice]:
        for begin, end in zip(self.bounds[:-1], self.bounds[1:], strict=True):
            yield slice(begin, end)

    def of_rows(self, flags: Bools) -> Cuts:
        """Return the cuts of those rows alone that have a flag; a block may be empty."""
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(flags)])
        return Cuts(tuple(before[list(self.bounds)].tolist()))

    @property
    def n_rows(self) -> int:
        """The whole range."""
        return self.bounds[-1]

    @property
    def begins(self) -> tuple[int, ...]:
        """The first number of each block."""
        return self.bounds[:-1]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows of each block."""
        return tuple(np.diff(self.bounds).tolist())


@dataclass(frozen=True)
class Layout:
    """The blocks of one problem. How it is cut changes no result but for rounding."""

    left: Cuts  # left entities to align
    right: Cuts  # right entities that may be candidates
    nodes: Cuts  # rows of the views
    columns: Cuts  # of a label before the last hop
    piece: int  # rows of a side that the last hop is made for at a time

    @classmethod
    def whole(cls, n_left: int, n_right: int, n_nodes: int, dim: int, piece: int) -> Layout:
        """Return one block of everything."""
        left, right, nodes, columns = (Cuts.even(n, 1) for n in (n_left, n_right, n_nodes, dim))
        return cls(left, right, nodes, columns, piece)

    def pieces(self, n_rows: int) -> Cuts:
        """Return how the rows of a block are cut into pieces."""
        return Cuts.even(n_rows, -(-n_rows // self.piece))
