"""Confidence that decoys have checked.

Decoys compete with right entities for every left entity. A decoy that wins is wrong for certain.
The confidence of every candidate is corrected by how often decoys win with such a confidence and
such a score: no truth is needed, and no seed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lighttea.assign.competition import (
    MOST_LOG_ODDS,
    Competition,
    Correction,
    Winners,
    fit_correction,
)
from lighttea.assign.decode import BestCandidates, one_to_one_choices
from lighttea.assign.probability import MatchProbabilities, match_probabilities
from lighttea.assign.sinkhorn import Assignment
from lighttea.engines.base import Blocks, Engine
from lighttea.engines.ops import Ops
from lighttea.similarity.candidates import Candidates, row_blocks
from lighttea.types import NO_CANDIDATE, A, Doubles, Ints

NO_CHANCE = 1e-4  # probability up to which nothing is worth correcting


@dataclass(frozen=True)
class DecoyPlaces:
    """Where the decoys are among the possible candidates: they are the last ones."""

    n_targets: int  # possible candidates that are right entities
    source: Ints  # (n_decoys,) places of the right entities that decoys are made from
    per_target: float  # decoys for each right entity that could have one


def probabilities_by_decoys(
    engine: Engine[A],
    candidates: Blocks[Candidates[A]],
    decoys: DecoyPlaces | None,
    *,
    iterations: int,
) -> tuple[MatchProbabilities[A], Competition | None] | None:
    """Return how likely candidates are right, and the competition; None where too few to tell.

    The noise model looks at right entities alone, as if there were no decoys. Then decoys compete
    with them, and where they win too often the probabilities are lowered.
    """
    if decoys is None:
        alone = match_probabilities(engine, candidates, iterations=iterations)
        return None if alone is None else (alone, None)
    targets = strike_decoys(engine, candidates, decoys.n_targets)
    alone = match_probabilities(engine, targets, iterations=iterations)
    beside = match_probabilities(engine, candidates, iterations=iterations)
    if alone is None or beside is None:
        return None
    corrected, competition = check_by_decoys(engine, candidates, alone.value, beside.value, decoys)
    return replace(alone, value=corrected), competition


def check_by_decoys(
    engine: Engine[A],
    candidates: Blocks[Candidates[A]],
    alone: Blocks[A],
    beside: Blocks[A],
    decoys: DecoyPlaces,
) -> tuple[Blocks[A], Competition]:
    """Return the probabilities as decoys correct them, and the competition.

    `alone` are those of right entities among themselves, `beside` those of right entities and
    decoys together, which decide who wins.
    """
    winners = engine.run(
        compete, one_to_one_choices(engine, candidates, Assignment(beside)), decoys
    )
    competition = engine.fetch(engine.run(to_plain_competition, winners))
    if not len(competition.confidence):
        return alone, competition
    correction = engine.fetch(engine.run(fit_correction, winners))
    corrected = engine.map(correct_table, candidates, alone, beside, correction)
    engine.wait(corrected)
    return corrected, replace(competition, correction=correction)


def strike_decoys(
    engine: Engine[A], candidates: Blocks[Candidates[A]], n_targets: int
) -> Blocks[Candidates[A]]:
    """Return the candidates without decoys."""
    return engine.map(without_decoys, candidates, n_targets)


# ----------------------------------------------------------------------------- of one block


def compete(ops: Ops[A], best: BestCandidates[A], decoys: DecoyPlaces) -> Winners[A]:
    """Return the winners, and for each decoy who its source won."""
    n_winners, n_places = len(best.place), decoys.n_targets + len(decoys.source)
    place, is_decoy = ops.astype(best.place, "int64"), best.place >= decoys.n_targets
    winner_of = ops.full((n_places,), -1, "int64")
    winner_of[place] = ops.arange(n_winners)
    rival, won = ops.full((n_winners,), -1, "int64"), ops.nonzero(is_decoy)
    rival[won] = winner_of[ops.asarray(decoys.source, "int64")[place[won] - decoys.n_targets]]
    return Winners(
        ops.astype(best.confidence, "float64"),
        ops.astype(best.score, "float64"),
        is_decoy,
        rival,
        decoys.per_target,
    )


def to_plain_competition(ops: Ops[A], winners: Winners[A]) -> Competition:
    """Return the winners in plain memory."""
    columns = winners.confidence, winners.score, winners.is_decoy, winners.rival
    confidence, score, is_decoy, rival = map(ops.to_numpy, columns)
    return Competition(confidence, score, is_decoy, rival, winners.per_target)


def without_decoys(ops: Ops[A], candidates: Candidates[A], n_targets: int) -> Candidates[A]:
    """Return the candidates of a block with nothing where decoys were."""
    index = ops.where(candidates.index < n_targets, candidates.index, NO_CANDIDATE)
    return replace(candidates, index=index)


def correct_table(
    ops: Ops[A], candidates: Candidates[A], alone: A, beside: A, correction: Correction
) -> A:
    """Return the chances of a block of candidates: as the correction has them, or lower.

    Those that have next to no chance keep it.
    """
    width = alone.shape[1]
    out: A = ops.copy(alone).reshape(-1)
    tiny = float(np.exp(-MOST_LOG_ODDS))
    for rows in row_blocks(len(alone)):
        first = rows.start * width
        place = first + ops.nonzero(out[first : rows.stop * width] > NO_CHANCE)
        plain = ops.astype(out[place], "float64")
        p = ops.clip(ops.astype(beside.reshape(-1)[place], "float64"), tiny, 1 - tiny)
        score = ops.astype(candidates.score.reshape(-1)[place], "float64")
        rank = correction.by_log_odds * ops.log(p / (1 - p)) + correction.by_score * score
        along = interpolate(ops, rank, correction.rank, correction.chance)
        out[place] = ops.astype(ops.where(along < plain, along, plain), "float32")
    corrected: A = out.reshape(tuple(alone.shape))
    return corrected


def interpolate(ops: Ops[A], values: A, knots: Doubles, heights: Doubles) -> A:
    """Return the heights of the line through the knots at these values; flat beyond the ends."""
    rising, height = ops.asarray(knots), ops.asarray(heights)
    flat: A = values.reshape(-1)
    if len(knots) < 2:
        return ops.full(tuple(values.shape), float(heights[0]), "float64")
    right = ops.clip(ops.searchsorted(rising, flat), 1, len(knots) - 1)
    left = right - 1
    width = ops.clip(rising[right] - rising[left], 1e-12, np.inf)
    share = ops.clip((flat - rising[left]) / width, 0.0, 1.0)
    line: A = (height[left] + share * (height[right] - height[left])).reshape(tuple(values.shape))
    return line
