"""Assigned candidates to links: one right entity for a left one and no right one twice, or more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

import numpy as np

from lighttea.assign.sinkhorn import Assignment
from lighttea.config import Config
from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.ops import Ops
from lighttea.kernels.assignment import SCORE_TIE
from lighttea.propagate.labels import Labels
from lighttea.similarity.candidates import Candidates, score_terms
from lighttea.similarity.carry import CarriedCandidates, carry_over, join_carried
from lighttea.similarity.exact import label_dots
from lighttea.types import NO_CANDIDATE, A, Bools, Floats, Ints, NumpyArray

VALUE_TIE = 1e-4  # a share of a value: as good as equal
DECIMALS = 5  # of what decides between two left entities that claim one right entity

T = TypeVar("T")


@dataclass(frozen=True)
class BestCandidates(Generic[A]):
    """Chosen candidates, one or more of a left entity."""

    row: A  # places among the left entities of the problem
    place: A  # places among the right entities
    score: A  # before assignment
    value: A  # after assignment
    confidence: A  # the probability to be right, or the value where there is none
    margin: A  # in confidence, to the best other candidate

    def take(self, places: A) -> BestCandidates[A]:
        """Return some of them."""
        return BestCandidates(**{name: column[places] for name, column in vars(self).items()})


PlainBest = BestCandidates[NumpyArray]


@dataclass(frozen=True)
class ScoredCandidates:
    """Each left entity's best candidates with the terms of their scores, row after row."""

    row: Ints  # places among the left entities of the problem
    place: Ints  # places among the right entities
    rank: Ints  # from 1
    terms: Mapping[str, Floats]  # their plain sum is the score
    score: Floats
    confidence: Floats


def best_candidates(
    engine: Engine[A], candidates: Blocks[Candidates[A]], assignment: Assignment[A], n: int = 1
) -> PlainBest:
    """Return each left entity's n best candidates by value, those that have any."""
    chosen = _choose(engine, candidates, assignment, n)
    return engine.fetch(engine.run(join_plain_best, chosen))


def one_to_one_matches(
    engine: Engine[A],
    candidates: Blocks[Candidates[A]],
    assignment: Assignment[A],
    left_taken: Bools | None = None,
    right_taken: Bools | None = None,
) -> PlainBest:
    """Return best candidates such that no right entity is matched twice.

    Left rows and right places that are taken already have no new match.
    """
    chosen = one_to_one_choices(engine, candidates, assignment, left_taken, right_taken)
    return engine.fetch(engine.run(to_plain_best, chosen))


def one_to_one_choices(
    engine: Engine[A],
    candidates: Blocks[Candidates[A]],
    assignment: Assignment[A],
    left_taken: Bools | None = None,
    right_taken: Bools | None = None,
) -> Handle[BestCandidates[A]]:
    """Return the same matches where the engine keeps them."""
    chosen = _choose(engine, candidates, assignment, 1)
    return engine.run(resolve_claims, chosen, left_taken, right_taken)


def _choose(
    engine: Engine[A], candidates: Blocks[Candidates[A]], assignment: Assignment[A], n: int
) -> Blocks[BestCandidates[A]]:
    begins = Blocks(engine.hold(begin) for begin in engine.layout.left.begins)
    return engine.map(choose_best, candidates, assignment.value, assignment.confidence, begins, n)


def carried_candidates(
    engine: Engine[A],
    candidates: Blocks[Candidates[A]],
    assignment: Assignment[A],
    rows: Bools,
    k: int,
) -> CarriedCandidates:
    """Return the k best candidates of some left entities, for the next round."""
    cuts = engine.layout.left
    own = Blocks(engine.hold(np.flatnonzero(rows[block])) for block in cuts)
    begins = Blocks(engine.hold(begin) for begin in cuts.begins)
    parts = engine.map(carry_over, candidates, assignment.value, own, k, begins)
    return engine.fetch(engine.run(join_carried_parts, parts))


def scored_candidates(
    engine: Engine[A],
    labels: Labels[A],
    candidates: Blocks[Candidates[A]],
    assignment: Assignment[A],
    config: Config,
    n: int,
) -> ScoredCandidates:
    """Return each left entity's n best candidates, with what their scores are made of."""
    order = engine.map(rank_candidates, candidates, assignment.value, n)
    if labels.n_aspects > 1:
        places = engine.map(places_by_rank, candidates, order)
        relational = label_dots(engine, labels, places, int(labels.has_relational))
    else:
        relational = engine.map(whole_label_by_rank, candidates, order, labels.has_relational)
    begins = Blocks(engine.hold(begin) for begin in engine.layout.left.begins)
    parts = engine.map(
        score_ranked, candidates, assignment.confidence, order, relational, config, begins
    )
    return engine.fetch(engine.run(join_scored, parts))


