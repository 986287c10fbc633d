"""Which attributes may count before there is any link, by what all else says of equal values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.literals.table import LiteralTable
from lighttea.types import Bools

LEAST = 0.3  # of the pairs with an equal value that have to be the same, for it to be trusted
LEAST_PROVED = 0.8  # likewise for ids and row numbers, which mean nothing unless they prove it
FEWEST = 20  # pairs of which other evidence tells something


@dataclass(frozen=True)
class AttributeCheck:
    """How often pairs with an equal value agree better in all else than chance pairs, and worse."""

    left: int  # attributes
    right: int
    n_pairs: int  # that alone have a value in common
    n_better: int
    n_worse: int
    is_proof_needed: bool

    @property
    def is_told(self) -> bool:
        """Whether other evidence says anything of these pairs."""
        return self.n_better + self.n_worse >= FEWEST

    @property
    def share_right(self) -> float:
        """The share of the pairs that are the same: a wrong one is as often better as worse."""
        return max(0.0, (self.n_better - self.n_worse) / max(1, self.n_better + self.n_worse))

    @property
    def is_trusted(self) -> bool:
        """Whether the attributes may count."""
        if self.is_proof_needed:
            return self.is_told and self.share_right >= LEAST_PROVED
        return not self.is_told or self.share_right >= LEAST

    def warning(self, table: LiteralTable) -> str:
        """What to tell the user where equal values are not believed."""
        left, right = table.descriptions[self.left], table.descriptions[self.right]
        return (
            f"literals of {left} and {right} are not used: {self.n_pairs:,} pairs of entities "
            "share a value that no other has, but the rest of their evidence agrees better than "
            f"chance {self.n_better:,} times and worse {self.n_worse:,} times"
        )


@dataclass(frozen=True)
class JudgedAttributes:
    """Which attributes count at the start, and which only once links speak for them."""

    checks: Sequence[AttributeCheck]
    trusted: Bools  # (n_attributes,) count unless links speak against them
    doubtful: Bools  # count where nothing else begins; then they are trusted too

    @property
    def unproved(self) -> Bools:
        """Attributes that count only where links speak for them."""
        return np.asarray(~self.trusted)

    def without_doubt(self) -> JudgedAttributes:
        """Return the same where doubtful attributes are trusted."""
        none = np.zeros_like(self.doubtful)
        return JudgedAttributes(self.checks, self.trusted | self.doubtful, none)


def judge_attributes(table: LiteralTable, checks: Sequence[AttributeCheck]) -> JudgedAttributes:
    """Return what checks make of all attributes.

    Each is judged by the partner that it has most values in common with. All are trusted unless all
    else speaks against it; ids and row numbers only where all else speaks for it. Where most of
    what could be judged is not trusted, nothing else is either, and nothing is tried again.
    """
    is_contradicted = _mostly_contradicted(checks)
    trusted, doubtful = ~table.is_id, np.zeros(table.n_attributes, bool)
    is_judged = np.zeros(table.n_attributes, bool)
    for check in checks:  # those with most pairs first
        couple = np.array([check.left, check.right])
        with_id = bool(table.is_id[couple].any())
        own = couple[table.is_id[couple]] if with_id else couple[~is_judged[couple]]
        is_trusted = check.is_trusted and (check.is_told or not is_contradicted)
        trusted[own] = is_trusted
        doubtful[own] = not is_trusted and not check.is_proof_needed and not is_contradicted
        is_judged[own] |= not with_id
    if is_contradicted:
        trusted &= is_judged | table.is_id
    return JudgedAttributes(checks, trusted, doubtful)


def _mostly_contradicted(checks: Sequence[AttributeCheck]) -> bool:
    """Whether all else speaks against most of the pairs that it tells something of."""
    told = [check for check in checks if check.is_told and not check.is_proof_needed]
    n_trusted = sum(check.n_pairs for check in told if check.is_trusted)
    return 2 * n_trusted < sum(check.n_pairs for check in told)
