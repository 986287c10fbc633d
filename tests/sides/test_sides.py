"""Checked by mypy, not by running: a left id where a right id is due is a type error.

`warn_unused_ignores` makes `make lint` fail if one of these lines stopped being an error.
"""

from __future__ import annotations

from lighttea.graph.pair import Links, Pair
from lighttea.types import LeftIds, Nodes, RightIds


def confuse(pair: Pair, left: LeftIds, right: RightIds, nodes: Nodes) -> None:
    pair.left_nodes(right)  # type: ignore[arg-type]
    pair.right_nodes(left)  # type: ignore[arg-type]
    pair.left_nodes(nodes)  # type: ignore[arg-type]
    Links(right, left)  # type: ignore[arg-type]


def test_mypy_reads_this_file() -> None:
    assert callable(confuse)
