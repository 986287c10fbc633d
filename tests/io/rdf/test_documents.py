"""Turtle, TriG and RDF/XML: errors stop, and no file exhausts the reader."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat, parse

from lighttea import InputError, read_graph
from lighttea.io.rdf.batches import Batch, Rows
from lighttea.io.rdf.documents import read_document_batches
from tests.fuzzing import examples
from tests.io.rdf.conftest import Put, facts_of

PATH = Path("/x.rdf")
HEAD = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://ex/">'


def test_a_syntax_error_stops_with_its_line(put: Put) -> None:
    path = put(":a :r :b .\n:a :r ! .\n:c :r :d .\n")
    with pytest.raises(InputError, match=rf"{path.name}:6: expected Turtle, found .* not a valid"):
        read_graph(path)


def test_relative_iris_are_those_of_the_file(put: Put) -> None:
    path = put("<#a> :r <#b> .")
    assert read_graph(path).entities == [f"{path.as_uri()}#a", f"{path.as_uri()}#b"]


def test_a_file_reads_the_same_every_time(put: Put) -> None:
    path = put(":a :r [ :q :b ; :q [ :q :c ] ] . :a :r ( :d :e ) .")
    first, second = read_graph(path), read_graph(path)
    assert list(first.entities) == list(second.entities)
    assert facts_of(first) == facts_of(second)
    assert [name for name in first.entities if name.startswith("_:")][:2] == ["_:#1", "_:#2"]


def xml(body: str, doctype: str = "") -> str:
    return f'<?xml version="1.0"?>{doctype}{HEAD}{body}</rdf:RDF>'


def thing(content: str) -> str:
    return f'<rdf:Description rdf:about="http://ex/a"><e:p>{content}</e:p></rdf:Description>'


def test_entities_of_entities_are_refused(put: Put) -> None:
    laughs = '<!ENTITY a0 "lol">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 20)
    )
    path = put(xml(thing("&a19;"), f"<!DOCTYPE x [{laughs}]>"), "g.rdf")
    with pytest.raises(InputError, match=r"found the entity 'a1', which is not a short text"):
        read_graph(path)


@pytest.mark.parametrize(
    "entity", [f'<!ENTITY a "{"x" * 10_000}">', '<!ENTITY a SYSTEM "file:///etc/passwd">']
)
def test_long_and_foreign_entities_are_refused(put: Put, entity: str) -> None:
    path = put(xml(thing("&a;" * 10_000), f"<!DOCTYPE x [{entity}]>"), "g.rdf")
    with pytest.raises(InputError, match=r"found the entity 'a'"):
        read_graph(path)


def test_many_short_entities_in_one_text_are_refused(put: Put) -> None:
    doctype = f'<!DOCTYPE x [<!ENTITY a "{"x" * 200}">]>'
    with pytest.raises(InputError, match=r"a text too long|not well-formed"):
        read_graph(put(xml(thing("&a;" * 1_000_000), doctype), "g.rdf"))


def test_deep_xml_is_refused(put: Put) -> None:
    n = 100_000
    body = "<rdf:Description><e:p>" * n + "</e:p></rdf:Description>" * n
    with pytest.raises(InputError, match="elements nested more than 1,000 deep"):
        read_graph(put(xml(body), "g.rdf"))


def test_a_text_without_end_is_refused(put: Put) -> None:
    with pytest.raises(InputError, match="a text too long"):
        read_graph(put(xml(thing("x" * (40 << 20))), "g.rdf"))
    with pytest.raises(InputError, match="expected Turtle, found a term without end"):
        read_graph(put(':a :r "' + "x" * (40 << 20)))


def test_a_line_of_ten_megabytes_makes_a_short_message(put: Put) -> None:
    for name, content in (("g.ttl", "x" * 10_000_000), ("g.nt", "<" + "x" * 10_000_000)):
        with pytest.raises(InputError) as caught:
            read_graph(put(content, name))
        assert len(str(caught.value)) < 700


def test_xml_is_checked_in_few_pieces(tmp_path: Path) -> None:
    """expat begins anew with each piece of a long token: thousands of them took minutes."""

    class Counted(io.BytesIO):
        n_reads = 0

        def read(self, size: int | None = -1, /) -> bytes:
            self.n_reads += 1
            return super().read(size)

    stream = Counted(b"x" * 10_000_000)
    with pytest.raises(InputError, match="not well-formed"):
        list(read_document_batches(tmp_path / "g.rdf", stream, "rdfxml"))
    assert stream.n_reads < 50


def test_xml_that_is_cut_or_no_xml_is_refused(put: Put) -> None:
    with pytest.raises(InputError, match=r"g\.rdf:1: expected RDF/XML, found XML that is not well"):
        read_graph(put(xml(thing("x"))[:-20], "g.rdf"))
    with pytest.raises(InputError, match="not well-formed"):
        read_graph(put("a,b,c\n", "g.rdf"))


def test_quotes_nested_without_measure_are_refused(put: Put) -> None:
    deep = ":a :r " + "<<( :a :r " * 100_000 + ":c" + " )>>" * 100_000 + " ."
    with pytest.raises(InputError, match="quoted more than 50 deep"):
        read_graph(put(deep))


def test_nested_blank_nodes_and_lists_are_read(put: Put) -> None:
    n = 20_000
    graph = read_graph(put(":a :b " + "[ :p " * n + ":x" + " ]" * n + " ."))
    assert len(graph.facts) == n + 1


def test_a_file_without_facts_is_refused(put: Put) -> None:
    with pytest.raises(InputError, match="no facts in 1 triples; expected triples that link"):
        read_graph(put(':a :name " " .'))
    with pytest.raises(InputError, match="no facts in 0 triples"):
        read_graph(put(""))


pieces = st.sampled_from(
    [
        *[
            ":a",
            ":r",
            "<http://ex/b>",
            "_:x",
            '"t"',
            '"2001"^^xsd:gYear',
            "<<",
            ">>",
            "<<(",
            ")>>",
            ".",
            ";",
            ",",
            "[",
            "]",
            "(",
            ")",
            "{|",
            "|}",
        ],
        *[
            "{",
            "}",
            "~",
            "a",
            "@prefix",
            "GRAPH",
            "'''",
            "schema:startDate",
            "rdf:reifies",
            "5",
            "true",
            "\ufeff",
            "\x00",
            "ä",
        ],
        "#\n",
    ]
)


def by_pyoxigraph(content: bytes, form: RdfFormat) -> Batch | None:
    """What the parser itself makes of a whole document; None where it refuses it."""
    rows = Rows(has_anonymous=True)
    try:
        for quad in parse(content, form, base_iri=PATH.as_uri()):
            rows.add(quad)
    except SyntaxError:
        return None
    return rows.take()


def by_lighttea(content: bytes, form: str) -> Batch | str:
    """The only batch, or the words that refuse the document."""
    try:
        (batch,) = read_document_batches(PATH, io.BytesIO(content), form)
    except InputError as error:
        return str(error)
    return batch


def check_same(batch: Batch | str, expected: Batch | None) -> None:
    """All triples that the parser finds are there, and none where it finds an error."""
    if isinstance(batch, str):
        assert re.match(rf"{PATH}(:\d+)?: expected (Turtle|TriG|RDF/XML), found ", batch)
        return
    assert expected is not None
    assert batch.nodes.equals(expected.nodes)
    assert batch.literals.equals(expected.literals)
    assert batch.reified.equals(expected.reified)


@pytest.mark.parametrize("form", ["turtle", "trig"])
@examples(200)
@given(words=st.lists(pieces, max_size=14))
@example(words=[":a", ":r", "<http://ex/b>", "{|", "schema:startDate", '"t"', "|}", "."])
@example(words=["<<", ":a", ":r", "5", ">>", ":r", "[", ":r", "(", ":a", ")", "]", "."])
@example(words=["GRAPH", "_:x", "{", ":a", ":r", "_:x", "}"])
def test_words_at_random_are_read_or_refused(form: str, words: list[str]) -> None:
    prefixes = "@prefix : <http://ex/> . @prefix schema: <http://schema.org/> ."
    content = f"{prefixes} {' '.join(words)}".encode()
    batch = by_lighttea(content, form)
    expected = by_pyoxigraph(content, {"turtle": RdfFormat.TURTLE, "trig": RdfFormat.TRIG}[form])
    assert isinstance(batch, str) == (expected is None)
    check_same(batch, expected)


@examples(150)
@given(content=st.one_of(st.binary(max_size=80), st.text(max_size=40).map(thing).map(xml)))
@example(content=xml(thing("Ann")))
@example(content=xml(thing('<rdf:Description rdf:about="http://ex/b"/>')))
def test_xml_at_random_is_read_or_refused(content: bytes | str) -> None:
    """expat, which reads along, refuses some documents that the parser would take."""
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    check_same(by_lighttea(raw, "rdfxml"), by_pyoxigraph(raw, RdfFormat.RDF_XML))
