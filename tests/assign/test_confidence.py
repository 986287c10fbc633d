"""Confidence: right on made-up scores whose law is known, and better than a constant."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.assign.confidence import confidence, noise_scale
from lighttea.evaluate.calibration import expected_calibration_error
from lighttea.similarity.topk import Candidates
from lighttea.types import Bools, Floats, LeftIds, RightIds

SCALE = 0.03


def made_up(
    n: int, k: int, share: float, random_seed: int, *, spread: float = 0.3
) -> tuple[Candidates, Bools]:
    """Wrong scores fall off exponentially; a share of the rows has its counterpart at place 0."""
    rng = np.random.default_rng(random_seed)
    index = np.stack([rng.permutation(np.setdiff1d(np.arange(n), [i]))[:k] for i in range(n)])
    index[:, 0] = np.arange(n)
    score = (0.1 + SCALE * rng.exponential(size=(n, k))).astype(np.float32)
    has = rng.random(n) < share
    true = 0.1 + SCALE * np.log(k) + rng.uniform(0, 1, n) * spread
    score[:, 0] = np.where(has, true, score[:, 0])
    index[~has, 0] = -1
    left, right = LeftIds(np.arange(n)), RightIds(np.arange(n))
    unknown = np.full_like(score, np.nan)
    return Candidates(left, right, index.astype(np.int32), score, unknown, score), has


def best_of(value: Floats, candidates: Candidates, has: Bools) -> tuple[Floats, Bools]:
    column = np.where(candidates.valid, value, -1).argmax(axis=1)
    rows = np.arange(len(value))
    return value[rows, column], has & (column == 0)


@pytest.mark.parametrize("share", [0.95, 0.75, 0.5])
def test_it_is_calibrated_and_tells_right_from_wrong(share: float) -> None:
    candidates, has = made_up(2000, 40, share, 1)
    found = confidence(candidates, iterations=15)
    assert found is not None
    assert 0.5 * SCALE < found.scale < 1.2 * SCALE
    chance, right = best_of(found.value, candidates, has)
    assert expected_calibration_error(chance, right) < 0.12
    # a constant can be right on the whole; it does not tell right from wrong
    constant = right.mean() * (1 - right.mean())
    assert np.mean((chance - right) ** 2) < 0.9 * constant
    assert chance[right].mean() > chance[~right].mean() + 0.4
    sure = chance > 0.9
    assert sure.mean() > 0.5 * share
    assert right[sure].mean() > 0.95


def test_fewer_counterparts_give_a_smaller_share() -> None:
    shares = []
    for share in (0.95, 0.75, 0.5, 0.25):
        found = confidence(made_up(2000, 40, share, 1)[0], iterations=15)
        assert found is not None
        shares.append(found.share)
    assert shares == sorted(shares, reverse=True)
    assert shares[0] - shares[-1] > 0.15


def test_a_row_and_nothing_add_up_to_one() -> None:
    candidates, _ = made_up(300, 20, 0.7, 2)
    found = confidence(candidates, iterations=15)
    assert found is not None
    assert (found.value >= 0).all()
    assert not found.value[~candidates.valid].any()
    assert (found.value.sum(axis=1) <= 1 + 1e-5).all()


def test_a_dangling_entity_is_left_alone() -> None:
    """Twice the same graph but for the counterpart of one entity."""
    candidates, _ = made_up(400, 30, 1.0, 3, spread=0.3)
    ahead = candidates.score[:, 0] - candidates.score[:, 1:].max(axis=1)
    row = int(np.flatnonzero(ahead > 0.1)[0])
    with_it = confidence(candidates, iterations=15)
    candidates.index[row, 0] = -1
    without = confidence(candidates, iterations=15)
    assert with_it is not None
    assert without is not None
    assert with_it.value[row].max() > 0.9
    assert without.value[row].max() < 0.5


def test_shifted_and_stretched_scores_say_the_same() -> None:
    candidates, _ = made_up(500, 20, 0.8, 4)
    one = confidence(candidates, iterations=15)
    stretched = 0.5 + 0.4 * candidates.score
    other = confidence(
        Candidates(
            candidates.left,
            candidates.right,
            candidates.index,
            stretched,
            candidates.time,
            stretched,
        ),
        iterations=15,
    )
    assert one is not None
    assert other is not None
    assert np.allclose(one.value, other.value, atol=2e-3)
    assert other.scale == pytest.approx(0.4 * one.scale, rel=1e-3)


def test_too_few_candidates_tell_nothing() -> None:
    candidates, _ = made_up(12, 6, 1.0, 5)
    assert confidence(candidates, iterations=15) is None
    assert noise_scale(candidates) is None
    candidates, _ = made_up(50, 6, 1.0, 5)
    candidates.index[:, 2:] = -1
    assert confidence(candidates, iterations=15) is None


def test_calibration_error_by_hand() -> None:
    chance = np.array([0.9, 0.9, 0.1, 0.1], np.float32)
    right = np.array([True, True, False, True])
    assert expected_calibration_error(chance, right) == pytest.approx((2 * 0.1 + 2 * 0.4) / 4)
    assert expected_calibration_error(chance[:0], right[:0]) == 0