def precise_threshold(matches: PlainBest, *, lowest: float, precision: float) -> float:
    """Return the lowest confidence such that enough of the matches above it are right.

    By their own confidence: no truth is looked at. At least `lowest`.
    """
    falling = -np.sort(-matches.confidence.astype(np.float64))
    falling = falling[falling > lowest]
    is_precise: Bools = np.cumsum(falling) >= precision * np.arange(1, len(falling) + 1)
    if not is_precise.any():
        return max(lowest, 0.9) if len(falling) else lowest
    last = int(np.flatnonzero(is_precise)[-1])
    return float(falling[last + 1]) if last + 1 < len(falling) else lowest


# ----------------------------------------------------------------------------- of one block


@dataclass(frozen=True)
class Ranked(Generic[A]):
    """Row, column and rank (from 1) of the best candidates of a block."""

    row: A
    column: A
    rank: A
    n: int  # at most, of a row
    n_rows: int


def choose_best(
    ops: Ops[A], candidates: Candidates[A], value: A, confidence: A, begin: int, n: int
) -> BestCandidates[A]:
    """Return the n best candidates of each row of a block; rows are counted through all blocks.

    The margin is negative for all but a row's best.
    """
    if n == 1:
        column = best_columns(ops, candidates, value)
        rows = ops.arange(len(column))
        is_match = candidates.valid[rows, column] & (value[rows, column] > 0)
        row = ops.nonzero(is_match)
        column = column[row]
    else:
        ranked = rank_candidates(ops, candidates, value, n)
        row, column = ranked.row, ranked.column
    chosen = confidence[row, column]
    return BestCandidates(
        row=row + begin,
        place=candidates.index[row, column],
        score=candidates.score[row, column],
        value=value[row, column],
        confidence=chosen,
        margin=chosen - _best_other(ops, confidence, row, column),
    )


def list_likely(
    ops: Ops[A], candidates: Candidates[A], chance: A, begin: int, least: float
) -> tuple[NumpyArray, NumpyArray, NumpyArray]:
    """Return row, place and chance of the candidates of a block with more than a least chance."""
    width = candidates.width
    likely = ops.where(candidates.valid, chance, 0.0).reshape(-1)
    entry = ops.nonzero(likely > least)
    plain = ops.to_numpy(entry)
    place = ops.to_numpy(candidates.index.reshape(-1)[entry])
    found = ops.to_numpy(likely[entry]).astype(np.float32)
    return plain // width + begin, place, found


def best_columns(ops: Ops[A], candidates: Candidates[A], value: A) -> A:
    """Return the column of each row's best candidate, any where there is none.

    Entities that nothing tells apart have the same values but for rounding. Among values that are
    as good as equal the higher score decides, among such scores the lower place: so that it does
    not matter in which order sums were made.
    """
    values = ops.where(candidates.valid, value, -np.inf)
    is_top = values >= ops.row_max(values) * (1 - VALUE_TIE)
    score = ops.where(is_top & candidates.valid, candidates.score, -np.inf)
    is_best = score >= ops.row_max(score) - SCORE_TIE
    last = np.iinfo(np.int32).max
    return ops.row_argmin(ops.where(is_best, candidates.index, last))


def _best_other(ops: Ops[A], confidence: A, row: A, column: A) -> A:
    """Return the largest confidence of another candidate of the same row, at least 0."""
    others = ops.copy(confidence[row])
    others[ops.arange(len(row)), column] = -np.inf
    return ops.clip(ops.row_max(others)[:, 0], 0.0, np.inf)


def rank_candidates(ops: Ops[A], candidates: Candidates[A], value: A, n: int) -> Ranked[A]:
    """Return each row's n best candidates by value; equal values in order of scores.

    The first is that of `best_columns`.
    """
    n_rows, n = len(value), min(n, value.shape[1])
    values = ops.where(candidates.valid, value, -np.inf)
    values[ops.arange(n_rows), best_columns(ops, candidates, value)] = np.inf
    score = ops.where(candidates.valid, candidates.score, -np.inf)
    by_score = ops.argsort(score, falling=True)
    by_value = ops.argsort(ops.take_along_rows(values, by_score), falling=True)[:, :n]
    column = ops.take_along_rows(by_score, by_value).reshape(-1)  # (n_rows * n,)
    row, place = ops.arange(n_rows * n) // n, ops.arange(n_rows * n) % n
    is_there = candidates.valid[row, column]
    rank = ops.astype(place + 1, "int32")
    return Ranked(row[is_there], column[is_there], rank[is_there], n, n_rows)


