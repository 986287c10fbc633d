"""Pages of wikis in Wikidata's RDF are left out and counted, or kept."""

from __future__ import annotations

from pathlib import Path

from lighttea import read_graph

WIKIDATA = """
@prefix schema: <http://schema.org/> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
wd:Q42 wdt:P31 wd:Q5 ; schema:name "Douglas Adams"@en .
<https://en.wikipedia.org/wiki/Douglas_Adams> a schema:Article ; schema:about wd:Q42 ;
  schema:inLanguage "en" ; schema:isPartOf <https://en.wikipedia.org/> ;
  schema:name "Douglas Adams"@en .
<https://en.wikipedia.org/> wikibase:wikiGroup "wikipedia" .
"""
OWN = """
@prefix schema: <http://schema.org/> .
@prefix : <http://news.example/> .
:story a schema:Article ; schema:about :Ada ; schema:isPartOf :paper .
"""


def test_pages_about_entities_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "q42.ttl"
    path.write_text(WIKIDATA, encoding="utf-8")
    graph = read_graph(path)
    assert list(graph.entities) == [f"http://www.wikidata.org/entity/Q{n}" for n in (42, 5)]
    assert len(graph.facts) == 1
    assert "5 triples about wiki pages left out (`sitelinks=True` keeps them)" in graph.notes
    kept = read_graph(path, sitelinks=True)
    assert len(kept.facts) == 4
    assert "https://en.wikipedia.org/wiki/Douglas_Adams" in kept.entities


def test_articles_elsewhere_stay(tmp_path: Path) -> None:
    path = tmp_path / "news.ttl"
    path.write_text(OWN, encoding="utf-8")
    graph = read_graph(path)
    assert len(graph.facts) == 3
    assert graph.notes == ()
