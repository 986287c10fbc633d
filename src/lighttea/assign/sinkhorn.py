"""The Sinkhorn operator on sparse candidates (eq. 10-12), in scaling form.

P = diag(u) K diag(v) with K = exp(S' / t). Subtracting each row's maximum first changes nothing
in P (the first row normalisation takes any factor of a row out again) and keeps K in (0, 1], so
no temperature overflows; what underflows is a candidate that no assignment would choose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.kernels import assignment
from lighttea.kernels.threads import current_threads
from lighttea.similarity.topk import Candidates
from lighttea.types import Doubles, Floats

TINY = 1e-290  # below this a column has underflowed: nobody wants it


@dataclass(frozen=True)
class Assignment:
    """The value of each candidate after assignment, and how far rows are from summing to one."""

    value: Floats  # (n, k), in [0, 1]
    marginal_gap: float  # mean absolute deviation of the row sums from one
    confidence: Floats | None = None  # (n, k) chance to be right, where it is estimated
    share: float | None = None  # of the left entities that have a counterpart, where estimated

    @property
    def sureness(self) -> Floats:
        """How sure each candidate is: its chance, or the value where there is none."""
        return self.value if self.confidence is None else self.confidence


def assign(candidates: Candidates, *, temperature: float, iterations: int) -> Assignment:
    """m alternations of row and column normalisation (eq. 11) of S' / t (eq. 12)."""
    kernel = _gibbs_kernel(candidates, temperature)  # K, (n, k)
    row_scale = np.zeros(len(kernel), np.float64)  # u
    column_scale = np.ones(len(candidates.right), np.float64)  # v
    nothing = np.zeros(len(kernel), np.float64)  # everybody has to choose
    for _ in range(iterations):
        parts = np.zeros((current_threads(), len(column_scale)), np.float64)
        assignment.scale_rows_and_sum_columns(
            kernel, candidates.index, column_scale, nothing, row_scale, parts
        )
        sums = parts.sum(axis=0)
        column_scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > TINY)
    value = np.empty(kernel.shape, np.float32)
    assignment.finish_assignment(kernel, candidates.index, row_scale, column_scale, value)
    return Assignment(value, _gap(value))


def without_assignment(candidates: Candidates) -> Assignment:
    """The ablation without the Sinkhorn operator: a candidate's value is its similarity."""
    return Assignment(np.where(candidates.valid, candidates.score, 0).clip(0, 1), 0.0)


def _gibbs_kernel(candidates: Candidates, temperature: float) -> Doubles:
    kernel = candidates.score.astype(np.float64)
    kernel[~candidates.valid] = -np.inf
    best = kernel.max(axis=1, keepdims=True)
    best[~np.isfinite(best)] = 0  # a row without candidates
    kernel -= best
    kernel /= temperature
    return np.asarray(np.exp(kernel, out=kernel))


def _gap(value: Floats) -> float:
    """Measured on rows that kept any mass; columns sum to one by construction."""
    sums = value.sum(axis=1, dtype=np.float64)
    filled = sums > 0
    return float(np.abs(sums[filled] - 1).mean()) if filled.any() else 0.0
