"""The table of contents: the pairs of entities of one graph that may be one, step by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.assign.competition import Competition
from lighttea.config import Config
from lighttea.duplicates.candidates import NEAR, CandidatePairs, find_candidates
from lighttea.duplicates.chance import are_strangers, pair_chances
from lighttea.duplicates.difference import Difference, weigh_differences
from lighttea.duplicates.differences import find_differences
from lighttea.duplicates.facts import EntityFacts
from lighttea.duplicates.features import pair_features
from lighttea.duplicates.literals import start_literals_of_one
from lighttea.duplicates.rehearsed import odds_by_rehearsal
from lighttea.duplicates.shared import trust_shared_facts, weigh_shared_facts
from lighttea.graph.facts import Graph
from lighttea.solve.workspace import Workspace
from lighttea.types import A, Doubles

NO_ODDS = -12.0  # of a candidate that is not judged by its looks


@dataclass(frozen=True)
class DuplicatePairs:
    """Candidate pairs, the chance of each to be one entity, and what it was made of."""

    pairs: CandidatePairs
    chance: Doubles
    shared: Doubles  # what facts that both tell count, as log-odds
    against: Doubles  # what differences count, as log-odds, at most 0
    differences: list[Difference]
    competition: Competition | None  # with decoys; None where there are too few candidates


def find_duplicates(
    work: Workspace[A], graph: Graph, config: Config, rehearsed: Doubles | None = None
) -> DuplicatePairs:
    """Return the pairs of a graph that is posed against itself, with their chances.

    `rehearsed` are the features of pairs that a rehearsal made, None where there was none.
    """
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
        looks = None if rehearsed is None else judge_looks(facts, pairs, rehearsed, config)
        chance = pair_chances(pairs, shared, told, looks)
    return DuplicatePairs(
        pairs, chance.astype(np.float64), shared, told.against, differences, competition
    )


def judge_looks(
    facts: EntityFacts, pairs: CandidatePairs, rehearsed: Doubles, config: Config
) -> Doubles:
    """Return the log-odds of pairs by how they look; those of lower candidates are hopeless."""
    odds = np.full(len(pairs), NO_ODDS)
    near = np.flatnonzero(pairs.rank <= NEAR)
    features = pair_features(facts, pairs, near)
    rng = np.random.default_rng(config.random_seed)
    if len(near):
        odds[near] = odds_by_rehearsal(features, rehearsed, pairs.n_entities, rng)
    return odds
