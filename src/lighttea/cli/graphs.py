"""The graphs that `lighttea align` and `lighttea update` read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from lighttea.cli.inputs import AlignInputs
from lighttea.cli.progress import costs_of_files
from lighttea.cli.streams import sourced
from lighttea.errors import InputError
from lighttea.progress.costs import writing_costs

if TYPE_CHECKING:
    from lighttea.graph.facts import Graph
    from lighttea.progress import Progress


def read_graphs(
    paths: Sequence[Path], inputs: AlignInputs, progress: Progress, sides: Sequence[str] = ()
) -> list[Graph]:
    """Return the graphs of these files, if no two are the same.

    With `sides`, left and right, each is read as the options for its side say.
    """
    progress.expect(costs_of_files(paths, aligns=True))
    with progress.stage("load"):
        graphs = [
            read_side(inputs, side, path)
            for path, side in zip(paths, sides or [""] * len(paths), strict=True)
        ]
    _refuse_copies(graphs)
    n_facts = sum(len(graph.facts) for graph in graphs)
    progress.expect(writing_costs(n_facts, has_report=inputs.report))
    for graph in graphs:
        for note in graph.notes:
            progress.warn(f"{graph.source}: {note}")
    return graphs


def read_side(inputs: AlignInputs, side: str, path: Path) -> Graph:
    """Return the graph of a file, read as the options say, those for its side first."""
    from lighttea.io.graphs import read_graph

    own = {
        name: (side and getattr(inputs, f"{side}_{name}")) or getattr(inputs, name)
        for name in ("columns", "format")
    }
    rules = {name: getattr(inputs, name) for name in ("strict", "nary", "sitelinks")}
    return sourced(read_graph(path, **own, **rules))


def _refuse_copies(graphs: Sequence[Graph]) -> None:
    """Raise an error where two files are the same."""
    for first, second in combinations(graphs, 2):
        if first.digest and first.digest == second.digest:
            needed = "two graphs" if len(graphs) == 2 else "graphs that differ"
            raise InputError(
                f"{first.source} and {second.source} are the same file or copies of it; align "
                f"needs {needed}"
            )
