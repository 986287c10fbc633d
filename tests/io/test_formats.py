"""What a file is, is seen in its content; what is unknown is said in one sentence."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea import InputError, read_graph
from lighttea.cli import run_command
from lighttea.io.formats import FORMATS, FORMATS_BY_NAME
from lighttea.io.graphs import detect_format, recognise_format
from tests.fuzzing import examples
from tests.io.outcomes import outcome

ROOT = Path(__file__).parent.parent.parent
PERSON = {"id": "p1", "schema": "Person", "properties": {"name": ["Ada"]}}
ENTITY = {"id": "Q1", "labels": {"en": {"language": "en", "value": "x"}}, "claims": []}
NODE = {"type": "node", "id": "0", "properties": {"name": "Ada"}}
EDGE = {"source_node_uuid": "a", "target_node_uuid": "b", "name": "KNOWS", "fact": "a knows b"}
FACT = {"head": "a", "relation": "r", "tail": "b"}
LINKED = {"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2}]}
POPOLO = {"persons": [{"id": "1", "name": "Ada"}], "memberships": []}
XML = '<?xml version="1.0"?>\n<!-- made by hand -->\n'
CONTENTS = {
    "wikidata": [ENTITY],
    "followthemoney": [PERSON],
    "neo4j": [NODE],
    "graphiti": [EDGE],
    "json": [FACT],
    "node-link": LINKED,
    "popolo": POPOLO,
    "jsonld": {"@context": {}, "@id": "http://e/a", "http://e/p": {"@id": "http://e/b"}},
}


def zipped(content: bytes) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("inside.json", content)
    return memory.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zip": zipped,
}


@pytest.mark.parametrize("form", CONTENTS)
@pytest.mark.parametrize("name", ["g.json", "g.jsonl", "g.ndjson", "g", "g.dump"])
@pytest.mark.parametrize("indent", [None, 1])
def test_json_is_recognised(tmp_path: Path, form: str, name: str, indent: int | None) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(CONTENTS[form], indent=indent), encoding="utf-8")
    assert detect_format(path) == form
    assert len(read_graph(path, strict=True).entities) >= 1


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("form", ["followthemoney", "json"])
def test_content_is_seen_through_compression(tmp_path: Path, form: str, suffix: str) -> None:
    path = tmp_path / f"g.json{suffix}"
    path.write_bytes(PACKERS[suffix](json.dumps(CONTENTS[form]).encode()))
    assert detect_format(path) == form
    assert len(read_graph(path).entities) >= 1


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (XML + '<graphml xmlns="x"><graph/></graphml>', "graphml"),
        (XML + '<!DOCTYPE r [<!ENTITY x "y">]>\n<rdf:RDF xmlns:rdf="x"/>', "rdfxml"),
        ("<http://e/a> <http://e/p> <http://e/b> .\n", "ntriples"),
        ('# hello\n_:a <http://e/p> "x y"@en .\n', "ntriples"),
        ("<http://e/a> <http://e/p> <http://e/b> <http://e/g> .\n", "nquads"),
        ("@prefix : <http://e/> .\n:a :p :b .\n", "turtle"),
        ("PREFIX e: <http://e/>\ne:a e:p e:b .\n", "turtle"),
        ("a\tr\tb\n", "table"),
        ("{a}\tr\tb\n", "table"),
        ("[a]\tr\tb\n", "table"),
        ("<a>\t<r>\t<b>\n", "table"),
    ],
)
@pytest.mark.parametrize("name", ["g", "g.data"])
def test_other_content_is_recognised(tmp_path: Path, text: str, form: str, name: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert detect_format(path) == form


@pytest.mark.parametrize(
    "header", ["_id,_labels,name,_start,_end,_type", '":START_ID";":END_ID";":TYPE"']
)
def test_csv_of_neo4j_is_recognised(tmp_path: Path, header: str) -> None:
    path = tmp_path / "g.csv"
    path.write_text(header + "\n", encoding="utf-8")
    assert detect_format(path) == "neo4j"


def test_the_given_format_wins(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_text("a\tr\tb\n", encoding="utf-8")
    assert len(read_graph(path, format="table").facts) == 1
    named = tmp_path / "g.nt"
    named.write_text(json.dumps(FACT), encoding="utf-8")
    assert len(read_graph(named, format="json").facts) == 1


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('{"foo": 1, "bar": [1, 2]}', "an object with the keys foo, bar; "),
        ('[{"foo": 1}, {"bar": 2}]', "an array of objects with the keys foo; "),
        ('{"foo": 1}\n{"bar": 2}', "objects with the keys foo, bar; "),
        ("[1, 2]", "an array of values; "),
        ("{}", "an object without keys; "),
        (json.dumps({f"key {n}": n for n in range(50)}), "key 10, key 11, ...; "),
        (json.dumps([{"foo": n} for n in range(3_000)]), "an array of objects with the keys foo; "),
    ],
)
def test_unknown_json_is_refused_in_one_sentence(tmp_path: Path, text: str, seen: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_graph(path)
    said = str(caught.value)
    assert recognise_format(path) is None
    assert said.startswith(f"{path}: JSON of an unknown structure, ")
    assert seen in said
    assert "\n" not in said
    assert all(form in said for form in FORMATS)
    assert f"lighttea describe {path} (docs/descriptions.md)" in said


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("g.json", "hello", "g.json: not JSON; it starts with 'hello'; fix the file, or name "),
        ("g.json", '{"a": tru', "g.json: not JSON; it starts with '{\"a\": tru'; fix the file"),
        ("g.json", "", "g.json: the file is empty; "),
        ("g.jsonl", "\ufeff \n", "g.jsonl: the file is empty; "),
        ("g.xml", "", "g.xml: the file is empty; "),
        ("g.json", '{"a\x85b\\n": 1}', "an object with the keys 'a\\x85b"),
        ("g.json", "[]", "g.json: JSON of an unknown structure, an empty array; "),
        ("g.xml", "hello", "g.xml: no XML; expected GraphML or RDF/XML"),
        ("g.xml", XML + "<html/>", "g.xml: XML that begins with <html>; "),
        ("g", XML + "<html/>", "g: XML that begins with <html>; "),
    ],
)
def test_what_is_not_what_its_name_says_is_refused(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_graph(path)
    assert said in str(caught.value)


def test_json_in_utf_16_is_refused_with_a_cure(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_text('{"subject": "a", "predicate": "b", "object": "c"}', encoding="utf-16")
    with pytest.raises(InputError, match=r"g\.json: UTF-16 text; convert the file to UTF-8"):
        read_graph(path)


@pytest.mark.parametrize(
    "form", ["wikidata", "followthemoney", "neo4j", "graphiti", "popolo", "node-link"]
)
def test_a_file_of_another_kind_is_refused_in_one_sentence(tmp_path: Path, form: str) -> None:
    path = tmp_path / "g.json"
    path.write_text("\n".join(f'{{"row": {n}}}' for n in range(3_000)), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_graph(path, format=form)
    said = str(caught.value)
    assert "\n" not in said
    assert "expected" in said
    with pytest.raises(InputError, match=r"columns"):
        read_graph(path, format=form, columns={"head": "row"})


def test_named_columns_make_facts_of_any_flat_objects(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_text('[{"who": "a", "what": "r", "whom": "b"}]', encoding="utf-8")
    graph = read_graph(path, columns="head=who,relation=what,tail=whom")
    assert list(graph.entities) == ["a", "b"]


def test_formats_are_called_the_same_everywhere() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert read_graph.__doc__ is not None
    for name, form in FORMATS_BY_NAME.items():
        assert form.name == name
        assert f"`{name}`" in page
        assert f"`{name}`" in read_graph.__doc__
        assert name in reference
    suffixes = [suffix for form in FORMATS_BY_NAME.values() for suffix in form.suffixes]
    assert len(set(suffixes)) == len(suffixes)


def test_inspect_reads_them_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.json"
    path.write_text(json.dumps([PERSON, {**PERSON, "id": "p2"}]), encoding="utf-8")
    assert run_command(["inspect", str(path), "--sitelinks"]) == 0
    assert re.search(r"entities +2\n", capsys.readouterr().out)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["a", "b", "1999", "Person", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("id", "schema", "properties", "name", "nodes", "links", "edges", "source"),
                    *("target", "uuid", "source_node_uuid", "target_node_uuid", "valid_at", "head"),
                    *("relation", "tail", "value", "persons", "memberships", "person_id", "type"),
                    *(
                        "organization_id",
                        "start_date",
                        "owner",
                        "startDate",
                        "other_names",
                        "entity",
                    ),
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=16,
)
JSON_FORMATS = ["followthemoney", "graphiti", "popolo", "node-link", "json", "neo4j", "wikidata"]


@examples(200)
@given(VALUES, st.sampled_from([None, *JSON_FORMATS]), st.sampled_from([None, 1]))
def test_any_json_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: object, form: str | None, indent: int | None
) -> None:
    path = tmp_path_factory.mktemp("any") / "x.json"
    path.write_text(json.dumps(content, indent=indent), encoding="utf-8")
    lenient = outcome(path, format=form)
    strict = outcome(path, format=form, strict=True)
    assert not isinstance(lenient, str) or isinstance(strict, str)


@pytest.mark.parametrize("name", ["g[1].tsv", "g[1].parquet", "g*.tsv", "g?.parquet", "a\x1b[31m"])
def test_a_name_is_a_name_and_no_pattern(tmp_path: Path, name: str) -> None:
    """`graph[1].tsv` is not `graph1.tsv`, whatever stands beside it."""
    for file, head in (("g1.tsv", "other"), ("g1.parquet", "other"), (name, "own")):
        table = pl.DataFrame({"head": [head], "relation": ["r"], "tail": ["b"]})
        if file.endswith("parquet"):
            (tmp_path / "written").unlink(missing_ok=True)
            table.write_parquet(tmp_path / "written")
            (tmp_path / "written").rename(tmp_path / file)
        else:
            (tmp_path / file).write_text(table.write_csv(separator="\t"))
    assert read_graph(tmp_path / name).entities == ["own", "b"]
