"""Seed vectors: unit vectors in orthogonal frames, each independent of the other seeds."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.engines.base import Handle
from lighttea.graph.keys import mix_keys
from lighttea.graph.pair import Links, Pair
from lighttea.io.frames import graph_of_frame
from lighttea.kernels.rows import NumpyRows
from lighttea.propagate.seed_vectors import (
    SeedVectors,
    count_places,
    fixed_frame,
    seed_rows,
    spread_places,
)
from lighttea.types import Floats, LeftIds, RightIds
from tests.plain import call
from tests.propagate.dense import dense_labels, some_links
from tests.worlds import World, fact_frame, seeds_of


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


@pytest.fixture(scope="module")
def seeds(world: World) -> Links:
    return seeds_of(world)


def drawn(pair: Pair, seeds: Links, n_known: int, dim: int) -> SeedVectors:
    return SeedVectors.draw(pair, seeds, n_known, dim, np.random.default_rng(0))


def test_each_seed_has_a_place_of_its_own_known_ones_first(pair: Pair, seeds: Links) -> None:
    vectors = drawn(pair, seeds, 4, 8)
    assert vectors.place[:4].tolist() == [0, 1, 2, 3]
    assert vectors.place[4:].min() >= 4
    assert len(set(vectors.place.tolist())) == len(seeds)
    assert vectors.place.max() < len(vectors.signs) * 8


def labels_of(
    vectors: SeedVectors, columns: slice | None = None, *, compact: bool = False
) -> Floats:
    """Return L^(0) of every node."""
    columns = columns or slice(0, len(vectors.frame))
    return dense_labels([Handle(call(seed_rows, vectors, columns, compact))])


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("dim", [64, 12, 5])  # more than there are seeds, as many, fewer
def test_a_seed_has_one_random_unit_vector_on_both_sides(
    pair: Pair, seeds: Links, dim: int, compact: bool
) -> None:
    vectors = drawn(pair, seeds, len(seeds), dim)
    labels = labels_of(vectors, compact=compact)
    left, right = labels[pair.left_nodes(seeds.left)], labels[pair.right_nodes(seeds.right)]
    assert np.array_equal(left, right)
    assert np.allclose(np.linalg.norm(left, axis=1), 1, atol=5e-3 if compact else 1e-6)
    assert len(np.unique(left, axis=0)) == len(seeds)
    assert np.count_nonzero(labels.any(axis=1)) == 2 * len(seeds)
    rows = call(seed_rows, vectors, slice(0, dim), compact).rows
    assert isinstance(rows, NumpyRows)
    assert rows.is_compact == compact
    assert len(rows) == len(seeds)  # held once for both ends


@pytest.mark.parametrize("dim", [64, 12, 5])
def test_seeds_of_one_frame_are_orthogonal(pair: Pair, seeds: Links, dim: int) -> None:
    vectors = labels_of(drawn(pair, seeds, len(seeds), dim))[pair.left_nodes(seeds.left)]
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
    frames = labels_of(drawn(pair, seeds, len(seeds), 4))[:1600].reshape(400, 4, 4)
    assert np.abs(frames.mean(axis=0)).max() < 4 * 0.5 / 400**0.5
    assert np.allclose((frames**2).mean(axis=0), 1 / 4, atol=0.04)


@pytest.mark.parametrize("dim", [64, 12, 5])
def test_a_seed_keeps_its_vector_whichever_the_others_are(
    pair: Pair, seeds: Links, dim: int
) -> None:
    """Of 4 known ones and 8 promoted ones: without two of the promoted, in another order."""
    fewer = some_links(seeds, [0, 1, 2, 3, 9, 4, 6, 8, 10, 11])
    generators = [np.random.default_rng(0) for _ in range(2)]
    all_labels, some_labels = (
        labels_of(SeedVectors.draw(pair, links, 4, dim, rng))
        for links, rng in zip((seeds, fewer), generators, strict=True)
    )
    nodes = pair.left_nodes(fewer.left)
    np.testing.assert_array_equal(some_labels[nodes], all_labels[nodes])
    assert generators[0].bit_generator.state == generators[1].bit_generator.state
    assert len(np.unique(all_labels[pair.left_nodes(seeds.left)], axis=0)) == len(seeds)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 700])
def test_places_are_where_keys_lie_or_the_next_free_ones(n: int) -> None:
    keys = mix_keys(np.arange(n), 3)
    taken: dict[int, int] = {}
    for number in np.argsort(keys).tolist():
        place = int(keys[number]) >> (64 - (2 * n).bit_length())
        while place in taken.values():
            place += 1
        taken[number] = place
    places = spread_places(keys).tolist()
    assert places == [taken[number] for number in range(n)]
    assert max(places, default=0) < count_places(n)


def test_one_entity_more_changes_few_places() -> None:
    keys = mix_keys(np.arange(1000), 3)
    assert count_places(999) - 999 == count_places(1000) - 1000
    assert (spread_places(keys)[:-1] != spread_places(keys[:-1])).sum() < 8


def test_no_seeds_no_vectors(pair: Pair) -> None:
    assert not labels_of(drawn(pair, Links.none(), 0, 8)).any()


@pytest.mark.parametrize("block_rows", [8192, 3])
@pytest.mark.parametrize(("n", "n_known", "dim"), [(5, 5, 8), (8, 0, 8), (29, 10, 8), (0, 0, 4)])
def test_columns_are_those_of_the_whole(
    pair: Pair, n: int, n_known: int, dim: int, block_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = np.random.default_rng(1).permutation(pair.n_left)[:n]
    vectors = drawn(pair, Links(LeftIds(numbers), RightIds(numbers)), n_known, dim)
    whole = labels_of(vectors)
    assert whole.shape == (pair.n_nodes, dim)
    np.testing.assert_allclose(np.linalg.norm(whole[numbers], axis=1), 1, rtol=1e-5)
    monkeypatch.setattr("lighttea.engines.cpu.ops.NumpyOps.block_rows", block_rows)
    for columns in (slice(0, 3), slice(3, 4), slice(2, dim)):
        np.testing.assert_array_equal(labels_of(vectors, columns), whole[:, columns])


def test_the_fixed_frame_is_orthogonal_and_cannot_be_written() -> None:
    frame = fixed_frame(32)
    np.testing.assert_allclose(frame @ frame.T, np.eye(32), atol=1e-6)
    with pytest.raises(ValueError, match="read-only"):
        frame[0, 0] = 1
