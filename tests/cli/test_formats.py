"""RDF and Wikidata files on the command line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from lighttea.example import example_file
from lighttea.io.frames import frame_of_graph
from lighttea.io.tables import read_graph
from tests.cli.conftest import LIGHT, Command

BASE = "http://ex/"
_TIMES = {"begin": "http://schema.org/startDate", "end": "http://schema.org/endDate"}


def iri(name: str) -> str:
    return f"<{BASE}{name.encode().hex()}>"


def as_rdf(example: str, *, starred: bool) -> str:
    """The facts of the example as RDF-star lines, or as Turtle with one annotation a fact."""
    lines = []
    for row in frame_of_graph(read_graph(example_file(example))).iter_rows(named=True):
        triple = " ".join(iri(row[c]) for c in ("head", "relation", "tail"))
        said = [(f"<{_TIMES[c]}>", f'"{row[c]}"') for c in _TIMES if row[c] is not None]
        if starred:
            lines += [f"<< {triple} >> {p} {o} ." for p, o in said] or [f"{triple} ."]
        else:
            notes = " ; ".join(f"{p} {o}" for p, o in said)
            lines.append(f"{triple} {{| {notes} |}} ." if said else f"{triple} .")
    return "\n".join(lines)


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    """The example's seeds with the names of the RDF."""
    table = pl.read_csv(example_file("seeds.tsv"), separator="\t")
    named = table.with_columns(
        (BASE + pl.col(c).map_elements(lambda x: x.encode().hex(), pl.String)).alias(c)
        for c in ("left", "right")
    )
    path = tmp_path / "rdf_seeds.tsv"
    named.write_csv(path, separator="\t")
    return path


def test_rdf_aligns_as_the_same_tables_do(command: Command, tmp_path: Path, seeds: Path) -> None:
    left, right = tmp_path / "left.nt.gz", tmp_path / "right"
    left.write_bytes(gzip.compress(as_rdf("left.tsv", starred=True).encode()))
    right.write_text(as_rdf("right.csv", starred=False), encoding="utf-8")
    done = command(
        *("align", left, right, "--right-format", "turtle", "--seeds", seeds),
        *("--out", "by_rdf", *LIGHT),
    )
    assert done.code == 0, done.err
    tables = (example_file("left.tsv"), example_file("right.csv"))
    done = command(
        *("align", *tables, "--seeds", example_file("seeds.tsv"), "--out", "by_table", *LIGHT)
    )
    assert done.code == 0, done.err
    sizes = [
        json.loads((tmp_path / run / "run.json").read_text())["input"]
        for run in ("by_rdf", "by_table")
    ]
    for side in ("left", "right"):
        for what in ("entities", "relations"):
            assert sizes[0][side][what] == sizes[1][side][what]
    by_rdf, by_table = (
        pl.read_parquet(tmp_path / run / "links.parquet") for run in ("by_rdf", "by_table")
    )
    hidden = {
        (bytes.fromhex(a.removeprefix(BASE)).decode(), bytes.fromhex(b.removeprefix(BASE)).decode())
        for a, b in by_rdf.select("left", "right").rows()
    }
    same = hidden & set(by_table.select("left", "right").rows())
    assert len(same) > 0.8 * len(by_table)  # numbers are drawn in another order of entities


GOOD = "<http://ex/a> <http://ex/r> <http://ex/b> .\n"


def test_inspect_shows_what_was_left_out(command: Command, tmp_path: Path) -> None:
    (tmp_path / "g.nt").write_text(f'{GOOD}bad\n<http://ex/a> <http://ex/p> "" .\n')
    done = command("inspect", "g.nt", "--json", "-")
    assert done.code == 0
    warnings = done.json()["warnings"]
    assert warnings[0].startswith("1 malformed lines left out")
    assert "1 empty literals left out" in warnings
    done = command("inspect", "g.nt", "--strict")
    assert done.code == 2
    assert done.err.startswith('error: g.nt:2: expected a triple and a full stop, found "bad"')


def test_other_predicates_and_formats_are_options(command: Command, tmp_path: Path) -> None:
    (tmp_path / "facts").write_text('<< <a:a> <a:r> <a:b> >> <http://ex/since> "2001" .\n')
    done = command(
        *("inspect", "facts", "--format", "turtle", "--columns", "begin=http://ex/since"),
        *("--json", "-"),
    )
    assert done.json()["kinds"]["open_end"] == 1
    assert command("inspect", "facts", "--format", "hdt").code == 2


