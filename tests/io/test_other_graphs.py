"""Graphs of rdflib, pyoxigraph, networkx and DuckDB are read as what they are."""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import pyoxigraph as ox
import pytest
import rdflib

import lighttea
from lighttea import Graph, graph_from, read_graph
from lighttea.errors import InputError
from lighttea.io.columns import LINK_ROLES
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes
from lighttea.io.objects import pairs_from
from lighttea.io.rdf import objects
from tests.worlds import random_facts, renamed

XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = f"""
@prefix : <http://example.org/> .
@prefix schema: <http://schema.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <{XSD}> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
"""
TURTLE = (
    PREFIXES
    + """
:Ada :worksFor :Post ; schema:name "Ada", "Ada fr"@fr ; :note "a\\tb\\nc", "x"@en-GB ;
  :height 1.5 ; :born "1985-03-04"^^xsd:date ; :knows [ :knows :Ben ; rdfs:label "someone" ] .
:Ben p:P26 :s . :s ps:P26 :Ada ; pq:P580 "1999-01-01T00:00:00Z"^^xsd:dateTime .
:t a rdf:Statement ; rdf:subject :Ada ; rdf:predicate :worksFor ; rdf:object :Post ;
  schema:startDate "2001"^^xsd:gYear .
:worksFor rdfs:label "works for" .
"""
)
TRIG = (
    PREFIXES
    + """
:Ada :worksFor :Post . :g schema:startDate "1999"^^xsd:gYear .
<http://example.org/2014> { :Ada :worksFor :Bank . :Ada :nick "A" }
:g { :Ben :worksFor :Post } _:b { :Ben :knows :Ada }
"""
)
pytestmark = pytest.mark.filterwarnings("ignore:.* is deprecated, use Dataset:DeprecationWarning")


def content(graph: Graph) -> tuple[Any, ...]:
    """Facts, literals and names, whatever their order and the numbers of blank nodes."""
    tables = (
        frame_of_graph(graph).rows(),
        frame_of_attributes(graph).rows(),
        graph.entity_names.items(),
        graph.relation_names.items(),
    )
    return tuple(sorted(re.sub(r"_:#\d+", "_:#", str(row)) for row in rows) for rows in tables)


def read_text(folder: Path, name: str, text: str) -> Graph:
    (folder / name).write_text(text, encoding="utf-8")
    return read_graph(folder / name)


def complaint(table: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        graph_from(table, **options)
    return str(caught.value)


# rdflib


def test_a_graph_of_rdflib_is_read_as_its_file(tmp_path: Path) -> None:
    file = read_text(tmp_path, "graph.ttl", TURTLE)
    graph = graph_from(rdflib.Graph().parse(data=TURTLE, format="turtle"), name="mine")
    assert content(graph) == content(file)
    assert graph.notes == file.notes
    assert graph.source == "mine"
    facts = [row[1:] for row in frame_of_graph(graph).rows()]
    assert (
        "http://example.org/born",
        "http://example.org/Ada",
        "1985-03-04",
        "1985-03-04",
    ) in facts
    assert "_:#1" in graph.entities


def test_more_quads_than_a_batch_holds_are_all_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "_BATCH_ROWS", 3)
    node = ox.NamedNode
    triples = [
        ox.Triple(node(f"http://e/{n}"), node("http://e/r"), node(f"http://e/{n + 1}"))
        for n in range(10)
    ]
    assert len(graph_from(triples).facts) == 10


def test_dated_nodes_of_rdflib_are_facts_unless_that_is_turned_off() -> None:
    text = (
        "@prefix : <http://example.org/> . @prefix x: <http://www.w3.org/2001/XMLSchema#> . "
        ':ada :job [ :employer :post ; :from "1999"^^x:gYear ; :to "2004"^^x:gYear ] .'
    )
    source = rdflib.Graph().parse(data=text, format="turtle")
    assert graph_from(source).recognised["n-ary nodes"] == 1
    assert "n-ary nodes" not in graph_from(source, nary=False).recognised


@pytest.mark.parametrize("kind", [rdflib.Dataset, rdflib.ConjunctiveGraph])
def test_a_dataset_of_rdflib_keeps_the_times_of_its_graphs(tmp_path: Path, kind: Any) -> None:
    file = read_text(tmp_path, "graphs.trig", TRIG)
    dataset = kind()
    dataset.parse(data=TRIG, format="trig")
    graph = graph_from(dataset)
    assert content(graph) == content(file)
    assert graph.notes == file.notes
    rows = [[str(c).rpartition("/")[2] for c in row] for row in frame_of_graph(graph).rows()]
    assert sorted(row[:1] + row[2:4] for row in rows) == [
        ["Ada", "Bank", "2014"],
        ["Ada", "Post", "None"],
        ["Ben", "Ada", "None"],
        ["Ben", "Post", "1999"],
    ]
    assert any("2 named graphs date their facts" in note for note in graph.notes)


