"""Propagation against the paper's equations in dense numpy; seed vectors; the blend of aspects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lighttea.config import Config, make_config
from lighttea.graph.pair import Links, Pair
from lighttea.graph.views import Aspect, Views
from lighttea.io.frames import graph_of_frame
from lighttea.kernels.rows import NodeRows, Rows
from lighttea.propagate import labels as labels_module
from lighttea.propagate.labels import (
    Labels,
    add_product,
    propagate,
    seed_vectors,
    two_aspect_labels,
    unit_rows,
)
from lighttea.types import Floats, LeftIds, RightIds
from tests.worlds import Fact, World, fact_frame, renamed


def slow_unit(rows: Floats) -> Floats:
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, norm, out=np.zeros_like(rows), where=norm > 0))


def slow_propagate(
    labels: Floats, views: Views, aspect: Aspect, depth: int
) -> tuple[list[Floats], Floats]:
    """Eq. 1-6, dense: the hops, and the concatenated labels of relations or ticks."""
    ee = np.asarray(views.entity_entity.to_scipy().toarray(), np.float32)
    eo = np.asarray(aspect.entity_other.to_scipy().toarray(), np.float32)
    oe = np.asarray(aspect.other_entity.to_scipy().toarray(), np.float32)
    other = np.zeros((len(oe), labels.shape[1]), np.float32)
    hops, other_hops = [labels], []
    for _ in range(depth):
        labels, other = slow_unit(ee @ labels + eo @ other), slow_unit(oe @ labels)
        hops.append(labels)
        other_hops.append(other)
    return hops, slow_unit(np.hstack(other_hops))


def dense(labels: NodeRows) -> Floats:
    """The row of every node, zero where it has none."""
    out = np.zeros((len(labels.place), labels.rows.n_columns), np.float32)
    there = np.flatnonzero(labels.place >= 0)
    out[there] = labels.rows.take(labels.place[there])
    return out


def whole(rows: Rows) -> Floats:
    return rows.take(np.arange(len(rows)))


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


@pytest.fixture(scope="module")
def seeds(world: World) -> Links:
    return Links(
        LeftIds(np.array([world.left.entity_ids[a] for a, _ in world.seeds])),
        RightIds(np.array([world.right.entity_ids[b] for _, b in world.seeds])),
    )


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("dim", [64, 12, 5])  # more than there are seeds, as many, fewer
def test_a_seed_has_one_random_unit_vector_on_both_sides(
    pair: Pair, seeds: Links, dim: int, compact: bool
) -> None:
    labels = seed_vectors(pair, seeds, len(seeds), dim, np.random.default_rng(0), compact=compact)
    everywhere = dense(labels)
    left, right = (
        everywhere[pair.left_nodes(seeds.left)],
        everywhere[pair.right_nodes(seeds.right)],
    )
    assert np.array_equal(left, right)
    assert np.allclose(np.linalg.norm(left, axis=1), 1, atol=5e-3 if compact else 1e-6)
    assert len(np.unique(left, axis=0)) == len(seeds)
    assert np.count_nonzero(everywhere.any(axis=1)) == 2 * len(seeds)
    assert labels.filled.sum() == 2 * len(seeds)
    assert labels.rows.is_compact == compact
    assert len(labels.rows) == len(seeds)  # held once for both ends


@pytest.mark.parametrize("dim", [64, 12, 5])
def test_seeds_of_one_frame_are_orthogonal(pair: Pair, seeds: Links, dim: int) -> None:
    labels = dense(seed_vectors(pair, seeds, len(seeds), dim, np.random.default_rng(0)))
    vectors = labels[pair.left_nodes(seeds.left)]
    for begin in range(0, len(seeds), dim):
        frame = vectors[begin : begin + dim]
        assert np.allclose(frame @ frame.T, np.eye(len(frame)), atol=1e-6)
    if dim < len(seeds):  # frames are drawn anew, not repeated
        assert np.abs(vectors[:dim] @ vectors[dim : 2 * dim].T).max() < 0.999


def test_a_seed_may_point_anywhere() -> None:
    """QR alone would prefer one sign; every coordinate is to have mean 0 and mean square 1/dim."""
    graph = graph_of_frame(fact_frame(*((f"e{i}", "r", "hub", None, None) for i in range(1600))))
    pair = Pair.of(graph, graph)
    numbers = np.arange(1600)
    seeds = Links(LeftIds(numbers), RightIds(numbers))
    labels = dense(seed_vectors(pair, seeds, len(seeds), 4, np.random.default_rng(0)))[:1600]
    frames = labels.reshape(400, 4, 4)
    assert np.abs(frames.mean(axis=0)).max() < 4 * 0.5 / 400**0.5
    assert np.allclose((frames**2).mean(axis=0), 1 / 4, atol=0.04)


@pytest.mark.parametrize("dim", [64, 12, 5])
def test_a_seed_keeps_its_point_whoever_the_others_are(pair: Pair, seeds: Links, dim: int) -> None:
    """Of 4 known ones and 8 found ones: without two of the found ones, in another order."""
    few = np.array([0, 1, 2, 3, 9, 4, 6, 8, 10, 11])
    some = Links(LeftIds(seeds.left[few]), RightIds(seeds.right[few]))
    nodes, two = pair.left_nodes(some.left), [np.random.default_rng(0) for _ in range(2)]
    all_of = dense(seed_vectors(pair, seeds, 4, dim, two[0]))
    np.testing.assert_array_equal(
        dense(seed_vectors(pair, some, 4, dim, two[1]))[nodes], all_of[nodes]
    )
    assert two[0].bit_generator.state == two[1].bit_generator.state
    assert len(np.unique(all_of[pair.left_nodes(seeds.left)], axis=0)) == len(seeds)


def test_no_seeds_no_vectors(pair: Pair) -> None:
    nobody = Links(LeftIds(np.empty(0, np.int32)), RightIds(np.empty(0, np.int32)))
    labels = seed_vectors(pair, nobody, 0, 8, np.random.default_rng(0))
    assert not dense(labels).any()


@pytest.mark.parametrize("block_rows", [8192, 7])
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("aspect", ["relational", "temporal"])
def test_propagation_is_the_papers(
    pair: Pair,
    seeds: Links,
    aspect: str,
    depth: int,
    compact: bool,
    block_rows: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exactly in float32. In eight bits each hop turns a row by about 1 % of its length."""
    monkeypatch.setattr(labels_module, "BLOCK_ROWS", block_rows)
    views = Views.of(pair)
    start = seed_vectors(pair, seeds, len(seeds), 24, np.random.default_rng(0), compact=compact)
    hops, others = propagate(
        start, views.entity_entity, getattr(views, aspect), depth, compact=compact
    )
    slow_hops, slow_others = slow_propagate(dense(start), views, getattr(views, aspect), depth)
    assert len(hops.layers) == len(slow_hops) == depth + 1
    assert [layer.rows.is_compact for layer in hops.layers] == [compact] * (depth + 1)
    tolerance = 0.02 if compact else 2e-6
    for layer, slow in zip(hops.layers, slow_hops, strict=True):
        assert np.array_equal(layer.filled, slow.any(axis=1))
        assert np.linalg.norm(dense(layer) - slow, axis=1).max() < tolerance
    assert others.shape == slow_others.shape
    assert np.linalg.norm(others - slow_others, axis=1).max() < tolerance


