"""How many threads: one number for compiled loops and the matrix library, so they don't fight."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numba
import scipy.linalg.cython_blas  # noqa: F401 - numba loads it with the first loop: too late to limit
from threadpoolctl import threadpool_limits

_LOOKS = (0.05, 0.2)  # seconds of looking at the cores
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
    """Return how many threads to use: one for small graphs, as many as cores are idle for others.

    All threads wait for the slowest at the end of a loop. A thread whose core is busy with other
    programs keeps them waiting for longer than it helps.
    """
    return 1 if n_left * n_right < _FEW_COUPLES else idle_cores()


def idle_cores() -> int:
    """Return how many of the cores that this process may use are idle, at least one.

    All of them where that cannot be told. A short burst of others does not count: a second, longer
    look has to find the same.
    """
    n_cores = available_threads()
    if n_cores == 1:
        return 1
    for seconds in _LOOKS:
        idle = _idle_share(seconds)
        n_idle = n_cores if idle is None else max(1, round(idle * n_cores))
        if n_idle == n_cores:
            break
    return n_idle


def _idle_share(seconds: float) -> float | None:
    """Return the share of the next moments that our cores are idle; None where it is unknown."""
    try:
        import psutil
    except ImportError:
        return None
    before = psutil.cpu_times(percpu=True)
    time.sleep(seconds)
    after = psutil.cpu_times(percpu=True)
    ours = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(len(after))
    passed = [(sum(after[c]) - sum(before[c]), after[c].idle - before[c].idle) for c in ours]
    total, idle = map(sum, zip(*passed, strict=True))
    return idle / total if total > 0 else None


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
