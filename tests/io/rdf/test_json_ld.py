"""JSON-LD and N3: the same graph as in Turtle, guarded, and nothing fetched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lighttea import InputError, read_graph
from tests.io.rdf.conftest import Put, facts_of, literals_of

CONTEXT = {"@vocab": "http://ex/", "xsd": "http://www.w3.org/2001/XMLSchema#"}


def put_json(put: Put, content: object, name: str = "g.jsonld") -> Path:
    return put(json.dumps(content), name)


def test_json_ld_is_read(put: Put) -> None:
    content = {
        "@context": {**CONTEXT, "since": {"@type": "xsd:gYear"}, "employer": {"@type": "@id"}},
        "@graph": [
            {
                "@id": "http://ex/ada",
                "name": {"@value": "Ada", "@language": "en"},
                "job": {"employer": "http://ex/post", "since": "1999", "until": "2004"},
                "born": {"@value": "1970-01-02", "@type": "xsd:date"},
            }
        ],
    }
    for name in ("g.jsonld", "g.jsonld.gz"):
        path = put_json(put, content, name)
        if name.endswith(".gz"):
            import gzip

            path.write_bytes(gzip.compress(path.read_bytes()))
        graph = read_graph(path)
        assert facts_of(graph) == [
            ("ada", "born", "ada", "1970-01-02", "1970-01-02"),
            ("ada", "employer", "post", "1999", "2004"),
        ]
        assert literals_of(graph) == [("ada", "name", "Ada", "langString", "en", None, None)]


def test_named_graphs_of_json_ld_give_a_time(put: Put) -> None:
    content = {
        "@context": CONTEXT,
        "@id": "http://ex/g/2014",
        "@graph": [{"@id": "http://ex/a", "r": {"@id": "http://ex/b"}}],
    }
    path = put_json(put, content, "graph.json")
    graph = read_graph(path, format="jsonld")
    assert facts_of(graph) == [("a", "r", "b", "2014", "2014")]


@pytest.mark.parametrize(
    "context", ["https://schema.org", ["https://schema.org"], {"@import": "https://ex/c"}]
)
def test_a_remote_context_is_not_fetched(put: Put, context: object) -> None:
    path = put_json(put, {"@context": context, "@id": "http://ex/a", "name": "A"})
    with pytest.raises(InputError) as caught:
        read_graph(path)
    assert str(caught.value) == (
        f"{path}: expected an @context inside the file, found a link to one, and nothing is "
        "fetched from the web; put the content of the context in place of the link, or convert the "
        "file to N-Quads"
    )


@pytest.mark.parametrize("content", ['{"@id":', "x", '{"a" "b"}', '{"@id": 5}', "\x00"])
def test_an_error_stops(put: Put, content: str) -> None:
    with pytest.raises(InputError, match=r"g\.jsonld(:1)?: expected JSON-LD, found an error"):
        read_graph(put(content, "g.jsonld"))


@pytest.mark.parametrize(
    "content",
    [
        '{"http://ex/p":' * 60_000 + "{}" + "}" * 60_000,
        '{"@context":{"@vocab":"http://ex/"},"p":' * 30_000 + "1" + "}" * 30_000,
        '{"http://ex/p":[' * 20_000,
    ],
)
def test_deep_json_is_refused(put: Put, content: str) -> None:
    with pytest.raises(InputError, match="JSON nested more than 500 deep"):
        read_graph(put(content, "g.jsonld"))


def test_brackets_in_texts_are_no_depth(put: Put) -> None:
    text = '\\"[{' * 5_000 + "\\\\"
    line = '{"@id":"http://ex/a%d","http://ex/p":"%s","http://ex/r":{"@id":"http://ex/b"}}'
    content = "[" + ",\n".join(line % (n, text) for n in range(20)) + "]"
    graph = read_graph(put(content, "g.jsonld"))
    assert len(graph.facts) == 20
    assert len(graph.attributes) == 20


def test_a_text_without_end_is_refused(put: Put) -> None:
    with pytest.raises(InputError, match="expected JSON-LD, found a term without end"):
        read_graph(put('{"http://ex/p":"' + "x" * (40 << 20), "g.jsonld"))


def test_n3_is_read_without_what_formulas_say(put: Put) -> None:
    text = """\
@prefix : <http://ex/> .
:a :r :b . :a = :c . :b :name "B" .
{ :a :r :d } => { :a :r :e } . :z :says { :a :r :f } .
"""
    graph = read_graph(put(text, "g.n3"))
    assert facts_of(graph) == [
        ("a", "http://www.w3.org/2002/07/owl#sameAs", "c", None, None),
        ("a", "r", "b", None, None),
    ]
    note = "5 triples inside or about N3 formulas ignored: they are not asserted"
    assert note in graph.notes
    with pytest.raises(InputError, match=r"g\.n3.*: expected N3, found an error variables are not"):
        read_graph(put("@prefix : <http://ex/> . ?x :r :b .", "g.n3"))
