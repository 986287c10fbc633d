"""Match probabilities: right on made-up scores whose law is known, and better than a constant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import digamma

from lighttea.assign.probability import (
    BEGIN_SHARE,
    LOOKED_AT,
    SHARES,
    SPREAD,
    STEEPEST,
    SUREST,
    UPDATES,
    lower_contradicted,
    match_probabilities,
    noise_scale,
)
from lighttea.evaluate.calibration import expected_calibration_error
from lighttea.types import Bools, Doubles, Floats
from tests.plain import call, plain_engine
from tests.tables import PlainCandidates, join_blocks, make_candidates, split_candidates

SCALE = 0.03


def made_up(
    n: int, k: int, share: float, random_seed: int, *, spread: float = 0.3
) -> tuple[PlainCandidates, Bools]:
    """Wrong scores fall off exponentially; a share of the rows has its counterpart at place 0."""
    rng = np.random.default_rng(random_seed)
    index = np.stack([rng.permutation(np.setdiff1d(np.arange(n), [i]))[:k] for i in range(n)])
    index[:, 0] = np.arange(n)
    score = (0.1 + SCALE * rng.exponential(size=(n, k))).astype(np.float32)
    has = rng.random(n) < share
    true = 0.1 + SCALE * np.log(k) + rng.uniform(0, 1, n) * spread
    score[:, 0] = np.where(has, true, score[:, 0])
    index[~has, 0] = -1
    return make_candidates(index, score), has


def probabilities(candidates: PlainCandidates, *, n_blocks: int = 1) -> tuple[Floats, float]:
    """Return the probability of each candidate, and the share of left entities with a match."""
    n = len(candidates.index)
    engine = plain_engine(n, n, n_blocks=n_blocks)
    match = match_probabilities(engine, split_candidates(engine, candidates), iterations=15)
    assert match is not None
    return join_blocks(engine, match.value), match.share


def scale_of(candidates: PlainCandidates, *, n_blocks: int = 1) -> float | None:
    n = len(candidates.index)
    engine = plain_engine(n, n, n_blocks=n_blocks)
    return noise_scale(engine, split_candidates(engine, candidates))


def best_of(value: Floats, candidates: PlainCandidates, has: Bools) -> tuple[Floats, Bools]:
    """Return the probability of each row's best candidate, and whether that is the right one."""
    column = np.where(candidates.valid, value, -1).argmax(axis=1)
    rows = np.arange(len(value))
    return value[rows, column], has & (column == 0)


# ------------------------------------------------------------------- the slow, dense reference


def dense_scores(candidates: PlainCandidates) -> Doubles:
    """All couples of a square problem; -inf where they are no candidates."""
    n = len(candidates.index)
    dense = np.full((n, n), -np.inf)
    for (i, c), j in np.ndenumerate(candidates.index):
        if j >= 0:
            dense[i, j] = candidates.score[i, c]
    return dense


def slow_best(dense: Doubles) -> Doubles:
    falling = -np.sort(-dense, axis=1)[:, :LOOKED_AT]
    return np.asarray(np.where(falling > 0, falling, 0))


def slow_scale(best: Doubles, dangling: Doubles) -> float:
    first, second = [], []
    for row, alone in zip(best, dangling, strict=True):
        if row[3] > 0:
            first.append((row[1] - row[2]) * (1 + alone))
            second.append((row[2] - row[3]) * (2 + alone))
    steeper = min(np.mean(first) / np.mean(second), STEEPEST)
    return float(np.median(first) / np.log(2) * steeper**2)


def slow_levels(best: Doubles, scale: float, dangling: Doubles) -> Doubles:
    """Runners-up less what the law expects of them: one place further down where none is right."""
    levels = np.zeros(len(best))
    for i, alone in enumerate(dangling):
        for place in range(1, LOOKED_AT):
            usual, without = digamma(place), digamma(place + 1)
            levels[i] += best[i, place] + scale * ((1 - alone) * usual + alone * without)
    return levels / (LOOKED_AT - 1)


