"""The table of contents: the pairs of entities of one graph that may be one, step by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.assign.competition import Competition
from lighttea.config import Config
from lighttea.duplicates.candidates import CandidatePairs, find_candidates
from lighttea.duplicates.chance import are_strangers, pair_chances
from lighttea.duplicates.difference import Difference, weigh_differences
from lighttea.duplicates.differences import find_differences
from lighttea.duplicates.facts import EntityFacts
from lighttea.duplicates.shared import trust_shared_facts, weigh_shared_facts
from lighttea.evidence.attribute_checks import judge_attributes
from lighttea.evidence.literals import LiteralEvidence
from lighttea.graph.facts import Graph
from lighttea.solve.workspace import Workspace
from lighttea.types import A, Doubles


@dataclass(frozen=True)
class DuplicatePairs:
    """Candidate pairs, the chance of each to be one entity, and what it was made of."""

    pairs: CandidatePairs
    chance: Doubles
    shared: Doubles  # what facts that both tell count, as log-odds
    against: Doubles  # what differences count, as log-odds, at most 0
    differences: list[Difference]
    competition: Competition | None  # with decoys; None where there are too few candidates


def find_duplicates(work: Workspace[A], graph: Graph, config: Config) -> DuplicatePairs:
    """Return the pairs of a graph that is posed against itself, with their chances."""
    start_literals_of_one(work)
    pairs, competition = find_candidates(work, config)
    with work.progress.stage("contradictions"):
        facts = EntityFacts.of(graph)
        is_stranger = are_strangers(pairs)
        shared = trust_shared_facts(weigh_shared_facts(facts, pairs), is_stranger)
        differences = []
        if config.contradictions:
            table = work.literals.table if work.literals is not None else None
            differences = find_differences(graph, facts, work.problem.pair, table, pairs)
        told = weigh_differences(differences, len(pairs), is_stranger)
        chance = pair_chances(pairs, shared, told)
    return DuplicatePairs(
        pairs, chance.astype(np.float64), shared, told.against, differences, competition
    )


def start_literals_of_one(work: Workspace[A]) -> None:
    """Give the workspace what the literals of one graph say: an attribute matches itself.

    Ids are never compared: each entity has its own.
    """
    problem = work.problem
    if problem.literals is None or not problem.literals.are_comparable:
        return
    with work.progress.stage("literals"):
        table = problem.literals.table(problem.pair)
        work.literals = LiteralEvidence.of(table, judge_attributes(table, ())).fitted(problem.known)
