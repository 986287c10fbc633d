"""One small cluster for all tests of the engines: two workers of one thread, each with a nanny."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from typing import Any

import pytest


def start_cluster() -> Any:
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
        )


@pytest.fixture(scope="session")
def dask_cluster() -> Iterator[Any]:
    """A cluster that outlives a run; engines meet it by its address."""
    cluster = start_cluster()
    yield cluster
    cluster.close()
