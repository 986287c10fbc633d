"""One thing in which two entities can differ, and what that tells of the pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.types import Bools, Doubles, Ints

MOST_AGAINST, MOST_FOR = 8.0, 3.0  # log-odds of all differences, and of all agreements, of a pair
MOST_TIMES = 3  # that a pair differs in one thing and each counts: one time may be a slip
_CERTAIN = 0.98  # share of strangers that differ, at most


@dataclass(frozen=True)
class Difference:
    """Which pairs know a thing on both sides, and which of them tell it differently."""

    name: str
    place: Ints  # of pairs that can be compared
    times: Ints  # how often they differ
    among_same: float  # share of pairs that differ although they are one
    speaks_for: bool  # agreement is no part of what made the pair a candidate

    def weigh(self, is_stranger: Bools) -> tuple[float, float]:
        """Return what it counts to differ, and not to differ; 0 where it tells nothing.

        `is_stranger` says which pairs are surely two entities: lower candidates, which are as
        close as wrong pairs are.
        """
        strangers = self.times[is_stranger[self.place]] > 0
        share = min((int(strangers.sum()) + 0.5) / (len(strangers) + 1), _CERTAIN)
        if share < 2 * self.among_same:
            return 0.0, 0.0
        against = float(np.log(self.among_same / share))
        return against, float(np.log((1 - self.among_same) / (1 - share))) * self.speaks_for


@dataclass(frozen=True)
class Told:
    """What all differences tell of each pair, as log-odds."""

    against: Doubles  # at most 0
    speaking: Doubles  # at least 0, for the pair
    is_tested: Bools  # whether something independent of the rest could have spoken against it


def weigh_differences(differences: list[Difference], n_pairs: int, is_stranger: Bools) -> Told:
    """Return what differences tell of pairs."""
    against, speaking = np.zeros(n_pairs), np.zeros(n_pairs)
    is_tested = np.zeros(n_pairs, bool)
    for own in differences:
        if_different, if_same = own.weigh(is_stranger)
        np.add.at(against, own.place, if_different * np.minimum(own.times, MOST_TIMES))
        np.add.at(speaking, own.place, np.where(own.times > 0, 0.0, if_same))
        is_tested[own.place] |= own.speaks_for and if_different < -1
    return Told(np.maximum(against, -MOST_AGAINST), np.minimum(speaking, MOST_FOR), is_tested)
