"""Exports of Neo4j: neo4j-admin CSV, apoc CSV, apoc JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.frames import frame_of_graph
from lighttea.io.graphs import read_graph as read_any_graph
from lighttea.io.literals import frame_of_attributes
from lighttea.io.neo4j import tables
from lighttea.io.tables import read_graph
from tests.io.outcomes import outcome

Put = Callable[..., Path]

APOC_CSV = (
    '"_id","_labels","born","name","_start","_end","_type","since","until","weight"\n'
    '"0",":User","1964","Ada, the first",,,,,,\n'
    '"1",":User:Admin","","Bea ""B""\n\nof two lines",,,,,,\n'
    '"2",":User","","",,,,,,\n'
    ',,,,"0","1","KNOWS","1993","2001-05-06","3"\n'
    ',,,,"1","0","LIKES","","","4"\n'
)
APOC_JSON = (
    '{"type":"node","id":"0","labels":["User"],"properties":{"name":"Ada","kids":["Sam"]}}\n'
    '{"type":"node","id":"1","labels":["User"],"properties":{"age":12}}\n'
    '{"type":"node","id":"2","labels":["User"]}\n'
    '{"id":"0","type":"relationship","label":"KNOWS","properties":{"since":1993,'
    '"bffSince":"P5M1DT12H"},"start":{"id":"0","labels":["User"]},'
    '"end":{"id":"1","labels":["User"],"properties":{"age":12}}}\n'
    '{"id":"1","type":"relationship","label":"MET","start":{"id":"1"},"end":{"id":"0"}}\n'
)
ADMIN_CSV = (
    "personId:START_ID,role,:END_ID,:TYPE,since:date,valid_to:datetime,x:IGNORE\n"
    'keanu,"Neo, the one",tt0133093,ACTED_IN,1999-03-31,2003-05-15T10:00:00+02:00,9\n'
    "carrie,Trinity,tt0133093,ACTED_IN,,,\n"
)


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file and return its path."""

    def write(content: str, name: str = "g.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode())
        return path

    return write


def complaint(path: Path, columns: str = "neo4j") -> str:
    with pytest.raises(InputError) as caught:
        read_graph(path, columns=columns, strict=True)
    return str(caught.value).replace(str(path), path.name)


def test_apoc_csv(put: Put) -> None:
    graph = read_graph(put(APOC_CSV), columns="neo4j")
    assert frame_of_graph(graph).rows() == [
        ("0", "KNOWS", "1", "1993", "2001-05-06"),
        ("1", "LIKES", "0", None, None),
    ]
    assert list(graph.entities) == ["0", "1", "2"]
    assert graph.entity_names == {"0": "Ada, the first", "1": 'Bea "B" of two lines'}
    assert graph.notes == (
        "time comes from these properties of relationships: begin = since, end = until",
        "unused properties of relationships: weight",
    )


def test_a_property_of_nodes_is_no_time_of_relationships(put: Put) -> None:
    text = "_id,_labels,date,_start,_end,_type\n0,:A,1999,,,\n1,:A,,,,\n,,,0,1,R\n"
    graph = read_graph(put(text), columns="neo4j")
    assert not graph.has_time
    assert graph.notes == ()


def test_neo4j_admin_csv(put: Put) -> None:
    graph = read_graph(put(ADMIN_CSV), columns="neo4j")
    assert frame_of_graph(graph).rows() == [
        ("keanu", "ACTED_IN", "tt0133093", "1999-03-31", "2003-05-15T08:00:00"),
        ("carrie", "ACTED_IN", "tt0133093", None, None),
    ]
    assert "begin = since, end = valid_to" in graph.notes[0]


def test_lines_of_blanks_are_no_rows(put: Put) -> None:
    text = ':START_ID,:END_ID,:TYPE\n  \n1,2,R\n\n""\n \n'
    graph = read_graph(put(text), columns="neo4j")
    assert len(graph.facts) == 1
    assert not any("malformed" in note for note in graph.notes)


def test_equal_ids_in_two_id_spaces_are_two_entities(put: Put) -> None:
    text = ":START_ID(Actor-ID)\t:END_ID(Movie-ID)\t:TYPE\n1\t1\tACTED_IN\n"
    graph = read_graph(put(text, "roles.tsv"), columns="neo4j")
    assert list(graph.entities) == ["Actor-ID:1", "Movie-ID:1"]


def test_apoc_json_lines(put: Put) -> None:
    graph = read_graph(put(APOC_JSON, "all.json"), columns="neo4j")
    assert frame_of_graph(graph).rows() == [
        ("0", "KNOWS", "1", "1993", None),
        ("1", "MET", "0", None, None),
    ]
    assert list(graph.entities) == ["0", "1", "2"]
    assert graph.entity_names == {"0": "Ada"}


def test_relationships_alone_say_what_their_ends_are_called(put: Put) -> None:
    """As apoc writes them with the properties of nodes; a node is told once."""
    ada = '{"id":"0","labels":["Person"],"properties":{"name":"Ada","born":1815}}'
    lines = [
        f'{{"type":"relationship","label":"KNOWS","start":{ada},"end":{{"id":"{end}"}}}}'
        for end in (1, 2)
    ]
    graph = read_any_graph(put("\n".join(lines)), format="neo4j")
    assert graph.entity_names == {"0": "Ada"}
    assert sorted(graph.attributes.texts) == ["1815", "Ada", "Person"]
    assert len(graph.attributes) == 3
    assert not [note for note in graph.notes if "repeat" in note]


def test_apoc_json_as_one_array(put: Put) -> None:
    array = "[" + APOC_JSON.strip().replace("\n", ",\n") + "\n]\n"
    lines, whole = put(APOC_JSON, "a.json"), put(array, "b.json")
    found = [frame_of_graph(read_graph(path, columns="neo4j")).rows() for path in (lines, whole)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("time", "read"),
    [
        ("2018-10-10T12:00:00.123456789Z", "2018-10-10T12:00:00"),
        ("2018-10-10T00:00+02:00[Europe/Berlin]", "2018-10-09T22:00:00"),
        ("2018-10-10", "2018-10-10"),
        ("2015-07-04T19:32:24", "2015-07-04T19:32:24"),
    ],
)
def test_temporal_values_as_neo4j_writes_them(put: Put, time: str, read: str) -> None:
    text = APOC_JSON.replace("1993", f'"{time}"')
    assert frame_of_graph(read_graph(put(text), columns="neo4j")).row(0)[3] == read


def test_the_time_property_can_be_named(put: Put) -> None:
    text = APOC_CSV.replace("since", "first_seen").replace("until", "last_seen")
    (note,) = read_graph(put(text), columns="neo4j").notes
    assert "no property of the relationships is used as time; found first_seen, last_seen" in note
    graph = read_graph(put(text), columns="neo4j,begin=first_seen,end=last_seen")
    assert frame_of_graph(graph).row(0)[3:] == ("1993", "2001-05-06")
    assert graph.notes == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (":ID,:START_ID,name\n1,a,X\n", "g.csv:1: no column :END_ID, :TYPE"),
        (":START_ID,:END_ID\n1,2\n", "add a column :TYPE"),
        (":START_ID,:END_ID,:TYPE\n1,,R\n,2,R\n", "g.csv:2: a relationship without an end"),
        (":START_ID,:END_ID,:TYPE\n1,,R\n,2,R\n", "g.csv:3: a relationship without a start"),
        (":START_ID,:END_ID,:TYPE\n1,2,R\n1,2\n", "g.csv:3: expected 3 fields"),
        (":START_ID,:END_ID,:TYPE\n1,2,\n", "g.csv:2: relation must not be empty"),
        (
            ':START_ID,:END_ID,:TYPE\n1,2,R\n1,"2,R\n',
            "g.csv:3: the row that starts here is not CSV",
        ),
        ('_id,_start,_end,_type\n,"0",1,R\n,,,\n,"0"x,1,R\n', "g.csv:4: the row that starts here"),
        ("_id,_start,_end,_type,n\n,0,1,R,x\n,,,,x\n", "g.csv:3: neither a node"),
        (
            "_id,_start,_end,_type\n0,,,\n",
            "has nodes, but no relationships (which become facts) and no properties",
        ),
        (":START_ID,:END_ID,:TYPE,since\n1,2,R,soon\n", "g.csv:2: time 'soon' is not understood"),
        (":START_ID,:END_ID,:TYPE,since,from\n1,2,R,1,1\n", "since and from both mean begin"),
        ('{"type":"node","id":"0"}\n{"type":\n', "g.csv:2: not JSON on one line"),
        ('{"type":"node"}\n', "g.csv:1: expected"),
        ('{"type":"node","id":" "}\n', "g.csv:1: expected"),
        ('{"type":"node","id":"a\\tb"}\n', "g.csv:1: the id of a node must not contain a tab"),
        ('{"nodes":[],"rels":[]}\n', "no relationships (which become facts) and no properties"),
        ('{"nodes":[1],"rels":[]}\n', "g.csv:1: expected"),
        ('[1, {"a": 2}]\n', "g.csv:1: expected"),
        ("[1, \n", "not JSON"),
        ('{"type":"relationship","label":"R","start":{"id":"1"}}\n', "a start and an end with an"),
        (APOC_JSON.replace("1993", "[1993]"), "g.csv:4: time '[1993]' is not understood"),
        (APOC_JSON.replace("1993", "true"), "g.csv:4: time 'true' is not understood"),
    ],
)
def test_what_is_no_export_is_refused(put: Put, text: str, said: str) -> None:
    assert said in complaint(put(text))


