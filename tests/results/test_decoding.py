"""Damaged tables of a run never reach the library that would decode them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lighttea.errors import InputError
from lighttea.results import read
from lighttea.results.check import check_run
from lighttea.results.cluster_store import load_clusters
from lighttea.results.schema import TABLES
from lighttea.results.store import load_run
from tests.literal_worlds import literal_run
from tests.run_folders import forget_list
from tests.several import run_of_three

DAMAGED = Path(__file__).parents[1] / "fuzz" / "finds" / "parquet-ae7dd67f" / "g.parquet"
FILES = [table.file for table in TABLES if not table.later]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return literal_run().save(tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "run")


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are decoded."""
    names: list[str] = []
    decode = pl.read_parquet

    def note(path: Path, **options: Any) -> pl.DataFrame:
        names.append(path.name)
        return decode(path, **options)

    monkeypatch.setattr(pl, "read_parquet", note)
    return names


@pytest.mark.parametrize("file", FILES)
def test_a_file_with_another_digest_is_not_decoded(
    folder: Path, decoded: list[str], file: str
) -> None:
    path = folder / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="other digest"):
        load_run(folder)
    assert file not in decoded
    assert "links.parquet" in {*decoded, file}  # the others are


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("file", ["links.parquet", "candidates.parquet", "facts_left.parquet"])
def test_a_file_without_digest_is_looked_at_before_it_is_decoded(
    folder: Path, decoded: list[str], monkeypatch: pytest.MonkeyPatch, file: str, large: bool
) -> None:
    """Files of earlier versions have no digest; those of large files are not compared."""
    if large:
        monkeypatch.setattr(read, "DIGEST_ON_OPENING", -1)
        content = bytearray((folder / file).read_bytes())
        content[-8:-4] = b"\xff\xff\xff\x7f"  # the length of the footer
        (folder / file).write_bytes(content)
    else:
        forget_list(folder)
        shutil.copy(DAMAGED, folder / file)
    with pytest.raises(InputError, match=r"it is no readable Parquet file \(its "):
        load_run(folder)
    assert file not in decoded
    check_run(folder)
    assert file not in decoded


def test_a_table_of_clusters_is_looked_at_too(tmp_path: Path, decoded: list[str]) -> None:
    folder = forget_list(run_of_three().save(tmp_path / "run"))
    shutil.copy(DAMAGED, folder / "clusters.parquet")
    with pytest.raises(InputError, match=r"it is no readable Parquet file \(its pages have other"):
        load_clusters(folder)
    assert "clusters.parquet" not in decoded
