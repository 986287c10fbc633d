"""Which pairs may be candidates at all: what users forbid, and types that must agree."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from lighttea.engines.ops import Ops
from lighttea.similarity.candidates import Candidates
from lighttea.types import NO_CANDIDATE, A, Ints, LeftIds, RightIds

UNKNOWN_TYPES = -1  # of an entity without a known type
_ROWS = 4096  # looked at together


@dataclass(frozen=True)
class EntityTypes:
    """Entities by the set of their types, and which sets of the two sides share a type."""

    left: Ints  # (n_left,) number of the set, -1 where no type is known
    right: Ints
    n_right: int  # sets of the right side
    agreeing: Ints  # rising numbers: left set * n_right + right set


@dataclass(frozen=True)
class AllowedPairs:
    """Which pairs may be candidates: those that are not forbidden and whose types agree."""

    n_right: int
    forbidden: Ints  # rising numbers: left * n_right + right
    types: EntityTypes | None = None

    def digest(self) -> str:
        """Return the sha256 of all that it holds."""
        parts = [self.forbidden]
        if self.types is not None:
            parts += [self.types.left, self.types.right, self.types.agreeing]
        whole = b"|".join(np.ascontiguousarray(part, np.int64).tobytes() for part in parts)
        return hashlib.sha256(whole).hexdigest()


def refused_pairs(ops: Ops[A], allowed: AllowedPairs, left: A, right: A) -> A:
    """Return which pairs of left and right ids must not be linked."""
    pair: A = ops.astype(left, "int64") * allowed.n_right + right
    refused: A = _is_among(ops, pair, allowed.forbidden)
    if allowed.types is None:
        return refused
    types = allowed.types
    left_set = ops.asarray(types.left, "int64")[left]
    right_set = ops.asarray(types.right, "int64")[right]
    known = (left_set >= 0) & (right_set >= 0)
    agree: A = _is_among(ops, left_set * types.n_right + right_set, types.agreeing)
    refused = refused | (known & ~agree)
    return refused


def _is_among(ops: Ops[A], numbers: A, rising: Ints) -> A:
    """Return which numbers are among the rising ones."""
    if not len(rising):
        return ops.full(tuple(numbers.shape), 0, "bool")
    known = ops.asarray(rising, "int64")
    place = ops.clip(ops.searchsorted(known, numbers), 0, len(rising) - 1)
    return ops.equal(known[place], numbers)


def strike_refused(
    ops: Ops[A], candidates: Candidates[A], allowed: AllowedPairs, left: LeftIds, right: RightIds
) -> Candidates[A]:
    """Return the candidates of a block of left entities without the pairs that are not allowed."""
    index = ops.copy(candidates.index)
    left_ids, right_ids = ops.asarray(left, "int64"), ops.asarray(right, "int64")
    for begin in range(0, len(index), _ROWS):
        part = index[begin : begin + _ROWS]
        ids = right_ids[ops.clip(part, 0, len(right) - 1)]
        refused = refused_pairs(ops, allowed, left_ids[begin : begin + _ROWS, None], ids)
        index[begin : begin + _ROWS] = ops.where(refused, NO_CANDIDATE, part)
    return replace(candidates, index=index)
