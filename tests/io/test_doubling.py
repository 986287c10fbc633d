"""Twice the facts, twice the work: no reader is quadratic in the size of a file.

Work is counted, not timed: the functions that Python calls. What one call copies is not seen.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import polars as pl
import pytest

from lighttea import InputError, read_graph
from lighttea.io.benchmark import read_dataset
from lighttea.io.sparql.answers import parse_answers
from lighttea.io.tables import read_clusters, read_links, read_types
from tests.datasets.folders import make_folder
from tests.io.descriptions.test_kinds import ROLES
from tests.io.descriptions.workbooks import write_workbook
from tests.io.test_damage import CLAIM, ENTITY, RDF

SMALL, TIMES = 300, 4
OVERHEAD = 1.25  # how much more than so many times the work is still in proportion


def lines(form: str) -> Callable[[int], str]:
    """Return what makes a file of lines: `{a}` and `{b}` are entities, `{year}` is a year."""

    def make(n: int) -> str:
        return "".join(form.format(a=i, b=7 * i % n, year=1900 + i % 100) for i in range(n))

    return make


def between(begin: str, form: str, end: str, separator: str = "") -> Callable[[int], str]:
    """Return what makes a file with a head, items and an end."""

    def make(n: int) -> str:
        items = (form % {"a": i, "b": 7 * i % n, "year": 1900 + i % 100} for i in range(n))
        return begin + separator.join(items) + end

    return make


def wikidata(n: int) -> str:
    entities = [
        {**ENTITY, "id": f"Q{i + 1}", "claims": {"P69": [CLAIM]}, "aliases": {}} for i in range(n)
    ]
    return "[\n" + ",\n".join(map(json.dumps, entities)) + "\n]\n"


TRIPLE = "<http://e/{a}> <http://e/p> <http://e/{b}> .\n"
STAR = (
    "<< <http://e/{a}> <http://e/p> <http://e/{b}> >> <http://schema.org/startDate> "
    '"{year}"^^<http://www.w3.org/2001/XMLSchema#gYear> .\n'
)
FILES: dict[str, Callable[[int], str]] = {
    "g.tsv": lines("{a}\tr\t{b}\t{year}\n"),
    "quoted.csv": lines('"a, {a}",r,"b {b}"\n'),
    "g.nt": lines(TRIPLE + STAR),
    "g.nq": lines(TRIPLE.replace(" .", " <http://e/{year}> .")),
    "g.ttl": between("@prefix : <http://e/> .\n", ":a%(a)d :p :a%(b)d .\n", ""),
    "g.rdf": between(
        f'<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="http://e/">\n',
        '<rdf:Description rdf:about="http://e/%(a)d"><e:p rdf:resource="http://e/%(b)d"/>'
        "</rdf:Description>\n",
        "</rdf:RDF>",
    ),
    "g.jsonld": between(
        '{"@graph": [',
        '{"@id": "http://e/%(a)d", "http://e/p": {"@id": "http://e/%(b)d"}}',
        "]}",
        ",\n",
    ),
    "wikidata.json": wikidata,
    "icews.tab": between(
        "Event Date\tSource Name\tCAMEO Code\tTarget Name\n",
        "%(year)d-02-03\tA%(a)d\t010\tB%(b)d\n",
        "",
    ),
    "apoc.json": lines(
        '{{"type":"relationship","id":"{a}","label":"R","start":{{"id":"{a}"}},"end":{{"id":"{b}"}},'
        '"properties":{{"since":"{year}-01-02"}}}}\n'
    ),
    "one-line.json": between(
        '{"nodes": [], "links": [',
        '{"source": %(a)d, "target": %(b)d, "since": %(year)d}',
        "]}",
        ", ",
    ),
    "ftm.json": lines(
        '{{"id":"o{a}","schema":"Family","properties":{{"person":["{a}"],"relative":["{b}"]}}}}\n'
    ),
    "graphiti.jsonl": lines(
        '{{"source_node_uuid":"{a}","target_node_uuid":"{b}","name":"R","valid_at":"{year}-01-02"}}\n'
    ),
    "popolo.json": between(
        '{"persons": [{"id": "a", "name": "Ann"}], "memberships": [',
        '{"person_id": "%(a)d", "organization_id": "o%(b)d", "start_date": "%(year)d"}',
        "]}",
        ",\n",
    ),
    "facts.jsonl": lines('{{"head": "{a}", "relation": "r", "tail": "{b}", "time": {year}}}\n'),
    "g.graphml": between(
        '<?xml version="1.0"?>\n<graphml><graph>\n',
        '<edge source="a%(a)d" target="a%(b)d"/>\n',
        "</graph></graphml>",
    ),
    "g.trig": between("@prefix : <http://e/> .\nGRAPH :g {\n", ":a%(a)d :p :a%(b)d .\n", "}"),
    "g.n3": between("@prefix : <http://e/> .\n", ":a%(a)d :p :a%(b)d .\n", ""),
    "gdelt.csv": lines("{a}\t20150218" + "\tN{b}" * 56 + "\n"),
    "apoc.csv": between(
        "_id,name,_start,_end,_type,since\n",
        "%(a)d,N%(a)d,,,,\n,,%(a)d,%(b)d,R,%(year)d\n",
        "",
    ),
    "admin.csv": between(
        ":START_ID,:END_ID(x),:TYPE,since:date\n", "%(a)d,%(b)d,R,%(year)d-01-02\n", ""
    ),
    "parts.json": between(
        '{"nodes": [{"type":"node","id":"0","properties":{"name":"Ann"}}],\n"rels": [',
        '{"type":"relationship","id":"%(a)d","label":"R","start":{"id":"%(a)d"},'
        '"end":{"id":"%(b)d"},"properties":{"since":"%(year)d-01-02"}}',
        "]}",
        ",\n",
    ),
    "one-hub.nt": lines("<http://e/hub> <http://e/p> <http://e/{a}> .\n"),
    "one-subject.ttl": between("<http://e/a> <http://e/p> ", "<http://e/%(a)d>", " .\n", ",\n"),
    "wrong.tsv": lines("{a}\tr\n"),
}
COLUMNS = {
    "icews.tab": "icews",
    "gdelt.csv": "gdelt",
    **dict.fromkeys(("apoc.json", "apoc.csv", "admin.csv", "parts.json"), "neo4j"),
}


@dataclass(frozen=True)
class Input:
    """What makes an input of this size in a folder, and reads it: as many rows come out."""

    make: Callable[[Path, int], Path]
    read: Callable[[Path], int]


def n_facts(path: Path) -> int:
    return len(read_graph(path).facts)


def text(name: str, make: Callable[[int], str]) -> Callable[[Path, int], Path]:
    def write(folder: Path, n: int) -> Path:
        (folder / name).write_text(make(n), encoding="utf-8")
        return folder / name

    return write


def facts(n: int) -> pl.DataFrame:
    rows = [(f"a{i}", "r", f"a{7 * i % n}", str(1900 + i % 100)) for i in range(n)]
    return pl.DataFrame(rows, schema=["h", "r", "t", "d"], orient="row")


def parquet(folder: Path, n: int) -> Path:
    table = facts(n).rename({"h": "head", "r": "relation", "t": "tail", "d": "time"})
    table.write_parquet(folder / "g.parquet")
    return folder / "g.parquet"


def parts(folder: Path, n: int) -> Path:
    """A folder of tables of ten facts each."""
    place = folder / f"parts-{n}"
    place.mkdir()
    table = pl.read_parquet(parquet(folder, n))
    for number in range(n // 10):
        table.slice(10 * number, 10).write_parquet(place / f"{number}.parquet")
    return place


def packed(folder: Path, n: int) -> Path:
    path = folder / "g.nt.gz"
    path.write_bytes(gzip.compress(FILES["g.nt"](n).encode(), mtime=0))
    return path


def described(place: str, make: Callable[[Path, pl.DataFrame], object]) -> Input:
    """A description of facts that lie in a file or a database."""

    def write(folder: Path, n: int) -> Path:
        file = folder / place.split('"')[1]
        file.unlink(missing_ok=True)
        make(file, facts(n))
        return text("g.toml", lambda _: f"[[source]]\n{place}\n{ROLES}")(folder, n)

    return Input(write, n_facts)


def in_sqlite(path: Path, table: pl.DataFrame) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE f (h, r, t, d)")
        connection.executemany("INSERT INTO f VALUES (?, ?, ?, ?)", table.rows())
        connection.commit()


def in_workbook(path: Path, table: pl.DataFrame) -> None:
    write_workbook(path, {"facts": [table.columns, *table.rows()]})


def dataset(folder: Path, n: int) -> Path:
    """A folder in the field's format: the second graph has other ids."""
    place = folder / f"set-{n}"
    files: dict[str, list[tuple[object, ...]]] = {
        "triples_1": [(i, 0, 7 * i % n, 1900 + i % 100) for i in range(n)],
        "triples_2": [(n + i, 1, n + 7 * i % n, 1900 + i % 100) for i in range(n)],
        "ent_ids_1": [(i, f"a{i}") for i in range(n)],
        "ent_ids_2": [(n + i, f"b{i}") for i in range(n)],
        "sup_pairs": [(0, n)],
        "ref_pairs": [(i, n + i) for i in range(1, n)],
    }
    lines_of = {
        name: "".join("\t".join(map(str, row)) + "\n" for row in rows)
        for name, rows in files.items()
    }
    return make_folder(place, lines_of)


