"""The chance of pairs by how they look: like the duplicates of a rehearsal, or like other pairs.

A pair that looks as duplicates do, and as hardly any other candidate does, is likely one. How many
duplicates there are is told by how many candidates look like those of the rehearsal: where half of
these share more than a limit, twice as many duplicates as candidates beyond it are there at most.
Some pairs of any graph look like duplicates and are none, as twins do; so many are taken off.

What tells duplicates from others is learnt twice. `USUAL` was learnt from twelve graphs without
duplicates and their rehearsals; it finds those candidates that may be duplicates. With these left
out of the others, the graph's own weights are learnt: its families of look-alikes count less.
Where few pairs were rehearsed, the usual weights stay, and the graph's own are added to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lighttea.duplicates.features import Features
from lighttea.types import Doubles

LOOK_ALIKES = 0.0005  # pairs that look like duplicates and are none, for each entity
SHARES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # of rehearsed pairs beyond a limit
ENOUGH = 500  # rehearsed pairs from which the graph's own weights do without the usual ones
SUREST_LOOK = 6.0  # log-odds: .9975
USUAL = Features(
    score=0.7,
    gap=0.8,
    larger_gap=1.6,
    rank=-1.1,
    other_rank=-0.2,
    rarity=1.5,
    overlap=-0.4,
    smaller_overlap=-2.5,
    facts=-1.3,
    most_facts=-1.6,
    neighbour_rarity=0.1,
    neighbour_overlap=-2.7,
    only_they=0.5,
    weight=1.4,
)
_OBSERVED, _REHEARSED = (0, 0.5, 0.9, 1), (0.1, 0.3, 0.5, 0.7, 0.9)  # quantiles of knots
_RIDGE, _RIDGE_USUAL, _STEPS = 30.0, 0.01, 20
_BINS, _MOST_FIRST = 12, 0.95  # of the chance by the usual weights
_MOST_FITTED = 20_000  # candidates that weights are learnt from
_BLOCK = 10_000  # pairs whose columns are in memory at once


def odds_by_rehearsal(
    features: Doubles, rehearsed: Doubles, n_entities: int, rng: np.random.Generator
) -> Doubles:
    """Return the log-odds of each pair to be one entity, by how it looks.

    Weights are learnt from one half of the pairs and used for the other.
    """
    chance = chance_by_bins(_usual_looks(features), _usual_looks(rehearsed), n_entities)
    columns = _Columns.of(features, rehearsed)
    n_pairs, made = features.shape[1], columns.make(rehearsed)
    half, made_half = rng.random(n_pairs) < 0.5, rng.random(len(made)) < 0.5
    fitted = rng.random(n_pairs) < _MOST_FITTED / max(n_pairs, 1)
    ratio, made_ratio = np.empty(n_pairs), np.empty(len(made))
    for side in (False, True):
        rows = np.flatnonzero((half == side) & fitted)
        seen = columns.make(features[:, rows])
        weights = fit_ratio(made[made_half == side], seen, 1 - chance[rows], columns.n_hinges)
        ratio[half != side] = columns.weigh(features[:, half != side], weights)
        made_ratio[made_half != side] = made[made_half != side] @ weights
    n_duplicates = count_duplicates(ratio, made_ratio, n_entities)
    others = max(n_pairs - n_duplicates, 1.0)
    return np.asarray(np.minimum(ratio + np.log(n_duplicates / others), SUREST_LOOK))


def chance_by_bins(looks: Doubles, made_looks: Doubles, n_entities: int) -> Doubles:
    """Return the share of duplicates among candidates that look about the same."""
    inner = np.quantile(made_looks, np.linspace(0, 1, _BINS + 1))[1:-1]
    place, made_place = np.searchsorted(inner, looks), np.searchsorted(inner, made_looks)
    expected = np.bincount(made_place, minlength=_BINS) / max(len(made_looks), 1)
    expected *= count_duplicates(looks, made_looks, n_entities)
    found = np.bincount(place, minlength=_BINS)
    return np.minimum(expected / np.maximum(found, 1), _MOST_FIRST)[place]


def count_duplicates(looks: Doubles, made_looks: Doubles, n_entities: int) -> float:
    """Return how many candidates are duplicates, at most, by how many look like rehearsed ones."""
    limits = np.quantile(made_looks, 1 - np.array(SHARES))
    beyond = (looks[:, None] >= limits).sum(axis=0)
    likely = np.maximum(beyond - LOOK_ALIKES * n_entities, 0.0) / SHARES
    return float(max(likely.min(), LOOK_ALIKES * n_entities))


def fit_ratio(made: Doubles, seen: Doubles, weight: Doubles, n_hinges: int) -> Doubles:
    """Return weights of columns whose sum is the log of how much oftener duplicates look so.

    A logistic regression of rehearsed pairs against others, which count by `weight`. Columns
    behind the hinges are hardly kept small.
    """
    rows = np.concatenate([made, seen])
    is_made = np.arange(len(rows)) < len(made)
    count = np.concatenate([np.ones(len(made)), weight])
    weights = np.zeros(rows.shape[1])
    ridge = np.full(rows.shape[1], _RIDGE)
    ridge[n_hinges:] = _RIDGE_USUAL
    ridge[0] = 1e-6  # the first column is 1 everywhere
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (count * (chance - is_made)) + ridge * weights
        curve = (rows * (count * chance * (1 - chance))[:, None]).T @ rows + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if np.abs(step).max() < 1e-3:
            break
    weights[0] -= np.log(len(made) / max(weight.sum(), 1e-9))
    return weights


@dataclass(frozen=True)
class _Columns:
    """What weights are learnt for: hinges of features, and how pairs look by the usual weights."""

    knots: list[Doubles]
    usual: tuple[float, float] | None  # middle and spread of rehearsed looks; None: left out

    @classmethod
    def of(cls, features: Doubles, rehearsed: Doubles) -> _Columns:
        knots = [_knots(*rows) for rows in zip(features, rehearsed, strict=True)]
        if rehearsed.shape[1] >= ENOUGH:
            return cls(knots, None)
        looks = _usual_looks(rehearsed)
        return cls(knots, (float(np.median(looks)), max(float(looks.std()), 1e-9)))

    @property
    def n_hinges(self) -> int:
        """How many columns are hinges, the ones among them."""
        return 1 + sum(len(own) - 1 for own in self.knots)

    def make(self, features: Doubles) -> Doubles:
        """Return the columns of some pairs, (n_pairs, n_columns)."""
        hinges = _hinges(features, self.knots)
        if self.usual is None:
            return hinges
        middle, spread = self.usual
        return np.column_stack([hinges, (_usual_looks(features) - middle) / spread])

    def weigh(self, features: Doubles, weights: Doubles) -> Doubles:
        """Return the weighted sum of the columns of each pair, made for a block at a time."""
        begins = range(0, features.shape[1], _BLOCK)
        blocks = [self.make(features[:, begin : begin + _BLOCK]) @ weights for begin in begins]
        return np.concatenate([np.empty(0), *blocks])


def _usual_looks(features: Doubles) -> Doubles:
    """Return the sum of the features of each pair by the usual weights."""
    return np.asarray(np.array(USUAL) @ features)


def _knots(observed: Doubles, rehearsed: Doubles) -> Doubles:
    """Return the rising numbers at which the line of a feature may bend."""
    return np.unique(
        np.concatenate([np.quantile(observed, _OBSERVED), np.quantile(rehearsed, _REHEARSED)])
    )


def _hinges(features: Doubles, knots: list[Doubles]) -> Doubles:
    """Return a column of ones, and columns that rise from 0 to 1 between two knots each."""
    columns = [
        np.clip((row - low) / (high - low), 0.0, 1.0)
        for row, own in zip(features, knots, strict=True)
        for low, high in pairwise(own)
    ]
    return np.stack([np.ones(features.shape[1]), *columns], axis=1)
