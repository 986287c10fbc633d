"""Turtle, TriG and RDF/XML through pyoxigraph, guarded against files that would exhaust it.

A statement of these formats may run over many lines and depends on what stood before it, so that
nothing after a syntax error can be trusted: the first one stops the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol
from xml.parsers import expat

from pyoxigraph import RdfFormat, parse

from lighttea.errors import InputError
from lighttea.io.rdf.batches import Batch, Rows
from lighttea.io.rdf.messages import parser_message
from lighttea.io.streams import Readable

_FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
    "rdfxml": RdfFormat.RDF_XML,
    "jsonld": RdfFormat.JSON_LD,
}
_NAMES = {"turtle": "Turtle", "trig": "TriG", "rdfxml": "RDF/XML", "jsonld": "JSON-LD"}
_BATCH_ROWS = 100_000
_DEEPEST_QUOTE = 50
_DEEPEST_ELEMENT = 1_000
_LONGEST_ENTITY = 256  # characters: entities are there to abbreviate namespaces
_LONGEST_TEXT = 16 << 20  # bytes between two tags
_AHEAD = 1 << 18  # bytes; expat starts a long token again with each piece, so pieces are large
_QUOTES = re.compile(rb"<<\(|\)>>")


def read_document_batches(path: Path, stream: Readable, form: str) -> Iterator[Batch]:
    """Yield the triples of a file in Turtle (`turtle`), TriG (`trig`) or RDF/XML (`rdfxml`)."""
    guard: Any = (XmlGuard if form == "rdfxml" else QuoteGuard)(path, stream)
    rows = Rows(has_anonymous=True)
    try:
        for quad in parse(guard, _FORMATS[form], base_iri=path.resolve().as_uri()):
            rows.add(quad)
            if len(rows) >= _BATCH_ROWS:
                yield rows.take()
    except SyntaxError as error:
        where = f"{path}:{error.lineno}" if error.lineno else str(path)
        raise InputError(
            f"{where}: expected {_NAMES[form]}, found an error {parser_message(error)}; nothing "
            "after it can be trusted: mend the file, or name its format with --format if it is "
            "another one"
        ) from None
    except MemoryError as error:  # the parser's own limit on one term
        raise InputError(
            f"{path}: expected {_NAMES[form]}, found a term without end ({error})"
        ) from None
    yield rows.take()


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
