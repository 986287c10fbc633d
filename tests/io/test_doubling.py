"""Twice the facts, twice the work: no reader is quadratic in the size of a file.

Work is counted, not timed: the functions that Python calls. What one call copies is not seen.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from lighttea import InputError, read_graph
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
    "one-hub.nt": lines("<http://e/hub> <http://e/p> <http://e/{a}> .\n"),
    "one-subject.ttl": between("<http://e/a> <http://e/p> ", "<http://e/%(a)d>", " .\n", ",\n"),
    "wrong.tsv": lines("{a}\tr\n"),
}
COLUMNS = {"icews.tab": "icews", "apoc.json": "neo4j"}


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


def test_quadratic_work_would_be_noticed() -> None:
    def quadratic(n: int) -> None:
        for _ in range(n):
            for number in range(n):
                abs(number)

    before, after = (count_calls(partial(quadratic, n)) for n in (100, 400))
    assert after > OVERHEAD * TIMES * before
