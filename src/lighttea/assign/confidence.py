"""Confidence: the chance that a candidate is the counterpart, where there may be none.

Wrong candidates are many, so the best of them follow the law of extremes: their scores fall off
exponentially, at a scale that the steps between runners-up show, from a level that each entity has
of its own. A candidate is as likely right as its score stands out from that. So the assignment is
made once more at that scale, and each entity of either side may also choose nothing; how many do
is estimated along the way. No truth is needed, and no seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma

from lighttea.kernels import assignment
from lighttea.kernels.threads import current_threads
from lighttea.similarity.topk import Candidates
from lighttea.types import Doubles, Floats

SPREAD = 2.0  # over how many scales the scores of true candidates spread, at least
LOOKED_AT = 5  # best scores of each entity
FEWEST = 20  # entities with three candidates from which a scale is taken
SHARES = (0.05, 0.999)  # of entities with a counterpart that are believed
UPDATES = 6  # of that share
STEEPEST = 1.2  # how much larger than the next a step may be believed


@dataclass(frozen=True)
class Noise:
    """How wrong candidates score: the scale they fall off at, and the level of each entity."""

    scale: float
    left: Doubles  # (n,) where one wrong candidate of this entity is expected above
    right: Doubles  # (m,)


@dataclass(frozen=True)
class Confidence:
    """The chance of each candidate to be the counterpart, and what was estimated for it."""

    value: Floats  # (n, k), in [0, 1]
    scale: float
    share: float  # of the left entities that have a counterpart


def noise_scale(candidates: Candidates) -> float | None:
    """The scale at which wrong scores fall off where true ones stand; None: too few to tell."""
    best = _best_of_rows(candidates)
    return _scale(best, np.zeros(len(best)))


def confidence(candidates: Candidates, *, iterations: int) -> Confidence | None:
    """The chances of all candidates; None where there are too few candidates to tell.

    Whose best candidate is wrong too counts otherwise when scales and levels are taken, so they
    are taken twice.
    """
    left = _best_of_rows(candidates)
    right = np.empty((len(candidates.right), LOOKED_AT), np.float32)
    assignment.best_of_columns(candidates.score, candidates.index, right)
    alone = np.zeros(len(left)), np.zeros(len(right))
    found = None
    for _ in range(2):
        scale = _scale(left, alone[0])
        if scale is None:
            return None
        noise = Noise(scale, _levels(left, scale, alone[0]), _levels(right, scale, alone[1]))
        found, alone = _chances(candidates, noise, iterations)
    return found


def _best_of_rows(candidates: Candidates) -> Floats:
    best = np.empty((len(candidates.left), LOOKED_AT), np.float32)
    assignment.best_of_rows(candidates.score, candidates.index, best)
    return best


def _scale(best: Floats, alone: Doubles) -> float | None:
    """The scale from the steps between runners-up.

    The step between the two largest of many exponential values is exponential itself, at the same
    scale, the next step at half of it. So the step from second to third candidate tells the scale,
    or half of it where the best is a wrong one too (`alone`). Where the next step is larger than
    it should be the scores fall off faster and faster upwards; the scale is followed there, two
    such steps.
    """
    some = best[:, 3] > 0
    if some.sum() < FEWEST:
        return None
    best, alone = best[some], alone[some]
    first = (best[:, 1] - best[:, 2]) * (1 + alone)
    second = (best[:, 2] - best[:, 3]) * (2 + alone)
    here, below = float(first.mean()), float(second.mean())
    scale = float(np.median(first)) / math.log(2) or here
    return scale * min(here / below, STEEPEST) ** 2 if scale and below else scale or None


def _levels(best: Floats, scale: float, alone: Doubles) -> Doubles:
    """Each runner-up, less what the law expects it to stand above the level; their mean."""
    place = np.arange(1, LOOKED_AT)
    expected = digamma(place) + alone[:, None] / place  # one place further down where best is wrong
    return np.asarray((best[:, 1:] + scale * expected).mean(axis=1), np.float64)


def _chances(
    candidates: Candidates, noise: Noise, iterations: int
) -> tuple[Confidence, tuple[Doubles, Doubles]]:
    """Assignment at the scale of the noise, where everybody may choose nothing.

    P(candidate) : P(nothing) is share / (1 - share) times the density of a true score over that of
    a wrong one, exp(-(score - level) / scale) / scale. Who chose nothing, on both sides, is given
    too.
    """
    kernel, keep = _excess(candidates, noise)
    share, rows = 0.8, np.zeros(len(kernel))
    columns = np.ones(len(candidates.right))
    counted = candidates.valid.any(axis=1)
    every = max(1, -(-iterations // UPDATES))
    for number in range(every * UPDATES + 1):
        stay = SPREAD * (1 - share) / share
        parts = np.zeros((current_threads(), len(columns)), np.float64)
        assignment.scale_rows_and_sum_columns(
            kernel, candidates.index, columns, stay * keep, rows, parts
        )
        if number == every * UPDATES:
            break  # ended by rows: the candidates of an entity and nothing add up to one
        columns = 1 / (parts.sum(axis=0) + 1)
        if number % every == every - 1:
            kept = (stay * keep * rows)[counted]
            share = float(np.clip(1 - kept.mean() if len(kept) else 0, *SHARES))
    value = np.empty(kernel.shape, np.float32)
    assignment.finish_assignment(kernel, candidates.index, rows, columns, value)
    alone = np.clip(stay * keep * rows, 0, 1), np.clip(columns, 0, 1)
    return Confidence(value, noise.scale, share), alone


def _excess(candidates: Candidates, noise: Noise) -> tuple[Doubles, Doubles]:
    """exp of how far each candidate stands above both levels, rows scaled to a largest of one.

    And exp of not standing above them at all, scaled alike: what a row keeps that chooses nothing.
    """
    level = (noise.left[:, None] + noise.right[candidates.index]) / 2
    kernel = (candidates.score - level) / noise.scale
    kernel[~candidates.valid] = -np.inf
    best = np.maximum(kernel.max(axis=1, initial=-np.inf), 0)
    kernel -= best[:, None]
    return np.exp(kernel, out=kernel), np.exp(-best)
