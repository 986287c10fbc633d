"""What a round takes for likely while it goes on: links for consensus, pairs for likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.assign.decode import list_likely, one_to_one_matches, precise_threshold
from lighttea.assign.sinkhorn import Assignment
from lighttea.engines.base import Blocks
from lighttea.evidence.likelihood_model import LIKELY_PAIR, LikelyPairs
from lighttea.graph.pair import Links
from lighttea.similarity.candidates import Candidates
from lighttea.solve.workspace import Workspace
from lighttea.types import A

LIKELY = 0.2  # confidence from which a pair counts as a link while a round goes on
EVIDENCE_PRECISION = 0.9  # of those pairs, as far as that can be had
POSSIBLE = 0.01  # value after assignment from which a pair counts where facts alone speak


@dataclass(frozen=True)
class Likely:
    """What is taken for likely: links for consensus, pairs for the likelihood."""

    links: Links
    pairs: LikelyPairs

    @classmethod
    def sure(cls, links: Links) -> Likely:
        """Return links that are taken for certain."""
        return cls(links, LikelyPairs.sure(links))

    @classmethod
    def nothing(cls) -> Likely:
        """Return what is known before anything was looked at."""
        return cls.sure(Links.none())

    def __bool__(self) -> bool:
        """Whether there is a link."""
        return len(self.links) > 0


def find_likely(
    work: Workspace[A], candidates: Blocks[Candidates[A]], assignment: Assignment[A]
) -> Likely:
    """Return what is likely by the candidates of a pass and their assignment."""
    links = likely_links(work, candidates, assignment)
    return Likely(links, likely_pairs(work, candidates, assignment))


def likely_links(
    work: Workspace[A], candidates: Blocks[Candidates[A]], assignment: Assignment[A]
) -> Links:
    """Return the seeds and the best candidates that are likely enough to count as links."""
    known = work.problem.known
    matches = one_to_one_matches(work.engine, candidates, assignment, *work.taken(known))
    threshold = precise_threshold(matches, lowest=LIKELY, precision=EVIDENCE_PRECISION)
    likely = matches.take(np.flatnonzero(matches.confidence > threshold))
    return known.extended(work.links_of(likely.row, likely.place))


def likely_pairs(
    work: Workspace[A], candidates: Blocks[Candidates[A]], assignment: Assignment[A]
) -> LikelyPairs:
    """Return the seeds and all candidates that may be right, with the chance that they are.

    Without times and literals confidence is too careful for evidence, and values after assignment,
    as if every entity had a counterpart, tell more; else they tell too much where some have none
    (docs/decisions/accuracy.md).
    """
    engine, known = work.engine, work.problem.known
    begins = Blocks(engine.hold(begin) for begin in engine.layout.left.begins)
    targets = work.strike_decoys(candidates)
    chance, least = assignment.confidence, LIKELY_PAIR
    if not (work.problem.pair.has_time or work.literal_tokens):
        chance, least = assignment.value, POSSIBLE
    parts = engine.map(list_likely, targets, chance, begins, least)
    row, place, chances = (
        np.concatenate(columns) for columns in zip(*map(engine.fetch, parts), strict=True)
    )
    is_free = ~(work.taken(known)[0][row] | work.taken(known)[1][place])
    others = work.links_of(row[is_free], place[is_free])
    return LikelyPairs.sure(known).extended(LikelyPairs(others, chances[is_free]))
