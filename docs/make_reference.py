"""Write docs/reference.md, the help page of every command, and the settings of docs/method.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from lighttea.config import PRESETS, Config, declared_settings, shown_value

PAGES = (
    (),
    ("demo",),
    ("align",),
    ("update",),
    ("evaluate",),
    ("export",),
    ("explain",),
    ("report",),
    ("review",),
    ("serve",),
    ("check",),
    ("inspect",),
    ("describe",),
    ("bench", "run"),
    ("bench", "paper"),
    ("synth",),
    ("datasets", "list"),
    ("datasets", "fetch"),
    ("config", "show"),
    ("config", "example"),
    ("completion",),
)
HERE = Path(__file__).parent


def reference() -> str:
    """The text of the page."""
    parts = [
        "# Commands\n\nMade by `make reference` from the commands' own help pages. stdout carries "
        "results, stderr\nprogress and warnings; exit 0: done, 2: bad input, 130: interrupted, "
        "1: anything else.\n"
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


def settings_table() -> str:
    """Return the table of all settings: the value in each preset, and the meaning."""
    rows = [("setting", *(f"`{preset}`" for preset in PRESETS), "meaning"), ("---",) * 4]
    rows += [
        (f"`{setting.name}`", *_values(setting.name), setting.help)
        for setting in declared_settings(Config).values()
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _values(name: str) -> list[str]:
    setting = declared_settings(Config)[name]
    return [shown_value(setting.presets.get(preset, setting.default)) for preset in PRESETS]


def with_settings(page: str) -> str:
    """Return a page with the table of settings between its marks."""
    begin, end = "<!-- settings: made by make reference -->", "<!-- end of settings -->"
    table = f"{begin}\n{settings_table()}\n{end}"
    return re.sub(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: table, page, flags=re.S)


if __name__ == "__main__":
    (HERE / "reference.md").write_text(reference(), encoding="utf-8")
    method = HERE / "method.md"
    method.write_text(with_settings(method.read_text(encoding="utf-8")), encoding="utf-8")
