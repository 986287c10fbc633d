"""What a confidence is worth, by how often decoys win at it.

Each left entity is won by one candidate. Among winners that look alike, the share of decoys tells
the share of right entities that won by chance: a right entity without a better claim elsewhere is
as likely to win by chance as the decoy made from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic

import numpy as np

from lighttea.engines.ops import Ops
from lighttea.types import A, Bools, Doubles, NumpyArray

SURE = 0.5  # confidence, before it is corrected, from which a winner looks sure
PSEUDO = 1.0  # decoys that count as if they had won above all others: few winners prove little
MOST_LOG_ODDS = 16.0  # of a confidence: beyond this it says no more
_RIDGE = 1.0  # keeps the two weights small where decoys are few
_SAME = 1e-9  # spread below which winners are as good as equal
_STEPS = 25  # of Newton's method, at most
_STILL = 1e-10  # change of the weights at which it has converged, in fewer than ten steps


@dataclass(frozen=True)
class Correction:
    """What winners are worth: a rank made of confidence and score, and the chance along it."""

    by_log_odds: float  # weights of the rank, at least 0
    by_score: float
    rank: Doubles  # rising
    chance: Doubles  # rising, in [0, 1]

    def ranks(self, confidence: Doubles, score: Doubles) -> Doubles:
        """Return the rank of winners."""
        return self.by_log_odds * log_odds(confidence) + self.by_score * score

    def chances(self, confidence: Doubles, score: Doubles) -> Doubles:
        """Return the chance of winners to be right; never above their confidence."""
        return np.minimum(confidence, self.chances_by_rank(confidence, score))

    def chances_by_rank(self, confidence: Doubles, score: Doubles) -> Doubles:
        """Return the chance of winners to be right by their rank alone."""
        return np.asarray(np.interp(self.ranks(confidence, score), self.rank, self.chance))


@dataclass(frozen=True)
class Winners(Generic[A]):
    """Who won the left entities: one right entity or decoy each."""

    confidence: A  # before it is corrected
    score: A
    is_decoy: A
    rival: A  # of a decoy: where its source is among the winners; -1 where it won nobody
    per_target: float  # decoys for each right entity


@dataclass(frozen=True)
class Competition(Winners[NumpyArray]):
    """The winners in plain memory, and what decoys among them say of their confidence."""

    correction: Correction | None = None  # None where nobody won

    @cached_property
    def chance(self) -> Doubles:
        """Confidence once corrected; empty where nobody won."""
        if self.correction is None:
            return np.empty(0)
        return self.correction.chances_by_rank(self.confidence, self.score)

    def sure_counts(self) -> tuple[int, int]:
        """Return how many right entities and how many decoys won, sure by their scores alone."""
        return self._counts(self.confidence >= SURE)

    def counts_from(self, chance: float) -> tuple[int, int]:
        """Return how many right entities and how many decoys won with at least this chance."""
        return self._counts(self.chance >= chance)

    def _counts(self, chosen: Bools) -> tuple[int, int]:
        is_decoy = self.is_decoy[chosen]
        return int((~is_decoy).sum()), int(is_decoy.sum())

    @property
    def share_right(self) -> float:
        """The expected share of right ones among right entities that are sure by their scores."""
        chance = self.chance[(self.confidence >= SURE) & ~self.is_decoy]
        return float(chance.mean()) if len(chance) else 0.0


def log_odds(confidence: Doubles) -> Doubles:
    """Return log(p / (1 - p)), within bounds."""
    tiny = np.exp(-MOST_LOG_ODDS)
    p = np.clip(confidence, tiny, 1 - tiny)
    return np.asarray(np.log(p / (1 - p)))


def _log_odds(ops: Ops[A], confidence: A) -> A:
    """Return log(p / (1 - p)), within the same bounds."""
    tiny = float(np.exp(-MOST_LOG_ODDS))
    p = ops.clip(confidence, tiny, 1 - tiny)
    return ops.log(p / (1 - p))


def fit_correction(ops: Ops[A], winners: Winners[A]) -> Correction:
    """Return how likely right a winning right entity is, by its rank.

    A decoy counts as far as its source was free to win in its place: not at all where the source
    is surely somebody else's. How sure that is is corrected too, so the fit is made twice.
    """
    n_winners, decoy = len(winners.is_decoy), ops.nonzero(winners.is_decoy)
    weight = ops.full((n_winners,), 1.0, "float64")
    first = _fit_chances(ops, winners, _fit_rank(ops, winners), weight)
    rival = winners.rival[decoy]
    own, others = (_chances_at(ops, winners, first, places) for places in (decoy, rival))
    held = np.where(ops.to_numpy(rival) >= 0, others, 0.0)
    weight[decoy] = ops.asarray(1 - held * (1 - own))
    return _fit_chances(ops, winners, first, weight)


def _chances_at(ops: Ops[A], winners: Winners[A], correction: Correction, places: A) -> Doubles:
    """Return the chances of a few winners, in plain memory."""
    columns = winners.confidence, winners.score
    return correction.chances(*(ops.to_numpy(column[places]) for column in columns))


def _fit_rank(ops: Ops[A], winners: Winners[A]) -> Correction:
    """Return the rank that tells decoys from the others best: a logistic regression."""
    odds = _log_odds(ops, winners.confidence)
    features, spread = _standardise(ops, ops.concat([odds[None], winners.score[None]]))
    weights = fit_logistic(ops, features, ~winners.is_decoy) / spread
    by_log_odds, by_score = np.maximum(weights, 0.0).tolist()
    if by_log_odds == by_score == 0:
        by_log_odds = 1.0
    return Correction(by_log_odds, by_score, np.zeros(1), np.zeros(1))


def _standardise(ops: Ops[A], features: A) -> tuple[A, Doubles]:
    """Return features with mean 0 and spread 1, and the spread they had.

    One that is the same everywhere becomes 0, with an endless spread: it tells nothing.
    """
    if not features.shape[1]:
        return features, np.ones(len(features))
    centred = features - features.mean(1)[:, None]
    spread = ops.sqrt((centred * centred).mean(1))
    spread = ops.where(spread > _SAME, spread, np.inf)
    return centred / spread[:, None], ops.to_numpy(spread)


def fit_logistic(ops: Ops[A], features: A, outcome: A) -> Doubles:
    """Return the weights of features, (2, n), in a ridge regression of a yes or no outcome."""
    rows = ops.concat([ops.full((1, features.shape[1]), 1.0, "float64"), features])
    yes = ops.astype(outcome, "float64")
    ridge = _RIDGE * np.diag([1e-6, *np.ones(len(features))])
    weights = np.zeros(len(rows))
    for _ in range(_STEPS):
        chance = 1 / (1 + ops.exp(-ops.clip(ops.asarray(weights) @ rows, -30, 30)))
        slope = ops.to_numpy(rows @ (chance - yes)) + ridge @ weights
        curve = ops.to_numpy((rows * (chance * (1 - chance))) @ rows.T) + ridge
        change = np.linalg.solve(curve, slope)
        weights = weights - change
        if np.abs(change).max() < _STILL:
            break
    return np.asarray(weights[1:])


def _fit_chances(ops: Ops[A], winners: Winners[A], rank: Correction, weight: A) -> Correction:
    """Return the correction with chances that rise with the rank: an isotonic regression.

    Where the share of decoys is q, the share of wrong ones among right entities is q / (1 - q) over
    the number of decoys for each.
    """
    odds = _log_odds(ops, winners.confidence)
    ranks = rank.by_log_odds * odds + rank.by_score * winners.score
    order = ops.argsort(ranks)
    one = ops.full((1,), 1.0, "float64")
    top = max(0.0, float(ops.row_max(ranks[None])[0, 0]))
    share, knots = fit_falling(
        ops,
        ops.concat([ops.astype(winners.is_decoy[order], "float64"), one]),
        ops.concat([weight[order], one * (PSEUDO * winners.per_target)]),
        ops.concat([ranks[order], one * top]),
    )
    wrong = share / np.maximum(1 - share, 1e-9) / winners.per_target
    return replace(rank, rank=knots, chance=np.clip(1 - wrong, 0.0, 1.0))


def fit_falling(ops: Ops[A], values: A, weights: A, places: A) -> tuple[Doubles, Doubles]:
    """Return the falling step function nearest to the values, and the two ends of each step.

    Neighbours that rise, or are equal, are pooled until none do. `places` are rising.
    """
    if not bool((weights > 0).any()):
        return np.empty(0), np.empty(0)
    steps: list[tuple[float, float, float, float]] = []  # sum, weight, first and last place
    for step in zip(*_equal_runs(ops, values, weights, places), strict=True):
        steps.append(step)
        while len(steps) > 1 and steps[-2][0] * steps[-1][1] <= steps[-1][0] * steps[-2][1]:
            total, weight, _, last = steps.pop()
            steps[-1] = (steps[-1][0] + total, steps[-1][1] + weight, steps[-1][2], last)
    sums, totals, first, last_place = np.array(steps).T
    return np.repeat(sums / totals, 2), np.stack([first, last_place], axis=1).reshape(-1)


def _equal_runs(ops: Ops[A], values: A, weights: A, places: A) -> Iterator[list[float]]:
    """Yield the sums, the weights, the first and the last places of runs of equal values."""
    counts = ops.nonzero(weights > 0)
    values, weights, places = values[counts], weights[counts], places[counts]
    is_first = ops.full((len(values),), 1, "bool")
    is_first[1:] = ~ops.equal(values[1:], values[:-1])
    begin = ops.nonzero(is_first)
    end = ops.concat([begin[1:], ops.arange(1) + len(values)]) - 1
    total = ops.sum_runs(weights, begin)
    for column in (values[begin] * total, total, places[begin], places[end]):
        yield ops.to_numpy(column).tolist()
