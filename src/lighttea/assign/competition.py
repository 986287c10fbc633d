"""What a confidence is worth, by how often decoys win at it.

Each left entity is won by one candidate. Among winners that look alike, the share of decoys tells
the share of right entities that won by chance: a right entity without a better claim elsewhere is
as likely to win by chance as the decoy made from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from lighttea.types import Bools, Doubles, Ints

SURE = 0.5  # confidence, before it is corrected, from which a winner looks sure
PSEUDO = 1.0  # decoys that count as if they had won above all others: few winners prove little
MOST_LOG_ODDS = 16.0  # of a confidence: beyond this it says no more
_RIDGE = 1.0  # keeps the two weights small where decoys are few
_SAME = 1e-9  # spread below which winners are as good as equal
_STEPS = 25  # of Newton's method; it converges in fewer than ten


@dataclass(frozen=True)
class Competition:
    """Who won the left entities: one right entity or decoy each."""

    confidence: Doubles  # before it is corrected
    score: Doubles
    is_decoy: Bools
    rival: Ints  # of a decoy: where its source is among the winners; -1 where it won nobody
    per_target: float  # decoys for each right entity
    chance: Doubles = field(default_factory=lambda: np.empty(0))  # confidence once corrected

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


def log_odds(confidence: Doubles) -> Doubles:
    """Return log(p / (1 - p)), within bounds."""
    tiny = np.exp(-MOST_LOG_ODDS)
    p = np.clip(confidence, tiny, 1 - tiny)
    return np.asarray(np.log(p / (1 - p)))


def fit_correction(competition: Competition) -> Correction:
    """Return how likely right a winning right entity is, by its rank.

    A decoy counts as far as its source was free to win in its place: not at all where the source
    is surely somebody else's. How sure that is is corrected too, so the fit is made twice.
    """
    is_decoy = competition.is_decoy
    first = _fit_chances(competition, _fit_rank(competition), np.ones(len(is_decoy)))
    chance = first.chances(competition.confidence, competition.score)
    held = np.where(competition.rival >= 0, chance[competition.rival], 0.0)
    return _fit_chances(competition, first, np.where(is_decoy, 1 - held * (1 - chance), 1.0))


def _fit_rank(competition: Competition) -> Correction:
    """Return the rank that tells decoys from the others best: a logistic regression."""
    features, spread = _standardise(np.stack([log_odds(competition.confidence), competition.score]))
    weights = fit_logistic(features, ~competition.is_decoy) / spread
    by_log_odds, by_score = np.maximum(weights, 0.0).tolist()
    if by_log_odds == by_score == 0:
        by_log_odds = 1.0
    return Correction(by_log_odds, by_score, np.zeros(1), np.zeros(1))


def _standardise(features: Doubles) -> tuple[Doubles, Doubles]:
    """Return features with mean 0 and spread 1, and the spread they had.

    One that is the same everywhere becomes 0, with an endless spread: it tells nothing.
    """
    if not features.shape[1]:
        return features, np.ones(len(features))
    centred = features - features.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1))
    spread = np.where(spread > _SAME, spread, np.inf)
    return centred / spread[:, None], spread


def fit_logistic(features: Doubles, outcome: Bools) -> Doubles:
    """Return the weights of features, (2, n), in a ridge regression of a yes or no outcome."""
    rows = np.concatenate([np.ones((1, features.shape[1])), features])
    ridge = _RIDGE * np.diag([1e-6, *np.ones(len(features))])
    weights = np.zeros(len(rows))
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(weights @ rows, -30, 30)))
        slope = rows @ (chance - outcome) + ridge @ weights
        curve = (rows * (chance * (1 - chance))) @ rows.T + ridge
        weights = weights - np.linalg.solve(curve, slope)
    return np.asarray(weights[1:])


def _fit_chances(competition: Competition, rank: Correction, weight: Doubles) -> Correction:
    """Return the correction with chances that rise with the rank: an isotonic regression.

    Where the share of decoys is q, the share of wrong ones among right entities is q / (1 - q) over
    the number of decoys for each.
    """
    ranks = rank.ranks(competition.confidence, competition.score)
    order = np.argsort(ranks, kind="stable")
    pseudo = PSEUDO * competition.per_target
    top = ranks.max(initial=0.0)
    share, knots = fit_falling(
        np.append(competition.is_decoy[order], 1.0),
        np.append(weight[order], pseudo),
        np.append(ranks[order], top),
    )
    wrong = share / np.maximum(1 - share, 1e-9) / competition.per_target
    return replace(rank, rank=knots, chance=np.clip(1 - wrong, 0.0, 1.0))


def fit_falling(values: Doubles, weights: Doubles, places: Doubles) -> tuple[Doubles, Doubles]:
    """Return the falling step function nearest to the values, and the two ends of each step.

    Neighbours that rise, or are equal, are pooled until none do. `places` are rising.
    """
    if not (weights > 0).any():
        return np.empty(0), np.empty(0)
    steps: list[tuple[float, float, float, float]] = []  # sum, weight, first and last place
    for step in zip(*_equal_runs(values, weights, places), strict=True):
        steps.append(step)
        while len(steps) > 1 and steps[-2][0] * steps[-1][1] <= steps[-1][0] * steps[-2][1]:
            total, weight, _, last = steps.pop()
            steps[-1] = (steps[-1][0] + total, steps[-1][1] + weight, steps[-1][2], last)
    sums, totals, first, last_place = np.array(steps).T
    return np.repeat(sums / totals, 2), np.stack([first, last_place], axis=1).reshape(-1)


def _equal_runs(
    values: Doubles, weights: Doubles, places: Doubles
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Return the sum, the weight, the first and the last place of each run of equal values."""
    counts = weights > 0
    values, weights, places = values[counts], weights[counts], places[counts]
    begin = np.flatnonzero(np.diff(values, prepend=np.nan) != 0)
    end = np.append(begin[1:], len(values)) - 1
    total = np.add.reduceat(weights, begin)
    return (
        (values[begin] * total).tolist(),
        total.tolist(),
        places[begin].tolist(),
        places[end].tolist(),
    )