def test_a_web_address_is_refused(command: Command) -> None:
    done = command("inspect", "https://ex.org/dump.nt.gz")
    assert done.code == 2
    assert "https://ex.org/dump.nt.gz: cannot read a URL; download the file" in done.err


LITERALS = """\
<http://ex/a> <http://ex/r> <http://ex/b> .
<http://ex/a> <http://ex/name> "Ann \\u001B[31mred\\u202E"@en .
<http://ex/b> <http://ex/name> "Ben"@de .
<http://ex/b> <http://ex/story> "LONG" .
<http://ex/c> <http://ex/name> "Ben"@en .
"""


def test_inspect_shows_attributes(command: Command, tmp_path: Path) -> None:
    long = "once upon a time " * 500
    (tmp_path / "g.nt").write_text(LITERALS.replace("LONG", long), encoding="utf-8")
    done = command("inspect", "g.nt", "--json", "-").json()
    name, story = done["attributes"]
    assert (done["literals"], done["entities_with_literals"]) == (4, 3)
    assert (name["attribute"], name["literals"], name["values"]) == ("http://ex/name", 3, 2)
    assert (name["completeness"], round(name["uniqueness"], 3)) == (1.0, 0.333)
    assert name["languages"] == {"en": 2, "de": 1}
    assert story["examples"] == [long]
    shown = command("inspect", "g.nt").out
    assert "Attributes" in shown
    assert "en, de" in shown
    assert "Ben | Ann \\x1b[31mred\\u202e" in shown
    assert "once upon" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert max(map(len, shown.splitlines())) <= 110


def test_inspect_shows_the_first_attributes_of_many(command: Command, tmp_path: Path) -> None:
    rows = "".join(f"a\tp{number}\tx\n" for number in range(40))
    (tmp_path / "g.tsv").write_text(f"head\trelation\tvalue\n{rows}")
    shown = command("inspect", "g.tsv").out
    assert "p14 " in shown
    assert "p15 " not in shown
    assert "... and 25 more attributes" in shown
    assert len(command("inspect", "g.tsv", "--json", "-").json()["attributes"]) == 40


NODES = ':a :job [ :at :b ; :since 1999 ; :until 2004 ] . :c :r :d {| :from "2001" |} .'


def test_inspect_shows_how_a_file_says_time(command: Command, tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(f"@prefix : <http://ex/> . {NODES}")
    done = command("inspect", "g.ttl", "--json", "-").json()
    assert done["recognised"] == {"n-ary nodes": 1, "annotations": 1}
    shown = command("inspect", "g.ttl").out
    assert "How the file expresses time" in shown
    assert "n-ary nodes" in shown
    assert "warning: 1 nodes with a time and two entities were read as facts" in shown
    done = command("inspect", "g.ttl", "--no-nary", "--json", "-").json()
    assert done["recognised"] == {"annotations": 1}
    assert done["entities"] == 5


def test_align_takes_nodes_for_facts_or_not(command: Command, tmp_path: Path) -> None:
    lines = [
        f":p{n} :job [ :at :q{n % 7} ; :since {1950 + n} ; :until {1960 + n} ] ." for n in range(40)
    ]
    for side in ("left", "right"):
        text = f"@prefix : <http://{side}/> . " + "\n".join(lines)
        (tmp_path / f"{side}.ttl").write_text(text)
    (tmp_path / "seeds.nt").write_text(
        "".join(
            f"<http://left/p{n}> <http://www.w3.org/2002/07/owl#sameAs> <http://right/p{n}> .\n"
            for n in range(10)
        )
    )
    graphs = ("align", "left.ttl", "right.ttl", "--seeds", "seeds.nt", "--no-report")
    assert command(*graphs, "--out", "run").code == 0
    assert command(*graphs, "--out", "whole", "--no-nary").code == 0
    by_rule, without = (
        pl.read_parquet(tmp_path / run / "facts_left.parquet") for run in ("run", "whole")
    )
    assert by_rule["relation"].unique().to_list() == ["http://left/at"]
    assert len(without) > len(by_rule)
