"""Tests run on a changed tree, by a child of a process that has the heavy libraries already.

The parent must import nothing of the package and start no threads; each child then imports the
changed module afresh.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HEAVY = (
    "hypothesis",
    "numba",
    "numpy",
    "polars",
    "pyoxigraph",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse.csgraph",
    "scipy.stats",
    "xdist",
)
BASE_SECONDS = 20  # of processor time for a test: shared fixtures, and what a busy machine adds
WAITED = 6  # times as many seconds may pass
MEMORY = 16 << 30
PRINTED = "printed.txt"  # by the last child, in the tree
TOLD = "told.txt"  # the tests that the last child ran, with how each ended
QUIET = ("-q", "--no-header", "-n", "0", "-p", "no:cacheprovider")
NO_WORD = ("-W", "ignore:Module already imported")  # of heavy libraries that are pytest plugins


@dataclass(frozen=True)
class Told:
    """How a child ended, and the tests that it ran."""

    status: int  # its exit code, or minus a signal
    seconds: Mapping[str, float]  # of processor time, by test that ended
    failed: frozenset[str]  # among them the one in which a signal came


class Chosen:
    """A pytest plugin: runs these tests alone, in this order, and tells how each ended."""

    def __init__(self, seconds: Mapping[str, float], told: Path) -> None:
        self._seconds = seconds
        self._order = {test: place for place, test in enumerate(seconds)}
        self._told = told.open("w", buffering=1)
        self._failed: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the other tests of the same files."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order),
            key=lambda item: self._order[item.nodeid],
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Bound what a test may take, and tell what it took."""
        limit(self._seconds[item.nodeid])
        self._tell(item.nodeid, 0, "began")
        begin = time.process_time()
        result = yield
        word = "failed" if item.nodeid in self._failed else "passed"
        self._tell(item.nodeid, time.process_time() - begin, word)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a test that fails."""
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Tell that a file cannot be imported."""
        if report.failed:
            self._tell(report.nodeid, 0, "failed")

    def _tell(self, test: str, seconds: float, word: str) -> None:
        self._told.write(f"{word}\t{seconds:.3f}\t{test}\n")


def read_told(place: Path, status: int) -> Told:
    """Return what the last child told."""
    lines = [line.split("\t", 2) for line in (place / TOLD).read_text().splitlines()]
    ended = {test: (word, float(seconds)) for word, seconds, test in lines if word != "began"}
    failed = {test for test, (word, _) in ended.items() if word == "failed"}
    failed |= {test for word, _, test in lines if word == "began"} - ended.keys()
    return Told(status, {test: seconds for test, (_, seconds) in ended.items()}, frozenset(failed))


def warm_up() -> None:
    """Import what every child needs."""
    for name in HEAVY:
        import_module(name)


def try_tests(place: Path, seconds: Mapping[str, float], *, all_of_them: bool = False) -> Told:
    """Return what a child tells that runs these tests, up to the first that fails or all of them.

    Each test comes with the processor time that it is known to take.
    """
    (place / TOLD).write_text("")
    child = os.fork()
    if child == 0:
        status = 255
        try:
            os.setpgid(0, 0)
            limit(sum(seconds.values()) / 10)  # until the first test begins
            status = run(place, seconds, all_of_them=all_of_them)
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(status)
    try:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # and processes that a test had started
    return read_told(place, status)


def limit(seconds: float) -> None:
    """Bound what comes next: an endless loop, a wait, or what fills the memory."""
    allowed = BASE_SECONDS + 5 * seconds
    signal.setitimer(signal.ITIMER_PROF, allowed)  # its signal ends the process
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(WAITED * allowed))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(place: Path, seconds: Mapping[str, float], *, all_of_them: bool) -> int:
    """Run tests in a copy of the tree, in this process; what they print goes to a file."""
    with (place / PRINTED).open("wb") as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
    os.chdir(place)
    sys.path[:0] = [str(place / "src"), str(place)]
    os.environ["PYTHONPATH"] = str(place / "src")
    sys.dont_write_bytecode = False  # for the next child
    files = list(dict.fromkeys(test.split("::")[0] for test in seconds))
    words = [*QUIET, *NO_WORD, *([] if all_of_them else ["-x"]), *files]
    status = int(pytest.main(words, plugins=[Chosen(seconds, place / TOLD)]))
    sys.stdout.flush()
    return status
