"""Propagation against the paper's equations in dense numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.config import Config, make_config
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.views import Aspect, Views
from lighttea.propagate.labels import Labels, product, propagate, seed_vectors, two_aspect_labels
from lighttea.propagate.sketch import Hops, last_hop
from lighttea.types import Floats, LeftIds, RightIds
from tests.worlds import World


def slow_unit(rows: Floats) -> Floats:
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, norm, out=np.zeros_like(rows), where=norm > 0))


def slow_propagate(
    labels: Floats, views: Views, aspect: Aspect, depth: int
) -> tuple[Floats, Floats]:
    """Eq. 1-6, dense."""
    ee = np.asarray(views.entity_entity.to_scipy().toarray(), np.float32)
    eo = np.asarray(aspect.entity_other.to_scipy().toarray(), np.float32)
    oe = np.asarray(aspect.other_entity.to_scipy().toarray(), np.float32)
    other = np.zeros((len(oe), labels.shape[1]), np.float32)
    hops, other_hops = [labels], [other]
    for _ in range(depth):
        labels, other = slow_unit(ee @ labels + eo @ other), slow_unit(oe @ labels)
        hops.append(labels)
        other_hops.append(other)
    return slow_unit(np.hstack(hops)), slow_unit(np.hstack(other_hops))


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


@pytest.fixture(scope="module")
def seeds(world: World) -> SeedLinks:
    return SeedLinks(
        LeftIds(np.array([world.left.entity_ids[a] for a, _ in world.seeds])),
        RightIds(np.array([world.right.entity_ids[b] for _, b in world.seeds])),
    )


def test_a_seed_has_one_random_unit_vector_on_both_sides(pair: Pair, seeds: SeedLinks) -> None:
    labels = seed_vectors(pair, seeds, 16, np.random.default_rng(0))
    left, right = labels[pair.left_nodes(seeds.left)], labels[pair.right_nodes(seeds.right)]
    assert np.array_equal(left, right)
    assert np.allclose(np.linalg.norm(left, axis=1), 1, atol=1e-6)
    assert len(np.unique(left, axis=0)) == len(seeds)
    assert np.count_nonzero(labels.any(axis=1)) == 2 * len(seeds)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("aspect", ["relational", "temporal"])
def test_propagation_is_the_papers(pair: Pair, seeds: SeedLinks, depth: int, aspect: str) -> None:
    views = Views.of(pair)
    start = seed_vectors(pair, seeds, 24, np.random.default_rng(0))
    starters = np.flatnonzero(start.any(axis=1))
    fast = propagate(start, starters, views.entity_entity, getattr(views, aspect), depth)
    slow = slow_propagate(start, views, getattr(views, aspect), depth)
    for one, other in zip(fast, slow, strict=True):
        concatenated = one.projected(one.row_scale(), np.eye(one.width, dtype=np.float32))
        assert concatenated.shape == other.shape
        assert np.allclose(concatenated, other, atol=2e-5)


def test_sparse_product_is_the_dense_one(pair: Pair) -> None:
    view = Views.of(pair).relational.entity_other
    dense = np.random.default_rng(0).standard_normal((view.shape[1], 7)).astype(np.float32)
    assert np.allclose(product(view, dense), view.to_scipy().toarray() @ dense, atol=1e-4)


def one_hop(labels: Floats) -> Hops:
    """Labels as the only hop beside a zero start."""
    return Hops([np.zeros_like(labels), labels], np.empty(0, np.int64))


def test_the_sketch_keeps_inner_products_of_outer_products(pair: Pair) -> None:
    """Known answer: <sum of a (x) b, sum of c (x) d> = sum over couples of <a, c><b, d>."""
    incidence = Views.of(pair).relational.incidence
    rng = np.random.default_rng(3)
    entity = slow_unit(rng.standard_normal((pair.n_nodes, 20)).astype(np.float32))
    other = slow_unit(rng.standard_normal((pair.n_relations, 20)).astype(np.float32))
    exact = np.zeros((pair.n_nodes, 400), np.float32)
    for node in range(pair.n_nodes):
        for p in range(incidence.start[node], incidence.start[node + 1]):
            outer = np.outer(other[incidence.other[p]], entity[incidence.neighbour[p]])
            exact[node] += outer.reshape(-1)
    sketch = slow_unit(
        last_hop(incidence, one_hop(entity), one_hop(other), 8192, np.random.default_rng(0))
    )
    error = np.abs(sketch @ sketch.T - slow_unit(exact) @ slow_unit(exact).T)
    assert error.mean() < 0.02
    assert error.max() < 0.12


def test_the_sketch_is_the_sum_over_facts(pair: Pair) -> None:
    """Element by element, with the projections drawn as the code draws them."""
    incidence = Views.of(pair).temporal.incidence
    rng = np.random.default_rng(3)
    entity = rng.standard_normal((pair.n_nodes, 5)).astype(np.float32)
    other = rng.standard_normal((pair.n_ticks, 6)).astype(np.float32)
    drawn = np.random.default_rng(9)
    p2 = entity @ drawn.standard_normal((10, 40), dtype=np.float32)[5:]
    p1 = other @ drawn.standard_normal((12, 40), dtype=np.float32)[6:]
    slow = np.zeros((pair.n_nodes, 40), np.float32)
    for node in range(pair.n_nodes):
        for p in range(incidence.start[node], incidence.start[node + 1]):
            slow[node] += p2[incidence.neighbour[p]] * p1[incidence.other[p]]
    fast = last_hop(incidence, one_hop(entity), one_hop(other), 40, np.random.default_rng(9))
    assert np.allclose(fast, slow, atol=1e-3)


def labels_with(pair: Pair, seeds: SeedLinks, config: Config) -> Labels:
    rng = np.random.default_rng(0)
    views = Views.of(pair)
    return two_aspect_labels(views, pair, seeds, pair.all_left, pair.all_right, config, rng)


def test_the_aspects_are_weighted_by_alpha(pair: Pair, seeds: SeedLinks) -> None:
    labels = labels_with(pair, seeds, make_config(dim=32, alpha=0.25))
    relational, temporal = labels.left[:, :64], labels.left[:, 64:]
    both = relational.any(axis=1) & temporal.any(axis=1)
    ratio = np.linalg.norm(temporal[both], axis=1) / np.linalg.norm(relational[both], axis=1)
    assert labels.n_relational == 64
    assert np.allclose(ratio, 0.25 / 0.75, atol=1e-4)
    assert np.allclose(np.linalg.norm(labels.left[both], axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("alpha", "n_relational", "width"), [(0.0, 64, 64), (0.5, 64, 128), (1.0, 0, 64)]
)
def test_an_aspect_without_weight_is_not_computed(
    pair: Pair, seeds: SeedLinks, alpha: float, n_relational: int, width: int
) -> None:
    labels = labels_with(pair, seeds, make_config(dim=32, alpha=alpha))
    assert (labels.n_relational, labels.left.shape[1]) == (n_relational, width)
