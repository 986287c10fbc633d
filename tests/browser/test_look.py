"""`make look` takes a picture of every page."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("browser")]  # skipped where there is none

ROOT = Path(__file__).parents[2]
PAGES = (
    *("report", "unfolded", "queue", "filtered", "pair", "candidate"),
    *("threshold", "realign", "message"),
)
TERMINAL = {f"terminal-{name}.svg" for name in ("align", "explain", "inspect", "progress")}


def test_a_picture_of_every_page(tmp_path: Path) -> None:
    """In a process of its own: playwright has one browser at a time in a thread."""
    (tmp_path / "pair-gone-dark-390.png").touch()  # of an earlier time
    script = str(ROOT / "tools" / "make_look.py")
    command = [sys.executable, script, "--quick", "--world", "example"]
    paths = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
    subprocess.run([*command, str(tmp_path)], check=True, env={**os.environ, "PYTHONPATH": paths})
    pictures = {
        f"{page}-example-{scheme}-{width}.png"
        for page, scheme, width in product(PAGES, ("light", "dark"), (1440, 390))
    }
    assert {path.name for path in tmp_path.iterdir()} == pictures | TERMINAL | {"index.html"}
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert all(f'src="{name}"' in index for name in pictures | TERMINAL)
    assert "Giulio_Andreotti" in (tmp_path / "terminal-explain.svg").read_text(encoding="utf-8")
    lines = (tmp_path / "terminal-align.svg").read_text(encoding="utf-8").count("<text")
    assert lines > 10  # what the command prints, not the command alone
