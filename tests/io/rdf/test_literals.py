"""Literals of RDF become attributes, with datatype, language and time."""

from __future__ import annotations

import pytest

from lighttea import read_graph
from tests.io.rdf.conftest import Put, facts_of, literals_of
from tests.io.rdf.test_layouts import WIKIDATA

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
NONE = (None, None)


def test_plain_typed_and_tagged_literals_are_attributes(put: Put) -> None:
    graph = read_graph(put(':a :r :b ; :code "213/467" ; :height 1.60 ; :motto "Oui"@fr-BE .'))
    assert facts_of(graph) == [("a", "r", "b", None, None)]
    assert literals_of(graph) == [
        ("a", "code", "213/467", "string", None, *NONE),
        ("a", "height", "1.60", "decimal", None, *NONE),
        ("a", "motto", "Oui", "langString", "fr-be", *NONE),
    ]
    assert graph.notes == ()


@pytest.mark.parametrize("name", ["graph.nt", "graph.ttl"])
def test_all_languages_of_a_label_are_kept_and_one_is_the_name(put: Put, name: str) -> None:
    texts = ['"Brussels"@en', '"Bruxelles"@fr', '"Brussel"@nl', '"Brussel"@de', '"Brussels"@en']
    lines = "".join(f"<http://ex/a> {LABEL} {text} .\n" for text in texts)
    graph = read_graph(put(lines, name))
    assert graph.entity_names == {"http://ex/a": "Brussels"}
    assert [row[2:5] for row in literals_of(graph)] == [
        ("Brussel", "langString", "de"),
        ("Brussel", "langString", "nl"),
        ("Brussels", "langString", "en"),
        ("Bruxelles", "langString", "fr"),
    ]


def test_a_file_of_literals_alone_is_a_graph(put: Put) -> None:
    graph = read_graph(put(':a :ssn "1" . :b :ssn "2" . :c :ssn "1" .'))
    assert len(graph.facts) == 0
    assert graph.entities == ["http://ex/a", "http://ex/b", "http://ex/c"]
    assert graph.attributes.entity.tolist() == [0, 1, 2]
    assert [graph.attributes.texts[i] for i in graph.attributes.value] == ["1", "2", "1"]
    assert len(graph.attributes.texts) == 2


def test_literals_without_text_are_counted(put: Put) -> None:
    graph = read_graph(put(':a :r :b ; :note "" , "  " , "x" .'))
    assert [row[2] for row in literals_of(graph)] == ["x"]
    assert graph.notes == ("2 empty literals left out",)


@pytest.mark.parametrize(
    "text",
    [
        ':a :name "A" {| schema:startDate "1990" ; schema:endDate "1995" |} .',
        '<< :a :name "A" >> schema:startDate "1990" ; schema:endDate "1995" .',
        '<< :a :name "A" >> schema:startDate "1990" . << :a :name "A" >> schema:endDate "1995" .',
        ':s rdf:reifies <<( :a :name "A" )>> ; schema:startDate "1990" ; schema:endDate "1995" .',
    ],
)
def test_an_annotated_literal_has_a_time(put: Put, text: str) -> None:
    graph = read_graph(put(f"{text} :a :r :b ."))
    assert literals_of(graph) == [("a", "name", "A", "string", None, "1990", "1995")]
    assert facts_of(graph) == [("a", "r", "b", None, None)]
    assert graph.notes == ()


def test_the_older_star_syntax_in_n_triples(put: Put) -> None:
    name = '<< <http://ex/a> <http://ex/name> "Ann"@en >>'
    line = f'{name} <http://schema.org/startDate> "1990" .\n'
    graph = read_graph(put(line, "graph.nt"))
    assert literals_of(graph) == [("a", "name", "Ann", "langString", "en", "1990", None)]


def test_a_quoted_literal_without_a_time_is_none_unless_it_is_asserted(put: Put) -> None:
    graph = read_graph(put('<< :a :name "Ann" >> :source :s . :a :name "Bea" {| :source :s |} .'))
    assert [row[2] for row in literals_of(graph)] == ["Bea"]
    assert "2 quoted triples without a time ignored" in graph.notes


def test_named_graphs_give_their_literals_a_time(put: Put) -> None:
    text = '<http://ex/g/2014> { :a :name "Ann" . } :a :name "Bea" ; :r :b .'
    graph = read_graph(put(text, "graph.trig"))
    assert literals_of(graph) == [
        ("a", "name", "Ann", "string", None, "2014", "2014"),
        ("a", "name", "Bea", "string", None, *NONE),
    ]


STATEMENTS = """\
@prefix p: <http://www.wikidata.org/prop/> . @prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
:q1 wdt:P1448 "Old"@en , "New"@en ; p:P1448 :s1 , :s2 , :s3 ; wdt:P31 :q2 .
:s1 ps:P1448 "Old"@en ; pq:P580 "1990" ; pq:P582 "1995" ; pq:P1810 "as it was" .
:s2 ps:P1448 "New"@en .
:s3 ps:P1448 "Wrong"@en ; wikibase:rank wikibase:DeprecatedRank .
:orphan ps:P1448 "Lost"@en .
"""


def test_statements_of_wikibase_with_literals(put: Put) -> None:
    graph = read_graph(put(STATEMENTS))
    assert [(row[0], row[2], *row[5:]) for row in literals_of(graph)] == [
        ("q1", "New", None, None),
        ("q1", "Old", "1990", "1995"),
    ]
    assert graph.attributes.names == ["http://www.wikidata.org/prop/direct/P1448"]
    assert "1 statements of deprecated rank left out" in graph.notes
    assert "1 triples about statements and other technical nodes ignored" in graph.notes


def test_literals_of_statements_and_predicates_are_no_attributes(put: Put) -> None:
    graph = read_graph(put(WIKIDATA, prefixes=False))
    adams = "http://www.wikidata.org/entity/Q42"
    assert {row[0] for row in literals_of(graph)} == {adams}
    assert sorted(row[2] or "" for row in literals_of(graph)) == [
        *("Douglas Adams", "Douglas Adams", "English writer", "道格拉斯·亞當斯"),
    ]
    assert "1 literals of predicates ignored" in graph.notes
    text = f':a :r :b . :r {LABEL} "is related to" . :b {LABEL} "Ben" .'
    graph = read_graph(put(text))
    assert [row[0] for row in literals_of(graph)] == ["b"]
    assert graph.relation_names == {"http://ex/r": "is related to"}


def test_a_predicate_that_is_an_entity_too_keeps_its_literals(put: Put) -> None:
    graph = read_graph(put(f':a :r :b . :r :inverse :s . :r {LABEL} "is related to" .'))
    assert [row[:3:2] for row in literals_of(graph)] == [("r", "is related to")]


def test_dates_are_facts_and_what_is_no_date_is_text(put: Put) -> None:
    graph = read_graph(put(':a :born "1952-03-11"^^xsd:date , "spring 1952"^^xsd:date .'))
    assert facts_of(graph) == [("a", "born", "a", "1952-03-11", "1952-03-11")]
    assert literals_of(graph) == [("a", "born", "spring 1952", "date", None, *NONE)]


def test_instants_of_literals_are_those_of_the_graph(put: Put) -> None:
    text = ':a :r :b {| schema:startDate "1990" |} . :a :name "A" {| schema:startDate "1980" |} .'
    graph = read_graph(put(text))
    assert len(graph.instants) == 2
    assert graph.attributes.begin.tolist() == [0]
    assert graph.facts.begin.tolist() == [1]
