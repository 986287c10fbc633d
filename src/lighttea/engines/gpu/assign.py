"""Sinkhorn, confidence and the best candidates, on the device. See the room `assign`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from scipy.special import digamma

from lighttea.assign.confidence import FEWEST, LOOKED_AT, SHARES, SPREAD, STEEPEST, UPDATES
from lighttea.assign.decode import DECIMALS, VALUE_TIE, Best
from lighttea.assign.sinkhorn import TINY, Assignment
from lighttea.engines.base import Chances
from lighttea.engines.gpu.candidates import NONE, Table
from lighttea.engines.gpu.device import Device, blocks, host
from lighttea.engines.gpu.ragged import segment_sums
from lighttea.kernels.assignment import SCORE_TIE
from lighttea.types import Ints, LeftIds, RightIds


@dataclass(frozen=True)
class Columns:
    """The places of a table in the order of their right entities: who wants whom."""

    order: torch.Tensor  # flat places, the empty ones left out
    length: torch.Tensor  # (n_right,)
    index: torch.Tensor  # (n, k) with 0 for the empty ones
    valid: torch.Tensor

    @classmethod
    def of(cls, table: Table, n_right: int) -> Columns:
        """Sorted once for all alternations."""
        flat = torch.where(table.valid, table.index, n_right).reshape(-1)
        order = torch.argsort(flat, stable=True)
        length = torch.bincount(flat, minlength=n_right + 1)[:n_right]
        n_valid = int(length.sum())
        return cls(order[:n_valid], length, table.index.clamp_min(0).long(), table.valid)

    def sums(self, values: torch.Tensor) -> torch.Tensor:
        """(n_right,) what each right entity gets."""
        return segment_sums(values.reshape(-1)[self.order], self.length)


def assign(table: Table, n_right: int, temperature: float, iterations: int) -> Assignment:
    """m alternations of row and column normalisation (eq. 11) of S' / t (eq. 12)."""
    kernel = table.score.to(torch.float64).masked_fill(~table.valid, -math.inf)
    best = kernel.amax(1, keepdim=True)
    kernel = ((kernel - torch.where(best.isfinite(), best, 0)) / temperature).exp()
    columns = Columns.of(table, n_right)
    scale = torch.ones(n_right, dtype=torch.float64, device=kernel.device)
    rows = torch.zeros(len(kernel), dtype=torch.float64, device=kernel.device)
    for _ in range(iterations):
        rows = _inverse((kernel * scale[columns.index]).sum(1))
        sums = columns.sums(kernel * rows[:, None])
        scale = torch.where(sums > TINY, 1 / sums.clamp_min(TINY), 0)
    value = (kernel * rows[:, None] * scale[columns.index]).to(torch.float32)
    return _assignment(value, _gap(value))


def _assignment(value: Any, gap: float = 0.0) -> Assignment:
    """Tensors in place of arrays."""
    return Assignment(value, gap)


def without_assignment(table: Table) -> Assignment:
    """A candidate's value is its similarity."""
    value = torch.where(table.valid, table.score, 0).clamp(0, 1)
    return _assignment(value)


def for_themselves(table: Table, n_right: int, temperature: float) -> Assignment:
    """Each left entity shares out its own one; columns are normalised once before."""
    value = torch.as_tensor(assign(table, n_right, temperature, 1).value)
    sums = value.sum(1, keepdim=True)
    value = torch.where(sums > 0, value / sums.clamp_min(1e-30), 0)
    return _assignment(value)


def noise_scale(table: Table) -> float | None:
    """The scale at which wrong scores fall off; None where there are too few to tell."""
    best = best_of_rows(table)
    return _scale(best, torch.zeros(len(best), dtype=torch.float64, device=best.device))


def confidence(table: Table, n_right: int, iterations: int) -> Chances | None:
    """The chance of each candidate to be right. See `assign.confidence`."""
    columns = Columns.of(table, n_right)
    left, right = best_of_rows(table), _best_of_columns(table, columns)
    alone = [torch.zeros(len(one), dtype=torch.float64, device=one.device) for one in (left, right)]
    found = None
    for _ in range(2):
        scale = _scale(left, alone[0])
        if scale is None:
            return None
        levels = [_levels(one, scale, off) for one, off in zip((left, right), alone, strict=True)]
        found, alone = _chances(table, columns, scale, levels, iterations)
    return found


def best_of_rows(table: Table) -> torch.Tensor:
    """(n, 5): the largest scores of each row, falling; 0 where there are fewer."""
    score = torch.where(table.valid, table.score, 0)
    return _padded(score.topk(min(LOOKED_AT, score.shape[1]), dim=1).values)


