"""The last hop: the outer product of a fact's relation, or tick, and its neighbour, kept small.

An entity sums, over its facts, (label of the relation) ⊗ (label of the neighbour), or of the tick
and the neighbour. The sum is never formed. Each coordinate of the neighbour's label is multiplied
by a random projection of the other's label, so that unlike relations cancel and like ones add up:
a Khatri-Rao sketch whose one projection is the identity. docs/decisions/sketch.md says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from lighttea.engines.base import Blocks, Engine, Handle, RowsBuilder
from lighttea.engines.layout import Cuts
from lighttea.engines.ops import Ops
from lighttea.engines.tables import NodeRows
from lighttea.graph.views import Incidence
from lighttea.types import A, Signs

Layer = Sequence[Handle[NodeRows[A]]]  # labels of all nodes, by slice of columns


@dataclass(frozen=True)
class Placement:
    """Which hop of the neighbour's label goes to which part of the sketch, with what weight."""

    hop: int
    part: int
    weight: float


@dataclass(frozen=True)
class Sketch(Generic[A]):
    """The last hop of one aspect, ready to be computed for any nodes."""

    layers: Sequence[Layer[A]]  # hops 0 ... n of the entities
    length: Handle[A]  # (n_nodes,) 1 / length of the concatenated hops of a node
    projected: Handle[list[A]]  # for each placement the projected labels of the others
    placements: Sequence[Placement]
    factor: int


def last_hop(
    engine: Engine[A],
    layers: Sequence[Layer[A]],
    length: Handle[A],
    others: Sequence[Layer[A]],
    weight: Handle[A],
    factor: int,
    rng: np.random.Generator,
) -> Sketch[A]:
    """Return the sketch of an aspect: hops of neighbours placed into `factor` parts.

    `others` are the labels of the relations or ticks, hop by hop; `weight` their couples.
    """
    dim = engine.layout.columns.n_rows
    placements = list(place_hops(len(layers), factor))
    drawn = [draw_signs(dim * len(others), dim, rng) for _ in placements]
    weights = [placement.weight for placement in placements]
    slices = [list(layer) for layer in others]
    projected = engine.run(project_others, slices, weight, engine.hold(drawn), weights)
    return Sketch(layers, length, projected, placements, factor)


def fill_part(
    engine: Engine[A],
    builder: RowsBuilder[A],
    part: int,
    sketch: Sketch[A],
    incidences: Blocks[Incidence[A]],
    cuts: Cuts,
) -> None:
    """Write the sketches of one side into a part of its label rows, piece by piece."""
    layout = engine.layout
    for block, (incidence, n_rows) in enumerate(zip(incidences, cuts.sizes, strict=True)):
        for rows in layout.pieces(n_rows):
            slices = [
                engine.run(
                    sketch_rows,
                    incidence,
                    rows,
                    [layer[number] for layer in sketch.layers],
                    sketch.length,
                    sketch.projected,
                    sketch.placements,
                    columns,
                    sketch.factor,
                )
                for number, columns in enumerate(layout.columns)
            ]
            builder.put(block, rows.start, part, join_columns, slices, sketch.factor)
            del slices  # before the next are made


def place_hops(n_hops: int, factor: int) -> Iterator[Placement]:
    """Yield which hop goes to which part, and with what weight: the seeds' own hop comes last.

    With fewer parts than hops, hops share a part; with more, they come again, multiplied by other
    projections, each time with less weight, so that every hop weighs the same.
    """
    order = [*range(1, n_hops), 0]
    hops = [order[number % n_hops] for number in range(max(n_hops, factor))]
    for number, hop in enumerate(hops):
        yield Placement(hop, number % factor, hops.count(hop) ** -0.5)


def draw_signs(n_from: int, n_to: int, rng: np.random.Generator) -> Signs:
    """Return a random projection of -1 and 1, unscaled: the sketch is normalised afterwards.

    As good as Gaussian numbers, and a hundred times as fast to draw.
    """
    drawn = rng.integers(0, 256, -(-n_from * n_to // 8), dtype=np.uint8)
    bits = np.unpackbits(drawn, count=n_from * n_to).view(np.int8)
    return (2 * bits - 1).reshape(n_from, n_to)


# ----------------------------------------------------------------------------- of one block


def project_others(
    ops: Ops[A],
    others: Sequence[Sequence[NodeRows[A]]],
    weight: A,
    projections: Sequence[Signs],
    shares: Sequence[float],
) -> list[A]:
    """Return the labels of relations or ticks, all hops and columns, for each placement."""
    columns = [
        layer.rows.take(ops.arange(len(layer.rows))) for layers in others for layer in layers
    ]
    whole = ops.unit_rows(ops.concat(columns, 1))  # (n_others, depth * dim)
    return [
        share * even_columns(ops, whole @ ops.asarray(signs, "float32"), weight)
        for signs, share in zip(projections, shares, strict=True)
    ]


def even_columns(ops: Ops[A], others: A, weight: A) -> A:
    """Return columns of equal mean square over all couples.

    Labels of relations have much in common, so that a random column is large or small for all of
    them at once and a few columns would speak for the rest.
    """
    square = weight @ (others * others) / max(float(weight.sum()), 1.0)
    is_used = square > 0
    return ops.where(is_used, others / ops.sqrt(ops.where(is_used, square, 1.0)), 0.0)


def sketch_rows(
    ops: Ops[A],
    incidence: Incidence[A],
    rows: slice,
    layers: Sequence[NodeRows[A]],
    length: A,
    projected: Sequence[A],
    placements: Sequence[Placement],
    columns: slice,
    factor: int,
) -> A:
    """Return the last hop of some rows of a block in the columns of a slice, (n, factor * width).

    The parts of a row stand side by side.
    """
    width = columns.stop - columns.start
    out = ops.full((rows.stop - rows.start, factor * width), 0.0, "float32")
    for placement, others in zip(placements, projected, strict=True):
        part = out[:, placement.part * width : (placement.part + 1) * width]
        labels = layers[placement.hop]
        ops.add_neighbour_products(incidence, rows.start, labels, length, others[:, columns], part)
    return out


def join_columns(ops: Ops[A], slices: Sequence[A], factor: int) -> A:
    """Return whole rows of length one of their slices of columns."""
    if len(slices) == 1:
        return ops.unit_rows(slices[0])
    n_rows, widths = len(slices[0]), [columns.shape[1] // factor for columns in slices]
    parts = [own.reshape(n_rows, factor, width) for own, width in zip(slices, widths, strict=True)]
    return ops.unit_rows(ops.concat(parts, 2).reshape(n_rows, factor * sum(widths)))
