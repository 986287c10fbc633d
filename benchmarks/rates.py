"""The loops beside what the machine can do: its matrix rate and its copy rate, measured together.

A share of 100 % is the floor: the product alone, or bytes moved as fast as a plain copy moves them.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lighttea.assign.sinkhorn import assign
from lighttea.engines.base import Blocks, Engine
from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.layout import Layout
from lighttea.engines.local import LocalEngine
from lighttea.engines.tables import NodeRows, TopK
from lighttea.graph.pair import Pair
from lighttea.graph.views import Incidence, PlainIncidence, PlainView, View
from lighttea.io.benchmark import read_dataset
from lighttea.kernels.rows import NumpyRows
from lighttea.kernels.threads import available_threads
from lighttea.kernels.topk import top_k
from lighttea.propagate.views import PairViews
from lighttea.similarity.candidates import Candidates
from lighttea.similarity.search import candidates_of_search
from lighttea.similarity.time import add_time_similarity
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from lighttea.types import Floats, Ints, NumpyArray

SEARCHES = ((2048, 500), (1024, 100))  # columns, k
ITERATIONS = (10, 30)  # of Sinkhorn; their difference leaves what is done once out


@dataclass(frozen=True)
class Scale:
    """How large the arrays are: larger than any cache, or small to see that the script runs."""

    n_left: int = 4096
    n_right: int = 20_000
    n_nodes: int = 100_000
    n_facts: int = 1_000_000
    dim: int = 512
    entities: int = 20_000  # of the graphs whose times are compared
    k: int = 500
    copied: int = 400_000_000  # bytes


QUICK = Scale(256, 700, 500, 3000, 32, 300, 20, 4_000_000)


@dataclass(frozen=True)
class Rate:
    """What one loop reached, and its floor where it has one."""

    what: str
    unit: str
    ours: float
    floor: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON, with the share."""
        return {**asdict(self), "share": self.ours / self.floor if self.floor else None}


def all_rates(scale: Scale) -> Iterator[Rate]:
    """Every loop in turn; the machine's own two rates first."""
    rng = np.random.default_rng(0)
    copy = copy_rate(scale.copied)
    yield Rate("copy, all threads", "GB/s", copy)
    yield Rate("matrix product, float32", "GFLOP/s", matrix_rate(scale, rng))
    yield from searches(scale, rng)
    for compact in (False, True):
        yield sparse_product(scale, rng, copy, compact=compact)
        yield fused_sketch(scale, rng, copy, compact=compact)
    yield times(scale, rng)
    yield sinkhorn(scale, rng, copy)


def best_of(work: Callable[[], Any], tries: int = 3) -> float:
    """The fewest seconds of several tries, after one to warm up."""
    work()
    spent = []
    for _ in range(tries):
        begin = time.perf_counter()
        work()
        spent.append(time.perf_counter() - begin)
    return min(spent)


