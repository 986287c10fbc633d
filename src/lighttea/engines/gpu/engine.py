"""The GPU engine itself: the stages of a round, handed to the modules beside this one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import torch

from lighttea.assign.decode import Best
from lighttea.assign.sinkhorn import Assignment
from lighttea.config import Config
from lighttea.engines.base import Chances, Kept
from lighttea.engines.gpu import assign as assigning
from lighttea.engines.gpu.candidates import Struck, Table, dots, merged, top_k
from lighttea.engines.gpu.device import Device, host, tells_out_of_memory
from lighttea.engines.gpu.evidence import DeviceEvidence, EvidenceMaker
from lighttea.engines.gpu.labels import DeviceLabels, Propagation, expected_bytes
from lighttea.engines.gpu.ragged import Lists, overlaps, run_sums
from lighttea.errors import ConfigError
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.pair import Links
from lighttea.kernels.process import resident_bytes
from lighttea.similarity.search import Recall
from lighttea.similarity.settled import KEPT, Settled
from lighttea.similarity.sources import BY_LABEL
from lighttea.similarity.topk import Candidates
from lighttea.similarity.weights import LEADERS
from lighttea.solve.memory import GIB, written_bytes
from lighttea.solve.problem import Problem
from lighttea.types import Ints

_T = TypeVar("_T")
_Found = tuple[torch.Tensor, torch.Tensor]  # places and label similarities


@tells_out_of_memory
class GpuEngine:
    """All on one device, from the facts to the best candidates."""

    name = "gpu"
    compact = False  # labels are never rounded to eight bits

    def __init__(self, problem: Problem, device: str = "cuda") -> None:
        """Copy facts and views to the device, once."""
        self.problem, self._device = problem, Device.named(device)
        self._propagation = Propagation(problem, self._device)
        self._evidence = EvidenceMaker(problem, self._device)
        self._left_ids = self._device.put(problem.left, torch.int64)
        self._right_ids = self._device.put(problem.right, torch.int64)
        counts, put = problem.views.tick_counts, self._device.put
        self._ticks = Lists(
            put(counts.start, torch.int64),
            put(counts.columns, torch.int64),
            put(counts.weights),
            counts.n_columns,
        )
        self._struck = None if problem.allowed is None else Struck(problem.allowed, self._device)

    @classmethod
    def planned(cls, problem: Problem, config: Config, device: str = "cuda") -> GpuEngine:
        """With room for the run on the device, said before the work begins."""
        made = cls(problem, device)
        needed, free = expected_bytes(problem, config), made._device.free_bytes()
        if made._device.is_gpu and needed > free:
            raise ConfigError(
                f"about {needed / GIB:.1f} GiB of GPU memory are needed, {free / GIB:.1f} GiB are "
                f"free; lower --dim ({config.dim}), --sketch-factor ({config.sketch_factor}) or "
                f"--top-k ({config.top_k}), or use --engine cpu"
            )
        problem.progress.planned(resident_bytes() + written_bytes(len(problem.left)))
        if made._device.is_gpu:
            problem.progress.tell(
                f"expected GPU memory: {needed / GIB:.1f} GiB of {free / GIB:.1f} GiB that are free"
            )
        return made

    def labels(self, seeds: Links, config: Config, rng: np.random.Generator) -> DeviceLabels:
        return self._done(self._propagation.labels(seeds, config, rng))

    def search(
        self, labels: DeviceLabels, settled: Settled, config: Config, rng: np.random.Generator
    ) -> tuple[_Found, Recall | None]:
        asks = torch.ones(len(self.problem.left), dtype=torch.bool, device=labels.left.device)
        again = not config.rebuild and len(settled.rows)
        rows = self._device.put(settled.rows, torch.int64)
        if again:
            asks[rows] = False
        index, label = top_k(labels, config.top_k, asks, self._device)
        if again:
            few = self._device.put(settled.index, torch.int32)
            index[rows, : few.shape[1]] = few
            label[rows, : few.shape[1]] = dots(labels.left, labels.right, rows, few, self._device)
        return self._done((index, label)), None

    def evidence(
        self, links: Links, config: Config, more: Sequence[tuple[Kind, Tokens]] = ()
    ) -> DeviceEvidence:
        return self._done(self._evidence.made(links, config, more))

    def suggested(self, evidence: DeviceEvidence, k: int, *, neighbours: bool) -> torch.Tensor:
        return self._done(evidence.suggested(k, neighbours=neighbours))

    def stayed(self, settled: Settled) -> torch.Tensor:
        return self._device.put(settled.table(len(self.problem.left)), torch.int32)

    def candidates(
        self, labels: DeviceLabels, found: _Found, more: Mapping[int, torch.Tensor]
    ) -> Table:
        if not more:
            index, label = found
            source = torch.where(index >= 0, BY_LABEL, 0).to(torch.uint8)
            return self._allowed(index, label, source)
        index, source = merged({BY_LABEL: found[0], **more})
        rows = torch.arange(len(index), device=index.device)
        label = dots(labels.left, labels.right, rows, index, self._device)
        return self._allowed(index, label, source)

    def candidates_by_evidence(
        self, evidence: DeviceEvidence, tables: Mapping[int, torch.Tensor]
    ) -> Table:
        index, source = merged(tables)
        return self._allowed(index, evidence.consensus(index), source)

    def _allowed(self, index: torch.Tensor, label: torch.Tensor, source: torch.Tensor) -> Table:
        if self._struck is not None:
            index = self._struck.strike(self._left_ids, self._right_ids, index)
        return self._done(Table(index, label, None, label, source=source))

    def with_times(self, candidates: Table) -> Table:
        maker, lists, index = self._evidence, self._ticks, candidates.index
        shared = overlaps(lists, maker.left, maker.right, index, self._device, smaller=True)
        sizes = run_sums(lists.value, lists.counts()).to(torch.float32)
        own, other = sizes[maker.left][:, None], sizes[maker.right[index.clamp_min(0).long()]]
        known = (own > 0) & (other > 0) & candidates.valid
        time = torch.where(known, 2 * shared / (own + other).clamp_min(1e-30), torch.nan)
        return self._done(replace(candidates, time=time))

    def with_consensus(self, candidates: Table, evidence: DeviceEvidence) -> Table:
        return self._done(replace(candidates, consensus=evidence.consensus(candidates.index)))

    def weighted(self, candidates: Table, time: float, consensus: float) -> Table:
        return self._done(candidates.weighted(time, consensus))

    def wanted(self, candidates: Table, time: float, consensus: float) -> int:
        return assigning.wanted(candidates, time, consensus, self._device)

    def wanted_by_alpha(
        self, candidates: Table, labels: DeviceLabels, alpha: float, others: Iterable[float]
    ) -> dict[float, int]:
        score = candidates.score.masked_fill(~candidates.valid, -torch.inf)
        first = score.topk(min(LEADERS, score.shape[1]), dim=1, sorted=False).indices
        index, label = candidates.index.gather(1, first), candidates.label.gather(1, first)
        n = labels.n_relational
        rows = torch.arange(len(index), device=index.device)
        relational = dots(labels.left[:, :n], labels.right[:, :n], rows, index, self._device)
        found = {}
        for other in others:
            tried = relational * ((1 - other) / (1 - alpha)) ** 2
            tried += (label - relational) * (other / alpha) ** 2
            found[other] = assigning.wanted(Table(index, tried, None, tried), 0, 0, self._device)
        return found

    def noise_scale(self, candidates: Table) -> float | None:
        return assigning.noise_scale(candidates)

    def assign(self, candidates: Table, temperature: float, iterations: int) -> Assignment:
        return assigning.assign(candidates, len(self.problem.right), temperature, iterations)

    def without_assignment(self, candidates: Table) -> Assignment:
        return assigning.without_assignment(candidates)

    def for_themselves(self, candidates: Table, temperature: float) -> Assignment:
        return assigning.for_themselves(candidates, len(self.problem.right), temperature)

    def confidence(self, candidates: Table, iterations: int) -> Chances | None:
        return assigning.confidence(candidates, len(self.problem.right), iterations)

    def best(self, candidates: Table, assignment: Assignment) -> Best:
        left, right = self.problem.left, self.problem.right
        return assigning.best_candidates(candidates, assignment, left, right)

    def claims(self, candidates: Table, assignment: Assignment, base: Links) -> Best:
        taken = (
            torch.isin(self._left_ids, self._device.put(base.left, torch.int64)),
            torch.isin(self._right_ids, self._device.put(base.right, torch.int64)),
        )
        left, right = self.problem.left, self.problem.right
        return assigning.claims(candidates, assignment, left, right, *taken)

    def best_n(self, candidates: Table, assignment: Assignment, n: int) -> Best:
        left, right = self.problem.left, self.problem.right
        return assigning.best_n_candidates(candidates, assignment, left, right, n)

    def settled(self, candidates: Table, assignment: Assignment, paired: Ints, k: int) -> Settled:
        rows = np.flatnonzero(np.isin(self.problem.left, paired))
        kept = min(KEPT, k, candidates.index.shape[1])
        here = self._device.put(rows, torch.int64)
        return Settled(rows, host(assigning.settled_table(candidates, assignment, here, kept)))

    def reached(self, candidates: Table) -> int:
        return int(candidates.valid.any(1).sum())

    def kept(
        self,
        labels: DeviceLabels,
        candidates: Table,
        assignment: Assignment,
        config: Config,
        n: int,
    ) -> Kept:
        row, column, rank = assigning.best_order(candidates, assignment, n)
        place, time = candidates.index[row, column], candidates.time
        width, label = labels.n_relational, candidates.label[row, column]
        relational = dots(
            labels.left[:, :width], labels.right[:, :width], row, place[:, None], self._device
        )[:, 0]
        if labels.n_parts == 1:  # all or nothing, to the last bit
            relational = label if labels.has_relational else torch.zeros_like(label)
        seen = torch.full_like(label, torch.nan) if time is None else time[row, column]
        weight = torch.where(seen.isnan(), 1.0, 1.0 - config.time_weight)
        terms = {
            "relational": weight * relational,
            "temporal": weight * (label - relational),
            "time": config.time_weight * torch.nan_to_num(seen, 0.0),
        }
        if candidates.consensus is not None:
            terms = {name: (1 - config.consensus) * term for name, term in terms.items()}
            terms["consensus"] = config.consensus * candidates.consensus[row, column]
        return Kept(
            row=host(row),
            place=host(place),
            rank=host(rank),
            terms={name: host(term.to(torch.float32)) for name, term in terms.items()},
            score=host(candidates.score[row, column]),
            confidence=host(torch.as_tensor(assignment.sureness)[row, column]),
        )

    def on_host(self, candidates: Table, assignment: Assignment) -> tuple[Candidates, Assignment]:
        label = host(candidates.label)
        plain = Candidates(
            self.problem.left,
            self.problem.right,
            host(candidates.index),
            label,
            np.full_like(label, np.nan) if candidates.time is None else host(candidates.time),
            host(candidates.score),
            None if candidates.consensus is None else host(candidates.consensus),
            None if candidates.source is None else host(candidates.source),
        )
        sure = assignment.confidence
        return plain, replace(
            assignment,
            value=host(torch.as_tensor(assignment.value)),
            confidence=None if sure is None else host(torch.as_tensor(sure)),
        )

    def close(self) -> None:
        """Give the device's memory back to others."""
        if self._device.is_gpu:
            torch.cuda.empty_cache()

    def _done(self, result: _T) -> _T:
        """The result, when it is there: so that seconds belong to their stage."""
        self._device.settle()
        return result


def find_gpu() -> tuple[str | None, str]:
    """The GPU that torch would use, or None and what is missing."""
    if torch.cuda.is_available():
        return "cuda", ""
    return None, (
        f"PyTorch {torch.__version__} finds no GPU that it can use (a CUDA or ROCm build of it and "
        "the GPU's driver are needed)"
    )
