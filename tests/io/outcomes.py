"""What reading a file may come to: a whole graph, or a refusal that says where; nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lighttea import InputError, read_graph
from lighttea.graph.facts import Graph
from lighttea.io.frames import frame_of_graph, graph_of_frames
from lighttea.io.literals import frame_of_attributes
from lighttea.types import NumpyArray


def outcome(path: Path, *others: Path, thorough: bool = True, **options: Any) -> Graph | str:
    """Return the graph of a file or the words that refuse it, either of them checked.

    A refusal may name the other files too, which the first one names.
    What a graph holds is looked at where it is to be thorough; that takes as long as reading.
    """
    try:
        graph = read_graph(path, **options)
    except InputError as error:
        check_refusal(str(error), path, *others)
        return str(error)
    assert graph.source == str(path)
    if thorough:
        check_whole(graph)
    return graph


def check_refusal(message: str, *paths: Path) -> None:
    """Every line names one of the files; the last one may say how many more there are."""
    lines, names = message.splitlines(), tuple(map(str, paths))
    assert lines
    for line in lines[:-1]:
        assert line.startswith(names), message
    assert lines[-1].startswith(names) or (lines[1:] and lines[-1].startswith("... and "))


def check_whole(graph: Graph) -> None:
    """There are facts or literals, ids fit together, and written as tables it reads the same."""
    facts, attributes = graph.facts, graph.attributes
    assert len(facts) + len(attributes) > 0
    for names in (graph.entities, graph.relations):
        assert len(set(names)) == len(names)
        assert all(name.strip() and not set("\t\r\n\0") & set(name) for name in names)
    for ids in (facts.head, facts.tail, attributes.entity):
        check_range(ids, 0, len(graph.entities))
    check_range(facts.relation, 0, len(graph.relations))
    check_range(attributes.attribute, 0, len(attributes.names))
    check_range(attributes.value, 0, len(attributes.texts))
    for codes in (facts.begin, facts.end, attributes.begin, attributes.end):
        check_range(codes, -1, len(graph.instants))
    assert all(text.strip() for text in attributes.texts)
    assert all(name.strip() and not set("\t\r\n\0") & set(name) for name in attributes.names)
    table, literals = frame_of_graph(graph), frame_of_attributes(graph)
    again = graph_of_frames(table, literals, entities=graph.entities)
    assert again.entities == graph.entities
    assert frame_of_graph(again).equals(table)
    assert frame_of_attributes(again).rows() == literals.unique(maintain_order=True).rows()


def check_range(numbers: NumpyArray, least: int, end: int) -> None:
    """All numbers are at least `least` and below `end`."""
    assert not len(numbers) or least <= np.min(numbers) <= np.max(numbers) < end
