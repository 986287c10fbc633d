"""How label rows are held: as float32, or as eight bits a value where memory is short.

Part p of row i stands for `scale[i, p] * values[i, p's columns]` where a value takes eight bits; in
float32 the values stand for themselves and the scale says whether the part is zero. Eight bits turn
a row by .8 % of its length; in an inner product of a thousand columns that is 3e-4, a hundredth of
the sketch's own noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lighttea.kernels import products
from lighttea.types import Bools, Floats, Ints

BLOCK_ROWS = 8192  # rows that are made or read at a time


@dataclass(frozen=True)
class Rows:
    """Tall rows of one or more parts side by side, filled part by part and block by block."""

    values: NDArray[Any]  # (n_rows, n_parts * width), float32 or int8
    scale: Floats  # (n_rows, n_parts); 0 where a part is a zero row, 1 elsewhere in float32

    @classmethod
    def empty(cls, n_rows: int, width: int, n_parts: int = 1, *, compact: bool = False) -> Rows:
        """Room for so many rows."""
        values = np.empty((n_rows, n_parts * width), np.int8 if compact else np.float32)
        return cls(values, np.zeros((n_rows, n_parts), np.float32))

    @classmethod
    def of(cls, matrix: Floats, *, compact: bool = False) -> Rows:
        """A matrix as rows of one part."""
        rows = cls.empty(*matrix.shape, compact=compact)
        rows.put(0, matrix)
        return rows

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_compact(self) -> bool:
        """Whether a value takes eight bits."""
        return bool(self.values.dtype == np.int8)

    @property
    def n_columns(self) -> int:
        """Columns of all parts together."""
        return int(self.values.shape[1])

    @property
    def filled(self) -> Bools:
        """Which rows are not zero."""
        return np.asarray(self.scale.any(axis=1))

    def put(self, begin: int, block: Floats, part: int = 0) -> None:
        """Set one part of the rows from `begin` on."""
        rows = slice(begin, begin + len(block))
        columns = slice(part * block.shape[1], (part + 1) * block.shape[1])
        if self.is_compact:
            products.quantise_rows(block, self.values[rows, columns], self.scale[rows, part])
        else:
            self.values[rows, columns] = block
            self.scale[rows, part] = products.nonzero_rows(block)

    def stretch(self, factor: Floats) -> None:
        """Multiply each part of each row by a factor: (n_rows, n_parts)."""
        if self.is_compact:
            self.scale[...] *= factor
        else:
            products.stretch_parts(self.values, factor)

    def take(self, numbers: Ints) -> Floats:
        """These rows as float32, without a copy where they are held so and stand together."""
        if self.is_compact:
            out = np.empty((len(numbers), self.n_columns), np.float32)
            products.restore_rows(self.values, self.scale, numbers, out)
            return out
        first = int(numbers[0]) if len(numbers) else 0
        end = first + len(numbers)
        together = np.array_equal(numbers, np.arange(first, end))
        found: Floats = self.values[first:end] if together else self.values[numbers]
        return found

    def dots(self, other: Rows, rows: Ints, index: Ints, n_parts: int | None = None) -> Floats:
        """(n, k): the inner product of rows[i] and the other side's index[i, c]; 0 at -1.

        Over all parts, or the first ones.
        """
        out = np.empty(index.shape, np.float32)
        multiply = products.compact_candidate_dots if self.is_compact else products.candidate_dots
        parts = self.scale.shape[1] if n_parts is None else n_parts
        multiply(self.values, self.scale, other.values, other.scale, rows, index, parts, out)
        return out


@dataclass(frozen=True)
class NodeRows:
    """Rows by node: node n's is `rows[place[n]]`, or zero where place is -1."""

    place: Ints  # (n_nodes,)
    rows: Rows

    @classmethod
    def all_of(cls, rows: Rows) -> NodeRows:
        """Every node has its row."""
        return cls(np.arange(len(rows), dtype=np.int32), rows)

    @classmethod
    def some_of(cls, n_nodes: int, nodes: Ints, rows: Rows) -> NodeRows:
        """Only these nodes have one: (n_rows,), or (m, n_rows) where m nodes share each row."""
        place = np.full(n_nodes, -1, np.int32)
        place[nodes] = np.arange(len(rows), dtype=np.int32)
        return cls(place, rows)

    @property
    def filled(self) -> Floats:
        """1 for a node whose row is not zero, else 0."""
        here = np.zeros(len(self.place), np.float32)
        there = np.flatnonzero(self.place >= 0)
        here[there] = self.rows.filled[self.place[there]]
        return here
