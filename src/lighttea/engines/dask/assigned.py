"""Sinkhorn and confidence by row blocks; what the columns need is summed over the blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.assign.confidence import (
    LOOKED_AT,
    SHARES,
    SPREAD,
    UPDATES,
    Noise,
    _best_of_rows,
    _excess,
    _levels,
    _scale,
)
from lighttea.assign.sinkhorn import TINY, Assignment, _gibbs_kernel
from lighttea.assign.sinkhorn import without_assignment as _without
from lighttea.engines.base import Chances
from lighttea.engines.dask.connection import Connection, Future
from lighttea.kernels import assignment
from lighttea.kernels.threads import current_threads
from lighttea.similarity.topk import Candidates
from lighttea.types import Doubles, Floats

_BEGIN_SHARE = 0.8  # of the entities with a counterpart, before anything is known


@dataclass(frozen=True)
class Kernel:
    """exp of the scores of a block, and what a row keeps that may choose nothing."""

    value: Doubles  # (n, k)
    keep: Doubles  # (n,)


@dataclass(frozen=True)
class Columns:
    """What all blocks have to know of the right side: (n_right,), and the share estimated."""

    scale: Doubles
    share: float = _BEGIN_SHARE

    @property
    def stay(self) -> float:
        """What weighs choosing nothing."""
        return SPREAD * (1 - self.share) / self.share


@dataclass(frozen=True)
class Sums:
    """What the rows of some blocks add to the columns, and how many rows chose nothing."""

    columns: Doubles  # (n_right,)
    kept: float
    counted: int


def assigned(
    to: Connection, tables: Sequence[Future], n_right: int, temperature: float, iterations: int
) -> Assignment:
    """m alternations of row and column normalisation (eq. 11) of S' / t (eq. 12)."""
    kernels = [to.submit(gibbs, one, temperature) for one in tables]
    before = after = to.submit(first_columns, n_right)
    for _ in range(iterations):
        before = after
        after = to.submit(next_columns, _sums(to, kernels, tables, before))
    value = [
        to.submit(finished, kernel, table, before, after)
        for kernel, table in zip(kernels, tables, strict=True)
    ]
    to.finished(value)
    gaps = to.fetched([to.submit(gap, one) for one in value])
    total, rows = sum(one[0] for one in gaps), sum(one[1] for one in gaps)
    return _assignment(value, total / rows if rows else 0.0)


def without(to: Connection, tables: Sequence[Future]) -> Assignment:
    """The ablation: a candidate's value is its similarity."""
    return _assignment(to.finished([to.submit(similarities, one) for one in tables]))


def for_themselves(
    to: Connection, tables: Sequence[Future], n_right: int, temperature: float
) -> Assignment:
    """Values where a right entity may be taken by many."""
    found: list[Future] = list(assigned(to, tables, n_right, temperature, 1).value)
    return _assignment(to.finished([to.submit(shared_out, one) for one in found]))


def noise_scale(to: Connection, tables: Sequence[Future]) -> float | None:
    """The scale at which wrong scores fall off; None: too few to tell."""
    best = [to.submit(_best_of_rows, one) for one in tables]
    found: float | None = to.fetched(to.submit(scale_of, best, None))
    return found


def confidence(
    to: Connection, tables: Sequence[Future], n_right: int, iterations: int
) -> Chances | None:
    """The chances of all candidates; scales and levels are taken twice, as on one machine."""
    left = [to.submit(_best_of_rows, one) for one in tables]
    right = to.reduced(largest, [to.submit(best_of_columns, one, n_right) for one in tables])
    alone: tuple[list[Future] | None, Future | None] = None, None
    for _ in range(2):
        scale = to.fetched(to.submit(scale_of, left, alone[0]))
        if scale is None:
            return None
        level = to.submit(levels, right, scale, alone[1])
        rows = alone[0] or [None] * len(left)
        noise = [
            to.submit(noise_of, best, scale, some, level)
            for best, some in zip(left, rows, strict=True)
        ]
        kernels = [to.submit(excess, *both) for both in zip(tables, noise, strict=True)]
        columns = _settled_columns(to, kernels, tables, n_right, iterations)
        ended = list(zip(kernels, tables, strict=True))
        alone = [to.submit(chose_nothing, *both, columns) for both in ended], columns
    value = [to.submit(finished, *both, columns, columns) for both in ended]
    to.finished(value)
    return Chances(value, to.fetched(to.submit(share_of, columns)))


