"""What reading a file may come to: a whole graph, or a refusal that says where; nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lighttea import InputError, read_graph
from lighttea.graph.facts import Graph
from lighttea.io.frames import frame_of_graph, graph_of_frame


def outcome(path: Path, **options: Any) -> Graph | str:
    """Return the graph of a file or the words that refuse it, either of them checked."""
    try:
        graph = read_graph(path, **options)
    except InputError as error:
        check_refusal(str(error), path)
        return str(error)
    assert graph.source == str(path)
    check_whole(graph)
    return graph


def check_refusal(message: str, path: Path) -> None:
    """Every line names the file; the last one may say how many more there are."""
    lines = message.splitlines()
    assert lines
    for line in lines[:-1]:
        assert line.startswith(str(path)), message
    assert lines[-1].startswith(str(path)) or (lines[1:] and lines[-1].startswith("... and "))


def check_whole(graph: Graph) -> None:
    """There are facts, ids and names fit together, and written as a table it reads the same."""
    facts = graph.facts
    assert len(facts) > 0
    for names in (graph.entities, graph.relations):
        assert len(set(names)) == len(names)
        assert all(name.strip() and not set("\t\r\n\0") & set(name) for name in names)
    for ids, n in ((facts.head, len(graph.entities)), (facts.tail, len(graph.entities))):
        assert 0 <= np.min(ids) <= np.max(ids) < n
    assert 0 <= np.min(facts.relation) <= np.max(facts.relation) < len(graph.relations)
    for codes in (facts.begin, facts.end):
        assert -1 <= np.min(codes) <= np.max(codes) < len(graph.instants)
    table = frame_of_graph(graph)
    again = graph_of_frame(table, entities=graph.entities, relations=graph.relations)
    assert again.entities == graph.entities
    assert frame_of_graph(again).equals(table)
