"""Where rows come from: files of all kinds, patterns, databases, whole graphs."""

from __future__ import annotations

import datetime
import gzip
import sqlite3
import sys
import zipfile
from pathlib import Path

import duckdb
import polars as pl
import pytest

import lighttea
from tests.io.descriptions.conftest import Complain, Describe, Put, facts_of, literals_of
from tests.io.descriptions.workbooks import Cell, Sheets, write_workbook

ROLES = 'head = "h"\nrelation = "r"\ntail = "t"\ntime = "d"\n'
PLAIN = "h,r,t,d\nx,r,y,1999\n"
READ = [("x", "r", "y", "1999", "1999")]


def source(file: str, more: str = "") -> str:
    return f'[[source]]\nfile = "{file}"\n{ROLES}{more}'


@pytest.mark.parametrize(
    ("name", "content", "more"),
    [
        ("f.csv", PLAIN, ""),
        ("f.csv.gz", gzip.compress(PLAIN.encode(), mtime=0), ""),
        ("f.tsv", PLAIN.replace(",", "\t"), ""),
        ("f.txt", PLAIN.replace(",", "|"), 'separator = "|"\n'),
        ("f.csv", PLAIN.replace("y", "ü").encode("latin-1"), 'encoding = "latin-1"\n'),
        ("f.csv.gz", gzip.compress(PLAIN.encode("utf-16"), mtime=0), 'encoding = "utf-16"\n'),
        ("in/a/folder.csv", PLAIN, ""),
        ("f.csv", PLAIN + '"x","r","a\nb",2000\n', 'missing = ["a\\nb"]\n'),
    ],
)
def test_text_files(
    put: Put, described: Describe, name: str, content: str | bytes, more: str
) -> None:
    put(name, content)
    expected = [(*row[:2], row[2].replace("y", "ü"), *row[3:]) for row in READ]
    assert facts_of(described(source(name, more))) in (READ, expected)


def test_another_encoding_is_read_as_such(put: Put, described: Describe) -> None:
    put("f.csv", PLAIN.replace("y", "Zürich").encode("cp1252"))
    assert described(source("f.csv", 'encoding = "cp1252"\n')).entities == ["x", "Zürich"]


def test_columns_by_position(put: Put, described: Describe) -> None:
    put("f.csv", "x,r,y,1999\n")
    text = (
        '[[source]]\nfile = "f.csv"\nheader = false\nhead = 1\nrelation = "2"\ntail = 3\ntime = 4\n'
    )
    assert facts_of(described(text)) == READ


def test_a_field_over_several_lines_is_an_attribute(put: Put, described: Describe) -> None:
    put("p.csv", 'id,bio\na,"born\nin Bern"\nb,plain\n')
    graph = described('[[source]]\nfile = "p.csv"\nentity = "id"\nattributes = ["bio"]\n')
    assert [row[2] for row in literals_of(graph)] == ["born\nin Bern", "plain"]


def test_a_table_of_one_column(put: Put, described: Describe) -> None:
    put("p.csv", "id\na\nb\n")
    graph = described(
        '[[source]]\nfile = "p.csv"\nhead = "id"\nrelation = {value = "is a"}\ntail = {value="P"}\n'
    )
    assert len(graph.facts) == 2


def test_parquet_has_types(tmp_path: Path, described: Describe) -> None:
    frame = pl.DataFrame(
        {"id": [1, 2], "born": [datetime.date(1971, 3, 7), None], "tags": [["a", "b"], []]}
    )
    frame.with_columns(tall=pl.Series([True, False])).write_parquet(tmp_path / "p.parquet")
    graph = described(
        'date_format = "%d/%m/%Y"\n[[source]]\nfile = "p.parquet"\nentity = "id"\n'
        'attributes = ["tags", "tall", "born"]\ndates = ["born"]\n'
    )
    assert facts_of(graph) == [("1", "born", "1", "1971-03-07", "1971-03-07")]
    assert [row[2] for row in literals_of(graph)] == ["a", "b", "true", "1971-03-07", "false"]
    assert any(text.endswith("#date") for text in graph.attributes.datatypes)


def test_lists_of_objects_in_parquet_are_refused(tmp_path: Path, complaint: Complain) -> None:
    pl.DataFrame({"id": ["a"], "x": [[{"a": 1}]]}).write_parquet(tmp_path / "p.parquet")
    text = complaint('[[source]]\nfile = "p.parquet"\nentity = "id"\nattributes = ["x"]\n')
    assert text.startswith("p.parquet: column 'x' holds lists of Struct")


