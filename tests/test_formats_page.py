"""The page on tables and time is true: its examples run, its times are read as it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lighttea.graph.timeline import format_instant
from lighttea.io.columns import FACT_ROLES
from lighttea.io.presets import EVENT_LAYOUTS, PRESETS
from lighttea.io.times import is_unknown, parse_instant

PAGE = (Path(__file__).parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """A section of the page, up to the next one."""
    return re.split(r"^## ", PAGE.split(f"\n## {title}\n")[1], flags=re.M)[0]


TABLES, TIME = section("Tables"), section("Time")
WRITTEN = [
    (text, row.split("|")[2].strip())
    for row in TIME.splitlines()
    if row.startswith("| `")
    for text in re.findall(r"`([^`]+)`", row.split("|")[1])
]


def test_the_examples_run() -> None:
    codes = re.findall(r"^```python\n(.*?)^```", TABLES, flags=re.S | re.M)
    assert codes
    for code in codes:
        subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize(("written", "read"), WRITTEN)
def test_times_are_read_as_the_page_says(written: str, read: str) -> None:
    assert format_instant(*parse_instant(written)) == read


def test_there_are_enough_of_them() -> None:
    assert len(WRITTEN) > 20


def test_what_the_page_calls_unknown_is() -> None:
    (line,) = re.findall(r"\*\*Unknown\*\*(.*?)\n- ", TIME, flags=re.S)
    texts = re.findall(r"`([^`]+)`", line)
    assert len(texts) > 8
    assert all(is_unknown(text) for text in texts)


def test_every_layout_and_every_usual_name_is_on_the_page() -> None:
    for preset in PRESETS:
        assert f"| `{preset}` |" in TABLES
    for layout in EVENT_LAYOUTS.values():
        assert ", ".join(layout.columns[role] for role in ("head", "relation", "tail")) in TABLES
    for names in FACT_ROLES.values():
        assert all(f"`{name}`" in TABLES for name in names)