def test_problems_of_json_come_together(put: Put) -> None:
    lines = complaint(put('{"type":"node","id":"0"}\n' + "{\n" * 30)).splitlines()
    assert [line.split(":")[1] for line in lines[:-1]] == [str(n) for n in range(2, 22)]
    assert lines[-1] == "... and more; reading stopped there"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (":START_ID,:END_ID,:TYPE,since\n1,,R,\n1,2,R,1999\n1,2\n2,3,R,soon\n", (2, 4, 5)),
        ("_id,_start,_end,_type\n,1,2,\n,1,2,R\n,,,\n1,,,\n", (4, 2)),
        (APOC_JSON + 'rubbish\n{"type":"node"}\n[1]\n', (6, 7, 8)),
        (APOC_JSON + '{"type":"node","id":"a\\tb"}\n', (6,)),
    ],
)
def test_wrong_lines_are_left_out_and_counted(put: Put, text: str, wrong: tuple[int, ...]) -> None:
    path = put(text)
    graph = read_graph(path, columns="neo4j")
    assert len(graph.facts) >= 1
    assert graph.notes[0].startswith(f"{len(wrong)} malformed lines left out (`strict=True` stops")
    assert f"{path}:{wrong[0]}: " in graph.notes[0]
    said = complaint(path).splitlines()
    assert [line.split(":")[1] for line in said] == [str(n) for n in wrong]


