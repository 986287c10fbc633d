"""Pairs that nothing has touched: what the last run thought of them counts on.

Decoys are drawn at random and confidence is told by them, so a doubtful pair that is tried again
may fall on the other side of the threshold by chance alone. So its confidence stays; where the link
of a neighbour has changed, there is something new to tell, and the log-odds are the mean of those
of the last run and those of the part (docs/decisions/update.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from lighttea.engines.base import Blocks
from lighttea.engines.ops import Ops
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.results.run import Run
from lighttea.similarity.candidates import Candidates, row_blocks
from lighttea.solve.problem import Problem
from lighttea.solve.record import matches_of
from lighttea.solve.solve import Step
from lighttea.solve.workspace import Workspace
from lighttea.types import A, Bools, Doubles, Ints
from lighttea.update.around import near_changed_links
from lighttea.update.last import PAIR, ids_of_pairs

LEAST = 1e-4  # chance of a pair that the last run did not keep or found impossible
ALL, HALF, NONE = 1.0, 0.5, 0.0  # what the last chance counts, beside the new one


@dataclass(frozen=True)
class LastChances:
    """How likely a run found its candidates, and the entities of which that says little now.

    Those are the touched ones: facts of their own have changed, or of who they were linked to.
    """

    pairs: Links
    chance: Doubles  # of each of them
    links: Links  # with the seeds
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
        linked = pl.concat([run.seeds.select(PAIR), run.best_links.select(PAIR)])
        links, _ = ids_of_pairs(linked, left, right)
        return cls(pairs, chance, links, left_touched, right_touched)

    def counts(self, near_left: Bools, near_right: Bools) -> tuple[Doubles, Doubles]:
        """Return what the last chance counts for each left and each right entity.

        Those near a link that has changed are given.
        """
        touched, near = (self.left_touched, self.right_touched), (near_left, near_right)
        left, right = (
            np.where(own, NONE, np.where(by, HALF, ALL))
            for own, by in zip(touched, near, strict=True)
        )
        return left, right

    def in_problem(self, problem: Problem, left: Doubles, right: Doubles) -> PlacedChances:
        """Return the same by the rows and places of a problem, with what it counts."""
        places = [
            np.searchsorted(ids, own)  # beyond the end where it is larger than all
            for ids, own in ((problem.left, self.pairs.left), (problem.right, self.pairs.right))
        ]
        is_there = np.isin(self.pairs.left, problem.left) & np.isin(self.pairs.right, problem.right)
        key = (places[0] * len(problem.right) + places[1])[is_there]
        order = np.argsort(key)
        of_targets = right[problem.right[: problem.n_targets]]
        of_decoys = np.full(len(problem.right) - problem.n_targets, NONE)
        return PlacedChances(
            key[order],
            self.chance[is_there][order],
            left[problem.left],
            np.concatenate([of_targets, of_decoys]),
        )


@dataclass(frozen=True)
class PlacedChances:
    """Chances of the last run by the rows and places of a problem."""

    key: Ints  # row * n_right + place, rising
    chance: Doubles
    left: Doubles  # (n_left,) what they count in each row
    right: Doubles  # (n_right,) at each place likewise; decoys have no earlier chance


def with_last_chances(
    work: Workspace[A], step: Step[A], last: LastChances | None, left: Graph, right: Graph
) -> Step[A]:
    """Return a step with the confidence of the last run in pairs that were not touched.

    An entity that was not touched is linked to its likeliest candidate by that.
    """
    engine, assignment = work.engine, step.result.assignment
    if last is None or assignment.probability is None:
        return step
    near = near_changed_links(left, right, *_links_to_compare(work, step, last))
    placed = last.in_problem(work.problem, *last.counts(*near))
    own = engine.hold(placed)
    begins = Blocks(engine.hold(begin) for begin in engine.layout.left.begins)
    rows = Blocks(engine.hold(placed.left[rows]) for rows in engine.layout.left)
    probability = engine.map(
        join_chances, step.result.candidates, assignment.probability, own, rows, begins
    )
    value = engine.map(choose_rows, probability, assignment.value, rows)
    assignment = replace(assignment, value=value, probability=probability)
    return replace(step, result=replace(step.result, assignment=assignment))


def _links_to_compare(work: Workspace[A], step: Step[A], last: LastChances) -> tuple[Links, Links]:
    """Return the links of the last run and those there are now.

    Both without those of entities that are worked on although nothing has touched them.
    """
    problem = work.problem
    result = replace(step.result, candidates=work.strike_decoys(step.result.candidates))
    matches = matches_of(work, result)
    found = work.links_of(matches.row, matches.place)
    now = problem.known.extended(found.take(last.left_touched[found.left]))
    is_settled = np.ones(len(last.left_touched), bool)
    is_settled[problem.left] = last.left_touched[problem.left]
    return last.links.take(is_settled[last.links.left]), now


# ----------------------------------------------------------------------------- of one block


def join_chances(
    ops: Ops[A],
    candidates: Candidates[A],
    chance: A,
    last: PlacedChances,
    left: Doubles,
    begin: int,
) -> A:
    """Return the chances of a block: the last ones, the new ones, or the mean of log-odds.

    `left` is what the last ones count in each row; they count no more than at the right entity.
    """
    keys, chances = ops.asarray(last.key, "int64"), ops.asarray(last.chance, "float64")
    by_left, by_right = (ops.asarray(counts, "float64") for counts in (left, last.right))
    n_right, out = len(last.right), ops.copy(chance)
    for rows in row_blocks(len(out)):
        place = ops.astype(candidates.index[rows], "int64")
        place = ops.where(place >= 0, place, 0)
        row = ops.arange(rows.stop)[rows.start :] + begin
        before = look_up(ops, keys, chances, row[:, None] * n_right + place)
        mean = average_log_odds(ops, before, ops.astype(out[rows], "float64"))
        of_row, of_place = 0 * before + by_left[rows][:, None], by_right[place]
        counts = ops.where(of_row < of_place, of_row, of_place)
        joined = ops.where(counts >= ALL, before, mean)
        counts = ops.where(candidates.valid[rows], counts, NONE)
        out[rows] = ops.where(counts > NONE, ops.astype(joined, "float32"), out[rows])
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


def choose_rows(ops: Ops[A], table: A, other: A, counts: Doubles) -> A:
    """Return the rows of one table where the last chance counts, and the rest of another."""
    return ops.where((ops.asarray(counts, "float64") > NONE)[:, None], table, other)
