"""N-Triples and N-Quads: what is taken in bulk is what pyoxigraph reads; wrong lines are said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyoxigraph import NamedNode, RdfFormat, parse

from lighttea import InputError, read_graph
from lighttea.io.problems import Problems
from lighttea.io.rdf.batches import Rows
from lighttea.io.rdf.lines import parse_line, read_line_batches, split_plain_lines
from lighttea.io.rdf.vocabulary import RDF
from lighttea.io.streams import LONGEST_LINE
from tests.fuzzing import examples
from tests.io.rdf.conftest import Put, facts_of

FORMATS = {"ntriples": RdfFormat.N_TRIPLES, "nquads": RdfFormat.N_QUADS}

# pieces of lines, right and nearly right, to be put together at random
iris = st.sampled_from(
    [
        *[
            "http://ex/a",
            "http://ex/ä?q=1#f",
            "urn:isbn:1",
            "http://ex/%41",
            "http://ex/%4",
            "ex",
            "a:",
            "a:?",
            "a:/b",
        ],
        *[
            "http://ex:80/a",
            "http://u@ex/a",
            "http://ex/a#b#c",
            "http://[::1]/",
            "//",
            "x:y:z",
            "HTTP://EX/",
        ],
        *[
            r"http://ex/\u00e9",
            r"http://ex/a|b",
            r"1a:b",
            r"http://ex//b",
            r"http://ex/a?b?c",
            r"http:///a",
        ],
        *("http://ex/\ue000", "http://ex/\U0001f600", "http://", "", "http://ex/a b"),
    ]
)
nodes = st.one_of(
    iris.map(lambda iri: f"<{iri}>"),
    st.sampled_from(["_:a", "_:a.b", "_:a.", "_:1", "_:", "_:a-b", "_:ä", "_:00ff", "_:b1", "a"]),
)
texts = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from('"\\\\ \t\x00\r')), max_size=5
)
languages = st.sampled_from(["en", "en-GB", "e", "eng", "abcd", "en-", "en--ltr", "x-y", "zh-Hans"])
literals = st.one_of(
    texts.map(lambda text: f'"{text}"'),
    st.tuples(texts, languages).map(lambda pair: f'"{pair[0]}"@{pair[1]}'),
    st.tuples(texts, iris).map(lambda pair: f'"{pair[0]}"^^<{pair[1]}>'),
    st.sampled_from([f'"a"^^<{RDF}langString>', '"a" ^^<http://ex/d>', '"\\u0041\\n"@en']),
)
spaces = st.sampled_from(["", " ", "\t ", "\r", "\u00a0", "\x0b"])
ends = st.sampled_from([" .", ".", " . ", " . # end", "", " ..", " .\r", ". x"])
lines = st.tuples(
    spaces, nodes, spaces, nodes, spaces, st.one_of(nodes, literals), spaces, ends
).map("".join)
quads = st.tuples(
    spaces, nodes, spaces, nodes, spaces, st.one_of(nodes, literals), spaces, nodes, ends
).map("".join)


def by_pyoxigraph(line: str, form: str) -> list[tuple[Any, ...]] | None:
    rows = Rows(has_anonymous=False)
    try:
        for quad in parse(line, FORMATS[form]):
            rows.add(quad)
    except SyntaxError:
        return None
    batch = rows.take()
    return [*batch.nodes.rows(), *batch.literals.rows()]


@pytest.mark.parametrize("form", ["ntriples", "nquads"])
@examples(600)
@given(line=st.one_of(lines, quads))
@example(line='<http://ex/a><http://ex/b>"x"@en-GB.')
@example(line="_:a <http://ex/b> _:c.")
def test_what_is_taken_in_bulk_pyoxigraph_reads_the_same(form: str, line: str) -> None:
    batch, odd = split_plain_lines(pl.Series([line]), form)
    if len(odd):
        return
    taken = [*batch.nodes.rows(), *batch.literals.rows()]
    expected = by_pyoxigraph(line, form)
    assert expected is not None, "pyoxigraph refuses this line"
    assert taken == expected


def test_usual_lines_are_taken_in_bulk() -> None:
    usual = [
        "<http://www.wikidata.org/entity/Q42> <http://www.wikidata.org/prop/direct/P26> "
        "<http://www.wikidata.org/entity/Q1> .",
        "<http://dbpedia.org/resource/Zürich_(city)> <http://ex/p#q> _:b0 .",
        '<http://ex/a> <http://ex/p> "a b"@de-CH .',
        '<http://ex/a> <http://ex/p> "1"^^<http://www.w3.org/2001/XMLSchema#gYear> .\r',
        "_:b0\t<http://ex/p>\t<urn:x:1>\t.",
    ]
    for form in FORMATS:
        batch, odd = split_plain_lines(pl.Series(usual), form)
        assert len(batch) == len(usual)
        assert not len(odd)
    batch, odd = split_plain_lines(
        pl.Series([usual[0][:-1] + "_:g .", usual[1][:-1] + "<a:b>."]), "nquads"
    )
    assert batch.nodes["graph"].to_list() == ["_:g", "a:b"]


@examples(150)
@given(content=st.lists(st.one_of(st.binary(max_size=60), lines.map(str.encode)), max_size=12))
def test_no_content_brings_the_reader_down(content: list[bytes]) -> None:
    import io

    problems = Problems(strict=False)
    stream = io.BytesIO(b"\n".join(content))
    for batch in read_line_batches(Path("x.nt"), stream, "ntriples", problems):
        assert batch.nodes["subject"].null_count() == 0
        assert batch.nodes["object"].null_count() == 0
    assert all(one.startswith("x.nt:") for one in problems.first)


GOOD = "<http://ex/a> <http://ex/r> <http://ex/b> ."


def test_wrong_lines_are_counted_and_shown(put: Put) -> None:
    bad = ["rubbish", "<a> <b> <c> .", '<http://ex/a> <http://ex/r> "open .', GOOD + GOOD]
    path = put("\n".join([GOOD, "", "# comment", *bad, GOOD]), "g.nt")
    graph = read_graph(path)
    assert facts_of(graph) == [("a", "r", "b", None, None)] * 2
    (note,) = graph.notes
    assert note.startswith("4 malformed lines left out (`strict=True` stops at them): ")
    assert f'{path}:4: expected a triple and a full stop, found "rubbish": ' in note
    with pytest.raises(InputError) as caught:
        read_graph(path, strict=True)
    said = str(caught.value).splitlines()
    assert [line.split(": ")[0] for line in said] == [f"{path}:{n}" for n in (4, 5, 6, 7)]


def test_twenty_wrong_lines_are_shown_then_strict_stops(put: Put) -> None:
    path = put("\n".join([GOOD] + ["x"] * 30), "g.nt")
    with pytest.raises(InputError) as caught:
        read_graph(path, strict=True)
    shown = str(caught.value).splitlines()
    assert len(shown) == 21
    assert shown[-1] == "... and more; reading stopped there"  # how many more is not known
    assert read_graph(path).notes[0].startswith("30 malformed lines")


def test_rubbish_is_refused_soon(put: Put) -> None:
    with pytest.raises(
        InputError, match=r"g\.nt:1: expected a triple and a full stop, found \"x 0"
    ):
        read_graph(put("\n".join(f"x {n}" for n in range(2_000)), "g.nt"))
    with pytest.raises(InputError, match=r"bytes that are no UTF-8|expected a triple"):
        read_graph(put(bytes(range(256)) * 50, "g.nt"))


def test_lines_in_another_encoding_are_left_out(put: Put) -> None:
    latin = '<http://ex/a> <http://www.w3.org/2000/01/rdf-schema#label> "Zürich" .'.encode(
        "latin-1"
    )
    path = put(b"\xef\xbb\xbf" + GOOD.encode() + b"\n" + latin + b"\n" + GOOD.encode(), "g.nt")
    graph = read_graph(path)
    assert len(graph.facts) == 2
    assert f"{path}:2: expected a triple" in graph.notes[0]
    assert 'found "<http://ex/a> <http' in graph.notes[0]  # all of the line
    assert "bytes that are not UTF-8" in graph.notes[0]


def test_a_long_line_is_read_and_a_longer_one_left_out(put: Put) -> None:
    label = "<http://ex/a> <http://www.w3.org/2000/01/rdf-schema#label>"
    text = f'{GOOD}\n{label} "{"x" * 10_000_000}" .\n{GOOD}\n'
    assert len(read_graph(put(text, "g.nt")).entity_names["http://ex/a"]) == 10_000_000
    text = f'{GOOD}\n{label} "{"x" * (LONGEST_LINE * 2)}" .\n{GOOD}\n{GOOD}\nbad'
    graph = read_graph(put(text, "g.nt"))
    assert len(graph.facts) == 3
    assert graph.entity_names == {}
    assert graph.notes[0].startswith("2 malformed lines")
    assert "found a line longer than 16 MiB" in graph.notes[0]
    assert "g.nt:5: " in graph.notes[0]


def test_quotes_nested_without_measure_are_refused(put: Put) -> None:
    deep = "<http://ex/a> <http://ex/r> " + "<<( <http://ex/a> <http://ex/r> " * 100_000
    deep += "<http://ex/c>" + " )>>" * 100_000 + " ."
    graph = read_graph(put(f"{GOOD}\n{deep}\n", "g.nt"))
    assert "triples quoted more than 50 deep" in graph.notes[0]


def test_lines_split_over_blocks_are_whole(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    import lighttea.io.rdf.lines as module
    from lighttea.io.streams import line_blocks

    text = "\n".join(GOOD.replace("/b", f"/b{n}") for n in range(200)) + "\nbad"
    whole = read_graph(put(text, "g.nt"))
    monkeypatch.setattr(module, "line_blocks", lambda stream: line_blocks(stream, 64))
    again = read_graph(put(text, "g.nt"))
    assert facts_of(again) == facts_of(whole)
    assert len(whole.facts) == 200
    assert again.notes == whole.notes
    assert "g.nt:201: " in whole.notes[0]


def test_a_line_of_a_graph_is_no_triple() -> None:
    """Both kinds of lines go to the parser of their own format where they are not plain."""
    quad = '<http://ex/a> <http://ex/b> "c\\u0041"@en <http://ex/g> .'
    with pytest.raises(SyntaxError):
        parse_line(quad, "ntriples")
    (found,) = parse_line(quad, "nquads")
    assert found.graph_name == NamedNode("http://ex/g")
