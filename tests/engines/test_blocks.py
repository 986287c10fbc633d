"""How work is cut into blocks, and that blocks put together are the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lighttea.config import Config, make_config
from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.layout import Cuts, Layout
from lighttea.engines.tables import TopK
from lighttea.errors import ConfigError
from lighttea.graph.pair import Pair
from lighttea.graph.views import (
    FactRows,
    PlainView,
    View,
    entity_entity,
    entity_other,
    incidence,
    join_incidences,
    other_entity,
    tick_counts,
    to_scipy,
)
from lighttea.propagate.views import count_others, incidence_of_nodes, tick_counts_of_nodes
from lighttea.similarity.exact import join_found, places_within
from lighttea.solve.memory import GIB, MemoryModel
from lighttea.solve.problem import Sizes
from lighttea.solve.start import dask_layout, worker_bytes
from lighttea.types import NumpyArray
from tests.engines.worlds import problem_of
from tests.worlds import make_world


@pytest.mark.parametrize(("n", "n_blocks"), [(10, 3), (3, 10), (1, 1), (7, 7), (1000, 6)])
def test_even_cuts_cover_all_and_none_is_empty(n: int, n_blocks: int) -> None:
    cuts = Cuts.even(n, n_blocks)
    sizes = [rows.stop - rows.start for rows in cuts]
    assert sum(sizes) == n
    assert min(sizes) >= 1
    assert max(sizes) - min(sizes) <= 1
    assert len(cuts) == min(n, n_blocks)
    assert cuts.sizes == tuple(sizes)
    assert cuts.begins == tuple(rows.start for rows in cuts)
    assert cuts.n_rows == n


def test_nothing_is_one_empty_block() -> None:
    assert list(Cuts.even(0, 3)) == [slice(0, 0)]


def test_pieces_of_a_block_are_not_too_long() -> None:
    layout = Layout.whole(100, 50, 150, 8, piece=17)
    assert max(layout.pieces(100).sizes) <= 17
    assert sum(layout.pieces(100).sizes) == 100
    assert layout.pieces(17).sizes == (17,)
    assert [len(cuts) for cuts in (layout.left, layout.right, layout.nodes, layout.columns)] == [
        1
    ] * 4


def sizes_of(n: int) -> Sizes:
    """Return the sizes of a problem of n entities a side, with few facts."""
    return Sizes(n, n, 2 * n, 1600, 8)


def test_less_memory_means_more_blocks_and_too_little_is_told() -> None:
    model = MemoryModel(sizes_of(50), make_config("paper"))
    wide = dask_layout(model, 2, 1 << 34)
    assert (len(wide.left), len(wide.right), len(wide.columns)) == (4, 2, 2)
    narrow = dask_layout(model, 2, 1 << 19)
    assert len(narrow.left) > len(wide.left)
    assert len(narrow.columns) > len(wide.columns)
    with pytest.raises(ConfigError, match=r"about 0\.00 GiB.*lower `depth` \(2\), `dim` \(512\)"):
        dask_layout(model, 2, 1 << 12)


@pytest.mark.parametrize(
    ("n", "n_workers", "gib", "blocks"),
    [
        (100_000, 2, 9, (4, 2, 2, 2)),
        (1_000_000, 2, 9, (16, 16, 4, 4)),
        (1_000_000, 2, 2, (24, 16, 2, 12)),
        (50_000_000, 64, 238, (128, 128, 64, 64)),
    ],
)
def test_blocks_are_small_and_not_too_many_and_as_many_for_every_worker(
    n: int, n_workers: int, gib: int, blocks: tuple[int, ...]
) -> None:
    config = make_config("paper", top_k=100)
    cuts = dask_layout(MemoryModel(sizes_of(n), config, compact=True), n_workers, gib << 30)
    found = tuple(len(one) for one in (cuts.left, cuts.right, cuts.nodes, cuts.columns))
    assert found == blocks
    a_slice = 4 * cuts.piece * config.sketch_factor * config.dim // len(cuts.columns)
    assert a_slice <= 16 << 20


def expected_gib(n: int, config: Config, n_workers: int) -> float:
    """Return what a worker is expected to hold, labels in eight bits."""
    return worker_bytes(MemoryModel(sizes_of(n), config, compact=True), n_workers) / GIB


@pytest.mark.parametrize(
    ("n", "measured"), [(100_000, 1.0), (300_000, 2.0), (1_000_000, 6.0)]
)  # GiB, two workers (docs/engines.md)
def test_what_a_worker_is_expected_to_hold_is_what_was_measured(n: int, measured: float) -> None:
    config = make_config("paper", top_k=100)
    expected = expected_gib(n, config, 2)
    assert expected == pytest.approx(measured, rel=0.25)
    half = expected_gib(n, config, 4)
    assert half - 0.5 == pytest.approx((expected - 0.5) / 2, abs=0.02)
    best = make_config("best", consensus=0.6)
    assert expected_gib(n, best, 2) > expected_gib(n, replace(best, consensus=0), 2)


def some_pair() -> Pair:
    return problem_of(make_world(1)).pair


def all_facts(pair: Pair) -> FactRows:
    """Return the facts of all nodes as one block."""
    return FactRows.of(pair, slice(0, pair.n_nodes))


def assert_same_arrays(one: Any, other: Any) -> None:
    """Fail unless all arrays of two objects are equal."""
    for name, array in vars(one).items():
        np.testing.assert_array_equal(array, getattr(other, name))


@pytest.mark.parametrize("n_blocks", [1, 2, 5])
@pytest.mark.parametrize("temporal", [False, True])
def test_blocks_of_views_put_together_are_the_views(n_blocks: int, temporal: bool) -> None:
    pair = some_pair()
    whole = all_facts(pair)
    blocks = [FactRows.of(pair, rows) for rows in Cuts.even(pair.n_nodes, n_blocks)]
    assert_same_arrays(FactRows.joined(blocks), whole)
    assert_same_arrays(stack_views([entity_entity(b) for b in blocks]), entity_entity(whole))
    others = [entity_other(block, temporal) for block in blocks]
    assert_same_arrays(stack_views(others), entity_other(whole, temporal))
    assert_same_arrays(stack_views([tick_counts(b) for b in blocks]), tick_counts(whole))
    parts = [to_scipy(other_entity(block, temporal)).toarray() for block in blocks]
    expected = to_scipy(other_entity(whole, temporal)).toarray()
    np.testing.assert_array_equal(sum(parts), expected)
    couples = [incidence(block, temporal) for block in blocks]
    assert_same_arrays(join_incidences(couples), incidence(whole, temporal))
    counts = sum(count_others(block, len(expected)) for block in couples)
    others_of = incidence(whole, temporal).other
    np.testing.assert_array_equal(counts, np.bincount(others_of, minlength=len(expected)))


def stack_views(parts: Sequence[PlainView]) -> View[NumpyArray]:
    """Return row blocks under one another."""
    start = np.cumsum(np.concatenate([[0], *(np.diff(one.start) for one in parts)]))
    columns, weights = (
        np.concatenate([getattr(one, name) for one in parts]) for name in ("columns", "weights")
    )
    return View(start, columns, weights, parts[0].n_columns)


def test_the_facts_of_a_side_come_from_the_blocks_that_have_them() -> None:
    pair = some_pair()
    cuts = Cuts.even(pair.n_nodes, 4)
    some = np.array([3, 4, 50, 51, pair.n_nodes - 1], np.int32)
    blocks = [FactRows.of(pair, rows) for rows in cuts]
    np.testing.assert_array_equal(
        to_scipy(tick_counts_of_nodes(blocks, some)).toarray(),
        to_scipy(tick_counts(all_facts(pair))).toarray()[some],
    )
    couples = [incidence(block, False) for block in blocks]
    part = incidence_of_nodes(couples, list(cuts), some)
    whole = incidence(all_facts(pair), False)
    for place, node in enumerate(some):
        here = slice(*whole.start[node : node + 2])
        mine = slice(*part.start[place : place + 2])
        np.testing.assert_array_equal(part.neighbour[mine], whole.neighbour[here])
        np.testing.assert_array_equal(part.other[mine], whole.other[here])


def test_the_best_so_far_are_the_best_of_all_blocks() -> None:
    rng = np.random.default_rng(1)
    label = rng.random((6, 12), dtype=np.float32)
    found: TopK[NumpyArray] | None = None
    for rows in Cuts.even(12, 4):
        here = np.tile(np.arange(rows.stop - rows.start, dtype=np.int32), (6, 1))
        found = join_found(PLAIN, TopK(here, label[:, rows]), rows.start, 5, found)
    assert found is not None
    best = np.argsort(-label, axis=1)[:, :5]
    np.testing.assert_array_equal(np.sort(found.index), np.sort(best))
    np.testing.assert_array_equal(found.label, np.take_along_axis(label, found.index, axis=1))


def test_empty_places_never_push_a_candidate_out() -> None:
    nothing = TopK(np.full((2, 3), -1, np.int32), np.zeros((2, 3), np.float32))
    bad = TopK(np.array([[0], [-1]], np.int32), np.array([[-0.5], [0]], np.float32))
    found = join_found(PLAIN, bad, 7, 3, nothing)
    assert found.index.tolist()[0].count(7) == 1
    assert (found.index[1] == -1).all()


def test_places_within_a_block() -> None:
    index = np.array([[0, 5, 9, -1]], np.int32)
    np.testing.assert_array_equal(places_within(PLAIN, index, 5, 4), [[-1, 0, -1, -1]])
