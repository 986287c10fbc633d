"""Checked by mypy: a left id where a right id is due is a type error.

`warn_unused_ignores` makes `make lint` fail if one of the lines of `confuse` stopped being one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lighttea.graph.pair import Links, Pair
from lighttea.types import LeftIds, Nodes, RightIds

ROOT = Path(__file__).parents[2]
IGNORED = "  # type: ignore[arg-type]"


def confuse(pair: Pair, left: LeftIds, right: RightIds, nodes: Nodes) -> None:
    pair.left_nodes(right)  # type: ignore[arg-type]
    pair.right_nodes(left)  # type: ignore[arg-type]
    pair.left_nodes(nodes)  # type: ignore[arg-type]
    Links(right, left)  # type: ignore[arg-type]


@pytest.mark.slow
def test_each_confusion_of_sides_is_a_type_error(tmp_path: Path) -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    confused = [n for n, line in enumerate(source.splitlines(), 1) if line.endswith(IGNORED)]
    assert len(confused) == 4
    path = tmp_path / "confused.py"
    path.write_text(source.replace(IGNORED, ""), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", path],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if "[arg-type]" in line}
    assert found == set(confused), done.stdout + done.stderr
    assert done.returncode == 1
