"""The Sinkhorn operator on sparse candidates (eq. 10-12), in scaling form.

P = diag(u) K diag(v) with K = exp(S' / t). Subtracting each row's maximum first changes nothing
in P (the first row normalisation takes any factor of a row out again) and keeps K in (0, 1], so
no temperature overflows; what underflows is a candidate that no assignment would choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from lighttea.assign.competition import Competition
from lighttea.engines.base import Blocks, Engine
from lighttea.engines.ops import Ops, add_up
from lighttea.engines.tables import SparseKernel
from lighttea.similarity.candidates import Candidates, row_blocks
from lighttea.types import A

TINY = 1e-290  # below this a column has underflowed: no row puts anything there


@dataclass(frozen=True)
class Assignment(Generic[A]):
    """The value of each candidate after assignment, and how far rows are from summing to one."""

    value: Blocks[A]  # (n, k), in [0, 1]
    marginal_gap: float = 0.0  # mean absolute deviation of the row sums from one
    probability: Blocks[A] | None = None  # (n, k) chance to be right, where it is estimated
    share: float | None = None  # of the left entities that have a counterpart, where estimated
    competition: Competition | None = None  # with decoys, where confidence was checked by them

    @property
    def confidence(self) -> Blocks[A]:
        """What links are trusted by: the probability, or the value where there is none."""
        return self.value if self.probability is None else self.probability


def assign(
    engine: Engine[A],
    candidates: Blocks[Candidates[A]],
    *,
    temperature: float,
    iterations: int,
    fill: float = 1.0,
) -> Assignment[A]:
    """Alternate row and column normalisation (eq. 11) of S' / t (eq. 12), m times.

    `fill` says how far a column that is wanted too little is brought to one. In the paper it is
    brought there whole, which is right where every right entity has a counterpart. Where there are
    far more right entities than left ones, rows would have to leave what they fit best to fill
    columns that nobody wants.
    """
    n_right = engine.layout.right.n_rows
    kernels = engine.map(gibbs_kernel, candidates, n_right, temperature)  # K
    column_scale = engine.run(unit_columns, n_right)  # v
    for _ in range(iterations - 1):
        sums = engine.combine(add_up, engine.map(column_sums, kernels, column_scale))
        column_scale = engine.run(scale_columns, sums, fill)
    rows = engine.map(scale_rows, kernels, column_scale)  # u
    sums = engine.combine(add_up, engine.map(sums_of_step, rows))
    column_scale = engine.run(scale_columns, sums, fill)
    value = engine.map(transport_plan, kernels, rows, column_scale)
    engine.wait(value)
    gap = engine.fetch(engine.run(mean_gap, engine.map(row_gaps, value)))
    return Assignment(value, gap)


def keep_similarities(engine: Engine[A], candidates: Blocks[Candidates[A]]) -> Assignment[A]:
    """Return the ablation without the Sinkhorn operator: values are similarities."""
    return Assignment(engine.map(similarity_values, candidates))


def assign_many_to_one(
    engine: Engine[A], candidates: Blocks[Candidates[A]], *, temperature: float
) -> Assignment[A]:
    """Return values where several left entities may take one right entity.

    Each row sums to one. Columns are normalised once before, so that a right entity that is like
    all others is no favourite; two left entities that both choose it lose nothing by that.
    """
    once = assign(engine, candidates, temperature=temperature, iterations=1)
    value = engine.map(share_out_rows, once.value)
    engine.wait(value)
    return Assignment(value)


# ----------------------------------------------------------------------------- of one block


@dataclass(frozen=True)
class RowStep(Generic[A]):
    """What the rows of a block were scaled by, and what they add to the columns."""

    row_scale: A  # (n,) u
    column_sums: A  # (m,)


def gibbs_kernel(
    ops: Ops[A], candidates: Candidates[A], n_right: int, temperature: float
) -> SparseKernel[A]:
    """Return K = exp(S' / t), each row scaled to a largest entry of one."""
    kernel = ops.full(tuple(candidates.index.shape), 0.0, "float64")
    for rows in row_blocks(len(kernel)):
        score = ops.where(
            candidates.valid[rows], ops.astype(candidates.score[rows], "float64"), -np.inf
        )
        best = ops.row_max(score)
        best = ops.where(best > -np.inf, best, 0.0)  # a row without candidates
        kernel[rows] = ops.exp((score - best) / temperature)
    return ops.sparse_kernel(kernel, candidates.index, n_right)


def unit_columns(ops: Ops[A], n_right: int) -> A:
    """Return the columns' scale before the first alternation."""
    return ops.full((n_right,), 1.0, "float64")


def scale_rows(ops: Ops[A], kernel: SparseKernel[A], column_scale: A) -> RowStep[A]:
    """Bring each row to a sum of one, where every left entity has to choose."""
    return RowStep(*kernel.scale_rows(column_scale, 0.0))


def column_sums(ops: Ops[A], kernel: SparseKernel[A], column_scale: A) -> A:
    """Return what the rows of a block, each brought to one, add to the columns, (m,)."""
    return kernel.scale_rows(column_scale, 0.0)[1]


def sums_of_step(ops: Ops[A], step: RowStep[A]) -> A:
    """Return what the rows of a step add to the columns."""
    return step.column_sums


def scale_columns(ops: Ops[A], sums: A, fill: float) -> A:
    """Return what brings columns down to one, or up to it as far as `fill` says."""
    scale = 1.0 / ops.where(sums > TINY, sums, 1.0)
    if fill < 1:
        scale = ops.where(scale > 1, ops.exp(fill * ops.log(scale)), scale)
    return ops.where(sums > TINY, scale, 0.0)


def transport_plan(ops: Ops[A], kernel: SparseKernel[A], step: RowStep[A], column_scale: A) -> A:
    """Return P = diag(u) K diag(v), (n, k)."""
    return kernel.plan(step.row_scale, column_scale)


def row_gaps(ops: Ops[A], value: A) -> tuple[float, int]:
    """Return how far the rows that kept any mass are from summing to one, and how many they are.

    Columns sum to one by construction.
    """
    sums = ops.astype(value, "float64").sum(1)
    gaps = ops.where(sums > 0, sums - 1, 0.0)
    gaps = ops.where(gaps < 0, -gaps, gaps)
    return float(gaps.sum()), int((sums > 0).sum())


def mean_gap(ops: Ops[A], parts: Sequence[tuple[float, int]]) -> float:
    """Return the mean gap of all blocks."""
    n_rows = sum(n for _, n in parts)
    return sum(gap for gap, _ in parts) / n_rows if n_rows else 0.0


def similarity_values(ops: Ops[A], candidates: Candidates[A]) -> A:
    """Return similarities as values, in [0, 1]."""
    return ops.clip(ops.where(candidates.valid, candidates.score, 0.0), 0.0, 1.0)


def share_out_rows(ops: Ops[A], value: A) -> A:
    """Return each row scaled to a sum of one."""
    sums = value.sum(1)[:, None]
    return ops.where(sums > 0, value / ops.where(sums > 0, sums, 1.0), 0.0)
