"""Dataset folders as users have graphs: left.*, right.* in any format, and the truth."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.graphs import read_graph
from lighttea.io.tables import read_links

FILES = ("left", "right", "truth")


def is_graph_folder(folder: Path) -> bool:
    """Return whether a folder has a file left.* or right.*."""
    return any(_files_called(folder, name) for name in ("left", "right"))


def read_graph_folder(folder: Path) -> tuple[Graph, Graph, pl.DataFrame]:
    """Return the two graphs of a folder and its truth: left, right, line and path of each pair."""
    left_path, right_path, truth_path = (_only_file(folder, name) for name in FILES)
    truth = read_links(truth_path).with_columns(pl.lit(str(truth_path)).alias("path"))
    return read_graph(left_path), read_graph(right_path), truth


def _only_file(folder: Path, name: str) -> Path:
    """Return the file of that name, whatever its ending, where there is exactly one."""
    paths = _files_called(folder, name)
    if len(paths) == 1:
        return paths[0]
    expected = "a dataset folder has one file each of left.*, right.* and truth.tsv (left, right)"
    if not paths:
        raise InputError(f"{folder}: no file {name}.*; {expected}")
    names = ", ".join(path.name for path in paths)
    raise InputError(f"{folder}: several files could be the {name} one: {names}; {expected}")


def _files_called(folder: Path, name: str) -> list[Path]:
    return sorted(path for path in folder.glob(f"{name}.*") if path.is_file())
