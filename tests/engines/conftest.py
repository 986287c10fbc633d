"""Every engine under test, and one small cluster for them: two workers, each with a nanny."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from lighttea.engines.dask import connection
from lighttea.solve.problem import Problem
from lighttea.solve.workspace import Workspace
from tests.engines.worlds import cut_cpu, cut_dask, cut_gpu, whole_gpu


def start_cluster(**more: Any) -> Any:
    """Two workers of this machine."""
    from distributed import LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
            env={"NUMBA_NUM_THREADS": "1"},
            **more,
        )


@pytest.fixture(scope="session")
def dask_clusters() -> Iterator[list[Any]]:
    """The clusters that were started, the one in use last."""
    started = [start_cluster()]
    yield started
    for one in started:
        one.close()


def ready_cluster(started: list[Any]) -> Any:
    """Return the cluster in use, with both workers.

    Tests kill workers; where a nanny did not bring one back there is a new cluster.
    """
    try:
        started[-1].wait_for_workers(2, timeout=30)
    except TimeoutError:
        started.append(start_cluster())
    return started[-1]


@pytest.fixture
def dask_cluster(dask_clusters: list[Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """A cluster that outlives a run, with both workers; engines meet it by its address."""
    monkeypatch.setattr(connection, "_QUIET_SECONDS", 0)  # both are there
    return ready_cluster(dask_clusters)


# --------------------------------------------------------------------- every engine in turn

SMALL: dict[str, Any] = {"dim": 32, "top_k": 30, "iterations": 6}
STARTS = {"cut cpu": cut_cpu, "gpu": whole_gpu, "cut gpu": cut_gpu, "dask": cut_dask}
ENGINES = [pytest.param(name, marks=[pytest.mark.slow] * (name == "dask")) for name in STARTS]


class OpenWork:
    """Opens problems on one engine."""

    def __init__(self, name: str, cluster: Any) -> None:
        self._start, self._cluster = STARTS[name], cluster
        self.opened: list[Workspace[Any]] = []

    def __call__(self, problem: Problem, dim: int = SMALL["dim"]) -> Workspace[Any]:
        """Return a problem on the engine."""
        self.opened.append(Workspace(self._start(problem, dim, self._cluster), problem))
        return self.opened[-1]


@contextmanager
def open_works(request: pytest.FixtureRequest, name: str) -> Iterator[OpenWork]:
    """Open problems on the engine of that name; they are closed at the end."""
    cluster = None
    if name == "dask":
        cluster = ready_cluster(request.getfixturevalue("dask_clusters"))
    opener = OpenWork(name, cluster)
    yield opener
    for work in opener.opened:
        work.close()


@pytest.fixture(params=ENGINES)
def open_work(request: pytest.FixtureRequest) -> Iterator[OpenWork]:
    """Opens problems on each engine in turn; they are closed when the test is over."""
    with open_works(request, request.param) as opener:
        yield opener
