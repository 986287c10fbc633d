"""The line check that stands beside the fast reader.

polars fills short lines with nulls unasked. So a text table is read line by line first, its fields
are counted, and only then is it split: a wrong line is an error with its number.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError

_NO_SEPARATORS = ("\x1f", "\x1e", "\x02")  # the first that does not occur in the file will do
_SHOWN_CHARACTERS = 80
_NAMES = {"\t": "tab-separated", ",": "comma-separated", ";": "semicolon-separated"}


@dataclass(frozen=True)
class Lines:
    """The lines of a text file: their numbers from 1, their texts, blank ones left out."""

    path: Path
    number: pl.Series
    text: pl.Series

    @property
    def first(self) -> str:
        """The first line that is not blank."""
        return str(self.text[0])

    @property
    def first_number(self) -> int:
        """Where the first line that is not blank stands."""
        return int(self.number[0])


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
    frame = _whole_lines(path)
    text = frame["text"].str.strip_suffix("\r")
    blank = text.is_null() | (text.str.strip_chars() == "")
    if blank.all():
        raise InputError(f"{path}: the file is empty; expected one line for each row")
    return Lines(path, frame["number"].filter(~blank), text.filter(~blank))


def _whole_lines(path: Path) -> pl.DataFrame:
    """number and text of every line, through polars' reader for tables of one column."""
    for separator in _NO_SEPARATORS:
        try:
            frame = pl.read_csv(
                path,
                separator=separator,
                has_header=False,
                quote_char=None,
                infer_schema=False,
                row_index_name="number",
                row_index_offset=1,
            )
        except pl.exceptions.NoDataError:
            raise InputError(f"{path}: the file is empty; expected one line for each row") from None
        except pl.exceptions.PolarsError as error:
            problem = str(error).splitlines()[0]
            continue
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error}") from None
        if frame.width == 2:
            return frame.rename({frame.columns[1]: "text"})
        problem = "it holds control characters"
    raise InputError(f"{path}: cannot be read as UTF-8 text: {problem}")


def split_fields(
    lines: Lines, separator: str, expected: Sequence[int], advice: str = ""
) -> list[pl.Series]:
    """The columns of a table. Every line must have as many fields as the first.

    That number has to be one of those expected (none: any). A semicolon or a comma inside double
    quotes separates nothing; tab-separated files know no quotes.
    """
    if separator != "\t" and lines.text.str.contains('"', literal=True).any():
        return _split_quoted(lines, separator, expected, advice)
    widths = lines.text.str.count_matches(separator, literal=True) + 1
    width = _common_width(lines, separator, widths, expected, advice)
    if width == 1:
        return [lines.text]
    parts = lines.text.str.split_exact(separator, width - 1).struct
    return [parts.field(f"field_{number}") for number in range(width)]


def _split_quoted(
    lines: Lines, separator: str, expected: Sequence[int], advice: str
) -> list[pl.Series]:
    odd = lines.text.str.count_matches('"', literal=True) % 2 == 1
    if odd.any():
        problems = [
            f"{lines.path}:{number}: a quoted field that is not closed on its line; quoted fields "
            "over several lines are not read"
            for number in lines.number.filter(odd).head(SHOWN_PROBLEMS)
        ]
        raise InputError.of_many(problems, total=int(odd.sum()))
    rows = [split_line(text, separator) for text in lines.text]
    widths = pl.Series([len(row) for row in rows], dtype=pl.UInt32)
    width = _common_width(lines, separator, widths, expected, advice)
    return [pl.Series([row[number] for row in rows], dtype=pl.String) for number in range(width)]


def _common_width(
    lines: Lines, separator: str, widths: pl.Series, expected: Sequence[int], advice: str
) -> int:
    """The number of fields that every line has; wrong lines are reported all together."""
    width = int(widths[0])
    wanted = str(width)
    wrong = pl.DataFrame({"number": lines.number, "text": lines.text, "width": widths})
    if expected and width not in expected:
        wanted, wrong = " or ".join(map(str, expected)), wrong.head(1)
    else:
        wrong = wrong.filter(pl.col("width") != width)
    if wrong.is_empty():
        return width
    kind = _NAMES.get(separator, f"{separator!r}-separated")
    problems = [
        f"{lines.path}:{row['number']}: expected {wanted} {kind} fields, found {row['width']} "
        f"({shown(row['text'])}){advice}"
        for row in wrong.head(SHOWN_PROBLEMS).iter_rows(named=True)
    ]
    raise InputError.of_many(problems, total=len(wrong))


def split_line(line: str, separator: str) -> list[str]:
    """The fields of one line."""
    if separator == "\t" or '"' not in line:
        return line.split(separator)
    return next(csv.reader([line], delimiter=separator))


def shown(text: str) -> str:
    """A line as it is shown in a message: quoted, tabs visible, cut when long."""
    text = text.replace("\t", "<TAB>")
    if len(text) > _SHOWN_CHARACTERS:
        text = text[:_SHOWN_CHARACTERS] + "..."
    return f'"{text}"'
