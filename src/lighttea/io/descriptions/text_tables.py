"""Tables in text files: any separator of one character, any encoding, quotes over several lines."""

from __future__ import annotations

import codecs
from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.io.descriptions.model import SourceDescription
from lighttea.io.descriptions.rows import Rows
from lighttea.io.lines import (
    Lines,
    csv_rows,
    file_digest,
    find_separator,
    has_open_quotes,
    read_lines,
    split_fields,
)


def read_text_table(path: Path, source: SourceDescription) -> Rows:
    """Return the rows of a text table; columns without a header are called 1, 2, ..."""
    lines = read_lines(path, encoding=_encoding(source))
    separator = _separator(lines, source)
    numbers, fields = _split(lines, separator)
    has_header = source.options.get("header", True)
    names = [str(n + 1) for n in range(len(fields))]
    if has_header:
        names = [str(field[0]).strip() for field in fields]
    skipped = int(has_header)
    return Rows(
        str(path),
        names,
        [field.slice(skipped) for field in fields],
        numbers.slice(skipped),
        digest=file_digest(path),
    )


def _split(lines: Lines, separator: str) -> tuple[pl.Series, list[pl.Series]]:
    """Return the number of the line where each row begins, and the columns."""
    if separator == "\t" or not has_open_quotes(lines):
        return lines.number, split_fields(lines, separator, ())
    numbered = zip(lines.number, lines.text, strict=True)
    numbers, rows = zip(*csv_rows(lines.path, numbered, separator), strict=True)
    width = len(rows[0])
    problems = [
        f"{lines.path}:{number}: expected {width} fields (the first line's), found {len(row)}"
        for number, row in zip(numbers, rows, strict=True)
        if len(row) != width
    ]
    if problems:
        raise InputError.of_many(problems)
    columns = [pl.Series([row[n] for row in rows], dtype=pl.String) for n in range(width)]
    return pl.Series(numbers), columns


def _separator(lines: Lines, source: SourceDescription) -> str:
    """Return the separator: as given, or as the first line shows."""
    given = source.options.get("separator")
    if given is None:
        try:
            return find_separator(lines)
        except InputError:
            return ","  # a table of one column
    if len(given) != 1 or given in '"\n\r':
        raise InputError(f"{source.place('separator')} must be one character; found {given!r}")
    return str(given)


def _encoding(source: SourceDescription) -> str | None:
    """Return the encoding where one is given that is not UTF-8."""
    given = source.options.get("encoding")
    if given is None:
        return None
    try:
        name = codecs.lookup(given).name
        "".encode(name)  # hex and others are no encodings of texts
    except (LookupError, ValueError):
        raise InputError(
            f"{source.place('encoding')}: {given!r} is not known; such as utf-8, latin-1, cp1252"
        ) from None
    return None if name in ("utf-8", "utf-8-sig") else name
