"""Files that are damaged, strange or no files at all: read right, or refused in plain words."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea.cli import run_command
from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.frames import frame_of_graph, graph_of_frame
from lighttea.io.problems import Problems
from lighttea.io.tables import read_graph, read_links
from tests.io.outcomes import outcome

Put = Callable[..., Path]
FACTS = "".join(f"e{n}\tr{n % 7}\te{n * 31 % 997}\t{1900 + n % 120}\n" for n in range(5000))


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file and return its path."""

    def write(content: bytes, name: str = "g.tsv") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def complaint(path: Path | str) -> str:
    with pytest.raises(InputError) as caught:
        read_graph(path)
    return str(caught.value)


@pytest.mark.parametrize("cut", [1, 4, 8, 9, 100, 5000])
def test_a_gzip_file_that_is_cut_short_is_never_read_in_part(put: Put, cut: int) -> None:
    path = put(gzip.compress(FACTS.encode())[:-cut], "g.tsv.gz")
    assert "the compressed file is damaged or incomplete" in complaint(path)


@pytest.mark.parametrize("place", [-6, 4000])
def test_a_gzip_file_with_a_wrong_byte_is_refused(put: Put, place: int) -> None:
    content = bytearray(gzip.compress(FACTS.encode()))
    content[place] ^= 255
    assert "the compressed file is damaged or incomplete" in complaint(
        put(bytes(content), "g.tsv.gz")
    )


def test_gzip_files_one_after_the_other_are_one(put: Put) -> None:
    content = gzip.compress(b"a\tr\tb\n") + gzip.compress(b"c\tr\td\n")
    assert len(read_graph(put(content, "g.tsv.gz")).facts) == 2


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_mixed_encodings_are_refused_with_their_lines(
    put: Put, pack: Callable[[bytes], bytes]
) -> None:
    utf8, latin = "Zürich\tr\tb\n".encode(), "Zürich\tr\tb\n".encode("latin-1")
    lines = complaint(put(pack(utf8 + latin + utf8 + latin))).splitlines()
    assert len(lines) == 2
    assert ":2: not UTF-8 text ('Z\\xfcrich\\tr\\tb')" in lines[0]
    assert "iconv -f WINDOWS-1252 -t UTF-8" in lines[0]
    assert ":4: not UTF-8 text" in lines[1]


def test_not_more_than_twenty_lines_in_another_encoding_are_named(put: Put) -> None:
    content = b"a\tr\tb\n" + b"\xfc\tr\tb\n" * 100
    assert len(complaint(put(content)).splitlines()) == 20


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_name(put: Put, encoding: str) -> None:
    assert "UTF-16" in complaint(put("a\tr\tb\nc\tr\td\n".encode(encoding)))


def test_a_nul_byte_is_refused_with_its_line(put: Put) -> None:
    assert ":1: a NUL byte" in complaint(put(b"a\0\tr\tb\nc\tr\td\n"))
    message = complaint(put(b"a\tr\tb\nc\0\tr\td\n"))
    assert ":2: head must not contain a tab or a line break or a NUL" in message


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_line_of_ten_megabytes_is_a_line(put: Put, quote: str) -> None:
    long = "x" * 10_000_000
    path = put(f"s,p,o\n{quote}{long}{quote},r,b\nc,r,d\n".encode(), "g.csv")
    assert [row[0] for row in frame_of_graph(read_graph(path)).rows()] == [long, "c"]


def test_a_wrong_line_of_ten_megabytes_makes_a_short_message(put: Put) -> None:
    message = complaint(put(b"a\tr\tb\n" + b"x" * 10_000_000))
    assert len(message) < 400


def test_many_control_characters_are_part_of_the_names(put: Put) -> None:
    assert len(read_graph(put(b"a\x1f\tr\x1e\tb\x02\x1d\nc\tr\td\n")).facts) == 2


def test_a_name_that_python_calls_blank_is_refused_and_no_other() -> None:
    """Python and polars have different white space: the characters \\x1c to \\x1f."""
    names = [chr(code) for code in range(0xD800)]  # white space is all below
    names = [name for name in names if name not in "\t\r\n\0"]
    blank = [name for name in names if not name.strip()]
    frame = pl.DataFrame({"head": names, "relation": "r", "tail": "t"})
    problems = Problems(strict=False)
    graph = graph_of_frame(frame, problems=problems)
    assert problems.total == len(blank)
    assert {"\x1c", "\x1d", "\x1e", "\x1f", " ", "\u2028"} <= set(blank)
    assert set(graph.entities) == {*names, "t"} - set(blank)


