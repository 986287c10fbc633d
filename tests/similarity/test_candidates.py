"""Scores of candidates by formula, and tables of several blocks in one."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.config import make_config
from lighttea.similarity.candidates import (
    TABLE_ROWS,
    add_consensus,
    add_times,
    blend_scores,
    count_with_candidates,
    index_of,
    join_candidates,
    plain_candidates,
    row_blocks,
    score_terms,
)
from lighttea.types import Floats
from tests.plain import call
from tests.tables import PlainCandidates, make_candidates


def random_candidates(n: int, k: int, random_seed: int) -> PlainCandidates:
    rng = np.random.default_rng(random_seed)
    index = np.stack([rng.permutation(20)[:k] for _ in range(n)])
    index[rng.random((n, k)) < 0.2] = -1
    return make_candidates(index, rng.random((n, k)))


def some_times(shape: tuple[int, int]) -> Floats:
    rng = np.random.default_rng(9)
    times = rng.random(shape, dtype=np.float32)
    times[rng.random(shape) < 0.4] = np.nan
    return times


@pytest.mark.parametrize("time_weight", [0.0, 0.4])
@pytest.mark.parametrize("consensus_weight", [None, 0.0, 0.3])
def test_scores_are_blended_as_printed_and_unknown_time_is_neutral(
    time_weight: float, consensus_weight: float | None
) -> None:
    candidates = random_candidates(12, 5, 0)
    times = some_times(candidates.index.shape)
    consensus = np.random.default_rng(1).random(candidates.index.shape, dtype=np.float32)
    candidates = call(add_times, candidates, times)
    if consensus_weight is not None:
        candidates = call(add_consensus, candidates, consensus)
    blended = call(blend_scores, candidates, time_weight, consensus_weight or 0.0)
    for (i, c), label in np.ndenumerate(candidates.label):
        expected = float(label)
        if not np.isnan(times[i, c]):
            expected = (1 - time_weight) * expected + time_weight * float(times[i, c])
        if consensus_weight is not None:
            said = float(consensus[i, c])
            expected = (1 - consensus_weight) * expected + consensus_weight * said
        assert blended.score[i, c] == pytest.approx(expected, abs=1e-6)
    assert blended.score.dtype == np.float32
    assert np.array_equal(blended.label, candidates.label)


def test_terms_of_the_score_by_hand() -> None:
    """A label of .6, of which .2 are of relations; the first pair's time agrees by half."""
    candidates = make_candidates([[0, 1]], [[0.6, 0.6]])
    candidates = call(add_times, candidates, np.array([[0.5, np.nan]], np.float32))
    row, column = np.array([0, 0]), np.array([0, 1])
    relational = np.array([0.2, 0.2], np.float32)
    config = make_config("paper", beta=0.3)
    terms = call(score_terms, candidates, row, column, relational, config)
    assert set(terms) == {"relational", "temporal", "time"}
    np.testing.assert_allclose(terms["relational"], [0.7 * 0.2, 0.2], atol=1e-6)
    np.testing.assert_allclose(terms["temporal"], [0.7 * 0.4, 0.4], atol=1e-6)
    np.testing.assert_allclose(terms["time"], [0.3 * 0.5, 0], atol=1e-6)


def test_without_times_or_consensus_the_label_is_the_score() -> None:
    candidates = random_candidates(6, 4, 2)
    assert np.array_equal(call(blend_scores, candidates, 0.4, 0.6).score, candidates.label)


def test_rows_with_a_candidate_are_counted() -> None:
    candidates = make_candidates([[-1, 3], [-1, -1], [0, 1]], np.zeros((3, 2)))
    assert call(count_with_candidates, candidates) == 2
    assert candidates.valid.tolist() == [[False, True], [False, False], [True, True]]
    assert candidates.width == 2
    assert call(index_of, candidates) is candidates.index


def test_blocks_of_unlike_width_in_one_table() -> None:
    wide, narrow = random_candidates(4, 5, 3), random_candidates(3, 2, 4)
    parts = [
        call(plain_candidates, call(add_times, part, some_times(part.index.shape)))
        for part in (narrow, wide)
    ]
    joined = join_candidates(parts)
    assert joined.consensus is None
    empty = {"index": -1, "label": 0, "score": 0, "source": 0, "time": np.nan}
    for name, value in empty.items():
        table = getattr(joined, name)
        assert table.shape == (7, 5)
        assert np.array_equal(table[:3, :2], getattr(parts[0], name), equal_nan=name == "time")
        assert np.array_equal(table[3:], getattr(parts[1], name), equal_nan=name == "time")
        assert np.array_equal(table[:3, 2:], np.full((3, 3), value), equal_nan=name == "time")
        assert table.dtype == getattr(parts[0], name).dtype
    assert join_candidates(parts[:1]) is parts[0]


@pytest.mark.parametrize("n_rows", [0, 1, TABLE_ROWS, 2 * TABLE_ROWS + 3])
def test_rows_that_are_worked_on_together_cover_the_table(n_rows: int) -> None:
    blocks = list(row_blocks(n_rows))
    assert [row for rows in blocks for row in (rows.start, rows.stop)][::2] == list(
        range(0, n_rows, TABLE_ROWS)
    )
    assert sum(rows.stop - rows.start for rows in blocks) == n_rows
