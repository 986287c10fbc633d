"""Approximate search: a floor on what it finds, its rule, its recall, its corners."""

from __future__ import annotations

import numpy as np
import pytest

import lighttea
from lighttea.kernels import selection
from lighttea.kernels.rows import Rows
from lighttea.similarity import approximate
from lighttea.similarity.approximate import approximate_top_k, narrowing_of
from lighttea.similarity.search import EXACT_COUPLES, Recall, is_approximate, recall_of, search
from lighttea.similarity.topk import NONE, Found, top_k
from lighttea.types import Floats
from tests.worlds import World


def unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def noisy_copies(n: int, width: int, common: float) -> tuple[Floats, Floats]:
    """Right rows are left rows with noise; all of them lean towards one common direction."""
    rng = np.random.default_rng(0)
    own = unit(rng.standard_normal((n, width)).astype(np.float32))
    noise = unit(rng.standard_normal((n, width)).astype(np.float32))
    shared = common * unit(rng.standard_normal((1, width)).astype(np.float32))
    return unit(own + shared), unit(own + 0.7 * noise + shared)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("common", [0.0, 3.0])
def test_counterparts_are_found_where_a_common_direction_hides_them(
    common: float, compact: bool
) -> None:
    left, right = noisy_copies(3000, 128, common)
    rows = Rows.of(left, compact=compact), Rows.of(right, compact=compact)
    found = approximate_top_k(*rows, 10, np.random.default_rng(0))
    own = np.arange(3000)
    assert (found.index == own[:, None]).any(axis=1).mean() > 0.97
    exact = top_k(*rows, 10)
    assert recall_of(found, exact, own).best > 0.95


def test_what_is_found_has_its_exact_inner_product_and_no_place_twice() -> None:
    left, right = noisy_copies(1200, 64, 1.0)
    found = approximate_top_k(Rows.of(left), Rows.of(right), 20, np.random.default_rng(0))
    there = found.index != NONE
    scores = np.take_along_axis(left @ right.T, np.where(there, found.index, 0), axis=1)
    assert np.allclose(scores[there], found.label[there], atol=1e-5)
    for row in found.index.tolist():
        kept = [place for place in row if place != NONE]
        assert len(set(kept)) == len(kept)


def test_the_same_generator_finds_the_same() -> None:
    left, right = noisy_copies(800, 32, 0.5)
    one, other = (
        approximate_top_k(Rows.of(left), Rows.of(right), 5, np.random.default_rng(4))
        for _ in range(2)
    )
    assert np.array_equal(one.index, other.index)


def test_small_batches_find_what_large_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = noisy_copies(900, 32, 0.5)
    large = approximate_top_k(Rows.of(left), Rows.of(right), 5, np.random.default_rng(4))
    monkeypatch.setattr(approximate, "_batch_size", lambda _met: 100)
    small = approximate_top_k(Rows.of(left), Rows.of(right), 5, np.random.default_rng(4))
    assert np.array_equal(np.sort(large.index, axis=1), np.sort(small.index, axis=1))


def test_zero_rows_have_and_are_no_candidates_and_only_those_who_ask_get_any() -> None:
    left, right = noisy_copies(500, 32, 0.0)
    left[:50], right[100:150] = 0, 0
    asks = np.arange(0, 500, 2)
    found = approximate_top_k(Rows.of(left), Rows.of(right), 7, np.random.default_rng(0), asks=asks)
    has = (found.index != NONE).any(axis=1)
    assert np.array_equal(np.flatnonzero(has), asks[asks >= 50])
    assert not np.isin(found.index, np.arange(100, 150)).any()


@pytest.mark.parametrize(("n_left", "n_right"), [(1, 1), (3, 2), (5, 40)])
def test_tiny_sides(n_left: int, n_right: int) -> None:
    rng = np.random.default_rng(0)
    left = Rows.of(rng.standard_normal((n_left, 4)).astype(np.float32))
    right = Rows.of(rng.standard_normal((n_right, 4)).astype(np.float32))
    found = approximate_top_k(left, right, 3, rng)
    assert (found.index != NONE).any(axis=1).all()
    nobody = Rows.of(np.zeros((n_left, 4), np.float32))
    assert (approximate_top_k(nobody, right, 3, rng).index == NONE).all()


