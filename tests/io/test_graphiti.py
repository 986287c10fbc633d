"""Nodes and edges of Graphiti: valid from, invalid from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lighttea import InputError, read_graph
from tests.io.graph_views import facts_of, literals_of, write_json, write_lines

NODE = {
    "uuid": "n1",
    "name": "Ada",
    "summary": "wrote programs",
    "labels": ["Entity", "Person"],
    "group_id": "g",
    "created_at": "2024-01-01T00:00:00Z",
    "name_embedding": [0.5] * 64,
    "attributes": {"born": 1815},
}
EDGE = {
    "uuid": "e1",
    "source_node_uuid": "n1",
    "target_node_uuid": "n2",
    "name": "WORKS_AT",
    "fact": "Ada works at the post",
    "valid_at": "2020-01-02T03:04:05.5+00:00",
    "invalid_at": None,
    "created_at": "2024-01-01T00:00:00Z",
}
EPISODE = {"uuid": "p1", "name": "message 1", "content": "Ada works at the post"}


@pytest.mark.parametrize("form", ["lines", "array", "parts", "long parts"])
def test_edges_and_nodes_together(tmp_path: Path, form: str) -> None:
    path = tmp_path / "memory.json"
    parts: dict[str, Any] = {"edges": [EDGE], "nodes": [NODE]}
    if form == "lines":
        write_lines(path, EDGE, NODE)
    elif form == "array":
        write_json(path, [EDGE, NODE], indent=1)
    else:
        write_json(path, parts, indent=1 if form == "long parts" else None)
    graph = read_graph(path, strict=True)
    assert facts_of(graph) == [("n1", "WORKS_AT", "n2", "2020-01-02T03:04:05", None)]
    assert literals_of(graph) == [
        ("n1", "_labels", "Entity"),
        ("n1", "_labels", "Person"),
        ("n1", "born", "1815", "integer"),
        ("n1", "name", "Ada"),
        ("n1", "summary", "wrote programs"),
    ]
    assert graph.entity_names == {"n1": "Ada"}
    assert graph.notes == (
        "1 sentences of edges (fact) ignored",
        "1 vectors of numbers ignored",
    )


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    lost = {**EDGE, "target_node_uuid": None}
    path = write_lines(tmp_path / "memory.jsonl", EDGE, EPISODE, lost, {"x": 1}, 5)
    graph = read_graph(path)
    assert graph.notes[0].startswith("3 malformed lines left out")
    assert "an edge needs source_node_uuid, name, target_node_uuid" in graph.notes[0]
    assert any("1 objects that are neither nodes nor edges" in note for note in graph.notes)
    with pytest.raises(InputError, match=r"memory\.jsonl:4: expected edges .* found the keys x"):
        read_graph(path, strict=True)
