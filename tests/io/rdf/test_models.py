"""Models of time: reification, OWL-Time, roles, memberships, PROV, singleton properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea import read_graph
from tests.fuzzing import examples
from tests.io.rdf.conftest import PREFIXES, Put, facts_of, literals_of

WORDS = """\
@prefix time: <http://www.w3.org/2006/time#> .
@prefix org: <http://www.w3.org/ns/org#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
DATED = [("a", "r", "b", "2001", "2003")]
PARTS = "rdf:subject :a ; rdf:predicate :r ; rdf:object :b"
BOUNDS = 'schema:startDate "2001"^^xsd:gYear ; schema:endDate "2003"^^xsd:gYear'


@pytest.mark.parametrize(
    "text",
    [
        f":s a rdf:Statement ; {PARTS} ; {BOUNDS} .",
        f"[] {PARTS} ; {BOUNDS} .",
        f':a :r :b . :s a rdf:Statement ; {PARTS} ; :since 2001 ; :until "2003" .',
        f':s {PARTS} ; prov:startedAtTime "2001" ; prov:endedAtTime "2003" .',
        f':s {PARTS} ; dct:valid "start=2001; end=2003;" .',
        f':s {PARTS} ; dct:temporal "2001/2003" .',
        f':s {PARTS} ; schema:temporalCoverage " 2001 / 2003 " .',
        f":s {PARTS} ; dct:temporal [ a dct:PeriodOfTime ; {BOUNDS} ] .",
        f":s {PARTS} ; :during [ {BOUNDS} ] .",
        f":s {PARTS} ; time:hasTime [ a time:ProperInterval ; time:hasBeginning "
        '[ a time:Instant ; time:inXSDgYear "2001"^^xsd:gYear ] ; '
        'time:hasEnd [ time:inXSDgYear "2003"^^xsd:gYear ] ] .',
        f":s {PARTS} ; time:hasBeginning :i ; time:hasEnd :j . "
        ':i time:inXSDDate "2001" . :j time:inXSDDateTime "2003" .',
        ":r1 rdf:singletonPropertyOf :r . :a :r1 :b . :r1 " + BOUNDS + " .",
        ":a :r1 :b . :r1 " + BOUNDS + " ; :singletonPropertyOf :r .",
        f":a :r [ a schema:OrganizationRole ; :r :b ; {BOUNDS} ] .",
        f":a :r :role . :role a <https://schema.org/Role> ; :r :b ; {BOUNDS} .",
    ],
)
def test_every_model_says_the_same_fact(put: Put, text: str) -> None:
    graph = read_graph(put(WORDS + text))
    assert facts_of(graph) == DATED
    assert literals_of(graph) == []


def test_what_was_recognised_is_counted_and_noted(put: Put) -> None:
    text = f":s a rdf:Statement ; {PARTS} ; {BOUNDS} . :c :r [ a schema:Role ; :r :d ; {BOUNDS} ] ."
    graph = read_graph(put(text))
    assert graph.recognised == {"rdf:Statement": 1, "schema:Role": 1}
    expected = "nodes read as statements: rdf:Statement 1, schema:Role 1"
    assert graph.notes == (expected,)
    assert read_graph(put(text), nary=False).recognised == graph.recognised
    annotated = read_graph(put(f":a :r :b {{| {BOUNDS} |}} ."))
    assert annotated.recognised == {"annotations": 1}


def test_two_statements_of_one_triple_stay_apart(put: Put) -> None:
    text = "".join(
        f':s{n} {PARTS} ; :from "{begin}" ; :to "{end}" .'
        for n, begin, end in ((1, 1990, 2000), (2, 1995, 2005))
    )
    assert facts_of(read_graph(put(text))) == [
        ("a", "r", "b", "1990", "2000"),
        ("a", "r", "b", "1995", "2005"),
    ]


def test_a_statement_without_time_adds_nothing(put: Put) -> None:
    graph = read_graph(put(f":a :r :b . :s a rdf:Statement ; {PARTS} ; :source :x ."))
    assert facts_of(graph) == [("a", "r", "b", None, None)]
    assert "1 quoted triples without a time ignored" in graph.notes
    assert "1 triples about statements and other technical nodes ignored" in graph.notes


