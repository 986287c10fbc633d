"""Pairs to begin with, found without seeds: entities whose times or surroundings fit no other.

Pass after pass the rarest evidence in common proposes candidates, probability tells which of them
can be trusted, and their neighbours are evidence for others. Nothing here looks at a known link.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from lighttea.assign.competition import Competition
from lighttea.assign.decode import PlainBest, one_to_one_matches, precise_threshold
from lighttea.assign.decoys import probabilities_by_decoys
from lighttea.assign.sinkhorn import Assignment
from lighttea.config import Config
from lighttea.engines.base import Handle
from lighttea.engines.ops import Ops
from lighttea.errors import StartError
from lighttea.evidence.degrees import degree_tokens
from lighttea.evidence.evidence import Evidence
from lighttea.evidence.literals import LiteralEvidence
from lighttea.graph.pair import Links
from lighttea.similarity.candidates import Candidates
from lighttea.similarity.merge import BY_NEIGHBOURS, BY_TIMES
from lighttea.similarity.search import merge_tables
from lighttea.solve.promotion import LOWEST, PRECISION
from lighttea.solve.workspace import Workspace
from lighttea.types import A

PROPOSED = 50  # candidates of each entity, by each kind of search, where the settings have none
SURE = 0.8  # confidence below which no pair is taken
FEWEST, LOWEST_SHARE = 10, 0.002  # pairs that have to be found, also as a share of the entities
_PASSES = 4
_SETTLED = 0.02  # share of the pairs that a last pass may change: rounds go on from there

T = TypeVar("T")


@dataclass(frozen=True)
class StartingPairs:
    """The pairs that the first round begins with, and what is known of those that were found."""

    links: Links  # the known ones first
    n_found: int | None = None  # None where none were looked for
    precision: float = 0.0  # of those found, estimated without truth


def starting_pairs(work: Workspace[A], config: Config) -> StartingPairs:
    """Return the known links and, where the settings say so, the pairs that can be found."""
    known = work.problem.known
    if len(known) and not config.bootstrap:
        return StartingPairs(known)
    found, precision = find_pairs(work, config)
    return StartingPairs(known.extended(found), len(found), precision)


def find_pairs(work: Workspace[A], config: Config) -> tuple[Links, float]:
    """Return pairs beside the known ones and their estimated precision.

    An error with advice where there are too few to begin with.
    """
    problem = work.problem
    fewest = max(FEWEST, int(LOWEST_SHARE * min(problem.pair.n_left, problem.pair.n_right)))
    for literals in ways_to_begin(work.literals):
        work.literals = literals
        links, precision, trusted = _find_in_passes(work, config)
        if len(links) >= fewest:
            break
    if not len(problem.known) and len(links) < fewest:
        raise StartError(
            f"no seeds, and only {len(links)} sure pairs of entities were found without them "
            f"({fewest} are needed): {trusted.cause}; give some known links with `seeds`"
        )
    return links, precision


def ways_to_begin(literals: LiteralEvidence | None) -> Iterator[LiteralEvidence | None]:
    """Yield what literals may say at first, one after the other until there are pairs.

    Those that are trusted; none, where they only confuse; those that are doubtful too.
    """
    yield literals
    if literals is not None and literals.tokens:
        yield literals.silent()
    if literals is not None and literals.judged.doubtful.any():
        yield literals.without_doubt()


def _find_in_passes(work: Workspace[A], config: Config) -> tuple[Links, float, Trusted]:
    """Return the pairs of the last pass, their estimated precision, and what made them sure."""
    problem = work.problem
    links, precision, trusted = Links.none(), 0.0, Trusted.nothing()
    degrees = work.engine.fetch(work.engine.run(degree_tokens, work.engine.hold(problem.pair)))
    for _ in range(_PASSES):
        with work.progress.stage("seeds"):
            so_far = problem.known.extended(links)
            work.fit_literals(so_far)
            unlinked = [*work.literal_tokens, *degrees]
            trusted = _trusted_matches(work, work.evidence.gather(so_far, config, unlinked), config)
        matches = trusted.matches
        if matches is None or not len(matches.row):
            break
        before, links = links, work.links_of(matches.row, matches.place)
        precision = float(matches.confidence.mean())
        if links.agrees_with(before, _SETTLED):
            break
    return links, precision, trusted


@dataclass(frozen=True)
class Trusted:
    """The pairs that evidence alone makes sure, and the competition with decoys."""

    matches: PlainBest | None
    competition: Competition | None

    @classmethod
    def nothing(cls) -> Trusted:
        """Return what is known where there is no evidence."""
        return cls(None, None)

    @property
    def cause(self) -> str:
        """Why there are no more."""
        if self.competition is None or not sum(self.competition.sure_counts()):
            return "their literals, times and neighbours are not distinctive"
        n_targets, n_decoys = self.competition.sure_counts()
        if n_targets > 2 * n_decoys / self.competition.per_target:
            return self._doubt(n_targets, n_decoys)
        return (
            f"nothing in these graphs distinguishes a match from chance: {n_targets:,} pairs "
            f"look sure, and so do {n_decoys:,} decoys ({self.competition.per_target:.2g} for "
            "each right entity)"
        )

    def _doubt(self, n_targets: int, n_decoys: int) -> str:
        """Why pairs that look sure, and are more than decoys, are not taken."""
        if self.competition is None or not n_decoys:
            return f"{n_targets:,} pairs look sure, too few to rule out chance"
        share = min(1.0, n_decoys / self.competition.per_target / n_targets)
        return (
            f"{n_targets:,} pairs look sure, but so do {n_decoys:,} decoys "
            f"({self.competition.per_target:.2g} for each right entity): about {share:.0%} of the "
            "pairs are there by chance, and none stands out"
        )


def _trusted_matches(work: Workspace[A], evidence: Handle[Evidence[A]], config: Config) -> Trusted:
    """Return the pairs that evidence alone makes sure; none where it says nothing."""
    engine = work.engine
    proposals = {
        bit: work.evidence.propose(evidence, config.suggestions or PROPOSED, neighbours=neighbours)
        for bit, neighbours in ((BY_NEIGHBOURS, True), (BY_TIMES, False))
    }
    merged = merge_tables(engine, proposals)
    consensus = work.evidence.consensus(evidence, engine.map(first_of, merged))
    candidates = work.strike_refused(engine.map(candidates_of_evidence, merged, consensus))
    decoys = work.problem.decoys
    found = probabilities_by_decoys(engine, candidates, decoys, iterations=config.iterations)
    if found is None:
        return Trusted.nothing()
    match, competition = found
    assignment = Assignment(match.value, probability=match.value, share=match.share)
    matches = one_to_one_matches(engine, work.strike_decoys(candidates), assignment)
    threshold = max(SURE, precise_threshold(matches, lowest=LOWEST, precision=PRECISION))
    sure = matches.take(np.flatnonzero(matches.confidence > threshold))
    return Trusted(sure, competition)


# ----------------------------------------------------------------------------- of one block


def first_of(ops: Ops[A], pair: tuple[T, T]) -> T:
    """Return the first of two."""
    return pair[0]


def candidates_of_evidence(ops: Ops[A], merged: tuple[A, A], consensus: A) -> Candidates[A]:
    """Return merged proposals as candidates where there are no labels yet."""
    index, source = merged
    return Candidates(index, consensus, consensus, source)
