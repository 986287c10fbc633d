"""The way to the workers: a client of Dask, what it runs there, and what can go wrong with it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import cache
from typing import Any
from uuid import uuid4

import lighttea
from lighttea.engines.cluster.layout import GIB
from lighttea.errors import ConfigError, EngineUnavailable, LightteaError
from lighttea.kernels.threads import available_threads
from lighttea.plan import allowance

Future = Any  # of one block, in some worker's memory

_WAIT_SECONDS = 60  # for a scheduler that was named, and for its first worker
_SUPPOSED_MEMORY = 4 * GIB  # of a worker that has no limit
_FAN_IN = 8  # blocks that are reduced at once
_GO_ON = "the same command with --resume goes on after the last finished round"


class Connection:
    """Tasks for the workers, and their results."""

    def __init__(self, client: Any, cluster: Any = None) -> None:
        """`cluster` is what has to be shut down with the client."""
        self._client, self._cluster = client, cluster
        self.address = str(client.scheduler.address)

    @classmethod
    def to(cls, address: str | None, threads: int, max_memory: float) -> Connection:
        """The scheduler at that address; without one, workers of this machine, one a thread."""
        _refuse_missing()
        for name in ("distributed.client", "distributed.utils"):  # what they would say is said here
            logging.getLogger(name).setLevel(logging.CRITICAL)
        return cls._to_address(address) if address else cls._here(threads, max_memory)

    @classmethod
    def _here(cls, threads: int, max_memory: float) -> Connection:
        from distributed import Client, LocalCluster

        n_workers = threads or available_threads()
        cluster = LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=int(allowance(max_memory, 0) / n_workers),
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
            env={"NUMBA_NUM_THREADS": "1"},
        )
        try:
            return cls(Client(cluster), cluster)
        except BaseException:
            cluster.close()
            raise

    @classmethod
    def _to_address(cls, address: str) -> Connection:
        from distributed import Client

        try:
            client = Client(address, timeout=_WAIT_SECONDS)
        except (OSError, ValueError) as error:
            raise EngineUnavailable(
                f"no Dask scheduler answers at {address} ({error}); is it running, and can it be "
                "reached from here?"
            ) from None
        try:
            client.wait_for_workers(1, timeout=_WAIT_SECONDS)
            _refuse_others(client.run(_asked_version(), on_error="return"))
        except TimeoutError:
            client.close()
            raise EngineUnavailable(
                f"the Dask scheduler at {address} has no workers; start some: dask worker {address}"
            ) from None
        except BaseException:
            client.close()
            raise
        return cls(client)

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
        """What the smallest worker may hold, in bytes."""
        limits = [int(one.get("memory_limit") or 0) for one in self._workers().values()]
        return min((one for one in limits if one), default=_SUPPOSED_MEMORY)

    def _workers(self) -> dict[str, Any]:
        found: dict[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        return found

    def hold(self, value: Any) -> Future:
        """Something of this process for the workers.

        It stays with the scheduler as a task, so that it outlives a worker that is lost.
        """
        import dask

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
            return self.submit(_held, value)

    def submit(self, function: Callable[..., Any], *args: Any) -> Future:
        """Run a function in some worker; futures among its arguments are what they stand for."""
        key = f"{function.__name__.strip('_')}-{uuid4().hex}"
        with self._troubles():
            return self._client.submit(in_worker, function, *args, key=key, pure=False)

    def reduced(self, function: Callable[..., Any], parts: Sequence[Future]) -> Future:
        """One result of many by a function of a list of them, in a tree where they are many."""
        return self.submit(function, self.narrowed(function, parts))

    def narrowed(self, function: Callable[..., Any], parts: Sequence[Future]) -> list[Future]:
        """A few of many, so that one task can take them all."""
        parts = list(parts)
        while len(parts) > _FAN_IN:
            groups = [parts[at : at + _FAN_IN] for at in range(0, len(parts), _FAN_IN)]
            parts = [self.submit(function, group) for group in groups]
        return parts

    def finished(self, futures: Sequence[Future]) -> list[Future]:
        """The same, when all of them are done; an error of any of them."""
        from distributed import wait

        with self._troubles():
            wait(futures)
            for one in futures:
                if one.status != "finished":
                    one.result()
        return list(futures)

    def fetched(self, futures: Any) -> Any:
        """Small results, here."""
        with self._troubles():
            return self._client.gather(futures)

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
                f"workers died again and again at {str(error.task).split('-')[0]!r}, most often "
                f"because memory ran out: the smallest may hold {self.memory / GIB:.2f} GiB; give "
                f"them more, or use more workers; {_GO_ON}"
            ) from None
        except MemoryError as error:
            raise EngineUnavailable(
                f"a worker ran out of memory ({error}); the smallest may hold "
                f"{self.memory / GIB:.2f} GiB: give them more, or use more workers; {_GO_ON}"
            ) from None
        except (
            CommClosedError,
            CancelledError,
            TimeoutError,
            ConnectionError,
        ) as error:
            raise EngineUnavailable(
                f"the Dask scheduler at {self.address} was lost ({type(error).__name__}); "
                f"start it again; {_GO_ON}"
            ) from None

    def close(self) -> None:
        """Let the workers go; those that were started here are shut down."""
        try:
            self._client.close()
        finally:
            if self._cluster is not None:
                self._cluster.close()


def _refuse_missing() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise EngineUnavailable(
            f'the engine dask needs Dask ({error}): pip install "lighttea[cluster]"'
        ) from None


def _asked_version() -> Callable[[], str]:
    """What a worker is asked; it travels whole, as lighttea may be missing there."""

    def version() -> str:
        try:
            import lighttea
        except ImportError:
            return "no lighttea"
        return f"lighttea {lighttea.__version__}"

    return version


def _refuse_others(versions: dict[str, Any]) -> None:
    """Workers that would compute something else than this process would."""
    wanted = f"lighttea {lighttea.__version__}"
    wrong = {worker: has for worker, has in versions.items() if has != wanted}
    if wrong:
        lines = [f"{worker} has {has}" for worker, has in wrong.items()]
        raise ConfigError(
            f"every worker needs {wanted}; install it there: "
            f'pip install "lighttea[cluster]=={lighttea.__version__}"\n' + "\n".join(lines[:20])
        )


# ------------------------------------------------------------------------ in the workers


_AT_A_TIME = threading.Lock()


def in_worker(function: Callable[..., Any], *args: Any) -> Any:
    """One task after the other in a worker, each with all of the worker's threads."""
    import numba
    from distributed import get_worker

    n_threads = _settled_threads(int(get_worker().state.nthreads))
    with _AT_A_TIME:
        numba.set_num_threads(n_threads)  # of this thread alone
        return function(*args)


@cache
def _settled_threads(wanted: int) -> int:
    """Threads of compiled loops and of the matrix library, for as long as the process lives."""
    import numba
    from threadpoolctl import threadpool_limits

    count = max(1, min(wanted, int(getattr(numba.config, "NUMBA_NUM_THREADS"))))  # noqa: B009
    threadpool_limits(limits=count)
    return count


def _held(value: Any) -> Any:
    return value
