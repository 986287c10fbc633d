"""Small samples in the layouts that publishers use."""

from __future__ import annotations

import gzip

from lighttea import read_graph
from tests.io.rdf.conftest import Put, facts_of

WIKIDATA = """\
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix schema: <http://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix cc: <http://creativecommons.org/ns#> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix data: <https://www.wikidata.org/wiki/Special:EntityData/> .
@prefix s: <http://www.wikidata.org/entity/statement/> .
@prefix ref: <http://www.wikidata.org/reference/> .
@prefix v: <http://www.wikidata.org/value/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix psv: <http://www.wikidata.org/prop/statement/value/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix pqv: <http://www.wikidata.org/prop/qualifier/value/> .
@prefix pr: <http://www.wikidata.org/prop/reference/> .
@prefix wdno: <http://www.wikidata.org/prop/novalue/> .

data:Q42 a schema:Dataset ;
    schema:about wd:Q42 ;
    cc:license <http://creativecommons.org/publicdomain/zero/1.0/> ;
    schema:dateModified "2023-05-01T12:00:00Z"^^xsd:dateTime ;
    wikibase:statements "4"^^xsd:integer .
wd:Q42 a wikibase:Item ;
    rdfs:label "Douglas Adams"@en , "道格拉斯·亞當斯"@zh ;
    skos:prefLabel "Douglas Adams"@en ;
    schema:description "English writer"@en ;
    wdt:P26 wd:Q14623681 ;
    wdt:P31 wd:Q5 ;
    wdt:P569 "1952-03-11T00:00:00Z"^^xsd:dateTime ;
    wdt:P570 "2001-01-01T00:00:00Z"^^xsd:dateTime ;
    wdt:P22 <http://www.wikidata.org/.well-known/genid/abc> ;
    p:P26 s:Q42-spouse ;
    p:P31 s:Q42-human ;
    p:P69 s:Q42-school , s:Q42-wrong ;
    p:P570 s:Q42-death ;
    p:P40 s:Q42-nobody ;
    p:P22 s:Q42-father .
s:Q42-father a wikibase:Statement ; wikibase:rank wikibase:NormalRank ; ps:P22 _:somebody ;
    pq:P580 "1952-03-11T00:00:00Z"^^xsd:dateTime .
s:Q42-spouse a wikibase:Statement , wikibase:BestRank ;
    wikibase:rank wikibase:NormalRank ;
    ps:P26 wd:Q14623681 ;
    pq:P580 "1991-11-25T00:00:00Z"^^xsd:dateTime ;
    pqv:P580 v:full ;
    pq:P582 "2001-05-11T00:00:00Z"^^xsd:dateTime ;
    pq:P2842 wd:Q84 ;
    prov:wasDerivedFrom ref:one .
s:Q42-human a wikibase:Statement ; wikibase:rank wikibase:NormalRank ; ps:P31 wd:Q5 .
s:Q42-school a wikibase:Statement ; wikibase:rank wikibase:PreferredRank ; ps:P69 wd:Q691283 ;
    pq:P580 "1971-01-01T00:00:00Z"^^xsd:dateTime ; pqv:P580 v:year ;
    pq:P582 "1970-01-01T00:00:00Z"^^xsd:dateTime ; pqv:P582 v:decade .
s:Q42-wrong a wikibase:Statement ; wikibase:rank wikibase:DeprecatedRank ; ps:P69 wd:Q999 ;
    pq:P580 "1965-01-01T00:00:00Z"^^xsd:dateTime .
s:Q42-death a wikibase:Statement ; wikibase:rank wikibase:NormalRank ;
    ps:P570 "2001-01-01T00:00:00Z"^^xsd:dateTime ; psv:P570 v:month .
s:Q42-nobody a wikibase:Statement , wdno:P40 ; wikibase:rank wikibase:NormalRank .
ref:one a wikibase:Reference ; pr:P248 wd:Q5375741 ;
    pr:P813 "2013-12-07T00:00:00Z"^^xsd:dateTime .
v:full a wikibase:TimeValue ; wikibase:timeValue "1991-11-25T00:00:00Z"^^xsd:dateTime ;
    wikibase:timePrecision "11"^^xsd:integer ; wikibase:timeTimezone "0"^^xsd:integer ;
    wikibase:timeCalendarModel wd:Q1985727 .
v:year a wikibase:TimeValue ; wikibase:timeValue "1971-01-01T00:00:00Z"^^xsd:dateTime ;
    wikibase:timePrecision "9"^^xsd:integer ; wikibase:timeCalendarModel wd:Q1985727 .
v:month a wikibase:TimeValue ; wikibase:timeValue "2001-01-01T00:00:00Z"^^xsd:dateTime ;
    wikibase:timePrecision "10"^^xsd:integer ; wikibase:timeCalendarModel wd:Q1985727 .
v:decade a wikibase:TimeValue ; wikibase:timeValue "1970-01-01T00:00:00Z"^^xsd:dateTime ;
    wikibase:timePrecision "8"^^xsd:integer ; wikibase:timeCalendarModel wd:Q1985727 .
wd:P26 a wikibase:Property ; rdfs:label "spouse"@en ; wikibase:directClaim wdt:P26 .
"""
WD, WDT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
ADAMS = f"{WD}Q42"


