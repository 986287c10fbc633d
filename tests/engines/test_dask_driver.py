"""The process that leads the workers does no stage of the work and holds nothing that is large."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lighttea.assign.decode import scored_candidates
from lighttea.assign.sinkhorn import assign
from lighttea.config import Config, Preset, make_config
from lighttea.engines.cpu.ops import NumpyOps, NumpySparseKernel
from lighttea.engines.dask import connection
from lighttea.engines.dask.connection import Connection
from lighttea.engines.ops import Ops
from lighttea.graph import views
from lighttea.kernels import assignment, products, selection, sets
from lighttea.kernels.rows import NumpyRows
from lighttea.propagate.seed_vectors import count_places
from lighttea.similarity.carry import CarriedCandidates
from lighttea.similarity.search import candidates_by_label, search_labels
from lighttea.similarity.time import add_time_similarity
from lighttea.solve.memory import kept_candidates
from lighttea.solve.problem import Problem
from lighttea.solve.record import matches_of
from lighttea.solve.round import propagate_labels
from lighttea.solve.solve import solve
from lighttea.solve.start import open_workspace
from lighttea.solve.workspace import Workspace
from tests.engines.worlds import problem_of
from tests.worlds import make_hard_world

DIM, SKETCH = 256, 2
KERNELS = (assignment, products, selection, sets)


def compiled_in(module: ModuleType) -> list[str]:
    """Return the compiled loops of a module."""
    return [
        name for name, one in vars(module).items() if hasattr(one, "py_func") and name[0] != "_"
    ]


def functions_of(owner: type) -> list[str]:
    """Return the public functions of a class."""
    return [name for name in dir(owner) if name[0] != "_" and callable(getattr(owner, name))]


def open_dask(cluster: Any, problem: Problem, config: Config) -> Workspace[Any]:
    """Return a problem on the workers of a cluster."""
    return open_workspace("dask", problem, config, scheduler=cluster.scheduler_address)


@pytest.fixture
def work(dask_cluster: Any) -> Iterator[Workspace[Any]]:
    problem = problem_of(make_hard_world(), refused=True)
    with closing(open_dask(dask_cluster, problem, rounds_config("best"))) as opened:
        yield opened


def rounds_config(preset: Preset) -> Config:
    """Return settings under which two rounds visit every stage."""
    return make_config(
        preset,
        dim=DIM,
        sketch_factor=SKETCH,
        bootstrap=False,
        iterations=6,
        consensus_passes=2,
        rounds=2,
        convergence=0.0,
    )


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["paper", "best"])
def test_no_stage_runs_here(
    work: Workspace[Any], monkeypatch: pytest.MonkeyPatch, preset: Preset
) -> None:
    """Every function of arrays is refused in this process; the workers have theirs.

    So is every compiled loop, every builder of views and every matrix product.
    """

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a stage runs in the driver")

    refused: list[tuple[Any, str]] = [
        *((module, name) for module in KERNELS for name in compiled_in(module)),
        *((one, name) for one in (NumpyOps, NumpySparseKernel) for name in functions_of(one)),
        *((NumpyRows, name) for name in ("of", "empty", "join", "put", "take", "dots", "stretch")),
        *((views, name) for name in ("_view", "_of_scipy", "sorted_distinct")),  # of every view
        *((np, name) for name in ("matmul", "dot", "tensordot", "einsum", "argpartition")),
    ]
    assert set(functions_of(Ops)) <= {n for one, n in refused if one is NumpyOps}
    assert len(refused) > 80
    for owner, name in refused:
        monkeypatch.setattr(owner, name, refuse)
    n_rounds = 0
    for step in solve(work, rounds_config(preset)):
        n_rounds += 1
        result = step.result
        matches = matches_of(work, result)
        if result.labels is not None:
            tables = result.labels, result.candidates, result.assignment
            n_kept = kept_candidates(len(work.problem.left))
            scored = scored_candidates(work.engine, *tables, result.settings, n_kept)
    assert n_rounds == 2
    assert len(matches.row) > 100
    assert len(scored.row) > len(matches.row)


def bytes_of(value: Any) -> int:
    """Return the bytes of all arrays in a result, however it is made up."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return sum(bytes_of(one) for one in value.values())
    if isinstance(value, list | tuple):
        return sum(bytes_of(one) for one in value)
    return bytes_of(vars(value)) if hasattr(value, "__dict__") else 8