def _best_of_columns(table: Table, columns: Columns) -> torch.Tensor:
    """(n_right, 5): the largest scores of those who have it for a candidate, falling."""
    score = table.score.reshape(-1)[columns.order]
    owner = torch.repeat_interleave(
        torch.arange(len(columns.length), device=score.device), columns.length
    )
    falling = torch.argsort(score, descending=True, stable=True)
    order = falling[torch.argsort(owner[falling], stable=True)]
    first = torch.cumsum(columns.length, 0) - columns.length
    rank = torch.arange(len(order), device=score.device) - first[owner]
    kept = rank < LOOKED_AT
    out = torch.zeros((len(columns.length), LOOKED_AT), device=score.device)
    out[owner[kept], rank[kept]] = score[order][kept]
    return out.clamp_min(0)


def _padded(best: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.pad(best, (0, LOOKED_AT - best.shape[1])).clamp_min(0)


def _scale(best: torch.Tensor, alone: torch.Tensor) -> float | None:
    """As `assign.confidence._scale`."""
    some = best[:, 3] > 0
    if int(some.sum()) < FEWEST:
        return None
    best, alone = best[some], alone[some]
    first = (best[:, 1] - best[:, 2]) * (1 + alone)
    second = (best[:, 2] - best[:, 3]) * (2 + alone)
    here, below = float(first.mean()), float(second.mean())
    scale = float(first.quantile(0.5)) / math.log(2) or here
    return scale * min(here / below, STEEPEST) ** 2 if scale and below else scale or None


def _levels(best: torch.Tensor, scale: float, alone: torch.Tensor) -> torch.Tensor:
    place = torch.arange(1, LOOKED_AT, device=best.device)
    usual = torch.as_tensor(digamma(range(1, LOOKED_AT)), device=best.device)
    return (best[:, 1:] + scale * (usual + alone[:, None] / place)).mean(1)


def _chances(
    table: Table,
    columns: Columns,
    scale: float,
    levels: list[torch.Tensor],
    iterations: int,
) -> tuple[Chances, list[torch.Tensor]]:
    """Assignment at the scale of the noise, where everybody may choose nothing."""
    level = (levels[0][:, None] + levels[1][columns.index]) / 2
    kernel = ((table.score - level) / scale).masked_fill(~table.valid, -math.inf)
    best = kernel.amax(1).clamp_min(0)
    kernel, keep = (kernel - best[:, None]).exp(), (-best).exp()
    share, scaled = 0.8, torch.ones(len(columns.length), dtype=torch.float64, device=best.device)
    counted = table.valid.any(1)
    every = max(1, -(-iterations // UPDATES))
    for number in range(every * UPDATES + 1):
        stay = SPREAD * (1 - share) / share
        rows = _inverse((kernel * scaled[columns.index]).sum(1) + stay * keep)
        if number == every * UPDATES:
            break
        scaled = 1 / (columns.sums(kernel * rows[:, None]) + 1)
        if number % every == every - 1:
            kept = (stay * keep * rows)[counted]
            share = min(max(1 - float(kept.mean()) if len(kept) else 0, SHARES[0]), SHARES[1])
    value = kernel * rows[:, None] * scaled[columns.index]
    alone = [(stay * keep * rows).clamp(0, 1), scaled.clamp(0, 1)]
    return Chances(value.to(torch.float32), share), alone


def _inverse(sums: torch.Tensor) -> torch.Tensor:
    return torch.where(sums > 0, 1 / sums.clamp_min(1e-300), 0)


def _gap(value: torch.Tensor) -> float:
    sums = value.sum(1, dtype=torch.float64)
    filled = sums > 0
    return float((sums[filled] - 1).abs().mean()) if bool(filled.any()) else 0.0


def best_candidates(table: Table, assignment: Assignment, left: Ints, right: Ints) -> Best:
    """Each left entity's best candidate by its value."""
    return _gathered(table, assignment, *_best_places(table, assignment), left, right)


def _best_places(table: Table, assignment: Assignment) -> tuple[torch.Tensor, torch.Tensor]:
    """Row and column of the best candidate of each row that has one."""
    value, column = torch.as_tensor(assignment.value), best_columns(table, assignment)
    rows = torch.arange(len(column), device=column.device)
    row = torch.nonzero(table.valid[rows, column] & (value[rows, column] > 0)).reshape(-1)
    return row, column[row]


def claims(
    table: Table,
    assignment: Assignment,
    left: Ints,
    right: Ints,
    left_taken: torch.Tensor,
    right_taken: torch.Tensor,
) -> Best:
    """The best candidates that could be new links, no right one twice: `assign.decode.claims`."""
    row, column = _best_places(table, assignment)
    place = table.index[row, column].long()
    free = ~left_taken[row] & ~right_taken[place]
    row, column, place = row[free], column[free], place[free]
    sure, margin = _sure_and_margin(assignment, row, column)
    order = torch.arange(len(row), device=row.device)
    for claim in (margin, torch.as_tensor(assignment.value)[row, column], sure):
        rounded = claim[order].round(decimals=DECIMALS)
        order = order[torch.argsort(rounded, descending=True, stable=True)]
    order = order[torch.argsort(place[order], stable=True)]
    first = torch.ones(len(order), dtype=torch.bool, device=order.device)
    first[1:] = place[order][1:] != place[order][:-1]
    kept = order[first].sort().values
    return _gathered(table, assignment, row[kept], column[kept], left, right)


def best_columns(table: Table, assignment: Assignment) -> torch.Tensor:
    """As `assign.decode.best_columns`."""
    value = torch.as_tensor(assignment.value).masked_fill(~table.valid, -math.inf)
    near = value >= value.amax(1, keepdim=True) * (1 - VALUE_TIE)
    score = table.score.masked_fill(~(near & table.valid), -math.inf)
    return _lowest(table.index, score).argmin(1)


def _lowest(index: torch.Tensor, score: torch.Tensor) -> torch.Tensor:
    """The places of those whose scores are as good as the best, something large elsewhere."""
    near = score >= score.amax(1, keepdim=True) - SCORE_TIE
    return index.masked_fill(~near, torch.iinfo(torch.int32).max)


def best_n_candidates(
    table: Table, assignment: Assignment, left: Ints, right: Ints, n: int
) -> Best:
    """Each left entity's n best candidates; the margin is negative for all but the best."""
    row, column, _ = best_order(table, assignment, n)
    return _gathered(table, assignment, row, column, left, right)


def best_order(
    table: Table, assignment: Assignment, n: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Row, column and rank of each row's n best candidates; equal values in order of scores."""
    value = torch.as_tensor(assignment.value).masked_fill(~table.valid, -math.inf)
    value.scatter_(1, best_columns(table, assignment)[:, None], math.inf)
    n = min(n, value.shape[1])
    score = table.score.masked_fill(~table.valid, -math.inf)
    by_score = torch.argsort(score, dim=1, descending=True, stable=True)
    first = torch.argsort(value.gather(1, by_score), dim=1, descending=True, stable=True)[:, :n]
    column = by_score.gather(1, first).reshape(-1)
    row = torch.arange(len(value), device=value.device).repeat_interleave(n)
    rank = torch.arange(1, n + 1, dtype=torch.int32, device=value.device).repeat(len(value))
    there = table.valid[row, column]
    return row[there], column[there], rank[there]


def settled_table(table: Table, assignment: Assignment, rows: torch.Tensor, k: int) -> torch.Tensor:
    """The k best candidates of some rows."""
    value = torch.as_tensor(assignment.value)[rows] + 1e-6 * table.score[rows]
    index = table.index[rows]
    best = value.masked_fill(index == NONE, -math.inf).topk(k, dim=1, sorted=False).indices
    return index.gather(1, best)


def wanted(table: Table, time: float, consensus: float, device: Device) -> int:
    """How many right entities are the best candidate of somebody under these weights."""
    best = torch.empty(len(table.index), dtype=torch.int32, device=table.index.device)
    for block in blocks(len(best), device.rows(40 * max(1, table.index.shape[1]), len(best) or 1)):
        part = Table(
            table.index[block],
            table.label[block],
            None if table.time is None else table.time[block],
            table.score[block],
            None if table.consensus is None else table.consensus[block],
        )
        score = part.blended(time, consensus).masked_fill(~part.valid, -math.inf)
        best[block] = _lowest(part.index, score).amin(1)
    return len(torch.unique(best[best >= 0]))


def _gathered(
    table: Table,
    assignment: Assignment,
    row: torch.Tensor,
    column: torch.Tensor,
    left: Ints,
    right: Ints,
) -> Best:
    """Those candidates as plain arrays, with their margins."""
    chosen, margin = _sure_and_margin(assignment, row, column)
    rows, place = host(row), host(table.index[row, column])
    return Best(
        row=rows,
        column=host(column),
        left=LeftIds(left[rows]),
        right=RightIds(right[place]),
        score=host(table.score[row, column]),
        value=host(torch.as_tensor(assignment.value)[row, column]),
        confidence=host(chosen),
        margin=host(margin),
    )


def _sure_and_margin(
    assignment: Assignment, row: torch.Tensor, column: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The confidence of these candidates, and how far it stands above that of the runner-up."""
    sure = torch.as_tensor(assignment.sureness)
    chosen = sure[row, column]
    two, at = sure.topk(min(2, sure.shape[1]), dim=1)
    other = torch.where(at[row, 0] == column, two[row, -1] if two.shape[1] > 1 else 0, two[row, 0])
    return chosen, chosen - other.clamp_min(0)