def test_wikidatas_statement_nodes(put: Put) -> None:
    graph = read_graph(put(WIKIDATA, prefixes=False))
    assert facts_of(graph) == [
        (ADAMS, f"{WDT}P26", f"{WD}Q14623681", "1991-11-25", "2001-05-11"),
        (ADAMS, f"{WDT}P31", f"{WD}Q5", None, None),
        (ADAMS, f"{WDT}P569", ADAMS, "1952-03-11", "1952-03-11"),
        (ADAMS, f"{WDT}P570", ADAMS, "2001-01", "2001-01"),
        (ADAMS, f"{WDT}P69", f"{WD}Q691283", "1971", None),
    ]
    assert graph.entity_names == {ADAMS: "Douglas Adams"}
    assert graph.relation_names == {f"{WDT}P26": "spouse"}
    assert "1 times known only to the decade or coarser taken as unknown" in graph.notes
    assert "1 statements of deprecated rank left out" in graph.notes


def test_two_statements_of_one_triple_stay_apart(put: Put) -> None:
    text = """\
@prefix x: <http://base/prop/> . @prefix ps: <http://base/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> . @prefix : <http://base/entity/> .
:Q1 x:P39 :s1 , :s2 . :s1 ps:P39 :Q2 ; pq:P580 "1990" . :s2 ps:P39 :Q2 ; pq:P582 "2000" .
"""
    fact = ("http://base/entity/Q1", "http://base/prop/direct/P39", "http://base/entity/Q2")
    assert facts_of(read_graph(put(text, prefixes=False))) == [
        (*fact, "1990", None),
        (*fact, None, "2000"),
    ]


def test_predicates_that_only_look_like_wikibase_link_entities(put: Put) -> None:
    text = "<http://ex/a> <http://ex/prop/P1> <http://ex/b> .\n"
    direct = "prop/direct/P1"
    assert facts_of(read_graph(put(text, "g.nt"))) == [("a", direct, "b", None, None)]


TRUTHY = """\
<http://www.wikidata.org/entity/Q31> <http://www.wikidata.org/prop/direct/P36> \
<http://www.wikidata.org/entity/Q239> .
<http://www.wikidata.org/entity/Q31> <http://www.wikidata.org/prop/direct/P571> \
"1830-10-04T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
<http://www.wikidata.org/entity/Q31> <http://www.wikidata.org/prop/direct/P1082> \
"+11431406"^^<http://www.w3.org/2001/XMLSchema#decimal> .
<http://www.wikidata.org/entity/Q31> <http://www.wikidata.org/prop/direct/P22> \
_:0a1b2c3d4e5f .
<http://www.wikidata.org/entity/Q31> <http://www.w3.org/2000/01/rdf-schema#label> \
"\\u0628\\u0644\\u062C\\u064A\\u0643\\u0627"@ar .
<http://www.wikidata.org/entity/Q31> <http://www.w3.org/2000/01/rdf-schema#label> "Belgium"@en .
<http://www.wikidata.org/entity/Q31> <http://www.wikidata.org/prop/direct-normalized/P646> \
<http://g.co/kg/m/0154j> .
"""


