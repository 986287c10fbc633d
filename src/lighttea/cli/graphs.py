"""The graphs that `lighttea align` reads."""

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
    paths: Sequence[Path],
    inputs: AlignInputs,
    progress: Progress,
    own: Sequence[tuple[str | None, str | None]] = (),
) -> list[Graph]:
    """Return the graphs of these files, if no two are the same.

    `own` are columns and format of each, in place of those of all.
    """
    from lighttea.io.graphs import read_graph

    progress.expect(costs_of_files(paths, aligns=True))
    with progress.stage("load"):
        graphs = [
            sourced(
                read_graph(
                    path,
                    columns=columns or inputs.columns,
                    format=form or inputs.format,
                    strict=inputs.strict,
                    nary=inputs.nary,
                    sitelinks=inputs.sitelinks,
                )
            )
            for path, (columns, form) in zip(paths, own or [(None, None)] * len(paths), strict=True)
        ]
    _refuse_copies(graphs)
    n_facts = sum(len(graph.facts) for graph in graphs)
    progress.expect(writing_costs(n_facts, has_report=inputs.report))
    for graph in graphs:
        for note in graph.notes:
            progress.warn(f"{graph.source}: {note}")
    return graphs


def _refuse_copies(graphs: Sequence[Graph]) -> None:
    """Raise an error where two files are the same."""
    for first, second in combinations(graphs, 2):
        if first.digest and first.digest == second.digest:
            needed = "two graphs" if len(graphs) == 2 else "graphs that differ"
            raise InputError(
                f"{first.source} and {second.source} are the same file or copies of it; align "
                f"needs {needed}"
            )