def test_reified_literals_and_dates(put: Put) -> None:
    start = "rdf:subject :a ; rdf:predicate :name"
    text = f':s {start} ; rdf:object "Ann" ; {BOUNDS} . :a :r :b . '
    text += (
        ":t rdf:subject :a ; rdf:predicate :born ; rdf:object '1980-01-02'^^xsd:date ; :by :me ."
    )
    graph = read_graph(put(text))
    assert literals_of(graph) == [("a", "name", "Ann", "string", None, "2001", "2003")]
    assert facts_of(graph) == [
        ("a", "born", "a", "1980-01-02", "1980-01-02"),
        ("a", "r", "b", None, None),
    ]


def test_an_incomplete_statement_stays_an_entity(put: Put) -> None:
    text = ":s a rdf:Statement ; rdf:subject :a ; rdf:object :b . :a :r :b ."
    graph = read_graph(put(text))
    assert "1 incomplete rdf:Statement nodes kept as entities" in graph.notes
    assert len(facts_of(graph)) == 4
    two = f":s {PARTS} ; rdf:subject :c ; {BOUNDS} ."
    assert ("a", "r", "b", "2001", "2003") not in facts_of(read_graph(put(two)))


def test_the_dates_when_a_statement_was_made_are_not_its_time(put: Put) -> None:
    text = f":s {PARTS} ; dct:created '2020-01-01'^^xsd:date ; :start '2001'^^xsd:gYear ."
    graph = read_graph(put(WORDS + text))
    assert facts_of(graph) == [("a", "r", "b", "2001", None)]
    assert "1 dates of statements other than begin, end and point in time ignored" in graph.notes


@pytest.mark.parametrize("value", ['"2001-05-06"', '"2001-05-06"^^xsd:date'])
@pytest.mark.parametrize("predicate", ["dct:valid", "dct:temporal", "dct:date", "prov:atTime"])
def test_points_in_time_of_a_statement(put: Put, predicate: str, value: str) -> None:
    graph = read_graph(put(f"{WORDS} :s {PARTS} ; {predicate} {value} ."))
    assert facts_of(graph) == [("a", "r", "b", "2001-05-06", "2001-05-06")]


def test_memberships_of_organizations(put: Put) -> None:
    text = f"""
:m a org:Membership ; org:member :ada ; org:organization :post ; org:role :clerk ;
  org:memberDuring [ a time:Interval ; time:hasBeginning [ time:inXSDDate "1999-01-02" ] ] ;
  rdfs:label "Ada at the post" ; :desk "7b" .
:ben org:hasMembership [ org:organization :post ; {BOUNDS} ] ; org:memberOf :post .
:cy org:hasMembership [ org:organization :post ] .
"""
    graph = read_graph(put(WORDS + text))
    member = "http://www.w3.org/ns/org#memberOf"
    assert facts_of(graph) == [
        ("ada", member, "post", "1999-01-02", None),
        ("ada", "http://www.w3.org/ns/org#role", "clerk", "1999-01-02", None),
        ("ben", member, "post", "2001", "2003"),
        ("cy", member, "post", None, None),
    ]
    assert literals_of(graph) == [("ada", "desk", "7b", "string", None, "1999-01-02", None)]
    assert graph.recognised["org:Membership"] == 3
    assert graph.entity_names == {}


