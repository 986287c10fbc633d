"""Links from tables."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from lighttea.errors import InputError
from lighttea.io.tables import read_links


def links(tmp_path: Path, content: str, name: str = "l.tsv") -> list[tuple[str, ...]]:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return read_links(path).select("left", "right").rows()


@pytest.mark.parametrize(
    "content",
    [
        "a\tb\nc\td\n",
        "a\tb\nc\td",
        "a\tb\r\n\r\nc\td\r\n",
        "\na\tb\nc\td\n",
        "left\tright\na\tb\nc\td\n",
        "\ufeffLeft\tRIGHT\na\tb\nc\td\n",
        "right\tscore\tleft\nb\t1\ta\nd\t2\tc\n",
        "left\tright\tscore\tconfidence\tmargin\na\tb\t1\t1\t1\nc\td\t.5\t.5\t.5\n",
        "subject_id,predicate_id,object_id\na,skos:exactMatch,b\nc,skos:exactMatch,d\n",
        'source,target\n"a",b\nc,"d"\n',
        "a;b\nc;d\n",
    ],
)
def test_two_columns_or_a_header(tmp_path: Path, content: str) -> None:
    assert links(tmp_path, content) == [("a", "b"), ("c", "d")]


def test_each_link_keeps_the_number_of_its_line(tmp_path: Path) -> None:
    path = tmp_path / "l.tsv"
    path.write_text("left\tright\na\tb\n\nc\td\n")
    assert read_links(path).rows() == [("a", "b", 2), ("c", "d", 4)]


def test_quoted_commas(tmp_path: Path) -> None:
    assert links(tmp_path, '"a, x",b\n', "l.csv") == [("a, x", "b")]


def test_gzip(tmp_path: Path) -> None:
    path = tmp_path / "l.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tb\n"))
    assert read_links(path).select("left", "right").rows() == [("a", "b")]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "l.parquet"
    pl.DataFrame({"right": ["b"], "left": [7]}).write_parquet(path)
    assert read_links(path).select("left", "right").rows() == [("7", "b")]


def test_parquet_without_left_and_right_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "l.parquet"
    pl.DataFrame({"a": ["b"], "right": [7]}).write_parquet(path)
    with pytest.raises(InputError, match="columns not understood; found: a, right") as caught:
        read_links(path)
    assert "relation" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a\tb\nc\t\n", "l.tsv:2: a link needs a left and a right entity"),
        ("a\tb\n\n\td\n", "l.tsv:3: a link needs a left and a right entity"),
        ("left\tright\na\tb\nc\n", "l.tsv:3: expected 2 tab-separated fields, found 1"),
        ("a\tb\tc\n", "l.tsv:1: expected 2 tab-separated fields, found 3"),
        ("a\n", "l.tsv:1: no tab, comma or semicolon"),
        ("left\tright\n", "l.tsv: nothing below the header"),
        ("left\tsource\tright\na\tb\tc\n", "'left' and 'source' both mean left"),
        ("", "l.tsv: the file is empty"),
    ],
)
def test_wrong_lines_are_refused_with_their_number(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        links(tmp_path, content)
    assert said in str(caught.value)


def test_more_than_twenty_empty_fields_are_counted(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        links(tmp_path, "a\tb\n" + "c\t\n" * 23)
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[-1] == "... and 3 more"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_links(tmp_path / "no.tsv")
