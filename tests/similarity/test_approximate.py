"""Approximate search: a floor on what it finds, its exact inner products, its corners."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.engines.tables import TopK
from lighttea.similarity import approximate
from lighttea.similarity.approximate import (
    COARSE,
    approximate_search,
    cells_of_row,
    count_cells,
    learn_narrowing,
)
from lighttea.similarity.exact import exact_search
from lighttea.similarity.recall import count_recall
from lighttea.types import NO_CANDIDATE, Bools, Floats, NumpyArray
from tests.plain import call, plain_engine
from tests.tables import held_rows, make_labels

N_BLOCKS = [1, 3]


def unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def noisy_copies(n: int, width: int, common: float) -> tuple[Floats, Floats]:
    """Right rows are left rows with noise; all of them lean towards one common direction."""
    rng = np.random.default_rng(0)
    own = unit(rng.standard_normal((n, width)).astype(np.float32))
    noise = unit(rng.standard_normal((n, width)).astype(np.float32))
    shared = common * unit(rng.standard_normal((1, width)).astype(np.float32))
    return unit(own + shared), unit(own + 0.7 * noise + shared)


def search(
    left: Floats,
    right: Floats,
    k: int,
    *,
    random_seed: int = 0,
    asking: Bools | None = None,
    compact: bool = False,
    n_blocks: int = 1,
    is_local: bool = True,
    exactly: bool = False,
) -> TopK[NumpyArray]:
    """Return what all left blocks found."""
    engine = plain_engine(len(left), len(right), n_blocks=n_blocks)
    engine.is_local = is_local
    labels = make_labels(engine, [left], [right], compact=compact)
    asking = np.ones(len(left), bool) if asking is None else asking
    if exactly:
        blocks = exact_search(engine, labels, k, asking)
    else:
        rng = np.random.default_rng(random_seed)
        blocks = approximate_search(engine, labels, k, asking, rng)
    parts = [engine.fetch(block) for block in blocks]
    return TopK(
        np.concatenate([part.index for part in parts]),
        np.concatenate([part.label for part in parts]),
    )


@pytest.mark.parametrize(("n_blocks", "is_local"), [(1, True), (3, True), (3, False)])
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("common", [0.0, 3.0])
def test_counterparts_are_found_where_a_common_direction_hides_them(
    common: float, compact: bool, n_blocks: int, is_local: bool
) -> None:
    """Rows travel in half precision where blocks lie in several processes."""
    left, right = noisy_copies(3000, 128, common)
    found = search(left, right, 10, compact=compact, n_blocks=n_blocks, is_local=is_local)
    own = np.arange(3000)
    assert (found.index == own[:, None]).any(axis=1).mean() > 0.97
    counts = call(count_recall, found, search(left, right, 10, compact=compact, exactly=True), own)
    assert counts.n_best / counts.n_rows > 0.95


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
@pytest.mark.parametrize("compact", [False, True])
def test_what_is_found_has_its_exact_inner_product_and_no_place_twice(
    n_blocks: int, compact: bool
) -> None:
    left, right = noisy_copies(1200, 64, 1.0)
    found = search(left, right, 20, compact=compact, n_blocks=n_blocks)
    assert found.index.shape == (1200, 20)
    there = found.index != NO_CANDIDATE
    dense = held_rows([left], compact=compact) @ held_rows([right], compact=compact).T
    scores = np.take_along_axis(dense, np.where(there, found.index, 0), axis=1)
    assert np.allclose(scores[there], found.label[there], atol=1e-5)
    assert not found.label[~there].any()
    for row in found.index.tolist():
        kept = [place for place in row if place != NO_CANDIDATE]
        assert len(set(kept)) == len(kept)


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_the_same_generator_finds_the_same(n_blocks: int) -> None:
    left, right = noisy_copies(800, 32, 0.5)
    one, other = (search(left, right, 5, random_seed=4, n_blocks=n_blocks) for _ in range(2))
    assert np.array_equal(one.index, other.index)


def test_small_batches_find_what_large_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = noisy_copies(900, 32, 0.5)
    large = search(left, right, 5, random_seed=4)
    monkeypatch.setattr(approximate, "batch_size", lambda _k: 100)
    small = search(left, right, 5, random_seed=4)
    assert np.array_equal(np.sort(large.index, axis=1), np.sort(small.index, axis=1))


@pytest.mark.parametrize("n_blocks", [1, 10])
def test_zero_rows_have_and_are_no_candidates_and_only_asking_rows_get_any(n_blocks: int) -> None:
    """With ten blocks some have no row at all that is searched."""
    left, right = noisy_copies(500, 32, 0.0)
    left[:50], right[100:150] = 0, 0
    rows = np.arange(500)
    asking = (rows % 2 == 0) & ~((rows >= 200) & (rows < 250))
    found = search(left, right, 7, asking=asking, n_blocks=n_blocks)
    has = (found.index != NO_CANDIDATE).any(axis=1)
    assert np.array_equal(has, asking & (rows >= 50))
    assert not np.isin(found.index, np.arange(100, 150)).any()


@pytest.mark.parametrize("n_blocks", [1, 2])
@pytest.mark.parametrize(("n_left", "n_right"), [(1, 1), (3, 2), (5, 40)])
def test_tiny_sides(n_left: int, n_right: int, n_blocks: int) -> None:
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((n, 4)).astype(np.float32) for n in (n_left, n_right))
    found = search(left, right, 3, n_blocks=n_blocks)
    assert (found.index != NO_CANDIDATE).any(axis=1).all()
    for sides in ((np.zeros_like(left), right), (left, np.zeros_like(right))):
        assert (search(*sides, 3, n_blocks=n_blocks).index == NO_CANDIDATE).all()


def test_wide_labels_are_narrowed_before_their_directions_are_sought() -> None:
    width = 2 * COARSE + 3
    wide = np.random.default_rng(0).standard_normal((50, width)).astype(np.float32)
    narrowing = call(learn_narrowing, [wide[:20], wide[20:]], 0)
    assert narrowing.shape == (width, COARSE)
    assert np.isfinite(narrowing).all()


def test_cells_grow_with_the_root_of_the_side_and_an_entity_is_in_more_of_them() -> None:
    assert [count_cells(n) for n in (0, 1, 50, 10_000, 1_000_000)] == [1, 1, 50, 800, 8000]
    assert [cells_of_row(n) for n in (1, 5, 10_000, 100_000, 1_000_000)] == [1, 5, 10, 10, 15]


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_the_leaves_of_a_hub_find_one_another(n_blocks: int) -> None:
    """Nothing tells them apart, so that no couple is nearer than the others: all are equal."""
    rows = np.repeat(
        unit(np.random.default_rng(0).standard_normal((2, 40), np.float32)), 3_000, axis=0
    )
    top = search(rows, rows, 5, n_blocks=n_blocks)
    assert (top.index >= 0).all()
    assert np.allclose(top.label, 1, atol=1e-5)
    assert ((top.index < 3_000) == (np.arange(6_000) < 3_000)[:, None]).all()


def test_identical_rows_hide_no_others() -> None:
    """A crowd of identical right rows counts as k of them: the floor lets others through."""
    rng = np.random.default_rng(1)
    left, right = noisy_copies(4_000, 32, 0.0)
    crowd = np.repeat(unit(rng.standard_normal((1, 32), np.float32)), 8_000, axis=0)
    top = search(left, np.concatenate([right, crowd]), 10)
    exact = search(left, right, 1, exactly=True)
    found = (top.index == exact.index).any(axis=1)
    assert found.mean() > 0.9
