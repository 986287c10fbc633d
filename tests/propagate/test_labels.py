"""Propagation against the paper's equations in dense numpy; the blend of aspects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lighttea.config import Config, make_config
from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.tables import NodeRows
from lighttea.graph.pair import Links, Pair
from lighttea.graph.views import FactRows, entity_other, to_scipy
from lighttea.io.frames import graph_of_frame
from lighttea.kernels.rows import NumpyRows
from lighttea.propagate import labels as labels_module
from lighttea.propagate.labels import (
    Labels,
    hop_lengths,
    no_labels,
    propagate,
    two_aspect_labels,
)
from lighttea.propagate.seed_vectors import SeedVectors, seed_rows
from lighttea.propagate.views import AspectViews, PairViews
from lighttea.types import Floats, LeftIds, NumpyArray, RightIds
from tests.plain import plain_engine
from tests.propagate.dense import (
    dense_labels,
    dense_rows,
    dense_sum,
    dense_view,
    engine_for,
    stored_rows,
    unit,
    views_on,
)
from tests.worlds import Fact, World, fact_frame, renamed, seeds_of

BLOCK_ROWS = "lighttea.engines.cpu.ops.NumpyOps.block_rows"


def slow_propagate(
    labels: Floats, entity_entity: Floats, aspect: AspectViews[NumpyArray], depth: int
) -> tuple[list[Floats], list[Floats]]:
    """Eq. 1-6, dense: the labels of entities, and those of relations or ticks, hop by hop."""
    entity_other, other_entity = dense_view(aspect.entity_other), dense_sum(aspect.other_entity)
    others = np.zeros((len(other_entity), labels.shape[1]), np.float32)
    hops, other_hops = [labels], []
    for _ in range(depth):
        following = unit(entity_entity @ labels + entity_other @ others)
        labels, others = following, unit(other_entity @ labels)
        hops.append(labels)
        other_hops.append(others)
    return hops, other_hops


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


@pytest.fixture(scope="module")
def seeds(world: World) -> Links:
    return seeds_of(world)


@pytest.mark.parametrize(("n_blocks", "block_rows"), [(1, 8192), (1, 7), (3, 7)])
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("temporal", [False, True])
def test_propagation_is_the_papers(
    pair: Pair,
    seeds: Links,
    temporal: bool,
    depth: int,
    compact: bool,
    n_blocks: int,
    block_rows: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exactly in float32. In eight bits each hop turns a row by about 1 % of its length."""
    monkeypatch.setattr(BLOCK_ROWS, block_rows)
    engine = engine_for(pair, 24, n_blocks=n_blocks, compact=compact)
    views = views_on(engine, pair)
    vectors = SeedVectors.draw(pair, seeds, len(seeds), 24, np.random.default_rng(0))
    start = [engine.run(seed_rows, vectors, some, compact) for some in engine.layout.columns]
    aspect = views.aspect(temporal=temporal)
    hops = propagate(engine, start, views.entity_entity(), aspect, depth)
    slow_hops, slow_others = slow_propagate(
        dense_labels(start), dense_view(views.entity_entity()), aspect, depth
    )
    assert len(hops.layers) == len(slow_hops) == depth + 1
    for layer in hops.layers:
        held = [engine.fetch(part).rows for part in layer]
        assert len(held) == n_blocks
        assert all(isinstance(rows, NumpyRows) and rows.is_compact == compact for rows in held)
    tolerance = 0.02 if compact else 2e-6
    for layer, slow in zip(hops.layers, slow_hops, strict=True):
        found = dense_labels(layer)
        assert np.array_equal(found.any(axis=1), slow.any(axis=1))
        assert np.linalg.norm(found - slow, axis=1).max() < tolerance
    for layer, slow in zip(hops.others, slow_others, strict=True):
        assert np.linalg.norm(dense_labels(layer) - slow, axis=1).max() < tolerance
    length = engine.fetch(
        engine.run(hop_lengths, vectors, pair.n_nodes, [list(hop) for hop in hops.scales])
    )
    concatenated = np.linalg.norm(np.hstack(slow_hops), axis=1)
    assert np.allclose(length * concatenated, concatenated > 0, atol=tolerance)


def test_the_length_of_a_row_is_that_of_its_filled_hops(pair: Pair, seeds: Links) -> None:
    """Node 0 is a seed and filled in two hops, node 1 in one of them, node 2 in none."""
    vectors = SeedVectors.draw(pair, seeds, len(seeds), 4, np.random.default_rng(0))
    vectors = replace(vectors, ends=np.array([[0], [0]]))
    scales = [[np.array([5.0, 0, 0])], [np.array([0.1]), np.array([7.0, 0])]]
    assert np.allclose(hop_lengths(PLAIN, vectors, 3, scales), [3**-0.5, 1, 0])


