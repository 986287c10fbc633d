"""Where RDF says time: annotations, statement nodes, named graphs, dates of entities."""

from __future__ import annotations

import pytest

from lighttea import InputError, read_graph
from tests.io.rdf.conftest import Put, facts_of, literals_of

START, END = "schema:startDate", "schema:endDate"


def test_a_fact_without_time_is_a_fact(put: Put) -> None:
    assert facts_of(read_graph(put(":a :r :b . :b :r _:x ."))) == [
        ("a", "r", "b", None, None),
        ("b", "r", "_:x", None, None),
    ]


@pytest.mark.parametrize(
    "annotation",
    [
        ':a :r :b {| schema:startDate "2001"^^xsd:gYear ; schema:endDate "2003"^^xsd:gYear |} .',
        '<< :a :r :b >> schema:startDate "2001"^^xsd:gYear ; schema:endDate "2003"^^xsd:gYear .',
        '<< :a :r :b >> schema:startDate "2001"^^xsd:gYear . '
        '<< :a :r :b >> schema:endDate "2003"^^xsd:gYear .',
        ':note rdf:reifies <<( :a :r :b )>> . :note schema:startDate "2001" . '
        ':note schema:endDate "2003" .',
        '_:n schema:startDate "2001" . _:n rdf:reifies <<( :a :r :b )>> . '
        "_:m rdf:reifies <<( :a :r :b )>> . _:m schema:endDate 2003 .",
        ':a :r :b ~ :note . :note <https://schema.org/startDate> "2001" ; '
        '<http://www.wikidata.org/entity/P582> "2003" .',
    ],
)
def test_annotations_of_one_triple_are_one_fact(put: Put, annotation: str) -> None:
    assert facts_of(read_graph(put(annotation))) == [("a", "r", "b", "2001", "2003")]


def test_an_annotated_fact_stands_for_the_plain_one(put: Put) -> None:
    graph = read_graph(put(f':a :r :b . :a :r :c . << :a :r :b >> {START} "2001" .'))
    assert facts_of(graph) == [("a", "r", "b", "2001", None), ("a", "r", "c", None, None)]


def test_named_reifiers_are_statements_of_their_own(put: Put) -> None:
    text = "".join(
        f':n{i} rdf:reifies <<( :a :r :b )>> . :n{i} {p} "{year}" .'
        for i, p, year in ((1, START, 2001), (2, END, 1999))
    )
    assert facts_of(read_graph(put(text))) == [
        ("a", "r", "b", "2001", None),
        ("a", "r", "b", None, "1999"),
    ]


def test_several_times_of_one_triple_are_paired_in_order(put: Put) -> None:
    said = [(START, 2010), (END, 2003), (START, 2001), (END, 1990), (START, 2020)]
    text = "".join(f'<< :a :r :b >> {p} "{year}" .' for p, year in said)
    assert facts_of(read_graph(put(text))) == [
        ("a", "r", "b", "2001", "2003"),
        ("a", "r", "b", "2010", None),
        ("a", "r", "b", "2020", None),
        ("a", "r", "b", None, "1990"),
    ]


def test_a_point_counts_where_no_interval_is_known(put: Put) -> None:
    point = "<http://www.wikidata.org/prop/qualifier/P585>"
    graph = read_graph(
        put(
            f'<< :a :r :b >> {point} "2001-02-03"^^xsd:date . '
            f'<< :a :r :c >> {point} "2001"^^xsd:gYear ; {START} "2000" .'
        )
    )
    assert facts_of(graph) == [
        ("a", "r", "b", "2001-02-03", "2001-02-03"),
        ("a", "r", "c", "2000", None),
    ]


def test_other_predicates_can_be_given(put: Put) -> None:
    path = put(f'<< :a :r :b >> :since "2001" ; :till "2002" ; {END} "1900" .')
    given = {"begin": "http://ex/since|http://ex/from", "end": "<http://ex/till>"}
    assert facts_of(read_graph(path, columns=given)) == [("a", "r", "b", "2001", "2002")]
    with pytest.raises(InputError, match="'head' is not a role in RDF; choose begin, end and time"):
        read_graph(path, columns={"head": "1"})


def test_a_quoted_triple_without_time_is_no_fact(put: Put) -> None:
    graph = read_graph(put(":a :r :b . << :a :r :c >> :sure 1 . :z :says << :a :r :d >> ."))
    assert facts_of(graph) == [("a", "r", "b", None, None)]
    assert "2 quoted triples without a time ignored" in graph.notes
    assert "2 triples about statements and other technical nodes ignored" in graph.notes


def test_a_quoted_literal_and_a_quote_of_a_quote_are_no_facts(put: Put) -> None:
    text = f':a :r :b . << :a :age 5 >> {START} "2001" . << << :a :r :b >> :p :c >> {END} "2002" .'
    assert facts_of(read_graph(put(text))) == [("a", "r", "b", None, None)]


