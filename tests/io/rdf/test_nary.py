"""Nodes that are dated facts by their shape, and entities that only resemble them."""

from __future__ import annotations

import pytest

from lighttea import read_graph
from tests.io.rdf.conftest import Put, facts_of, literals_of

LABELS = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
BOUNDS = ':from "1999"^^xsd:gYear ; :to "2004"^^xsd:gYear'
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


@pytest.mark.parametrize(
    "text",
    [
        f":ada :job [ :employer :post ; {BOUNDS} ] .",
        ':ada :job [ :employer :post ; :startDate "1999" ; :endDate "2004" ] .',
        ":ada :job [ :employer :post ; :start 1999 ; :end 2004 ] .",
        f"[] a :Employment ; :person :ada ; :employer :post ; {BOUNDS} .",
        f"[] :employer :post ; :person :ada ; {BOUNDS} .",
        f":e1 a :Employment ; :person :ada ; :employer :post ; {BOUNDS} .",
        f":e1 :person :ada ; :employer :post ; {BOUNDS} .",
        ":e1 a <http://www.w3.org/2002/07/owl#Thing> , "
        "<http://www.w3.org/2002/07/owl#NamedIndividual> , :CareerStation . "
        f":ada :career :e1 . :e1 :employer :post ; {BOUNDS} .",
        f":ada :job :e1 . :e1 :employer :post ; {BOUNDS} .",
        f":ada :job :e1 . :e1 :employee :ada ; :employer :post ; {BOUNDS} .",  # both directions
        f":ada :job _:j . _:j :employee :ada ; :employer :post ; {BOUNDS} .",
        f":ada :employer [ :employer :post ; {BOUNDS} ] .",
        f":ada :employer [ :value :post ; {BOUNDS} ] .",
        f":ada :employer [ rdf:value :post ; {BOUNDS} ] .",
        f":ada :job [ :employer :post ; :when [ {BOUNDS} ] ] .",
    ],
)
def test_a_node_with_a_time_and_two_entities_is_a_fact(put: Put, text: str) -> None:
    graph = read_graph(put(text))
    assert facts_of(graph) == [("ada", "employer", "post", "1999", "2004")]
    assert graph.recognised["n-ary nodes"] == 1
    expected = (
        "1 nodes with a time and two entities were read as facts between the two (employer); "
        "`nary=False` keeps them as entities"
    )
    assert expected in graph.notes


def test_the_rule_can_be_turned_off(put: Put) -> None:
    path = put(f":ada :job [ :employer :post ; {BOUNDS} ] .")
    graph = read_graph(path, nary=False)
    assert [row[:3] for row in facts_of(graph)] == [
        ("_:#1", "employer", "post"),
        ("_:#1", "from", "_:#1"),
        ("_:#1", "to", "_:#1"),
        ("ada", "job", "_:#1"),
    ]
    assert "n-ary nodes" not in graph.recognised


def test_both_ends_may_point_at_the_node(put: Put) -> None:
    graph = read_graph(put(f":ada :marriage _:m . :ben :marriage _:m . _:m {BOUNDS} ."))
    assert facts_of(graph) == [("ada", "marriage", "ben", "1999", "2004")]


def test_kinds_of_nodes_stay_apart(put: Put) -> None:
    text = f"""
:ada :job [ :at :post ; {BOUNDS} ] ; :study [ :at :eth ; {BOUNDS} ] .
:e1 a :Consult ; :source :a ; :target :b ; :from "2001"^^xsd:gYear ; :to "2001"^^xsd:gYear .
:e2 a :Accuse ; :source :a ; :target :b ; :from "2002"^^xsd:gYear ; :to "2002"^^xsd:gYear .
"""
    assert facts_of(read_graph(put(text))) == [
        ("a", "Accuse", "b", "2002", "2002"),
        ("a", "Consult", "b", "2001", "2001"),
        ("ada", "job/at", "post", "1999", "2004"),
        ("ada", "study/at", "eth", "1999", "2004"),
    ]


def test_more_than_two_entities_are_facts_of_what_points_at_the_node(put: Put) -> None:
    text = f':ada :job [ :employer :post ; :title :clerk ; :desk "7b" ; {BOUNDS} ] .'
    graph = read_graph(put(text))
    assert facts_of(graph) == [
        ("ada", "employer", "post", "1999", "2004"),
        ("ada", "title", "clerk", "1999", "2004"),
    ]
    assert literals_of(graph) == [("ada", "desk", "7b", "string", None, "1999", "2004")]


