"""Records of a JSON file, one after the other: only one of them is in memory.

A record is an element of an array, an object of JSON lines, or the whole document. Where rows are
wanted from one list of a large document alone, its elements come one by one too.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from lighttea.errors import InputError
from lighttea.io.json.values import refuse_constant
from lighttea.io.streams import open_bytes

_PIECE = 1 << 20  # characters
_SPACE = " \t\r\n"


class Record(NamedTuple):
    """A record and the line where it begins."""

    line: int
    content: Any


def read_records(path: Path, member: str = "") -> Iterator[Record]:
    """Yield the records of a file.

    With `member`, a document that is an object is cut: each element of its list `member` is a
    record {member: [element]}, and nothing else of the document is kept.
    """
    with open_bytes(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig") as text:
        reader = _Reader(path, text)
        try:
            while sign := reader.peek():
                if sign == "[":
                    yield from reader.elements()
                elif sign == "{" and member:
                    yield from reader.members(member)
                else:
                    yield Record(reader.line, reader.value())
        except UnicodeDecodeError as error:
            raise InputError(f"{path}:{reader.line}: not UTF-8 text: {error.reason}") from None


class _Reader:
    """A text that is read in pieces and taken apart from its beginning."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self._path = path
        self._file = file
        self._text = ""
        self._place = 0
        self._is_whole = False  # the rest of the file is in the text
        self._counted = 0  # characters whose line breaks are in `line`
        self._decoder = json.JSONDecoder(parse_constant=refuse_constant)
        self.line = 1

    def peek(self) -> str:
        """Return the next character that is no space, its line in `line`; empty at the end."""
        while True:
            text, place = self._text, self._place
            while place < len(text) and text[place] in _SPACE:
                place += 1
            self._place = place
            self.line += text.count("\n", self._counted, place)
            self._counted = place
            if place < len(text):
                return text[place]
            if self._is_whole:
                return ""
            self._read_more()

    def value(self) -> Any:
        """Return the value that comes next."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._place)
            except json.JSONDecodeError as error:
                if self._is_whole:
                    raise self._error(error.msg) from None
            except RecursionError:
                raise self._error("nested too deep") from None
            except ValueError as error:  # NaN, or a number of too many digits
                raise self._error(str(error)) from None
            else:
                if end < len(self._text) or self._is_whole:  # a number may go on
                    self._place = end
                    return value
            self._read_more()

    def elements(self) -> Iterator[Record]:
        """Yield the elements of the array that comes next."""
        self._take("[")
        if self.peek() == "]":
            self._take("]")
            return
        while True:
            self.peek()
            line = self.line
            yield Record(line, self.value())
            if self.peek() == "]":
                self._take("]")
                return
            self._take(",")

    def members(self, name: str) -> Iterator[Record]:
        """Yield the elements of one list of the object that comes next, and pass over the rest."""
        self._take("{")
        while self.peek() != "}":
            key = self.value()
            self._take(":")
            if self.peek() == "[":
                for line, element in self.elements():
                    if key == name:
                        yield Record(line, {name: [element]})
            else:
                line, value = self.line, self.value()
                if key == name:
                    yield Record(line, {name: value})
            if self.peek() != "}":
                self._take(",")
        self._take("}")

    def _take(self, sign: str) -> None:
        if self.peek() != sign:
            rest = self._text[self._place : self._place + 20]
            raise self._error(f"expected {sign!r}, found {rest!r}" if rest else "cut short")
        self._place += 1

    def _read_more(self) -> None:
        """Add to the text as much as is left of it, so that long values are decoded seldom."""
        rest = self._text[self._place :]
        self.line += self._text.count("\n", self._counted, self._place)
        piece = self._file.read(max(_PIECE, len(rest)))
        self._text, self._place, self._counted = rest + piece, 0, 0
        self._is_whole = not piece

    def _error(self, reason: str) -> InputError:
        return InputError(
            f"{self._path}:{self.line}: not JSON: {reason}; nothing after it can be trusted"
        )
