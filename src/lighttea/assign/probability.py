"""The probability that a candidate is the counterpart, where there may be none.

Wrong candidates are many, so the best of them follow the law of extremes: their scores fall off
exponentially, at a scale that the steps between runners-up show, from a level that each entity has
of its own. A candidate is as likely right as its score stands out from that. So the assignment is
made once more at that scale, and each entity of either side may also choose nothing; how many do
is estimated along the way. No truth is needed, and no seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np
from scipy.special import digamma

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.ops import Ops
from lighttea.engines.tables import SparseKernel
from lighttea.kernels.assignment import SCORE_TIE
from lighttea.similarity.candidates import Candidates
from lighttea.types import A

SPREAD = 2.0  # over how many scales the scores of true candidates spread, at least
LOOKED_AT = 5  # best scores of each entity
FEWEST = 20  # entities with three runners-up from which a scale is taken
SHARES = (0.05, 0.999)  # of entities with a counterpart that are believed
BEGIN_SHARE = 0.8  # of the entities with a counterpart, before anything is known
UPDATES = 6  # of that share
NEGLIGIBLE = 1e-9  # of a row's largest: columns are never scaled up, so it stays next to nothing
SUREST = 6.0  # log-odds of what is as sure as anything can be told to be: .9975
STEEPEST = 1.2  # how much larger than the next a step may be believed


@dataclass(frozen=True)
class MatchProbabilities(Generic[A]):
    """How likely each candidate is right, and the share of left entities with a counterpart."""

    value: Blocks[A]  # (n, k), in [0, 1]
    share: float


def noise_scale(engine: Engine[A], candidates: Blocks[Candidates[A]]) -> float | None:
    """Return the scale at which wrong scores fall off; None where there are too few to tell."""
    best = engine.map(best_scores_of_rows, candidates)
    return engine.fetch(engine.run(scale_of_steps, best, None))


def match_probabilities(
    engine: Engine[A], candidates: Blocks[Candidates[A]], *, iterations: int
) -> MatchProbabilities[A] | None:
    """Return the probabilities of all candidates; None where there are too few to tell.

    An entity without counterpart has a wrong best candidate, which counts differently when scales
    and levels are taken, so they are taken twice.
    """
    n_right = engine.layout.right.n_rows
    left = engine.map(best_scores_of_rows, candidates)
    columns = engine.map(best_scores_of_columns, candidates, n_right)
    right = engine.combine(join_best_scores, columns)
    dangling: Blocks[A] | None = None  # how likely each left entity has no counterpart
    state: Handle[ColumnState[A]] | None = None
    for _ in range(2):
        scale = engine.fetch(engine.run(scale_of_steps, left, dangling))
        if scale is None:
            return None
        level = engine.run(right_levels, right, scale, state)
        kernels = engine.map(excess_kernel, candidates, left, dangling, level, scale)
        state = _balance(engine, kernels, n_right, iterations)
        last = engine.map(scale_rows_or_abstain, kernels, state)
        dangling = engine.map(dangling_of, last)
    assert state is not None
    value = engine.map(probability_table, kernels, last, state)
    engine.wait(value)
    return MatchProbabilities(value, engine.fetch(engine.run(share_of, state)))


def _balance(
    engine: Engine[A], kernels: Blocks[ExcessKernel[A]], n_right: int, iterations: int
) -> Handle[ColumnState[A]]:
    """Return where columns and the share settle when every entity may choose nothing."""
    state = engine.run(first_columns, n_right)
    every = max(1, -(-iterations // UPDATES))
    for number in range(1, every * UPDATES + 1):
        is_update = number % every == 0
        sums = engine.combine(add_column_sums, engine.map(column_sums, kernels, state, is_update))
        state = engine.run(next_columns, sums, state)
    return state


# ----------------------------------------------------------------------------- of one block


@dataclass(frozen=True)
class ColumnState(Generic[A]):
    """What all blocks have to know of the right side, and the share estimated so far."""

    scale: A  # (m,)
    share: A  # one number, which stays where arrays are: no alternation waits for it
    abstention: A  # what weighs choosing nothing

    @classmethod
    def of_share(cls, scale: A, share: A) -> ColumnState[A]:
        """Return the state where choosing nothing weighs (1 - share) / share over the density of a
        true score.
        """
        return cls(scale, share, SPREAD * (1 - share) / share)


@dataclass(frozen=True)
class ExcessKernel(Generic[A]):
    """exp of how far candidates stand above the noise, rows scaled to a largest of one.

    `slack` is exp of not standing above it at all, scaled alike: what a row keeps that chooses
    nothing.
    """

    kernel: SparseKernel[A]
    slack: A  # (n,)
    filled: A  # rows with candidates


@dataclass(frozen=True)
class ColumnSums(Generic[A]):
    """What the rows of some blocks add to the columns, and how many rows chose nothing."""

    columns: A  # (m,)
    abstained: A | None  # one number, counted where the share is estimated
    n_rows: int


@dataclass(frozen=True)
class AbstainingStep(Generic[A]):
    """Rows of a block brought to one, and what each keeps by choosing nothing."""

    row_scale: A
    abstained: A  # (n,)


def best_scores_of_rows(ops: Ops[A], candidates: Candidates[A]) -> A:
    """Return the largest scores of each left entity, falling, (n, 5); 0 where there are fewer.

    Without contradictions: these are no noise.
    """
    return ops.best_of_rows(candidates.support, candidates.index, LOOKED_AT)


def best_scores_of_columns(ops: Ops[A], candidates: Candidates[A], n_right: int) -> A:
    """Return the largest scores that a block gives each right entity, falling, (m, 5)."""
    return ops.best_of_columns(candidates.support, candidates.index, n_right, LOOKED_AT)


def join_best_scores(ops: Ops[A], parts: Sequence[A]) -> A:
    """Return the largest scores of all blocks."""
    return parts[0] if len(parts) == 1 else ops.sort(ops.concat(parts, 1))[:, :LOOKED_AT]


def scale_of_steps(ops: Ops[A], best: Sequence[A], dangling: Sequence[A] | None) -> float | None:
    """Return the scale of wrong scores from the steps between runners-up.

    The step between the two largest of many exponential values is exponential itself, at the same
    scale, the next step at half of it. So the step from second to third candidate tells the scale,
    or half of it where the best is a wrong one too (`dangling`). Where the next step is larger than
    it should be the scores fall off faster and faster upwards; the scale is followed there, two
    such steps. Runners-up that nothing tells apart are no two draws, so no step is taken from them.
    """
    scores = ops.concat(best)
    alone = _none_dangling(ops, scores) if dangling is None else ops.concat(dangling)
    has_runners_up = scores[:, 3] > 0
    if int(has_runners_up.sum()) < FEWEST:
        return None
    scores, alone = scores[has_runners_up], alone[has_runners_up]
    first, second = scores[:, 1] - scores[:, 2], scores[:, 2] - scores[:, 3]
    is_told = (first > SCORE_TIE) & (second > SCORE_TIE)
    if int(is_told.sum()) >= FEWEST:
        first, second, alone = first[is_told], second[is_told], alone[is_told]
    first, second = first * (1 + alone), second * (2 + alone)
    here, below = float(first.mean()), float(second.mean())
    scale = _median(ops, first) / math.log(2) or here
    return scale * min(here / below, STEEPEST) ** 2 if scale and below else scale or None


def _median(ops: Ops[A], values: A) -> float:
    falling = ops.sort(values)
    middle = falling[[(len(falling) - 1) // 2, len(falling) // 2]]
    return float(middle.mean())


def _none_dangling(ops: Ops[A], scores: A) -> A:
    return ops.full((len(scores),), 0.0, "float64")


def noise_levels(ops: Ops[A], best: A, scale: float, dangling: A) -> A:
    """Return the level of each entity: runners-up less what the law expects above it, their mean.

    Runners-up are one place further down where the best candidate is wrong too.
    """
    place = np.arange(1, LOOKED_AT)
    usual, step = ops.asarray(digamma(place)), ops.asarray(1.0 / place)
    levels: A = (best[:, 1:] + scale * (usual + dangling[:, None] * step)).mean(1)
    return levels


def right_levels(ops: Ops[A], best: A, scale: float, state: ColumnState[A] | None) -> A:
    """Return the level of each right entity, (m,)."""
    if state is None:
        return noise_levels(ops, best, scale, _none_dangling(ops, best))
    return noise_levels(ops, best, scale, ops.clip(state.scale, 0.0, 1.0))


def excess_kernel(
    ops: Ops[A],
    candidates: Candidates[A],
    best: A,
    dangling: A | None,
    right_level: A,
    scale: float,
) -> ExcessKernel[A]:
    """Return exp of how far each candidate stands above the mean level of both entities."""
    alone = _none_dangling(ops, best) if dangling is None else dangling
    left_level = noise_levels(ops, best, scale, alone)
    levels = left_level, right_level
    sparse, slack = ops.excess_kernel(
        candidates.score, candidates.index, *levels, scale, NEGLIGIBLE
    )
    return ExcessKernel(sparse, slack, ops.nonzero(candidates.valid.any(1)))


def first_columns(ops: Ops[A], n_right: int) -> ColumnState[A]:
    """Return the columns before the first alternation."""
    share = ops.full((1,), BEGIN_SHARE, "float64")
    return ColumnState.of_share(ops.full((n_right,), 1.0, "float64"), share)


def column_sums(
    ops: Ops[A], kernel: ExcessKernel[A], state: ColumnState[A], is_update: bool
) -> ColumnSums[A]:
    """Return what the rows of a block, brought to one, add to the columns.

    And how many chose nothing, where the share is estimated from that.
    """
    slack = state.abstention * kernel.slack
    row_scale, columns = kernel.kernel.scale_rows(state.scale, slack)
    abstained = (slack * row_scale)[kernel.filled].sum() if is_update else None
    return ColumnSums(columns, abstained, len(kernel.filled))


def scale_rows_or_abstain(
    ops: Ops[A], kernel: ExcessKernel[A], state: ColumnState[A]
) -> AbstainingStep[A]:
    """Bring the candidates of each row and choosing nothing to a sum of one."""
    slack = state.abstention * kernel.slack
    row_scale, _ = kernel.kernel.scale_rows(state.scale, slack)
    return AbstainingStep(row_scale, slack * row_scale)


def add_column_sums(ops: Ops[A], parts: Sequence[ColumnSums[A]]) -> ColumnSums[A]:
    """Return the sums of several blocks together."""
    columns, abstained = parts[0].columns, parts[0].abstained
    for part in parts[1:]:
        columns = columns + part.columns
        if abstained is not None:
            abstained = abstained + part.abstained
    return ColumnSums(columns, abstained, sum(part.n_rows for part in parts))


def next_columns(ops: Ops[A], sums: ColumnSums[A], before: ColumnState[A]) -> ColumnState[A]:
    """Return the columns where right entities may choose nothing too; now and then the share."""
    scale = 1 / (sums.columns + 1)
    if sums.abstained is None:
        return replace(before, scale=scale)
    chosen = 1 - sums.abstained / sums.n_rows if sums.n_rows else 0.0
    return ColumnState.of_share(scale, ops.clip(0 * before.share + chosen, *SHARES))


def dangling_of(ops: Ops[A], step: AbstainingStep[A]) -> A:
    """Return how likely each left entity of a block has no counterpart."""
    return ops.clip(step.abstained, 0.0, 1.0)


def probability_table(
    ops: Ops[A], kernel: ExcessKernel[A], step: AbstainingStep[A], state: ColumnState[A]
) -> A:
    """Return the probability of each candidate: those of a row and nothing add up to one."""
    return kernel.kernel.plan(step.row_scale, state.scale)


def share_of(ops: Ops[A], state: ColumnState[A]) -> float:
    """Return the share of left entities that have a counterpart."""
    return float(state.share[0])


def lower_contradicted(ops: Ops[A], candidates: Candidates[A], probability: A, scale: float) -> A:
    """Return the probabilities of a block, with no more than contradictions leave of the surest.

    A score has lost what contradictions count already, which shows where it was not far above the
    noise. However far it is: odds are never better than `SUREST` less what contradictions count.
    """
    if candidates.contradiction is None:
        return probability
    counted = ops.clip(candidates.contradiction / scale, -30.0, 0.0)
    odds = ops.exp(SUREST + counted)
    most = ops.where(counted < 0, odds / (1 + odds), 1.0)
    return ops.astype(ops.where(probability > most, most, probability), "float32")
