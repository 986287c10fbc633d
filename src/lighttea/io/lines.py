"""The line check that stands beside the fast reader.

polars fills short lines with nulls unasked. Here every line of a text table is read as one field
first and its separators are counted, so that a wrong line is an error with its number.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError

_NO_SEPARATOR = "\x1f"
_SHOWN_CHARACTERS = 80


@dataclass(frozen=True)
class Lines:
    """The lines of a text file: their numbers from 1, their texts, blank ones left out."""

    path: Path
    frame: pl.DataFrame  # number: u32, text: str

    @property
    def first(self) -> str:
        """The first line that is not blank."""
        return str(self.frame["text"][0])


def existing_file(path: str | Path) -> Path:
    """The path, if it is a file that can be read."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path}: expected a file, found a folder")
    if not path.exists():
        raise InputError(f"{path}: no such file; check the path")
    return path


def digest(path: Path) -> str:
    """sha256 of a file's bytes."""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def read_lines(path: str | Path) -> Lines:
    """All lines of a plain, gzip or zstd text file."""
    path = existing_file(path)
    try:
        frame = pl.read_csv(
            path,
            separator=_NO_SEPARATOR,
            has_header=False,
            quote_char=None,
            infer_schema=False,
            new_columns=["text"],
            row_index_name="number",
            row_index_offset=1,
        )
    except pl.exceptions.NoDataError:
        raise InputError(f"{path}: the file is empty; expected one line for each row") from None
    except pl.exceptions.ComputeError as error:
        raise InputError(f"{path}: cannot be read as UTF-8 text: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    frame = frame.select("number", "text").filter(
        pl.col("text").str.strip_chars(" \t").is_not_null()
    )
    frame = frame.filter(pl.col("text").str.strip_chars(" \t") != "")
    if frame.is_empty():
        raise InputError(f"{path}: the file is empty; expected one line for each row")
    return Lines(path, frame)


def check_widths(lines: Lines, separator: str, expected: Sequence[int], advice: str) -> int:
    """The number of fields that every line has; wrong lines are reported all together.

    The first line decides the width, which has to be one of those expected (none: any).
    """
    text = pl.col("text")
    if separator == ",":
        text = text.str.replace_all(r'"[^"]*"', "")
    widths = lines.frame.select(
        "number", "text", width=text.str.count_matches(separator, literal=True) + 1
    )
    width = int(widths["width"][0])
    wrong = widths.filter(pl.col("width") != width)
    if expected and width not in expected:
        wrong = widths.head(1)
    if wrong.is_empty():
        return width
    wanted = " or ".join(map(str, expected)) if expected and width not in expected else str(width)
    name = {"\t": "tab-separated", ",": "comma-separated"}.get(
        separator, f"{separator!r}-separated"
    )
    problems = [
        f"{lines.path}:{row['number']}: expected {wanted} {name} fields, found {row['width']} "
        f"({shown(row['text'])}){advice}"
        for row in wrong.head(SHOWN_PROBLEMS).iter_rows(named=True)
    ]
    raise InputError.of_many(problems, total=len(wrong))


def split_line(line: str, separator: str) -> list[str]:
    """The fields of one line."""
    if separator != ",":
        return line.split(separator)
    return next(csv.reader([line], delimiter=separator))


def shown(text: str) -> str:
    """A line as it is shown in a message: quoted, tabs visible, cut when long."""
    text = text.replace("\t", "<TAB>")
    return (
        '"' + (text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "...") + '"'
    )
