"""Which tests run which line: measured once, so that a mutant meets only tests that can see it.

As a program it runs tests under coverage.py and writes what they ran. Tests that fail are left out:

    python -m mutants.witnesses OUT SOURCE PYTEST_WORDS...
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Witnesses:
    """Tests, what each takes, and which run a line of a module."""

    seconds: Mapping[str, float]  # of processor time, by test
    tests: Mapping[str, Mapping[int, frozenset[str]]]  # by module and line

    @classmethod
    def read(cls, path: Path) -> Witnesses:
        """Return what was written."""
        content = json.loads(path.read_text())
        names = list(content["seconds"])
        tests = {
            module: {int(line): frozenset(names[k] for k in held) for line, held in lines.items()}
            for module, lines in content["lines"].items()
        }
        return cls(content["seconds"], tests)

    def write(self, path: Path) -> None:
        """Write what is read by `read`."""
        numbers = {test: number for number, test in enumerate(self.seconds)}
        lines = {
            module: {line: sorted(numbers[test] for test in held) for line, held in lines.items()}
            for module, lines in self.tests.items()
        }
        path.write_text(json.dumps({"seconds": dict(self.seconds), "lines": lines}))

    def without(self, failed: Collection[str]) -> Witnesses:
        """Return the witnesses but for tests that cannot be asked."""
        seconds = {test: taken for test, taken in self.seconds.items() if test not in failed}
        tests = {
            module: {line: held.difference(failed) for line, held in lines.items()}
            for module, lines in self.tests.items()
        }
        return Witnesses(seconds, tests)

    def of_lines(self, module: str, first: int, last: int) -> set[str]:
        """Return the tests that run one of these lines."""
        lines = self.tests.get(module, {})
        return set().union(*(lines.get(line, ()) for line in range(first, last + 1)))

    def of_modules(self, modules: Iterable[str]) -> set[str]:
        """Return the tests that run something in these modules."""
        return set().union(*(held for one in modules for held in self.tests.get(one, {}).values()))

    def quickest_first(self, tests: Iterable[str]) -> list[str]:
        """Return tests in the order that finds a mutant soonest."""
        return sorted(tests, key=lambda test: (self.seconds[test], test))

    def within(self, tests: Sequence[str], seconds: float) -> list[str]:
        """Return as many of the tests, from the first, as take so much time together."""
        ends = accumulate(self.seconds[test] for test in tests)
        return [test for test, end in zip(tests, ends, strict=True) if end <= seconds]


class Recorder:
    """A pytest plugin: notes for each line which tests run it.

    What a shared fixture or the body of a test module runs counts for every test that uses it.
    """

    def __init__(self, source: Path) -> None:
        from coverage import Coverage

        self._source = source
        self._coverage = Coverage(data_file=None, source=[str(source)], config_file=False)
        self._context = ""
        self._users: dict[str, list[str]] = defaultdict(list)  # tests by context
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self._coverage.start()

    def _within(self, context: str) -> Generator[None, Any, Any]:
        """Note what runs until the hook is done under this context."""
        before, self._context = self._context, context
        self._coverage.switch_context(context)
        result = yield
        self._context = before
        self._coverage.switch_context(before)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Any:
        """Note what the body of a test module runs."""
        return (yield from self._within(f"module {collector.nodeid}"))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        """Note what a shared fixture runs."""
        if fixturedef.scope == "function":
            return (yield)
        return (yield from self._within(f"fixture {fixturedef.argname}"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """Note what a test runs, and how long."""
        self._users[item.nodeid].append(item.nodeid)
        self._users[f"module {item.nodeid.split('::')[0]}"].append(item.nodeid)
        for name in getattr(item, "fixturenames", ()):
            self._users[f"fixture {name}"].append(item.nodeid)
        begin = processor_time()
        result = yield from self._within(item.nodeid)
        self.seconds[item.nodeid] = processor_time() - begin
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a test that fails: it tells nothing of a mutant."""
        if report.failed:
            self.failed.add(report.nodeid)

    def witnesses(self) -> Witnesses:
        """Return what was noted of tests that passed."""
        self._coverage.stop()
        data = self._coverage.get_data()
        lines: dict[str, dict[int, frozenset[str]]] = {}
        for file in data.measured_files():
            name = str(Path(file).relative_to(self._source.parent.parent))
            lines[name] = {
                line: frozenset(test for one in contexts for test in self._users[one])
                for line, contexts in data.contexts_by_lineno(file).items()
            }
        return Witnesses(self.seconds, lines).without(self.failed)


def processor_time() -> float:
    """Return what this process and the children that ended have taken."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main(words: Sequence[str]) -> int:
    """Run tests and write which lines they run; returns how they end."""
    out, source, *options = words
    recorder = Recorder(Path(source))
    status = pytest.main(options, plugins=[recorder])
    recorder.witnesses().write(Path(out))
    for test in sorted(recorder.failed):
        sys.stdout.write(f"left out: {test}\n")
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
