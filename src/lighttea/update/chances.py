"""Pairs that nothing has touched: what the last run thought of them counts as much as the new.

Decoys and labels are drawn at random, so a doubtful pair that is tried again may fall on the other
side of the threshold by chance alone. Two draws are better than one: the log-odds of such a pair
are the mean of those of the last run and those of the part (docs/decisions/update.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from lighttea.engines.base import Blocks, Ops
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.results.run import Run
from lighttea.similarity.candidates import Candidates, row_blocks
from lighttea.solve.problem import Problem
from lighttea.solve.solve import Step
from lighttea.solve.workspace import Workspace
from lighttea.types import A, Bools, Doubles, Ints
from lighttea.update.last import PAIR, ids_of_pairs

LEAST = 1e-4  # chance of a pair that the last run did not keep or found impossible


@dataclass(frozen=True)
class LastChances:
    """How likely a run found its candidates, and the entities of which that says little now.

    Those are the touched ones: facts of their own have changed, or of who they were linked to.
    """

    pairs: Links
    chance: Doubles  # of each of them
    left_touched: Bools  # (n_left,)
    right_touched: Bools  # (n_right,)

    @classmethod
    def of(
        cls, run: Run, left: Graph, right: Graph, left_touched: Bools, right_touched: Bools
    ) -> LastChances | None:
        """Return what a run found; None where its confidence is no probability."""
        if run.links["fdr"].null_count():
            return None
        likely = run.candidates.lazy().filter(pl.col("confidence") > LEAST)
        table = likely.select(*PAIR, "confidence").collect()
        pairs, places = ids_of_pairs(table, left, right)
        chance = table["confidence"].to_numpy()[places].astype(np.float64)
        return cls(pairs, chance, left_touched, right_touched)

    def in_problem(self, problem: Problem) -> PlacedChances:
        """Return the same by the rows and places of a problem."""
        places = [
            np.searchsorted(ids, own)  # beyond the end where it is larger than all
            for ids, own in ((problem.left, self.pairs.left), (problem.right, self.pairs.right))
        ]
        is_there = np.isin(self.pairs.left, problem.left) & np.isin(self.pairs.right, problem.right)
        key = (places[0] * len(problem.right) + places[1])[is_there]
        order = np.argsort(key)
        of_targets = ~self.right_touched[problem.right[: problem.n_targets]]
        of_decoys = np.zeros(len(problem.right) - problem.n_targets, bool)
        return PlacedChances(
            key[order],
            self.chance[is_there][order],
            ~self.left_touched[problem.left],
            np.concatenate([of_targets, of_decoys]),
        )


@dataclass(frozen=True)
class PlacedChances:
    """Chances of the last run by the rows and places of a problem."""

    key: Ints  # row * n_right + place, rising
    chance: Doubles
    same_left: Bools  # (n_left,) rows that were not touched
    same_right: Bools  # (n_right,) places likewise; decoys have no earlier chance


def with_last_chances(work: Workspace[A], step: Step[A], last: LastChances | None) -> Step[A]:
    """Return a step whose confidence in pairs that were not touched is the mean of both.

    An entity that was not touched is linked to its likeliest candidate by that.
    """
    engine, assignment = work.engine, step.result.assignment
    if last is None or assignment.probability is None:
        return step
    placed = last.in_problem(work.problem)
    own = engine.hold(placed)
    begins = Blocks(engine.hold(begin) for begin in engine.layout.left.begins)
    same = Blocks(engine.hold(placed.same_left[rows]) for rows in engine.layout.left)
    probability = engine.map(
        average_chances, step.result.candidates, assignment.probability, own, same, begins
    )
    value = engine.map(choose_rows, probability, assignment.value, same)
    assignment = replace(assignment, value=value, probability=probability)
    return replace(step, result=replace(step.result, assignment=assignment))


# ----------------------------------------------------------------------------- of one block


def average_chances(
    ops: Ops[A],
    candidates: Candidates[A],
    chance: A,
    last: PlacedChances,
    same_left: Bools,
    begin: int,
) -> A:
    """Return the chances of a block, the mean of log-odds where neither entity was touched."""
    keys, chances = ops.asarray(last.key, "int64"), ops.asarray(last.chance, "float64")
    left, right = ops.asarray(same_left), ops.asarray(last.same_right)
    n_right, out = len(last.same_right), ops.copy(chance)
    for rows in row_blocks(len(out)):
        place = ops.astype(candidates.index[rows], "int64")
        place = ops.where(place >= 0, place, 0)
        row = ops.arange(rows.stop)[rows.start :] + begin
        before = look_up(ops, keys, chances, row[:, None] * n_right + place)
        mean = average_log_odds(ops, before, ops.astype(out[rows], "float64"))
        is_same = candidates.valid[rows] & left[rows][:, None] & right[place]
        out[rows] = ops.where(is_same, ops.astype(mean, "float32"), out[rows])
    return out


def look_up(ops: Ops[A], keys: A, values: A, wanted: A) -> A:
    """Return the value of each wanted key, 0 where there is none."""
    if not len(keys):
        return ops.full(tuple(wanted.shape), 0.0, "float64")
    flat: A = wanted.reshape(-1)
    at = ops.clip(ops.searchsorted(keys, flat), 0, len(keys) - 1)
    found: A = ops.where(ops.equal(keys[at], flat), values[at], 0.0).reshape(tuple(wanted.shape))
    return found


def average_log_odds(ops: Ops[A], one: A, other: A) -> A:
    """Return the chance whose log-odds are the mean of those of two."""
    odds = [
        ops.log(p / (1 - p)) for p in (ops.clip(each, LEAST, 1 - LEAST) for each in (one, other))
    ]
    mean: A = 1 / (1 + ops.exp(-(odds[0] + odds[1]) / 2))
    return mean


def choose_rows(ops: Ops[A], table: A, other: A, chosen: Bools) -> A:
    """Return chosen rows of one table and the rest of another."""
    return ops.where(ops.asarray(chosen)[:, None], table, other)
