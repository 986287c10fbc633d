"""Graphs and links as objects of other libraries; graphs come back as they were."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import networkx as nx
import pandas as pd
import polars as pl
import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from rdflib.namespace import OWL, RDF, RDFS, SKOS

import lighttea
from lighttea import Graph, Run, graph_from
from lighttea.errors import ConfigError
from lighttea.export.objects import COLUMNS
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes
from tests.fuzzing import examples
from tests.worlds import random_facts, renamed

XSD = "http://www.w3.org/2001/XMLSchema#"
EX = "https://example.org/"
ROWS: list[dict[str, Any]] = [
    {"head": "Ada", "relation": "livesIn", "tail": "Bern"},
    {"head": "Ada", "relation": "worksFor", "tail": "Post", "begin": "1999", "end": "2004-05"},
    {"head": "Ada", "relation": "worksFor", "tail": "Post", "begin": "2006-07-08"},
    {"head": "Ben", "relation": "left", "tail": "Post", "end": "2001-02-03T04:05:06"},
    {"head": "Ada", "relation": "met", "tail": "Ben", "begin": "-0044-03", "end": "-0044-03"},
    {"head": "Ada", "relation": "born", "tail": "Ada", "begin": "1815", "end": "1815"},
    {"head": "Ada", "relation": "name", "value": "Ada King", "language": "en", "begin": "1999"},
    {"head": "Ada", "relation": "name", "value": "Ada\tL.\n"},
    {"head": "Ada", "relation": "name", "value": "Ada L.", "datatype": f"{XSD}string"},
    {"head": "Ben", "relation": "height", "value": "1.60", "datatype": f"{XSD}decimal"},
    {"head": "Ben", "relation": "age", "value": "7", "datatype": f"{XSD}integer"},
    {"head": "Ben", "relation": "age", "value": "007", "datatype": f"{XSD}integer"},
    {"head": "Ben", "relation": "mass", "value": "1.5", "datatype": f"{XSD}double"},
    {"head": "Ben", "relation": "mass", "value": "NaN", "datatype": f"{XSD}double"},
    {"head": "Ben", "relation": "rich", "value": "true", "datatype": f"{XSD}boolean"},
    {"head": "Cem", "relation": "rich", "value": "1", "datatype": f"{XSD}boolean"},
]


def facts(graph: Graph) -> list[str]:
    return sorted(map(str, frame_of_graph(graph).rows()))


def literals(graph: Graph) -> list[str]:
    """All literals; a text without datatype is a string."""
    frame = frame_of_attributes(graph)
    said = pl.when(pl.col("datatype") != f"{XSD}string").then("datatype")
    return sorted(map(str, frame.with_columns(datatype=said).rows()))


FRAMES: dict[str, Callable[[Graph], Any]] = {
    "polars": lambda graph: graph.to_polars(),
    "pandas": lambda graph: graph.to_pandas(),
    "networkx": lambda graph: graph.to_networkx(),
}


@pytest.mark.parametrize("library", FRAMES)
def test_a_graph_comes_back_as_it_was(library: str) -> None:
    graph = graph_from(ROWS)
    back = graph_from(FRAMES[library](graph))
    assert facts(back) == facts(graph)
    assert len(facts(back)) == 6
    assert literals(back) == literals(graph)
    assert len(literals(back)) == 10
    if library != "networkx":
        assert frame_of_attributes(back).equals(frame_of_attributes(graph))


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("rows", [ROWS[:1], ROWS[-1:]])
def test_facts_alone_and_literals_alone_come_back(library: str, rows: list[Any]) -> None:
    graph = graph_from(rows)
    back = graph_from(FRAMES[library](graph))
    assert (facts(back), literals(back)) == (facts(graph), literals(graph))


_NAMES = st.text("ab:/é \"'", min_size=1, max_size=4).filter(str.strip)
_TIMES = st.sampled_from([None, "1999", "1999-02", "1999-02-03", "1999-02-03T04:05:06", "-0044"])
_FACTS = st.tuples(_NAMES, _NAMES, _NAMES, _TIMES, _TIMES)


@given(st.lists(_FACTS, min_size=1, max_size=5))
@examples(40)
def test_any_facts_come_back(rows: list[Any]) -> None:
    graph = graph_from(rows)
    for make in FRAMES.values():
        assert facts(graph_from(make(graph))) == facts(graph)


def test_a_frame_has_the_same_columns_whatever_is_in_the_graph() -> None:
    for rows in (ROWS, ROWS[:1]):
        frame = graph_from(rows).to_polars()
        assert tuple(frame.columns) == COLUMNS
        assert set(frame.dtypes) == {pl.String}
    assert isinstance(graph_from(ROWS).to_pandas(), pd.DataFrame)


def test_a_network_has_plain_values_where_they_say_it_all() -> None:
    network = graph_from(ROWS).to_networkx()
    assert isinstance(network, nx.MultiDiGraph)
    assert network.nodes["Ben"] == {
        "height": {"value": "1.60", "datatype": f"{XSD}decimal"},
        "age": [7, {"value": "007", "datatype": f"{XSD}integer"}],
        "mass": [1.5, {"value": "NaN", "datatype": f"{XSD}double"}],
        "rich": True,
    }
    assert network.nodes["Ada"]["name"][0] == {
        "value": "Ada King",
        "language": "en",
        "begin": "1999",
    }
    assert network.nodes["Ada"]["name"][1:] == ["Ada\tL.\n", "Ada L."]
    assert network["Ada"]["Bern"][0] == {"relation": "livesIn"}
    assert network["Ada"]["Post"][0] == {"relation": "worksFor", "begin": "1999", "end": "2004-05"}


# rdflib


def test_a_graph_of_rdflib_has_facts_literals_and_dates() -> None:
    triples = graph_from(ROWS).to_rdflib()
    ada, ben = rdflib.URIRef(f"{EX}Ada"), rdflib.URIRef(f"{EX}Ben")
    relation = rdflib.Namespace(f"{EX}relation/")
    assert (ada, relation.livesIn, rdflib.URIRef(f"{EX}Bern")) in triples
    assert (ada, relation.name, rdflib.Literal("Ada King", lang="en")) in triples
    assert triples.value(ada, relation.born) == rdflib.Literal("1815", datatype=f"{XSD}gYear")
    height = triples.value(ben, relation.height)
    assert str(height) == "1.60"
    assert isinstance(height, rdflib.Literal)
    assert str(height.datatype) == f"{XSD}decimal"
    statements = set(triples.subjects(RDF.type, RDF.Statement))
    assert len(statements) == 5
    begins = {
        str(triples.value(node, RDF.object)): str(triples.value(node, rdflib.SDO.startDate))
        for node in statements
        if triples.value(node, RDF.predicate) != relation.worksFor
    }
    assert begins == {"Ada King": "1999", f"{EX}Ben": "-0044-03", f"{EX}Post": "None"}
    other = graph_from(ROWS[:1]).to_rdflib(namespace="urn:x:")
    assert set(other.subjects()) == {rdflib.URIRef("urn:x:Ada")}


def test_a_fact_without_time_beside_one_with_time_is_a_statement_too() -> None:
    rows = [("http://x/a", "http://x/r", "http://x/b", time) for time in (None, 1999)]
    triples = graph_from(rows).to_rdflib()
    statements = set(triples.subjects(RDF.type, RDF.Statement))
    times = {str(triples.value(node, rdflib.SDO.startDate)) for node in statements}
    assert times == {"None", "1999"}


def test_a_graph_of_iris_comes_back_from_rdflib() -> None:
    source = rdflib.Graph().parse(
        data=f"""@prefix : <{EX}> . @prefix xsd: <{XSD}> .
        :Ada :knows :Ben, _:one, [ :knows :Cem ] ; :born "1815-12-10"^^xsd:date ; :height 1.60 ;
          <{RDFS.label}> "Ada"@en, "Ada plain" .""",
        format="turtle",
    )
    graph = graph_from(source)
    back = graph_from(graph.to_rdflib())
    assert facts(back) == facts(graph)
    assert frame_of_attributes(back).equals(frame_of_attributes(graph))
    assert back.entity_names == graph.entity_names
    assert sum(name.startswith("_:#") for name in back.entities) == 2


def test_labels_of_blank_nodes_are_kept_where_rdf_has_them() -> None:
    graph = graph_from([("_:b1", "http://x/r", "_:#7")])
    (subject, _, value) = next(iter(graph.to_rdflib()))
    assert subject == rdflib.BNode("b1")
    assert isinstance(value, rdflib.BNode)
    assert graph_from(graph.to_rdflib()).entities == ["_:b1", "_:#1"]


def test_nodes_with_a_begin_stay_entities_where_that_is_asked_for() -> None:
    rows: list[tuple[object, ...]] = [
        ("job", "employee", "Ada"),
        ("job", "employer", "Post"),
        ("job", "start", "job", 1999),
        ("job", "end", "job", 2004),
    ]
    graph = graph_from(rows)
    triples = graph.to_rdflib(namespace="urn:x:")
    assert len(graph_from(triples).facts) == 1
    assert len(graph_from(triples, nary=False).facts) == 4
    quads = pyoxigraph.parse(triples.serialize(format="nt"), pyoxigraph.RdfFormat.N_TRIPLES)
    assert len(graph_from(list(quads), nary=False).facts) == 4


def test_a_namespace_must_be_an_iri() -> None:
    with pytest.raises(ConfigError, match="namespace must be an absolute IRI"):
        graph_from(ROWS).to_rdflib(namespace="here")


def test_facts_and_times_come_back_from_rdflib() -> None:
    parts = ("head", "relation", "tail")
    rows = [{k: f"http://x/{v}" if k in parts else v for k, v in row.items()} for row in ROWS]
    rows += [{**rows[1], "begin": None, "end": None}]
    graph = graph_from(rows)
    back = graph_from(graph.to_rdflib())
    assert facts(back) == facts(graph)
    assert len(back.attributes) == len(graph.attributes)
    times = [row for row in literals(back) if "1999" in row]
    assert len(times) == 1


# links


@pytest.fixture(scope="module")
def run() -> Run:
    known = random_facts(40, 250, 3)
    seeds = [(f"e{i}", f"xe{i}") for i in (1, 2, 3)]
    options: dict[str, Any] = {"dim": 16, "top_k": 10, "rounds": 1, "threads": 1}
    return lighttea.align(known, renamed(known), seeds=seeds, **options)


def test_links_as_a_frame_of_pandas(run: Run) -> None:
    frame = run.to_pandas()
    assert list(frame.columns) == run.links.columns
    assert frame["left"].tolist() == run.links["left"].to_list()
    assert frame["score"].tolist() == run.links["score"].to_list()
    assert frame["score"].dtype == "float32"


def test_links_as_a_graph_of_rdflib_are_those_of_the_export(run: Run, tmp_path: Any) -> None:
    confidence = pl.when(pl.int_range(pl.len()) % 2 == 0).then(0.95).otherwise(0.75)
    run = replace(run, links=run.links.with_columns(confidence=confidence))
    options: dict[str, Any] = {"min_confidence": 0.7, "sure_confidence": 0.8}
    graph = run.to_rdflib(**options)
    run.export(tmp_path / "links.nt", format="sameas", **options)
    assert set(graph) == set(rdflib.Graph().parse(tmp_path / "links.nt"))
    assert set(graph.predicates()) == {OWL.sameAs, SKOS.closeMatch}
    assert (
        rdflib.URIRef(f"{EX}left/e1"),
        OWL.sameAs,
        rdflib.URIRef(f"{EX}right/xe1"),
    ) in graph
    with pytest.raises(ConfigError, match="sure_confidence"):
        run.to_rdflib(sure_confidence=2)


@pytest.mark.parametrize("library", ["pandas", "rdflib", "networkx"])
def test_a_missing_library_is_named_with_its_cure(library: str) -> None:
    code = (
        "import sys\n"
        f"sys.modules['{library}'] = None\n"
        "import lighttea\n"
        "graph = lighttea.graph_from([('a', 'r', 'b')])\n"
        "try:\n"
        f"    graph.to_{library}()\n"
        "except lighttea.EngineUnavailable as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == (f"this needs {library}: pip install {library}")


def test_pyarrow_is_not_needed_for_pandas() -> None:
    code = (
        "import sys\n"
        "sys.modules['pyarrow'] = None\n"
        "import lighttea\n"
        "frame = lighttea.graph_from([('a', 'r', 'b')]).to_pandas()\n"
        "assert frame['head'].tolist() == ['a']\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True).returncode == 0