def copy_rate(n_bytes: int) -> float:
    """Bytes read and written by a plain copy, each thread a part of it."""
    n_parts = available_threads()
    source, target = (np.ones((n_parts, n_bytes // 4 // n_parts), np.float32) for _ in "st")
    with ThreadPoolExecutor(n_parts) as pool:
        spent = best_of(lambda: list(pool.map(np.copyto, target, source)))
    return 2 * source.nbytes / spent / 1e9


def matrix_rate(scale: Scale, rng: np.random.Generator) -> float:
    """numpy's product of square matrices."""
    left, right = (normal(rng, scale.n_left, scale.n_left) for _ in "lr")
    return 2.0 * scale.n_left**3 / best_of(partial(np.matmul, left, right)) / 1e9


def searches(scale: Scale, rng: np.random.Generator) -> Iterator[Rate]:
    """Exact search beside numpy's product of the same matrices."""
    for width, k in SEARCHES:
        left, right = (normal(rng, n, width) for n in (scale.n_left, scale.n_right))
        operations = 2.0 * scale.n_left * scale.n_right * width
        product = operations / best_of(partial(np.matmul, left, right.T)) / 1e9
        rows = NumpyRows.of(left), NumpyRows.of(right)
        ours = operations / best_of(partial(top_k, *rows, k)) / 1e9
        what = f"top {k} of {scale.n_right:,} by {width:,} columns"
        yield Rate(what, "GFLOP/s", ours, product)


def normal(rng: np.random.Generator, n: int, width: int) -> Floats:
    """Random rows."""
    return rng.standard_normal((n, width), dtype=np.float32)


def sparse_product(scale: Scale, rng: np.random.Generator, copy: float, *, compact: bool) -> Rate:
    """A view times the labels: rows gathered, their scales, the entries, sums read and written."""
    start, neighbours = random_facts(scale, rng)
    weights = np.ones(len(neighbours), np.float32)
    view: PlainView = View(start, neighbours, weights, scale.n_nodes)
    rows = NumpyRows.of(normal(rng, scale.n_nodes, scale.dim), compact=compact)
    out = np.zeros((scale.n_nodes, scale.dim), np.float32)
    spent = best_of(partial(PLAIN.sparse_product, view, all_nodes(rows), 0, out))
    gathered = len(neighbours) * (rows.values.itemsize * scale.dim + rows.scale.itemsize)
    entries = view.columns.nbytes + view.weights.nbytes + view.start.nbytes
    moved = gathered + entries + 2 * out.nbytes
    return Rate(f"sparse times dense, {held(rows)}", "GB/s", moved / spent / 1e9, copy)


def fused_sketch(scale: Scale, rng: np.random.Generator, copy: float, *, compact: bool) -> Rate:
    """The last hop over all facts: bytes of neighbours' rows read."""
    start, neighbours = random_facts(scale, rng)
    others = rng.integers(0, 200, len(neighbours)).astype(np.int32)
    incidence: PlainIncidence = Incidence(start, neighbours, others)
    rows = NumpyRows.of(normal(rng, scale.n_nodes, scale.dim), compact=compact)
    work = partial(
        PLAIN.add_neighbour_products,
        incidence,
        0,
        all_nodes(rows),
        np.ones(scale.n_nodes, np.float32),
        normal(rng, 200, scale.dim),
        np.zeros((scale.n_nodes, scale.dim), np.float32),
    )
    read = len(neighbours) * scale.dim * rows.values.itemsize
    what = f"fused sketch over facts, {held(rows)}"
    return Rate(what, "GB/s", read / best_of(work) / 1e9, copy)


def all_nodes(rows: NumpyRows) -> NodeRows[NumpyArray]:
    """Every node has its row."""
    return PLAIN.spread_rows(rows, [np.arange(len(rows))], len(rows))


def held(rows: NumpyRows) -> str:
    """How rows are held, in words."""
    return f"{rows.n_columns} columns of {rows.values.dtype}"


def random_facts(scale: Scale, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Where each node's neighbours begin, and the neighbours: evenly drawn, the cache's worst."""
    inner = np.sort(rng.integers(0, scale.n_facts, scale.n_nodes - 1))
    start = np.concatenate([[0], inner, [scale.n_facts]]).astype(np.int64)
    return start, rng.integers(0, scale.n_nodes, scale.n_facts).astype(np.int32)


def times(scale: Scale, rng: np.random.Generator) -> Rate:
    """Time similarity of random candidates in made-up graphs."""
    with tempfile.TemporaryDirectory() as scratch:
        write_synth(Path(scratch) / "made", SynthConfig(entities=scale.entities))
        dataset = read_dataset(Path(scratch) / "made")
    pair = Pair.of(dataset.left, dataset.right)
    engine = whole_engine(pair.n_left, pair.n_right, pair.n_nodes)
    counts = PairViews(engine, pair, pair.all_left, pair.all_right).tick_counts()
    candidates = random_candidates(engine, scale.k, rng)
    spent = best_of(partial(add_time_similarity, engine, candidates, counts))
    each = spent / (pair.n_left * scale.k) * 1e9
    return Rate(f"time similarity, {scale.k} candidates each", "ns a candidate", each)


def whole_engine(n_left: int, n_right: int, n_nodes: int = 1) -> Engine[NumpyArray]:
    """The CPU engine with everything in one block."""
    layout = Layout.whole(n_left, n_right, n_nodes, dim=1, piece=max(1, n_left))
    return LocalEngine("cpu", PLAIN, layout, is_exact=True)


def random_candidates(
    engine: Engine[NumpyArray], k: int, rng: np.random.Generator
) -> Blocks[Candidates[NumpyArray]]:
    """k right entities for each left one, with scores like those of a search."""
    shape = engine.layout.left.n_rows, k
    index = rng.integers(0, engine.layout.right.n_rows, shape).astype(np.int32)
    found = engine.hold(TopK(index, rng.random(shape, np.float32)))
    return engine.map(candidates_of_search, Blocks([found]))


def sinkhorn(scale: Scale, rng: np.random.Generator, copy: float) -> Rate:
    """An iteration reads each candidate's value and place once."""
    engine = whole_engine(scale.entities, scale.entities)
    candidates = random_candidates(engine, scale.k, rng)
    few, many = (
        best_of(partial(assign, engine, candidates, temperature=0.05, iterations=n))
        for n in ITERATIONS
    )
    read = (ITERATIONS[1] - ITERATIONS[0]) * scale.entities * scale.k * (8 + 4)
    spent = max(many - few, 1e-9)
    return Rate(f"Sinkhorn, {scale.k} candidates each", "GB/s", read / spent / 1e9, copy)