@pytest.mark.parametrize("begin", [0, 13])
def test_sparse_product_is_the_dense_one(pair: Pair, begin: int) -> None:
    view = entity_other(FactRows.of(pair, slice(0, pair.n_nodes)), temporal=False)
    labels = np.random.default_rng(0).standard_normal((view.shape[1], 7)).astype(np.float32)
    everywhere = NodeRows[NumpyArray](np.arange(len(labels), dtype=np.int32), NumpyRows.of(labels))
    out = np.ones((view.shape[0] - begin, 7), np.float32)
    PLAIN.sparse_product(view, everywhere, begin, out)
    assert np.allclose(out, 1 + to_scipy(view).toarray()[begin:] @ labels, atol=1e-4)


def test_unit_rows_are_made_in_place() -> None:
    rows = np.array([[3, 4], [0, 0]], np.float32)
    assert PLAIN.unit_rows(rows) is rows
    assert np.allclose(rows, np.array([[0.6, 0.8], [0, 0]]))


def labels_with(
    pair: Pair, seeds: Links, config: Config, *, compact: bool = False, n_blocks: int = 1
) -> Labels[NumpyArray]:
    engine = engine_for(pair, config.dim, compact=compact, n_blocks=n_blocks)
    rng = np.random.default_rng(0)
    views = views_on(engine, pair)
    return two_aspect_labels(engine, views, seeds, config, rng, n_known=len(seeds))


@pytest.mark.parametrize("compact", [False, True])
def test_the_aspects_are_weighted_by_alpha(pair: Pair, seeds: Links, compact: bool) -> None:
    """Eight bits change a length by a few thousandths at most."""
    labels = labels_with(pair, seeds, make_config("paper", dim=32, alpha=0.25), compact=compact)
    tolerance = 4e-3 if compact else 1e-5
    assert labels.has_relational
    assert labels.n_aspects == 2
    for side in (labels.left, labels.right):
        assert [stored_rows(block).is_compact for block in side] == [compact]
        rows = dense_rows(side)
        relational, temporal = np.split(rows, 2, axis=1)
        both = relational.any(axis=1) & temporal.any(axis=1)
        assert both.sum() > 40
        ratio = np.linalg.norm(temporal[both], axis=1) / np.linalg.norm(relational[both], axis=1)
        assert np.allclose(ratio, 0.25 / 0.75, atol=tolerance)
        length = np.linalg.norm(rows[rows.any(axis=1)], axis=1)
        assert np.allclose(length, 1, atol=tolerance)


@pytest.mark.parametrize("n_blocks", [2, 5])
@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_labels_do_not_depend_on_the_blocks(
    pair: Pair, seeds: Links, alpha: float, n_blocks: int
) -> None:
    config = make_config("paper", dim=32, alpha=alpha)
    whole, cut = (labels_with(pair, seeds, config, n_blocks=n) for n in (1, n_blocks))
    assert len(cut.left) == len(cut.right) == n_blocks
    assert np.allclose(dense_rows(cut.left), dense_rows(whole.left), atol=1e-5)
    assert np.allclose(dense_rows(cut.right), dense_rows(whole.right), atol=1e-5)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_eight_bits_keep_the_similarities(pair: Pair, seeds: Links, n_blocks: int) -> None:
    """Far less is lost than the sketch itself is off by: one over the root of its width, .09."""
    config = make_config("paper", dim=64)
    exact = labels_with(pair, seeds, config)
    compact = labels_with(pair, seeds, config, compact=True, n_blocks=n_blocks)
    products = [dense_rows(one.left) @ dense_rows(one.right).T for one in (exact, compact)]
    gap = np.abs(products[0] - products[1])
    assert gap.max() < 0.005
    assert gap.mean() < 0.0015


def test_an_aspects_part_is_its_own_sketch(pair: Pair, seeds: Links) -> None:
    """The relational part is, up to its length, what a run without the temporal aspect has."""
    both = labels_with(pair, seeds, make_config("paper", dim=32, alpha=0.25))
    alone = labels_with(pair, seeds, make_config("paper", dim=32, alpha=0.0))
    relational = np.split(dense_rows(both.left), 2, axis=1)[0]
    assert np.allclose(unit(relational), dense_rows(alone.left), atol=1e-5)


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

    def noted(
        engine: Any, start: Any, entity_entity: Any, aspect: AspectViews[NumpyArray], depth: int
    ) -> Any:
        is_temporal = len(dense_sum(aspect.other_entity)) == pair.n_ticks
        computed.append("temporal" if is_temporal else "relational")
        return propagate(engine, start, entity_entity, aspect, depth)

    monkeypatch.setattr(labels_module, "propagate", noted)
    assert pair.n_ticks != pair.n_relations
    labels = labels_with(pair, seeds, make_config("paper", dim=32, **options))
    assert computed == aspects
    assert labels.n_aspects == len(aspects)
    assert labels.has_relational == ("relational" in aspects)
    for side in (labels.left, labels.right):
        assert dense_rows(side).shape[1] == 64 * len(aspects)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.4])
