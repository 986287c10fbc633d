"""What an engine has to do: the stages of a round, on data that lie wherever it likes.

Labels, candidates and assignments are the engine's own; `pipeline` and `iterate` hand them from
stage to stage and never look inside. What comes back to everybody is small: the best candidate of
each entity, a number, a short table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lighttea.assign.decode import Best
from lighttea.assign.sinkhorn import Assignment
from lighttea.config import Config
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.pair import Links
from lighttea.similarity.search import Recall
from lighttea.similarity.settled import Settled
from lighttea.similarity.topk import Candidates
from lighttea.solve.problem import Problem
from lighttea.types import Floats, Ints


@dataclass(frozen=True)
class Chances:
    """How likely each candidate is right (the engine's own), and the share with a counterpart."""

    value: Any  # (n, k)
    share: float


@dataclass(frozen=True)
class Kept:
    """Each left entity's best candidates with the terms of their scores, row after row."""

    row: Ints  # places among those who ask
    place: Ints  # places among those who may answer
    rank: Ints  # from 1
    terms: Mapping[str, Floats]  # their plain sum is the score
    score: Floats
    confidence: Floats


class Engine(Protocol):
    """The stages of a round for one problem."""

    name: str
    problem: Problem
    compact: bool  # whether labels are rounded to eight bits to take less memory

    def labels(self, seeds: Links, config: Config, rng: np.random.Generator) -> Any:
        """Two-aspect three-view label propagation with the last hop (eq. 1-7), evened if asked."""

    def search(
        self, labels: Any, settled: Settled, config: Config, rng: np.random.Generator
    ) -> tuple[Any, Recall | None]:
        """S^l: the best right entities of each left one by label, and what share was found.

        The settled choose again among their own candidates, unless pairs are rebuilt.
        """

    def evidence(
        self, links: Links, config: Config, more: Sequence[tuple[Kind, Tokens]] = ()
    ) -> Any:
        """What the links so far make of the facts; `more` tokens do not depend on them."""

    def suggested(self, evidence: Any, k: int, *, neighbours: bool) -> Any:
        """The right entities that share most rare evidence, with neighbours or by times alone."""

    def stayed(self, settled: Settled) -> Any:
        """The candidates of the round before that stay."""

    def candidates(self, labels: Any, found: Any, more: Mapping[int, Any]) -> Any:
        """What the searches found in one table, with label similarities, the refused ones out.

        `more` are tables by who found them, beside those found by label.
        """

    def candidates_by_evidence(self, evidence: Any, tables: Mapping[int, Any]) -> Any:
        """The same where there are no labels yet: what evidence says is the score."""

    def with_times(self, candidates: Any) -> Any:
        """S^t on the candidates (eq. 8)."""

    def with_consensus(self, candidates: Any, evidence: Any) -> Any:
        """What the links so far say of each candidate."""

    def weighted(self, candidates: Any, time: float, consensus: float) -> Any:
        """S': the terms added up by their weights (eq. 9)."""

    def wanted(self, candidates: Any, time: float, consensus: float) -> int:
        """How many right entities are somebody's best candidate under these weights."""

    def wanted_by_alpha(
        self, candidates: Any, labels: Any, alpha: float, others: Iterable[float]
    ) -> dict[float, int]:
        """The same by labels alone, had alpha been one of these instead."""

    def noise_scale(self, candidates: Any) -> float | None:
        """The scale at which wrong scores fall off; None where there are too few to tell."""

    def assign(self, candidates: Any, temperature: float, iterations: int) -> Assignment:
        """The Sinkhorn operator (eq. 10-12)."""

    def without_assignment(self, candidates: Any) -> Assignment:
        """The ablation without it: a candidate's value is its similarity."""

    def for_themselves(self, candidates: Any, temperature: float) -> Assignment:
        """Values where a right entity may be taken by many."""

    def confidence(self, candidates: Any, iterations: int) -> Chances | None:
        """The chance of each candidate to be right; None where there are too few to tell."""

    def best(self, candidates: Any, assignment: Assignment) -> Best:
        """Each left entity's best candidate."""

    def claims(self, candidates: Any, assignment: Assignment, base: Links) -> Best:
        """Those of them that could be new links beside the given ones, no right entity twice."""

    def best_n(self, candidates: Any, assignment: Assignment, n: int) -> Best:
        """Each left entity's n best candidates."""

    def settled(self, candidates: Any, assignment: Assignment, paired: Ints, k: int) -> Settled:
        """The k best candidates of those left entities who ask and are paired."""

    def reached(self, candidates: Any) -> int:
        """How many left entities have a candidate."""

    def kept(
        self, labels: Any, candidates: Any, assignment: Assignment, config: Config, n: int
    ) -> Kept:
        """The n best candidates of everybody, with what their scores are made of."""

    def on_host(self, candidates: Any, assignment: Assignment) -> tuple[Candidates, Assignment]:
        """All of them as plain arrays, for those who judge a round by the truth."""

    def close(self) -> None:
        """Give back what the engine holds."""
