"""What files and error messages are on every system."""

from __future__ import annotations

import datetime
import errno
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lighttea.errors import OutputError
from lighttea.io import outputs
from lighttea.io.files import write_whole
from lighttea.io.rows import text_of


def test_text_files_have_the_same_bytes_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, settings = Path.write_text, []

    def keep(path: Path, text: str, **how: Any) -> int:
        settings.append(how)
        return write(path, text, **how)

    monkeypatch.setattr(Path, "write_text", keep)
    write_whole(tmp_path / "a.txt", "één\ntwee\n")
    assert settings == [{"encoding": "utf-8", "newline": "\n"}]
    assert (tmp_path / "a.txt").read_bytes() == "één\ntwee\n".encode()


@pytest.mark.parametrize(
    ("system", "code", "words"),
    [
        ("linux", errno.ENOSPC, "No space left on device"),
        ("win32", 112, "No space left on device"),
        ("win32", 39, "No space left on device"),
        ("win32", 32, "Permission denied"),
        ("win32", 5, "Permission denied"),
        ("win32", 1392, "(os error 1392)"),
    ],
)
def test_an_error_number_of_the_system_is_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, code: int, words: str
) -> None:
    monkeypatch.setattr(outputs.sys, "platform", system)  # type: ignore[attr-defined]
    with pytest.raises(OutputError) as failed, outputs.writing(tmp_path / "x.parquet"):
        raise pl.exceptions.ComputeError(f"it failed (os error {code})")
    assert words in str(failed.value)


def test_a_year_has_four_digits_on_every_system() -> None:
    assert text_of(datetime.datetime(33, 4, 3, 15, 0)) == "0033-04-03T15:00:00"
    zone = datetime.timezone(datetime.timedelta(hours=2))
    assert text_of(datetime.datetime(2001, 1, 1, 1, 0, 5, 9, zone)) == "2000-12-31T23:00:05"
