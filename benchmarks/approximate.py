"""What approximate search costs in accuracy and saves in time, beside exact search and FAISS.

    python benchmarks/approximate.py [--entities 100000] [--sample 5000] [--asking N] [--faiss]

On a synth pair (5 facts an entity, 1 % seeds, one round, top-k 100): Hits@1 of a sample of left
entities with the candidates that approximate search found and with exact ones, everything else
the same; the sample's share of true counterparts among the candidates; seconds of both searches
(the exact one's are the sample's, scaled to all who ask). With --asking only so many left entities,
the sample among them, search and compete. With --faiss, IVF indexes of several settings on
the same evened and narrowed labels are judged in the same way, where faiss-cpu is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lighttea.assign.sinkhorn import assign
from lighttea.bench.protocol import draw_task
from lighttea.bench.task import Task
from lighttea.config import Config, make_config
from lighttea.graph.pair import Pair
from lighttea.graph.views import Views
from lighttea.io.benchmark import read_dataset
from lighttea.kernels.rows import Rows
from lighttea.kernels.threads import limited_threads
from lighttea.progress import peak_rss_mb
from lighttea.propagate.labels import Labels, two_aspect_labels
from lighttea.similarity.approximate import (
    approximate_top_k,
    narrowing_of,
    score_met,
)
from lighttea.similarity.search import recall_of
from lighttea.similarity.time import time_similarity
from lighttea.similarity.topk import NONE, Candidates, Found, top_k
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from lighttea.types import Floats, Ints, LeftIds, RightIds


@dataclass(frozen=True)
class Bench:
    """A task with its labels, and the sample that is judged."""

    pair: Pair
    views: Views
    left: LeftIds
    right: RightIds
    labels: Labels
    config: Config
    rows: Ints  # the sampled left rows
    gold: Ints  # the place of each one's counterpart

    def hits(self, found: Found) -> float:
        """Hits@1 of the sample after time similarity and Sinkhorn over all rows."""
        candidates = Candidates.of(self.left, self.right, found)
        ticks = time_similarity(candidates, self.views.tick_counts, self.pair)
        candidates = candidates.with_times(ticks).weighted(self.config.time_weight, 0)
        value = assign(
            candidates, temperature=self.config.temperature, iterations=self.config.iterations
        ).value[self.rows]
        index = found.index[self.rows]
        best = index[np.arange(len(index)), np.where(index == NONE, -1, value).argmax(axis=1)]
        return float((best == self.gold).mean())

    def reached(self, found: Found) -> float:
        """Share of the sample whose counterpart is a candidate."""
        return float((found.index[self.rows] == self.gold[:, None]).any(axis=1).mean())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--sample", type=int, default=5000)
    parser.add_argument("--asking", type=int, default=0, help="left entities that search; 0: all")
    parser.add_argument("--faiss", action="store_true")
    options = parser.parse_args()
    if options.faiss:  # the wheel's own BLAS does not know new processors
        os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
    with limited_threads(0):
        bench = prepared(options.entities, options.sample)
        asks = who_asks(bench, options.asking)
        found, spent = timed(
            lambda: approximate_top_k(
                bench.labels.left,
                bench.labels.right,
                bench.config.top_k,
                np.random.default_rng(1),
                asks=asks,
            )
        )
        exact, sample_spent = timed(lambda: exact_of(bench))
        print(
            f"entities a side: {options.entities:,}, {len(asks):,} ask, {len(bench.rows):,} judged"
        )
        print("| search | seconds | counterpart found | Hits@1 | best found | top-k found |")
        print("|---|---|---|---|---|---|")
        line("approximate", bench, found, spent, exact)
        whole = sample_spent * len(asks) / len(bench.rows)
        line("exact", bench, merged(found, exact, bench.rows), whole, exact)
        if options.faiss:
            faiss_lines(bench, exact)
    print(json.dumps({"peak_mb": round(peak_rss_mb())}))


def prepared(entities: int, sample: int) -> Bench:
    """A synth pair up to its labels."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "synth"
        made = write_synth(folder, SynthConfig(entities=entities, seeds=entities // 100))
        task = draw_task(read_dataset(folder), made.seeds, np.random.default_rng(0))
    config = make_config("paper", rounds=1, top_k=100)
    pair = Pair.of(task.left, task.right)
    views = Views.of(pair)
    left = LeftIds(np.setdiff1d(pair.all_left, task.seeds.left))
    right = RightIds(np.setdiff1d(pair.all_right, task.seeds.right))
    rng = np.random.default_rng(0)
    labels = two_aspect_labels(views, pair, task.seeds, left, right, config, rng, compact=True)
    rows, gold = sampled(task, left, right, sample)
    return Bench(pair, views, left, right, labels, config, rows, gold)


def sampled(task: Task, left: LeftIds, right: RightIds, size: int) -> tuple[Ints, Ints]:
    """Rows of some true pairs and the places of their counterparts."""
    chosen = np.random.default_rng(2).permutation(len(task.truth))[:size]
    chosen = chosen[np.argsort(task.truth.left[chosen])]
    return (
        np.searchsorted(left, task.truth.left[chosen]),
        np.searchsorted(right, task.truth.right[chosen]),
    )


def who_asks(bench: Bench, n: int) -> Ints:
    """The sample and others drawn at random, n in all; everybody for 0."""
    everybody = np.arange(len(bench.left))
    if not n:
        return everybody
    others = np.random.default_rng(3).permutation(np.setdiff1d(everybody, bench.rows))
    return np.sort(np.concatenate([bench.rows, others[: max(0, n - len(bench.rows))]]))


def exact_of(bench: Bench) -> Found:
    """Exact candidates of the sample."""
    return top_k(bench.labels.left, bench.labels.right, bench.config.top_k, asks=bench.rows)


def merged(found: Found, exact: Found, rows: Ints) -> Found:
    """What was found, with the sample's candidates replaced by the exact ones."""
    both = Found(found.index.copy(), found.label.copy())
    both.index[rows], both.label[rows] = exact.index[rows], exact.label[rows]
    return both


def timed(work: Any) -> tuple[Any, float]:
    """The result and the seconds it took."""
    begin = time.perf_counter()
    result = work()
    return result, time.perf_counter() - begin


def line(name: str, bench: Bench, found: Found, spent: float, exact: Found) -> None:
    """One row of the table."""
    recall = recall_of(found, exact, bench.rows)
    figures = (bench.reached(found), bench.hits(found), recall.best, recall.all_k)
    print(f"| {name} | {spent:.1f} | " + " | ".join(f"{x:.4f}" for x in figures) + " |", flush=True)


def faiss_lines(bench: Bench, exact: Found) -> None:
    """IVF indexes in FAISS on the same narrowed labels, 8 bits a value, and scored exactly."""
    import faiss  # type: ignore[import-not-found,unused-ignore]

    left, right = bench.labels.left, bench.labels.right
    rng = np.random.default_rng(1)
    asking, answers = np.flatnonzero(left.filled), np.flatnonzero(right.filled)
    narrowing = narrowing_of(left, right, asking, answers, rng)[:, :256]
    queries, stored = (narrow(rows, n, narrowing) for rows, n in ((left, asking), (right, answers)))
    n_cells = int(4 * np.sqrt(len(answers)))
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(256),
        256,
        n_cells,
        faiss.ScalarQuantizer.QT_8bit,
        faiss.METRIC_INNER_PRODUCT,
        False,
    )
    index.cp.spherical = True
    _, building = timed(lambda: (index.train(stored[: 32 * n_cells]), index.add(stored)))
    k = bench.config.top_k
    for n_probes in (16, 64, 256):
        index.nprobe = n_probes
        (_, places), spent = timed(lambda: index.search(queries, k))
        found = Found.none(len(left), k)
        near = np.where(places < 0, NONE, answers[places])
        _, scoring = timed(lambda: score_met(found, asking, near, left, right))  # noqa: B023
        name = f"FAISS IVF{n_cells}, SQ8, nprobe {n_probes}"
        line(name, bench, found, building + spent + scoring, exact)


def narrow(rows: Rows, numbers: Ints, narrowing: Floats) -> Floats:
    """Narrowed rows of length one."""
    out = rows.take(numbers) @ narrowing
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    return np.ascontiguousarray(out, np.float32)


if __name__ == "__main__":
    main()
