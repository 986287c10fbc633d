"""Graphs from a SPARQL endpoint: real queries, real paging, roles of variables, predicates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lighttea
from lighttea import Graph, read_graph, read_sparql
from lighttea.errors import ConfigError, FetchError, InputError
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes
from tests.io.sparql.endpoint import Service, service_of, serving

PREFIXES = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
PEOPLE = (
    PREFIXES
    + """
:Ada :worksFor :Post ; rdfs:label "Ada"@en, "Ada fr"@fr, "Ada plain" ; :height 1.5 .
:Ben :worksFor :Post ; :born "1985-03-04"^^xsd:date ; :hired "2001-01-01T00:00:00Z"^^xsd:dateTime .
:Cem :worksFor :Bank .
:worksFor rdfs:label "works for"@en .
"""
)
WIKIBASE = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix wdv: <http://www.wikidata.org/value/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix pqv: <http://www.wikidata.org/prop/qualifier/value/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

wd:Q1 wdt:P26 wd:Q2 ; p:P26 wds:a, wds:b ; rdfs:label "Ada"@en .
wd:Q2 rdfs:label "Ben"@en .
wd:P26 rdfs:label "spouse"@en .
wds:a ps:P26 wd:Q2 ; wikibase:rank wikibase:NormalRank ;
  pq:P580 "1999-01-01T00:00:00Z"^^xsd:dateTime ; pqv:P580 wdv:x ;
  pq:P582 "2004-05-06T00:00:00Z"^^xsd:dateTime ; pqv:P582 wdv:y .
wds:b ps:P26 wd:Q3 ; wikibase:rank wikibase:DeprecatedRank .
wdv:x wikibase:timeValue "1999-01-01T00:00:00Z"^^xsd:dateTime ; wikibase:timePrecision 9 .
wdv:y wikibase:timeValue "2004-05-06T00:00:00Z"^^xsd:dateTime ; wikibase:timePrecision 11 .
"""
QUERY = "SELECT ?head ?relation ?tail WHERE { ?head ?relation ?tail }"
EX = "http://example.org/"


@pytest.fixture
def people() -> Iterator[Service]:
    with serving(service_of(PEOPLE)) as service:
        yield service


def facts(graph: Graph) -> list[tuple[Any, ...]]:
    rows = frame_of_graph(graph).rows()
    return sorted(tuple(c and c.replace(EX, "") for c in row) for row in rows)


def literals(graph: Graph) -> list[tuple[Any, ...]]:
    rows = frame_of_attributes(graph).select("entity", "attribute", "value", "language").rows()
    return sorted((e.replace(EX, ""), a.rpartition("/")[2], v, la or "") for e, a, v, la in rows)