def test_lines_in_another_encoding_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_bytes(APOC_JSON.encode() + '{"type":"node","id":"Zürich"}\n'.encode("latin-1"))
    graph = read_graph(path, columns="neo4j")
    assert f"1 malformed lines left out (`strict=True` stops at them): {path}:6: " in graph.notes[0]
    assert "not UTF-8" in complaint(path)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("neo4j,head=_start", "neo4j defines its own head"),
        ("neo4j,time=nope", "no relationship has a property 'nope'; found: since, until, weight"),
        ("neo4j,when=since", "'when' is not a role"),
    ],
)
def test_wrong_columns_beside_neo4j_are_refused(put: Put, columns: str, said: str) -> None:
    assert said in complaint(put(APOC_CSV), columns)


KEYS = st.sampled_from(["id", "since", "until", "name", "labels", "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["0", "1999", "x"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=4,
)
ITEMS = st.fixed_dictionaries(
    {"type": st.sampled_from(["node", "relationship", None])},
    optional={
        "id": VALUES,
        "label": VALUES,
        "start": st.just({"id": "0"}) | VALUES,
        "end": st.just({"id": "1"}) | VALUES,
        "properties": st.dictionaries(KEYS, VALUES, max_size=2) | VALUES,
    },
)


@given(st.lists(ITEMS | VALUES, min_size=1, max_size=4), st.booleans())
@example([{"type": "node", "id": "0", "properties": 5}], False)
@example([{"type": "node", "id": "\ud800"}], False)
def test_any_json_is_read_or_refused(put: Put, items: list[Any], as_array: bool) -> None:
    lines = [json.dumps(item) for item in items]
    path = put("[" + ",\n".join(lines) + "]" if as_array else "\n".join(lines))
    graph = outcome(path, columns="neo4j")
    if isinstance(graph, Graph):
        relationships = [item for item in items if isinstance(item, dict) and "start" in item]
        assert len(graph.facts) <= len(relationships)


CELLS = st.sampled_from(["", "0", "1", "R", "1999", '"a, b"', '"', '"x\ny"', "_id", ":TYPE"])


@given(
    st.sampled_from(
        ["_id,_labels,_start,_end,_type,since", ":START_ID,:END_ID(x),:TYPE,since:date"]
    )
    | st.lists(CELLS, max_size=4).map(",".join),
    st.lists(st.lists(CELLS, max_size=6).map(",".join), max_size=5),
)
def test_any_csv_is_read_or_refused(put: Put, header: str, rows: list[str]) -> None:
    graph = outcome(put("\n".join([header, *rows])), columns="neo4j")
    if isinstance(graph, Graph):
        assert len(graph.facts) <= len(rows)


def literals_of(graph: Graph) -> list[tuple[str | None, ...]]:
    xsd = "http://www.w3.org/2001/XMLSchema#"
    frame = frame_of_attributes(graph).with_columns(pl.col("datatype").str.strip_prefix(xsd))
    return frame.select("entity", "attribute", "value", "datatype").rows()


def test_properties_of_nodes_are_attributes(put: Put) -> None:
    properties = {
        "name": "Ada",
        "born": 1815,
        "height": 1.5,
        "alive": False,
        "aliases": ["Augusta", "A. L.", None],
        "home": {"crs": "wgs-84", "latitude": 51.5, "longitude": -0.25},
        "box": {"w": 1},
        "odd\nname": "x",
        "empty": "",
        "blank": " ",
        "missing": None,
    }
    node = {"type": "node", "id": "0", "labels": ["Person"], "properties": properties}
    graph = read_graph(put(json.dumps(node) + "\n", "all.json"), columns="neo4j")
    assert literals_of(graph) == [
        ("0", "name", "Ada", None),
        ("0", "born", "1815", "integer"),
        ("0", "height", "1.5", "double"),
        ("0", "alive", "false", "boolean"),
        ("0", "aliases", "Augusta", None),
        ("0", "aliases", "A. L.", None),
        ("0", "home", "Point(-0.25 51.5)", "http://www.opengis.net/ont/geosparql#wktLiteral"),
        ("0", "box", '{"w": 1}', None),
        ("0", "odd name", "x", None),
        ("0", "_labels", "Person", None),
    ]
    assert len(graph.facts) == 0
    assert graph.notes == ("1 empty literals left out",)


def test_files_of_nodes_and_of_relationships_for_neo4j_admin_make_one_graph(put: Put) -> None:
    nodes = put(
        "id:ID(P),name,tags:string[],:LABEL,x:IGNORE\n1,Ada,a;b,P;Q,z\n2,Ben,,P,z\n,C,,,z\n"
    )
    graph = read_any_graph(nodes)  # a table with three columns or more would be one of facts
    assert len(graph.facts) == 0
    assert graph.entity_names == {"P:1": "Ada", "P:2": "Ben"}
    ada = graph.to_polars().filter(pl.col("head") == "P:1")
    assert ada.select("relation", "value").rows() == [
        ("name", "Ada"),
        ("tags", "a"),
        ("tags", "b"),
        ("_labels", "P"),
        ("_labels", "Q"),
    ]
    assert "g.csv:4: neither a node (id:ID(P)) nor a relationship" in graph.notes[0]
    links = nodes.with_name("links.csv")
    links.write_text(":START_ID(P),:END_ID(P),:TYPE,since:date\n1,2,KNOWS,1999-01-02\n")
    both = nodes.with_name("both.toml")
    both.write_text('[[source]]\nfile = "g.csv"\n[[source]]\nfile = "links.csv"\n')
    whole = read_any_graph(both)
    assert len(whole.facts) == 1
    assert whole.entities == ["P:1", "P:2"]
    assert whole.entity_names == graph.entity_names


def test_properties_of_nodes_in_csv(put: Put) -> None:
    text = (
        '_id,_labels,name,langs,_start,_end,_type\n0,:Person:Actor,Ada,"[""fr"",""en""]",,,\n'
        "1,:City,[Bern,,,,\n,,,,0,1,LIVES\n"
    )
    graph = read_graph(put(text), columns="neo4j")
    assert [row[:3] for row in literals_of(graph)] == [
        ("0", "name", "Ada"),
        ("0", "langs", "fr"),
        ("0", "langs", "en"),
        ("0", "_labels", "Person"),
        ("0", "_labels", "Actor"),
        ("1", "name", "[Bern"),
        ("1", "_labels", "City"),
    ]
    assert graph.entity_names == {"0": "Ada", "1": "[Bern"}


def test_values_are_no_role_of_an_export(put: Put) -> None:
    with pytest.raises(InputError, match="'value' is not a role"):
        read_graph(put(APOC_CSV), columns="neo4j,value=name")


def test_all_forms_of_apoc_json_are_the_same_graph(put: Put) -> None:
    objects = [json.loads(line) for line in APOC_JSON.splitlines()]
    nodes = [one for one in objects if one["type"] == "node"]
    rels = [one for one in objects if one["type"] == "relationship"]
    texts = [
        APOC_JSON,
        json.dumps(objects),
        json.dumps(objects, indent=1),
        json.dumps({"nodes": nodes, "rels": rels}),
        json.dumps({"nodes": nodes, "rels": rels}, indent=1),
        json.dumps({"nodes": {n["id"]: n for n in nodes}, "rels": {r["id"]: r for r in rels}}),
    ]
    graphs = [read_any_graph(put(text, "all.json"), strict=True) for text in texts]
    assert len({graph.notes for graph in graphs}) == 1
    rows = [(frame_of_graph(graph).rows(), literals_of(graph)) for graph in graphs]
    assert all(one == rows[0] for one in rows)
    assert len(rows[0][0]) == 2


@pytest.mark.parametrize("text", [APOC_CSV, ADMIN_CSV])
def test_csv_is_recognised(put: Put, text: str) -> None:
    path = put(text)
    assert frame_of_graph(read_any_graph(path)).equals(
        frame_of_graph(read_graph(path, columns="neo4j"))
    )
    begin = read_any_graph(path, columns="begin=since")
    assert frame_of_graph(begin)["end"].null_count() == len(begin.facts)


def test_vectors_are_no_attributes(put: Put) -> None:
    node = {"type": "node", "id": "0", "properties": {"name": "Ada", "vector": [0.5] * 100}}
    graph = read_graph(put(json.dumps(node), "g.json"), columns="neo4j")
    assert len(graph.attributes) == 1
    assert graph.notes == ("1 vectors of numbers ignored",)


def test_a_quote_that_swallows_the_file_is_refused(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "LONGEST_LINE", 1_000)
    text = ':START_ID,:END_ID,:TYPE\n1,2,R\n1,"2,R\n' + "3,4,R\n" * 1_000
    assert "g.csv:3: the row that starts here is not CSV: field larger" in complaint(put(text))


def test_a_wrong_node_leaves_nothing_behind(put: Put) -> None:
    node = '{"type":"node","id":"9","properties":{"name":"Ada","size":1e999}}\n'
    graph = read_graph(put(APOC_JSON + node, "g.json"), columns="neo4j")
    assert "9" not in graph.entities
    assert "g.json:6: a number too large" in graph.notes[0]
