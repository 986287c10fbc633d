"""What decoys tell of a confidence: regressions against slow ones, and made-up competitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression, minimize

from lighttea.assign.competition import (
    MOST_LOG_ODDS,
    Competition,
    Correction,
    fit_correction,
    fit_falling,
    fit_logistic,
    log_odds,
)
from lighttea.engines.cpu.ops import PLAIN
from lighttea.types import Bools, Doubles
from tests.fuzzing import examples

# ---------------------------------------------------------------------------- the regressions

steps = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.25, 1.0, 3.0]), st.floats(-5, 5)),
    min_size=1,
    max_size=25,
)


@given(steps)
@examples(200)
def test_the_nearest_falling_steps_are_those_of_scipy(
    rows: list[tuple[float, float, float]],
) -> None:
    values, weights, places = np.array(rows).T
    places = np.sort(places) + np.arange(len(rows))  # no two the same
    counts = weights > 0
    steps, ends = fit_falling(PLAIN, values, weights, places)
    if not counts.any():
        assert len(steps) == len(ends) == 0
        return
    slow = isotonic_regression(values[counts], weights=weights[counts], increasing=False)
    # blocks that are equal but for rounding may be one here and two there
    np.testing.assert_allclose(np.interp(places[counts], ends, steps), slow.x, atol=1e-6)
    assert len(steps) <= 2 * (len(slow.blocks) - 1)
    np.testing.assert_array_equal(steps[::2], steps[1::2])
    assert (np.diff(steps[::2]) < 0).all()
    assert (np.diff(ends) >= 0).all()


def test_steps_of_a_known_answer() -> None:
    values, weights = np.array([1.0, 0.0, 1.0, 0.0, 0.0]), np.array([1.0, 1.0, 3.0, 1.0, 0.0])
    steps, ends = fit_falling(PLAIN, values, weights, np.array([0.0, 1.0, 2.0, 3.0, 9.0]))
    np.testing.assert_allclose(steps, [1.0, 1.0, 0.75, 0.75, 0.0, 0.0])
    np.testing.assert_allclose(ends, [0.0, 0.0, 1.0, 2.0, 3.0, 3.0])


def slow_logistic(features: Doubles, outcome: Bools) -> Doubles:
    """The same ridge regression by a general minimiser; the intercept goes free."""

    def loss(weights: Doubles) -> float:
        line = weights[0] + weights[1:] @ features
        of_data = np.logaddexp(0, line).sum() - line[outcome].sum()
        return float(of_data + 0.5 * (weights[1:] ** 2).sum() + 0.5e-6 * weights[0] ** 2)

    return np.asarray(minimize(loss, np.zeros(3), method="BFGS", tol=1e-10).x[1:])


@pytest.mark.parametrize(("n", "slope"), [(400, 1.0), (400, 0.0), (30, 3.0), (12, 50.0)])
def test_logistic_weights_are_those_of_a_general_minimiser(n: int, slope: float) -> None:
    """With a slope of 50 a line separates the outcomes: the ridge keeps the weights finite."""
    rng = np.random.default_rng(n)
    features = rng.normal(size=(2, n))
    outcome = rng.random(n) < 1 / (1 + np.exp(-slope * (features[0] - features[1] / 2)))
    np.testing.assert_allclose(
        fit_logistic(PLAIN, features, outcome), slow_logistic(features, outcome), atol=1e-3
    )


def test_log_odds_have_bounds() -> None:
    p = np.array([0.0, 0.1, 0.5, 0.9, 1.0])
    expected = [-MOST_LOG_ODDS, -np.log(9), 0, np.log(9), MOST_LOG_ODDS]
    np.testing.assert_allclose(log_odds(p), expected, atol=1e-6)


# ------------------------------------------------------------------------ made-up competitions


def simulate(
    *, n: int = 4000, wrong: float, per_target: float = 1.0, held: float = 0.0, random_seed: int = 0
) -> tuple[Competition, Bools]:
    """Return a competition, and which winners are right.

    Right entities win `n` left ones, a share of them by chance; by chance a decoy wins as easily.
    The confidence is far too high for those. Of a share `held` of the decoys the source has won
    its own left entity and was not free.
    """
    rng = np.random.default_rng(random_seed)
    is_right = np.repeat([True, False], [round(n * (1 - wrong)), n - round(n * (1 - wrong))])
    n_decoys = round((~is_right).sum() * per_target / (1 - held))
    is_right = np.append(is_right, np.zeros(n_decoys, bool))
    is_decoy = np.arange(len(is_right)) >= n
    odds = rng.normal(np.where(is_right, 8, 4.5), np.where(is_right, 2, 1.5))
    score = odds / 20 + rng.normal(0, 0.05, len(is_right))
    rival = np.full(len(is_right), -1)
    sure = np.flatnonzero(is_right & (odds > 9))
    has_rival = is_decoy & (rng.random(len(is_right)) < held)
    rival[has_rival] = rng.choice(sure, has_rival.sum()) if len(sure) else -1
    order = rng.permutation(len(is_right))
    place = np.argsort(order)
    moved = np.where(rival[order] >= 0, place[rival[order]], -1)
    confidence = (1 / (1 + np.exp(-odds)))[order]
    competition = Competition(confidence, score[order], is_decoy[order], moved, per_target)
    return competition, is_right[order]


def estimated_wrong(competition: Competition, level: float = 0.0) -> float:
    """Return the share of wrong ones among right entities that win with such a confidence."""
    above = ~competition.is_decoy & (competition.confidence >= level)
    correction = fit_correction(PLAIN, competition)
    return float(1 - correction.chances(competition.confidence, competition.score)[above].mean())


@pytest.mark.parametrize("random_seed", [1, 2])
@pytest.mark.parametrize("per_target", [1.0, 0.3])
@pytest.mark.parametrize("wrong", [0.02, 0.2, 0.8])
def test_the_share_of_wrong_ones_is_told(wrong: float, per_target: float, random_seed: int) -> None:
    """Within four standard errors of the number of decoys, at any confidence."""
    competition, is_right = simulate(wrong=wrong, per_target=per_target, random_seed=random_seed)
    for level in (0.0, 0.95, 0.985, 0.995):
        above = ~competition.is_decoy & (competition.confidence >= level)
        n_wrong = (~is_right[above]).sum()
        error = 4 * np.sqrt((n_wrong + 1) * (1 + 1 / per_target)) / above.sum()
        share = n_wrong / above.sum()
        assert estimated_wrong(competition, level) == pytest.approx(share, abs=error)
        assert error < 0.2


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_a_chance_is_what_it_says(level: float) -> None:
    competition, is_right = simulate(n=8000, wrong=0.4, random_seed=3)
    correction = fit_correction(PLAIN, competition)
    chance = correction.chances(competition.confidence, competition.score)
    assert (chance <= competition.confidence).all()
    above = ~competition.is_decoy & (chance >= level)
    assert above.sum() > 1000
    assert is_right[above].mean() == pytest.approx(chance[above].mean(), abs=0.02)
    said = competition.confidence[~competition.is_decoy & ~is_right]
    assert said.mean() > 0.95  # before


def test_nothing_is_right_where_decoys_win_as_often() -> None:
    competition, _ = simulate(wrong=1.0, n=1000)
    correction = fit_correction(PLAIN, competition)
    chance = correction.chances(competition.confidence, competition.score)
    assert competition.confidence.mean() > 0.9
    assert chance.mean() < 0.1
    assert (chance > 0.9).mean() < 0.005


@pytest.mark.parametrize("wrong", [0.03, 0.1])
def test_decoys_whose_sources_are_taken_count_less(wrong: float) -> None:
    """Twice as many decoys win, half of them only because their source was not free.

    The estimate errs on the safe side: it lies between the truth and that without rivals.
    """
    competition, is_right = simulate(wrong=wrong, held=0.5)
    assert (~is_right[~competition.is_decoy]).mean() == pytest.approx(wrong)
    free = replace(competition, rival=np.full_like(competition.rival, -1))
    assert estimated_wrong(free) == pytest.approx(2 * wrong, abs=0.06)
    assert wrong - 0.02 < estimated_wrong(competition) < estimated_wrong(free) - 0.3 * wrong


def test_neither_the_order_of_winners_nor_a_constant_in_the_scores_counts() -> None:
    """A rival may be the first of all winners; scores say something by their differences alone."""
    competition, _ = simulate(n=400, wrong=0.3, held=0.5)
    first = int(competition.rival.max())
    order = np.roll(np.arange(len(competition.rival)), -first)  # a rival comes first
    place = np.argsort(order)
    rival = competition.rival[order]
    moved = replace(
        competition,
        confidence=competition.confidence[order],
        score=competition.score[order],
        is_decoy=competition.is_decoy[order],
        rival=np.where(rival >= 0, place[rival], -1),
    )
    assert 0 in moved.rival
    raised = replace(competition, score=competition.score + 3)
    plain, other, third = (fit_correction(PLAIN, one) for one in (competition, moved, raised))
    for fit in (other, third):
        assert fit.by_log_odds == pytest.approx(plain.by_log_odds, rel=1e-6)
        assert fit.by_score == pytest.approx(plain.by_score, rel=1e-6)
    chance = plain.chances(competition.confidence, competition.score)
    again = other.chances(moved.confidence, moved.score)
    np.testing.assert_allclose(again, chance[order], atol=1e-9)


def of_winners(confidence: list[float], is_decoy: list[bool]) -> Competition:
    n = len(confidence)
    return Competition(
        np.array(confidence), np.array(confidence), np.array(is_decoy, bool), np.full(n, -1), 1.0
    )


def test_without_a_decoy_among_the_winners_little_changes() -> None:
    """That none won does not mean that none could have: the best say a little less than before."""
    confidence = np.linspace(0.5, 0.9, 300).tolist()
    competition = of_winners(confidence, [False] * 300)
    chance = fit_correction(PLAIN, competition).chances(competition.confidence, competition.score)
    np.testing.assert_allclose(chance, confidence, atol=1e-9)
    certain = of_winners([1.0] * 300, [False] * 300)
    chance = fit_correction(PLAIN, certain).chances(certain.confidence, certain.score)
    assert (chance < 1).all()
    assert (chance > 0.99).all()


def test_where_decoys_alone_win_no_chance_is_left() -> None:
    competition = of_winners(np.linspace(0.5, 1, 40).tolist(), [True] * 40)
    chance = fit_correction(PLAIN, competition).chances(competition.confidence, competition.score)
    assert not chance.any()


@pytest.mark.parametrize(("n_winners", "expected"), [(1, 0.0), (2, 0.5), (10, 0.9), (50, 0.98)])
def test_few_winners_prove_little(n_winners: int, expected: float) -> None:
    """No decoy won, and one is always counted in above all others."""
    competition = of_winners([0.99] * n_winners, [False] * n_winners)
    chance = fit_correction(PLAIN, competition).chances(competition.confidence, competition.score)
    assert chance.tolist() == pytest.approx([expected] * n_winners)


def test_a_decoy_that_wins_alone() -> None:
    competition = of_winners([0.99], [True])
    chance = fit_correction(PLAIN, competition).chances(competition.confidence, competition.score)
    assert chance.tolist() == [0.0]


def test_no_winner() -> None:
    correction = fit_correction(PLAIN, of_winners([], []))
    assert len(correction.chances(np.empty(0), np.empty(0))) == 0
    assert correction.chances(np.array([0.9]), np.array([0.3])) <= 0.9


winners = st.lists(
    st.tuples(st.floats(0, 1), st.floats(-1, 1), st.booleans()), min_size=1, max_size=30
)


@given(winners, st.floats(0.05, 1))
@examples(150)
def test_chances_are_bounded_and_rise(
    rows: list[tuple[float, float, bool]], per_target: float
) -> None:
    confidence, score, is_decoy = (np.array(column) for column in zip(*rows, strict=True))
    rival = np.full(len(rows), -1)
    competition = Competition(confidence, score, is_decoy, rival, per_target)
    correction = fit_correction(PLAIN, competition)
    chance = correction.chances(confidence, score)
    assert np.isfinite(chance).all()
    assert ((chance >= 0) & (chance <= confidence)).all()
    assert min(correction.by_log_odds, correction.by_score) >= 0
    more = correction.chances(np.minimum(confidence + 0.1, 1), score + 0.1)
    assert (more >= chance - 1e-12).all()


def test_winners_are_counted_by_what_they_look_like_and_by_what_they_are_worth() -> None:
    competition = of_winners([0.2, 0.5, 0.9, 0.95], [True, False, True, False])
    assert competition.sure_counts() == (2, 1)
    by_score = Correction(0.0, 1.0, competition.score, np.array([0.1, 0.3, 0.5, 0.8]))
    judged = replace(competition, correction=by_score)
    assert judged.counts_from(0.0) == (2, 2)
    assert judged.counts_from(0.5) == (1, 1)
    assert judged.counts_from(0.81) == (0, 0)
    assert judged.share_right == pytest.approx((0.3 + 0.8) / 2)