def test_triples_of_rdflib_are_no_rows() -> None:
    source = rdflib.Graph().parse(data=TURTLE, format="turtle")
    assert len(graph_from(list(source)).attributes) == len(graph_from(source).attributes) > 3
    assert len(graph_from(iter(source)).facts) == len(graph_from(source).facts)


def test_classes_that_inherit_from_rdflib_are_understood() -> None:
    class Own(rdflib.Graph):
        pass

    source = Own().parse(data=TURTLE, format="turtle")
    assert content(graph_from(source)) == content(graph_from(list(source)))


def test_other_time_predicates_are_named() -> None:
    text = PREFIXES + ":s p:P1 :n . :n ps:P1 :o ; :from '1999'^^xsd:gYear ."
    source = rdflib.Graph().parse(data=text, format="turtle")
    graph = graph_from(source, columns="begin=http://example.org/from")
    assert frame_of_graph(graph)["begin"].to_list() == ["1999"]
    assert "'head' is not a role in RDF" in complaint(source, columns="head=x,relation=y,tail=z")


def test_what_no_file_could_hold_is_left_out_and_counted() -> None:
    node, text = rdflib.URIRef("http://x/a"), rdflib.Literal("t")
    source = rdflib.Graph()
    source.add((node, node, node))
    source.add((text, node, node))
    source.add((node, rdflib.BNode("b"), node))
    source.add((node, node, rdflib.Literal("z", datatype=rdflib.URIRef("x y"))))
    source.add((node, node, rdflib.URIRef("relative")))
    source.add((node, node, rdflib.Literal("half \ud800")))
    graph = graph_from(source)
    assert len(graph.facts) == 1
    assert graph.notes[0].startswith("5 triples that are not valid RDF left out: ")
    assert "rdflib.term.Literal('t')" in graph.notes[0]
    source.remove((node, node, node))
    assert complaint(source).splitlines()[0].startswith("table: expected a triple of RDF, found ")


def test_an_empty_graph_is_refused() -> None:
    assert "table: no facts in 0 triples" in complaint(rdflib.Graph())
    assert "table: no facts in 0 triples" in complaint(ox.Store())


