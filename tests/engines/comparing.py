"""What the workers or the device hold, in plain memory, and how far two engines may differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from lighttea.assign.decode import PlainBest
from lighttea.bench.task import plain_table
from lighttea.engines.base import Blocks
from lighttea.engines.ops import Ops
from lighttea.engines.tables import Rows
from lighttea.similarity.candidates import (
    Candidates,
    join_candidates,
    join_tables,
    plain_candidates,
)
from lighttea.solve.workspace import Workspace
from lighttea.types import NumpyArray

CLOSE, CLEAR = 1e-4, 1e-3  # scores agree within; best candidates agree where they lead by more
MOST_PLACES = 500  # right entities of a problem, at most


def plain_rows(ops: Ops[Any], rows: Rows[Any]) -> NumpyArray:
    return ops.to_numpy(rows.take(ops.arange(len(rows))))


def fetch_rows(work: Workspace[Any], blocks: Blocks[Rows[Any]]) -> NumpyArray:
    """Return the label rows of one side as a plain matrix."""
    parts = work.engine.map(plain_rows, blocks)
    return np.concatenate([work.engine.fetch(part) for part in parts])


def fetch_candidates(
    work: Workspace[Any], candidates: Blocks[Candidates[Any]]
) -> Candidates[NumpyArray]:
    """Return the candidates of all blocks in plain memory."""
    parts = work.engine.map(plain_candidates, candidates)
    return join_candidates([work.engine.fetch(part) for part in parts])


def fetch_table(work: Workspace[Any], blocks: Blocks[Any], empty: float = 0) -> NumpyArray:
    """Return the table of all blocks in plain memory."""
    parts = work.engine.map(plain_table, blocks)
    return join_tables([work.engine.fetch(part) for part in parts], empty)


def dense(candidates: Candidates[NumpyArray], table: NumpyArray | None) -> NumpyArray:
    """Return (n, m) with NaN where there is no candidate: the order in a row does not matter."""
    assert table is not None
    out = np.full((len(candidates.index), MOST_PLACES), np.nan)
    row, column = np.nonzero(candidates.valid)
    out[row, candidates.index[row, column]] = table[row, column]
    return out


def assert_same(one: Candidates[NumpyArray], other: Candidates[NumpyArray], *tables: str) -> None:
    """Fail unless candidates and figures agree, but for a few at the edge of the search."""
    for name in tables:
        left, right = dense(one, getattr(one, name)), dense(other, getattr(other, name))
        both = ~np.isnan(left) & ~np.isnan(right)
        np.testing.assert_allclose(left[both], right[both], atol=CLOSE)
        assert (np.isnan(left) != np.isnan(right)).mean() < 0.002
    score = dense(one, one.score)
    best = np.sort(np.where(np.isnan(score), -np.inf, score), axis=1)[:, -2:]
    clear = np.isfinite(best[:, -1]) & (best[:, 1] - best[:, 0] > CLEAR)
    theirs = dense(other, other.score)
    assert clear.any()
    np.testing.assert_array_equal(
        np.nanargmax(score[clear], axis=1), np.nanargmax(theirs[clear], axis=1)
    )


def assert_same_places(one: NumpyArray, other: NumpyArray) -> None:
    """Fail unless the rows of two tables hold the same places, but for a few."""
    assert one.shape == other.shape
    assert (np.sort(one) == np.sort(other)).mean() > 0.998


def assert_same_matches(one: PlainBest, other: PlainBest) -> None:
    """Fail unless matches agree that are better than others by more than rounding."""
    clear = one.margin > CLEAR
    assert clear.any()
    pairs = dict(zip(other.row.tolist(), range(len(other.row)), strict=True))
    theirs = other.take(np.array([pairs[row] for row in one.row[clear].tolist()]))
    np.testing.assert_array_equal(one.place[clear], theirs.place)
    for name in ("score", "value", "confidence"):
        mine = getattr(one, name)[clear]
        np.testing.assert_allclose(mine, getattr(theirs, name), atol=10 * CLOSE)