def _settled_columns(
    to: Connection, kernels: list[Future], tables: Sequence[Future], n_right: int, iterations: int
) -> Future:
    """Where columns and the share come to when everybody may choose nothing."""
    columns = to.submit(first_columns, n_right)
    every = max(1, -(-iterations // UPDATES))
    for number in range(every * UPDATES):
        sums = _sums(to, kernels, tables, columns)
        columns = to.submit(next_free_columns, sums, columns, number % every == every - 1)
    return columns


def _sums(
    to: Connection, kernels: list[Future], tables: Sequence[Future], columns: Future
) -> list[Future]:
    parts = [
        to.submit(column_sums, kernel, table, columns)
        for kernel, table in zip(kernels, tables, strict=True)
    ]
    return to.narrowed(summed, parts)


def _assignment(value: list[Future], gap: float = 0.0) -> Assignment:
    return Assignment(value, gap)  # type: ignore[arg-type]  # by block, looked into by nobody


# ------------------------------------------------------------------------ in the workers


def gibbs(candidates: Candidates, temperature: float) -> Kernel:
    """K = exp(S' / t) of a block, where everybody has to choose."""
    value = _gibbs_kernel(candidates, temperature)
    return Kernel(value, np.zeros(len(value)))


def excess(candidates: Candidates, noise: Noise) -> Kernel:
    """How far the candidates of a block stand above both levels."""
    return Kernel(*_excess(candidates, noise))


def first_columns(n_right: int) -> Columns:
    """Before the first alternation."""
    return Columns(np.ones(n_right))


def row_scales(
    kernel: Kernel, candidates: Candidates, columns: Columns
) -> tuple[Doubles, Doubles, Doubles]:
    """What rows are multiplied by, what each keeps to itself, and the sums of the columns."""
    nothing = columns.stay * kernel.keep
    rows = np.zeros(len(kernel.value))
    parts = np.zeros((current_threads(), len(columns.scale)))
    assignment.scale_rows_and_sum_columns(
        kernel.value, candidates.index, columns.scale, nothing, rows, parts
    )
    return rows, nothing * rows, parts.sum(axis=0)


def column_sums(kernel: Kernel, candidates: Candidates, columns: Columns) -> Sums:
    """What the rows of a block, scaled to one, add to the columns."""
    _, kept, sums = row_scales(kernel, candidates, columns)
    counted = candidates.valid.any(axis=1)
    return Sums(sums, float(kept[counted].sum()), int(counted.sum()))


def summed(parts: Sequence[Sums]) -> Sums:
    """All blocks together."""
    columns = parts[0].columns.copy()
    for part in parts[1:]:
        columns += part.columns
    return Sums(columns, sum(one.kept for one in parts), sum(one.counted for one in parts))


def next_columns(parts: Sequence[Sums]) -> Columns:
    """What brings each column to one; a column that nobody wants stays at nothing."""
    total = summed(parts).columns
    return Columns(np.divide(1.0, total, out=np.zeros_like(total), where=total > TINY))


def next_free_columns(parts: Sequence[Sums], before: Columns, is_update: bool) -> Columns:
    """The same where right entities may choose nothing too; and the share, now and then."""
    sums, share = summed(parts), before.share
    if is_update:
        chosen = 1 - sums.kept / sums.counted if sums.counted else 0
        share = float(np.clip(chosen, *SHARES))
    return Columns(1 / (sums.columns + 1), share)


def finished(kernel: Kernel, candidates: Candidates, before: Columns, after: Columns) -> Floats:
    """The values of a block: rows by the columns before, columns as they are after."""
    rows, _, _ = row_scales(kernel, candidates, before)
    value = np.empty(kernel.value.shape, np.float32)
    assignment.finish_assignment(kernel.value, candidates.index, rows, after.scale, value)
    return value


def chose_nothing(kernel: Kernel, candidates: Candidates, columns: Columns) -> Doubles:
    """How likely each left entity of a block has no counterpart."""
    _, kept, _ = row_scales(kernel, candidates, columns)
    return np.clip(kept, 0, 1)


def gap(value: Floats) -> tuple[float, int]:
    """How far the rows that kept any mass are from summing to one, in all, and how many."""
    sums = value.sum(axis=1, dtype=np.float64)
    there = sums > 0
    return float(np.abs(sums[there] - 1).sum()), int(there.sum())


def similarities(candidates: Candidates) -> Floats:
    """Similarities for values."""
    return _without(candidates).value


def shared_out(value: Floats) -> Floats:
    """Each row to a sum of one."""
    sums = value.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(value, sums, out=np.zeros_like(value), where=sums > 0))


def best_of_columns(candidates: Candidates, n_right: int) -> Floats:
    """(n_right, 5): the largest scores that a block gives each right entity."""
    best = np.empty((n_right, LOOKED_AT), np.float32)
    assignment.best_of_columns(candidates.score, candidates.index, best)
    return best


def largest(parts: Sequence[Floats]) -> Floats:
    """The largest of all blocks, falling."""
    both = -np.sort(-np.concatenate(parts, axis=1), axis=1)
    return np.ascontiguousarray(both[:, :LOOKED_AT])


def scale_of(best: Sequence[Floats], alone: Sequence[Doubles] | None) -> float | None:
    """The scale of wrong scores by the best of all left entities."""
    whole = np.concatenate(best)
    return _scale(whole, np.zeros(len(whole)) if alone is None else np.concatenate(alone))


def levels(best: Floats, scale: float, columns: Columns | None) -> Doubles:
    """The level of each right entity, by how likely it has no counterpart so far."""
    alone = np.zeros(len(best)) if columns is None else np.clip(columns.scale, 0, 1)
    return _levels(best, scale, alone)


def noise_of(best: Floats, scale: float, alone: Doubles | None, right: Doubles) -> Noise:
    """The noise of a block: its own levels and those of the right side."""
    alone = np.zeros(len(best)) if alone is None else alone
    return Noise(scale, _levels(best, scale, alone), right)


def share_of(columns: Columns) -> float:
    """The share of left entities that have a counterpart."""
    return columns.share