def slow_probabilities(candidates: PlainCandidates, iterations: int) -> tuple[Doubles, float]:
    """The same estimate with a dense matrix, and without scaling rows against overflow."""
    dense = dense_scores(candidates)
    n = len(dense)
    left_best, right_best = slow_best(dense), slow_best(dense.T)
    left_alone, right_alone = np.zeros(n), np.zeros(n)
    has_candidates = np.isfinite(dense).any(axis=1)
    every = -(-iterations // UPDATES)
    for _ in range(2):
        scale = slow_scale(left_best, left_alone)
        level = slow_levels(left_best, scale, left_alone)[:, None]
        level = (level + slow_levels(right_best, scale, right_alone)) / 2
        kernel = np.exp((dense - level) / scale)
        columns, share = np.ones(n), BEGIN_SHARE
        for number in range(every * UPDATES):
            abstention = SPREAD * (1 - share) / share
            rows = 1 / (kernel @ columns + abstention)
            columns = 1 / (rows @ kernel + 1)
            if number % every == every - 1:
                share = np.clip(1 - (abstention * rows)[has_candidates].mean(), *SHARES)
        abstention = SPREAD * (1 - share) / share
        rows = 1 / (kernel @ columns + abstention)
        left_alone, right_alone = abstention * rows, columns
    dense = rows[:, None] * kernel * columns
    value = np.take_along_axis(dense, np.maximum(candidates.index, 0), axis=1)
    return np.where(candidates.valid, value, 0), float(share)


@pytest.mark.parametrize("n_blocks", [1, 3])
@pytest.mark.parametrize(("share", "random_seed"), [(0.9, 6), (0.5, 7)])
def test_it_is_the_dense_estimate_however_rows_are_cut(
    share: float, random_seed: int, n_blocks: int
) -> None:
    candidates, _ = made_up(120, 15, share, random_seed)
    candidates.index[7] = -1  # no candidate at all
    candidates.index[9, 2:] = -1
    value, estimate = probabilities(candidates, n_blocks=n_blocks)
    expected, expected_share = slow_probabilities(candidates, 15)
    assert np.allclose(value, expected, atol=1e-5)
    assert estimate == pytest.approx(expected_share, abs=1e-6)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_the_noise_scale_is_that_of_the_steps_between_runners_up(n_blocks: int) -> None:
    candidates, _ = made_up(120, 15, 0.8, 8)
    best = slow_best(dense_scores(candidates))
    expected = slow_scale(best, np.zeros(len(best)))
    assert scale_of(candidates, n_blocks=n_blocks) == pytest.approx(expected, rel=1e-5)


def test_candidates_that_nothing_tells_apart_do_not_lower_the_noise_scale() -> None:
    """Every other left entity has its runners-up twice, as twins have the same facts."""
    candidates, _ = made_up(400, 15, 0.8, 8)
    expected = scale_of(candidates)
    falling = -np.sort(-candidates.score, axis=1)
    falling[::2, 1:] = np.repeat(falling[::2, 1:8], 2, axis=1)
    with_twins = make_candidates(np.tile(np.arange(15), (400, 1)), falling)
    assert scale_of(with_twins) == pytest.approx(expected, rel=0.3)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # the third step is a tie: the second one alone tells the scale
        ([(50, [0.5, 0.4, 0.3, 0.3, 0.3])], 0.1 / np.log(2)),
        # too few steps are told: all count, and their median is 0, so their mean is the scale
        ([(38, [0.5, 0.4, 0.4, 0.4, 0.4]), (12, [0.5, 0.4, 0.3, 0.3, 0.3])], 0.1 * 12 / 50),
        # nothing is told
        ([(50, [0.5, 0.4, 0.4, 0.4, 0.4])], None),
    ],
)
def test_the_noise_scale_where_runners_up_tie(
    rows: list[tuple[int, list[float]]], expected: float | None
) -> None:
    score = np.array([scores for count, scores in rows for _ in range(count)])
    index = np.tile(np.arange(5), (len(score), 1))
    scale = scale_of(make_candidates(index, score))
    assert scale == (None if expected is None else pytest.approx(expected, rel=1e-5))


# -------------------------------------------------------------------------------- properties


