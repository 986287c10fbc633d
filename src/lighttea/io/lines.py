"""Text tables, checked line by line before they are split.

polars fills short lines with nulls. So a text table is read as lines first and its fields are
counted; a wrong line is an error with its number.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from lighttea.display import escape_value, visible
from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.io.encodings import EncodingError, encoding_error
from lighttea.io.packed import bomb_error, is_packed, largest_content
from lighttea.io.problems import Problems
from lighttea.io.streams import LONGEST_LINE, Block, Readable, line_blocks, open_bytes

# candidates for a separator that does not occur in the file
_RARE_CHARACTERS = "\x1f\x1e\x1d\x1c\x1b\x01\x02\x03\x04\x05\x06\x07\x0e\x0f\x10\x11\x12\x13"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_LONGEST_FIELD = 2**31 - 1
_RETURN_STAND_IN = "\ue00d"  # a character for private use
_LINE_BYTES = 20  # of a short line, in memory
_MARK = b"\xef\xbb\xbf"  # before UTF-8 text
_NOT_UTF8 = "\ufffd"  # replaces bytes that are not UTF-8 in a lossy reading
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
        """The number of the first line that is not blank."""
        return int(self.number[0])

    def without(self, wrong: pl.Series, descriptions: Sequence[str], problems: Problems) -> Lines:
        """Return the lines that are not wrong; the wrong ones become problems.

        `descriptions` are those of the first wrong lines.
        """
        problems.add_many(
            [
                f"{self.path}:{number}: {description}"
                for number, description in zip(
                    self.number.filter(wrong), descriptions, strict=False
                )
            ],
            total=int(wrong.sum()),
        )
        return replace(self, number=self.number.filter(~wrong), text=self.text.filter(~wrong))


def existing_file(path: str | Path) -> Path:
    """Return the path; raise an error where it is not a file that can be read."""
    given, path = str(path), Path(path)
    if not given:
        raise InputError("the name of a file is empty; give its path")
    try:
        if path.is_dir():
            raise InputError(f"{path}: expected a file, found a folder")
        if not path.exists():
            if _URL.match(given):
                raise InputError(f"{given}: cannot read a URL; download the file and give its path")
            raise InputError(f"{path}: no such file; check the path")
        if not path.is_file():
            raise InputError(f"{path}: this is a pipe or a device; write it to a file first")
        if not os.access(path, os.R_OK):
            raise InputError(f"{path}: you may not read this file; check its permissions")
    except (OSError, ValueError) as error:  # not a possible file name
        raise InputError(f"{escape_value(given)}: cannot be read: {error}") from None
    return path


def file_digest(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def read_lines(
    path: str | Path, problems: Problems | None = None, *, encoding: str | None = None
) -> Lines:
    """Return all lines of a plain or packed text file; a zip must hold one file.

    Lines that are not UTF-8, unless another `encoding` is given, are an error, or are left out and
    counted by `problems`.
    """
    path = existing_file(path)
    not_all_utf8 = None
    try:
        frame = _read_all_lines(path, encoding)
    except EncodingError as error:
        if problems is None or problems.strict:
            raise
        frame, not_all_utf8 = _read_all_lines(path, encoding, lossy=True), error
    text = frame["text"].str.strip_suffix("\r")
    blank = text.is_null() | (text.str.strip_chars() == "")
    if blank.all():
        raise InputError(f"{path}: the file is empty; expected one line for each row")
    lines = Lines(path, frame["number"].filter(~blank), text.filter(~blank))
    if "\0" in lines.first:
        raise InputError(
            f"{path}:{lines.first_number}: a NUL byte: the file is binary, damaged or UTF-16 "
            "text (convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW)"
        )
    if problems is not None and not_all_utf8 is not None:
        wrong = lines.text.str.contains(_NOT_UTF8, literal=True)
        if 2 * wrong.sum() > len(wrong):
            raise not_all_utf8  # it says how to convert the file
        first = lines.text.filter(wrong).head(SHOWN_PROBLEMS)
        lines = lines.without(
            wrong, [f"not UTF-8 text ({quote_line(text)})" for text in first], problems
        )
    return lines


def _read_all_lines(path: Path, encoding: str | None, *, lossy: bool = False) -> pl.DataFrame:
    """Return number and text of every line; a packed file is unpacked block by block.

    Bytes that are not UTF-8 are an error, or with `lossy` become replacement characters.
    """
    try:
        if encoding is None and not is_packed(path):
            return _read_plain_lines(path, lossy=lossy)
    except OSError as error:
        cut = any(word in str(error) for word in ("end of file", "corrupt", "incomplete"))
        advice = "; the file is damaged or cut short, copy or download it again" * cut
        raise InputError(f"{path}: cannot be read: {error}{advice}") from None
    frames, size = [], path.stat().st_size
    with open_bytes(path) as stream:
        content = stream if encoding is None else _Recoded(path, stream, encoding)
        for block in line_blocks(content):
            frames.append(_lines_of_block(path, block, lossy=lossy))
            if sum(map(len, frames)) * _LINE_BYTES > largest_content(size):
                raise bomb_error(path, size)
    if not frames:
        raise InputError(f"{path}: the file is empty; expected one line for each row")
    return pl.concat(frames)


def _lines_of_block(path: Path, block: Block, *, lossy: bool) -> pl.DataFrame:
    if block.too_long:
        raise InputError(
            f"{path}:{block.first_line}: a line of more than {LONGEST_LINE >> 20} MiB; a row of a "
            "table is far shorter: the file is damaged or something else"
        )
    content = block.content.removesuffix(b"\n")
    if block.first_line == 1:
        content = content.removeprefix(_MARK)
    try:
        texts = content.decode("utf-8", "replace" if lossy else "strict").split("\n")
    except UnicodeDecodeError as error:
        raise encoding_error(path, str(error)) from None
    last = block.first_line + len(texts)
    number = pl.int_range(block.first_line, last, dtype=pl.UInt32, eager=True)
    return pl.DataFrame({"number": number, "text": pl.Series(texts, dtype=pl.String)})


class _Recoded:
    """A stream in another encoding as UTF-8."""

    def __init__(self, path: Path, stream: Readable, encoding: str) -> None:
        self._path, self._stream, self._encoding = path, stream, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def read(self, size: int) -> bytes:
        """Return the next bytes; none at the end."""
        while True:
            chunk = self._stream.read(size)
            try:
                content = self._decoder.decode(chunk, final=not chunk).encode()
            except (UnicodeDecodeError, UnicodeEncodeError) as error:
                raise InputError(
                    f"{self._path}: not {self._encoding} text: {error.reason}; check encoding"
                ) from None
            if content or not chunk:
                return content


def _read_plain_lines(path: Path, *, lossy: bool) -> pl.DataFrame:
    """Return number and text of every line, read by polars as a table of one column."""
    last = _last_byte(path)
    for separator in _RARE_CHARACTERS:
        if last == separator.encode():  # polars drops a separator that ends the file
            continue
        try:
            frame = pl.read_csv(
                path,
                glob=False,
                separator=separator,
                has_header=False,
                quote_char=None,
                infer_schema=False,
                encoding="utf8-lossy" if lossy else "utf8",
                row_index_name="number",
                row_index_offset=1,
            )
        except pl.exceptions.NoDataError:
            raise InputError(f"{path}: the file is empty; expected one line for each row") from None
        except pl.exceptions.PolarsError as error:
            problem = str(error).splitlines()[0]
            if "utf-8" in problem.lower():
                raise encoding_error(path, problem) from None
            continue
        if frame.width == 2:
            return frame.rename({frame.columns[1]: "text"})
        problem = "it holds control characters"
    raise InputError(f"{path}: cannot be read as UTF-8 text: {problem}")


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - 1, 0))
        return file.read(1)


def find_separator(lines: Lines) -> str:
    """Return the separator: a tab, or the comma or semicolon of the first line outside quotes."""
    if "\t" in lines.first and ".csv" not in lines.path.suffixes:
        return "\t"  # quotes are part of the names there
    unquoted = re.sub(r'"[^"]*"', "", lines.first)
    for separator in (",", ";", "\t"):
        if separator in unquoted:
            return separator
    raise InputError(
        f"{lines.path}:{lines.first_number}: no tab, comma or semicolon separates fields "
        f"({quote_line(lines.first)})"
    )


def split_fields(
    lines: Lines, separator: str, expected: Sequence[int], advice: str = ""
) -> list[pl.Series]:
    """Return the columns of a table. Every line must have as many fields as the first.

    That number has to be one of `expected`, unless it is empty. A semicolon or a comma inside
    double quotes does not separate; tab-separated files have no quoting.
    """
    if separator != "\t" and lines.text.str.contains('"', literal=True).any():
        return _split_quoted(lines, separator, expected, advice)
    widths = lines.text.str.count_matches(separator, literal=True) + 1
    width = _common_width(lines, separator, widths, expected, advice)
    if width == 1:
        return [lines.text]
    parts = lines.text.str.split_exact(separator, width - 1).struct
    return [parts.field(f"field_{number}") for number in range(width)]


def keep_lines_of_width(lines: Lines, separator: str, width: int, problems: Problems) -> Lines:
    """Return the lines with `width` fields; the others become problems."""
    if separator == "\t" or not lines.text.str.contains('"', literal=True).any():
        widths = lines.text.str.count_matches(separator, literal=True) + 1
    else:
        widths = pl.Series([len(split_line(text, separator)) for text in lines.text])
        widths = widths.set(_has_open_quote(lines), 0)
    wrong = widths != width
    if not wrong.any():
        return lines
    first = zip(widths.filter(wrong), lines.text.filter(wrong).head(SHOWN_PROBLEMS), strict=False)
    kind = _NAMES.get(separator, f"{separator!r}-separated")
    descriptions = [
        f"expected {width} {kind} fields, found {n_fields or 'a quote not closed'} "
        f"({quote_line(text)})"
        for n_fields, text in first
    ]
    return lines.without(wrong, descriptions, problems)


def has_open_quotes(lines: Lines) -> bool:
    """Whether a quoted field goes over several lines."""
    return bool(_has_open_quote(lines).any())


def csv_rows(
    path: Path, lines: Iterable[tuple[int, str]], separator: str, longest: int = _LONGEST_FIELD
) -> Iterator[tuple[int, list[str]]]:
    """Yield each row of numbered lines with the number of its first line.

    A quoted field may hold line breaks. Wrong quotes are an error, because nothing after them can
    be trusted.
    """
    first = 0  # number of the first line of the row

    def texts() -> Iterator[str]:
        nonlocal first
        for number, text in lines:
            first = first or number
            yield text + "\n"

    reader = csv.reader(texts(), delimiter=separator, strict=True)
    csv.field_size_limit(longest)
    while True:
        first = 0
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(
                f"{path}:{first}: the row that starts here is not CSV: {error}; nothing after it "
                "can be trusted: fix its quotes"
            ) from None
        yield first, row


def _has_open_quote(lines: Lines) -> pl.Series:
    """Mark the lines with a quoted field that does not end on the line."""
    return lines.text.str.count_matches('"', literal=True) % 2 == 1


def _split_quoted(
    lines: Lines, separator: str, expected: Sequence[int], advice: str
) -> list[pl.Series]:
    odd = _has_open_quote(lines)
    if odd.any():
        problems = [
            f"{lines.path}:{number}: a quoted field does not end on its line; quoted fields over "
            "several lines are not supported"
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
    """Return the number of fields of every line; wrong lines are reported together."""
    width = int(widths[0])
    numbers = str(width)
    wrong = pl.DataFrame({"number": lines.number, "text": lines.text, "width": widths})
    if expected and width not in expected:
        numbers, wrong = " or ".join(map(str, expected)), wrong.head(1)
    else:
        wrong = wrong.filter(pl.col("width") != width)
    if wrong.is_empty():
        return width
    kind = _NAMES.get(separator, f"{separator!r}-separated")
    problems = [
        f"{lines.path}:{row['number']}: expected {numbers} {kind} fields, found {row['width']} "
        f"({quote_line(row['text'])}){advice}"
        for row in wrong.head(SHOWN_PROBLEMS).iter_rows(named=True)
    ]
    raise InputError.of_many(problems, total=len(wrong))


def split_line(line: str, separator: str) -> list[str]:
    """Return the fields of one line."""
    if separator == "\t" or '"' not in line:
        return line.split(separator)
    csv.field_size_limit(_LONGEST_FIELD)
    # the csv module would end the line at a carriage return inside it
    fields = next(csv.reader([line.replace("\r", _RETURN_STAND_IN)], delimiter=separator))
    return [text.replace(_RETURN_STAND_IN, "\r") for text in fields] if "\r" in line else fields


def quote_line(text: str) -> str:
    """Return a line for a message: in quotes, shortened, unprintable characters escaped."""
    cut = visible(text[:_SHOWN_CHARACTERS].replace("\t", "<TAB>"))
    return f'"{cut}{"..." * (len(text) > _SHOWN_CHARACTERS)}"'
