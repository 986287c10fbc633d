"""The last hop: the outer product of what a fact says and whom it says it of, kept small.

An entity sums, over its facts, (label of the relation) ⊗ (label of the neighbour), or of the tick
and the neighbour. The sum is never formed. Each coordinate of the neighbour's label is multiplied
by a random projection of the other's label, so that unlike relations cancel and like ones add up:
a Khatri-Rao sketch whose one projection is the identity. docs/decisions/sketch.md says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.graph.views import Incidence
from lighttea.kernels import products
from lighttea.kernels.rows import NodeRows
from lighttea.types import Floats, Ints, Signs


@dataclass(frozen=True)
class Hops:
    """The concatenated label of eq. 3, kept hop by hop.

    Rows of a hop have length one or zero, so the concatenation is normalised by one number a row.
    """

    layers: Sequence[NodeRows]  # L^(0) ... L^(n), each (n_nodes, dim)

    def row_scale(self) -> Floats:
        """1 / length of each concatenated row; 0 for a row that is zero."""
        filled = np.sum([layer.filled for layer in self.layers], axis=0, dtype=np.float32)
        return np.divide(1, np.sqrt(filled), out=np.zeros_like(filled), where=filled > 0)


@dataclass(frozen=True)
class Placement:
    """One hop of the neighbour's label, and the part of the sketch that it is summed into."""

    layer: NodeRows
    columns: slice
    other_rows: Floats  # (n_others, dim) the projected labels of relations or ticks


@dataclass(frozen=True)
class Sketch:
    """The last hop of one aspect, ready to be computed for any nodes."""

    incidence: Incidence
    placements: Sequence[Placement]
    length: Floats  # (n_nodes,) what a neighbour's hops are multiplied by
    width: int

    def of_nodes(self, nodes: Ints) -> Floats:
        """(n, width): the sum over the facts of each node."""
        out = np.zeros((len(nodes), self.width), np.float32)
        for one in self.placements:
            products.add_sums_of_products(
                self.incidence.start,
                self.incidence.neighbour,
                self.incidence.other,
                nodes,
                one.layer.place,
                one.layer.rows.values,
                one.layer.rows.scale,
                self.length,
                one.other_rows,
                out[:, one.columns],
            )
        return out


def last_hop(
    incidence: Incidence, entity: Hops, others: Floats, factor: int, rng: np.random.Generator
) -> Sketch:
    """Place the hops of the neighbours' labels into `factor` parts of the sketch.

    `others` are the concatenated labels of the relations or ticks, rows of length one.
    """
    dim = entity.layers[0].rows.n_columns
    weight = np.bincount(incidence.other, minlength=len(others)).astype(np.float32)
    placements = []
    for hop, part, share in places(len(entity.layers), factor):
        projected = others @ projection(others.shape[1], dim, rng).astype(np.float32)
        placements.append(
            Placement(
                layer=entity.layers[hop],
                columns=slice(part * dim, (part + 1) * dim),
                other_rows=np.float32(share) * evened(projected, weight),
            )
        )
    return Sketch(incidence, placements, entity.row_scale(), factor * dim)


def places(n_hops: int, factor: int) -> Iterator[tuple[int, int, float]]:
    """Which hop goes to which part, and with what weight: the seeds' own hop comes last.

    With fewer parts than hops, hops share a part; with more, they come again, multiplied by other
    projections, each time with less weight, so that every hop weighs the same.
    """
    order = [*range(1, n_hops), 0]
    n_places = max(n_hops, factor)
    hops = [order[number % n_hops] for number in range(n_places)]
    for number, hop in enumerate(hops):
        yield hop, number % factor, hops.count(hop) ** -0.5


def projection(n_from: int, n_to: int, rng: np.random.Generator) -> Signs:
    """Random signs, unscaled: the sketch is normalised afterwards.

    As good as Gaussian numbers, and a hundred times as fast to draw.
    """
    drawn = rng.integers(0, 256, -(-n_from * n_to // 8), dtype=np.uint8)
    bits = np.unpackbits(drawn, count=n_from * n_to).view(np.int8)
    return (2 * bits - 1).reshape(n_from, n_to)


def evened(others: Floats, weight: Floats) -> Floats:
    """Columns of equal mean square over all facts.

    Labels of relations have much in common, so that a Gaussian column is large or small for all
    of them at once and a few columns would speak for the rest.
    """
    square = weight @ (others * others) / max(float(weight.sum()), 1.0)
    return np.divide(others, np.sqrt(square), out=np.zeros_like(others), where=square > 0)
