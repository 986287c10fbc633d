"""Two-aspect three-view label propagation (eq. 1-7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.config import Config
from lighttea.graph.pair import Links, Pair
from lighttea.graph.views import Aspect, View, Views
from lighttea.kernels import products
from lighttea.kernels.rows import BLOCK_ROWS, NodeRows, Rows
from lighttea.propagate.frames import SeedFrames
from lighttea.propagate.sketch import Hops, Sketch, last_hop
from lighttea.types import Floats, Ints, LeftIds, RightIds


@dataclass(frozen=True)
class Labels:
    """What is searched: the weighted sketches of both aspects side by side, rows of length one.

    An aspect is a part of a row, so an inner product is the plain sum of the two aspects' shares.
    """

    left: Rows  # (n_left_asked, width) in one part an aspect
    right: Rows  # (n_right_asked, width)
    has_relational: bool  # then it is the first part

    @property
    def n_aspects(self) -> int:
        """How many parts a row has."""
        return int(self.left.scale.shape[1])

    def relational(self, rows: Ints, index: Ints) -> Floats:
        """The relational share of the inner products of left rows and right ones: (n, k)."""
        return self.left.dots(self.right, rows, index, int(self.has_relational))


def two_aspect_labels(
    views: Views,
    pair: Pair,
    seeds: Links,
    left: LeftIds,
    right: RightIds,
    config: Config,
    rng: np.random.Generator,
    *,
    n_known: int | None = None,
    compact: bool = False,
) -> Labels:
    """Labels of the asked entities: both aspects propagated, sketched and blended (eq. 7).

    The first `n_known` seeds are the known ones, others were found; without it all are known.
    """
    weighted = [
        (aspect, weight)
        for aspect, weight in (
            (views.relational, 1 - config.temporal_weight),
            (views.temporal, config.temporal_weight),
        )
        if weight > 0
    ]
    width = config.dim * config.sketch_factor
    sides = [
        (nodes, Rows.empty(len(nodes), width, len(weighted), compact=compact))
        for nodes in (pair.left_nodes(left), pair.right_nodes(right))
    ]
    n_known = len(seeds) if n_known is None else n_known
    start = seed_vectors(pair, seeds, n_known, config.dim, rng, compact=compact)  # L^(0)
    for part, (aspect, _) in enumerate(weighted):
        entity, others = propagate(
            start, views.entity_entity, aspect, config.depth, compact=compact
        )
        sketch = last_hop(aspect.incidence, entity, others, config.sketch_factor, rng)
        for nodes, rows in sides:
            _fill(rows, part, sketch, nodes)
        del entity, sketch  # before the next aspect's are made
    for _, rows in sides:
        blend(rows, aspect_weights(config))
    return Labels(sides[0][1], sides[1][1], config.temporal_weight < 1)


def aspect_weights(config: Config) -> Floats:
    """The weights of the aspects that are used, the relational one first (eq. 7)."""
    weights = (1 - config.temporal_weight, config.temporal_weight)
    return np.array([weight for weight in weights if weight > 0], np.float32)


def _fill(rows: Rows, part: int, sketch: Sketch, nodes: Ints) -> None:
    """One aspect's rows of length one, block by block."""
    for begin in range(0, len(nodes), BLOCK_ROWS):
        rows.put(begin, unit_rows(sketch.of_nodes(nodes[begin : begin + BLOCK_ROWS])), part)


def blend(rows: Rows, weights: Floats) -> None:
    """Aspects by their weights, the whole row of length one again; zero rows stay zero."""
    parts = weights * (rows.scale > 0)  # (n_rows, n_parts)
    length = np.sqrt((parts * parts).sum(axis=1, keepdims=True))
    rows.stretch(np.divide(parts, length, out=np.zeros_like(parts), where=length > 0))


def propagate(
    start: NodeRows, entity_entity: View, aspect: Aspect, depth: int, *, compact: bool = False
) -> tuple[Hops, Floats]:
    """One aspect: eq. 1-3 with relations, eq. 4-6 with ticks.

    All hops of the entities, and the concatenated labels of the relations or ticks.
    """
    n_nodes, n_others = entity_entity.shape[0], aspect.other_entity.shape[0]
    dim = start.rows.n_columns
    labels = start
    other_labels = NodeRows.all_of(Rows.of(np.zeros((n_others, dim), np.float32)))  # L_r^(0)
    hops, other_hops = [labels], []
    for _ in range(depth):
        following = Rows.empty(n_nodes, dim, compact=compact)
        for begin in range(0, n_nodes, BLOCK_ROWS):
            block = np.zeros((min(BLOCK_ROWS, n_nodes - begin), dim), np.float32)
            add_product(block, entity_entity, labels, begin)
            add_product(block, aspect.entity_other, other_labels, begin)
            following.put(begin, unit_rows(block))
        others = np.zeros((n_others, dim), np.float32)
        add_product(others, aspect.other_entity, labels)
        other_hops.append(unit_rows(others))
        labels, other_labels = NodeRows.all_of(following), NodeRows.all_of(Rows.of(others))
        hops.append(labels)
    return Hops(hops), unit_rows(np.hstack(other_hops))


def seed_vectors(
    pair: Pair,
    seeds: Links,
    n_known: int,
    dim: int,
    rng: np.random.Generator,
    *,
    compact: bool = False,
) -> NodeRows:
    """L^(0): both ends of a seed get the same random point of the sphere, all others zero."""
    frames = SeedFrames.draw(pair, seeds, n_known, dim, rng)
    ends = np.stack([pair.left_nodes(seeds.left), pair.right_nodes(seeds.right)])
    return NodeRows.some_of(pair.n_nodes, ends, Rows.of(frames.columns(), compact=compact))


def add_product(out: Floats, view: View, labels: NodeRows, begin: int = 0) -> None:
    """out += A · L for the rows of the view from `begin` on."""
    rows = labels.rows
    products.add_product(
        view.start, view.columns, view.weights, labels.place, rows.values, rows.scale, begin, out
    )


def unit_rows(rows: Floats) -> Floats:
    """The rows scaled to length one, in place; zero rows stay zero."""
    products.normalise_rows(rows)
    return rows
