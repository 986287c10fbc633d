"""Records of a JSON file, one after the other: only one of them is in memory.

A record is an element of an array, an object of JSON lines, or the whole document. Where rows are
wanted from one list of a large document alone, its elements come one by one too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lighttea.io.json.scan import Scanner
from lighttea.io.streams import open_bytes


class Record(NamedTuple):
    """A record and the line where it begins."""

    line: int
    content: Any


def read_records(path: Path, member: str = "") -> Iterator[Record]:
    """Yield the records of a file.

    With `member`, a document that is an object is cut: each element of its list `member` is a
    record {member: [element]}, and nothing else of the document is kept.
    """
    with open_bytes(path) as stream:
        scanner = Scanner(path, stream, longest=sys.maxsize)  # a record may be the whole document
        while sign := scanner.peek():
            if sign == "[":
                yield from _elements(scanner)
            elif sign == "{" and member:
                yield from _elements_of_member(scanner, member)
            else:
                yield _record(scanner)


def _elements(scanner: Scanner) -> Iterator[Record]:
    """Yield the elements of the array that comes next."""
    scanner.take("[", "an array")
    for _ in scanner.members("]"):
        yield _record(scanner)


def _elements_of_member(scanner: Scanner, name: str) -> Iterator[Record]:
    """Yield the elements of one list of the object that comes next, and pass over the rest."""
    scanner.take("{", "an object")
    for _ in scanner.members("}"):
        is_wanted = scanner.key() == name
        if scanner.peek() == "[":
            for line, element in _elements(scanner):
                if is_wanted:
                    yield Record(line, {name: [element]})
        else:
            line, value = _record(scanner)
            if is_wanted:
                yield Record(line, {name: value})


def _record(scanner: Scanner) -> Record:
    """Return the value that comes next; NaN and Infinity, which are no JSON, are refused."""
    scanner.peek()
    line = scanner.line
    try:
        return Record(line, scanner.value())
    except ValueError as error:
        scanner.refuse(f"not JSON: {error}")
