"""Label propagation by column slices, and the last hop from slices to rows (eq. 1-7).

A column of the labels needs no other column, but for the lengths of rows, which are summed over
slices, and for the projected labels of relations and ticks, which are few and lie in one place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from lighttea.config import Config
from lighttea.engines.dask.connection import Connection, Future
from lighttea.engines.dask.inputs import Inputs, Parts, incidence_of
from lighttea.engines.dask.layout import Cuts, Layout
from lighttea.graph import views
from lighttea.graph.pair import Links, Pair
from lighttea.graph.views import FactRows, Incidence, View
from lighttea.kernels.directions import evening_matrix
from lighttea.kernels.rows import BLOCK_ROWS, NodeRows, Rows
from lighttea.propagate.evened import sampled
from lighttea.propagate.frames import SeedFrames
from lighttea.propagate.labels import (
    add_product,
    aspect_weights,
    blend,
    unit_rows,
)
from lighttea.propagate.sketch import Placement, Sketch, evened, places, projection
from lighttea.types import Bools, Floats, Ints, Signs

_T = TypeVar("_T")


@dataclass(frozen=True)
class BlockLabels:
    """Label rows, a future for each block of a side."""

    left: list[Future]
    right: list[Future]
    has_relational: bool


class Propagation:
    """All that one round of labels takes."""

    def __init__(
        self, to: Connection, inputs: Inputs, layout: Layout, config: Config, *, compact: bool
    ) -> None:
        self._to, self._inputs, self._layout = to, inputs, layout
        self._config, self._compact = config, compact

    def labels(self, pair: Pair, seeds: Links, rng: np.random.Generator) -> BlockLabels:
        """Both aspects propagated, sketched and blended, evened out where that is asked for."""
        to, config = self._to, self._config
        frames = to.hold(SeedFrames.draw(pair, seeds, self._inputs.n_known, config.dim, rng))
        ends = to.hold(np.stack([pair.left_nodes(seeds.left), pair.right_nodes(seeds.right)]))
        start = [
            to.submit(seed_slice, frames, pair.n_nodes, ends, columns, self._compact)
            for columns in self._layout.columns
        ]  # L^(0)
        entity_entity = [to.submit(views.entity_entity, one) for one in self._inputs.facts]
        weights = (1 - config.temporal_weight, config.temporal_weight)
        aspects = [
            self._sketch(bool(is_temporal), entity_entity, start, ends, rng)
            for is_temporal, weight in enumerate(weights)
            if weight > 0
        ]
        del start, entity_entity
        left, right = (
            [
                to.submit(label_rows, list(parts), aspect_weights(config), at=at)
                for at, parts in shares(list(zip(*(one[side] for one in aspects), strict=True)))
            ]
            for side in range(2)
        )
        del aspects  # an aspect's rows go as soon as they stand beside the other's
        if config.whitening:
            left, right = self._evened(left, right, rng)
        to.finished([*left, *right])
        return BlockLabels(left, right, config.temporal_weight < 1)

    def _sketch(
        self,
        temporal: bool,
        entity_entity: list[Future],
        start: list[Future],
        ends: Future,
        rng: np.random.Generator,
    ) -> list[list[list[Future]]]:
        """One aspect's last hop by side, block and piece, when all is done: its hops are large."""
        to, config, facts = self._to, self._config, self._inputs.facts
        layers, others, scales = self._hops(temporal, entity_entity, start)
        to.finished(layers[-1])  # what the last hop needs would be made early, and lie in the way
        length = to.submit(row_lengths, ends, self._layout.nodes.bounds[-1], scales)
        weight = to.reduced(summed, [to.submit(couples_of_others, one, temporal) for one in facts])
        laid = list(places(config.depth + 1, config.sketch_factor))
        drawn = [projection(config.depth * config.dim, config.dim, rng) for _ in laid]
        projected = to.submit(
            projected_others, others, weight, to.hold(drawn), [one[2] for one in laid]
        )
        where = [(hop, part) for hop, part, _ in laid]

        def pieces_of(own: Parts, n_rows: int, at: float) -> list[Future]:
            """The slices of some rows, and at once these rows: slices are the larger ones."""
            incidence = to.submit(incidence_of, *own, temporal)
            pieces = []
            for rows in Cuts.even(n_rows, -(-n_rows // self._layout.piece)):
                slices = [
                    to.submit(
                        sketch_rows,
                        incidence,
                        rows,
                        [layer[number] for layer in layers],
                        length,
                        projected,
                        where,
                        columns,
                        config.sketch_factor,
                    )
                    for number, columns in enumerate(self._layout.columns)
                ]
                rows_of = aspect_rows, slices, config.sketch_factor, self._compact
                pieces.append(to.submit(*rows_of, at=at))
            return pieces

        sides = [
            [
                pieces_of(own, rows.stop - rows.start, at)
                for at, (own, rows) in shares(list(zip(side, cuts, strict=True)))
            ]
            for side, cuts in zip(
                self._inputs.sides, (self._layout.left, self._layout.right), strict=True
            )
        ]
        to.finished([one for side in sides for pieces in side for one in pieces])
        return sides

    def _hops(
        self, temporal: bool, entity_entity: list[Future], start: list[Future]
    ) -> tuple[list[list[Future]], list[list[Future]], list[list[Future]]]:
        """Every hop of the nodes by slice, the others' hops likewise, and the nodes' scales."""
        to, facts = self._to, self._inputs.facts
        entity_other = [to.submit(views.entity_other, one, temporal) for one in facts]
        other_entity = [to.submit(views.other_entity, one, temporal) for one in facts]
        layers, other_layers, scales = [start], [], []
        others: list[Future] | None = None  # L_r^(0) is zero
        for _ in range(self._config.depth):
            rows: list[tuple[Future, ...]] = [(one,) for one in entity_entity]
            sources: list[tuple[Future, ...]] = [(one,) for one in layers[-1]]
            if others is not None:
                rows = list(zip(entity_entity, entity_other, strict=True))
                sources = list(zip(layers[-1], others, strict=True))
            following, scale = self._product(rows, sources)
            others = self._others(other_entity, layers[-1])
            layers.append(following)
            other_layers.append(others)
            scales.append(scale)
        return layers, other_layers, scales

    def _product(
        self, rows: Sequence[tuple[Future, ...]], sources: Sequence[tuple[Future, ...]]
    ) -> tuple[list[Future], list[Future]]:
        """Views in row blocks times labels in column slices, rows of length one.

        The result by slice, and by row block what its rows were multiplied by.
        """
        to = self._to
        blocks = [
            [to.submit(product_rows, list(view), list(source), self._compact) for view in rows]
            for source in sources
        ]  # by slice and row block
        squares = [[to.submit(row_squares, one) for one in column] for column in blocks]
        scales = [
            to.submit(row_scales, to.narrowed(summed, of_block))
            for of_block in zip(*squares, strict=True)
        ]
        return [to.submit(joined_slice, column, scales) for column in blocks], scales

    def _others(self, columns: Sequence[Future], sources: Sequence[Future]) -> list[Future]:
        """Labels of relations or ticks by slice: sums over blocks of nodes, of length one."""
        to = self._to
        sums = [
            to.reduced(summed, [to.submit(product_of_others, view, source) for view in columns])
            for source in sources
        ]
        squares = to.narrowed(summed, [to.submit(squares_of_others, one) for one in sums])
        scale = to.submit(row_scales, squares)
        return [to.submit(others_of_length_one, one, scale) for one in sums]

    def _evened(
        self, left: list[Future], right: list[Future], rng: np.random.Generator
    ) -> tuple[list[Future], list[Future]]:
        """Each aspect's directions evened out, by a sample of the rows of both sides."""
        to, weights = self._to, aspect_weights(self._config)
        sides = (left, self._layout.left), (right, self._layout.right)
        sample = [one for blocks, cuts in sides for one in self._sample(blocks, cuts, rng)]
        axes = to.submit(evening_matrices, sample, len(weights))
        new_left, new_right = (
            [
                to.submit(evened_rows, block, axes, weights, self._compact, at=at)
                for at, block in shares(side)
            ]
            for side in (left, right)
        )
        return new_left, new_right

    def _sample(self, blocks: list[Future], cuts: Cuts, rng: np.random.Generator) -> list[Future]:
        filled = self._to.fetched([self._to.submit(filled_rows, one) for one in blocks])
        chosen = sampled(np.concatenate(filled), rng)
        starts = np.searchsorted(chosen, cuts.bounds)
        return [
            self._to.submit(taken_rows, block, chosen[begin:end] - rows.start)
            for block, rows, begin, end in zip(blocks, cuts, starts[:-1], starts[1:], strict=True)
        ]


def shares(blocks: Sequence[_T]) -> Iterator[tuple[float, _T]]:
    """Each block, and which share of all comes before it: where among the workers it belongs."""
    for number, one in enumerate(blocks):
        yield number / len(blocks), one


# ------------------------------------------------------------------------ in the workers


def seed_slice(
    frames: SeedFrames, n_nodes: int, ends: Ints, columns: slice, compact: bool
) -> NodeRows:
    """Some columns of L^(0)."""
    return NodeRows.some_of(n_nodes, ends, Rows.of(frames.columns(columns), compact=compact))


@dataclass(frozen=True)
class Product:
    """A row block of a product in the columns of a slice, not yet of length one."""

    rows: Rows
    squares: Floats  # (n,) of the lengths, as far as the slice knows them


def product_rows(parts: Sequence[View], sources: Sequence[NodeRows], compact: bool) -> Product:
    """A row block of the summed products, in the columns of a slice."""
    n_rows, width = parts[0].shape[0], sources[0].rows.n_columns
    rows, squares = Rows.empty(n_rows, width, compact=compact), np.empty(n_rows, np.float32)
    for begin in range(0, n_rows, BLOCK_ROWS):
        out = np.zeros((min(BLOCK_ROWS, n_rows - begin), width), np.float32)
        for view, source in zip(parts, sources, strict=True):
            add_product(out, view, source, begin)
        rows.put(begin, out)
        np.einsum("ij,ij->i", out, out, out=squares[begin : begin + len(out)])
    return Product(rows, squares)


def row_squares(product: Product) -> Floats:
    """The squared lengths of rows, as far as a slice knows them."""
    return product.squares


def summed(parts: Sequence[Floats]) -> Floats:
    """The sum of equal arrays, in their order."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def inverse_roots(squares: Floats) -> Floats:
    """1 / length, 0 for a zero row."""
    scale = np.zeros_like(squares)
    np.divide(np.float32(1), np.sqrt(squares), out=scale, where=squares > 0)
    return scale


def row_scales(squares: Sequence[Floats]) -> Floats:
    """What brings rows to length one, by what all slices know of them."""
    return inverse_roots(summed(squares))


def joined_slice(blocks: Sequence[Product], scales: Sequence[Floats]) -> NodeRows:
    """The row blocks of a slice under one another, each row by its scale."""
    rows = Rows(
        np.concatenate([one.rows.values for one in blocks]),
        np.concatenate([one.rows.scale for one in blocks]),
    )
    rows.stretch(np.concatenate(scales)[:, None])
    return NodeRows.all_of(rows)


def product_of_others(columns: View, source: NodeRows) -> Floats:
    """What a block of nodes adds to the labels of relations or ticks, in the columns of a slice."""
    out = np.zeros((columns.shape[0], source.rows.n_columns), np.float32)
    add_product(out, columns, source)
    return out


def squares_of_others(sums: Floats) -> Floats:
    """The squared lengths of their rows, as far as a slice knows them."""
    return np.asarray(np.einsum("ij,ij->i", sums, sums))


def others_of_length_one(sums: Floats, scale: Floats) -> NodeRows:
    """The labels of relations or ticks in the columns of a slice."""
    return NodeRows.all_of(Rows.of(sums * scale[:, None]))


def couples_of_others(facts: FactRows, temporal: bool) -> Floats:
    """(n_others,) how many couples of neighbours of a block of nodes have each."""
    n_others = facts.n_ticks if temporal else facts.n_relations
    found = views.incidence(facts, temporal).other
    return np.bincount(found, minlength=n_others).astype(np.float32)


def row_lengths(ends: Ints, n_nodes: int, scales: Sequence[Sequence[Floats]]) -> Floats:
    """1 / length of the concatenated hops of each node: `Hops.row_scale` from what is known."""
    filled = np.zeros(n_nodes, np.float32)
    filled[ends] = 1
    for hop in scales:
        filled += np.concatenate(hop) > 0
    return inverse_roots(filled)


def projected_others(
    others: Sequence[Sequence[NodeRows]],
    weight: Floats,
    drawn: Sequence[Signs],
    shares: Sequence[float],
) -> list[Floats]:
    """The labels of relations or ticks, all hops and columns, projected for each placement."""
    whole = unit_rows(np.hstack([one.rows.values for hop in others for one in hop]))
    return [
        np.float32(share) * evened(whole @ turn.astype(np.float32), weight)
        for turn, share in zip(drawn, shares, strict=True)
    ]


def sketch_rows(
    incidence: Incidence,
    rows: slice,
    layers: Sequence[NodeRows],
    length: Floats,
    projected: Sequence[Floats],
    where: Sequence[tuple[int, int]],
    columns: slice,
    factor: int,
) -> Floats:
    """(n, factor * width): the last hop of some rows of a block in the columns of a slice."""
    width = columns.stop - columns.start
    placements = [
        Placement(
            layers[hop],
            slice(part * width, (part + 1) * width),
            np.ascontiguousarray(others[:, columns]),
        )
        for (hop, part), others in zip(where, projected, strict=True)
    ]
    sketch = Sketch(incidence, placements, length, factor * width)
    return sketch.of_nodes(np.arange(rows.start, rows.stop))


def aspect_rows(slices: Sequence[Floats], factor: int, compact: bool) -> Rows:
    """One aspect's rows, of length one: their slices side by side."""
    n_rows, width = len(slices[0]), sum(one.shape[1] for one in slices)
    rows = Rows.empty(n_rows, width, compact=compact)
    for begin in range(0, n_rows, BLOCK_ROWS):
        some = slice(begin, begin + BLOCK_ROWS)
        shape = len(slices[0][some]), factor, -1
        block = np.concatenate([one[some].reshape(shape) for one in slices], axis=2)
        rows.put(begin, unit_rows(block.reshape(shape[0], width)))
    return rows


def label_rows(aspects: Sequence[Sequence[Rows]], weights: Floats) -> Rows:
    """The label rows of a block: pieces under one another, aspects beside, weighted."""
    first = aspects[0][0]
    n_rows, width = sum(len(one) for one in aspects[0]), first.n_columns
    rows = Rows.empty(n_rows, width, len(aspects), compact=first.is_compact)
    for part, pieces in enumerate(aspects):
        columns = slice(part * width, (part + 1) * width)
        np.concatenate([one.values for one in pieces], out=rows.values[:, columns])
        np.concatenate([one.scale[:, 0] for one in pieces], out=rows.scale[:, part])
    blend(rows, weights)
    return rows


def filled_rows(rows: Rows) -> Bools:
    """Which rows are not zero."""
    return rows.filled


def taken_rows(rows: Rows, numbers: Ints) -> Floats:
    """Some rows, as they are in float32."""
    return rows.take(numbers)


def evening_matrices(sample: Sequence[Floats], n_parts: int) -> list[Floats]:
    """What turns each aspect's columns."""
    parts = np.split(np.concatenate(sample), n_parts, axis=1)
    return [evening_matrix(unit_rows(np.array(part, np.float32, order="C"))) for part in parts]


def evened_rows(rows: Rows, axes: Sequence[Floats], weights: Floats, compact: bool) -> Rows:
    """A block of labels with its directions evened out."""
    made = Rows.empty(len(rows), axes[0].shape[1], len(axes), compact=compact)
    n_columns = rows.n_columns // len(axes)
    for begin in range(0, len(rows), BLOCK_ROWS):
        block = rows.take(np.arange(begin, min(begin + BLOCK_ROWS, len(rows))))
        for part, turn in enumerate(axes):
            columns = block[:, part * n_columns : (part + 1) * n_columns]
            made.put(begin, unit_rows(columns @ turn), part)
    blend(made, weights)
    return made
