"""Weights that the data choose: an obvious version, and what they are for."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.similarity.topk import Candidates
from lighttea.similarity.weights import (
    CONSENSUS_WEIGHTS,
    TEMPORAL_WEIGHTS,
    TIME_WEIGHTS,
    chosen_alpha,
    chosen_weights,
    wanted,
    wanted_by_alpha,
)
from lighttea.types import Floats, Ints, LeftIds, RightIds


def random_candidates(n: int, k: int, random_seed: int, *, good: str) -> Candidates:
    """One term puts the counterpart, place i of row i, first; the others are noise."""
    rng = np.random.default_rng(random_seed)
    index = np.stack([rng.permutation(np.setdiff1d(np.arange(n), [i]))[:k] for i in range(n)])
    index[:, 0] = np.arange(n)
    terms: dict[str, Floats] = {
        name: rng.uniform(0, 0.5, (n, k)).astype(np.float32)
        for name in ("label", "time", "consensus")
    }
    terms[good][:, 0] = 0.6
    terms["time"][rng.random((n, k)) < 0.1] = np.nan
    everybody, index = np.arange(n), index.astype(np.int32)
    return Candidates(
        left=LeftIds(everybody),
        right=RightIds(everybody),
        index=index,
        label=terms["label"],
        time=terms["time"],
        score=terms["label"],
        consensus=terms["consensus"],
    )


@pytest.mark.parametrize("time", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("consensus", [0.0, 0.6])
def test_wanted_counts_the_distinct_best(time: float, consensus: float) -> None:
    candidates = random_candidates(40, 8, 1, good="label")
    candidates.index[3, 2:] = -1
    candidates.index[5] = -1
    score = candidates.weighted(time, consensus).score
    score = np.where(candidates.valid, score, -np.inf)
    rows = np.flatnonzero(candidates.valid.any(axis=1))
    best = candidates.index[rows, score[rows].argmax(axis=1)]
    assert wanted(candidates, time, consensus) == len(set(best.tolist()))


def chosen(
    candidates: Candidates, time: float, consensus: float, **which: bool
) -> tuple[float, float]:
    return chosen_weights(
        lambda one, other: wanted(candidates, one, other),
        len(candidates.left),
        time,
        consensus,
        **which,
    )


def test_the_term_that_tells_entities_apart_gets_the_weight() -> None:
    both = {"choose_time": True, "choose_other": True}
    time, _ = chosen(random_candidates(300, 10, 2, good="time"), 0.1, 0.3, **both)
    assert time > 0.45
    time, consensus = chosen(random_candidates(300, 10, 3, good="consensus"), 0.3, 0.3, **both)
    assert consensus > 0.75
    time, consensus = chosen(random_candidates(300, 10, 4, good="label"), 0.5, 0.8, **both)
    assert time < 0.05
    assert consensus < 0.35


def test_weights_are_a_mean_that_moves_little_with_the_counts() -> None:
    """Equal counts: the mean of all. One entity in a thousand more, for a thousand: e times it."""

    def means(**better: int) -> tuple[float, float]:
        return chosen_weights(
            lambda _, consensus: 500 + better.get(f"c{consensus:.1f}", 0),
            1000,
            0.17,
            0.6,
            choose_time=True,
            choose_other=True,
        )

    time, one_more = sum(TIME_WEIGHTS) / 5, (0.3 + 0.6 + np.e * 0.8) / (2 + np.e)
    for found, consensus in (
        (means(), sum(CONSENSUS_WEIGHTS) / 3),
        (means(**{"c0.8": 1}), one_more),
        (means(**{"c0.8": 100}), 0.8),
    ):
        assert found[0] == pytest.approx(time, abs=1e-4)
        assert found[1] == pytest.approx(consensus, abs=1e-4)


def test_of_equal_scores_the_lower_number_is_wanted() -> None:
    """Whatever the order of columns, and whatever rounding did to the scores."""
    candidates = random_candidates(40, 8, 1, good="label")
    candidates.label[:] = 0.5 + 1e-7 * np.random.default_rng(0).random(candidates.label.shape)
    assert wanted(candidates, 0, 0) == len(set(candidates.index.min(axis=1).tolist()))


def test_what_is_given_stays() -> None:
    candidates = random_candidates(300, 10, 2, good="time")
    kept = chosen(candidates, 0.1, 0.4, choose_time=False, choose_other=False)
    assert kept == (0.1, 0.4)
    time, consensus = chosen(candidates, 0.1, 0.4, choose_time=True, choose_other=False)
    assert time > 0.45
    assert consensus == 0.4


@pytest.mark.parametrize(("share", "wanted_alpha"), [(1.0, 0.35), (0.0, 0.65)])
def test_the_better_aspect_gets_the_weight(share: float, wanted_alpha: float) -> None:
    """`share` of what tells entities apart is relational."""
    good = random_candidates(300, 10, 5, good="label")
    noise = random_candidates(300, 10, 5, good="consensus").label * 3
    label = good.label + noise

    def relational(rows: Ints, index: Ints) -> Floats:
        found = np.empty(index.shape, np.float32)
        for row, places in zip(rows, index, strict=True):
            at = {place: c for c, place in enumerate(good.index[row].tolist())}
            columns = [at[place] for place in places.tolist()]
            found[row] = (good.label if share else noise)[row, columns]
        return found

    candidates = Candidates(
        good.left, good.right, good.index, label, np.full_like(label, np.nan), label
    )
    found = wanted_by_alpha(candidates, relational, 0.5, (0.5, *TEMPORAL_WEIGHTS))
    assert chosen_alpha(found, len(candidates.left), 0.5) == wanted_alpha