@pytest.mark.parametrize(
    "text",
    [
        # dates of a life are no begin or end of a fact
        ":x a :Person ; :birthDate '1867-11-07'^^xsd:date ; :spouse :p ; :worksFor :q .",
        ":x :founded '1990'^^xsd:gYear ; :ceo :p ; :city :q .",
        ":x :founded '1990'^^xsd:gYear ; :from '1990'^^xsd:gYear ; :ceo :p ; :city :q .",
        # things by their class
        f":x a schema:SportsEvent ; schema:location :p ; schema:organizer :q ; {BOUNDS} .",
        f"[] a :Company ; :ceo :p ; :city :q ; {BOUNDS} .",
        f":x a :Fair ; :theme :p ; :visitor :q ; {BOUNDS} .",
        # things by where they are and who is behind them
        f":x :location :p ; :visitor :q ; {BOUNDS} .",
        f":x schema:location :p ; schema:organizer :q ; {BOUNDS} .",
        f":x :ceo :p ; :city :q ; {BOUNDS} .",
        f":q :attended :x . :x :location :p ; {BOUNDS} .",
        f":x :left :p ; :right :q ; {BOUNDS} .",
        # things by their name, in whatever predicate
        f':x rdfs:label "Fair" ; :location :p ; :organizer :q ; {BOUNDS} .',
        f'[] :displayName "Fair" ; :location :p ; :organizer :q ; {BOUNDS} .',
        f'[] :title "Fair" ; :location :p ; :organizer :q ; {BOUNDS} .',
        # things that say much of themselves
        f'[] :a "1" ; :b "2" ; :c "3" ; :d "4" ; :location :p ; :organizer :q ; {BOUNDS} .',
        # one entity, itself, or too many
        f":x :location :p ; {BOUNDS} .",
        f"_:x :location :p ; :near _:x ; {BOUNDS} .",
        f":x :location :p ; :organizer :q ; :guest :g ; {BOUNDS} .",
        f"[] :location :p ; :organizer :q ; :guest :g ; {BOUNDS} .",
        ":x :person :p ; :employer :q ; schema:startDate '1999'^^xsd:gYear .",
        # a class
        f":x a :e1 . :e1 :person :ada ; :employer :post ; {BOUNDS} .",
        # another id
        f":x <http://www.w3.org/2002/07/owl#sameAs> :p ; :organizer :q ; {BOUNDS} .",
        # activities
        ":x <http://www.w3.org/ns/prov#used> :p ; "
        "<http://www.w3.org/ns/prov#wasAssociatedWith> :q ;"
        ' <http://www.w3.org/ns/prov#startedAtTime> "1999"^^xsd:gYear ;'
        ' <http://www.w3.org/ns/prov#endedAtTime> "2000"^^xsd:gYear .',
        # a begin alone, a point alone: only blank nodes and classes of relations
        ":x :ceo :p ; :city :q ; schema:startDate '1999'^^xsd:gYear .",
        ":x :author :p ; :journal :q ; :date '1999'^^xsd:gYear .",
    ],
)
def test_entities_are_not_taken_for_facts(put: Put, text: str) -> None:
    graph, whole = read_graph(put(LABELS + text)), read_graph(put(LABELS + text), nary=False)
    assert "n-ary nodes" not in graph.recognised
    assert facts_of(graph) == facts_of(whole)
    assert literals_of(graph) == literals_of(whole)


def test_a_class_of_which_some_have_other_links_is_one_of_entities(put: Put) -> None:
    alike = "".join(f":x{n} a :Stay ; :guest :g{n} ; :house :h ; {BOUNDS} ." for n in range(8))
    assert read_graph(put(alike)).recognised["n-ary nodes"] == 8
    other = "".join(f":y{n} a :Stay ; :guest :g{n} ." for n in range(2))
    assert "n-ary nodes" not in read_graph(put(alike + other)).recognised


def test_untyped_nodes_are_facts_where_their_predicates_are_theirs_alone(put: Put) -> None:
    alike = "".join(f":x{n} :guest :g{n} ; :house :h ; {BOUNDS} ." for n in range(8))
    assert read_graph(put(alike)).recognised["n-ary nodes"] == 8
    other = "".join(f":y{n} :guest :g{n} ; :house :h ; :owner :o ." for n in range(2))
    assert "n-ary nodes" not in read_graph(put(alike + other)).recognised


def test_nameless_nodes_between_named_entities_are_facts(put: Put) -> None:
    named = "".join(f':{n} rdfs:label "{n}" .' for n in ("a", "b", "c", "d"))
    nodes = ":x1 :of :a ; :at :b ; :since 1999 . :x2 :of :c ; :at :b ; :since 2000 ."
    nodes += ":x3 :of :d ; :at :b ; :since 2001 ."
    graph = read_graph(put(LABELS + named + nodes))
    assert facts_of(graph) == [
        ("a", "at", "b", "1999", None),
        ("c", "at", "b", "2000", None),
        ("d", "at", "b", "2001", None),
    ]
    assert "n-ary nodes" not in read_graph(put(LABELS + nodes)).recognised


def test_a_chain_of_dated_nodes_stays_as_it_is(put: Put) -> None:
    text = f":a :partOf _:b . _:b :partOf _:c ; {BOUNDS} . _:c :partOf :d ; {BOUNDS} ."
    assert "n-ary nodes" not in read_graph(put(text)).recognised


def test_what_points_at_a_fact_besides_is_counted_not_lost_silently(put: Put) -> None:
    text = f":s a rdf:Statement ; rdf:subject :a ; rdf:predicate :r ; rdf:object :b ; {BOUNDS} . "
    graph = read_graph(put(text + ":paper :cites :s ."))
    assert "1 triples about statements and other technical nodes ignored" in graph.notes
