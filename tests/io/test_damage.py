"""Good files with some bytes changed, moved or lost: read or refused, never anything else."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea import InputError, read_graph
from lighttea.graph.facts import Graph
from lighttea.io.frames import frame_of_graph
from tests.fuzzing import examples
from tests.io.outcomes import outcome

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
NT = (
    "<http://e/a> <http://e/p> <http://e/b> .\n"
    "<< <http://e/a> <http://e/p> <http://e/b> >> <http://schema.org/startDate> "
    f'"1999"^^<{XSD}gYear> .\n'
    f'<http://e/a> <http://e/born> "1967-11-07"^^<{XSD}date> .\n'
    '<http://e/a> <http://www.w3.org/2000/01/rdf-schema#label> "Zürich"@de .\n'
)
TTL = (
    f"@prefix : <http://e/> . @prefix s: <http://schema.org/> . @prefix xsd: <{XSD}> .\n"
    ':a :p :b {| s:startDate "1999"^^xsd:gYear |} ; s:name "Ann"@en ; :q [ :p ( :x :y ) ] .\n'
    '<< :a :p :b >> s:endDate "2001-05"^^xsd:gYearMonth .\n'
)
TIME = {"time": "+1971-00-00T00:00:00Z", "precision": 9, "calendarmodel": "x/Q1985786"}
VALUE = {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": "Q5"}}
CLAIM = {
    "mainsnak": {"snaktype": "value", "datavalue": VALUE},
    "rank": "normal",
    "qualifiers": {
        "P580": [{"snaktype": "value", "datavalue": {"type": "time", "value": TIME}}],
        "P582": [{"snaktype": "somevalue"}],
    },
}
ENTITY = {"id": "Q42", "labels": {"en": {"value": "Ann"}}, "claims": {"P69": [CLAIM]}}
ICEWS = "Event Date\tSource Name\tCAMEO Code\tTarget Name\n2001-02-03\tAnn\t010\tBen\n"
NODE = '{"type":"node","id":"0","properties":{"name":"Ann"}}\n'
RELATIONSHIP = (
    '{"type":"relationship","label":"R","start":{"id":"0"},"end":{"id":"1"},'
    '"properties":{"since":"1999-01-02"}}\n'
)


def parquet() -> bytes:
    file = io.BytesIO()
    pl.DataFrame(
        {"head": ["a", "b"], "relation": ["r", "s"], "tail": ["c", "d"], "time": ["1999", "2001"]}
    ).write_parquet(file)
    return file.getvalue()


GOOD: dict[str, tuple[bytes, str | None]] = {
    "g.nt": (NT.encode(), None),
    "g.nq": (NT.replace("/b> .", "/b> <http://e/2014-05> .").encode(), None),
    "g.ttl": (TTL.encode(), None),
    "g.trig": ((TTL + "GRAPH <http://e/2014> { :a :p :c }").encode(), None),
    "g.rdf": (
        f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x "{XSD}">]>'
        f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="http://e/"><rdf:Description rdf:about="http://e/a">'
        '<e:p rdf:resource="http://e/b"/><e:born rdf:datatype="&x;date">1867-11-07</e:born>'
        "</rdf:Description></rdf:RDF>".encode(),
        None,
    ),
    "g.json": (f"[\n{json.dumps(ENTITY)},\n{json.dumps(ENTITY)}\n]\n".encode(), None),
    "g.tab": (ICEWS.encode(), "icews"),
    "gdelt.csv": (("\t".join(["1", "20150218", *["x"] * 56]) + "\n").encode() * 2, "gdelt"),
    "apoc.json": ((NODE + RELATIONSHIP).encode(), "neo4j"),
    "parts.json": (f'{{"nodes": [{NODE}],\n"rels": [{RELATIONSHIP}]}}'.encode(), None),
    "ftm.json": (
        b'{"id":"a","schema":"Person","properties":{"name":["Ann"]}}\n'
        b'{"id":"o","schema":"Family","properties":{"person":["a"],"relative":["b"],'
        b'"startDate":["1999"]}}\n',
        None,
    ),
    "graphiti.jsonl": (
        b'{"source_node_uuid":"a","target_node_uuid":"b","name":"R","valid_at":"1999-01-02"}\n'
        b'{"uuid":"a","name":"Ann","summary":"x"}\n',
        None,
    ),
    "links.json": (
        b'{"nodes": [{"id": 1}],\n "links": [{"source": 1, "target": 2, "since": 1999}]}',
        None,
    ),
    "popolo.json": (
        b'{"persons": [{"id": "a", "name": "Ann"}], "memberships": [{"person_id": "a",\n'
        b'"organization_id": "o", "start_date": "1999"}]}',
        None,
    ),
    "facts.jsonl": (b'{"head": "a", "relation": "r", "tail": "b", "time": 1999}\n' * 2, None),
    "g.graphml": (
        b'<?xml version="1.0"?>\n<graphml><key id="d" for="edge" attr.name="start"/><graph>\n'
        b'<node id="a"/><edge source="a" target="b"><data key="d">1999</data></edge>\n'
        b"</graph></graphml>",
        None,
    ),
    "apoc.csv": (b'_id,name,_start,_end,_type,since\n"0","A",,,,\n,,"0","1","R","1999"\n', "neo4j"),
    "admin.csv": (b":START_ID,:END_ID(x),:TYPE,since:date\n1,2,R,1999-01-02\n", "neo4j"),
    "g.tsv": ("head\trelation\ttail\tbegin\tend\nÄ\tr\tb\t1999\t2001-02-03\n".encode(), None),
    "g.csv": (b's,p,o,date\n"a, b",r,c,1999-01-02T03:04:05Z\n', None),
    "g.parquet": (parquet(), None),
    "g.nt.gz": (gzip.compress(NT.encode(), mtime=0), None),
    "g.tsv.gz": (gzip.compress(b"a\tr\tb\t1999\n", mtime=0), None),
}
PIECES = st.binary(max_size=3) | st.sampled_from(
    [b'"', b"\n", b"\t", b"<<", b"\x00", b"\xff", b"]"]
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes, str | None]:
    """A good file in which some places were overwritten, filled or cut out, or the end lost."""
    name = draw(st.sampled_from(sorted(GOOD)))
    content, columns = GOOD[name]
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(content)))
        end = draw(st.integers(begin, min(begin + 8, len(content))) | st.just(len(content)))
        content = content[:begin] + draw(PIECES) + content[end:]
    return name, content, columns


@pytest.mark.parametrize("name", sorted(GOOD))
def test_undamaged_they_are_read(tmp_path: Path, name: str) -> None:
    content, columns = GOOD[name]
    path = tmp_path / name
    path.write_bytes(content)
    graph = read_graph(path, columns=columns, strict=True)
    assert len(graph.facts) >= 1


def test_a_parquet_file_that_makes_polars_panic_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("assertion `left == right` failed\n  left: 0")

    path = tmp_path / "g.parquet"
    path.write_bytes(GOOD["g.parquet"][0])
    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(InputError, match=r"g\.parquet: cannot be read as Parquet: .* is damaged"):
        read_graph(path)


@given(damaged())
@example(("g.ttl", b"@prefix : <http://e/> .\n:a :p <\nhttp://e/2014> .", None))
@examples(400)
def test_damaged_files_are_read_or_refused(
    tmp_path: Path, file: tuple[str, bytes, str | None]
) -> None:
    """A strict reader takes a file as the other does and leaves nothing out, or refuses it."""
    name, content, columns = file
    path = tmp_path / name
    path.write_bytes(content)
    lenient, strict = (outcome(path, columns=columns, strict=strict) for strict in (False, True))
    if isinstance(lenient, str):
        assert isinstance(strict, str)
    elif isinstance(strict, Graph):
        assert frame_of_graph(strict).equals(frame_of_graph(lenient))
        assert strict.notes == lenient.notes
    else:
        passed_over = ("left out", "are not understood and count as text")
        assert any(words in note for note in lenient.notes for words in passed_over)
