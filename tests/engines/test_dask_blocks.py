"""How the Dask engine cuts its work, and what the blocks are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lighttea.config import make_config
from lighttea.engines.dask.inputs import incidence_of, tick_counts_of
from lighttea.engines.dask.labels import couples_of_others
from lighttea.engines.dask.layout import GIB, Cuts, Layout, worker_bytes
from lighttea.engines.dask.search import joined_found, within
from lighttea.errors import ConfigError
from lighttea.graph.views import (
    FactRows,
    View,
    Views,
    entity_entity,
    entity_other,
    incidence,
    other_entity,
    tick_counts,
)
from lighttea.similarity.topk import Found
from tests.engines.worlds import job_of
from tests.worlds import make_world


@pytest.mark.parametrize(("n", "n_blocks"), [(10, 3), (3, 10), (1, 1), (7, 7), (1000, 6)])
def test_even_cuts_cover_all_and_none_is_empty(n: int, n_blocks: int) -> None:
    cuts = Cuts.even(n, n_blocks)
    sizes = [rows.stop - rows.start for rows in cuts]
    assert sum(sizes) == n
    assert min(sizes) >= 1
    assert max(sizes) - min(sizes) <= 1
    assert len(cuts) == min(n, n_blocks)
    assert cuts.largest == max(sizes)


def test_cuts_by_load_part_heavy_rows() -> None:
    load = np.array([0, 100, 101, 102, 103, 203, 204])
    cuts = Cuts.by_load(load, 70)
    assert cuts.bounds[0] == 0
    assert cuts.bounds[-1] == 6
    weights = [load[rows.stop] - load[rows.start] for rows in cuts]
    assert max(weights) <= 70 + 100  # a row is not parted
    assert len(cuts) == 3
    assert Cuts.by_load(load, 1000).bounds == (0, 6)
    assert len(Cuts.by_load(np.array([0, 0, 0]), 10)) == 1


def test_less_memory_means_more_blocks_and_too_little_is_told() -> None:
    pair = job_of(make_world(1)).pair
    config = make_config("paper")
    wide = Layout.of(pair, 50, 50, config, 2, 1 << 34)
    assert (len(wide.left), len(wide.right), len(wide.columns)) == (4, 2, 2)
    narrow = Layout.of(pair, 50, 50, config, 2, 1 << 19)
    assert len(narrow.left) > len(wide.left)
    assert len(narrow.columns) > len(wide.columns)
    with pytest.raises(ConfigError, match=r"about 0\.00 GiB.*lower --depth \(2\), --dim \(512\)"):
        Layout.of(pair, 50, 50, config, 2, 1 << 12)


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
    pair = replace(job_of(make_world(1)).pair, n_left=n, n_right=n)
    config = make_config("paper", top_k=100)
    cuts = Layout.of(pair, n, n, config, n_workers, gib << 30, compact=True)
    found = tuple(len(one) for one in (cuts.left, cuts.right, cuts.nodes, cuts.columns))
    assert found == blocks
    a_slice = 4 * cuts.piece * config.sketch_factor * config.dim // len(cuts.columns)
    assert a_slice <= 16 << 20


@pytest.mark.parametrize(
    ("n", "measured"), [(100_000, 1.0), (300_000, 2.0), (1_000_000, 6.0)]
)  # GiB, two workers (docs/engines.md)
def test_what_a_worker_is_expected_to_hold_is_what_was_measured(n: int, measured: float) -> None:
    pair = replace(job_of(make_world(1)).pair, n_left=n, n_right=n)
    config = make_config("paper", top_k=100)
    expected = worker_bytes(pair, n, n, config, 2, compact=True) / GIB
    assert expected == pytest.approx(measured, rel=0.25)
    half = worker_bytes(pair, n, n, config, 4, compact=True) / GIB
    assert half - 0.5 == pytest.approx((expected - 0.5) / 2, abs=0.02)
    best = make_config("best", consensus=0.6)
    with_evidence = worker_bytes(pair, n, n, best, 2, compact=True)
    assert with_evidence > worker_bytes(pair, n, n, replace(best, consensus=0), 2, compact=True)


def same_views(one: Any, other: Any) -> None:
    for name, array in vars(one).items():
        np.testing.assert_array_equal(array, getattr(other, name))


@pytest.mark.parametrize("n_blocks", [1, 2, 5])
@pytest.mark.parametrize("temporal", [False, True])
def test_blocks_of_views_put_together_are_the_views(n_blocks: int, temporal: bool) -> None:
    pair = job_of(make_world(1)).pair
    whole = Views.of(pair)
    aspect = whole.temporal if temporal else whole.relational
    blocks = [FactRows.of(pair, rows) for rows in Cuts.even(pair.n_nodes, n_blocks)]
    same_views(stacked([entity_entity(one) for one in blocks]), whole.entity_entity)
    same_views(stacked([entity_other(one, temporal) for one in blocks]), aspect.entity_other)
    same_views(stacked([tick_counts(one) for one in blocks]), whole.tick_counts)
    parts = [other_entity(one, temporal).to_scipy().toarray() for one in blocks]
    np.testing.assert_array_equal(sum(parts), aspect.other_entity.to_scipy().toarray())
    couples = [incidence(one, temporal) for one in blocks]
    for name in ("neighbour", "other"):
        joined = np.concatenate([getattr(one, name) for one in couples])
        np.testing.assert_array_equal(joined, getattr(aspect.incidence, name))
    counts = sum(couples_of_others(one, temporal) for one in blocks)
    expected = np.bincount(aspect.incidence.other, minlength=aspect.other_entity.shape[0])
    np.testing.assert_array_equal(counts, expected)


def stacked(parts: Sequence[View]) -> View:
    """Row blocks under one another."""
    start = np.cumsum(np.concatenate([[0], *(np.diff(one.start) for one in parts)]))
    columns, weights = (
        np.concatenate([getattr(one, name) for one in parts]) for name in ("columns", "weights")
    )
    return View(start, columns, weights, parts[0].n_columns)


def test_the_facts_of_a_side_come_from_the_blocks_that_have_them() -> None:
    pair = job_of(make_world(1)).pair
    whole = Views.of(pair)
    bounds = Cuts.even(pair.n_nodes, 4)
    some = np.array([3, 4, 50, 51, pair.n_nodes - 1], np.int32)
    blocks = [FactRows.of(pair, rows) for rows in bounds]
    np.testing.assert_array_equal(
        tick_counts_of(blocks, some).to_scipy().toarray(),
        whole.tick_counts.to_scipy().toarray()[some],
    )
    part, couples = incidence_of(blocks, some, False), whole.relational.incidence
    for place, node in enumerate(some):
        here = slice(*couples.start[node : node + 2])
        mine = slice(*part.start[place : place + 2])
        np.testing.assert_array_equal(part.neighbour[mine], couples.neighbour[here])
        np.testing.assert_array_equal(part.other[mine], couples.other[here])


def test_the_best_so_far_are_the_best_of_all_blocks() -> None:
    rng = np.random.default_rng(1)
    label = rng.random((6, 12), dtype=np.float32)
    found = None
    for rows in Cuts.even(12, 4):
        here = np.tile(np.arange(rows.stop - rows.start, dtype=np.int32), (6, 1))
        found = joined_found(Found(here, label[:, rows]), rows.start, 5, found)
    assert found is not None
    best = np.argsort(-label, axis=1)[:, :5]
    np.testing.assert_array_equal(np.sort(found.index), np.sort(best))
    np.testing.assert_array_equal(found.label, np.take_along_axis(label, found.index, axis=1))


def test_empty_places_never_push_a_candidate_out() -> None:
    nobody = Found.none(2, 3)
    bad = Found(np.array([[0], [-1]], np.int32), np.array([[-0.5], [0]], np.float32))
    found = joined_found(bad, 7, 3, nobody)
    assert found.index.tolist()[0].count(7) == 1
    assert (found.index[1] == -1).all()


def test_places_within_a_block() -> None:
    index = np.array([[0, 5, 9, -1]], np.int32)
    np.testing.assert_array_equal(within(index, 5, 4), [[-1, 0, -1, -1]])
