"""Assigned candidates to links: one right entity for a left one and no right one twice, or more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.assign.sinkhorn import Assignment, assign
from lighttea.kernels.assignment import SCORE_TIE
from lighttea.similarity.topk import Candidates
from lighttea.types import Floats, Ints, LeftIds, RightIds

VALUE_TIE = 1e-4  # a share of a value: as good as equal
DECIMALS = 5  # of what decides between two claims


@dataclass(frozen=True)
class Best:
    """The best candidate of each row that has one."""

    row: Ints
    column: Ints  # position within the row's candidates
    left: LeftIds
    right: RightIds
    score: Floats  # before assignment
    value: Floats  # after assignment
    confidence: Floats  # the chance to be right, or the value where there is none
    margin: Floats  # in confidence, to the runner-up

    def take(self, places: Ints) -> Best:
        """Some of them."""
        return Best(**{name: column[places] for name, column in vars(self).items()})


def best_candidates(candidates: Candidates, assignment: Assignment) -> Best:
    """Each left entity's best candidate by its value; see `best_columns` for ties."""
    column = best_columns(candidates, assignment)
    value = assignment.value[np.arange(len(column)), column]
    row = np.flatnonzero(candidates.valid[np.arange(len(column)), column] & (value > 0))
    column = column[row]
    place = candidates.index[row, column]
    return Best(
        row=row,
        column=column,
        left=LeftIds(candidates.left[row]),
        right=RightIds(candidates.right[place]),
        score=candidates.score[row, column],
        value=assignment.value[row, column],
        confidence=assignment.sureness[row, column],
        margin=_margins(assignment.sureness[row], column),
    )


def best_columns(candidates: Candidates, assignment: Assignment) -> Ints:
    """The column of each row's best candidate, any where there is none.

    Entities that nothing tells apart have the same values but for rounding. Among values that are
    as good as equal the higher score decides, among such scores the lower number: so that it does
    not matter in which order sums were made.
    """
    value = np.where(candidates.valid, assignment.value, -np.inf)
    top = value.max(axis=1, keepdims=True, initial=-np.inf)
    score = np.where(value >= top * np.float32(1 - VALUE_TIE), candidates.score, -np.inf)
    best = score.max(axis=1, keepdims=True, initial=-np.inf)
    last = np.iinfo(np.int32).max
    place = np.where(score >= best - np.float32(SCORE_TIE), candidates.index, last)
    return np.asarray(place.argmin(axis=1))


def best_n_candidates(candidates: Candidates, assignment: Assignment, n: int) -> Best:
    """Each left entity's n best candidates by their values; ties go to the higher score.

    The margin is negative for all but a row's best.
    """
    row, column, _ = best_order(candidates, assignment, n)
    return Best(
        row=row,
        column=column,
        left=LeftIds(candidates.left[row]),
        right=RightIds(candidates.right[candidates.index[row, column]]),
        score=candidates.score[row, column],
        value=assignment.value[row, column],
        confidence=assignment.sureness[row, column],
        margin=_margins(assignment.sureness[row], column),
    )


def best_order(candidates: Candidates, assignment: Assignment, n: int) -> tuple[Ints, Ints, Ints]:
    """Row, column and rank of each row's n best candidates; equal values in order of scores.

    The first is that of `best_columns`.
    """
    value, valid = assignment.value.copy(), candidates.valid
    value[np.arange(len(value)), best_columns(candidates, assignment)] = np.inf
    n = min(n, value.shape[1])
    by_score = np.argsort(-candidates.score, axis=1, kind="stable")
    values = np.take_along_axis(np.where(valid, -value, np.inf), by_score, axis=1)
    first = np.argsort(values, axis=1, kind="stable")[:, :n]
    column = np.take_along_axis(by_score, first, axis=1).reshape(-1)  # (n_rows * n,)
    row = np.repeat(np.arange(len(value)), n)
    rank = np.tile(np.arange(1, n + 1, dtype=np.int32), len(value))
    there = valid[row, column]
    return row[there], column[there], rank[there]


def rows_for_themselves(candidates: Candidates, *, temperature: float) -> Assignment:
    """Values where a right entity may be taken by many: each left entity shares out its own one.

    Columns are normalised once before, so that a right entity that looks like everybody is no
    favourite; two left entities that both want one lose nothing by it.
    """
    value = assign(candidates, temperature=temperature, iterations=1).value
    sums = value.sum(axis=1, keepdims=True)
    return Assignment(np.divide(value, sums, out=np.zeros_like(value), where=sums > 0), 0.0)


def claims(best: Best, left: LeftIds, right: RightIds) -> Best:
    """The best candidates that could be new links where these are taken, no right one twice."""
    free = ~np.isin(best.left, left) & ~np.isin(best.right, right)
    return one_to_one(best.take(np.flatnonzero(free)))


def one_to_one(best: Best) -> Best:
    """Where several left entities claim a right one the most confident claim stands.

    The others are left without a link: with their best candidate taken they are more likely
    dangling than second choice.
    """
    weightiest_last = best.margin, best.value, best.confidence
    order = np.lexsort([-np.round(claim, DECIMALS) for claim in weightiest_last])
    _, first = np.unique(best.right[order], return_index=True)
    kept = np.sort(order[first])
    return best.take(kept)


def _margins(value: Floats, column: Ints) -> Floats:
    """Value of the chosen candidate less the largest other value in its row."""
    rows = np.arange(len(value))
    others = value.copy()
    others[rows, column] = -np.inf
    runner_up = others.max(axis=1, initial=-np.inf)
    return np.asarray(value[rows, column] - np.maximum(runner_up, 0), np.float32)