def test_a_folder_of_parquet_files(tmp_path: Path, described: Describe) -> None:
    (tmp_path / "parts").mkdir()
    for number in range(2):
        frame = pl.DataFrame({"h": ["x"], "r": ["r"], "t": [f"y{number}"], "d": [1999]})
        frame.write_parquet(tmp_path / "parts" / f"part-{number}.parquet")
    assert len(described(source("parts")).facts) == 2


def test_a_workbook(tmp_path: Path, described: Describe) -> None:
    sheets: Sheets = {"other": [["a"]], "facts": [["h", "r", "t", "d"], ["x", "r", "y", 1999]]}
    write_workbook(tmp_path / "f.xlsx", sheets)
    assert facts_of(described(source("f.xlsx", 'sheet = "facts"\n'))) == READ


def test_columns_of_a_sheet_without_header_are_numbered(
    tmp_path: Path, described: Describe
) -> None:
    write_workbook(tmp_path / "f.xlsx", {"facts": [["x", "r", "y", 1999]]})
    roles = "header = false\nhead = 1\nrelation = 2\ntail = 3\ntime = 4\n"
    assert facts_of(described(f'[[source]]\nfile = "f.xlsx"\n{roles}')) == READ


def test_the_first_sheet_is_read_and_that_is_said(
    tmp_path: Path, described: Describe, complaint: Complain
) -> None:
    facts: list[list[Cell]] = [["h", "r", "t", "d"], ["x", "r", "y", 1999], ["x", "r", "z", "soon"]]
    write_workbook(tmp_path / "f.xlsx", {"facts": facts[:2], "other": [["a"]]})
    graph = described(source("f.xlsx"))
    assert "read sheet 'facts', not other" in graph.notes[0]
    assert "has no sheet 'fact'; found 2: facts, other; did you mean 'facts'?" in complaint(
        source("f.xlsx", 'sheet = "fact"\n')
    )
    write_workbook(tmp_path / "f.xlsx", {"facts": facts})
    assert complaint(source("f.xlsx")).startswith("f.xlsx:3: column 'd': time 'soon' is not")


def test_what_is_no_workbook_is_refused(put: Put, complaint: Complain) -> None:
    put("f.xlsx", "no zip")
    assert complaint(source("f.xlsx")).startswith("f.xlsx: cannot be read as a workbook")


def make_sqlite(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE f (h, r, t, d)")
    connection.executemany(
        "INSERT INTO f VALUES (?, ?, ?, ?)",
        [("x", "r", "y", 1999), ("x", "r", 7, "2001-02-03"), ("x", "r", b"z\xff", None)],
    )
    connection.commit()
    connection.close()


def query(database: str, sql: str) -> str:
    return f'[[source]]\ndatabase = "{database}"\nsql = {sql!r}\n{ROLES}'


def test_sqlite(tmp_path: Path, described: Describe) -> None:
    make_sqlite(tmp_path / "x.sqlite")
    before = (tmp_path / "x.sqlite").read_bytes()
    graph = described(query("x.sqlite", "SELECT * FROM f"))
    assert facts_of(graph) == [
        *READ,
        ("x", "r", "7", "2001-02-03", "2001-02-03"),
        ("x", "r", "z\ufffd", None, None),
    ]
    assert (tmp_path / "x.sqlite").read_bytes() == before


def test_duckdb(tmp_path: Path, described: Describe) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE f AS SELECT 'x' AS h, 'r' AS r, 'y' AS t, DATE '1999-02-03' AS d"
        )
    graph = described(query("x.duckdb", "SELECT * FROM f"))
    assert facts_of(graph) == [("x", "r", "y", "1999-02-03", "1999-02-03")]


def test_a_query_to_duckdb_touches_no_other_file(tmp_path: Path, complaint: Complain) -> None:
    duckdb.connect(str(tmp_path / "x.duckdb")).close()
    sql = f"COPY (SELECT 1 AS h) TO {str(tmp_path / 'out.csv')!r}".replace("'", '"')
    text = complaint(f"[[source]]\ndatabase = 'x.duckdb'\nsql = '{sql}'\nentity = 'h'\n")
    assert text.startswith("left.toml:3: sql: x.duckdb: ")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT * FROM g", "no such table: g"),
        ("SELEKT", 'near "SELEKT": syntax error'),
        ("DELETE FROM f", "attempt to write a readonly database"),
        ("SELECT h, h FROM f", "the query returns two columns 'h'; rename one with AS"),
        ("PRAGMA user_version = 3", "readonly database"),
        ("SELECT h FROM f; SELECT r FROM f", "one statement at a time"),
        ("SELECT h, r, t FROM f", "has no column 'd'"),
    ],
)
def test_a_wrong_query_names_the_key(
    tmp_path: Path, complaint: Complain, sql: str, told: str
) -> None:
    make_sqlite(tmp_path / "x.sqlite")
    text = complaint(query("x.sqlite", sql))
    assert text.startswith(("left.toml:3: sql: ", "left.toml:7: time: "))
    assert told in text


