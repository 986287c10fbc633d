"""Compressed files, damaged ones, and what is no file at all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from lighttea import InputError, read_graph
from lighttea.errors import EngineUnavailable
from lighttea.io import streams
from lighttea.io.formats import FORMATS
from lighttea.io.graphs import detect_format
from lighttea.io.streams import line_blocks

LINE = b"<http://ex/a> <http://ex/r> <http://ex/b%d> .\n"
CONTENT = b"".join(LINE % n for n in range(5_000))
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("kind", [".nt", ".ttl"])
def test_compressed_files_are_read(tmp_path: Path, kind: str, suffix: str) -> None:
    path = tmp_path / f"graph{kind}{suffix}"
    pack = PACKERS[suffix]
    path.write_bytes(pack(CONTENT) + pack(LINE % 7_777))  # two members, as parallel packers write
    assert len(read_graph(path).facts) == 5_001


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("kind", [".nt", ".ttl", ".json"])
def test_files_cut_short_are_refused(tmp_path: Path, kind: str, suffix: str) -> None:
    path = tmp_path / f"graph{kind}{suffix}"
    path.write_bytes(PACKERS[suffix](CONTENT)[:-20])
    with pytest.raises(
        InputError, match=r"the compressed file is damaged or incomplete .*; download or copy it"
    ):
        read_graph(path)


@pytest.mark.parametrize("suffix", PACKERS)
def test_damaged_files_are_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"graph.nt{suffix}"
    packed = bytearray(PACKERS[suffix](CONTENT))
    packed[len(packed) // 2] ^= 0xFF
    path.write_bytes(bytes(packed))
    with pytest.raises(InputError, match=r"damaged or incomplete|cannot be read"):
        read_graph(path)


def test_what_a_file_is_packed_with_is_seen_in_it(tmp_path: Path) -> None:
    path = tmp_path / "graph.nt"
    path.write_bytes(gzip.compress(CONTENT))
    assert len(read_graph(path).facts) == 5_000
    misnamed = tmp_path / "plain.nt.gz"
    misnamed.write_bytes(CONTENT)
    assert len(read_graph(misnamed).facts) == 5_000


def test_zstd_needs_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "graph.nt.zst"
    path.write_bytes(PACKERS[".zst"](CONTENT))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(EngineUnavailable, match=r"pip install 'lighttea\[zstd\]'"):
        read_graph(path)


@pytest.mark.parametrize("address", ["http://ex.org/a.nt", "https:/ex.org/a.nt", "s3://a/b.ttl"])
def test_a_web_address_is_no_file(address: str) -> None:
    with pytest.raises(InputError, match="cannot read a URL; download the file"):
        read_graph(address)


@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_and_nothing_are_no_files(tmp_path: Path, form: str) -> None:
    with pytest.raises(InputError, match="expected a file, found a folder"):
        read_graph(tmp_path, format=form)
    with pytest.raises(InputError, match="no such file"):
        read_graph(tmp_path / "absent", format=form)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.nt", "ntriples"),
        ("a.b.NT.GZ", "ntriples"),
        ("yago-wd-annotated-facts.ntx", "ntriples"),
        ("a.nq.bz2", "nquads"),
        ("a.ttl.xz", "turtle"),
        ("a.trig", "trig"),
        ("a.owl", "rdfxml"),
        ("a.jsonld.gz", "jsonld"),
        ("a.graphml", "graphml"),
        ("a.tsv.gz", "table"),
        ("a.parquet", "table"),
    ],
)
def test_the_name_says_the_format(name: str, form: str) -> None:
    assert detect_format(name) == form


def test_the_format_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(CONTENT)
    assert len(read_graph(path, format="ntriples").facts) == 5_000
    with pytest.raises(InputError, match="format: 'hdt' is unknown; choose from table, ntriples"):
        read_graph(path, format="hdt")
    with pytest.raises(InputError, match="a Wikidata dump has none"):
        read_graph(path, format="wikidata", columns={"begin": "x"})


@given(st.lists(st.binary(max_size=9).filter(lambda b: b"\n" not in b)), st.integers(1, 30))
def test_blocks_are_the_lines_of_the_file(lines: list[bytes], size: int) -> None:
    content = b"\n".join(lines)
    blocks = list(line_blocks(io.BytesIO(content), size))
    assert b"".join(block.content for block in blocks) == content
    assert all(block.content.endswith(b"\n") for block in blocks[:-1])
    numbers = [block.first_line for block in blocks]
    counted = [1]
    for block in blocks[:-1]:
        counted.append(counted[-1] + block.content.count(b"\n"))
    assert numbers == counted[: len(numbers)]


def test_a_line_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LONGEST_LINE", 100)
    content = b"a\n" + b"x" * 1_000 + b"\nb\nc\n" + b"y" * 1_000
    blocks = list(line_blocks(io.BytesIO(content), 16))
    assert [block.first_line for block in blocks if block.too_long] == [2, 5]
    assert b"".join(block.content for block in blocks if not block.too_long) == b"a\nb\nc\n"
