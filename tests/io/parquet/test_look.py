"""Heads of Parquet files that do not fit are refused in words, before anything is decoded."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from lighttea import InputError, read_graph
from lighttea.io.parquet.look import ParquetError, look_at
from lighttea.io.parquet.read import decode_parquet
from tests.fuzz.parquet_files import parquet_contents
from tests.io.parquet.made import N_ROWS, NAMES, Long, page, page_2, parquet_file

WRONG: dict[str, tuple[bytes, str]] = {
    "values below zero": (parquet_file(page(data={1: -1})), "other numbers of values"),
    "too many values": (parquet_file(page(data={1: 2**31 - 1})), "other numbers of values"),
    "more nulls than values": (parquet_file(page_2(data={2: N_ROWS + 1})), "more empty values"),
    "nulls below zero": (parquet_file(page_2(data={2: -1})), "more empty values than values"),
    "more rows than values": (parquet_file(page_2(data={3: N_ROWS + 1})), "more rows than"),
    "long levels": (parquet_file(page_2(data={5: 2**31 - 1})), "shorter than its levels"),
    "levels below zero": (parquet_file(page_2(data={6: -1})), "shorter than its levels"),
    "a long page": (parquet_file(page(head={3: 2**31 - 1})), "longer than what is there"),
    "a page below zero": (parquet_file(page(head={3: -1})), "negative length"),
    "unpacked below zero": (parquet_file(page(head={2: -1})), "negative length"),
    "a page of no type": (parquet_file(page(head={1: 9})), "no page of the type 9"),
    "a dictionary without bytes": (
        parquet_file({1: 2, 2: 0, 3: 0, 7: {1: 2**31 - 1, 2: 0}}),
        "a dictionary has more entries than bytes",
    ),
    "a column with more values": (parquet_file(chunk={5: Long(2**40)}), "has 1,099,511,627,776"),
    "a column with fewer": (parquet_file(chunk={5: Long(-1)}), "3 rows has -1 values"),
    "data before the file": (parquet_file(chunk={9: Long(-5)}), "begins outside the file"),
    "data behind the file": (parquet_file(chunk={9: Long(2**62)}), "ends outside the file"),
    "a size below zero": (parquet_file(chunk={7: Long(-1)}), "its data has a negative length"),
    "rows below zero": (parquet_file(group={3: Long(-1)}), "a row group has no number of rows"),
    "other rows in all": (parquet_file(footer={3: Long(2**62)}), "other numbers of rows"),
    "no columns": (parquet_file(schema=[]), "it has no columns"),
    "columns without data": (parquet_file(group={1: []}), "3 columns have 0 parts"),
    "children that are missing": (parquet_file(schema=[{4: "root", 5: 9}]), "do not fit together"),
    "children below zero": (parquet_file(schema=[{4: "root", 5: -1}]), "do not fit together"),
    "deep columns": (
        parquet_file(schema=[{4: "c", 5: 1}] * 100_000),
        "its columns are nested deeper than 50",
    ),
    "values of negative length": (
        parquet_file(schema=[{4: "root", 5: 1}, {1: 7, 2: -4, 4: "x"}]),
        "the values of a column have a negative length",
    ),
    "a number of another type": (parquet_file(chunk={5: N_ROWS}), "expected a value of type 6"),
    "a list of another type": (parquet_file(footer={4: [1]}), "expected a struct, found a value"),
    "a list that is none": (parquet_file(footer={4: Long(1)}), "expected a list, found a value"),
    "nothing": (b"", "it has 0 bytes only"),
    "another end": (parquet_file()[:-1] + b"2", "it does not end as Parquet files do"),
    "a long footer": (parquet_file()[:-8] + b"\xff\xff\xff\x7fPAR1", "longer than the file"),
}


def written(place: Path, content: bytes) -> Path:
    path = place / "g.parquet"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", WRONG)
def test_heads_that_do_not_fit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    content, problem = WRONG[name]
    path = written(tmp_path, content)
    monkeypatch.setattr(pl, "read_parquet", None)  # nothing is decoded
    with pytest.raises(InputError) as caught:
        read_graph(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: cannot be read as Parquet: ")
    assert problem in message
    assert message.endswith("; the file is damaged or no Parquet")
    assert "\n" not in message


@pytest.mark.parametrize("head", [page(), page_2()])
def test_files_made_by_hand_are_read(tmp_path: Path, head: dict[int, Any]) -> None:
    graph = read_graph(written(tmp_path, parquet_file(head)))
    assert list(graph.entities) == ["a", "b", "c"]


@pytest.mark.parametrize("number", range(len(parquet_contents())))
def test_good_files_of_all_forms_are_read_as_polars_reads_them(tmp_path: Path, number: int) -> None:
    content = parquet_contents()[number]
    path = written(tmp_path, content)
    assert decode_parquet(path).equals(pl.read_parquet(io.BytesIO(content)))


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "zstd", "gzip", "brotli", "lz4_raw"])
def test_files_of_duckdb_are_read(tmp_path: Path, version: str, codec: str) -> None:
    path = tmp_path / "g.parquet"
    facts = "select 'e' || (i % 7) head, 'r' relation, 'e' || i tail, i * i number, [i, i] numbers"
    duckdb.sql(
        f"copy ({facts} from range(5000) t(i)) to '{path}' "
        f"(format parquet, codec {codec}, parquet_version {version})"
    )
    assert decode_parquet(path).equals(pl.read_parquet(path))
    assert look_at(path).is_bounded == (version == "v1")


def test_a_table_without_rows_or_with_many_columns_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "g.parquet"
    for table in (
        pl.DataFrame(schema={"head": pl.String}),
        pl.DataFrame({f"column {n}": [n, n + 1] for n in range(300)}),
        pl.DataFrame({"long": ["x" * 100_000, "y"]}),  # statistics hold long texts
    ):
        table.write_parquet(path)
        assert decode_parquet(path).equals(table)


def test_every_cut_is_refused(tmp_path: Path) -> None:
    content = parquet_contents()[0]
    for end in range(0, len(content), 7):
        with pytest.raises(ParquetError):
            look_at(written(tmp_path, content[:end]))


def test_what_heads_promise_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lighttea.io.packed.FREE_BYTES", 1 << 10)
    monkeypatch.setenv("LIGHTTEA_MAX_RATIO", "1")
    path = written(tmp_path, parquet_file(page(head={2: 2**31 - 1})))
    with pytest.raises(InputError, match="unpacks to more than"):
        read_graph(path)
    fixed = [{4: "root", 5: 3}, *({1: 7, 2: 2**20, 3: 0, 4: name} for name in NAMES)]
    with pytest.raises(InputError, match="unpacks to more than"):
        read_graph(written(tmp_path, parquet_file(schema=fixed)))
