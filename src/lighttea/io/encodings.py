"""Errors for text files that are not UTF-8: which lines, and how to convert the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.io.streams import Readable, line_blocks, open_bytes, read_start

_SHOWN_BYTES = 40
_WIDE_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_ADVICE = "convert the file to UTF-8, for example: iconv -f {} -t UTF-8 FILE > NEW"


class EncodingError(InputError):
    """Some lines of a text file are not UTF-8."""


def encoding_error(path: Path, problem: str) -> InputError:
    """Return the error for a plain or packed file that is not UTF-8."""
    start = read_start(path, 2)
    if start in _WIDE_MARKS:
        kind = _WIDE_MARKS[start]
        return InputError(f"{path}: {kind} text; {_ADVICE.format(kind)}")
    with open_bytes(path) as file:
        wrong_lines = list(_wrong_lines(file))
    if not wrong_lines:
        return InputError(f"{path}: cannot be read as UTF-8 text: {problem}")
    problems = [f"{path}:{line}: not UTF-8 text ({excerpt})" for line, excerpt in wrong_lines]
    advice = "; " + _ADVICE.format("WINDOWS-1252")
    return EncodingError.of_many([problems[0] + advice, *problems[1:]])


def _wrong_lines(file: Readable) -> Iterator[tuple[int, str]]:
    """Yield number and excerpt of the first lines that are not UTF-8."""
    n_found = 0
    for number, line in _numbered(file):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            begin = max(0, error.start - _SHOWN_BYTES // 2)
            around = line[begin : begin + _SHOWN_BYTES].rstrip(b"\r\n")
            yield number, ascii(around)[1:]  # 'Z\xfcrich'
            n_found += 1
            if n_found == SHOWN_PROBLEMS:
                return


def _numbered(file: Readable) -> Iterator[tuple[int, bytes]]:
    for block in line_blocks(file):
        yield from enumerate(block.content.split(b"\n"), block.first_line)