def test_qualified_forms_of_provenance(put: Put) -> None:
    text = """
:text prov:wasGeneratedBy :writing ; prov:qualifiedGeneration
  [ a prov:Generation ; prov:activity :writing ; prov:atTime "2011-07-16T02:52:02Z" ] .
:writing a prov:Activity ; prov:startedAtTime "2011-07-15"^^xsd:date ;
  prov:endedAtTime "2011-07-17"^^xsd:date ; prov:qualifiedAssociation
  [ prov:agent :ann ; prov:hadRole :author ; prov:startedAtTime "2011-07-16"^^xsd:date ] ;
  prov:used :data ; prov:wasAssociatedWith :ann .
"""
    graph = read_graph(put(WORDS + text))
    prov, at = "http://www.w3.org/ns/prov#", "2011-07-16T02:52:02"
    assert facts_of(graph) == [
        ("text", f"{prov}wasGeneratedBy", "writing", at, at),
        (
            "writing",
            "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
            f"{prov}Activity",
            None,
            None,
        ),
        ("writing", f"{prov}endedAtTime", "writing", "2011-07-17", "2011-07-17"),
        ("writing", f"{prov}hadRole", "author", "2011-07-16", None),
        ("writing", f"{prov}startedAtTime", "writing", "2011-07-15", "2011-07-15"),
        ("writing", f"{prov}used", "data", None, None),
        ("writing", f"{prov}wasAssociatedWith", "ann", "2011-07-16", None),
    ]
    assert graph.recognised["PROV qualified"] == 2


def test_the_interval_of_an_event_dates_the_event(put: Put) -> None:
    text = """
:fair :place :bern ; time:hasTime :when .
:when a time:Interval ; time:hasBeginning :i ; time:hasEnd :j .
:i time:inXSDDateTimeStamp "2001-05-01T00:00:00Z"^^xsd:dateTimeStamp .
:i time:inXSDgYear "2001"^^xsd:gYear .
:j time:inXSDgYearMonth "2001-06"^^xsd:gYearMonth .
:birth :of :ann ; :happened [ time:inXSDDate "1990-01-02"^^xsd:date ] .
"""
    graph = read_graph(put(WORDS + text))
    assert facts_of(graph) == [
        ("birth", "happened", "birth", "1990-01-02", "1990-01-02"),
        ("birth", "of", "ann", None, None),
        ("fair", "http://www.w3.org/2006/time#hasTime", "fair", "2001-05-01", "2001-06"),
        ("fair", "place", "bern", None, None),
    ]
    assert graph.recognised == {"periods": 4, "dates of entities": 2}
    assert "4 nodes read as times: what points at them happened then" in graph.notes


def test_an_era_with_a_name_stays_an_entity(put: Put) -> None:
    text = f"""
:era a time:ProperInterval ; rdfs:label "Era" ; time:hasBeginning [ time:inXSDgYear "1837" ] .
:s {PARTS} ; time:hasTime :era .
:x dct:temporal :era .
"""
    graph = read_graph(put(WORDS + text))
    assert ("a", "r", "b", "1837", None) in facts_of(graph)
    assert ("x", "http://purl.org/dc/terms/temporal", "era", None, None) in facts_of(graph)
    assert graph.entity_names == {"http://ex/era": "Era"}


@pytest.mark.parametrize(
    ("n_predicates", "shown"), [(3, "born, died, met"), (4, "born, died, met, ...")]
)
def test_a_note_on_dates_names_three_predicates(put: Put, n_predicates: int, shown: str) -> None:
    names = ["born", "died", "met", "wed"][:n_predicates]
    text = " ".join(f':e{n} :{name} "190{n}-01-02" .' for name in names for n in range(6))
    notes = read_graph(put(text)).notes
    assert f"{6 * n_predicates} dates in plain text read as dates: {shown}" in notes


def test_untyped_dates_count_where_all_values_are_dates(put: Put) -> None:
    text = ':a :born "1867-11-07" ; :code "1867-11-07" , "x7" ; :year "1867" . :b :born "1859" .'
    text += ' :c :born "1860-01-02"^^xsd:date . :d :born "1861-01" . :e :born "1860-02-03" .'
    text += ' :f :born "1860-02-04" .'
    graph = read_graph(put(text))
    assert [row[0] for row in facts_of(graph)] == ["a", "b", "c", "d", "e", "f"]
    assert {row[1] for row in literals_of(graph)} == {"code", "year"}
    assert "5 dates in plain text read as dates: born" in graph.notes
    assert graph.recognised["untyped dates"] == 5


