"""The last hop: the outer product of what a fact says and whom it says it of, kept small.

An entity sums, over its facts, (label of the relation) ⊗ (label of the neighbour), or of the tick
and the neighbour. The sum is never formed: a random projection P1 of the one times a random
projection P2 of the other, element by element, has the same inner products in expectation (a
Khatri-Rao sketch), with an error of about 1 / sqrt(width).
"""

from __future__ import annotations

import numpy as np

from lighttea.engines import kernels
from lighttea.graph.views import Incidence
from lighttea.types import Floats

SLICE = 512  # columns made at a time: the projected labels never stand in memory as a whole


def last_hop(
    incidence: Incidence, entity: Floats, other: Floats, width: int, rng: np.random.Generator
) -> Floats:
    """(n_nodes, width): sum over facts of P1(other label) * P2(neighbour label)."""
    sketch = np.empty((entity.shape[0], width), np.float32)
    for begin in range(0, width, SLICE):
        part = np.empty((entity.shape[0], min(SLICE, width - begin)), np.float32)
        kernels.sum_of_products(
            incidence.start,
            incidence.neighbour,
            incidence.other,
            entity @ projection(entity.shape[1], part.shape[1], rng),
            other @ projection(other.shape[1], part.shape[1], rng),
            part,
        )
        sketch[:, begin : begin + SLICE] = part
    return sketch


def projection(n_from: int, n_to: int, rng: np.random.Generator) -> Floats:
    """Gaussian entries, unscaled: the sketch is normalised afterwards."""
    return rng.standard_normal((n_from, n_to), dtype=np.float32)
