"""The largest entries of rows that come block by block, beside sorted rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.kernels import selection
from lighttea.types import Floats

SEEDS = st.integers(0, 10**6)


def scores(rng: np.random.Generator, n_rows: int, n_columns: int) -> Floats:
    """Few distinct values in half of the cases, so that ties are common."""
    block = rng.standard_normal((n_rows, n_columns)).astype(np.float32)
    return np.round(block, 1) if rng.random() < 0.5 else block


@given(st.integers(0, 9), st.integers(1, 120), SEEDS)
@settings(max_examples=60, deadline=None)
def test_likely_floors(n_rows: int, n_columns: int, random_seed: int) -> None:
    rng = np.random.default_rng(random_seed)
    sample = scores(rng, n_rows, n_columns)
    before = sample.copy()
    rank = int(rng.integers(1, n_columns + 1))
    floors = selection.likely_floors(sample, rank)
    assert floors.tolist() == [sorted(row, reverse=True)[rank - 1] for row in sample]
    assert np.array_equal(sample, before)


@given(st.integers(1, 6), st.integers(1, 250), st.integers(1, 30), st.integers(1, 90), SEEDS)
@settings(max_examples=80, deadline=None)
def test_select_above_and_finish_largest(
    n_rows: int, n_columns: int, k: int, width: int, random_seed: int
) -> None:
    """Block by block the same as looking at a whole row: its k best above its floor."""
    rng = np.random.default_rng(random_seed)
    whole = scores(rng, n_rows, n_columns)
    if rng.random() < 0.3:
        whole = np.sort(whole, axis=1)  # ascending: every block betters all that came before
    floors = rng.choice([-np.inf, -1, 0, 1, np.inf], n_rows).astype(np.float32)
    first_floors = floors.copy()
    values, places, filled = selection.selection_buffers(n_rows, k)
    for offset in range(0, n_columns, width):
        block = np.ascontiguousarray(whole[:, offset : offset + width])
        selection.select_above(block, offset, floors, values, places, filled)
        assert (filled < 2 * k).all()
    assert (floors >= first_floors).all()
    selection.finish_largest(values, places, filled)
    for i in range(n_rows):
        above = sorted((x for x in whole[i] if x > first_floors[i]), reverse=True)[:k]
        assert filled[i] == len(above)
        assert sorted(values[i, : filled[i]], reverse=True) == above
        found = places[i, : filled[i]].tolist()
        assert len(set(found)) == len(found)
        assert whole[i, found].tolist() == values[i, : filled[i]].tolist()


def test_a_floor_rises_when_the_buffer_is_cut() -> None:
    """To the least of the k best so far: what is not above it cannot be among them."""
    values, places, filled = selection.selection_buffers(1, 4)
    floors = np.array([-np.inf], np.float32)
    block = np.arange(32, dtype=np.float32)[None]
    selection.select_above(block, 0, floors, values, places, filled)
    assert filled.tolist() == [4]
    assert floors.tolist() == [28]
    assert sorted(values[0, :4].tolist()) == [28, 29, 30, 31]


def test_a_couple_counts_in_its_first_shared_cell_only() -> None:
    values, places, filled = selection.selection_buffers(1, 4)
    block = np.array([[0.5, 0.9]], np.float32)
    row_cells = np.array([[1, 4]], np.int32)
    member_cells = np.array([[1, 4], [2, 4]], np.int32)
    floors = np.full(1, -np.inf, np.float32)
    rows, members = np.array([0]), np.array([0, 1])
    selection.select_in_cell(
        block, 4, rows, members, row_cells, member_cells, floors, values, places, filled
    )
    assert (filled[0], places[0, 0]) == (1, 1)  # the other couple was met in cell 1