@pytest.mark.parametrize("begin", [0, 13])
def test_sparse_product_is_the_dense_one(pair: Pair, begin: int) -> None:
    view = Views.of(pair).relational.entity_other
    labels = np.random.default_rng(0).standard_normal((view.shape[1], 7)).astype(np.float32)
    out = np.ones((view.shape[0] - begin, 7), np.float32)
    add_product(out, view, NodeRows.all_of(Rows.of(labels)), begin)
    assert np.allclose(out, 1 + view.to_scipy().toarray()[begin:] @ labels, atol=1e-4)


def test_unit_rows_are_made_in_place() -> None:
    rows = np.array([[3, 4], [0, 0]], np.float32)
    assert unit_rows(rows) is rows
    assert np.allclose(rows, np.array([[0.6, 0.8], [0, 0]]))


def labels_with(pair: Pair, seeds: Links, config: Config, *, compact: bool = False) -> Labels:
    views, rng = Views.of(pair), np.random.default_rng(0)
    return two_aspect_labels(
        views, pair, seeds, pair.all_left, pair.all_right, config, rng, compact=compact
    )


@pytest.mark.parametrize("compact", [False, True])
def test_the_aspects_are_weighted_by_alpha(pair: Pair, seeds: Links, compact: bool) -> None:
    """Eight bits change a length by a few thousandths at most."""
    labels = labels_with(pair, seeds, make_config(dim=32, alpha=0.25), compact=compact)
    tolerance = 4e-3 if compact else 1e-5
    assert labels.has_relational
    for side in (labels.left, labels.right):
        assert side.is_compact == compact
        relational, temporal = np.split(whole(side), 2, axis=1)
        both = relational.any(axis=1) & temporal.any(axis=1)
        assert both.sum() > 40
        ratio = np.linalg.norm(temporal[both], axis=1) / np.linalg.norm(relational[both], axis=1)
        assert np.allclose(ratio, 0.25 / 0.75, atol=tolerance)
        length = np.linalg.norm(whole(side)[side.filled], axis=1)
        assert np.allclose(length, 1, atol=tolerance)


def test_eight_bits_keep_the_similarities(pair: Pair, seeds: Links) -> None:
    """Far less is lost than the sketch itself is off by: one over the root of its width, .09."""
    config = make_config(dim=64)
    exact, compact = (labels_with(pair, seeds, config, compact=c) for c in (False, True))
    gap = np.abs(
        whole(exact.left) @ whole(exact.right).T - whole(compact.left) @ whole(compact.right).T
    )
    assert gap.max() < 0.005
    assert gap.mean() < 0.0015


