"""Two-aspect three-view label propagation (eq. 1-7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.config import Config
from lighttea.engines import kernels
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.views import Aspect, View, Views
from lighttea.propagate.sketch import last_hop
from lighttea.types import Floats, LeftIds, RightIds


@dataclass(frozen=True)
class Labels:
    """What is searched: the weighted, concatenated sketches of both aspects, rows of length one.

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
) -> Labels:
    """Labels of the asked entities: both aspects propagated, sketched and blended (eq. 7)."""
    seed_labels = seed_vectors(pair, seeds, config.dim, rng)  # L^(0), (n_nodes, dim)
    parts = []
    for aspect, weight in (
        (views.relational, 1 - config.temporal_weight),
        (views.temporal, config.temporal_weight),
    ):
        if weight > 0:
            entity, other = propagate(seed_labels, views.entity_entity, aspect, config.depth)
            sketch = last_hop(
                aspect.incidence, entity, other, config.dim * config.sketch_factor, rng
            )
            parts.append(np.float32(weight) * unit_rows(sketch))
    blended = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    return Labels(
        left=unit_rows(blended[pair.left_nodes(left)]),
        right=unit_rows(blended[pair.right_nodes(right)]),
        n_relational=parts[0].shape[1] if config.temporal_weight < 1 else 0,
    )


def propagate(
    labels: Floats, entity_entity: View, aspect: Aspect, depth: int
) -> tuple[Floats, Floats]:
    """One aspect: eq. 1-3 with relations, eq. 4-6 with ticks. Hops are concatenated."""
    n_others = aspect.other_entity.shape[0]
    other_labels = np.zeros((n_others, labels.shape[1]), np.float32)  # L_r^(0) or L_t^(0)
    hops, other_hops = [labels], [other_labels]
    for _ in range(depth):
        labels, other_labels = (
            unit_rows(product(entity_entity, labels) + product(aspect.entity_other, other_labels)),
            unit_rows(product(aspect.other_entity, labels)),
        )
        hops.append(labels)
        other_hops.append(other_labels)
    return unit_rows(np.concatenate(hops, axis=1)), unit_rows(np.concatenate(other_hops, axis=1))


def seed_vectors(pair: Pair, seeds: SeedLinks, dim: int, rng: np.random.Generator) -> Floats:
    """L^(0): both ends of a seed get the same random point of the sphere, all others zero."""
    vectors = unit_rows(rng.standard_normal((len(seeds), dim), dtype=np.float32))
    labels = np.zeros((pair.n_nodes, dim), np.float32)
    labels[pair.left_nodes(seeds.left)] = vectors
    labels[pair.right_nodes(seeds.right)] = vectors
    return labels


def product(view: View, labels: Floats) -> Floats:
    """A · L for one view."""
    out = np.zeros((view.shape[0], labels.shape[1]), np.float32)
    kernels.add_product(view.start, view.columns, view.weights, labels, out)
    return out


def unit_rows(rows: Floats) -> Floats:
    """The rows scaled to length one, in place; zero rows stay zero."""
    kernels.normalise_rows(rows)
    return rows