@pytest.mark.parametrize(
    ("literal", "time"),
    [
        ('"1952-03-11"^^xsd:date', "1952-03-11"),
        ('"1952-03-11Z"^^xsd:date', "1952-03-11"),
        ('"1952-03-11+02:00"^^xsd:date', "1952-03-11"),
        ('"1952-03-11T00:00:00Z"^^xsd:dateTime', "1952-03-11"),
        ('"1952-03-11T06:30:00Z"^^xsd:dateTime', "1952-03-11T06:30:00"),
        ('"1952"^^xsd:gYear', "1952"),
        ('"1952-03"^^xsd:gYearMonth', "1952-03"),
        ('"-0043-03-15"^^xsd:date', "-0043-03-15"),
        ('"12345"^^xsd:gYear', "12345"),
        ('"1952-03-11"^^schema:Date', "1952-03-11"),
        ('"1952-03"^^<http://purl.org/dc/terms/W3CDTF>', "1952-03"),
    ],
)
def test_a_date_of_an_entity_is_a_fact_with_itself(put: Put, literal: str, time: str) -> None:
    graph = read_graph(put(f":a :born {literal} ."))
    assert facts_of(graph) == [("a", "born", "a", time, time)]
    assert graph.notes == ("1 dates of entities read as facts from the entity to itself",)


def test_a_start_date_on_an_entity_is_its_date(put: Put) -> None:
    graph = read_graph(put(f':event {START} "2001"^^xsd:gYear .'))
    assert facts_of(graph) == [("event", "http://schema.org/startDate", "event", "2001", "2001")]


def test_odd_dates_are_counted_and_strict_stops(put: Put) -> None:
    text = ':a :r :b . :a :born "about 1900"^^xsd:date . :a :died "2001-02-30"^^xsd:date .'
    path = put(f'{text} :b :born "2001-13-01"^^xsd:date , "99999999"^^xsd:gYear .')
    graph = read_graph(path)
    assert facts_of(graph) == [
        ("a", "died", "a", "2001-02", "2001-02"),
        ("a", "r", "b", None, None),
    ]
    assert literals_of(graph) == [
        ("a", "born", "about 1900", "date", None, None, None),
        ("b", "born", "2001-13-01", "date", None, None, None),
        ("b", "born", "99999999", "gYear", None, None, None),
    ]
    odd = "'about 1900', '2001-13-01', '99999999'"
    assert f"3 dates not understood, taken as text: {odd}" in graph.notes
    assert any("a day that does not exist" in note for note in graph.notes)
    with pytest.raises(InputError) as caught:
        read_graph(path, strict=True)
    said = str(caught.value).splitlines()
    assert len(said) == 3
    assert said[0].endswith("expected a date as XML Schema writes it, found 'about 1900'")


def test_a_graph_named_by_a_time_gives_it_to_its_facts(put: Put) -> None:
    text = """\
<http://ex/g/2014> { :a :r :b . }
<http://ex/slice-2014-05-06> { :a :r :c . << :a :r :x >> schema:startDate "1999" . }
<http://ex/20140507> { :a :r :d . }
<http://ex/source/12> { :a :r :e . }
:a :r :f .
"""
    graph = read_graph(put(text, "graph.trig"))
    assert facts_of(graph) == [
        ("a", "r", "b", "2014", "2014"),
        ("a", "r", "c", "2014-05-06", "2014-05-06"),
        ("a", "r", "d", "2014-05-07", "2014-05-07"),
        ("a", "r", "e", None, None),
        ("a", "r", "f", None, None),
        ("a", "r", "x", "1999", None),
    ]
    assert "3 named graphs date their facts" in graph.notes
    assert "1 named graphs are sources, not times; they are only counted" in graph.notes


def test_a_graph_dated_in_the_default_graph_gives_its_time(put: Put) -> None:
    day = "^^<http://www.w3.org/2001/XMLSchema#date>"
    lines = [
        "<http://ex/a> <http://ex/r> <http://ex/b> <http://ex/g1> .",
        "<http://ex/a> <http://ex/r> <http://ex/c> <http://ex/g2> .",
        "<http://ex/a> <http://ex/r> <http://ex/d> <http://ex/g3> .",
        f'<http://ex/g1> <http://purl.org/dc/terms/date> "2011-01-02"{day} .',
        '<http://ex/g2> <http://schema.org/startDate> "2001" .',
        '<http://ex/g2> <http://schema.org/endDate> "2002" .',
        f'<http://ex/g3> <http://ex/seen> "2011-01-02"{day} .',
        f'<http://ex/g3> <http://ex/checked> "2012-01-02"{day} .',
    ]
    assert facts_of(read_graph(put("\n".join(lines), "graph.nq"))) == [
        ("a", "r", "b", "2011-01-02", "2011-01-02"),
        ("a", "r", "c", "2001", "2002"),
        ("a", "r", "d", None, None),
    ]