def answers(n: int) -> str:
    binding = {"head": {"type": "uri", "value": "http://e/a"}}
    rows = [binding | {"tail": {"type": "uri", "value": f"http://e/{i}"}} for i in range(n)]
    return json.dumps({"head": {"vars": ["head", "tail"]}, "results": {"bindings": rows}})


SAME_AS = "<http://e/{a}> <http://www.w3.org/2002/07/owl#sameAs> <http://f/{b}> .\n"
INPUTS: dict[str, Input] = {
    "parquet": Input(parquet, n_facts),
    "parts": Input(parts, n_facts),
    "packed": Input(packed, n_facts),
    "described table": described('file = "f.csv"', lambda path, own: own.write_csv(path)),
    "described lines of JSON": described(
        'file = "f.jsonl"', lambda path, own: own.write_ndjson(path)
    ),
    "described JSON": described('file = "f.json"', lambda path, own: own.write_json(path)),
    "described workbook": described('file = "f.xlsx"', in_workbook),
    "described database": described('database = "f.sqlite"\nsql = "SELECT * FROM f"', in_sqlite),
    "dataset": Input(dataset, lambda path: len(read_dataset(path).pairs)),
    "links": Input(text("l.tsv", lines("l{a}\tr{b}\n")), lambda path: len(read_links(path))),
    "links in RDF": Input(text("l.nt", lines(SAME_AS)), lambda path: len(read_links(path))),
    "types": Input(text("t.tsv", lines("l{a}\tT{year}\n")), lambda path: len(read_types(path))),
    "clusters": Input(
        text("c.tsv", between("cluster\tgraph\tentity\n", "%(a)d\tg\te%(b)d\n", "")),
        lambda path: len(read_clusters(path)),
    ),
    "answers": Input(
        text("answers.json", answers),
        lambda path: len(parse_answers(path.read_bytes(), "application/json").plain()),
    ),
}


