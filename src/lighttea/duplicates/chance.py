"""How likely two entities of one graph are one.

Most entities are there once, so a pair is no duplicate until something says so. What the facts that
both tell count (`shared.py`) and what they differ in (`difference.py`) are log-odds of their own.
How much the score of a pair says is learnt from the pairs that can be tested by something else: if
pairs with a high score still differ in their birth as often as strangers do, then a high score says
nothing. Pairs that cannot be tested get nothing from what the score says elsewhere; a rehearsal
tells what they look like when they are one (`rehearsal.py`).
"""

from __future__ import annotations

import numpy as np

from lighttea.assign.competition import log_odds
from lighttea.duplicates.candidates import KEPT, CandidatePairs
from lighttea.duplicates.difference import Told
from lighttea.duplicates.features import best_rivals
from lighttea.types import Bools, Doubles

RAREST, MOST_COMMON = 0.0025, 0.1  # share of best candidates that are duplicates, as expected
NOT_SHARED = -1.0  # log-odds of a pair that tells no fact twice
LIKELY = 0.3  # chance from which a pair is one of those that share what decoys leave
SUREST = 6.0  # log-odds of what is as sure as anything can be told to be: .9975
_STEPS, _RIDGE = 40, 3.0  # of the fit; how strongly weights keep to what is expected


def pair_chances(
    pairs: CandidatePairs, shared: Doubles, told: Told, looks: Doubles | None = None
) -> Doubles:
    """Return the chance of each pair to be one entity.

    Pairs that nothing can test are judged by their looks: log-odds by a rehearsal, where there is
    one. However well the rest fits, differences take from what is as sure as anything can be.
    Never above what scores and decoys leave, where there are enough candidates to tell.
    """
    tests = told.against + told.speaking
    prior = learn_prior(
        _features(pairs), shared, tests, told.is_tested, expected_odds(pairs, shared)
    )
    if looks is not None:
        prior = np.where(told.is_tested, prior, looks)
    chance = _sigmoid(np.minimum(prior + told.speaking, SUREST) + told.against)
    return np.minimum(chance, most_by_decoys(pairs, chance))


def most_by_decoys(pairs: CandidatePairs, chance: Doubles) -> Doubles:
    """Return the most that scores and decoys leave of each chance; 1 where they tell nothing.

    By scores an entity has one counterpart. One that is there three times has two, which share that
    chance, so likely ones are added up.
    """
    own = np.where(chance >= LIKELY, np.nan_to_num(pairs.chance, nan=1.0), 0.0)
    n = pairs.n_entities
    total = np.bincount(pairs.one, own, minlength=n) + np.bincount(pairs.other, own, minlength=n)
    either = np.maximum(total[pairs.one], total[pairs.other])
    return np.minimum(np.where(chance >= LIKELY, either, 1.0), 1.0)


def expected_odds(pairs: CandidatePairs, shared: Doubles) -> float:
    """Return the log-odds that a best candidate is a duplicate, by the facts that pairs share."""
    best = shared[pairs.rank == 1]
    evidence = np.where(best > 0, best, NOT_SHARED)
    share = RAREST
    for _ in range(_STEPS):
        posterior = _sigmoid(float(log_odds(np.array(share))) + evidence)
        share = float(np.clip(posterior.mean() if len(best) else 0.0, RAREST, MOST_COMMON))
    return float(log_odds(np.array(share)))


def learn_prior(
    features: Doubles, shared: Doubles, tests: Doubles, is_tested: Bools, expected: float
) -> Doubles:
    """Return the log-odds of pairs before tests, by their score and the facts that they share.

    Weights of features are those that make the outcome of the tests likeliest, by expectation and
    maximisation; none is below 0. They apply to tested pairs; others have what is expected of them,
    or less.
    """
    rows = np.concatenate([np.ones((1, len(shared))), features, shared[None]])  # (n_weights, n)
    given = np.zeros(len(rows))
    given[0], given[-1] = expected, 1.0
    tested, outcome_odds = rows[:, is_tested], tests[is_tested]
    weights, ridge = given, _RIDGE * np.eye(len(rows))
    for _ in range(_STEPS):
        posterior = _sigmoid(weights @ tested + outcome_odds)
        chance = _sigmoid(weights @ tested)
        slope = tested @ (chance - posterior) + ridge @ (weights - given)
        curve = (tested * (chance * (1 - chance))) @ tested.T + ridge
        weights = weights - np.linalg.solve(curve, slope)
        weights = np.append(min(weights[0], 0.0), np.maximum(weights[1:], 0.0))
    learnt, usual = weights @ rows, given @ rows
    return np.asarray(np.where(is_tested, learnt, np.minimum(learnt, usual)))


def _features(pairs: CandidatePairs) -> Doubles:
    """Return what the scores say of each pair, each with mean 0 and spread 1, (n_features, n)."""
    gap = pairs.score - np.maximum(*best_rivals(pairs))
    chance = np.nan_to_num(pairs.chance, nan=0.5)
    ranks = [-np.log(rank) for rank in (pairs.rank, pairs.other_rank)]
    features = np.stack([log_odds(chance), pairs.score, gap, *ranks])
    spread = np.maximum(features.std(axis=1, keepdims=True), 1e-9) if len(pairs) else 1.0
    mean = features.mean(axis=1, keepdims=True) if len(pairs) else 0.0
    return np.asarray((features - mean) / spread)


def are_strangers(pairs: CandidatePairs) -> Bools:
    """Return which pairs are taken for two entities: neither is a first choice of the other."""
    return np.asarray((pairs.rank > 2) & (pairs.rank <= KEPT))


def _sigmoid(odds: Doubles) -> Doubles:
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30, 30))))
