"""Guards between a file and its parser: they refuse what would exhaust it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol
from xml.parsers import expat

import numpy as np

from lighttea.errors import InputError
from lighttea.io.streams import Readable

_DEEPEST_QUOTE = 50
_DEEPEST_ELEMENT = 1_000
_DEEPEST_OBJECT = 500
_LONGEST_ENTITY = 256  # characters: entities are there to abbreviate namespaces
_LONGEST_TEXT = 16 << 20  # bytes between two tags
_AHEAD = 1 << 18  # bytes; expat starts a long token again with each piece, so pieces are large
_QUOTES = re.compile(rb"<<\(|\)>>")
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_OPENING = np.frombuffer(b"[{", np.uint8)
_NO_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))


class QuoteGuard:
    """Passes bytes to the parser and refuses triples that are nested too deep for it."""

    def __init__(self, path: Path, stream: Readable) -> None:
        self._path = path
        self._stream = stream
        self._depth = 0

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        chunk = self._stream.read(size)
        if b"<<(" in chunk:
            for token in _QUOTES.findall(chunk):
                self._depth = self._depth + 1 if token == b"<<(" else max(0, self._depth - 1)
                if self._depth > _DEEPEST_QUOTE:
                    raise InputError(
                        f"{self._path}: triples are quoted more than {_DEEPEST_QUOTE} deep"
                    )
        return chunk


class XmlHandler(Protocol):
    """Takes what stands in an XML file, in its order."""

    def begin(self, name: str, attributes: dict[str, str], line: int) -> None:
        """Take the beginning of an element."""

    def end(self, name: str) -> None:
        """Take the end of an element."""

    def add_text(self, text: str) -> None:
        """Take a text."""


class XmlGuard:
    """Passes bytes to the parser and refuses XML that expands or nests too far.

    expat reads the same bytes and reports elements and entities; it has limits of its own as well.
    A handler takes what stands in the file where there is no other parser.
    """

    def __init__(
        self,
        path: Path,
        stream: Readable,
        expected: str = "RDF/XML",
        handler: XmlHandler | None = None,
    ) -> None:
        self._path = path
        self._stream = stream
        self._expected = expected
        self._handler = handler
        self._depth = 0
        self._since_tag = 0
        self._entities = False
        self._ahead, self._place = b"", 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._declare
        if handler is not None:
            self._parser.buffer_text = True
            self._parser.CharacterDataHandler = handler.add_text

    def read_all(self) -> None:
        """Read the whole file for the handler."""
        while self._checked(self._stream.read(_AHEAD)):
            pass

    def read(self, size: int) -> bytes:
        """Return the next bytes, which expat has already seen."""
        if self._place >= len(self._ahead):
            self._ahead, self._place = self._checked(self._stream.read(_AHEAD)), 0
        self._place += size
        return self._ahead[self._place - size : self._place]

    def _checked(self, chunk: bytes) -> bytes:
        """Return the bytes; raise an error where expat refuses them."""
        try:
            self._parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            raise InputError(
                f"{self._path}:{error.lineno}: expected {self._expected}, found XML that is not "
                f"well-formed ({expat.ErrorString(error.code)})"
            ) from None
        last_tag = chunk.rfind(b"<")
        self._since_tag = len(chunk) - last_tag if last_tag >= 0 else self._since_tag + len(chunk)
        if self._since_tag > (_LONGEST_TEXT >> 4 if self._entities else _LONGEST_TEXT):
            self._refuse("a text too long to be read")
        return chunk

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if self._handler is not None:
            self._handler.begin(name, attributes, self._parser.CurrentLineNumber)
        self._depth += 1
        if self._depth > _DEEPEST_ELEMENT:
            self._refuse(f"elements nested more than {_DEEPEST_ELEMENT:,} deep")

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._handler is not None:
            self._handler.end(name)

    def _declare(self, name: str, _parameter: bool, value: str | None, *_: object) -> None:
        self._entities = True
        if value is None or "&" in value or len(value) > _LONGEST_ENTITY:
            self._refuse(
                f"the entity {name!r}, which is not a short text of its own; entities may only "
                "abbreviate"
            )

    def _refuse(self, content: str) -> None:
        line = self._parser.CurrentLineNumber
        raise InputError(f"{self._path}:{line}: expected {self._expected}, found {content}")


class JsonGuard:
    """Passes bytes to the parser and refuses JSON that is nested too deep for it."""

    def __init__(self, path: Path, stream: Readable) -> None:
        self._path = path
        self._stream = stream
        self._depth = 0
        self._in_text = False
        self._escape = b""  # a backslash at the end of a piece

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        chunk = self._stream.read(size)
        self._count(chunk)
        return chunk

    def _count(self, chunk: bytes) -> None:
        """Follow the brackets outside texts."""
        plain = _ESCAPED.sub(b"", self._escape + chunk)
        self._escape = b"\\" * plain.endswith(b"\\")
        parts = plain.split(b'"')
        brackets = b"".join(parts[self._in_text :: 2]).translate(None, _NO_BRACKETS)
        self._in_text ^= len(parts) % 2 == 0
        if not brackets:
            return
        opening = np.isin(np.frombuffer(brackets, np.uint8), _OPENING)
        depths = self._depth + np.cumsum(np.where(opening, 1, -1))
        self._depth = int(depths[-1])
        if depths.max() > _DEEPEST_OBJECT:
            raise InputError(
                f"{self._path}: expected JSON-LD, found JSON nested more than {_DEEPEST_OBJECT} "
                "deep"
            )
