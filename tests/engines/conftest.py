"""One small cluster for all tests of the engines: two workers of one thread, each with a nanny."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from lighttea.engines.dask import connection


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


@pytest.fixture
def dask_cluster(dask_clusters: list[Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """A cluster that outlives a run, with both workers; engines meet it by its address.

    Tests kill workers; where a nanny did not bring one back there is a new cluster.
    """
    monkeypatch.setattr(connection, "_QUIET_SECONDS", 0)  # both are there
    try:
        dask_clusters[-1].wait_for_workers(2, timeout=30)
    except TimeoutError:
        dask_clusters.append(start_cluster())
    return dask_clusters[-1]
