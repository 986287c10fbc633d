"""Which pairs may be candidates at all: what users forbid, and types that must agree."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from lighttea.similarity.topk import NONE
from lighttea.types import Bools, Ints, LeftIds, RightIds

UNKNOWN_KIND = -1  # of an entity whose types nobody says
_ROWS = 4096  # struck at a time


@dataclass(frozen=True)
class Kinds:
    """Entities by the set of their types, and which sets of the two sides share a type."""

    left: Ints  # (n_left,) number of the set, -1 where nothing is known
    right: Ints
    n_right: int  # sets of the right side
    agreeing: Ints  # sorted numbers: left set * n_right + right set

    def differ(self, left: LeftIds, right: RightIds) -> Bools:
        """Whether the types of both are known and none is the same."""
        one, other = self.left[left], self.right[right]
        known = (one != UNKNOWN_KIND) & (other != UNKNOWN_KIND)
        agree = _among(one.astype(np.int64) * self.n_right + other, self.agreeing)
        return np.asarray(known & ~agree)


@dataclass(frozen=True)
class Allowed:
    """Which pairs may be candidates: those that nobody forbade and whose types agree."""

    n_right: int
    banned: Ints  # sorted numbers: left * n_right + right
    kinds: Kinds | None = None

    def strike(self, left: LeftIds, right: RightIds, index: Ints) -> Ints:
        """Candidates (a row for each left entity, places in `right`) without the refused ones."""
        kept = index.copy()
        for begin in range(0, len(left), _ROWS):
            part = kept[begin : begin + _ROWS]
            asking = LeftIds(left[begin : begin + _ROWS, None])
            part[self.refuses(asking, RightIds(right[part]))] = NONE
        return kept

    def refuses(self, left: LeftIds, right: RightIds) -> Bools:
        """Whether these pairs must not be linked."""
        refused = _among(left.astype(np.int64) * self.n_right + right, self.banned)
        return refused if self.kinds is None else refused | self.kinds.differ(left, right)

    def digest(self) -> str:
        """sha256 of all that it holds."""
        parts = [self.banned]
        if self.kinds is not None:
            parts += [self.kinds.left, self.kinds.right, self.kinds.agreeing]
        whole = b"|".join(np.ascontiguousarray(part, np.int64).tobytes() for part in parts)
        return hashlib.sha256(whole).hexdigest()


def _among(numbers: Ints, known: Ints) -> Bools:
    """Which numbers are among the known ones, which are sorted."""
    if not len(known):
        return np.zeros(numbers.shape, bool)
    place = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    return np.asarray(known[place] == numbers)
