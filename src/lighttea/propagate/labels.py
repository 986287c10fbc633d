"""Two-aspect three-view label propagation (eq. 1-7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.config import Config
from lighttea.engines import kernels
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.views import Aspect, View, Views
from lighttea.propagate.sketch import Hops, last_hop
from lighttea.types import Floats, Ints, LeftIds, RightIds


@dataclass(frozen=True)
class Labels:
    """What is searched: the weighted sketches of both aspects side by side, rows of length one.

    The first `n_relational` columns belong to the relational aspect, the rest to the temporal
    one, so an inner product is the plain sum of the two aspects' parts.
    """

    left: Floats  # (n_left_asked, width)
    right: Floats  # (n_right_asked, width)
    n_relational: int


def two_aspect_labels(
    views: Views,
    pair: Pair,
    seeds: SeedLinks,
    left: LeftIds,
    right: RightIds,
    config: Config,
    rng: np.random.Generator,
    *,
    slice_columns: int = 512,
) -> Labels:
    """Labels of the asked entities: both aspects propagated, sketched and blended (eq. 7)."""
    width = config.dim * config.sketch_factor
    weighted = [
        (aspect, weight)
        for aspect, weight in (
            (views.relational, 1 - config.temporal_weight),
            (views.temporal, config.temporal_weight),
        )
        if weight > 0
    ]
    left_labels = np.empty((len(left), width * len(weighted)), np.float32)
    right_labels = np.empty((len(right), width * len(weighted)), np.float32)
    start = seed_vectors(pair, seeds, config.dim, rng)  # L^(0), (n_nodes, dim)
    starters = np.concatenate([pair.left_nodes(seeds.left), pair.right_nodes(seeds.right)])
    for number, (aspect, weight) in enumerate(weighted):
        entity, other = propagate(start, starters, views.entity_entity, aspect, config.depth)
        sketch = unit_rows(
            last_hop(aspect.incidence, entity, other, width, rng, slice_columns=slice_columns)
        )
        del entity, other
        sketch *= np.float32(weight)
        columns = slice(number * width, (number + 1) * width)
        left_labels[:, columns] = sketch[pair.left_nodes(left)]
        right_labels[:, columns] = sketch[pair.right_nodes(right)]
        del sketch  # before the next aspect's is made
    n_relational = width if config.temporal_weight < 1 else 0
    return Labels(unit_rows(left_labels), unit_rows(right_labels), n_relational)


def propagate(
    labels: Floats, starters: Ints, entity_entity: View, aspect: Aspect, depth: int
) -> tuple[Hops, Hops]:
    """One aspect: eq. 1-3 with relations, eq. 4-6 with ticks. All hops are kept."""
    n_others = aspect.other_entity.shape[0]
    other_labels = np.zeros((n_others, labels.shape[1]), np.float32)  # L_r^(0) or L_t^(0)
    hops, other_hops = [labels], [other_labels]
    for _ in range(depth):
        labels, other_labels = (
            unit_rows(sum_of(product(entity_entity, labels), aspect.entity_other, other_labels)),
            unit_rows(product(aspect.other_entity, labels)),
        )
        hops.append(labels)
        other_hops.append(other_labels)
    return Hops(hops, starters), Hops(other_hops, np.empty(0, np.int64))


def seed_vectors(pair: Pair, seeds: SeedLinks, dim: int, rng: np.random.Generator) -> Floats:
    """L^(0): both ends of a seed get the same random point of the sphere, all others zero."""
    vectors = unit_rows(rng.standard_normal((len(seeds), dim), dtype=np.float32))
    labels = np.zeros((pair.n_nodes, dim), np.float32)
    labels[pair.left_nodes(seeds.left)] = vectors
    labels[pair.right_nodes(seeds.right)] = vectors
    return labels


def product(view: View, labels: Floats) -> Floats:
    """A · L for one view."""
    return sum_of(np.zeros((view.shape[0], labels.shape[1]), np.float32), view, labels)


def sum_of(first: Floats, view: View, labels: Floats) -> Floats:
    """first + A · L, added in place."""
    kernels.add_product(view.start, view.columns, view.weights, labels, first)
    return first


def unit_rows(rows: Floats) -> Floats:
    """The rows scaled to length one, in place; zero rows stay zero."""
    kernels.normalise_rows(rows)
    return rows
