"""GraphML of networkx, yEd and apoc."""

from __future__ import annotations

from pathlib import Path

import networkx
import pytest

from lighttea import InputError, read_graph
from tests.io.graph_views import facts_of, literals_of

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns"'
)
YED = f"""{HEAD} xmlns:y="http://www.yworks.com/xml/graphml">
<key for="node" id="d0" yfiles.type="nodegraphics"/>
<key for="edge" id="d1" yfiles.type="edgegraphics"/>
<key for="node" id="d2" attr.name="age" attr.type="int"><default>7</default></key>
<graph edgedefault="directed" id="G">
<node id="n0"><data key="d0"><y:ShapeNode><y:Fill color="#FF"/><y:NodeLabel>Ada
King</y:NodeLabel></y:ShapeNode></data>
<graph edgedefault="undirected" id="n0:"><node id="n0::n1"><data key="d2">5</data></node></graph>
</node>
<edge id="e0" source="n0" target="n0::n1"><data key="d1"><y:PolyLineEdge><y:EdgeLabel>knows
</y:EdgeLabel></y:PolyLineEdge></data></edge>
<hyperedge/>
</graph></graphml>
"""
APOC = f"""{HEAD}>
<key id="labels" for="node" attr.name="labels"/>
<key id="since" for="edge" attr.name="since"/>
<key id="label" for="edge" attr.name="label"/>
<graph id="G" edgedefault="directed">
<node id="n0" labels=":User:Admin"><data key="labels">:User:Admin</data>
<data key="name">Ada</data></node>
<node id="n1" labels=":User"><data key="labels">:User</data></node>
<edge id="e0" source="n0" target="n1" label="KNOWS"><data key="label">KNOWS</data>
<data key="since">1999-05-06</data></edge>
</graph></graphml>
"""


def written(tmp_path: Path, text: str, name: str = "g.graphml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_networkx_writes_it(tmp_path: Path) -> None:
    graph = networkx.MultiDiGraph()
    graph.add_node("a", name="Ada", age=3, height=1.5, alive=True)
    graph.add_edge("a", "b", relation="knows", start="1999", end="2001-02")
    graph.add_edge("a", "b", relation="likes", weight=2)
    path = tmp_path / "g.graphml"
    networkx.write_graphml(graph, path)
    read = read_graph(path, strict=True)
    assert facts_of(read) == [
        ("a", "knows", "b", "1999", "2001-02"),
        ("a", "likes", "b", None, None),
    ]
    assert literals_of(read) == [
        ("a", "age", "3", "integer"),
        ("a", "alive", "True", "boolean"),
        ("a", "height", "1.5", "double"),
        ("a", "name", "Ada"),
    ]
    assert read.entity_names == {"a": "Ada"}
    assert list(read.entities) == ["a", "b"]
    assert read.notes == (
        "time comes from these properties of edges: begin = start, end = end",
        "unused properties of edges: weight",
    )


def test_yed_writes_labels_into_drawings(tmp_path: Path) -> None:
    graph = read_graph(written(tmp_path, YED), strict=True)
    assert facts_of(graph) == [("n0", "knows", "n0::n1", None, None)]
    assert literals_of(graph) == [
        ("n0", "age", "7", "integer"),
        ("n0", "label", "Ada\nKing"),
        ("n0::n1", "age", "5", "integer"),
    ]
    assert graph.entity_names == {"n0": "Ada King"}
    assert graph.notes == (
        "1 hyperedges left out",
        "1 graphs nested in nodes; their nodes and edges are read with the others",
        "2 drawing properties of nodes and edges ignored",
    )


def test_apoc_writes_labels_as_attributes(tmp_path: Path) -> None:
    graph = read_graph(written(tmp_path, APOC, "all.xml"), strict=True)
    assert facts_of(graph) == [("n0", "KNOWS", "n1", "1999-05-06", None)]
    assert literals_of(graph) == [
        ("n0", "_labels", "Admin"),
        ("n0", "_labels", "User"),
        ("n0", "name", "Ada"),
        ("n1", "_labels", "User"),
    ]
    named = read_graph(written(tmp_path, APOC.replace("since", "seen")), columns="time=seen")
    assert facts_of(named)[0][3:] == ("1999-05-06", "1999-05-06")


def test_edges_without_label_or_direction(tmp_path: Path) -> None:
    text = f"""{HEAD}><graph edgedefault="undirected">
<edge source="a" target="b"/><edge source="b" target="c" directed="true"/></graph></graphml>"""
    graph = read_graph(written(tmp_path, text))
    assert facts_of(graph) == [("a", "edge", "b", None, None), ("b", "edge", "c", None, None)]
    assert graph.notes == (
        "2 edges without a label or a type get the relation 'edge'",
        "1 undirected edges read as facts from source to target",
    )


def test_wrong_elements_are_left_out_and_counted(tmp_path: Path) -> None:
    edges = '<edge source="a"/>\n<edge source="a" target="b"/>'
    path = written(tmp_path, f"{HEAD}><graph>\n<node/>\n{edges}</graph></graphml>")
    graph = read_graph(path)
    assert len(graph.facts) == 1
    assert f"{path}:3: a node needs an id; {path}:4: an edge needs a source" in graph.notes[0]
    with pytest.raises(InputError, match=r"g\.graphml:3: a node needs an id"):
        read_graph(path, strict=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{HEAD}><graph>", "found XML that is not well-formed (no element found)"),
        (f"{HEAD}><graph></graphml>", "g.graphml:2: expected GraphML, found XML that is not well"),
        (f"{HEAD}/>", "no facts; expected nodes and edges of GraphML"),
        (f"{HEAD}>" + "<x>" * 1_100, "elements nested more than 1,000 deep"),
        (
            '<!DOCTYPE g [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><graphml>&b;</graphml>',
            "entities may only abbreviate",
        ),
        (
            '<!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/hosts">]><graphml>&a;</graphml>',
            "entity 'a'",
        ),
    ],
)
def test_xml_that_cannot_be_trusted_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_graph(written(tmp_path, text))
    assert said in str(caught.value)
