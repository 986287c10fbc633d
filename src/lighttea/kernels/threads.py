"""How many threads: one number for compiled loops and the matrix library, so they don't fight."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numba
import scipy.linalg.cython_blas  # noqa: F401 - numba loads it with the first loop: too late to limit
from threadpoolctl import threadpool_limits

_FEW_COUPLES = 4_000_000  # of a left and a right entity, below which one thread does the work


def available_threads() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def current_threads() -> int:
    """Threads that compiled loops use now."""
    return int(numba.get_num_threads())


def _most_threads() -> int:
    """What numba was started with; it cannot be raised later."""
    return int(getattr(numba.config, "NUMBA_NUM_THREADS"))  # noqa: B009 - set at run time


@contextmanager
def one_thread() -> Iterator[None]:
    """For small decompositions: as fast with one thread, and none waits for a core others have."""
    with threadpool_limits(limits=1):
        yield


def worthwhile_threads(n_left: int, n_right: int) -> int:
    """Return 1 for small graphs, where other threads would mostly wait; 0, all, for larger ones."""
    return 1 if n_left * n_right < _FEW_COUPLES else 0


@contextmanager
def limited_threads(threads: int) -> Iterator[int]:
    """Use so many threads inside (0: all cores), at most what numba was started with."""
    before = numba.get_num_threads()
    count = min(threads or available_threads(), _most_threads())
    numba.set_num_threads(count)
    try:
        with threadpool_limits(limits=count):
            yield count
    finally:
        numba.set_num_threads(before)