def test_what_is_no_database_is_refused(put: Put, tmp_path: Path, complaint: Complain) -> None:
    put("x.sqlite", "no database at all")
    assert "neither a SQLite nor a DuckDB" in complaint(query("x.sqlite", "SELECT 1"))
    assert "database: x.db: no such file" in complaint(query("x.db", "SELECT 1"))
    put("x.sqlite", b"SQLite format 3\0" + b"junk" * 50)
    text = complaint(query("x.sqlite", "SELECT * FROM f"))
    assert text.startswith("left.toml:3: sql: x.sqlite: ")
    put("x.duckdb", b"12345678DUCK" + b"\0" * 50)
    assert "x.duckdb: cannot be opened" in complaint(query("x.duckdb", "SELECT 1"))
    assert 'write database = "x.duckdb" and sql' in complaint(source("x.duckdb"))


@pytest.mark.parametrize(
    ("library", "extra", "name", "text"),
    [
        ("duckdb", "duckdb", "x.duckdb", query("x.duckdb", "SELECT 1")),
        ("fastexcel", "xlsx", "f.xlsx", source("f.xlsx")),
    ],
)
def test_a_library_that_is_not_there_is_named(
    put: Put, monkeypatch: pytest.MonkeyPatch, library: str, extra: str, name: str, text: str
) -> None:
    put(name, b"12345678DUCK")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(lighttea.EngineUnavailable) as caught:
        lighttea.read_graph(put("left.toml", text))
    assert f"pip install 'lighttea[{extra}]'" in str(caught.value)


def test_patterns_and_lists_of_files(put: Put, described: Describe, complaint: Complain) -> None:
    for name in ("a-2.csv", "a-10.csv", "b/c/d.csv"):
        put(name, PLAIN.replace("y", name))
    assert described(source("a-*.csv")).entities == ["x", "a-10.csv", "a-2.csv"]
    assert len(described(source("**/*.csv")).facts) == 3
    text = source("a").replace('"a"', '["a-2.csv", "b/*/d.csv"]')
    assert described(text).entities == ["x", "a-2.csv", "b/c/d.csv"]
    assert complaint(source("c-*.csv")) == "left.toml:2: file: no file matches c-*.csv"


def test_a_path_may_lead_out_of_the_folder(put: Put, tmp_path: Path) -> None:
    put("f.csv", PLAIN)
    path = put("deep/left.toml", source("../f.csv"))
    assert len(lighttea.read_graph(path).facts) == 1


def test_whole_graphs_beside_tables(put: Put, described: Describe) -> None:
    put("g.nt", "<http://x> <http://r> <http://y> .\n")
    put("f.csv", "head,relation,tail\nhttp://x,r,z\n")
    put("p.csv", "id,n\nhttp://x,Ada\n")
    graph = described(
        '[[source]]\nfile = "g.nt"\n[[source]]\nfile = "f.csv"\n'
        '[[source]]\nfile = "p.csv"\nentity = "id"\nnames = "n"\n'
    )
    assert [row[:3] for row in facts_of(graph)] == [
        ("http://x", "http://r", "http://y"),
        ("http://x", "r", "z"),
    ]
    assert graph.entity_names == {"http://x": "Ada"}


def test_usual_names_with_other_rules(put: Put, described: Describe) -> None:
    put("f.csv", "head,relation,tail,valid_from\nx,r,y,03/07/2011\nx,r,NA,03/07/2011\n")
    graph = described('missing = "NA"\n[[source]]\nfile = "f.csv"\ndate_format = "%d/%m/%Y"\n')
    assert facts_of(graph) == [("x", "r", "y", "2011-07-03", None)]
    assert graph.notes == ("f.csv: 1 rows without tail (tail) left out",)


def test_a_whole_graph_in_a_dump_may_be_read_strictly(put: Put) -> None:
    put("g.nt", "<http://x> <http://r> <http://y> .\nnonsense\n")
    path = put("left.toml", '[[source]]\nfile = "g.nt"\n')
    assert "malformed lines" in lighttea.read_graph(path).notes[0]
    with pytest.raises(lighttea.InputError, match=r"g\.nt:2"):
        lighttea.read_graph(path, strict=True)


def test_a_zip_file_is_unpacked(tmp_path: Path, described: Describe) -> None:
    with zipfile.ZipFile(tmp_path / "f.csv.zip", "w") as archive:
        archive.writestr("f.csv", PLAIN)
    assert facts_of(described(source("f.csv.zip"))) == READ
