"""Whitened labels: weak directions count as much as strong ones, aspects stay apart."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from lighttea.engines.base import Blocks, Handle
from lighttea.engines.tables import Rows
from lighttea.graph.keys import mix_keys
from lighttea.kernels.directions import whitening_matrix
from lighttea.kernels.rows import NumpyRows
from lighttea.propagate import whitening
from lighttea.propagate.labels import Labels
from lighttea.propagate.whitening import (
    apply_whitening,
    draw_sample,
    find_whitening,
    whitening_bytes,
)
from lighttea.types import Floats, NumpyArray
from tests.plain import plain_engine
from tests.propagate.dense import dense_rows, stored_rows, unit


def noisy_sides(n: int, columns: int) -> tuple[Floats, Floats]:
    """Counterparts that share weak directions, under strong ones that all entities share."""
    rng = np.random.default_rng(0)
    own = rng.standard_normal((n, columns), dtype=np.float32)
    strong = rng.standard_normal((3, columns), dtype=np.float32)
    left, right = (
        own
        + 0.3 * rng.standard_normal((n, columns), dtype=np.float32)
        + rng.standard_normal((n, 3), dtype=np.float32) @ strong
        for _ in range(2)
    )
    return unit(left), unit(right)


def in_blocks(
    parts: list[Floats], *, n_blocks: int = 1, compact: bool = False
) -> Blocks[Rows[NumpyArray]]:
    """Return aspects side by side as label rows, cut as a plain engine cuts them."""
    n_rows, width = parts[0].shape
    blocks = []
    for cut in plain_engine(n_rows, n_rows, n_blocks=n_blocks).layout.left:
        rows = NumpyRows.empty(cut.stop - cut.start, width, len(parts), compact=compact)
        for number, part in enumerate(parts):
            rows.put(0, np.ascontiguousarray(part[cut]), number)
        blocks.append(Handle[Rows[NumpyArray]](rows))
    return Blocks(blocks)


def whitened(
    left: list[Floats],
    right: list[Floats],
    weights: list[float],
    *,
    n_blocks: int = 1,
    compact: bool = False,
) -> Labels[NumpyArray]:
    one, other = (in_blocks(side, n_blocks=n_blocks, compact=compact) for side in (left, right))
    labels = Labels(one, other, n_aspects=len(weights), has_relational=True)
    engine = plain_engine(len(left[0]), len(right[0]), n_blocks=n_blocks)
    keys = mix_keys(np.arange(len(left[0])), 1), mix_keys(np.arange(len(right[0])), 2)
    whitening = find_whitening(engine, labels, len(weights), keys, np.random.default_rng(1))
    return apply_whitening(engine, labels, weights, whitening)


def hits(left: Floats, right: Floats) -> float:
    return float(((left @ right.T).argmax(axis=1) == np.arange(len(left))).mean())


@pytest.mark.parametrize("compact", [False, True])
def test_counterparts_are_found_under_what_all_have_in_common(compact: bool) -> None:
    left, right = noisy_sides(600, 64)
    assert hits(left, right) < 0.2
    labels = whitened([left], [right], [1.0], compact=compact)
    assert [stored_rows(block).is_compact for block in labels.left] == [compact]
    assert hits(dense_rows(labels.left), dense_rows(labels.right)) > 0.5


def test_principal_directions_get_the_square_root_of_their_length() -> None:
    rng = np.random.default_rng(0)
    lengths = np.array([8, 4, 2, 1], np.float32)
    sample = unit(rng.standard_normal((4000, 4), dtype=np.float32) * lengths)
    turned = sample @ whitening_matrix(sample)
    before = np.sqrt(np.linalg.eigvalsh(sample.T @ sample))
    after = np.sqrt(np.linalg.eigvalsh(turned.T @ turned))
    assert np.allclose(after / after[-1], np.sqrt(before / before[-1]), rtol=1e-3)


def slow_whitening(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Both sides turned by the inverse fourth root of their joint second moments."""
    both = np.concatenate([left, right]).astype(np.float64)
    variance, axes = np.linalg.eigh(both.T @ both / len(both))
    matrix = axes @ np.diag(variance**-0.25) @ axes.T
    return unit(left @ matrix), unit(right @ matrix)