def count_calls(work: Callable[[], Any]) -> int:
    """Return how many functions work calls, those of C included."""
    calls = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def calls_to_read(path: Path, text: str) -> int:
    path.write_text(text, encoding="utf-8")

    def read() -> None:
        try:
            assert len(read_graph(path, columns=COLUMNS.get(path.name)).facts) > 0
        except InputError:
            assert path.name.startswith("wrong")

    return count_calls(read)


@pytest.mark.parametrize("name", FILES)
def test_so_many_times_the_facts_are_so_many_times_the_calls(tmp_path: Path, name: str) -> None:
    path, make = tmp_path / name, FILES[name]
    calls_to_read(path, make(10))  # loads what is loaded once
    before, after = (calls_to_read(path, make(n)) for n in (SMALL, TIMES * SMALL))
    assert after <= OVERHEAD * TIMES * before, (before, after)


@pytest.mark.parametrize("name", INPUTS)
def test_other_inputs_take_work_in_proportion_too(tmp_path: Path, name: str) -> None:
    source = INPUTS[name]

    def calls(n: int) -> int:
        path, read = source.make(tmp_path, n), []
        made = count_calls(lambda: read.append(source.read(path)))
        assert read == [n]
        return made

    calls(10)  # loads what is loaded once
    before, after = (calls(n) for n in (SMALL, TIMES * SMALL))
    assert after <= OVERHEAD * TIMES * before, (before, after)


def test_quadratic_work_would_be_noticed() -> None:
    def quadratic(n: int) -> None:
        for _ in range(n):
            for number in range(n):
                abs(number)

    before, after = (count_calls(partial(quadratic, n)) for n in (100, 400))
    assert after > OVERHEAD * TIMES * before
