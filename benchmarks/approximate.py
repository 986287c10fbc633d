"""What approximate search costs in accuracy and saves in time, beside exact search and others.

    python benchmarks/approximate.py [--entities 100000] [--sample 5000] [--asking N] [--beside]

On a synth pair (5 facts an entity, 1 % seeds, one round, top-k 100): Hits@1 of a sample of left
entities with the candidates that approximate search found and with exact ones, everything else
the same; the sample's share of true counterparts among the candidates; seconds of both searches
(the exact one's are the sample's, scaled to all that search). With --asking only so many left
entities, the sample among them, search and compete. With --beside, whichever of hnswlib, usearch
and faiss is installed searches the same whitened and narrowed labels: seconds of processor time to
build and to ask (the sample's, scaled to all that search), memory of the index, and what it finds.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

import numpy as np

from beside import installed_rivals
from lighttea.bench.protocol import draw_task
from lighttea.bench.task import Task
from lighttea.config import Config, make_config
from lighttea.engines.base import Blocks
from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.tables import TopK
from lighttea.io.benchmark import read_dataset
from lighttea.kernels.process import resident_bytes
from lighttea.kernels.rows import NumpyRows
from lighttea.kernels.threads import limited_threads
from lighttea.progress import Progress, peak_rss_mb
from lighttea.propagate.labels import Labels
from lighttea.similarity.approximate import approximate_search, learn_narrowing, sample_rows
from lighttea.similarity.carry import CarriedCandidates
from lighttea.similarity.cells import NARROW, narrow_blocks
from lighttea.similarity.exact import exact_search
from lighttea.similarity.recall import RecallCounts, count_recall
from lighttea.solve.likely import Likely
from lighttea.solve.problem import Problem, pose_problem
from lighttea.solve.round import assign_candidates, propagate_labels, score_candidates
from lighttea.solve.start import CpuPlan, cpu_engine
from lighttea.solve.workspace import Workspace
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from lighttea.types import NO_CANDIDATE, Bools, Floats, Ints, NumpyArray

NARROWING_SAMPLE = 10_000  # rows of each side that tell the principal directions

T = TypeVar("T")
Found = Blocks[TopK[NumpyArray]]


@dataclass(frozen=True)
class Bench:
    """A task with its labels, and the sample that is judged."""

    work: Workspace[NumpyArray]
    labels: Labels[NumpyArray]
    config: Config
    rows: Ints  # the sampled left rows
    gold: Ints  # the place of each one's counterpart

    def hits(self, found: Found) -> float:
        """Return Hits@1 of the sample after time similarity and Sinkhorn over all rows."""
        work = self.work
        none, seeds = CarriedCandidates.none(), work.problem.known
        candidates, used = score_candidates(
            work, self.labels, found, none, Likely.sure(seeds), self.config
        )
        assignment, _ = assign_candidates(work, candidates, used)
        value, index = self.only(assignment.value)[self.rows], self.only(found).index[self.rows]
        best = np.where(index == NO_CANDIDATE, -1, value).argmax(axis=1)
        return float((index[np.arange(len(index)), best] == self.gold).mean())

    def reached(self, found: Found) -> float:
        """Return the share of the sample whose counterpart is a candidate."""
        index = self.only(found).index[self.rows]
        return float((index == self.gold[:, None]).any(axis=1).mean())

    def only(self, blocks: Blocks[T]) -> T:
        """Return the only block: the CPU engine works on all rows together."""
        (block,) = blocks
        return self.work.engine.fetch(block)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--sample", type=int, default=5000)
    parser.add_argument("--asking", type=int, default=0, help="left entities that search; 0: all")
    parser.add_argument("--beside", action="store_true", help="beside other packages' indexes")
    options = parser.parse_args()
    if options.beside:  # the wheel's own BLAS does not know new processors
        os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
    with limited_threads(0):
        bench = prepare(options.entities, options.sample)
        asking = choose_asking(bench, options.asking)
        engine, labels, k = bench.work.engine, bench.labels, bench.config.top_k
        rng = np.random.default_rng(1)
        found, spent = timed(lambda: approximate_search(engine, labels, k, asking, rng))
        sample = np.isin(np.arange(len(asking)), bench.rows)
        exact, sample_spent = timed(lambda: exact_search(engine, labels, k, sample))
        print(
            f"entities a side: {options.entities:,}, {asking.sum():,} search, "
            f"{len(bench.rows):,} are judged"
        )
        print("| search | processor s | counterpart found | Hits@1 | best found | top-k found |")
        print("|---|---|---|---|---|---|")
        print_line("approximate", bench, found, spent, exact)
        whole = sample_spent * asking.sum() / len(bench.rows)
        print_line("exact", bench, replace_rows(bench, found, exact), whole, exact)
        if options.beside:
            print_rivals(bench, exact)
    print(json.dumps({"peak_mb": round(peak_rss_mb())}))


def prepare(entities: int, sample: int) -> Bench:
    """Return a synth pair up to its labels."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "synth"
        made = write_synth(folder, SynthConfig(entities=entities, seeds=max(1, entities // 100)))
        task = draw_task(read_dataset(folder), made.seeds, np.random.default_rng(0))
    problem, config = pose_problem(
        task.left, task.right, task.seeds, make_config("paper", rounds=1, top_k=100), Progress()
    )
    plan = CpuPlan(compact=True, left_rows=4096, right_rows=2048, peak=0)
    work = Workspace(cpu_engine(problem, config, plan), problem)
    labels = propagate_labels(work, task.seeds, config, np.random.default_rng(0))
    return Bench(work, labels, config, *draw_sample(task, problem, sample))


def draw_sample(task: Task, problem: Problem, size: int) -> tuple[Ints, Ints]:
    """Return rows of some true pairs, rising, and the places of their counterparts."""
    chosen = np.random.default_rng(2).permutation(len(task.truth))[:size]
    chosen = chosen[np.argsort(task.truth.left[chosen])]
    return (
        np.searchsorted(problem.left, task.truth.left[chosen]),
        np.searchsorted(problem.right, task.truth.right[chosen]),
    )


def choose_asking(bench: Bench, n: int) -> Bools:
    """Return which left rows search: the sample and others drawn at random, n in all; 0: all."""
    every = np.arange(len(bench.work.problem.left))
    if not n:
        return np.ones(len(every), bool)
    others = np.random.default_rng(3).permutation(np.setdiff1d(every, bench.rows))
    chosen = np.concatenate([bench.rows, others[: max(0, n - len(bench.rows))]])
    return np.isin(every, chosen)


def replace_rows(bench: Bench, found: Found, exact: Found) -> Found:
    """Return what was found, with the sample's candidates replaced by the exact ones."""
    some, own = bench.only(found), bench.only(exact)
    index, label = some.index.copy(), some.label.copy()
    index[bench.rows], label[bench.rows] = own.index[bench.rows], own.label[bench.rows]
    return Blocks([bench.work.engine.hold(TopK(index, label))])


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result and the seconds of processor time it took, in all threads."""
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin


def print_line(name: str, bench: Bench, found: Found, spent: float, exact: Found) -> None:
    """Print one row of the table."""
    counts = count_found(bench, found, exact)
    recall = counts.n_best / counts.n_rows, counts.n_found / counts.n_exact
    figures = (bench.reached(found), bench.hits(found), *recall)
    print(f"| {name} | {spent:.1f} | " + " | ".join(f"{x:.4f}" for x in figures) + " |", flush=True)


def count_found(bench: Bench, found: Found, exact: Found) -> RecallCounts:
    """Return how much of the sample's exact result was found."""
    return count_recall(PLAIN, bench.only(found), bench.only(exact), bench.rows)


def print_rivals(bench: Bench, exact: Found) -> None:
    """Print what other packages' indexes find in the same narrowed labels, and what they cost."""
    left, right = (
        cast(NumpyRows, bench.only(side)) for side in (bench.labels.left, bench.labels.right)
    )
    sample = [sample_rows(PLAIN, rows, NARROWING_SAMPLE, 1) for rows in (left, right)]
    narrowing = learn_narrowing(PLAIN, sample, 1)[:, :NARROW]
    asking, answers = bench.rows[left.filled[bench.rows]], np.flatnonzero(right.filled)
    queries = narrow(left, asking, narrowing)
    stored, narrowed = timed(lambda: narrow(right, answers, narrowing))
    print(f"narrowing one side, which all need and ours counts: {narrowed:.0f} s")
    times = int(left.filled.sum()) / len(asking)  # the sample's seconds to all rows'
    print("| index | effort | build | ask | both | index MiB | counterpart found | best found |")
    print("|---|---|---|---|---|---|---|---|")
    for rival in installed_rivals(len(stored)):
        held = resident_bytes()
        index, building = timed(lambda: rival.build(stored))  # noqa: B023
        size = (resident_bytes() - held) >> 20
        for effort in rival.efforts:
            places, spent = timed(
                lambda: rival.ask(index, queries, bench.config.top_k, effort)  # noqa: B023
            )
            found = near_places(bench, asking, answers, places)
            counts = count_found(bench, found, exact)
            figures = bench.reached(found), counts.n_best / counts.n_rows
            seconds = building, times * spent, building + times * spent
            shown = [f"{x:.0f}" for x in (*seconds, size)] + [f"{x:.4f}" for x in figures]
            print(f"| {rival.name} | {effort} | " + " | ".join(shown) + " |", flush=True)


def near_places(bench: Bench, asking: Ints, answers: Ints, places: Ints) -> Found:
    """Return what an index found for the asking rows, as a search of all left rows."""
    n_left, k = len(bench.work.problem.left), places.shape[1]
    near = np.full((n_left, k), NO_CANDIDATE, np.int32)
    near[asking] = np.where(places < 0, NO_CANDIDATE, answers[places])
    return Blocks([bench.work.engine.hold(TopK(near, np.zeros((n_left, k), np.float32)))])


def narrow(rows: NumpyRows, numbers: Ints, narrowing: Floats) -> Floats:
    """Return narrowed rows of length one."""
    return np.concatenate(list(narrow_blocks(rows, numbers, narrowing)))


if __name__ == "__main__":
    main()
