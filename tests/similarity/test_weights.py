"""Weights that the data choose: an obvious version, and what they are for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lighttea.similarity import weights as weights_module
from lighttea.similarity.candidates import blend_scores
from lighttea.similarity.weights import (
    CONSENSUS_WEIGHTS,
    LEADERS,
    TEMPORAL_WEIGHTS,
    TIME_WEIGHTS,
    TermWeights,
    choose_alpha,
    choose_weights,
    count_distinct_best,
    count_distinct_best_by_alpha,
)
from lighttea.types import Floats, Ints
from tests.plain import call, plain_engine
from tests.tables import PlainCandidates, make_candidates, make_labels, split_candidates

N_BLOCKS = [1, 3]


def random_candidates(n: int, k: int, random_seed: int, *, good: str) -> PlainCandidates:
    """One term puts the counterpart, place i of row i, first; the others are noise."""
    rng = np.random.default_rng(random_seed)
    index = np.stack([rng.permutation(np.setdiff1d(np.arange(n), [i]))[:k] for i in range(n)])
    index[:, 0] = np.arange(n)
    terms: dict[str, Floats] = {
        name: rng.uniform(0, 0.5, (n, k)).astype(np.float32)
        for name in ("label", "time", "consensus", "likelihood")
    }
    terms[good][:, 0] = 0.6
    terms["time"][rng.random((n, k)) < 0.1] = np.nan
    return make_candidates(index, terms.pop("label"), **terms)


def distinct_best(candidates: PlainCandidates, *weights: float, n_blocks: int = 1) -> int:
    n = len(candidates.index)
    engine = plain_engine(n, n, n_blocks=n_blocks)
    blocks = split_candidates(engine, candidates)
    count, again = count_distinct_best(engine, blocks, [TermWeights(*weights)] * 2)
    assert count == again
    return count


def slow_distinct_best(candidates: PlainCandidates, *weights: float) -> int:
    """The distinct places of the largest blended scores."""
    score = np.asarray(call(blend_scores, candidates, *weights).score)
    best = {
        int(places[np.where(places >= 0, scores, -np.inf).argmax()])
        for places, scores in zip(candidates.index, score, strict=True)
        if (places >= 0).any()
    }
    return len(best)


def test_decoys_are_not_counted() -> None:
    """Places 3 and 4 are decoys of three right entities; the first of all counts like others."""
    candidates = make_candidates([[3], [2], [0], [4], [-1]], [[0.5]] * 5)
    weights = [TermWeights(0.0, 0.0)] * 2
    assert call(weights_module.distinct_best, candidates, weights, 3).tolist() == [0, 2, 3, 5]


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
@pytest.mark.parametrize("time", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("consensus", [0.0, 0.6])
@pytest.mark.parametrize("likelihood", [0.0, 0.5])
def test_the_distinct_best_candidates_are_counted(
    time: float, consensus: float, likelihood: float, n_blocks: int
) -> None:
    candidates = random_candidates(40, 8, 1, good="label")
    candidates.index[3, 2:] = -1
    candidates.index[5] = -1
    count = distinct_best(candidates, time, consensus, likelihood, n_blocks=n_blocks)
    assert count == slow_distinct_best(candidates, time, consensus, likelihood)
    bare = make_candidates(candidates.index, candidates.label)  # nothing beside the label
    count = distinct_best(bare, time, consensus, likelihood, n_blocks=n_blocks)
    assert count == slow_distinct_best(bare, 0.0, 0.0)


def chosen(candidates: PlainCandidates, weights: TermWeights, *names: str) -> TermWeights:
    def count(tried: Sequence[TermWeights]) -> list[int]:
        return [distinct_best(candidates, own.time, own.consensus, own.likelihood) for own in tried]

    return choose_weights(count, len(candidates.index), weights, names)


def test_the_term_that_tells_entities_apart_gets_the_weight() -> None:
    both = "time", "consensus"
    by_time = chosen(random_candidates(300, 10, 2, good="time"), TermWeights(0.1, 0.3), *both)
    assert by_time.time > 0.45
    by_links = random_candidates(300, 10, 3, good="consensus")
    assert chosen(by_links, TermWeights(0.3, 0.3), *both).consensus > 0.75
    by_label = chosen(random_candidates(300, 10, 4, good="label"), TermWeights(0.5, 0.8), *both)
    assert by_label.time < 0.05
    assert by_label.consensus < 0.35
    by_facts = random_candidates(300, 10, 5, good="likelihood")
    assert chosen(by_facts, TermWeights(0.1, 0.3, 0.1), *both, "likelihood").likelihood > 0.9
    by_label = chosen(
        random_candidates(300, 10, 6, good="label"), TermWeights(0.1, 0.3, 1.0), "likelihood"
    )
    assert by_label.likelihood < 0.15


def test_weights_are_a_mean_that_moves_little_with_the_counts() -> None:
    """Equal counts: the mean of all. One entity in a thousand more, for a thousand: e times it."""

    def means(**better: int) -> TermWeights:
        return choose_weights(
            lambda tried: [500 + better.get(f"c{own.consensus:.1f}", 0) for own in tried],
            1000,
            TermWeights(0.17, 0.6),
            ("time", "consensus"),
        )

    time = sum(TIME_WEIGHTS) / 5
    one_more = (0.1 + 0.3 + 0.6 + np.e * 0.8) / (3 + np.e)
    for found, consensus in (
        (means(), sum(CONSENSUS_WEIGHTS) / 4),
        (means(**{"c0.8": 1}), one_more),
        (means(**{"c0.8": 100}), 0.8),
    ):
        assert found.time == pytest.approx(time, abs=1e-4)
        assert found.consensus == pytest.approx(consensus, abs=1e-4)


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_of_equal_scores_the_lower_place_is_best(n_blocks: int) -> None:
    """Whatever the order of columns, and whatever rounding did to the scores."""
    candidates = random_candidates(40, 8, 1, good="label")
    candidates.label[:] = 0.5 + 1e-7 * np.random.default_rng(0).random(candidates.label.shape)
    count = distinct_best(candidates, 0, 0, n_blocks=n_blocks)
    assert count == len(set(candidates.index.min(axis=1).tolist()))


def test_given_weights_stay() -> None:
    candidates = random_candidates(300, 10, 2, good="time")
    given = TermWeights(0.1, 0.4, 0.2)
    assert chosen(candidates, given) == given
    time_alone = chosen(candidates, given, "time")
    assert time_alone.time > 0.45
    assert (time_alone.consensus, time_alone.likelihood) == (0.4, 0.2)


# ------------------------------------------------------------------------------------- alpha


def shares_of_label(n: int, random_seed: int) -> tuple[Floats, Floats]:
    """(n, n) inner products of one aspect that tells entities apart, and of one that does not."""
    rng = np.random.default_rng(random_seed)
    good = rng.uniform(0, 0.5, (n, n)).astype(np.float32)
    np.fill_diagonal(good, 0.6)
    return good, 3 * rng.uniform(0, 0.5, (n, n)).astype(np.float32)


def counts_by_alpha(
    relational: Floats, temporal: Floats, index: Ints, alpha: float, *, n_blocks: int
) -> dict[float, int]:
    """Counts for labels whose inner products are those two tables, added up."""
    n = len(index)
    label = np.take_along_axis(relational + temporal, index, axis=1)
    engine = plain_engine(n, n, n_blocks=n_blocks)
    unit = np.eye(n, dtype=np.float32)  # row i times row j of a transposed table is table[i, j]
    labels = make_labels(engine, [unit, unit], [relational.T, temporal.T])
    blocks = split_candidates(engine, make_candidates(index, label))
    return count_distinct_best_by_alpha(engine, blocks, labels, alpha, (alpha, *TEMPORAL_WEIGHTS))


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
@pytest.mark.parametrize("alpha", [0.5, 0.4])
def test_another_alpha_is_tried_on_the_leading_candidates(alpha: float, n_blocks: int) -> None:
    """A label has the factor (1 - alpha)^2 in its relational and alpha^2 in its temporal share."""
    n, k = 60, LEADERS + 5
    relational, temporal = shares_of_label(n, 7)
    rng = np.random.default_rng(8)
    index = np.stack([rng.permutation(n)[:k] for _ in range(n)])
    counts = counts_by_alpha(relational, temporal, index, alpha, n_blocks=n_blocks)
    assert list(counts) == list(dict.fromkeys((alpha, *TEMPORAL_WEIGHTS)))
    for other, count in counts.items():
        label = relational * ((1 - other) / (1 - alpha)) ** 2 + temporal * (other / alpha) ** 2
        best = set()
        for row, places in enumerate(index.tolist()):
            leaders = sorted(places, key=lambda j: -(relational + temporal)[row, j])[:LEADERS]
            best.add(max(leaders, key=lambda j: label[row, j]))
        assert count == len(best)


@pytest.mark.parametrize(("is_relational", "expected"), [(True, 0.35), (False, 0.65)])
def test_the_better_aspect_gets_the_weight(is_relational: bool, expected: float) -> None:
    n, k = 300, LEADERS
    good, noise = shares_of_label(n, 5)
    rng = np.random.default_rng(6)
    index = np.stack([rng.permutation(np.setdiff1d(np.arange(n), [i]))[:k] for i in range(n)])
    index[:, 0] = np.arange(n)
    shares = (good, noise) if is_relational else (noise, good)
    counts = counts_by_alpha(*shares, index, 0.5, n_blocks=1)
    assert choose_alpha(counts, n, 0.5) == expected


def test_another_alpha_has_to_be_much_better() -> None:
    counts = {0.5: 900, 0.35: 905, 0.65: 904}
    assert choose_alpha(counts, 1000, 0.5) == 0.5
    assert choose_alpha({**counts, 0.35: 906}, 1000, 0.5) == 0.35
