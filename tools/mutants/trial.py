"""Tests run on a changed tree, by a child of a process that has the heavy libraries already.

The parent must import nothing of the package and start no threads; each child then imports the
changed module afresh.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

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
BASE_SECONDS = 15  # of processor time: imports, and what a busy machine adds
MEMORY = 16 << 30
PRINTED = "printed.txt"  # by the last child, in the tree
QUIET = ("-x", "-q", "--no-header", "-n", "0", "-p", "no:cacheprovider")
NO_WORD = ("-W", "ignore:Module already imported")  # of heavy libraries that are pytest plugins


class Chosen:
    """A pytest plugin: runs these tests alone, in this order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._order = {test: place for place, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the other tests of the same files."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order),
            key=lambda item: self._order[item.nodeid],
        )


def warm_up() -> None:
    """Import what every child needs."""
    for name in HEAVY:
        import_module(name)


def status_of(place: Path, tests: Sequence[str], seconds: float) -> int:
    """Return how a child ends that runs the tests: its exit code, or minus a signal."""
    child = os.fork()
    if child == 0:
        status = 255
        try:
            limit(seconds)
            status = run(place, tests)
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def limit(seconds: float) -> None:
    """Bound what a mutant may take: an endless loop, a wait, or one that fills the memory."""
    allowed = int(BASE_SECONDS + 3 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, allowed + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.alarm(20 * allowed)


def run(place: Path, tests: Sequence[str]) -> int:
    """Run tests in a copy of the tree, in this process; what they print goes to a file."""
    with (place / PRINTED).open("wb") as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
    os.chdir(place)
    sys.path[:0] = [str(place / "src"), str(place)]
    os.environ["PYTHONPATH"] = str(place / "src")
    sys.dont_write_bytecode = True
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    status = int(pytest.main([*QUIET, *NO_WORD, *files], plugins=[Chosen(tests)]))
    sys.stdout.flush()
    return status
