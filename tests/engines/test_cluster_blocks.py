"""How the cluster engine cuts its work, and what the blocks are made of."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.config import make_config
from lighttea.engines.cluster.inputs import incidence_rows, view_part, view_rows
from lighttea.engines.cluster.layout import Cuts, Layout
from lighttea.engines.cluster.search import joined_found, within
from lighttea.errors import ConfigError
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


def test_blocks_of_views_are_their_rows() -> None:
    views = job_of(make_world(1)).views
    whole = views.entity_entity.to_scipy().toarray()
    np.testing.assert_array_equal(
        view_part(views.entity_entity, slice(7, 20)).to_scipy().toarray(), whole[7:20]
    )
    some = np.array([3, 50, 4, 4])
    np.testing.assert_array_equal(
        view_rows(views.entity_entity, some).to_scipy().toarray(), whole[some]
    )
    part = incidence_rows(views.relational.incidence, some)
    for place, node in enumerate(some):
        here = slice(*views.relational.incidence.start[node : node + 2])
        mine = slice(*part.start[place : place + 2])
        np.testing.assert_array_equal(
            part.neighbour[mine], views.relational.incidence.neighbour[here]
        )
        np.testing.assert_array_equal(part.other[mine], views.relational.incidence.other[here])


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
