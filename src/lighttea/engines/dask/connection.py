"""The way to the workers: a client of Dask, what it runs there, and what can go wrong with it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any
from uuid import uuid4

from lighttea.engines.dask.stuck import Standstill
from lighttea.errors import ConfigError, EngineUnavailable, LightteaError
from lighttea.kernels.process import without_interrupts
from lighttea.kernels.threads import available_threads
from lighttea.version import __version__

GIB = 1 << 30
Future = Any  # of one block, in some worker's memory

_WAIT_SECONDS = 60  # for a scheduler that was named, and for its first worker
_QUIET_SECONDS = 2  # without another worker: then all are there
_CLOSE_SECONDS = 20  # for the client, and for workers that were started here
_LOOK_SECONDS = 5  # between two looks at workers that are waited for
_SUPPOSED_MEMORY = 4 * GIB  # of a worker that has no limit
_LEAST_MEMORY = 3 * GIB // 10  # libraries and compiled loops alone take two thirds of it
_FAN_IN = 8  # blocks that are reduced at once
_GO_ON = "with `checkpoint`, the same run goes on after its last finished round"


class Connection:
    """Tasks for the workers, and their results."""

    def __init__(self, client: Any, cluster: Any = None) -> None:
        """`cluster` is what has to be shut down with the client."""
        self._client, self._cluster = client, cluster
        self._known: dict[str, Any] = {}
        self._limits: list[int] = []  # of the workers that were last seen
        self.address = str(client.scheduler.address)

    @classmethod
    def open(cls, address: str | None, threads: int, memory: float) -> Connection:
        """Return the scheduler at that address, or workers of this machine, one a thread.

        Workers of this machine share `memory` bytes.
        """
        _refuse_missing()
        for name in ("client", "core", "nanny", "scheduler", "utils"):  # what they would say
            logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL + 1)  # is said here
        return cls._join(address) if address else cls._start(threads, memory)

    @classmethod
    def _start(cls, threads: int, memory: float) -> Connection:
        from distributed import Client, LocalCluster

        n_workers = threads or available_threads()
        limit = int(memory / n_workers)
        _refuse_small(limit, "raise `max_memory`, or use fewer workers: lower `threads`")
        cluster = None
        try:
            with without_interrupts(), _failed_start():
                cluster = LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=1,
                    processes=True,
                    memory_limit=limit,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",  # with a port alone it listens everywhere
                    silence_logs=logging.CRITICAL,
                    env={"NUMBA_NUM_THREADS": "1"},
                )
            return cls(Client(cluster), cluster)
        except BaseException:
            if cluster is not None:
                cluster.close()
            raise

    @classmethod
    def _join(cls, address: str) -> Connection:
        from distributed import Client

        try:
            _call(address)
            client = Client(address, timeout=_WAIT_SECONDS)
        except (OSError, ValueError) as error:
            raise EngineUnavailable(
                f"no Dask scheduler answers at {address} ({str(error) or 'no answer'}); check "
                "that it runs, that this machine can reach it, and that this is not the port of "
                "its dashboard"
            ) from None
        connection = cls(client)
        try:
            connection._meet_workers()
        except TimeoutError:
            connection.close()
            raise EngineUnavailable(
                f"the Dask scheduler at {address} has no workers; start some: dask worker {address}"
            ) from None
        except BaseException:
            connection.close()
            raise
        return connection

    def _meet_workers(self) -> None:
        """Wait for the first worker and those right after it; refuse workers that cannot work."""
        self._client.wait_for_workers(1, timeout=_WAIT_SECONDS)
        met = 0
        while met < len(self._workers()):
            met = len(self._known)
            time.sleep(_QUIET_SECONDS)
        versions = self._client.run(_asked_version(), on_error="return")
        _refuse_others(versions, __version__)
        _refuse_small(self.memory, "start the workers with more memory: dask worker --memory-limit")

    @property
    def dashboard(self) -> str:
        """Where a browser shows what the workers do."""
        return str(self._client.dashboard_link)

    @property
    def n_workers(self) -> int:
        """Workers there are now."""
        return max(1, len(self._workers()))

    @property
    def memory(self) -> int:
        """What the smallest worker may hold, in bytes; might, where all of them died meanwhile."""
        now = [int(worker.get("memory_limit") or 0) for worker in self._workers().values()]
        self._limits = now or self._limits
        return min((limit for limit in self._limits if limit), default=_SUPPOSED_MEMORY)

    def _workers(self) -> dict[str, Any]:
        """As the scheduler knows them; as it last knew them where it does not answer."""
        with suppress(OSError):
            self._known = dict(self._client.scheduler_info(n_workers=-1)["workers"])
        return self._known

    def hold(self, value: Any) -> Future:
        """Something of this process for the workers.

        It stays with the scheduler as a task, so that it outlives a worker that is lost.
        """
        import dask

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
            return self.submit(_held, value)

    def submit(self, function: Callable[..., Any], *args: Any, at: float | None = None) -> Future:
        """Run a function in some worker; futures among its arguments are what they stand for.

        `at` is a share of the way through the workers (0 to 1): the one to prefer, so that what is
        held for long is held by all alike. Others take over where it is gone.
        """
        key = f"{function.__name__.strip('_')}-{uuid4().hex}"
        where: dict[str, Any] = {}
        if at is not None and self._known:
            names = sorted(self._known)
            worker = names[min(int(at * len(names)), len(names) - 1)]
            where = {"workers": [worker], "allow_other_workers": True}
        with self._troubles():
            return self._client.submit(
                in_worker, __version__, function, *args, key=key, pure=False, **where
            )

    def reduce(self, function: Callable[..., Any], parts: Sequence[Future], *before: Any) -> Future:
        """Return one result of many by a function of a list of them, in a tree where they are many.

        `before` are arguments that stand before the list.
        """
        parts = list(parts)
        while len(parts) > _FAN_IN:
            groups = [parts[begin : begin + _FAN_IN] for begin in range(0, len(parts), _FAN_IN)]
            parts = [self.submit(function, *before, group) for group in groups]
        return self.submit(function, *before, parts)

    def wait(self, futures: Sequence[Future]) -> None:
        """Return when all of them are done, or raise an error of any of them."""
        from distributed import futures_of

        tasks = futures_of(list(futures))
        with self._troubles():
            self._wait(tasks)
            for task in tasks:
                if task.status != "finished":
                    task.result()

    def _wait(self, futures: Sequence[Future]) -> None:
        """Until all are done; an error where the workers cannot go on."""
        from distributed import wait

        standstill = Standstill()
        while True:
            with suppress(TimeoutError):
                wait(futures, timeout=_LOOK_SECONDS)
                return
            if standstill.lasts(self._workers()):
                raise EngineUnavailable(
                    "the workers are stuck: their memory is full, and no block is left that "
                    f"could go to disk: {self._more_memory()}"
                )

    def fetch(self, future: Future) -> Any:
        """Return a small result, here."""
        self.wait([future])
        with self._troubles():
            return self._client.gather(future)

    def _more_memory(self) -> str:
        """What a worker has, and what helps."""
        return (
            f"the smallest may hold {self.memory / GIB:.2f} GiB; give them more, or use more "
            f"workers; {_GO_ON}"
        )

    @contextmanager
    def _troubles(self) -> Iterator[None]:
        """What Dask says, in words that help."""
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        try:
            yield
        except LightteaError:
            raise
        except KilledWorker as error:
            raise EngineUnavailable(
                f"workers died repeatedly in {str(error.task).split('-')[0]!r}, most often for "
                f"lack of memory: {self._more_memory()}"
            ) from None
        except MemoryError as error:
            raise EngineUnavailable(
                f"a worker ran out of memory ({error}): {self._more_memory()}"
            ) from None
        except (
            CommClosedError,
            CancelledError,
            TimeoutError,
            ConnectionError,
        ) as error:
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
            raise EngineUnavailable(
                f"the Dask scheduler at {self.address} was lost or does not answer ({reason}); "
                f"start it again if it is gone; {_GO_ON}"
            ) from None

    def close(self) -> None:
        """Let the workers go; those that were started here are shut down.

        One that is slow to die is no reason to lose what was computed. An impatient second Ctrl-C
        has to wait for the end of it.
        """
        with without_interrupts():
            for resource in (self._client, self._cluster):
                with suppress(Exception):
                    if resource is not None:
                        resource.close(timeout=_CLOSE_SECONDS)


def _refuse_missing() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise EngineUnavailable(
            f'the engine dask needs Dask ({error}): pip install "lighttea[dask]"'
        ) from None


def _refuse_small(memory: int, what_helps: str) -> None:
    if memory < _LEAST_MEMORY:
        raise ConfigError(
            f"a worker needs {_LEAST_MEMORY / GIB:.2f} GiB before it does any work; the smallest "
            f"would have {memory / GIB:.2f} GiB; {what_helps}"
        )


@contextmanager
def _failed_start() -> Iterator[None]:
    """What is raised where a process does not come up."""
    try:
        yield
    except (RuntimeError, OSError) as error:
        raise EngineUnavailable(
            f"cannot start Dask workers on this machine ({error}); in a script, put the calls "
            'below `if __name__ == "__main__":`'
        ) from None


def _call(address: str) -> None:
    """Whether Dask is there; a client would wait for ever for what a web server never says."""
    import asyncio

    from distributed import Security
    from distributed.comm import connect

    async def called() -> None:
        how = Security().get_connection_args("client")
        comm = await asyncio.wait_for(connect(address, _WAIT_SECONDS, **how), _WAIT_SECONDS)
        await comm.close()

    with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own in this one
        thread.submit(asyncio.run, called()).result()


def _asked_version() -> Callable[[], str]:
    """What a worker is asked; it travels whole, as lighttea may be missing there."""

    def version() -> str:
        try:
            import lighttea
        except ImportError:
            return "no lighttea"
        return f"lighttea {lighttea.__version__}"

    return version


def _refuse_others(versions: dict[str, Any], version: str) -> None:
    """Workers that would compute something else than this process would."""
    expected = f"lighttea {version}"
    wrong = {worker: has for worker, has in versions.items() if has != expected}
    if wrong:
        lines = [f"{worker} has {has}" for worker, has in wrong.items()]
        raise ConfigError(
            f"every worker needs {expected}; install it there: "
            f'pip install "lighttea[dask]=={version}"\n' + "\n".join(lines[:20])
        )


# ------------------------------------------------------------------------ in the workers


_AT_A_TIME = threading.Lock()


def in_worker(version: str, function: Callable[..., Any], *args: Any) -> Any:
    """One task after the other in a worker, each with all of the worker's threads.

    A worker that came later has not been asked for its version; here it is.
    """
    import numba
    from distributed import get_worker

    worker = get_worker()
    _refuse_others({worker.address: f"lighttea {__version__}"}, version)
    n_threads = _fix_threads(int(worker.state.nthreads))
    with _AT_A_TIME:
        numba.set_num_threads(n_threads)  # of this thread alone
        return function(*args)


@cache
def _fix_threads(n_threads: int) -> int:
    """Threads of compiled loops and of the matrix library, for as long as the process lives."""
    import numba
    from threadpoolctl import threadpool_limits

    count = max(1, min(n_threads, int(getattr(numba.config, "NUMBA_NUM_THREADS"))))  # noqa: B009
    threadpool_limits(limits=count)
    return count


def _held(value: Any) -> Any:
    return value
