"""How label rows are held: as float32, or as eight bits a value where memory is short.

Part p of row i stands for `scale[i, p] * values[i, p's columns]` where a value takes eight bits; in
float32 the values stand for themselves and the scale says whether the part is zero. Eight bits turn
a row by .8 % of its length; in an inner product of a thousand columns that is 3e-4, a hundredth of
the sketch's own noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lighttea.kernels import products
from lighttea.types import Bools, Floats, Ints

BLOCK_ROWS = 8192  # rows that are made or read at a time


@dataclass(frozen=True)
class NumpyRows:
    """Tall rows of one or more parts side by side, filled part by part and block by block."""

    values: NDArray[Any]  # (n_rows, n_parts * width), float32 or int8
    scale: Floats  # (n_rows, n_parts); 0 where a part is a zero row, 1 elsewhere in float32

    @classmethod
    def empty(
        cls, n_rows: int, width: int, n_parts: int = 1, *, compact: bool = False
    ) -> NumpyRows:
        """Room for so many rows."""
        values = np.empty((n_rows, n_parts * width), np.int8 if compact else np.float32)
        return cls(values, np.zeros((n_rows, n_parts), np.float32))

    @classmethod
    def of(cls, matrix: Floats, *, compact: bool = False) -> NumpyRows:
        """A matrix as rows of one part."""
        rows = cls.empty(*matrix.shape, compact=compact)
        rows.put(0, matrix)
        return rows

    @classmethod
    def join(cls, blocks: Sequence[NumpyRows]) -> NumpyRows:
        """Return a copy of the blocks under one another."""
        return cls(
            np.concatenate([block.values for block in blocks]),
            np.concatenate([block.scale for block in blocks]),
        )

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
        store = products.quantise_rows if self.is_compact else products.store_rows
        store(block, self.values[rows, columns], self.scale[rows, part])

    def stretch(self, factor: Floats) -> None:
        """Multiply each part of each row by a factor: (n_rows, n_parts)."""
        if self.is_compact:
            self.scale[...] *= factor
        else:
            products.stretch_parts(self.values, factor)

    def replace(self, flags: Bools, others: NumpyRows) -> None:
        """Set the rows that have a flag to others, as many as there are flags."""
        self.values[flags] = others.values
        self.scale[flags] = others.scale

    def take(self, numbers: Ints) -> Floats:
        """These rows as float32, without a copy where they are held so and stand together."""
        if self.is_compact:
            out = np.empty((len(numbers), self.n_columns), np.float32)
            products.restore_rows(self.values, self.scale, numbers, out)
            return out
        first = int(numbers[0]) if len(numbers) else 0
        end = first + len(numbers)
        together = np.array_equal(numbers, np.arange(first, end))
        rows: Floats = self.values[first:end] if together else self.values[numbers]
        return rows

    def dots(self, other: NumpyRows, rows: Ints, index: Ints, n_parts: int | None = None) -> Floats:
        """(n, k): the inner product of rows[i] and the other side's index[i, c]; 0 at -1.

        Over all parts, or the first ones.
        """
        out = np.empty(index.shape, np.float32)
        multiply = products.compact_candidate_dots if self.is_compact else products.candidate_dots
        parts = self.scale.shape[1] if n_parts is None else n_parts
        multiply(self.values, self.scale, other.values, other.scale, rows, index, parts, out)
        return out
