"""The last hop: the outer product of what a fact says and whom it says it of, kept small.

An entity sums, over its facts, (label of the relation) ⊗ (label of the neighbour), or of the tick
and the neighbour. The sum is never formed: a random projection P1 of the one times a random
projection P2 of the other, element by element, has the same inner products in expectation (a
Khatri-Rao sketch), with an error of about 1 / sqrt(width).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.engines import kernels
from lighttea.graph.views import Incidence
from lighttea.types import Floats, Ints


@dataclass(frozen=True)
class Hops:
    """The concatenated label of eq. 3, kept hop by hop.

    Rows of a hop have length one or zero, so the concatenation is normalised by one number a row.
    """

    layers: Sequence[Floats]  # L^(0) ... L^(n), each (n_rows, dim)
    starters: Ints  # the rows of L^(0) that are not zero

    @property
    def width(self) -> int:
        """Width of the concatenation."""
        return sum(layer.shape[1] for layer in self.layers)

    def row_scale(self) -> Floats:
        """1 / length of each concatenated row; 0 for a row that is zero."""
        filled = np.zeros(len(self.layers[0]), np.float32)
        filled[self.starters] = 1
        for layer in self.layers[1:]:
            filled += kernels.nonzero_rows(layer)
        return np.divide(1, np.sqrt(filled), out=np.zeros_like(filled), where=filled > 0)

    def projected(self, scale: Floats, matrix: Floats) -> Floats:
        """The normalised concatenation times a matrix: (n_rows, n_columns)."""
        dim = self.layers[0].shape[1]
        out = self.layers[1] @ matrix[dim : 2 * dim]
        for number, layer in enumerate(self.layers[2:], 2):
            out += layer @ matrix[number * dim : (number + 1) * dim]
        out[self.starters] += self.layers[0][self.starters] @ matrix[:dim]
        out *= scale[:, None]
        return out


def last_hop(
    incidence: Incidence,
    entity: Hops,
    other: Hops,
    width: int,
    rng: np.random.Generator,
    *,
    slice_columns: int = 512,
) -> Floats:
    """(n_nodes, width): sum over facts of P1(other label) * P2(neighbour label).

    The projected labels stand in memory `slice_columns` columns at a time.
    """
    sketch = np.empty((len(entity.layers[0]), width), np.float32)
    entity_scale, other_scale = entity.row_scale(), other.row_scale()
    for begin in range(0, width, slice_columns):
        columns = slice(begin, min(begin + slice_columns, width))
        kernels.sum_of_products(
            incidence.start,
            incidence.neighbour,
            incidence.other,
            entity.projected(entity_scale, projection(entity.width, columns, rng)),
            other.projected(other_scale, projection(other.width, columns, rng)),
            sketch[:, columns],
        )
    return sketch


def projection(n_from: int, columns: slice, rng: np.random.Generator) -> Floats:
    """Gaussian entries, unscaled: the sketch is normalised afterwards."""
    return rng.standard_normal((n_from, columns.stop - columns.start), dtype=np.float32)
