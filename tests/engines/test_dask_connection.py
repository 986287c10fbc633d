"""The way to the workers: what is refused before the work begins, and what is said of trouble."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Any

import psutil
import pytest

import lighttea
from lighttea.engines.dask import connection
from lighttea.engines.dask.connection import Connection
from lighttea.errors import ConfigError, EngineUnavailable
from tests.worlds import make_world

# ------------------------------------------------------------------------------ never begun


def align_small_world(**options: Any) -> None:
    world = make_world(3)
    lighttea.align(world.left, world.right, seeds=world.seeds, dim=16, rounds=1, **options)


def test_dask_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineUnavailable, match=r'pip install "lighttea\[dask\]"'):
        align_small_world(engine="dask")


def test_an_address_for_another_engine() -> None:
    with pytest.raises(ConfigError, match="`scheduler` needs the engine dask; the engine is cpu"):
        align_small_world(scheduler="tcp://127.0.0.1:1")


def test_workers_of_a_named_cluster_with_too_little_memory(
    dask_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_LEAST_MEMORY", 1 << 60)
    with pytest.raises(ConfigError, match=r"the smallest would have \d+\.\d\d GiB.*--memory-limit"):
        Connection.open(dask_cluster.scheduler_address, 0, 0)


def listening() -> set[tuple[str, int]]:
    """Addresses and ports at which this process and its workers listen."""
    here = psutil.Process()
    open_ports = set()
    for process in (here, *here.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # one that ended since it was listed
            open_ports |= {
                (own.laddr.ip, own.laddr.port)
                for own in process.net_connections()
                if own.status == psutil.CONN_LISTEN
            }
    return open_ports


@pytest.mark.slow
def test_workers_of_our_own_listen_on_this_machine_alone() -> None:
    before = listening()
    connected = Connection.open(None, 1, 4 << 30)
    try:
        opened = listening() - before
    finally:
        connected.close()
    assert {address for address, _ in opened} == {"127.0.0.1"}


def test_nobody_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_WAIT_SECONDS", 1)
    with pytest.raises(EngineUnavailable, match=r"no Dask scheduler answers at tcp://127.0.0.1:1 "):
        Connection.open("tcp://127.0.0.1:1", 0, 0)


def test_an_address_that_is_none() -> None:
    with pytest.raises(EngineUnavailable, match="no Dask scheduler answers at nonsense://there"):
        Connection.open("nonsense://there", 0, 0)


def test_an_address_where_something_else_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The port of a dashboard, say: it takes the call and says nothing that Dask understands."""
    monkeypatch.setattr(connection, "_WAIT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(EngineUnavailable, match=rf"at {address} \(no answer.*of its dashboard"):
            Connection.open(address, 0, 0)


def test_a_scheduler_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr(connection, "_WAIT_SECONDS", 1)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        pytest.raises(EngineUnavailable, match="has no workers; start some: dask worker tcp://"),
    ):
        Connection.open(cluster.scheduler_address, 0, 0)


def test_workers_of_another_version(dask_cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "__version__", "9.9.9")
    with pytest.raises(ConfigError, match=r"needs lighttea 9\.9\.9.*\n.*has lighttea 0"):
        Connection.open(dask_cluster.scheduler_address, 0, 0)


# --------------------------------------------------------------------- beginning and ending


def test_workers_that_come_a_moment_later_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster, Worker

    async def joined(cluster: Any) -> Any:
        return await Worker(cluster.scheduler_address, nthreads=1, dashboard_address=":0")

    monkeypatch.setattr(connection, "_QUIET_SECONDS", 1)
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        more: list[Any] = []
        later = threading.Timer(0.3, lambda: more.append(cluster.sync(joined, cluster)))
        later.start()
        connected = Connection.open(cluster.scheduler_address, 0, 0)
        assert connected.n_workers == 2
        connected.close()
        later.join()
        cluster.sync(more[0].close)


def test_a_worker_that_comes_later_with_another_version(
    dask_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected = Connection.open(dask_cluster.scheduler_address, 0, 0)
    monkeypatch.setattr(connection, "__version__", "9.9.9")
    with pytest.raises(ConfigError, match=r"needs lighttea 9\.9\.9.*\ntcp://.*has lighttea 0"):
        connected.fetch(connected.submit(max, 1, 2))
    connected.close()


def test_workers_that_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    def failing(**_: Any) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", failing)
    with pytest.raises(EngineUnavailable, match=r"Nanny failed to start\..*__main__"):
        Connection.open(None, 1, 1 << 30)


def test_trouble_in_closing_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies slowly makes Dask give up, when all work is done."""
    from distributed import LocalCluster

    close = LocalCluster.close

    def slow(self: Any, timeout: float | None = None) -> None:
        close(self, timeout)
        raise TimeoutError

    monkeypatch.setattr(LocalCluster, "close", slow)
    connected = Connection.open(None, 1, 1 << 30)
    assert connected.fetch(connected.submit(max, 1, 2)) == 2
    connected.close()


# -------------------------------------------------------------------------------- trouble


def test_a_worker_out_of_memory_is_told_with_the_number(dask_cluster: Any) -> None:
    def greedy() -> None:
        raise MemoryError("Unable to allocate 7.45 GiB")

    connected = Connection.open(dask_cluster.scheduler_address, 0, 0)
    with pytest.raises(EngineUnavailable, match=r"allocate 7\.45 GiB.*may hold \d+\.\d\d GiB"):
        connected.fetch(connected.submit(greedy))
    connected.close()


def test_a_task_that_kills_every_worker_is_told_with_the_memory(
    monkeypatch: pytest.MonkeyPatch, dask_cluster: Any
) -> None:
    connected = Connection.open(dask_cluster.scheduler_address, 0, 0)
    monkeypatch.setattr(dask_cluster.scheduler, "allowed_failures", 0)

    def deadly() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    said = r"workers died repeatedly in 'deadly'.*may hold \d+\.\d\d GiB.*`checkpoint`"
    with pytest.raises(EngineUnavailable, match=said):
        connected.wait([connected.submit(deadly)])
    connected.close()