@pytest.mark.parametrize("block_rows", [8192, 29])
@pytest.mark.parametrize("n_blocks", [1, 3])
def test_all_rows_are_turned_by_the_same_matrix(
    n_blocks: int, block_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row is in the sample here, so the directions are those of all rows."""
    monkeypatch.setattr("lighttea.engines.cpu.ops.NumpyOps.block_rows", block_rows)
    left, right = noisy_sides(200, 32)
    labels = whitened([left], [right], [1.0], n_blocks=n_blocks)
    for blocks, expected in zip(
        (labels.left, labels.right), slow_whitening(left, right), strict=True
    ):
        assert np.allclose(dense_rows(blocks), expected, atol=1e-4)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_aspects_keep_their_weights_and_zero_rows_stay_zero(n_blocks: int) -> None:
    sides = []
    for side in noisy_sides(200, 32):
        first, second = unit(side[:, :16]), unit(side[:, 16:])
        second[:20] = 0
        first[10:20] = 0
        sides.append([first, second])
    labels = whitened(sides[0], sides[1], [0.6, 0.8], n_blocks=n_blocks)
    found = dense_rows(labels.left)
    lengths = np.linalg.norm(found.reshape(200, 2, 16), axis=2)
    assert np.allclose(lengths[:10], [1, 0], atol=1e-5)
    assert not found[10:20].any()
    assert np.allclose(lengths[20:], [0.6, 0.8], atol=1e-5)


def test_the_sample_does_not_depend_on_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whitening, "SAMPLE", 60)
    left, right = noisy_sides(200, 32)
    one, other = (whitened([left], [right], [1.0], n_blocks=n) for n in (1, 7))
    assert np.allclose(dense_rows(one.left), dense_rows(other.left), atol=1e-6)
    assert not np.allclose(dense_rows(one.left), slow_whitening(left, right)[0], atol=1e-3)


def test_one_row_more_changes_one_of_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whitening, "SAMPLE", 50)
    filled = np.ones(400, bool)
    filled[::7] = False
    lots = mix_keys(np.arange(400), 1)
    before = draw_sample(filled, lots)
    filled[0] = True
    after = draw_sample(filled, lots)
    assert len(before) == len(after) == 50
    assert filled[after].all()
    assert len(np.setdiff1d(before, after)) <= 1
    assert draw_sample(filled[:3], lots[:3]).tolist() == [0, 1, 2]


@pytest.mark.parametrize(("n", "block_rows", "sample"), [(3000, 8192, 8192), (3000, 2048, 100)])
def test_it_takes_the_memory_that_is_planned_for_it(
    n: int, block_rows: int, sample: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding the directions takes more in the first case, turning to them in the second.

    Rows that compiled loops copy are not traced: a third of what is planned, two in the second.
    """
    monkeypatch.setattr("lighttea.engines.cpu.ops.NumpyOps.block_rows", block_rows)
    monkeypatch.setattr(whitening, "BLOCK_ROWS", block_rows)
    monkeypatch.setattr(whitening, "SAMPLE", sample)
    one, other = noisy_sides(n, 128)
    parts = [[side[:, :64], side[:, 64:]] for side in (one, other)]
    left, right = (in_blocks(side) for side in parts)
    labels, engine = Labels(left, right, 2, has_relational=True), plain_engine(n, n)
    rng, lots = np.random.default_rng(1), mix_keys(np.arange(n), 1)
    tracemalloc.start()
    try:
        found = find_whitening(engine, labels, 2, (lots, lots), rng)
        apply_whitening(engine, labels, [0.6, 0.8], found)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    planned = whitening_bytes(n, n, 64, 2)
    assert planned / 3 < peak < planned