def complaint(service: Service, folder: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_sparql(service.url, cache=folder, **options)
    return str(caught.value)


@pytest.mark.parametrize("page_size", [1, 2, 3, 100])
def test_triples_are_read_as_a_file_of_the_same_data(
    people: Service, tmp_path: Path, page_size: int
) -> None:
    (tmp_path / "people.ttl").write_text(PEOPLE)
    file = read_graph(tmp_path / "people.ttl")
    graph = read_sparql(people.url, query=QUERY, page_size=page_size, cache=tmp_path)
    assert facts(graph) == facts(file)
    assert literals(graph) == literals(file)
    assert dict(graph.entity_names) == dict(file.entity_names)
    assert dict(graph.relation_names) == dict(file.relation_names)
    assert ("Ben", "hired", "Ben", "2001-01-01", "2001-01-01") in facts(graph)
    assert len(people.queries) == -(-10 // page_size) + 1  # and one that shows the end


def test_variables_have_the_roles_of_columns(people: Service, tmp_path: Path) -> None:
    query = f"""
        PREFIX : <{EX}> # the prefixes stay outside
        SELECT ?subject ("worksFor" AS ?p) ?o ?start {{ ?subject :worksFor ?o
        OPTIONAL {{ ?subject :hired ?start }} }}"""
    graph = read_sparql(people.url, query=query, cache=tmp_path)
    assert facts(graph) == [
        ("Ada", "worksFor", "Post", None, None),
        ("Ben", "worksFor", "Post", "2001-01-01", None),
        ("Cem", "worksFor", "Bank", None, None),
    ]
    assert graph.source == people.url
    assert graph.digest.startswith("sha256:")


def test_other_variables_are_named(people: Service, tmp_path: Path) -> None:
    query = f"SELECT ?who ?what ?where {{ ?who ?what ?where FILTER(?what = <{EX}worksFor>) }}"
    columns = "head=who,relation=what,tail=where"
    assert len(read_sparql(people.url, query=query, columns=columns, cache=tmp_path).facts) == 3
    columns = "head=who,relation='works for',tail=where"
    graph = read_sparql(people.url, query=query, columns=columns, cache=tmp_path)
    assert graph.relations == ["works for"]
    said = complaint(people, tmp_path, query=query)
    assert said.startswith(f"{people.url}: variables not understood; found: who, what, where")


def test_tails_that_are_literals_become_values(people: Service, tmp_path: Path) -> None:
    query = (
        "SELECT ?head ?relation ?tail ?time { ?head ?relation ?tail "
        f"FILTER(?head = <{EX}Ada>) BIND(1999 AS ?time) }}"
    )
    graph = read_sparql(people.url, query=query, cache=tmp_path)
    assert facts(graph) == [("Ada", "worksFor", "Post", "1999", "1999")]
    assert literals(graph) == [
        ("Ada", "height", "1.5", ""),
        ("Ada", "rdf-schema#label", "Ada", "en"),
        ("Ada", "rdf-schema#label", "Ada fr", "fr"),
        ("Ada", "rdf-schema#label", "Ada plain", ""),
    ]
    types = dict(frame_of_attributes(graph).select("value", "datatype").rows())
    assert types["1.5"] == "http://www.w3.org/2001/XMLSchema#decimal"


def test_values_say_their_own_datatype_unless_a_variable_does(
    people: Service, tmp_path: Path
) -> None:
    query = "SELECT ?head ?relation ?value { ?head ?relation ?value FILTER isLiteral(?value) }"
    graph = read_sparql(people.url, query=query, cache=tmp_path)
    assert len(graph.attributes) == 7
    own = 'SELECT ?head ?relation ?value ("x:y" AS ?datatype) { ?head ?relation ?value }'
    graph = read_sparql(people.url, query=own, cache=tmp_path)
    assert set(graph.attributes.datatypes) == {"x:y"}


def test_predicates_bring_facts_labels_and_names(people: Service, tmp_path: Path) -> None:
    predicates = [f"<{EX}worksFor>", f"{EX}born"]
    graph = read_sparql(people.url, predicates=predicates, page_size=2, cache=tmp_path)
    assert facts(graph) == [
        ("Ada", "worksFor", "Post", None, None),
        ("Ben", "born", "Ben", "1985-03-04", "1985-03-04"),
        ("Ben", "worksFor", "Post", None, None),
        ("Cem", "worksFor", "Bank", None, None),
    ]
    assert literals(graph) == [
        ("Ada", "rdf-schema#label", "Ada", "en"),
        ("Ada", "rdf-schema#label", "Ada plain", ""),
    ]
    assert graph.relation_names == {f"{EX}worksFor": "works for"}
    every = read_sparql(people.url, predicates=predicates, languages=["*"], cache=tmp_path)
    assert ("Ada", "rdf-schema#label", "Ada fr", "fr") in literals(every)
    french = read_sparql(people.url, predicates=predicates, languages=["FR"], cache=tmp_path)
    assert {row[3] for row in literals(french)} == {"", "fr"}


def test_statements_of_wikibase_bring_their_times_as_exactly_as_they_are_known(
    tmp_path: Path,
) -> None:
    with serving(service_of(WIKIBASE)) as service:
        graph = read_sparql(service.url, predicates=["wdt:P26"], page_size=2, cache=tmp_path)
    (fact,) = frame_of_graph(graph).rows()
    assert [text.rpartition("/")[2] for text in fact[:3]] == ["Q1", "P26", "Q2"]
    assert fact[3:] == ("1999", "2004-05-06")
    assert sorted(graph.entity_names.values()) == ["Ada", "Ben"]
    assert list(graph.relation_names.values()) == ["spouse"]
    assert any("deprecated" in note for note in graph.notes)


def test_the_notes_tell_when_the_endpoint_was_asked(people: Service, tmp_path: Path) -> None:
    first = read_sparql(people.url, query=QUERY, cache=tmp_path)
    asked = len(people.queries)
    again = read_sparql(people.url, query=QUERY, cache=tmp_path)
    assert len(people.queries) == asked
    assert facts(again) == facts(first)
    assert again.digest == first.digest
    assert first.notes[0].startswith(f"10 rows from {people.url}, asked on 20")
    assert again.notes[0] == f"{first.notes[0]}; kept from then: max_age_hours = 0 asks again"
    read_sparql(people.url, query=QUERY, cache=tmp_path, max_age_hours=0)
    assert len(people.queries) == 2 * asked


def test_the_agent_is_named_and_long_queries_are_posted(people: Service, tmp_path: Path) -> None:
    read_sparql(people.url, query=QUERY, cache=tmp_path)
    assert set(people.methods) == {"GET"}
    read_sparql(people.url, query=QUERY + "\n#" + "x" * 3000, cache=tmp_path)
    assert set(people.methods) == {"GET", "POST"}
    assert people.agents == {f"lighttea/{lighttea.__version__}"}


def test_a_limit_and_an_order_of_the_query_are_kept(people: Service, tmp_path: Path) -> None:
    query = "SELECT * { ?head ?relation ?tail FILTER isIRI(?tail) } ORDER BY DESC(?head) LIMIT 2"
    graph = read_sparql(people.url, query=query, page_size=1, cache=tmp_path)
    assert [row[0] for row in facts(graph)] == ["Ben", "Cem"]


def test_blank_nodes_are_counted(tmp_path: Path) -> None:
    with serving(service_of(PREFIXES + ":Ada :knows [ :knows :Ben ] .")) as service:
        graph = read_sparql(service.url, query=QUERY, cache=tmp_path)
    assert len(graph.facts) == 2
    assert any(note.startswith("2 results are blank nodes") for note in graph.notes)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "give either a query or predicates"),
        ({"query": QUERY, "predicates": ["x:y"]}, "give either a query or predicates"),
        ({"predicates": "wdt:P26"}, "lists of texts"),
        ({"predicates": ["worksFor"]}, "'worksFor' is no IRI; write it in full"),
        ({"predicates": ["http://x/ y"]}, "is no IRI"),
        ({"predicates": ["x:y"], "languages": ['en")']}, "is no tag of a language"),
        ({"predicates": ["x:y"], "columns": "head=a"}, "predicates have none"),
        ({"predicates": ["http://example.org/none"]}, "there is no fact of"),
        (
            {"query": "SELECT ?head ?relation ?tail { ?head ?relation ?tail . ?head ?tail 7 }"},
            "no results",
        ),
        ({"query": "ASK { ?s ?p ?o }"}, "expected SELECT; CONSTRUCT, DESCRIBE and ASK"),
        ({"query": "SELECT * FROM <http://x/g> WHERE { ?s ?p ?o }"}, "instead of FROM"),
        ({"query": "SELECT ?s WHERE { ?s ?p"}, "the query is refused: the server answers 400"),
        ({"query": QUERY, "columns": "head=x,relation=relation,tail=tail"}, "no column 'x'"),
    ],
)
def test_what_is_wrong_is_said(
    people: Service, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    assert said in complaint(people, tmp_path, **options)


def test_a_refused_query_shows_the_first_line_of_the_server_and_what_is_wrong_here(
    people: Service, tmp_path: Path
) -> None:
    said = complaint(people, tmp_path, query="SELECT ?s WHERE { ?s ?p")
    assert "(malformed query:" in said
    assert "more lines" not in said
    assert said.endswith("; the query is not understood here either: error at 1:24")


@pytest.mark.parametrize(
    "url", ["ftp://x/y", "query.wikidata.org", "file:///etc/passwd", "https:///x"]
)
def test_what_is_no_address_of_an_endpoint_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="expected the address of a SPARQL endpoint"):
        read_sparql(url, query=QUERY)


def test_passwords_are_not_shown() -> None:
    with pytest.raises(FetchError) as caught:
        read_sparql("http://me:secret@127.0.0.1:9/sparql", query=QUERY)
    assert str(caught.value).startswith("http://127.0.0.1:9/sparql: the query failed: ")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["page_size", "max_rows", "timeout_s"])
def test_limits_have_bounds(name: str) -> None:
    limit: dict[str, Any] = {name: 0}
    with pytest.raises(ConfigError, match=f"{name} must be > 0; got 0"):
        read_sparql("http://127.0.0.1:9/sparql", query=QUERY, **limit)