@pytest.mark.parametrize("share", [0.95, 0.75, 0.5])
def test_it_is_calibrated_and_tells_right_from_wrong(share: float) -> None:
    candidates, has = made_up(2000, 40, share, 1)
    scale = scale_of(candidates)
    assert scale is not None
    assert 0.5 * SCALE < scale < 1.2 * SCALE
    chance, right = best_of(probabilities(candidates)[0], candidates, has)
    assert expected_calibration_error(chance, right) < 0.12
    # a constant can be right on the whole; it does not tell right from wrong
    constant = right.mean() * (1 - right.mean())
    assert np.mean((chance - right) ** 2) < 0.9 * constant
    assert chance[right].mean() > chance[~right].mean() + 0.4
    sure = chance > 0.9
    assert sure.mean() > 0.5 * share
    assert right[sure].mean() > 0.95


def test_fewer_counterparts_give_a_smaller_share() -> None:
    shares = [probabilities(made_up(2000, 40, share, 1)[0])[1] for share in (0.95, 0.75, 0.5, 0.25)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] - shares[-1] > 0.15


def test_a_row_and_nothing_add_up_to_one() -> None:
    candidates, _ = made_up(300, 20, 0.7, 2)
    value, _ = probabilities(candidates)
    assert (value >= 0).all()
    assert not value[~candidates.valid].any()
    assert (value.sum(axis=1) <= 1 + 1e-5).all()


def test_an_entity_without_counterpart_gets_none() -> None:
    """Twice the same scores but for the counterpart of one entity."""
    candidates, _ = made_up(400, 30, 1.0, 3, spread=0.3)
    ahead = candidates.score[:, 0] - candidates.score[:, 1:].max(axis=1)
    row = int(np.flatnonzero(ahead > 0.1)[0])
    with_it, _ = probabilities(candidates)
    candidates.index[row, 0] = -1
    without, _ = probabilities(candidates)
    assert with_it[row].max() > 0.9
    assert without[row].max() < 0.5


def test_shifted_and_stretched_scores_say_the_same() -> None:
    candidates, _ = made_up(500, 20, 0.8, 4)
    stretched = make_candidates(candidates.index, 0.5 + 0.4 * candidates.score)
    assert np.allclose(probabilities(candidates)[0], probabilities(stretched)[0], atol=2e-3)
    scale, smaller = scale_of(candidates), scale_of(stretched)
    assert scale is not None
    assert smaller == pytest.approx(0.4 * scale, rel=1e-3)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_too_few_candidates_tell_nothing(n_blocks: int) -> None:
    few, _ = made_up(12, 6, 1.0, 5)
    short, _ = made_up(50, 6, 1.0, 5)
    short.index[:, 2:] = -1
    for candidates in (few, short):
        n = len(candidates.index)
        engine = plain_engine(n, n, n_blocks=n_blocks)
        blocks = split_candidates(engine, candidates)
        assert match_probabilities(engine, blocks, iterations=15) is None
        assert noise_scale(engine, blocks) is None


def test_calibration_error_by_hand() -> None:
    chance = np.array([0.9, 0.9, 0.1, 0.1], np.float32)
    right = np.array([True, True, False, True])
    assert expected_calibration_error(chance, right) == pytest.approx((2 * 0.1 + 2 * 0.4) / 4)
    assert expected_calibration_error(chance[:0], right[:0]) == 0


def test_contradicted_candidates_are_never_as_sure_as_others() -> None:
    candidates = make_candidates([[0, 1, 2, 3]], [[0.5, 0.4, 0.3, 0.2]])
    probability = np.array([[0.9, 0.2, 0.999, 0.1]], np.float32)
    assert call(lower_contradicted, candidates, probability, 0.1) is probability
    terms = np.array([[-0.2, 0.0, -0.8, -0.8]], np.float32)
    lowered = call(lower_contradicted, replace(candidates, contradiction=terms), probability, 0.1)
    most = 1 / (1 + np.exp(8.0 - SUREST))  # what eight scales leave of the surest
    # the first has lost in its score what two scales count, and is not surer than these leave
    np.testing.assert_allclose(lowered[0], [0.9, 0.2, most, 0.1], rtol=1e-5)