def join_best(ops: Ops[A], parts: Sequence[BestCandidates[A]]) -> BestCandidates[A]:
    """Return the choices of all blocks."""
    names = [field.name for field in fields(BestCandidates)]
    columns = {name: ops.concat([getattr(part, name) for part in parts]) for name in names}
    return BestCandidates(**columns)


def to_plain_best(ops: Ops[A], best: BestCandidates[A]) -> PlainBest:
    """Return the choices in plain memory."""
    return BestCandidates(**{name: ops.to_numpy(column) for name, column in vars(best).items()})


def join_plain_best(ops: Ops[A], parts: Sequence[BestCandidates[A]]) -> PlainBest:
    """Return the choices of all blocks in plain memory."""
    return to_plain_best(ops, join_best(ops, parts))


def resolve_claims(
    ops: Ops[A],
    parts: Sequence[BestCandidates[A]],
    left_taken: Bools | None,
    right_taken: Bools | None,
) -> BestCandidates[A]:
    """Return the choices of all blocks that are not taken, one for each right entity."""
    best = join_best(ops, parts)
    if left_taken is not None and right_taken is not None:
        free = ~ops.asarray(left_taken)[best.row] & ~ops.asarray(right_taken)[best.place]
        best = best.take(ops.nonzero(free))
    return keep_one_to_one(ops, best)


def keep_one_to_one(ops: Ops[A], best: BestCandidates[A]) -> BestCandidates[A]:
    """Return the most confident choice of each right entity.

    The other left entities are left without a link: with their best candidate taken they are more
    likely dangling than second choice.
    """
    order = ops.arange(len(best.row))
    for claim in (best.margin, best.value, best.confidence):  # the weightiest comes last
        order = order[ops.argsort(ops.round(claim[order], DECIMALS), falling=True)]
    order = order[ops.argsort(best.place[order])]
    place = best.place[order]
    is_first = ops.full((len(order),), 1, "bool")
    is_first[1:] = ~ops.equal(place[1:], place[:-1])
    kept = ops.full((len(order),), 0, "bool")
    kept[order] = is_first
    return best.take(ops.nonzero(kept))


def join_carried_parts(ops: Ops[A], parts: Sequence[CarriedCandidates]) -> CarriedCandidates:
    """Return the carried candidates of all blocks."""
    return join_carried(parts)


def places_by_rank(ops: Ops[A], candidates: Candidates[A], ranked: Ranked[A]) -> A:
    """Return the places of ranked candidates as a table, -1 where there are fewer."""
    table = ops.full((ranked.n_rows, max(1, ranked.n)), NO_CANDIDATE, "int32")
    column = ops.astype(ranked.rank, "int64") - 1
    table[ranked.row, column] = candidates.index[ranked.row, ranked.column]
    return table


def whole_label_by_rank(
    ops: Ops[A], candidates: Candidates[A], ranked: Ranked[A], has_relational: bool
) -> A:
    """Return the relational share of labels of one aspect: all or nothing, to the last bit."""
    table = ops.full((ranked.n_rows, max(1, ranked.n)), 0.0, "float32")
    if has_relational:
        column = ops.astype(ranked.rank, "int64") - 1
        table[ranked.row, column] = candidates.label[ranked.row, ranked.column]
    return table


def score_ranked(
    ops: Ops[A],
    candidates: Candidates[A],
    confidence: A,
    ranked: Ranked[A],
    relational: A,
    config: Config,
    begin: int,
) -> ScoredCandidates:
    """Return the ranked candidates of a block with the terms of their scores, in plain memory."""
    row, column = ranked.row, ranked.column
    share = relational[row, ops.astype(ranked.rank, "int64") - 1]
    terms = score_terms(ops, candidates, row, column, share, config)
    return ScoredCandidates(
        row=ops.to_numpy(row) + begin,
        place=ops.to_numpy(candidates.index[row, column]),
        rank=ops.to_numpy(ranked.rank),
        terms={name: ops.to_numpy(term) for name, term in terms.items()},
        score=ops.to_numpy(candidates.score[row, column]),
        confidence=ops.to_numpy(confidence[row, column]),
    )


def join_scored(ops: Ops[A], parts: Sequence[ScoredCandidates]) -> ScoredCandidates:
    """Return the scored candidates of all blocks."""
    names = [field.name for field in fields(ScoredCandidates) if field.name != "terms"]
    terms = {name: np.concatenate([part.terms[name] for part in parts]) for name in parts[0].terms}
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return ScoredCandidates(terms=terms, **columns)
