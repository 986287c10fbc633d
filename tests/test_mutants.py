"""Mutation testing: what is changed, and which tests are found to run a line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent / "tools"

SOURCE = '''\
"""A module."""
LIMIT: int = 3

class Things:
    first = 1

def holds(value: int, least: int = 2) -> bool:
    if value < 0:
        raise ValueError(f"{value + 1} is below zero")
    return (
        value >= least
        and value != LIMIT
    )
'''


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))


def test_everything_but_messages_and_types_is_changed(tmp_path: Path) -> None:
    from mutants.places import mutants_of

    (tmp_path / "module.py").write_text(SOURCE)
    made = list(mutants_of(tmp_path, Path("module.py")))
    assert {(one.line, one.before, one.after) for one in made} == {
        (2, "3", "6"),
        (5, "1", "2"),
        (7, "2", "3"),
        (8, "value < 0", "(value <= 0)"),
        (8, "0", "1"),
        (
            11,
            "value >= least\n        and value != LIMIT",
            "(value >= least or value != LIMIT)",
        ),
        (11, "value >= least", "(value > least)"),
        (12, "value != LIMIT", "(value == LIMIT)"),
    }
    assert {one.line for one in made if one.at_import} == {2, 5, 7}
    assert {(one.first_line, one.last_line) for one in made if one.line == 12} == {(10, 12)}
    for one in made:
        assert one.apply(SOURCE.encode()).decode() == _replaced(one.begin, one.before, one.after)


def _replaced(begin: int, before: str, after: str) -> str:
    assert SOURCE[begin : begin + len(before)] == before
    return SOURCE[:begin] + after + SOURCE[begin + len(before) :]


TESTS = """\
import pytest
from package.module import holds

AT_COLLECTION = holds(5)

@pytest.fixture(scope="module")
def shared():
    return holds(4)

def test_one(shared):
    assert shared

def test_two(shared):
    assert not shared or AT_COLLECTION

def test_three():
    with pytest.raises(ValueError, match="below"):
        holds(-1)

def test_four():
    assert 1 + 1 == 2

def test_five():
    assert holds(1), "it does not hold without any change"
"""


@pytest.mark.slow
def test_tests_that_run_a_line_are_found_through_fixtures_and_collection(tmp_path: Path) -> None:
    """The fixture and the module's body run the return for all tests of the module."""
    from mutants.witnesses import Witnesses

    for name, text in (("package/module.py", SOURCE), ("test_it.py", TESTS)):
        path = tmp_path / "src" / name if "/" in name else tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "src/package/__init__.py").touch()
    kept = tmp_path / "kept.json"
    done = subprocess.run(
        [sys.executable, "-m", "mutants.witnesses", kept, tmp_path / "src/package", "test_it.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path / 'src'}:{TOOLS}"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "left out: test_it.py::test_five" in done.stdout
    witnesses = Witnesses.read(kept)
    everything = {f"test_it.py::test_{name}" for name in ("one", "two", "three", "four")}
    assert set(witnesses.seconds) == everything
    assert witnesses.of_lines("src/package/module.py", 9, 9) == {"test_it.py::test_three"}
    assert witnesses.of_lines("src/package/module.py", 10, 12) == everything
    assert witnesses.quickest_first(everything)[0] in everything
    witnesses.write(kept)
    assert Witnesses.read(kept) == witnesses


def test_witnesses_are_asked_quickest_first_within_a_time_and_left_out_by_name() -> None:
    from mutants.witnesses import Witnesses

    seconds = {"slow": 5.0, "quick": 1.0, "middle": 2.0}
    witnesses = Witnesses(seconds, {"module": {3: frozenset(seconds), 4: frozenset({"slow"})}})
    order = witnesses.quickest_first(seconds)
    assert order == ["quick", "middle", "slow"]
    assert witnesses.within(order, 3.5) == ["quick", "middle"]
    fewer = witnesses.without({"middle"})
    assert fewer.of_lines("module", 1, 4) == {"quick", "slow"} == set(fewer.seconds)


TRIED = """\
def test_good():
    assert True

def test_bad():
    assert False

def test_endless():
    while True:
        pass
"""
TRY = """\
import sys
from pathlib import Path
from mutants import trial

trial.BASE_SECONDS = 1
for tests in (["good"], ["good", "bad", "endless"], ["good", "endless"]):
    seconds = {f"test_it.py::test_{name}": 0.01 for name in tests}
    told = trial.try_tests(Path(sys.argv[1]), seconds)
    print(told.status, len(told.seconds), *told.failed)
"""


@pytest.mark.slow
def test_a_child_tells_which_test_fails_and_ends_where_one_takes_too_long(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "test_it.py").write_text(TRIED)
    done = subprocess.run(
        [sys.executable, "-c", TRY, tmp_path],
        env={**os.environ, "PYTHONPATH": str(TOOLS)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == [
        "0 1",
        "1 2 test_it.py::test_bad",
        f"-{signal.SIGPROF.value} 1 test_it.py::test_endless",
    ]
