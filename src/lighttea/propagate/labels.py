"""Two-aspect three-view label propagation (eq. 1-7).

Labels of all nodes lie in slices of columns, views in blocks of nodes. A column needs no other
column but for the lengths of rows, which are summed over the slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from lighttea.config import Config
from lighttea.engines.base import Blocks, Engine
from lighttea.engines.ops import Ops, add_up, few_rows
from lighttea.engines.tables import NodeRows, Rows
from lighttea.graph.pair import Links
from lighttea.graph.views import Incidence, View
from lighttea.propagate.seed_vectors import SeedVectors, seed_rows
from lighttea.propagate.sketch import Layer, fill_part, last_hop
from lighttea.propagate.views import AspectViews, PairViews
from lighttea.types import A, Bools


@dataclass(frozen=True)
class Labels(Generic[A]):
    """What is searched: the weighted sketches of both aspects side by side, rows of length one.

    An aspect is a part of a row, so an inner product is the plain sum of the two aspects' shares.
    """

    left: Blocks[Rows[A]]  # (n_left, width) in one part an aspect
    right: Blocks[Rows[A]]
    n_aspects: int
    has_relational: bool  # then it is the first part
    other: OtherLabels[A] | None = None  # instead of these, for some left entities


@dataclass(frozen=True)
class OtherLabels(Generic[A]):
    """Labels that some left entities are compared by, because their own pairs made the others."""

    labels: Labels[A]  # of the left side, those that stand beside it hold all rows
    rows: Bools  # (n_left,) which left entities of the problem


def two_aspect_labels(
    engine: Engine[A],
    views: PairViews[A],
    seeds: Links,
    config: Config,
    rng: np.random.Generator,
    *,
    n_known: int,
    left_rows: Bools | None = None,
) -> Labels[A]:
    """Return the labels of both sides: both aspects propagated, sketched and blended (eq. 7).

    The first `n_known` seeds are the known ones, the others were promoted. Of the left side, the
    rows with a flag alone are made, if `left_rows`, (n_left,), are given.
    """
    layout, n_nodes = engine.layout, views.pair.n_nodes
    vectors = engine.hold(SeedVectors.draw(views.pair, seeds, n_known, config.dim, rng))
    start = [
        engine.run(seed_rows, vectors, columns, engine.compact) for columns in layout.columns
    ]  # L^(0)
    weights = aspect_weights(config)
    width = config.dim * config.sketch_factor
    left_cuts = layout.left if left_rows is None else layout.left.of_rows(left_rows)
    left, right = (
        engine.build_rows(cuts, width, len(weights)) for cuts in (left_cuts, layout.right)
    )
    for part, temporal in enumerate(used_aspects(config)):
        aspect = views.aspect(temporal=temporal)
        hops = propagate(engine, start, views.entity_entity(), aspect, config.depth)
        length = engine.run(hop_lengths, vectors, n_nodes, [list(hop) for hop in hops.scales])
        sketch = last_hop(
            engine, hops.layers, length, hops.others, aspect.weight, config.sketch_factor, rng
        )
        couples = aspect.left
        if left_rows is not None:
            couples = engine.map(couples_of_rows, couples, flags_by_block(engine, left_rows))
        fill_part(engine, left, part, sketch, couples, left_cuts)
        fill_part(engine, right, part, sketch, aspect.right, layout.right)
        left.flush()
        right.flush()
        del hops, sketch, aspect, couples  # before the next aspect's are made
    return Labels(
        left.finish(blend_parts, weights),
        right.finish(blend_parts, weights),
        len(weights),
        config.temporal_weight < 1,
    )


def join_halves(
    engine: Engine[A], labels: Labels[A], others: Labels[A], of_other: Bools
) -> Labels[A]:
    """Return labels with others that some left entities are compared by.

    Each left entity is compared by its own ones alone: both share a left side, which takes half the
    memory of two. The left rows of `others` are those entities' alone.
    """
    flags = flags_by_block(engine, of_other)
    in_place = engine.is_local
    left = engine.map(replace_rows, labels.left, others.left, flags, in_place, spread=True)
    engine.wait(left)
    own, other = replace(labels, left=left), replace(others, left=left)
    return replace(own, other=OtherLabels(other, of_other))


def flags_by_block(engine: Engine[A], flags: Bools) -> Blocks[Bools]:
    """Return flags of left entities by left block."""
    return Blocks(engine.hold(flags[rows]) for rows in engine.layout.left)


def no_labels(engine: Engine[A]) -> Labels[A]:
    """Return labels of both sides that say nothing: every inner product is zero."""
    layout = engine.layout
    left, right = (engine.build_rows(cuts, 1, 1) for cuts in (layout.left, layout.right))
    for rows, cuts in ((left, layout.left), (right, layout.right)):
        for block, size in enumerate(cuts.sizes):
            rows.put(block, 0, 0, zero_rows, size)
    ones = [1.0]
    return Labels(left.finish(blend_parts, ones), right.finish(blend_parts, ones), 1, True)


def used_aspects(config: Config) -> list[bool]:
    """Return the aspects that have any weight, the relational one (False) first."""
    weights = (1 - config.temporal_weight, config.temporal_weight)
    return [bool(temporal) for temporal, weight in enumerate(weights) if weight > 0]


def aspect_weights(config: Config) -> list[float]:
    """Return the weights of the aspects that are used, the relational one first (eq. 7)."""
    weights = (1 - config.temporal_weight, config.temporal_weight)
    return [weight for weight in weights if weight > 0]


@dataclass(frozen=True)
class Hops(Generic[A]):
    """The labels of all nodes, and of all relations or ticks, hop by hop."""

    layers: Sequence[Layer[A]]  # L^(0) ... L^(n), by slice of columns
    others: Sequence[Layer[A]]  # L_r^(1) ... L_r^(n)
    scales: Sequence[Blocks[A]]  # what rows were multiplied by in hops 1 ... n, by block of nodes


def propagate(
    engine: Engine[A],
    start: Layer[A],
    entity_entity: Blocks[View[A]],
    aspect: AspectViews[A],
    depth: int,
) -> Hops[A]:
    """Return all hops of one aspect: eq. 1-3 with relations, eq. 4-6 with ticks."""
    layers, other_layers, scales = [start], [], []
    others: Layer[A] | None = None  # L_r^(0) is zero
    for _ in range(depth):
        labels = layers[-1]
        following, scale = _next_labels(engine, entity_entity, aspect.entity_other, labels, others)
        others = _next_others(engine, aspect.other_entity, labels)
        layers.append(following)
        other_layers.append(others)
        scales.append(scale)
    for layer in layers[-1]:
        engine.wait(layer)  # before the last hop, whose slices would lie in the way
    return Hops(layers, other_layers, scales)


def _next_labels(
    engine: Engine[A],
    entity_entity: Blocks[View[A]],
    entity_other: Blocks[View[A]],
    labels: Layer[A],
    others: Layer[A] | None,
) -> tuple[Layer[A], Blocks[A]]:
    """Return A^EE L + A^ER L_r, rows of length one, and what rows were multiplied by."""
    slices = [
        engine.map(
            multiply_views,
            entity_entity,
            own,
            entity_other,
            others[number] if others else None,
            engine.compact,
        )
        for number, own in enumerate(labels)
    ]  # by slice and block of nodes
    squares = [engine.map(squares_of, products) for products in slices]
    scales = Blocks(
        engine.run(inverse_roots, engine.combine(add_up, Blocks(of_block)))
        for of_block in zip(*squares, strict=True)
    )
    in_place = engine.is_local
    return [engine.run(join_blocks, products, scales, in_place) for products in slices], scales


def _next_others(engine: Engine[A], other_entity: Blocks[View[A]], labels: Layer[A]) -> Layer[A]:
    """Return A^RE L, the labels of relations or ticks, rows of length one."""
    sums = [engine.combine(add_up, engine.map(multiply_view, other_entity, own)) for own in labels]
    squares = Blocks(engine.run(row_squares, own) for own in sums)
    scale = engine.run(inverse_roots, engine.combine(add_up, squares))
    return [engine.run(scale_others, own, scale) for own in sums]


# ----------------------------------------------------------------------------- of one block


@dataclass(frozen=True)
class Product(Generic[A]):
    """Labels of a block of nodes in the columns of a slice, not yet of length one."""

    rows: Rows[A]
    squares: A  # (n,) of the lengths, as far as the slice knows them


def multiply_views(
    ops: Ops[A],
    entity_entity: View[A],
    labels: NodeRows[A],
    entity_other: View[A],
    others: NodeRows[A] | None,
    compact: bool,
) -> Product[A]:
    """Return the summed products of a block of nodes in the columns of a slice."""
    n_rows, width = entity_entity.shape[0], labels.rows.n_columns
    rows, squares = ops.empty_rows(n_rows, width, 1, compact=compact), []
    for begin in range(0, n_rows, ops.block_rows):
        out = ops.full((min(ops.block_rows, n_rows - begin), width), 0.0, "float32")
        ops.sparse_product(entity_entity, labels, begin, out)
        if others is not None:
            ops.sparse_product(entity_other, others, begin, out)
        rows.put(begin, out)
        squares.append(row_squares(ops, out))
        del out  # before the next is made
    return Product(rows, ops.concat(squares))


def squares_of(ops: Ops[A], product: Product[A]) -> A:
    """Return the squared lengths of the rows of a product."""
    return product.squares


def multiply_view(ops: Ops[A], view: View[A], labels: NodeRows[A]) -> A:
    """Return what a block of nodes adds to the labels of relations or ticks."""
    out = ops.full((view.shape[0], labels.rows.n_columns), 0.0, "float32")
    ops.sparse_product(view, labels, 0, out)
    return out


def row_squares(ops: Ops[A], rows: A) -> A:
    """Return the squared length of each row."""
    squares = ops.full((len(rows),), 0.0, "float32")
    for some in few_rows(ops, len(rows)):
        squares[some] = (rows[some] * rows[some]).sum(1)
    return squares


def inverse_roots(ops: Ops[A], squares: A) -> A:
    """Return 1 / length, 0 for a zero row."""
    return ops.where(squares > 0, 1 / ops.sqrt(ops.where(squares > 0, squares, 1.0)), 0.0)


def join_blocks(
    ops: Ops[A], blocks: Sequence[Product[A]], scales: Sequence[A], in_place: bool
) -> NodeRows[A]:
    """Return the blocks of a slice under one another, each row multiplied by its scale."""
    is_alone = len(blocks) == 1 and in_place
    rows = blocks[0].rows if is_alone else ops.join_rows([block.rows for block in blocks])
    rows.stretch(ops.concat(scales)[:, None])
    return NodeRows(ops.arange(len(rows), "int32"), rows)


def scale_others(ops: Ops[A], sums: A, scale: A) -> NodeRows[A]:
    """Return the labels of relations or ticks in the columns of a slice."""
    rows = ops.empty_rows(len(sums), sums.shape[1], 1, compact=False)
    rows.put(0, sums * scale[:, None])
    return NodeRows(ops.arange(len(sums), "int32"), rows)


def hop_lengths(
    ops: Ops[A], vectors: SeedVectors, n_nodes: int, scales: Sequence[Sequence[A]]
) -> A:
    """Return 1 / length of the concatenated hops of each node (eq. 3), 0 for a zero row.

    Rows of a hop have length one or zero, so one number a row normalises the concatenation.
    """
    filled = ops.full((n_nodes,), 0.0, "float32")
    for nodes in vectors.ends:
        filled[ops.asarray(nodes, "int64")] = 1.0
    for hop in scales:
        filled = filled + ops.astype(ops.concat(hop) > 0, "float32")
    return inverse_roots(ops, filled)


def replace_rows(
    ops: Ops[A], rows: Rows[A], others: Rows[A], flags: Bools, in_place: bool
) -> Rows[A]:
    """Return label rows, in place of those with a flag others; in the same memory where allowed.

    There are as many others as flags.
    """
    out = rows if in_place else ops.join_rows([rows])
    out.replace(ops.asarray(flags, "bool"), others)
    return out


def couples_of_rows(ops: Ops[A], incidence: Incidence[A], flags: Bools) -> Incidence[A]:
    """Return the couples of the rows of a block that have a flag, in their order."""
    start, rows = incidence.start, ops.nonzero(ops.asarray(flags, "bool"))
    counts = start[rows + 1] - start[rows]
    end = ops.cumsum(counts)
    n_couples = int(end[-1]) if len(rows) else 0
    places = ops.arange(n_couples) + ops.repeat(start[rows] - end + counts, counts)
    begin = ops.concat([ops.full((1,), 0, "int64"), end])
    return Incidence(begin, incidence.neighbour[places], incidence.other[places])


def zero_rows(ops: Ops[A], n_rows: int) -> A:
    """Return rows of one column that are zero."""
    return ops.full((n_rows, 1), 0.0, "float32")


def blend_parts(ops: Ops[A], rows: Rows[A], weights: Sequence[float]) -> Rows[A]:
    """Weight the aspects of each row, the whole row of length one again; zero rows stay zero."""
    shares = [
        weight * ops.astype(rows.scale[:, part] > 0, "float32")
        for part, weight in enumerate(weights)
    ]
    scale = inverse_roots(ops, sum((share * share for share in shares[1:]), shares[0] * shares[0]))
    rows.stretch(ops.concat([(share * scale)[:, None] for share in shares], 1))
    return rows
