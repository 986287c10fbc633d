"""Decoys among the candidates: who wins whom, and the correction of a table of probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.assign.competition import Competition, Correction
from lighttea.assign.decode import BestCandidates, PlainBest
from lighttea.assign.decoys import (
    DecoyPlaces,
    check_by_decoys,
    compete,
    correct_table,
    interpolate,
    probabilities_by_decoys,
    strike_decoys,
    to_plain_competition,
)
from lighttea.assign.probability import match_probabilities
from lighttea.engines.cpu.ops import PLAIN
from lighttea.types import Doubles, Floats
from tests.assign.test_probability import made_up
from tests.plain import call, one_block, plain_engine, value_of
from tests.tables import (
    PlainCandidates,
    join_blocks,
    make_candidates,
    split_candidates,
    split_table,
)


def winners(place: list[int], confidence: list[float] | None = None) -> PlainBest:
    """Return the winners of successive left entities, by place."""
    chances = np.array(confidence or np.linspace(0.5, 0.9, len(place)), np.float32)
    rows = np.arange(len(place))
    return BestCandidates(rows, np.array(place, int), chances / 2, chances, chances, chances)


def compete_plain(best: PlainBest, decoys: DecoyPlaces) -> Competition:
    return to_plain_competition(PLAIN, compete(PLAIN, best, decoys))


# -------------------------------------------------------------------------------- who won


def test_the_rival_of_a_decoy_is_the_winner_that_its_source_is() -> None:
    """Places 0 to 4 are right entities; 5, 6 and 7 are decoys of 3, 1 and 0."""
    decoys = DecoyPlaces(5, np.array([3, 1, 0]), 0.6)
    competition = compete_plain(winners([1, 5, 4, 6, 3]), decoys)
    assert competition.is_decoy.tolist() == [False, True, False, True, False]
    assert competition.rival.tolist() == [-1, 4, -1, 0, -1]
    assert competition.sure_counts() == (3, 2)
    assert competition.per_target == 0.6
    np.testing.assert_allclose(competition.confidence, 2 * competition.score)
    alone = compete_plain(winners([7]), decoys)
    assert (alone.is_decoy.tolist(), alone.rival.tolist()) == ([True], [-1])


def test_a_candidate_that_is_certain_can_be_corrected() -> None:
    """The log-odds of one are bounded, also where they count nothing."""
    candidates = make_candidates([[0], [1]], [[0.5], [0.25]])
    certain = np.ones((2, 1), np.float32)
    correction = Correction(0.0, 1.0, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    found = call(correct_table, candidates, certain, certain, correction)
    np.testing.assert_allclose(found, [[0.5], [0.25]], atol=1e-6)


def test_nobody_wins_where_there_are_no_candidates() -> None:
    engine = plain_engine(2, 3)
    nothing = one_block(make_candidates([[-1], [-1]], [[0.0], [0.0]]))
    before = one_block(np.zeros((2, 1), np.float32))
    decoys = DecoyPlaces(2, np.array([0]), 0.5)
    after, competition = check_by_decoys(engine, nothing, before, before, decoys)
    assert after is before
    assert competition.sure_counts() == (0, 0)


def test_without_decoys_probabilities_are_those_of_the_noise_model() -> None:
    candidates, _ = made_up(60, 6, 0.7, 5)
    engine = plain_engine(60, 60)
    blocks = one_block(candidates)
    found = probabilities_by_decoys(engine, blocks, None, iterations=15)
    expected = match_probabilities(engine, blocks, iterations=15)
    assert found is not None
    assert expected is not None
    assert found[1] is None
    np.testing.assert_array_equal(value_of(found[0].value), value_of(expected.value))
    few = one_block(made_up(12, 6, 1.0, 5)[0])
    assert probabilities_by_decoys(plain_engine(12, 12), few, None, iterations=15) is None


# ------------------------------------------------------------------------- what that is worth


def table_of(n: int, n_misled: int) -> tuple[PlainCandidates, Floats]:
    """Return a right entity and a decoy for each left entity; with each the chance that it has.

    The right entity wins but for some left entities, which the decoy of another wins.
    """
    rng = np.random.default_rng(5)
    index = np.stack([np.arange(n), n + np.roll(np.arange(n), 1)], axis=1)
    high, low = rng.uniform(0.7, 0.99, n), rng.uniform(0.0, 0.3, n)
    is_misled = np.arange(n) < n_misled
    first, second = np.where(is_misled, low, high), np.where(is_misled, high, low)
    probability = np.stack([first, second], axis=1).astype(np.float32)
    return make_candidates(index, probability / 2), probability


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_every_candidate_is_corrected_however_rows_are_cut(n_blocks: int) -> None:
    n = 60
    candidates, probability = table_of(n, 10)
    engine = plain_engine(n, 2 * n, n_blocks=n_blocks)
    blocks = split_candidates(engine, candidates)
    decoys = DecoyPlaces(n, np.arange(n), 1.0)
    table = split_table(engine, probability)
    after, competition = check_by_decoys(engine, blocks, table, table, decoys)
    assert competition.sure_counts() == (50, 10)
    assert competition.share_right == pytest.approx(0.8, abs=0.12)
    corrected = join_blocks(engine, after)
    assert corrected.dtype == np.float32
    assert (corrected <= probability).all()
    winning = corrected[10:, 0]
    assert winning.mean() < probability[10:, 0].mean() - 0.05
    assert 1 - winning.mean() == pytest.approx(10 / 50, abs=0.12)
    whole = plain_engine(n, 2 * n)
    one = one_block(probability)
    again, _ = check_by_decoys(whole, one_block(candidates), one, one, decoys)
    np.testing.assert_allclose(value_of(again), corrected, atol=1e-6)


def test_a_table_is_corrected_as_winners_are() -> None:
    rng = np.random.default_rng(0)
    correction = Correction(
        0.7, 2.0, np.array([-3.0, 0.0, 1.5, 4.0]), np.array([0, 0.2, 0.7, 0.99])
    )
    probability = np.round(rng.random((70, 6)), 3).astype(np.float32)
    probability[0] = [0, 1, 0.5, 1e-9, 1 - 1e-7, 0.99]
    score = rng.normal(size=(70, 6)).astype(np.float32)
    candidates = make_candidates(np.tile(np.arange(6), (70, 1)), score)
    made = call(correct_table, candidates, probability, probability, correction)
    expected = correction.chances(probability.astype(np.float64), score.astype(np.float64))
    np.testing.assert_allclose(made, expected, atol=1e-6)


SHAPES: dict[str, tuple[list[float], list[float]]] = {
    "one knot": ([0.3], [0.6]),
    "two": ([-1.0, 1.0], [0.2, 0.9]),
    "several": ([-2.0, -1.5, 0.0, 3.0], [0.0, 0.5, 0.6, 1.0]),
    "flat": ([0.0, 1.0, 2.0], [0.4, 0.4, 0.4]),
    "falling": ([0.0, 1.0, 2.0], [1.0, 0.5, 0.1]),
}


@pytest.mark.parametrize(("knots", "heights"), SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("shape", [(0,), (50,), (7, 9)])
def test_interpolation_is_that_of_numpy(
    knots: list[float], heights: list[float], shape: tuple[int, ...]
) -> None:
    values = np.random.default_rng(1).normal(0, 2, shape)
    values.reshape(-1)[: len(knots)] = knots[: values.size]
    at, of = np.array(knots), np.array(heights)
    made: Doubles = call(interpolate, values, at, of)
    assert made.shape == shape
    np.testing.assert_allclose(made, np.interp(values, at, of), atol=1e-12)


def test_a_jump_between_equal_knots_stays_between_its_ends() -> None:
    """Winners of one rank may be pooled into two steps."""
    knots, heights = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.1, 0.2, 0.8, 0.9])
    values = np.array([0.5, 1.0, 1.5, 2.5])
    made = call(interpolate, values, knots, heights)
    assert 0.2 <= made[1] <= 0.8
    np.testing.assert_allclose(made[[0, 2, 3]], [0.15, 0.85, 0.9])


def test_decoys_are_struck() -> None:
    candidates = make_candidates([[4, 0, 5], [3, -1, 2]], np.ones((2, 3)))
    struck = value_of(strike_decoys(plain_engine(2, 6), one_block(candidates), 4))
    assert struck.index.tolist() == [[-1, 0, -1], [3, -1, 2]]
    np.testing.assert_array_equal(struck.score, candidates.score)