@pytest.mark.parametrize(
    ("predicate", "values", "are_dates"),
    [
        ("born", ["1867-11-07"], True),
        ("born", ["1867-11-07", "spring"], False),
        ("born", ["1867-11-07", "1867-13-40"], False),
        ("foundingYear", ["1990", "1991", "1992", "1993", "1994"], True),
        ("foundingYear", ["1990", "1991"], False),
        ("postcode", ["1990", "1991", "1992", "1993", "1994"], False),
        ("born", ["19671107", "19671108", "19671109", "19671110", "19671111"], False),
        ("when", ["1990-01", "1990-02", "1990-03", "1990-04", "1990-05"], True),
        ("part", ["1990-01"], False),
    ],
)
def test_which_texts_are_dates(
    put: Put, predicate: str, values: list[str], *, are_dates: bool
) -> None:
    text = "".join(f':n{i} :{predicate} "{value}" .' for i, value in enumerate(values))
    graph = read_graph(put(text + ":n0 :r :x ."))
    assert len(graph.facts) == 1 + are_dates * len(values)
    assert len(graph.attributes) == (not are_dates) * len(values)


def test_common_names_are_names(put: Put) -> None:
    text = """
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> . @prefix v: <http://www.w3.org/2006/vcard/ns#> .
:a foaf:name "Ann" ; foaf:givenName "A." . :b dct:title "B" ; :r :a . :c v:fn "Cy" .
:d xl:prefLabel [ a xl:Label ; xl:literalForm "Dee"@en ] ; xl:altLabel :l . :l xl:literalForm "D" .
:e <http://purl.org/dc/elements/1.1/title> "Eve" . :f foaf:givenName "Fay" .
"""
    graph = read_graph(put(WORDS + text))
    short = {k.removeprefix("http://ex/"): v for k, v in graph.entity_names.items()}
    assert short == {"a": "Ann", "b": "B", "c": "Cy", "d": "Dee", "e": "Eve"}
    assert facts_of(graph) == [("b", "r", "a", None, None)]
    assert sorted(row[2] or "" for row in literals_of(graph) if row[0] == "d") == ["D", "Dee"]


names = st.sampled_from("abcdef")
statements = st.lists(
    st.tuples(
        names, st.sampled_from("rq"), names, st.integers(1990, 1994), st.integers(1995, 1999)
    ),
    min_size=1,
    max_size=8,
    unique=True,
)
OWL = (
    "time:hasTime [ a time:Interval ; time:hasBeginning [ time:inXSDgYear '{b}'^^xsd:gYear ] ; "
    "time:hasEnd [ time:inXSDgYear '{e}'^^xsd:gYear ] ]"
)
DATES = "schema:startDate '{b}'^^xsd:gYear ; schema:endDate '{e}'^^xsd:gYear"
AS_TEXT = {
    "reified": f":s{{n}} rdf:subject :{{h}} ; rdf:predicate :{{r}} ; rdf:object :{{t}} ; {DATES} .",
    "owl": f"[] rdf:subject :{{h}} ; rdf:predicate :{{r}} ; rdf:object :{{t}} ; {OWL} .",
    "annotation": f":{{h}} :{{r}} :{{t}} ~ :s{{n}} . :s{{n}} {DATES} .",
    "singleton": f":{{h}} :p{{n}} :{{t}} . :p{{n}} rdf:singletonPropertyOf :{{r}} ; {DATES} .",
    "role": f":{{h}} :{{r}} [ a schema:Role ; :{{r}} :{{t}} ; {DATES} ] .",
}


@examples(40)
@given(world=statements)
def test_models_agree_on_random_statements(
    tmp_path_factory: pytest.TempPathFactory,
    world: list[tuple[str, str, str, int, int]],
) -> None:
    expected = sorted(((h, r, t, str(b), str(e)) for h, r, t, b, e in world), key=str)
    for model, text in AS_TEXT.items():
        path = tmp_path_factory.mktemp(model) / "g.ttl"
        lines = [
            text.format(h=h, r=r, t=t, b=b, e=e, n=n) for n, (h, r, t, b, e) in enumerate(world)
        ]
        path.write_text(PREFIXES + WORDS + "\n".join(lines))
        assert facts_of(read_graph(path)) == expected, model
