"""The rules of tests/conftest.py hold, in one process and among workers of pytest-xdist."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CANNOT

ROOT = Path(__file__).parent.parent
RULES = "from tests.conftest import pytest_runtest_makereport"
SKIPS = """
import pytest
def test_skipped():
    pytest.skip({reason!r})
def test_passes():
    pass
"""


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
    (tmp_path / "conftest.py").write_text(RULES)
    (tmp_path / "test_some.py").write_text(SKIPS.format(reason=reason))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", workers, tmp_path],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "LIGHTTEA_STRICT_SKIPS": strict, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == code, done.stdout
    assert ("was skipped although it could have run: " in done.stdout) == bool(code)
    assert "1 passed" in done.stdout