def test_the_order_of_rdflib_does_not_change_from_process_to_process() -> None:
    code = (
        "import rdflib, lighttea\n"
        "g = rdflib.Graph()\n"
        "for i in range(50): g.add([rdflib.URIRef(f'http://x/{k}') for k in (i, i % 3, i * 7)])\n"
        "print(lighttea.graph_from(g).entities)\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


# pyoxigraph


def test_a_store_of_pyoxigraph_is_read_as_its_file(tmp_path: Path) -> None:
    star = TURTLE + ":Cem :worksFor :Post {| schema:startDate '1990'^^xsd:gYear |} ."
    for name, text, form in (
        ("graph.ttl", star, ox.RdfFormat.TURTLE),
        ("graphs.trig", TRIG, ox.RdfFormat.TRIG),
    ):
        store = ox.Store()
        store.load(text.encode(), format=form)
        file = content(read_text(tmp_path, name, text))
        assert content(graph_from(store)) == file
        assert content(graph_from(ox.Dataset(store))) == file
        assert content(graph_from(iter(store))) == file
        assert content(graph_from(ox.parse(text, form))) == file


# networkx


def edges(graph: nx.Graph) -> list[tuple[Any, ...]]:
    return frame_of_graph(graph_from(graph)).rows()


def test_a_directed_multigraph_of_networkx() -> None:
    source = nx.MultiDiGraph()
    source.add_node("Ada", name="Ada  King", height=1.6, born=datetime.date(1815, 12, 10))
    source.add_node("Ben", label="Benjamin", langs=("en", "fr"), ok=True, tags={"b", "a"})
    source.add_node(7, size=np.int64(3), price=Decimal("1.10"), at=datetime.datetime(2001, 2, 3))
    source.add_edge("Ada", "Post", key="worksFor", since=1999, until="2004-05", weight=3)
    source.add_edge("Ada", "Post", key="owns", since=None)
    graph = graph_from(source)
    assert frame_of_graph(graph).rows() == [
        ("Ada", "worksFor", "Post", "1999", "2004-05"),
        ("Ada", "owns", "Post", None, None),
    ]
    assert graph.entities == ["Ada", "Ben", "7", "Post"]
    assert graph.entity_names == {"Ada": "Ada King", "Ben": "Benjamin"}
    assert graph.notes == (
        "relations: the keys of the edges",
        "time comes from these properties of edges: begin = since, end = until",
        "unused properties of edges: weight",
    )
    rows = frame_of_attributes(graph).select("entity", "attribute", "value", "datatype").rows()
    assert [(e, a, v, (d or "").removeprefix(XSD)) for e, a, v, d in rows] == [
        ("Ada", "name", "Ada  King", ""),
        ("Ada", "height", "1.6", "double"),
        ("Ada", "born", "1815-12-10", "date"),
        ("Ben", "label", "Benjamin", ""),
        ("Ben", "langs", "en", ""),
        ("Ben", "langs", "fr", ""),
        ("Ben", "ok", "true", "boolean"),
        ("Ben", "tags", "a", ""),
        ("Ben", "tags", "b", ""),
        ("7", "size", "3", "integer"),
        ("7", "price", "1.10", "decimal"),
        ("7", "at", "2001-02-03T00:00:00", "dateTime"),
    ]


@pytest.mark.parametrize("name", ["relation", "predicate", "type", "label", "name", "Type"])
def test_relations_come_from_an_attribute(name: str) -> None:
    source = nx.DiGraph()
    source.add_edge("a", "b", **{name: "knows"})
    assert edges(source) == [("a", "knows", "b", None, None)]


def test_which_attribute_says_the_relation() -> None:
    source = nx.MultiDiGraph()
    source.add_edge("a", "b", key="key", label="label", type="type")
    assert edges(source)[0][1] == "key"
    source.add_edge("a", "c", key=0, label="label", type="type")
    assert edges(source)[0][1] == "type"
    assert graph_from(source, columns="relation=label").relations == ["label"]
    for *_, data in source.edges(data=True):
        data["relation"] = "relation"
    assert edges(source)[0][1] == "relation"


def test_an_undirected_edge_is_two_facts() -> None:
    for kind in (nx.Graph, nx.MultiGraph):
        source = kind()
        source.add_edge("a", "b", relation="knows", date=datetime.date(1999, 1, 2))
        source.add_edge("c", "c", relation="knows")
        assert edges(source) == [
            ("a", "knows", "b", "1999-01-02", "1999-01-02"),
            ("c", "knows", "c", None, None),
            ("b", "knows", "a", "1999-01-02", "1999-01-02"),
        ]
        assert "2 undirected edges read as facts in both directions" in graph_from(source).notes


def test_edges_without_a_relation_have_one_in_common() -> None:
    graph = graph_from(nx.path_graph(3, create_using=nx.DiGraph))
    assert frame_of_graph(graph).rows()[1] == ("1", "edge", "2", None, None)
    assert graph.notes == (
        "the edges have no relation and get 'edge'; name an attribute with "
        '`columns="relation=..."`',
    )


def test_days_on_edges_stay_days() -> None:
    source = nx.DiGraph()
    source.add_edge("a", "b", relation="r", at=pd.Timestamp("2001-02-03"))
    graph = graph_from(source)
    assert frame_of_graph(graph)["begin"].to_list() == ["2001-02-03"]
    assert any("at midnight; read as days" in note for note in graph.notes)


def test_nodes_may_be_anything_with_a_text() -> None:
    source = nx.grid_2d_graph(1, 2, create_using=nx.DiGraph)
    assert graph_from(source).entities[:2] == ["(0, 0)", "(0, 1)"]


def test_nodes_alone_are_a_graph_of_literals() -> None:
    source = nx.Graph()
    source.add_node("a", name="A")
    assert graph_from(source).attributes.texts == ["A"]
    assert len(graph_from(source).facts) == 0


def test_mappings_on_nodes_say_language_datatype_and_time() -> None:
    source = nx.Graph()
    source.add_node("a", name={"value": "A", "language": "en", "begin": 1999}, spot={"x": 1})
    source.nodes["a"]["size"] = [{"value": 7, "end": 2001}, {"value": True, "datatype": [1]}]
    rows = frame_of_attributes(graph_from(source)).rows()
    assert rows[2:] == [
        ("a", "size", "7", f"{XSD}integer", None, None, "2001"),
        ("a", "size", '{"value": true, "datatype": [1]}', None, None, None, None),
    ]
    assert rows[:2] == [
        ("a", "name", "A", None, "en", "1999", None),
        ("a", "spot", '{"x": 1}', None, None, None, None),
    ]


def wrong_networks() -> dict[str, Any]:
    same, opaque, partial, two, soon = (nx.MultiDiGraph() for _ in range(5))
    same.add_edge(1, "1")
    opaque.add_edge(object(), "b")
    partial.add_edge("a", "b", type="r")
    partial.add_edge("b", "c", type="")
    partial.add_edge("c", "d")
    two.add_edge("a", "b", start=1999, since=2000)
    soon.add_edge("a", "b", type="r", time="soon")
    return {
        "table: nodes 1 and '1' are both '1' as text; rename one of them": same,
        "has no text; use a text as node": opaque,
        "table: edge b - c: expected a text as attribute 'type', found ''": partial,
        "table: edge c - d: expected a text as attribute 'type', found None": partial,
        "table: properties start and since both mean begin; choose one: `columns='begin": two,
        "table:edge a - b: time 'soon' is not understood": soon,
        "the networkx graph has no edge and no node attribute": nx.Graph(),
    }


@pytest.mark.parametrize("said", wrong_networks())
def test_wrong_networks_are_refused(said: str) -> None:
    assert said in complaint(wrong_networks()[said])


def test_wrong_columns_of_networks_are_refused() -> None:
    source = nx.DiGraph([("a", "b", {"x": 1})])
    assert "no edge has a property 'y'; found: x" in complaint(source, columns="relation=y")
    assert "'head' is not a role of edges" in complaint(source, columns="head=x")


# DuckDB


def query_duckdb(query: str) -> duckdb.DuckDBPyRelation:
    relation = duckdb.sql(query)
    assert relation is not None
    return relation


def test_relations_of_duckdb() -> None:
    relation = query_duckdb(
        "SELECT 'Ada' AS head, 'worksFor' AS relation, 'Post' AS tail, DATE '1999-01-02' AS begin, "
        "TIMESTAMP '2001-02-03 04:05:06' AS \"end\", {'a': 1} AS extra "
        "UNION ALL SELECT 'Ben', 'worksFor', 'Post', NULL, NULL, NULL ORDER BY head"
    )
    graph = graph_from(relation)
    assert frame_of_graph(graph).rows() == [
        ("Ada", "worksFor", "Post", "1999-01-02", "2001-02-03T04:05:06"),
        ("Ben", "worksFor", "Post", None, None),
    ]
    assert graph.notes == ("unused columns: extra",)
    seeds = query_duckdb("SELECT 'a' AS \"left\", 'b' AS \"right\"")
    pairs = pairs_from(seeds, LINK_ROLES, noun="seed")
    assert pairs.select("left", "right").rows() == [("a", "b")]
    message = complaint(relation, columns="head=head,relation=relation,tail=extra")
    assert "column 'extra' holds Struct" in message


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("7::HUGEINT", "7"),
        ("1.50::DECIMAL(5, 2)", "1.50"),
        ("'x'::ENUM('x', 'y')", "x"),
        ("true", "true"),
        ("TIMESTAMPTZ '2001-02-03 04:05:06+02'", "2001-02-03T02:05:06"),
        ("TIMESTAMP_NS '2001-02-03 04:05:06'", "2001-02-03T04:05:06"),
        ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ],
)
def test_values_of_duckdb(expression: str, text: str) -> None:
    graph = graph_from(query_duckdb(f"SELECT 'a' AS head, 'r' AS relation, {expression} AS value"))
    assert graph.attributes.texts == [text]


