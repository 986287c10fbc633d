"""What the last round comes to: links, scored candidates and matched relations, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lighttea.assign.competition import Competition
from lighttea.assign.decode import PlainBest, ScoredCandidates, scored_candidates
from lighttea.assign.sinkhorn import assign_many_to_one
from lighttea.config import LinkRules
from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.facts import TimedFacts
from lighttea.evidence.likelihood_model import LikelyPairs
from lighttea.evidence.literals import LiteralEvidence
from lighttea.evidence.relations import LinkedNodes, RelationMatches, match_relations
from lighttea.graph.pair import Links
from lighttea.solve.likely import likely_links
from lighttea.solve.memory import kept_candidates
from lighttea.solve.problem import Problem
from lighttea.solve.record import fdr_of, matches_of
from lighttea.solve.seed_check import SeedCheck, check_seeds
from lighttea.solve.solve import Step
from lighttea.solve.workspace import Workspace
from lighttea.types import A, Floats


@dataclass(frozen=True)
class Solution:
    """The links of a problem, and what they rest on."""

    matches: PlainBest  # rows and places of the problem
    links: Links  # the same as ids
    fdr: Floats | None  # of each of them; None where confidence is not a probability
    candidates: ScoredCandidates
    relations: RelationMatches
    evidence_links: Links  # what the last consensus was made of
    likely_pairs: LikelyPairs  # what the last likelihood was made of
    records: list[dict[str, Any]]  # what each round did
    competition: Competition | None = None  # with decoys, where there were any
    seed_check: SeedCheck | None = None  # None where the seeds cannot be judged
    literals: LiteralEvidence | None = None  # what literals were worth, where they counted


def finish(work: Workspace[A], step: Step[A], rules: LinkRules) -> Solution:
    """Return the solution of the last round under the rules of how many links there may be."""
    result, engine = step.result, work.engine
    result = replace(result, candidates=work.strike_decoys(result.candidates))
    labels = result.labels
    assert labels is not None, "only the last round keeps its labels"
    if rules.many_to_one and result.settings.sinkhorn:
        alone = assign_many_to_one(
            engine, result.candidates, temperature=result.settings.temperature
        )
        result = replace(result, assignment=alone)
    matches = matches_of(work, result, rules)
    candidates = scored_candidates(
        engine,
        labels,
        result.candidates,
        result.assignment,
        result.settings,
        kept_candidates(len(work.problem.left)),
    )
    likely = likely_links(work, result.candidates, result.assignment)
    return Solution(
        matches,
        work.links_of(matches.row, matches.place),
        fdr_of(matches, result.assignment),
        candidates,
        matched_relations(work.problem, likely),
        result.evidence.links,
        result.evidence.pairs if result.settings.uses_likelihood else LikelyPairs.none(),
        step.records,
        step.result.assignment.competition,
        None
        if work.problem.by_evidence  # its known links are no seeds
        else check_seeds(work.problem, likely, result.settings, work.literal_tokens),
        work.literals,
    )


def matched_relations(problem: Problem, links: Links) -> RelationMatches:
    """Return the relations that say the same by these links, best first."""
    facts = TimedFacts(PLAIN, problem.pair, keeps=False)
    return match_relations(PLAIN, facts, LinkedNodes.of(PLAIN, problem.pair, links))
