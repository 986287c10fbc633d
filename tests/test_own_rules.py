"""The rules for tests hold: skips, what was left out, examples, assertions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.assertions import find_empty_tests, sources_in
from tests.conftest import CANNOT
from tests.fuzzing import TIMES, examples

ROOT = Path(__file__).parent.parent
RULES = "from tests.conftest import *"
SKIPS = """
import pytest
def test_skipped():
    pytest.skip({reason!r})
def test_passes():
    pass
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "reason", "strict", "code"),
    [
        ("0", "no time", "1", 1),
        ("2", "no time", "1", 1),
        ("2", f"{CANNOT}no browser", "1", 0),
        ("0", "no time", "0", 0),
    ],
)
def test_a_skip_that_could_have_run_fails_the_run(
    tmp_path: Path, workers: str, reason: str, strict: str, code: int
) -> None:
    done = run_pytest(tmp_path, SKIPS.format(reason=reason), "-n", workers, strict=strict)
    assert done.returncode == code, done.stdout
    assert ("was skipped although it could have run: " in done.stdout) == bool(code)
    assert "1 passed" in done.stdout


SLOW = """
import pytest
@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_slow(number):
    assert number < 3
def test_quick():
    assert "q" in "quick"
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_was_left_out_is_said(tmp_path: Path, workers: str) -> None:
    said = "slow tests were left out; make test-all runs everything"
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow: takes long\n")
    done = run_pytest(tmp_path, SLOW, "-n", workers, "-m", "not slow")
    assert f"3 {said}" in done.stdout
    assert "1 passed" in done.stdout
    done = run_pytest(tmp_path, SLOW, "-n", workers)
    assert said not in done.stdout
    assert "4 passed" in done.stdout


def run_pytest(
    folder: Path, source: str, *words: str, strict: str = "0"
) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(RULES)
    (folder / "test_some.py").write_text(source)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words, folder],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "LIGHTTEA_STRICT_SKIPS": strict, "PYTHONPATH": str(ROOT)},
    )


def drawn(profile: str) -> list[int]:
    """Numbers that a property test would be tried with."""
    numbers = []

    @settings(settings.get_profile(profile), max_examples=50)
    @given(st.integers())
    def collect(number: int) -> None:
        numbers.append(number)

    collect()
    return numbers


def test_property_tests_try_the_same_examples_every_time_unless_they_are_to_find_some() -> None:
    assert drawn("fixed") == drawn("fixed")
    assert drawn("fuzz") != drawn("fuzz")
    assert settings().derandomize == (TIMES == 0)
    assert examples(30).max_examples == 30 * max(TIMES, 1)
    assert examples(30).deadline is None


def test_every_test_asserts_something() -> None:
    assert find_empty_tests(sources_in(ROOT / "tests")) == []


@pytest.mark.parametrize(
    "body",
    [
        "read()",
        "with suppress(ValueError): read()",
        "assert callable(read)",
        "assert read() is not None",
        "assert isinstance(read(), int)",
        "assert True",
        "helper()",
    ],
)
def test_a_test_that_asserts_nothing_is_found(body: str) -> None:
    helper = "def helper():\n    read()\n"
    assert find_empty_tests([f"{helper}def test_it():\n    {body}\n"]) == ["test_it"]
    helper = "def helper():\n    assert read() == 1\n"
    source = f"{helper}def test_it():\n    {body}\n    other()\ndef other():\n    helper()\n"
    assert find_empty_tests([source]) == []
