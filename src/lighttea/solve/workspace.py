"""A problem where an engine works on it: its arrays in blocks, made when they are first needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Generic

import numpy as np

from lighttea.assign.decoys import strike_decoys
from lighttea.config import Config
from lighttea.engines.base import Blocks, Engine
from lighttea.evidence.contradictions import ContradictionSource
from lighttea.evidence.evidence import EvidenceSource, PlainTokens
from lighttea.evidence.likelihood import LikelihoodSource
from lighttea.evidence.literals import LiteralEvidence
from lighttea.graph.pair import Links
from lighttea.progress import Progress
from lighttea.propagate.labels import used_aspects
from lighttea.propagate.views import PairViews
from lighttea.similarity.allowed import strike_refused
from lighttea.similarity.candidates import Candidates
from lighttea.solve.problem import Problem
from lighttea.types import A, Bools, Ints, LeftIds, RightIds


class Workspace(Generic[A]):
    """The engine, the problem, and what the engine holds of it."""

    def __init__(self, engine: Engine[A], problem: Problem) -> None:
        self.engine, self.problem = engine, problem
        self.views = PairViews(engine, problem.pair, problem.left, problem.right)
        self.evidence = EvidenceSource(engine, problem.pair, problem.left, problem.right)
        self.literals: LiteralEvidence | None = None  # once it is known which can be trusted

    @cached_property
    def contradictions(self) -> ContradictionSource[A]:
        """The facts that can be true only once."""
        problem = self.problem
        ids = problem.left, problem.right
        return ContradictionSource(self.engine, self.evidence.facts, problem.pair, *ids)

    @cached_property
    def likelihood(self) -> LikelihoodSource[A]:
        """The facts, ready to be weighed by how likely they make a pair."""
        problem = self.problem
        return LikelihoodSource(self.engine, problem.pair, problem.left, problem.right)

    @property
    def literal_tokens(self) -> Sequence[PlainTokens]:
        """What literals say, as far as it is known what they are worth."""
        return self.literals.tokens if self.literals is not None else ()

    def fit_literals(self, links: Links) -> None:
        """Learn from links which attributes say the same."""
        if self.literals is not None:
            with self.progress.stage("literals"):
                self.literals = self.literals.fitted(links)

    @property
    def progress(self) -> Progress:
        """What is told of the work."""
        return self.problem.progress

    def prepare(self, config: Config) -> None:
        """Make the views that are kept for all rounds, where the engine keeps any."""
        if not self.engine.is_local:
            return
        with self.progress.stage("graph"):
            self.views.entity_entity()
            for temporal in used_aspects(config):
                self.views.aspect(temporal=temporal)
            if config.time_weight:
                self.views.tick_counts()

    def strike_refused(self, candidates: Blocks[Candidates[A]]) -> Blocks[Candidates[A]]:
        """Return the candidates without the pairs that are not allowed."""
        problem, engine = self.problem, self.engine
        if problem.allowed is None:
            return candidates
        left = Blocks(engine.hold(problem.left[rows]) for rows in engine.layout.left)
        right = engine.hold(problem.pair.without_decoys(problem.right))
        allowed = engine.hold(problem.allowed)
        return engine.map(strike_refused, candidates, allowed, left, right)

    def strike_decoys(self, candidates: Blocks[Candidates[A]]) -> Blocks[Candidates[A]]:
        """Return the candidates without decoys."""
        if not self.problem.pair.n_decoys:
            return candidates
        return strike_decoys(self.engine, candidates, self.problem.n_targets)

    def taken(self, links: Links) -> tuple[Bools, Bools]:
        """Return which left entities and which possible candidates these links take."""
        problem = self.problem
        return np.isin(problem.left, links.left), np.isin(problem.right, links.right)

    def links_of(self, row: Ints, place: Ints) -> Links:
        """Return pairs of rows and places as links of ids."""
        problem = self.problem
        return Links(LeftIds(problem.left[row]), RightIds(problem.right[place]))

    def close(self) -> None:
        """Give back what the engine holds."""
        self.engine.close()