def test_the_relational_share_is_that_of_the_first_part(
    pair: Pair, seeds: Links, alpha: float, compact: bool
) -> None:
    labels = labels_with(pair, seeds, make_config("paper", dim=32, alpha=alpha), compact=compact)
    (left,), (right,) = labels.left, labels.right
    rng = np.random.default_rng(1)
    rows = rng.integers(0, pair.n_left, 200)
    places = rng.integers(-1, pair.n_right, 200).astype(np.int32)
    share = PLAIN.dots(stored_rows(left), stored_rows(right), rows, places[:, None], 1)[:, 0]
    ends = dense_rows(labels.left)[rows, :64], dense_rows(labels.right)[places, :64]
    expected = np.where(places == -1, 0, (ends[0] * ends[1]).sum(axis=1))
    assert (places == -1).any()
    assert labels.has_relational
    assert np.allclose(share, expected, atol=1e-6)


@pytest.mark.parametrize("n_blocks", [1, 2])
def test_only_the_entities_of_the_problem_have_a_row(
    pair: Pair, seeds: Links, n_blocks: int
) -> None:
    """In their order, with the same labels as when all entities have one."""
    config = make_config("paper", dim=32)
    everywhere = labels_with(pair, seeds, config)
    left, right = LeftIds(np.array([2, 9, 30])), RightIds(np.array([4, 5]))
    engine = plain_engine(3, 2, pair.n_nodes, 32, n_blocks=n_blocks)
    views = PairViews(engine, pair, left, right)
    rng = np.random.default_rng(0)
    some = two_aspect_labels(engine, views, seeds, config, rng, n_known=len(seeds))
    assert np.allclose(dense_rows(some.left), dense_rows(everywhere.left)[left], atol=1e-5)
    assert np.allclose(dense_rows(some.right), dense_rows(everywhere.right)[right], atol=1e-5)


@pytest.mark.parametrize("n_blocks", [1, 4])
@pytest.mark.parametrize("chosen", [[0, 1, 2], [3, 30, 31, 39], []])
def test_only_some_rows_of_the_left_side_are_made(
    pair: Pair, seeds: Links, n_blocks: int, chosen: list[int]
) -> None:
    """With the labels that they have when all are made; blocks may have none of them."""
    config = make_config("paper", dim=32)
    everywhere = labels_with(pair, seeds, config, n_blocks=n_blocks)
    engine = engine_for(pair, config.dim, n_blocks=n_blocks)
    views, rng = views_on(engine, pair), np.random.default_rng(0)
    flags = np.isin(np.arange(pair.n_left), chosen)
    some = two_aspect_labels(engine, views, seeds, config, rng, n_known=len(seeds), left_rows=flags)
    np.testing.assert_array_equal(dense_rows(some.left), dense_rows(everywhere.left)[flags])
    np.testing.assert_array_equal(dense_rows(some.right), dense_rows(everywhere.right))


@pytest.mark.parametrize("compact", [False, True])
def test_entities_out_of_reach_have_a_zero_row(compact: bool) -> None:
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
    config = make_config("paper", dim=16, alpha=0.5)
    labels = labels_with(pair, seeds, config, compact=compact)
    for side, ids, x in ((labels.left, left.entity_ids, ""), (labels.right, right.entity_ids, "x")):
        (block,), rows = side, dense_rows(side)
        filled = stored_rows(block).filled
        assert {name for name in ids if filled[ids[name]]} == {
            f"{x}near",
            f"{x}timeless",
            f"{x}seed",
        }
        assert not rows[~filled].any()
        assert np.allclose(np.linalg.norm(rows[filled], axis=1), 1, atol=1e-2)
        relational, temporal = np.split(rows, 2, axis=1)
        assert not temporal[ids[f"{x}timeless"]].any()
        assert np.linalg.norm(relational[ids[f"{x}timeless"]]) == pytest.approx(1, abs=1e-2)
        assert np.linalg.norm(temporal[ids[f"{x}near"]]) == pytest.approx(0.5**0.5, abs=1e-2)


def soiled_rows(n_rows: int, width: int, n_parts: int = 1, *, compact: bool = False) -> NumpyRows:
    """Room for rows in memory that held no numbers before."""
    shape = n_rows, n_parts * width
    values = np.full(shape, 7, np.int8) if compact else np.full(shape, np.nan, np.float32)
    return NumpyRows(values, np.zeros((n_rows, n_parts), np.float32))


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("n_blocks", [1, 3])
def test_without_labels_every_inner_product_is_zero(
    n_blocks: int, compact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever lay in the memory before: rows are not empty when they are made."""
    monkeypatch.setattr(NumpyRows, "empty", soiled_rows)
    engine = plain_engine(7, 5, n_blocks=n_blocks)
    engine.compact = compact
    labels = no_labels(engine)
    left, right = dense_rows(labels.left), dense_rows(labels.right)
    assert (len(labels.left), len(labels.right)) == (n_blocks, n_blocks)
    assert (len(left), len(right), labels.n_aspects) == (7, 5, 1)
    assert not (left @ right.T).any()
