"""Shared fixtures, the rule about skipped tests, what was left out, and who runs on which core.

With LIGHTTEA_STRICT_SKIPS=1 (as in .ci/run) a skip is a failure unless its reason begins with
CANNOT, which is for what the machine really lacks. Which command runs what: tests/README.md.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.fuzzing import load_profile

if TYPE_CHECKING:
    from lighttea.graph.facts import Graph
    from lighttea.results.run import Run
    from tests.worlds import World

CANNOT = "cannot run here: "
LEFT_OUT = pytest.StashKey[int]()  # slow tests that were deselected


def keep_to_one_core() -> None:
    """A worker of pytest-xdist, and every process that it starts, has a core of its own.

    Work that takes all cores there are then takes one thread, and workers don't fight; who asks
    for two threads gets two.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None or not hasattr(os, "sched_setaffinity"):
        return
    os.environ["NUMBA_NUM_THREADS"] = "2"  # the most that can be asked for later
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})


keep_to_one_core()  # before numba is loaded, which reads it once
load_profile()  # before any property test is collected

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # tests started in the background have Ctrl-C ignored, and their children would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get("LIGHTTEA_STRICT_SKIPS") == "1":
        reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
        if CANNOT not in reason:
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} was skipped although it could have run: {reason}"
    return report


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    n_slow = sum(item.get_closest_marker("slow") is not None for item in items)
    for item in items[:1]:
        stash = item.config.stash
        stash[LEFT_OUT] = stash.get(LEFT_OUT, 0) + n_slow


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist tells the process that started it; each of them collects all."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    output = getattr(node, "workeroutput", {})  # one that crashed has none
    node.config.stash[LEFT_OUT] = output.get("left_out", 0)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if n_slow := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f"{n_slow} slow tests were left out; make test-all runs everything, "
            "pytest -m slow these alone"
        )


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real datasets, where there is one."""
    where = os.environ.get("LIGHTTEA_DATA")
    if not where or not Path(where).is_dir():
        pytest.skip(f"{CANNOT}LIGHTTEA_DATA does not name a folder of datasets")
    return Path(where)


@pytest.fixture(scope="session")
def world() -> World:
    """A graph and its renamed copy."""
    from tests.worlds import make_world

    return make_world(random_seed=1)


@pytest.fixture(scope="session")
def example_run() -> Run:
    """The bundled example, aligned as the demo does: names are left out."""
    from tests.worlds import align_example

    return align_example()


@pytest.fixture(scope="session")
def small_graph() -> Graph:
    """Four entities, every kind of time, a duplicate and a loop."""
    from lighttea.io.frames import graph_of_frame
    from tests.worlds import fact_frame

    return graph_of_frame(
        fact_frame(
            ("a", "r", "b", "2001", "2001"),
            ("a", "r", "b", "2001", "2001"),
            ("a", "s", "c", "2001", "2003"),
            ("b", "s", "c", "2002", None),
            ("c", "r", "d", None, "2003"),
            ("d", "r", "d", None, None),
        )
    )
