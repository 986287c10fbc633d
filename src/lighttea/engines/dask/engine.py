"""The Dask engine: every stage of a round is tasks over blocks, and lies in the workers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lighttea.assign.decode import Best
from lighttea.assign.sinkhorn import Assignment
from lighttea.config import Config
from lighttea.engines.base import Chances, Kept
from lighttea.engines.dask import assigned, cells, evidence, search, tables
from lighttea.engines.dask.connection import Connection, Future
from lighttea.engines.dask.inputs import Inputs, tick_counts_of
from lighttea.engines.dask.labels import BlockLabels, Propagation
from lighttea.engines.dask.layout import GIB, Layout, worker_bytes
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.pair import Links
from lighttea.kernels.process import resident_bytes
from lighttea.similarity.search import Recall, is_approximate
from lighttea.similarity.settled import Settled
from lighttea.similarity.sources import BY_LABEL
from lighttea.similarity.topk import Candidates
from lighttea.solve.memory import written_bytes
from lighttea.solve.problem import Problem
from lighttea.types import Ints

_FACT_BYTES = 17  # of a fact in one direction, as the scheduler holds it for the workers

Blocks = list[Future]  # one for each left block


class DaskEngine:
    """Labels, candidates and values are lists of futures, one a block; none of them is here."""

    name = "dask"

    def __init__(
        self, problem: Problem, to: Connection, layout: Layout, *, compact: bool = False
    ) -> None:
        """The cuts change no result but for rounding."""
        self.problem, self.compact = problem, compact
        self._to, self._layout = to, layout
        self._inputs = Inputs(to, problem, layout)

    @classmethod
    def started(
        cls,
        problem: Problem,
        config: Config,
        compact: bool | None = None,
        address: str | None = None,
    ) -> DaskEngine:
        """On the scheduler at that address, or on workers of this machine."""
        to = Connection.to(address, config.threads, config.max_memory)
        try:
            if compact is None:  # as one machine holds them: rows come from memory one by one
                compact = is_approximate(config.search, len(problem.left), len(problem.right))
            sizes = len(problem.left), len(problem.right)
            layout = Layout.of(
                problem.pair, *sizes, config, to.n_workers, to.memory, compact=compact
            )
            cut_for = config, to.n_workers
            each = worker_bytes(problem.pair, *sizes, *cut_for, compact=compact) / GIB
            held = _FACT_BYTES * len(problem.pair.head) + written_bytes(len(problem.left))
            problem.progress.planned(resident_bytes() + held)
            problem.progress.tell(
                f"Dask workers: {to.n_workers}, expected to hold about {each:.1f} GiB each of "
                f"{to.memory / GIB:.1f} GiB; dashboard: {to.dashboard}"
            )
            return cls(problem, to, layout, compact=compact)
        except BaseException:
            to.close()
            raise

    def labels(self, seeds: Links, config: Config, rng: np.random.Generator) -> BlockLabels:
        made = Propagation(self._to, self._inputs, self._layout, config, compact=self.compact)
        return made.labels(self.problem.pair, seeds, rng)

    def search(
        self, labels: BlockLabels, settled: Settled, config: Config, rng: np.random.Generator
    ) -> tuple[Blocks, Recall | None]:
        asks = np.ones(len(self.problem.left), bool)
        if not config.rebuild:
            asks[settled.rows] = False
        to, layout, k, recall = self._to, self._layout, config.top_k, None
        if is_approximate(config.search, len(self.problem.left), len(self.problem.right)):
            found, recall = cells.nearly_searched(to, labels, layout, k, asks, rng)
        else:
            found = search.searched(to, labels, layout, k, asks)
        if not config.rebuild and len(settled.rows):
            found = self._scored_again(labels, found, settled)
        return to.finished(found), recall

    def _scored_again(self, labels: BlockLabels, found: Blocks, settled: Settled) -> Blocks:
        """The candidates of the settled rows, scored by these labels."""
        own = [self._to.hold(one) for one in search.settled_blocks(settled, self._layout)]
        sizes = [rows.stop - rows.start for rows in self._layout.left]
        index = [self._to.submit(tables.settled_table, *b) for b in zip(own, sizes, strict=True)]
        label = search.dots(self._to, labels, self._layout, index)
        return self._map(tables.with_settled, found, own, label)

    def evidence(
        self, links: Links, config: Config, more: Sequence[tuple[Kind, Tokens]] = ()
    ) -> Future:
        return evidence.gathered(self._to, self._inputs, links, config, more)

    def suggested(self, evidence_: Future, k: int, *, neighbours: bool) -> Blocks:
        return evidence.suggested(
            self._to, self._inputs, self._layout, evidence_, k, neighbours=neighbours
        )

    def stayed(self, settled: Settled) -> Blocks:
        own = [self._to.hold(one) for one in search.settled_blocks(settled, self._layout)]
        sizes = [rows.stop - rows.start for rows in self._layout.left]
        return self._map(tables.settled_table, own, sizes)

    def candidates(self, labels: BlockLabels, found: Blocks, more: Mapping[int, Blocks]) -> Blocks:
        if not more:
            label = [self._to.submit(tables.label_of, one) for one in found]
            return self._made(self._map(tables.found_alone, found), label)
        places = [self._to.submit(tables.index_of, one) for one in found]
        couples = self._merged({BY_LABEL: places, **more})
        index = [self._to.submit(tables.first, one) for one in couples]
        return self._made(couples, search.dots(self._to, labels, self._layout, index))

    def candidates_by_evidence(self, evidence_: Future, found: Mapping[int, Blocks]) -> Blocks:
        couples = self._merged(found)
        index = [self._to.submit(tables.first, one) for one in couples]
        said = evidence.consensus(self._to, self._inputs, evidence_, index)
        return self._made(couples, said)

    def _merged(self, found: Mapping[int, Blocks]) -> Blocks:
        return [
            self._to.submit(tables.merged_tables, dict(zip(found, parts, strict=True)))
            for parts in zip(*found.values(), strict=True)
        ]

    def _made(self, couples: Blocks, label: Blocks) -> Blocks:
        allowed = self._inputs.allowed if self.problem.allowed is not None else None
        return self._to.finished(
            [
                self._to.submit(
                    tables.made_candidates, left, self._inputs.right_ids, couple, one, allowed
                )
                for left, couple, one in zip(self._inputs.left_ids, couples, label, strict=True)
            ]
        )

    def with_times(self, candidates: Blocks) -> Blocks:
        index = [self._to.submit(tables.index_of, one) for one in candidates]
        left, right = (
            [self._to.submit(tick_counts_of, *parts) for parts in side]
            for side in self._inputs.sides
        )
        known = search.times(self._to, (left, right), self._layout, index)
        return self._map(tables.with_times, candidates, known)

    def with_consensus(self, candidates: Blocks, evidence_: Future) -> Blocks:
        index = [self._to.submit(tables.index_of, one) for one in candidates]
        said = evidence.consensus(self._to, self._inputs, evidence_, index)
        return self._map(tables.with_consensus, candidates, said)

    def weighted(self, candidates: Blocks, time: float, consensus: float) -> Blocks:
        return self._to.finished(
            [self._to.submit(tables.weighted, one, time, consensus) for one in candidates]
        )

    def wanted(self, candidates: Blocks, time: float, consensus: float) -> int:
        parts = [self._to.submit(tables.wanted_places, one, time, consensus) for one in candidates]
        return int(self._to.fetched(self._counted(parts)))

    def wanted_by_alpha(
        self, candidates: Blocks, labels: BlockLabels, alpha: float, others: Iterable[float]
    ) -> dict[float, int]:
        few = [self._to.submit(tables.leaders, one) for one in candidates]
        index = [self._to.submit(tables.index_of, one) for one in few]
        by_relation = self._relational(labels, index)
        counts = {
            other: self._counted(
                [
                    self._to.submit(tables.wanted_under, *both, alpha, other)
                    for both in zip(few, by_relation, strict=True)
                ]
            )
            for other in others
        }
        found: dict[float, int] = self._to.fetched(counts)
        return found

    def _counted(self, parts: Blocks) -> Future:
        return self._to.submit(tables.count, self._to.reduced(tables.union, parts))

    def _relational(self, labels: BlockLabels, index: Blocks) -> Blocks:
        return search.dots(self._to, labels, self._layout, index, int(labels.has_relational))

    def noise_scale(self, candidates: Blocks) -> float | None:
        return assigned.noise_scale(self._to, candidates)

    def assign(self, candidates: Blocks, temperature: float, iterations: int) -> Assignment:
        n_right = len(self.problem.right)
        return assigned.assigned(self._to, candidates, n_right, temperature, iterations)

    def without_assignment(self, candidates: Blocks) -> Assignment:
        return assigned.without(self._to, candidates)

    def for_themselves(self, candidates: Blocks, temperature: float) -> Assignment:
        n_right = len(self.problem.right)
        return assigned.for_themselves(self._to, candidates, n_right, temperature)

    def confidence(self, candidates: Blocks, iterations: int) -> Chances | None:
        return assigned.confidence(self._to, candidates, len(self.problem.right), iterations)

    def best(self, candidates: Blocks, assignment: Assignment) -> Best:
        parts = self._valued(tables.best, candidates, assignment)
        return tables.joined_best(self._to.fetched(parts))

    def claims(self, candidates: Blocks, assignment: Assignment, base: Links) -> Best:
        parts = self._valued(tables.best, candidates, assignment)
        found: Best = self._to.fetched(
            self._to.submit(tables.claims_of, parts, self._to.hold(base))
        )
        return found

    def best_n(self, candidates: Blocks, assignment: Assignment, n: int) -> Best:
        parts = self._valued(tables.best_n, candidates, assignment, n)
        return tables.joined_best(self._to.fetched(parts))

    def _valued(
        self, function: Any, candidates: Blocks, assignment: Assignment, *more: Any
    ) -> Blocks:
        """A function of candidates, values, confidences and where the block begins."""
        value, sure = _blocks_of(assignment)
        return [
            self._to.submit(function, *block, *more)
            for block in zip(candidates, value, sure, self._layout.left.begins, strict=True)
        ]

    def settled(self, candidates: Blocks, assignment: Assignment, paired: Ints, k: int) -> Settled:
        value, _ = _blocks_of(assignment)
        asked = self._to.hold(paired)
        parts = [
            self._to.submit(tables.settled_of, table, one, asked, k, begin)
            for table, one, begin in zip(candidates, value, self._layout.left.begins, strict=True)
        ]
        return tables.joined_settled(self._to.fetched(parts))

    def reached(self, candidates: Blocks) -> int:
        return int(sum(self._to.fetched(self._map(tables.reached, candidates))))

    def kept(
        self,
        labels: BlockLabels,
        candidates: Blocks,
        assignment: Assignment,
        config: Config,
        n: int,
    ) -> Kept:
        value, sure = _blocks_of(assignment)
        order = [
            self._to.submit(tables.best_places, *both, n)
            for both in zip(candidates, value, strict=True)
        ]
        by_relation = self._relational(labels, [self._to.submit(tables.last, one) for one in order])
        parts = [
            self._to.submit(tables.kept, *block[:-1], config, block[-1])
            for block in zip(
                candidates, value, sure, order, by_relation, self._layout.left.begins, strict=True
            )
        ]
        return tables.joined_kept(self._to.fetched(parts))

    def on_host(self, candidates: Blocks, assignment: Assignment) -> tuple[Candidates, Assignment]:
        whole = tables.joined_candidates(self._to.fetched(candidates))
        width = whole.index.shape[1]
        value, sure = _blocks_of(assignment)
        return whole, replace(
            assignment,
            value=self._whole(value, width),
            confidence=None if assignment.confidence is None else self._whole(sure, width),
        )

    def _whole(self, blocks: Sequence[Future], width: int) -> Any:
        return np.concatenate([tables.padded(one, width, 0) for one in self._to.fetched(blocks)])

    def close(self) -> None:
        self._to.close()

    def _map(self, function: Any, *blocks: Sequence[Any]) -> Blocks:
        """A function of the parts of each block, when all are done."""
        return self._to.finished(
            [self._to.submit(function, *parts) for parts in zip(*blocks, strict=True)]
        )


def _blocks_of(assignment: Assignment) -> tuple[Sequence[Any], Sequence[Any]]:
    """Values and confidences by block; None for confidences that there are not."""
    value: Any = assignment.value
    sure: Any = assignment.confidence
    return value, sure if sure is not None else [None] * len(value)
