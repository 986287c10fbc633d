"""Node-link JSON of networkx, D3 and their like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx
import pytest

from lighttea import InputError, read_graph
from tests.io.graph_views import facts_of, literals_of, write_json


def test_networkx_writes_it(tmp_path: Path) -> None:
    graph = networkx.MultiDiGraph()
    graph.add_node("a", name="Ada", age=3)
    graph.add_edge("a", "b", relation="knows", since="1999", until="2001-02")
    graph.add_edge("a", "b", relation="likes", weight=1.5)
    path = write_json(tmp_path / "g.json", networkx.node_link_data(graph, edges="links"))
    read = read_graph(path, strict=True)
    assert facts_of(read) == [
        ("a", "knows", "b", "1999", "2001-02"),
        ("a", "likes", "b", None, None),
    ]
    assert literals_of(read) == [("a", "age", "3", "integer"), ("a", "name", "Ada")]
    assert read.entity_names == {"a": "Ada"}
    assert read.notes == (
        "time comes from these properties of links: begin = since, end = until",
        "unused properties of links: key, weight",
    )


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("links", "relation"),
    [
        ({"links": [{"source": 1, "target": 2, "type": "r"}]}, "r"),
        ({"edges": [{"source": "1", "target": "2", "label": "r"}]}, "r"),
        ({"edges": [{"from": 1, "to": 2, "label": "r"}]}, "r"),
        ({"links": [{"source": {"id": 1}, "target": {"id": 2}}]}, "link"),
        ({"links": [{"source": 1, "target": 2, "key": 0}]}, "link"),
    ],
)
def test_forms_of_links(
    tmp_path: Path, links: dict[str, Any], relation: str, indent: int | None
) -> None:
    document = {**links, "nodes": [{"id": 1}, {"id": 2}, {"id": 3}]}
    graph = read_graph(write_json(tmp_path / "g.json", document, indent), strict=True)
    assert facts_of(graph) == [("1", relation, "2", None, None)]
    assert list(graph.entities) == ["1", "2", "3"]


def test_links_by_the_number_of_their_nodes(tmp_path: Path) -> None:
    document = {
        "nodes": [{"name": "Ada"}, {"name": "Ben"}],
        "links": [{"source": 1, "target": 0, "value": 3}, {"source": 2, "target": 0}],
    }
    graph = read_graph(write_json(tmp_path / "g.json", document))
    assert facts_of(graph) == [("Ben", "link", "Ada", None, None)]
    assert "a link needs a source and a target that are nodes" in graph.notes[0]


def test_an_undirected_graph_and_what_is_not_used_are_said(tmp_path: Path) -> None:
    document = {
        "directed": False,
        "graph": {"name": "x"},
        "nodes": [{"id": 1, "vector": [1.0] * 50}, {}],
        "links": [{"source": 1, "target": 2, "relation": "r"}],
    }
    path = write_json(tmp_path / "g.json", document)
    graph = read_graph(path)
    assert graph.notes == (
        f"1 malformed lines left out (`strict=True` stops at them): {path}:1: a node needs an id",
        "the graph is undirected; each link is read as a fact in the direction it is written",
        "1 values beside nodes and links ignored",
        "1 vectors of numbers ignored",
    )


def test_times_can_be_named(tmp_path: Path) -> None:
    link = {"source": 1, "target": 2, "seen": "1999"}
    path = write_json(tmp_path / "g.json", {"nodes": [], "links": [link]})
    graph = read_graph(path, columns="time=seen")
    assert facts_of(graph) == [("1", "link", "2", "1999", "1999")]
    with pytest.raises(InputError, match="no link has a property 'nope'; found: seen"):
        read_graph(path, columns="time=nope")
    with pytest.raises(InputError, match="node-link JSON defines its own head"):
        read_graph(path, columns="head=source,relation=x,tail=target", format="node-link")