@pytest.mark.slow
def test_nothing_large_comes_here(work: Workspace[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is fetched in a round is a small part of one column of what the workers hold."""
    fetch, sizes = Connection.fetch, []

    def weigh(self: Connection, future: Any) -> Any:
        found = fetch(self, future)
        sizes.append(bytes_of(found))
        return found

    monkeypatch.setattr(Connection, "fetch", weigh)
    for step in solve(work, rounds_config("best")):
        matches_of(work, step.result)
        del step
    assert len(sizes) > 20
    labels = 4 * len(work.problem.left) * DIM * SKETCH * 2  # those of the left side
    assert max(sizes) < labels / 20


@pytest.mark.slow
@pytest.mark.parametrize("dim", [32, 64])
def test_what_is_handed_over_is_no_label(
    dask_cluster: Any, monkeypatch: pytest.MonkeyPatch, dim: int
) -> None:
    """A round's labels take its seeds' ids and random numbers to the workers, and no more."""
    hold, sizes = Connection.hold, []

    def weigh(self: Connection, value: Any) -> Any:
        sizes.append(bytes_of(value))
        return hold(self, value)

    monkeypatch.setattr(Connection, "hold", weigh)
    problem, config = problem_of(make_hard_world()), make_config("paper", dim=dim)
    pair, n_seeds = problem.pair, len(problem.known)
    with closing(open_dask(dask_cluster, problem, config)) as work:
        propagate_labels(work, problem.known, config, np.random.default_rng(1))
        first, facts = sum(sizes), 12 * len(pair.head) + 16 * pair.n_nodes
        sizes.clear()
        propagate_labels(work, problem.known, config, np.random.default_rng(1))
    n_projections = 2 * max(config.depth + 1, config.sketch_factor)  # of each aspect, in bytes
    drawn = dim * dim * (4 + config.depth * n_projections)  # with the fixed frame
    drawn += 8 * (n_seeds + count_places(pair.n_left) + dim)  # signs and orders of the frames
    assert sum(sizes) <= drawn + 24 * n_seeds
    assert first < facts + drawn + 24 * n_seeds
    assert sum(sizes) < 4 * dim * pair.n_nodes  # one hop of the labels


def kinds_held(cluster: Any, expected: set[str]) -> set[str]:
    """Return what the workers' memory has, by the functions that made it.

    Letting go takes a moment.
    """
    held: set[str] = set()
    for _ in range(100):
        tasks = dict(cluster.scheduler.tasks).items()
        held = {str(key).split("-")[0] for key, task in tasks if task.state == "memory"}
        if held == expected:
            break
        time.sleep(0.1)
    return held


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "rows"), [("paper", "join_pieces"), ("best", "whiten_rows")])
def test_a_stage_leaves_nothing_in_the_workers_but_its_result(
    dask_cluster: Any, preset: Preset, rows: str
) -> None:
    """Hops, views, fact lists and narrowed rows go with the stage that made them."""
    problem = problem_of(make_hard_world())
    config = make_config(preset, dim=32, top_k=20, iterations=3, search="approximate")
    rng, inputs = np.random.default_rng(1), {"held"}

    def assert_held(*kinds: str) -> None:
        expected = inputs | set(kinds)
        assert kinds_held(dask_cluster, expected) == expected

    with closing(open_dask(dask_cluster, problem, config)) as work:
        engine = work.engine
        labels = propagate_labels(work, problem.known, config, rng)
        assert_held(rows)
        found, _ = search_labels(engine, labels, CarriedCandidates.none(), config, rng)
        assert_held(rows, "with_labels")
        candidates = candidates_by_label(engine, labels, found, {})
        candidates = add_time_similarity(engine, candidates, work.views.tick_counts())
        engine.wait(candidates)
        del labels, found
        assert_held("add_times")
        values = assign(engine, candidates, temperature=0.05, iterations=3)
        assert_held("add_times", "transport_plan")
        assert len(values.value) == len(candidates)


def test_a_worker_of_many_threads_does_one_task_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Compiled loops are parallel themselves; two of them at once would be in each other's way."""
    from distributed import Client, LocalCluster

    monkeypatch.setattr(connection, "_fix_threads", lambda n_threads: 1)  # of this process

    def spent() -> tuple[float, float]:
        import time

        begin = time.monotonic()
        time.sleep(0.05)
        return begin, time.monotonic()

    with (
        LocalCluster(
            n_workers=1, threads_per_worker=3, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        connected = Connection(client)
        tasks = [connected.submit(spent) for _ in range(4)]
        spans = sorted(connected.fetch(task) for task in tasks)
    for (_, end), (begin, _) in pairwise(spans):
        assert begin >= end