def test_a_carriage_return_in_a_line_is_part_of_its_field(put: Put) -> None:
    text = 's,p,o,note\n"a, b",r,c,x\ry\n'
    (row,) = frame_of_graph(read_graph(put(text.encode(), "g.csv"))).rows()
    assert row[:3] == ("a, b", "r", "c")
    assert "tail must not contain" in complaint(put(b's,p,o\n"a, b",r,c\rd\n', "g.csv"))


@pytest.mark.parametrize(
    "url", ["https://example.org/g.tsv", "s3://bucket/g.parquet", "file:///g.tsv"]
)
def test_a_url_is_refused_as_one(capsys: pytest.CaptureFixture[str], url: str) -> None:
    assert complaint(url) == f"{url}: cannot read a URL; download the file and give its path"
    with pytest.raises(InputError, match="cannot read a URL"):
        read_links(url)
    assert run_command(["inspect", url]) == 2
    assert "cannot read a URL" in capsys.readouterr().err


def test_a_folder_a_pipe_and_an_impossible_name_are_refused(tmp_path: Path) -> None:
    assert "found a folder" in complaint(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "a pipe or a device" in complaint(tmp_path / "pipe")
    assert "cannot be read" in complaint("x" * 5000)
    assert "a\\x00b" in complaint("a\0b")


CELLS = st.text(st.sampled_from('ab",;\t\n\r0129-~. \x1f\ufeff\u2028é#'), max_size=6)
TABLES = st.lists(st.lists(CELLS, min_size=1, max_size=6), max_size=8)


@given(
    rows=TABLES,
    separator=st.sampled_from(["\t", ",", ";"]),
    name=st.sampled_from(["g.tsv", "g.csv", "g"]),
    header=st.sampled_from(["", "s,p,o", "head\trelation\ttail\ttime", '"s";"p";"o"']),
)
@example(
    rows=[["a", "r", "b"], ['"' + "x" * 200_000 + '"', "r", "b"]],
    separator=",",
    name="g.csv",
    header="",
)
@example(rows=[["", '\r"']], separator=",", name="g.csv", header="")
@example(rows=[["\x1f", "r", "b"]], separator="\t", name="g.tsv", header="")
def test_any_table_is_read_or_refused(
    put: Put, rows: list[list[str]], separator: str, name: str, header: str
) -> None:
    lines = [header] * bool(header) + [separator.join(row) for row in rows]
    path = put("\n".join(lines).encode(), name)
    graph = outcome(path)
    if isinstance(graph, Graph):
        assert len(graph.facts) <= "\n".join(lines).count("\n") + 1


@given(
    content=st.binary(max_size=200), name=st.sampled_from(["g.tsv", "g.parquet", "g.gz", "g.zip"])
)
@example(content=b"PK\3\4", name="g.zip")
@example(content=b"\x1f\x8b", name="g.gz")
@example(content=b"\x28\xb5\x2f\xfd", name="g.zst")
@example(content=b"PAR1", name="g.parquet")
@example(content=b'";', name="g.tsv")
def test_any_bytes_are_read_or_refused(put: Put, content: bytes, name: str) -> None:
    path = put(content, name)
    for columns in (None, "icews", "gdelt", "neo4j"):
        graph = outcome(path, columns=columns)
        if isinstance(graph, Graph):
            assert len(graph.facts) <= 1 + content.count(b"\n")


@given(
    rows=st.lists(
        st.tuples(
            *[st.text(st.characters(exclude_characters="\t\r\n\0", codec="utf-8"), min_size=1)] * 3
        ).filter(lambda row: all(cell.strip() for cell in row)),
        min_size=1,
        max_size=6,
    )
)
@example(rows=[("0", "0", "0\x1f")])
def test_names_come_through_a_tsv_as_they_are(put: Put, rows: list[tuple[str, str, str]]) -> None:
    lines = ["head\trelation\ttail", *("\t".join(row) for row in rows)]
    path = put("\n".join(lines).encode())
    assert [row[:3] for row in frame_of_graph(read_graph(path)).rows()] == rows