def test_an_aspects_part_is_its_own_sketch(pair: Pair, seeds: Links) -> None:
    """The relational part is, up to its length, what a run without the temporal aspect has."""
    both = labels_with(pair, seeds, make_config(dim=32, alpha=0.25))
    alone = labels_with(pair, seeds, make_config(dim=32, alpha=0.0))
    relational = np.split(whole(both.left), 2, axis=1)[0]
    assert np.allclose(slow_unit(relational), whole(alone.left), atol=1e-5)


@pytest.mark.parametrize(
    ("options", "aspects"),
    [
        ({"alpha": 0.0}, ["relational"]),
        ({"alpha": 0.5}, ["relational", "temporal"]),
        ({"alpha": 1.0}, ["temporal"]),
        ({"temporal_propagation": False}, ["relational"]),
    ],
    ids=str,
)
def test_an_aspect_without_weight_is_not_computed(
    pair: Pair,
    seeds: Links,
    options: dict[str, Any],
    aspects: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed = []

    def noted(start: NodeRows, ee: Any, aspect: Aspect, depth: int, *, compact: bool) -> Any:
        is_temporal = aspect.other_entity.shape[0] == pair.n_ticks
        computed.append("temporal" if is_temporal else "relational")
        return propagate(start, ee, aspect, depth, compact=compact)

    monkeypatch.setattr(labels_module, "propagate", noted)
    assert pair.n_ticks != pair.n_relations
    labels = labels_with(pair, seeds, make_config(dim=32, **options))
    assert computed == aspects
    assert labels.has_relational == ("relational" in aspects)
    assert labels.left.n_columns == labels.right.n_columns == 64 * len(aspects)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_the_relational_share_is_that_of_the_first_part(
    pair: Pair, seeds: Links, alpha: float, compact: bool
) -> None:
    labels = labels_with(pair, seeds, make_config(dim=32, alpha=alpha), compact=compact)
    width = {0.0: 64, 0.4: 64, 1.0: 0}[alpha]
    rng = np.random.default_rng(1)
    rows, places = rng.integers(0, len(labels.left), 200), rng.integers(-1, len(labels.right), 200)
    left, right = whole(labels.left)[rows, :width], whole(labels.right)[places, :width]
    expected = np.where(places == -1, 0, (left * right).sum(axis=1))
    assert (places == -1).any()
    assert np.allclose(labels.relational(rows, places[:, None])[:, 0], expected, atol=1e-6)


def test_only_those_who_are_asked_have_a_row(pair: Pair, seeds: Links) -> None:
    """In the order they are asked, with the same labels as when all are."""
    config = make_config(dim=32)
    everybody = labels_with(pair, seeds, config)
    left, right = LeftIds(np.array([9, 2, 30])), RightIds(np.array([5, 4]))
    rng = np.random.default_rng(0)
    some = two_aspect_labels(Views.of(pair), pair, seeds, left, right, config, rng)
    assert np.allclose(whole(some.left), whole(everybody.left)[left], atol=1e-6)
    assert np.allclose(whole(some.right), whole(everybody.right)[right], atol=1e-6)


@pytest.mark.parametrize("compact", [False, True])
def test_who_is_out_of_reach_has_a_zero_row(compact: bool) -> None:
    """near is one fact from the seed, timeless too but without a time, far on an island."""
    facts: list[Fact] = [
        ("near", "r", "seed", "1990", "1990"),
        ("timeless", "r", "seed", None, None),
        ("far", "s", "island", "1950", "1950"),
    ]
    left, right = graph_of_frame(fact_frame(*facts)), graph_of_frame(fact_frame(*renamed(facts)))
    pair = Pair.of(left, right)
    seed = left.entity_ids["seed"], right.entity_ids["xseed"]
    seeds = Links(LeftIds(np.array(seed[:1])), RightIds(np.array(seed[1:])))
    labels = labels_with(pair, seeds, make_config(dim=16, alpha=0.5), compact=compact)
    for side, ids, x in ((labels.left, left.entity_ids, ""), (labels.right, right.entity_ids, "x")):
        rows = whole(side)
        filled = {name for name in ids if side.filled[ids[name]]}
        assert filled == {f"{x}near", f"{x}timeless", f"{x}seed"}
        assert not rows[~side.filled].any()
        assert np.allclose(np.linalg.norm(rows[side.filled], axis=1), 1, atol=1e-2)
        relational, temporal = np.split(rows, 2, axis=1)
        assert not temporal[ids[f"{x}timeless"]].any()
        assert np.linalg.norm(relational[ids[f"{x}timeless"]]) == pytest.approx(1, abs=1e-2)
        assert np.linalg.norm(temporal[ids[f"{x}near"]]) == pytest.approx(0.5**0.5, abs=1e-2)