def test_wide_labels_are_narrowed_before_their_directions_are_sought() -> None:
    rng = np.random.default_rng(0)
    wide = Rows.of(rng.standard_normal((50, 2 * approximate.COARSE + 3)).astype(np.float32))
    every = np.arange(50)
    narrowing = narrowing_of(wide, wide, every, every, rng)
    assert narrowing.shape == (2 * approximate.COARSE + 3, approximate.COARSE)
    assert np.isfinite(narrowing).all()


def test_a_couple_counts_in_its_first_shared_cell_only() -> None:
    values, places, filled = selection.selection_buffers(1, 4)
    scores = np.array([[0.5, 0.9]], np.float32)
    row_cells = np.array([[1, 4]], np.int32)
    member_cells = np.array([[1, 4], [2, 4]], np.int32)
    floors = np.full(1, -np.inf, np.float32)
    rows, members = np.array([0]), np.array([0, 1])
    selection.select_in_cell(
        scores, 4, rows, members, row_cells, member_cells, floors, values, places, filled
    )
    assert (filled[0], places[0, 0]) == (1, 1)  # the other couple was met in cell 1


def test_the_rule() -> None:
    side = int(EXACT_COUPLES**0.5)
    assert not is_approximate("auto", side, side)
    assert is_approximate("auto", side + 1, side + 1)
    assert is_approximate("approximate", 2, 2)
    assert not is_approximate("exact", 10**6, 10**6)


def test_recall_counts_candidates_and_not_empty_places() -> None:
    exact = Found(
        np.array([[0, 1, 2], [3, NONE, NONE]]), np.array([[0.3, 0.9, 0.1], [1, 0, 0]], np.float32)
    )
    found = Found(np.array([[2, 1, 7], [4, NONE, NONE]]), np.zeros((2, 3), np.float32))
    recall = recall_of(found, exact, np.array([0, 1]))
    assert recall == Recall(best=0.5, all_k=0.5)


def test_search_measures_its_recall() -> None:
    left, right = noisy_copies(900, 64, 1.0)
    rng = np.random.default_rng(0)
    sides = Rows.of(left), Rows.of(right)
    asks = np.arange(900)

    def recall(how: str) -> Recall | None:
        left_rows, right_rows = 256, 300
        _, measured = search(
            *sides, 10, how=how, asks=asks, rng=rng, left_rows=left_rows, right_rows=right_rows
        )
        return measured

    approximate_recall = recall("approximate")
    assert approximate_recall is not None
    assert 0.9 < approximate_recall.best <= 1
    assert recall("auto") is None


def test_a_run_says_which_search_it_used_and_finds_nearly_the_same_links(world: World) -> None:
    options = {"dim": 64, "top_k": 30, "rounds": 2}
    runs = {
        how: lighttea.align(
            world.left,
            world.right,
            seeds=world.seeds,
            search=how,
            **options,  # type: ignore[arg-type]
        )
        for how in ("exact", "approximate")
    }
    first = runs["approximate"].info["rounds"][0]
    assert first["search"] == "approximate"
    assert 0.9 <= first["recall_best"] <= 1
    assert runs["exact"].info["rounds"][0]["search"] == "exact"
    pairs = {how: set(run.links.select("left", "right").rows()) for how, run in runs.items()}
    assert len(pairs["exact"] & pairs["approximate"]) > 0.9 * len(pairs["exact"])


def test_an_unknown_search_is_refused(world: World) -> None:
    with pytest.raises(
        lighttea.ConfigError, match="search must be auto, exact or approximate; got 'fast'"
    ):
        lighttea.align(world.left, world.right, seeds=world.seeds, search="fast")  # type: ignore[arg-type]