# all of them


def test_what_is_not_understood_gets_one_sentence() -> None:
    for table in ({"Ada", "Ben"}, ["Ada"], [7], iter("Ada"), np.array([1, 2])):
        message = complaint(table)
        assert message.startswith(
            "table: expected a pandas or polars frame, an Arrow table, a DuckDB"
        )
        assert "graph of rdflib or networkx" in message
        assert "; found an iterable of " in message
        assert "\n" not in message


def test_rows_of_numpy() -> None:
    rows = np.array([["a", "r", "b"], ["b", "r", "c"]])
    assert frame_of_graph(graph_from(rows)).height == 2


def test_align_takes_graphs_of_other_libraries() -> None:
    facts = random_facts(40, 250, 3)
    left, right = nx.MultiDiGraph(), rdflib.Graph()
    for head, relation, tail, begin, end in facts:
        left.add_edge(head, tail, relation=relation, begin=begin, end=end)
    for row in renamed(facts):
        head, relation, tail = (rdflib.URIRef(f"http://x/{name}") for name in row[:3])
        right.add((head, relation, tail))
    date = rdflib.Literal(datetime.date(1999, 1, 2))
    right.add((rdflib.URIRef("http://x/a"), rdflib.URIRef("http://x/b"), date))
    seeds = [(f"e{i}", f"http://x/xe{i}") for i in (1, 2, 3)]
    run = lighttea.align(left, right, seeds=seeds, dim=16, top_k=10, rounds=1, threads=1)
    assert len(run.links) > 20
    assert run.info["input"]["right"]["source"] == "right"


def test_no_library_is_loaded_for_rows() -> None:
    code = (
        "import sys\n"
        "for name in ('rdflib', 'networkx', 'duckdb', 'pandas'): sys.modules[name] = None\n"
        "import lighttea\n"
        "assert len(lighttea.graph_from([('a', 'r', 'b', 2001)]).facts) == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
