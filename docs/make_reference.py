"""Write docs/reference.md: the help page of every command, as the command prints it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PAGES = (
    (),
    ("demo",),
    ("align",),
    ("evaluate",),
    ("export",),
    ("explain",),
    ("report",),
    ("review",),
    ("inspect",),
    ("bench", "run"),
    ("bench", "paper"),
    ("synth",),
    ("datasets", "list"),
    ("datasets", "fetch"),
    ("config", "show"),
    ("config", "example"),
)
HERE = Path(__file__).parent


def reference() -> str:
    """The text of the page."""
    parts = [
        "# Commands\n\nMade by `make reference` from the commands' own help pages. stdout carries "
        "results, stderr\nprogress and warnings; exit 0: done, 2: bad input, 1: anything else.\n"
    ]
    for words in PAGES:
        title = " ".join(("lighttea", *words))
        parts.append(f"## {title}\n\n```text\n{help_page(words)}\n```\n")
    return "\n".join(parts)


def help_page(words: tuple[str, ...]) -> str:
    """What a command prints for --help on a terminal of 100 columns."""
    done = subprocess.run(
        [sys.executable, "-m", "lighttea", *words, "--help"],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"},
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


if __name__ == "__main__":
    (HERE / "reference.md").write_text(reference(), encoding="utf-8")
