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

from lighttea.config import Preset, make_config
from lighttea.engines.base import Engine
from lighttea.engines.dask.connection import Connection
from lighttea.engines.dask.engine import DaskEngine
from lighttea.graph import views
from lighttea.kernels import assignment, products, selection, sets
from lighttea.similarity.settled import Settled
from lighttea.solve.memory import kept_candidates
from lighttea.solve.record import links_of
from lighttea.solve.rounds import rounds
from tests.engines.worlds import job_of
from tests.worlds import make_hard_world

DIM, SKETCH = 256, 2
KERNELS = (assignment, products, selection, sets)


def compiled_in(module: ModuleType) -> list[str]:
    return [
        name for name, one in vars(module).items() if hasattr(one, "py_func") and name[0] != "_"
    ]


@pytest.fixture
def engine(dask_cluster: Any) -> Iterator[Engine]:
    config = make_config("best", dim=DIM, sketch_factor=SKETCH)
    started = DaskEngine.started(
        job_of(make_hard_world(), refused=True), config, address=dask_cluster.scheduler_address
    )
    yield started
    started.close()


@pytest.mark.parametrize("preset", ["paper", "best"])
def test_no_stage_runs_here(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, preset: Preset
) -> None:
    """Every compiled loop of every stage is refused in this process; the workers have theirs."""

    def refused(*_: Any) -> None:
        raise AssertionError("a stage runs in the driver")

    for module in KERNELS:
        assert compiled_in(module)
        for name in compiled_in(module):
            monkeypatch.setattr(module, name, refused)
    for name in ("_view", "_of_scipy", "sorted_distinct"):  # every view is made by one of them
        monkeypatch.setattr(views, name, refused)
    for name in ("matmul", "dot", "tensordot", "einsum", "argpartition"):
        monkeypatch.setattr(np, name, refused)
    config = make_config(
        preset, dim=DIM, bootstrap=False, iterations=6, consensus_passes=2, rounds=2
    )
    for result in rounds(engine, config=config, rng=np.random.default_rng(1)):
        links = links_of(engine, result)
        if result.labels is not None:
            settings = result.settings, kept_candidates(len(engine.problem.left))
            engine.kept(result.labels, result.candidates, result.assignment, *settings)
    assert len(links.left) > 100
    assert "views" not in vars(engine.problem)


def bytes_of(value: Any) -> int:
    """Of all arrays in a result, however it is made up."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return sum(bytes_of(one) for one in value.values())
    if isinstance(value, list | tuple):
        return sum(bytes_of(one) for one in value)
    return bytes_of(vars(value)) if hasattr(value, "__dict__") else 8


def test_nothing_large_comes_here(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is fetched in a round is a small part of one column of what the workers hold."""
    fetched, sizes = Connection.fetched, []

    def weighed(self: Connection, futures: Any) -> Any:
        found = fetched(self, futures)
        sizes.append(bytes_of(found))
        return found

    monkeypatch.setattr(Connection, "fetched", weighed)
    config = make_config(
        "best", dim=DIM, bootstrap=False, iterations=6, consensus_passes=2, rounds=2
    )
    for result in rounds(engine, config=config, rng=np.random.default_rng(1)):
        links_of(engine, result)
        del result
    assert sizes
    labels = 4 * len(engine.problem.left) * DIM * SKETCH * 2  # those of the left side
    assert max(sizes) < labels / 20


@pytest.mark.parametrize("dim", [32, 64])
def test_what_is_handed_over_is_no_label(
    dask_cluster: Any, monkeypatch: pytest.MonkeyPatch, dim: int
) -> None:
    """A round's labels take its seeds' ids and random numbers to the workers, and no more."""
    hold, sizes = Connection.hold, []

    def weighed(self: Connection, value: Any) -> Any:
        sizes.append(bytes_of(value))
        return hold(self, value)

    monkeypatch.setattr(Connection, "hold", weighed)
    problem, config = job_of(make_hard_world()), make_config("paper", dim=dim)
    engine = DaskEngine.started(problem, config, address=dask_cluster.scheduler_address)
    with closing(engine):
        engine.labels(problem.known, config, np.random.default_rng(1))
        first, facts = sum(sizes), 12 * len(problem.pair.head) + 16 * problem.pair.n_nodes
        sizes.clear()
        engine.labels(problem.known, config, np.random.default_rng(1))
    drawn = 4 * dim * dim * (1 + 2 * 3 * 2)  # the frame, and three projections an aspect
    drawn += 8 * (len(problem.known) + dim)  # signs and orders of the frames
    assert sum(sizes) <= drawn + 8 * len(problem.known)
    assert first < facts + drawn + 8 * len(problem.known)


def kinds_held(cluster: Any, expected: set[str]) -> set[str]:
    """What the workers' memory has, by the functions that made it; letting go takes a moment."""
    held: set[str] = set()
    for _ in range(100):
        tasks = dict(cluster.scheduler.tasks).items()
        held = {str(key).split("-")[0] for key, task in tasks if task.state == "memory"}
        if held == expected:
            break
        time.sleep(0.1)
    return held


@pytest.mark.parametrize(("preset", "rows"), [("paper", "label_rows"), ("best", "evened_rows")])
def test_a_stage_leaves_nothing_in_the_workers_but_its_result(
    dask_cluster: Any, preset: Preset, rows: str
) -> None:
    """Hops, views, fact lists and narrowed rows go with the stage that made them."""
    problem = job_of(make_hard_world())
    config = make_config(preset, dim=32, top_k=20, iterations=3, search="approximate")
    engine = DaskEngine.started(problem, config, address=dask_cluster.scheduler_address)
    rng, inputs = np.random.default_rng(1), {"held"}
    with closing(engine):
        labels = engine.labels(problem.known, config, rng)
        assert kinds_held(dask_cluster, {rows} | inputs) == {rows} | inputs
        found, _ = engine.search(labels, Settled.nobody(), config, rng)
        assert kinds_held(dask_cluster, {rows, "labelled"} | inputs) == {rows, "labelled"} | inputs
        candidates = engine.with_times(engine.candidates(labels, found, {}))
        del labels, found
        assert kinds_held(dask_cluster, {"with_times"} | inputs) == {"with_times"} | inputs
        assignment = engine.assign(candidates, 0.05, 3)
        left = {"with_times", "finished"} | inputs
        assert kinds_held(dask_cluster, left) == left
        assert len(assignment.value) == len(candidates)


def test_a_worker_of_many_threads_does_one_task_after_the_other() -> None:
    """Compiled loops are parallel themselves; two of them at once would be in each other's way."""
    from distributed import Client, LocalCluster

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
        to = Connection(client)
        spans = sorted(to.fetched([to.submit(spent) for _ in range(4)]))
    for (_, end), (begin, _) in pairwise(spans):
        assert begin >= end
