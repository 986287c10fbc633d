"""Which tests run which line: measured once, so that a mutant meets only tests that can see it.

As a program it runs tests under coverage.py and writes what they ran:

    python -m mutants.witnesses OUT SOURCE PYTEST_WORDS...
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Witnesses:
    """The tests of some folder, what each takes, and which run a line of a module."""

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
        begin = time.process_time()
        result = yield from self._within(item.nodeid)
        self.seconds[item.nodeid] = time.process_time() - begin
        return result

    def write(self, out: Path) -> None:
        """Write what was noted."""
        self._coverage.stop()
        data = self._coverage.get_data()
        numbers = {test: number for number, test in enumerate(self.seconds)}
        lines: dict[str, dict[int, list[int]]] = {}
        for file in data.measured_files():
            name = str(Path(file).relative_to(self._source.parent.parent))
            lines[name] = {
                line: sorted({numbers[test] for one in contexts for test in self._users[one]})
                for line, contexts in data.contexts_by_lineno(file).items()
            }
        out.write_text(json.dumps({"seconds": self.seconds, "lines": lines}))


def main(words: Sequence[str]) -> int:
    """Run tests and write which lines they run; returns how they end."""
    out, source, *options = words
    recorder = Recorder(Path(source))
    status = pytest.main(options, plugins=[recorder])
    recorder.write(Path(out))
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
