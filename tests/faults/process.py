"""Processes that are killed at a moment, or not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

Done = subprocess.CompletedProcess[str]


def killed(moment: str, folder: Path, *words: str) -> Done:
    """Return what a command printed that was killed at a moment, or not."""
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.killed", moment, str(folder), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def run_undisturbed(words: list[str], folder: Path) -> Done:
    """Return what a command printed that nobody killed and that did what it should."""
    done = killed("none", folder, *words)
    assert done.returncode == 0, done.stderr
    return done
