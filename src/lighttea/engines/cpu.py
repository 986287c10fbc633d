"""The CPU engine: compiled loops and the matrix library, in blocks that keep to the plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from lighttea.assign.confidence import confidence, noise_scale
from lighttea.assign.decode import (
    Best,
    best_candidates,
    best_n_candidates,
    best_order,
    claims,
    rows_for_themselves,
)
from lighttea.assign.sinkhorn import Assignment, assign, without_assignment
from lighttea.config import Config
from lighttea.engines.base import Chances, Kept
from lighttea.evidence.consensus import Evidence
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.pair import Links
from lighttea.propagate.evened import even_out
from lighttea.propagate.labels import Labels, aspect_weights, two_aspect_labels
from lighttea.similarity.search import Recall, search
from lighttea.similarity.settled import Settled, score_again
from lighttea.similarity.sources import BY_LABEL, merged
from lighttea.similarity.terms import score_terms
from lighttea.similarity.time import time_similarity
from lighttea.similarity.topk import Candidates, Found, label_similarity
from lighttea.similarity.weights import wanted, wanted_by_alpha
from lighttea.solve.memory import Blocks, make_plan
from lighttea.solve.problem import Problem
from lighttea.types import Bytes, Ints


class CpuEngine:
    """All in this process, as numpy arrays."""

    name = "cpu"

    def __init__(self, problem: Problem, blocks: Blocks | None = None) -> None:
        """How much is done at a time changes no result."""
        self.problem, self._blocks = problem, blocks or Blocks()
        self.compact = self._blocks.compact

    @classmethod
    def planned(cls, problem: Problem, config: Config, compact: bool | None = None) -> CpuEngine:
        """With blocks that keep within the memory allowed, said before the work begins."""
        _ = problem.views  # made now, so that the plan finds them among what is held
        plan = make_plan(
            problem.pair, len(problem.left), len(problem.right), config, compact=compact
        )
        plan.tell(problem.progress)
        return cls(problem, plan.blocks)

    def labels(self, seeds: Links, config: Config, rng: np.random.Generator) -> Labels:
        problem = self.problem
        labels = two_aspect_labels(
            *(problem.views, problem.pair, seeds, problem.left, problem.right, config, rng),
            n_known=len(problem.known),
            compact=self.compact,
        )
        if config.whitening:
            even_out(labels, aspect_weights(config), rng)
        return labels

    def search(
        self, labels: Labels, settled: Settled, config: Config, rng: np.random.Generator
    ) -> tuple[Found, Recall | None]:
        chosen = () if config.revise_promotions else settled.rows
        found, recall = search(
            labels.left,
            labels.right,
            config.top_k,
            how=config.search,
            asks=np.setdiff1d(np.arange(len(self.problem.left)), chosen),
            rng=rng,
            left_rows=self._blocks.left_rows,
            right_rows=self._blocks.right_rows,
        )
        if not config.revise_promotions:
            score_again(found, settled, labels.left, labels.right)
        return found, recall

    def evidence(
        self, links: Links, config: Config, more: Sequence[tuple[Kind, Tokens]] = ()
    ) -> Evidence:
        return Evidence(self.problem.pair, links, config, more)

    def suggested(self, evidence: Evidence, k: int, *, neighbours: bool) -> Ints:
        return evidence.suggested(self.problem.left, self.problem.right, k, neighbours=neighbours)

    def stayed(self, settled: Settled) -> Ints:
        return settled.table(len(self.problem.left))

    def candidates(self, labels: Labels, found: Found, more: Mapping[int, Ints]) -> Candidates:
        if not more:
            source = np.where(found.index >= 0, BY_LABEL, 0).astype(np.uint8)
            return self._allowed(found, source)
        index, source = merged({BY_LABEL: found.index, **more})
        label = label_similarity(labels.left, labels.right, found, index)
        return self._allowed(Found(index, label), source)

    def candidates_by_evidence(self, evidence: Evidence, tables: Mapping[int, Ints]) -> Candidates:
        index, source = merged(tables)
        said = evidence.consensus(self.problem.left, self.problem.right, index)
        return self._allowed(Found(index, said), source)

    def _allowed(self, found: Found, source: Bytes) -> Candidates:
        problem = self.problem
        candidates = Candidates.of(problem.left, problem.right, found, source)
        if problem.allowed is None:
            return candidates
        return replace(
            candidates, index=problem.allowed.strike(problem.left, problem.right, found.index)
        )

    def with_times(self, candidates: Candidates) -> Candidates:
        counts = self.problem.views.tick_counts
        return candidates.with_times(time_similarity(candidates, counts, self.problem.pair))

    def with_consensus(self, candidates: Candidates, evidence: Evidence) -> Candidates:
        said = evidence.consensus(self.problem.left, self.problem.right, candidates.index)
        return candidates.with_consensus(said)

    def weighted(self, candidates: Candidates, time: float, consensus: float) -> Candidates:
        return candidates.weighted(time, consensus)

    def wanted(self, candidates: Candidates, time: float, consensus: float) -> int:
        return wanted(candidates, time, consensus)

    def wanted_by_alpha(
        self, candidates: Candidates, labels: Labels, alpha: float, others: Iterable[float]
    ) -> dict[float, int]:
        return wanted_by_alpha(candidates, labels.relational, alpha, others)

    def noise_scale(self, candidates: Candidates) -> float | None:
        return noise_scale(candidates)

    def assign(self, candidates: Candidates, temperature: float, iterations: int) -> Assignment:
        return assign(candidates, temperature=temperature, iterations=iterations)

    def without_assignment(self, candidates: Candidates) -> Assignment:
        return without_assignment(candidates)

    def for_themselves(self, candidates: Candidates, temperature: float) -> Assignment:
        return rows_for_themselves(candidates, temperature=temperature)

    def confidence(self, candidates: Candidates, iterations: int) -> Chances | None:
        found = confidence(candidates, iterations=iterations)
        return None if found is None else Chances(found.value, found.share)

    def best(self, candidates: Candidates, assignment: Assignment) -> Best:
        return best_candidates(candidates, assignment)

    def claims(self, candidates: Candidates, assignment: Assignment, base: Links) -> Best:
        return claims(self.best(candidates, assignment), base.left, base.right)

    def best_n(self, candidates: Candidates, assignment: Assignment, n: int) -> Best:
        return best_n_candidates(candidates, assignment, n)

    def settled(
        self, candidates: Candidates, assignment: Assignment, paired: Ints, k: int
    ) -> Settled:
        return Settled.of(candidates, assignment.value, paired, k)

    def reached(self, candidates: Candidates) -> int:
        return int(candidates.valid.any(axis=1).sum())

    def kept(
        self,
        labels: Labels,
        candidates: Candidates,
        assignment: Assignment,
        config: Config,
        n: int,
    ) -> Kept:
        row, column, rank = best_order(candidates, assignment, n)
        place = candidates.index[row, column]
        label = candidates.label[row, column]
        relational = labels.relational(row, place[:, None])[:, 0]
        if labels.n_aspects == 1:  # all or nothing, to the last bit
            relational = label if labels.has_relational else np.zeros_like(label)
        return Kept(
            row=row,
            place=place,
            rank=rank,
            terms=score_terms(candidates, row, column, relational, config),
            score=candidates.score[row, column],
            confidence=assignment.sureness[row, column],
        )

    def on_host(
        self, candidates: Candidates, assignment: Assignment
    ) -> tuple[Candidates, Assignment]:
        return candidates, assignment

    def close(self) -> None:
        """Nothing is held."""
