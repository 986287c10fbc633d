"""Which entities are worked on again: what changed, and what rests on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.types import Bools
from lighttea.update.around import flag_neighbours
from lighttea.update.claimants import find_claimants
from lighttea.update.last import NOBODY, LastLinks

FEWEST = 1000  # left entities that are worked on, so that confidence can be checked by decoys


@dataclass(frozen=True)
class Part:
    """The left entities that are worked on again, by why they are; each flag is (n_left,).

    And the right entities, (n_right,), that are touched as left ones are.
    """

    touched: Bools  # its own facts changed, or those of the entity it is linked to
    rivals: Bools  # it may lose its link to a touched one, or win what that one loses
    neighbours: Bools  # the links of its neighbours may change
    claimants: Bools  # a touched right entity without a sure link may be its counterpart
    company: Bools  # so that confidence can be checked on enough entities
    touched_right: Bools

    @property
    def chosen(self) -> Bools:
        """All of them."""
        return np.asarray(self._needed | self.company)

    @property
    def share(self) -> float:
        """The share of the left entities, without those that are company alone."""
        return float(self._needed.mean()) if len(self.touched) else 0.0

    @property
    def _needed(self) -> Bools:
        return np.asarray(self.touched | self.rivals | self.neighbours | self.claimants)


def find_part(
    last: LastLinks,
    left: Graph,
    right: Graph,
    changed_left: Bools,
    changed_right: Bools,
    known: Links,
) -> Part:
    """Return the left entities to work on: touched ones, their rivals, doubtful neighbours.

    And who may be the counterpart of a touched right entity that has no sure link.

    A link that is nearly certain stands while no fact of its two entities changes. Known links
    stand anyway.
    """
    is_free = np.ones(len(last.partner), bool)
    is_free[known.left] = False
    linked = last.partner != NOBODY
    touched = changed_left & is_free
    touched[linked] |= changed_right[last.partner[linked]] & is_free[linked]
    doubtful = is_free & ~last.is_sure
    rivals = _rivals(last, touched & doubtful, changed_right) & doubtful & ~touched
    moving = (touched | rivals) & doubtful
    neighbours = flag_neighbours(left, moving) & doubtful & ~touched & ~rivals
    asked = changed_right & ~_held_surely(last, known)
    claimants = find_claimants(last, left, right, asked, known, doubtful)
    claimants &= ~touched & ~rivals & ~neighbours
    chosen = touched | rivals | neighbours | claimants
    touched_right = changed_right | last.flag_partners(touched)
    company = _company(chosen, left, is_free)
    return Part(touched, rivals, neighbours, claimants, company, touched_right)


def _held_surely(last: LastLinks, known: Links) -> Bools:
    """Return which right entities have a known link or one that is nearly certain."""
    held = last.flag_partners(last.is_sure)
    held[known.right] = True
    return held


def _rivals(last: LastLinks, moving: Bools, changed_right: Bools) -> Bools:
    """Return who holds a best candidate of an entity that may move, or may win a changed one."""
    left, right = last.candidates.left, last.candidates.right
    rivals = np.zeros(len(moving), bool)
    holder = last.holder[right[moving[left]]]
    rivals[holder[holder != NOBODY]] = True
    rivals[left[changed_right[right]]] = True
    return rivals


def _company(chosen: Bools, graph: Graph, is_free: Bools) -> Bools:
    """Return neighbours of the chosen entities, and theirs, until there are enough.

    Confidence is told by how the scores of many entities fall off: a handful tells nothing.
    """
    fewest, enough = min(FEWEST, int(is_free.sum())), chosen.copy()
    while (n_missing := fewest - int(enough.sum())) > 0:
        more = np.flatnonzero(flag_neighbours(graph, enough) & is_free & ~enough)
        if not len(more):
            more = np.flatnonzero(is_free & ~enough)
        enough[more[:n_missing]] = True
    return enough & ~chosen
