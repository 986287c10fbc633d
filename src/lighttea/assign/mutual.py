"""Mutual matches: each entity is the other's best candidate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lighttea.assign.decode import VALUE_TIE, PlainBest
from lighttea.assign.sinkhorn import Assignment
from lighttea.engines.base import Blocks, Engine
from lighttea.engines.ops import Ops
from lighttea.similarity.candidates import Candidates
from lighttea.types import A, Bools


def mutual_matches(
    engine: Engine[A],
    candidates: Blocks[Candidates[A]],
    assignment: Assignment[A],
    matches: PlainBest,
) -> PlainBest:
    """Return the matches whose right entity has no left entity of higher value."""
    n_right = engine.layout.right.n_rows
    parts = engine.map(best_values_of_right, candidates, assignment.value, n_right)
    best = engine.combine(larger_values, parts)
    is_mutual = engine.fetch(engine.run(are_best, engine.hold(matches), best))
    return matches.take(np.flatnonzero(is_mutual))


# ----------------------------------------------------------------------------- of one block


def best_values_of_right(ops: Ops[A], candidates: Candidates[A], value: A, n_right: int) -> A:
    """Return the largest value that a block gives each right entity, (m, 1)."""
    return ops.best_of_columns(value, candidates.index, n_right, 1)


def larger_values(ops: Ops[A], parts: Sequence[A]) -> A:
    """Return the largest values of several blocks, (m, 1)."""
    return parts[0] if len(parts) == 1 else ops.row_max(ops.concat(parts, 1))


def are_best(ops: Ops[A], matches: PlainBest, best: A) -> Bools:
    """Return which matches have the largest value of their right entity, as good as equal."""
    largest = ops.to_numpy(best)[matches.place, 0]
    return np.asarray(matches.value >= largest * (1 - VALUE_TIE))