def test_wikidatas_truthy_dump(put: Put) -> None:
    graph = read_graph(put(TRUTHY, "truthy.nt"))
    belgium = f"{WD}Q31"
    assert facts_of(graph) == [
        (belgium, f"{WDT}P36", f"{WD}Q239", None, None),
        (belgium, f"{WDT}P571", belgium, "1830-10-04", "1830-10-04"),
    ]
    assert graph.entity_names == {belgium: "Belgium"}
    assert "1 facts with an unknown value (a blank node in Wikidata) left out" in graph.notes
    assert len(graph.attributes) == 3


YAGO = """\
<< <http://yago-knowledge.org/resource/Elvis_Presley> <http://schema.org/spouse> \
<http://yago-knowledge.org/resource/Priscilla_Presley> >>\t<http://schema.org/startDate>\t\
"1967-05-01"^^<http://www.w3.org/2001/XMLSchema#date> .
<< <http://yago-knowledge.org/resource/Elvis_Presley> <http://schema.org/spouse> \
<http://yago-knowledge.org/resource/Priscilla_Presley> >>\t<http://schema.org/endDate>\t\
"1973-10-09"^^<http://www.w3.org/2001/XMLSchema#date> .
<<<http://yago-knowledge.org/resource/Elvis_Presley> <http://schema.org/award> \
<http://yago-knowledge.org/resource/Grammy>>> <http://schema.org/startDate> \
"1972"^^<http://www.w3.org/2001/XMLSchema#gYear> .
"""


def test_yagos_annotated_facts(put: Put) -> None:
    graph = read_graph(put(YAGO, "yago-wd-annotated-facts.ntx"))
    yago = "http://yago-knowledge.org/resource/"
    assert facts_of(graph) == [
        (f"{yago}Elvis_Presley", "http://schema.org/award", f"{yago}Grammy", "1972", None),
        (
            *(f"{yago}Elvis_Presley", "http://schema.org/spouse", f"{yago}Priscilla_Presley"),
            *("1967-05-01", "1973-10-09"),
        ),
    ]
    assert graph.notes == ()


def test_annotations_with_prefixes(put: Put) -> None:
    text = """\
# annotations
@prefix yago: <http://ex/> .
@prefix schema: <http://schema.org/> .
<< yago:a schema:spouse yago:b >>\tschema:startDate\t"1967" .
<< yago:a schema:spouse yago:b >>\tschema:endDate\t"1973" .
"""
    wanted = [("a", "http://schema.org/spouse", "b", "1967", "1973")]
    assert facts_of(read_graph(put(text, "yago-meta-facts.ntx"))) == wanted
    assert facts_of(read_graph(put(gzip.compress(text.encode()), "facts.nq.gz"))) == wanted


def test_names_prefer_untagged_and_english(put: Put) -> None:
    text = """\
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:a :r :b , :c , :d . :d :r :e .
:a rdfs:label "Aachen"@de , "Aix"@fr , "Aachen city"@en-GB ; skos:prefLabel "A"@en .
:b rdfs:label "Bee"@de , "Be"@fr , "Ba"@de .
:c <https://schema.org/name> "Cee" , "Cea" . :d <http://schema.org/name> :node .
:r rdfs:label "relates"@en .
"""
    graph = read_graph(put(text))
    short = {k.removeprefix("http://ex/"): v for k, v in graph.entity_names.items()}
    assert short == {"a": "A", "b": "Ba", "c": "Cea"}
    assert graph.relation_names == {"http://ex/r": "relates"}
    swapped = text.replace('"Bee"@de , "Be"@fr , "Ba"@de', '"Ba"@de , "Be"@fr , "Bee"@de')
    assert read_graph(put(swapped)).entity_names == graph.entity_names


def test_rdf_xml_and_blank_nodes(put: Put) -> None:
    text = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY ex "http://ex/">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="&ex;">
  <rdf:Description rdf:about="&ex;a">
    <e:r rdf:resource="http://ex/b"/>
    <e:r rdf:nodeID="n"/>
    <e:r><rdf:Description><e:q rdf:resource="http://ex/c"/></rdf:Description></e:r>
  </rdf:Description>
</rdf:RDF>"""
    rows = facts_of(read_graph(put(text, "graph.rdf")))
    assert rows == [
        ("_:#1", "q", "c", None, None),
        ("a", "r", "_:#1", None, None),
        ("a", "r", "_:n", None, None),
        ("a", "r", "b", None, None),
    ]
