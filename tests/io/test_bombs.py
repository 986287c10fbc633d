"""Packed files that stand for more than they may: refused in one sentence, in bounded memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

from lighttea import ConfigError, InputError, read_graph
from lighttea.io import lines, packed, streams
from lighttea.io.descriptions import sheets
from lighttea.io.packed import RATIO_VARIABLE, largest_content
from lighttea.io.streams import open_bytes

TRIPLE = b"<http://e/a> <http://e/r> <http://e/b> .\n"
ROW = b"a\tr\tb\n"
LARGE, HUGE = 20 << 20, 120 << 20


def zip_content(content: bytes, packer: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packer) as archive:
        archive.writestr("content", content)
    return made.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
    ".zip": zip_content,
}


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that a test reaches in a moment."""
    monkeypatch.setattr(packed, "FREE_BYTES", 1 << 20)


@pytest.mark.parametrize("suffix", PACKERS)
def test_every_packer_is_unpacked_piece_by_piece(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"graph{suffix}"
    path.write_bytes(PACKERS[suffix](bytes(HUGE)))
    tracemalloc.start()
    try:
        with open_bytes(path) as stream:
            n_bytes = sum(len(piece) for piece in iter(lambda: stream.read(1 << 20), b""))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_bytes == HUGE
    assert peak < 80 << 20  # 1 KiB of zstd may be 32 MiB, and its library holds that twice


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize(("kind", "unit"), [(".nt", TRIPLE), (".tsv", ROW), (".jsonl", b"{}\n")])
def test_a_bomb_ends_in_one_sentence(tmp_path: Path, suffix: str, kind: str, unit: bytes) -> None:
    path = tmp_path / f"graph{kind}{suffix}"
    path.write_bytes(PACKERS[suffix](unit * (LARGE // len(unit))))
    with pytest.raises(InputError, match="unpacks to more than") as caught:
        read_graph(path, format="wikidata" if kind == ".jsonl" else None)
    assert "\n" not in str(caught.value)
    assert RATIO_VARIABLE in str(caught.value)


@pytest.mark.usefixtures("small_limit")
def test_the_limit_can_be_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "graph.nt.gz"
    path.write_bytes(gzip.compress(TRIPLE * 100_000))
    with pytest.raises(InputError, match="unpacks to more than"):
        read_graph(path)
    monkeypatch.setenv(RATIO_VARIABLE, "100000")
    assert len(read_graph(path).entities) == 2


@pytest.mark.parametrize("value", ["", "0", "-1", "many", "1e3", "9" * 30])
def test_a_wrong_limit_is_an_error(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(RATIO_VARIABLE, value)
    with pytest.raises(ConfigError, match=f"{RATIO_VARIABLE} must be a whole number"):
        largest_content(1)


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("suffix", PACKERS)
def test_repetitive_files_of_users_are_read(tmp_path: Path, suffix: str) -> None:
    rows = "".join(f"http://example.org/person/{n}\tlives in\tZürich\n" for n in range(60_000))
    path = tmp_path / f"graph.tsv{suffix}"
    path.write_bytes(PACKERS[suffix](rows.encode()))
    assert path.stat().st_size * 5 < len(rows)
    assert len(read_graph(path).facts) == 60_000


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_line_of_a_table_has_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(streams, "LONGEST_LINE", 1 << 20)
    monkeypatch.setattr(streams, "BLOCK_BYTES", 1 << 20)
    path = tmp_path / f"graph.tsv{suffix}"
    path.write_bytes(PACKERS[suffix](ROW + b"a" * LARGE))
    with pytest.raises(InputError, match=r":2: a line of more than \d+ MiB"):
        read_graph(path)


def test_short_lines_count_what_they_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "FREE_BYTES", 8_000_000)
    path = tmp_path / "graph.tsv.gz"
    path.write_bytes(gzip.compress(b"\n" * 7_000_000))
    with pytest.raises(InputError, match="unpacks to more than"):
        lines.read_lines(path)


@pytest.mark.usefixtures("small_limit")
def test_a_table_of_parquet_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "graph.parquet"
    n_rows = 2_000_000
    same = pl.repeat("a", n_rows, eager=True)
    pl.DataFrame({"head": same, "relation": same, "tail": same}).write_parquet(path)
    with pytest.raises(InputError, match="unpacks to more than"):
        read_graph(path)


@pytest.mark.usefixtures("small_limit")
def test_a_workbook_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(zip_content(bytes(LARGE)))
    with pytest.raises(InputError, match="unpacks to more than"):
        sheets.sheet_names(path)


def test_zips_packed_otherwise_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph.tsv.zip"
    path.write_bytes(zip_content(ROW, zipfile.ZIP_BZIP2))
    with pytest.raises(InputError, match="other means than deflate; unpack it first"):
        read_graph(path)


def test_a_zip_cut_inside_its_content_is_refused(tmp_path: Path) -> None:
    whole = zip_content(b"".join(b"%d\tr\tb\n" % n for n in range(20_000)))
    begin = whole.index(b"content") + len(b"content")
    directory = whole.index(b"PK\1\2")
    path = tmp_path / "graph.tsv.zip"
    path.write_bytes(whole[:begin] + whole[directory:])  # the directory promises more than there is
    with pytest.raises(InputError, match=r"graph\.tsv\.zip: "):
        read_graph(path)


def test_frames_to_skip_are_skipped(tmp_path: Path) -> None:
    skipped = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"size"
    path = tmp_path / "graph.nt.zst"
    path.write_bytes(skipped + PACKERS[".zst"](TRIPLE))
    assert len(read_graph(path).facts) == 1


def test_a_file_without_permission_is_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("graph.tsv", "graph.nt", "graph.parquet", "graph.toml", "graph.zip"):
        path = tmp_path / name
        path.write_bytes(ROW)
        monkeypatch.setattr("lighttea.io.lines.os.access", lambda *_: False)
        with pytest.raises(InputError, match="you may not read this file; check its permissions"):
            read_graph(path)


@pytest.mark.parametrize("form", [None, "table", "ntriples"])
@pytest.mark.parametrize("path", ["", Path()])
def test_an_empty_name_is_no_file(path: str | Path, form: str | None) -> None:
    with pytest.raises(InputError, match="the name of a file is empty"):
        read_graph(path, format=form)
