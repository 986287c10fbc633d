"""Exact search and inner products over blocks of both sides, beside brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.engines.base import Blocks, Engine
from lighttea.engines.layout import Cuts
from lighttea.engines.tables import TopK
from lighttea.similarity.exact import exact_search, label_dots, places_within, split_rows
from lighttea.types import Bools, Floats, NumpyArray
from tests.plain import call, plain_engine
from tests.tables import held_rows, join_blocks, make_labels, split_table

N_BLOCKS = [1, 3]
SEEDS = st.integers(0, 10**6)


def normal(rng: np.random.Generator, n_rows: int, width: int = 6) -> Floats:
    return rng.standard_normal((n_rows, width)).astype(np.float32)


def join_found(
    engine: Engine[NumpyArray], blocks: Blocks[TopK[NumpyArray]]
) -> tuple[NumpyArray, NumpyArray]:
    """Return what all left blocks found: places and inner products."""
    parts = [engine.fetch(block) for block in blocks]
    index = np.concatenate([part.index for part in parts])
    return index, np.concatenate([part.label for part in parts])


def assert_is_brute_force(
    index: NumpyArray, label: NumpyArray, scores: Floats, k: int, asking: Bools, filled: Bools
) -> None:
    """The k largest scores of each asking row among the filled columns, each once."""
    for row in range(len(scores)):
        places = index[row][index[row] >= 0]
        assert len(set(places.tolist())) == len(places)
        possible = scores[row][filled] if asking[row] else scores[row][:0]
        best = -np.sort(-possible)[:k]
        assert np.allclose(-np.sort(-scores[row, places]), best, atol=1e-5)
        assert filled[places].all()
        assert np.allclose(label[row][index[row] >= 0], scores[row, places], atol=1e-5)
        assert not label[row][index[row] < 0].any()


@pytest.mark.parametrize("compact", [False, True])
@given(st.integers(1, 20), st.integers(1, 60), st.integers(1, 30), st.integers(1, 5), SEEDS)
@settings(max_examples=30, deadline=None)
def test_the_k_best_are_found_however_both_sides_are_cut(
    compact: bool, n_left: int, n_right: int, k: int, n_blocks: int, random_seed: int
) -> None:
    """Also where a right block has fewer rows than are sought, or only zero rows."""
    rng = np.random.default_rng(random_seed)
    left, right = normal(rng, n_left), normal(rng, n_right)
    left[rng.random(n_left) < 0.2], right[rng.random(n_right) < 0.2] = 0, 0
    asking = rng.random(n_left) < 0.7
    engine = plain_engine(n_left, n_right, n_blocks=n_blocks)
    labels = make_labels(engine, [left], [right], compact=compact)
    index, value = join_found(engine, exact_search(engine, labels, k, asking))
    assert index.shape == (n_left, min(k, n_right))
    scores = held_rows([left], compact=compact) @ held_rows([right], compact=compact).T
    has_label = [np.asarray(side.any(axis=1)) for side in (left, right)]
    assert_is_brute_force(index, value, scores, k, asking & has_label[0], has_label[1])


def test_places_are_those_of_the_whole_side_whichever_block_comes_first() -> None:
    """The best right row stands in the last block, then in the first."""
    left, right = np.ones((2, 1), np.float32), np.arange(1, 10, dtype=np.float32)[:, None]
    engine = plain_engine(2, 9, n_blocks=4)
    for side, expected in ((right, [7, 8]), (right[::-1], [0, 1])):
        labels = make_labels(engine, [left], [side])
        index, _ = join_found(engine, exact_search(engine, labels, 2, np.ones(2, bool)))
        assert [sorted(row) for row in index.tolist()] == [expected, expected]


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("n_parts", [None, 1])
def test_inner_products_of_candidates(n_blocks: int, compact: bool, n_parts: int | None) -> None:
    """Of all rows or of some, over both aspects or the first."""
    rng = np.random.default_rng(0)
    n_left, n_right = 14, 20
    left, right = ([normal(rng, n) for _ in range(2)] for n in (n_left, n_right))
    engine = plain_engine(n_left, n_right, n_blocks=n_blocks)
    labels = make_labels(engine, left, right, compact=compact)
    one, other = (
        held_rows(side, compact=compact)[:, : 6 * (n_parts or 2)] for side in (left, right)
    )
    index = rng.integers(-1, n_right, (n_left, 5)).astype(np.int32)
    expected = np.where(index >= 0, np.take_along_axis(one @ other.T, np.maximum(index, 0), 1), 0)
    dots = label_dots(engine, labels, split_table(engine, index), n_parts)
    assert np.allclose(join_blocks(engine, dots), expected, atol=1e-5)

    asking = rng.random(n_left) < 0.5
    rows = split_rows(engine, asking)
    own = Blocks(
        engine.hold(index[block][engine.fetch(handle)])
        for block, handle in zip(engine.layout.left, rows, strict=True)
    )
    some = label_dots(engine, labels, own, n_parts, rows)
    assert np.allclose(join_blocks(engine, some), expected[asking], atol=1e-5)


def test_flags_are_split_into_places_of_each_block() -> None:
    flags = np.array([1, 0, 0, 1, 1, 0, 1], bool)
    engine = plain_engine(7, 1)
    engine.layout = replace(engine.layout, left=Cuts((0, 2, 5, 7)))
    places = [engine.fetch(block).tolist() for block in split_rows(engine, flags)]
    assert places == [[0], [1, 2], [1]]


def test_places_within_a_block() -> None:
    index = np.array([[0, 4, 5], [9, -1, 6]], np.int32)
    assert call(places_within, index, 5, 2).tolist() == [[-1, -1, 0], [-1, -1, 1]]
    assert call(places_within, index, 0, 5).tolist() == [[0, 4, -1], [-1, -1, -1]]
