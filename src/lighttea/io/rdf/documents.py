"""Turtle, TriG, N3, RDF/XML and JSON-LD through pyoxigraph, guarded against what exhausts it.

A statement of these formats may run over many lines and depends on what stood before it, so that
nothing after a syntax error can be trusted: the first one stops the reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyoxigraph import DefaultGraph, Quad, RdfFormat, parse

from lighttea.errors import InputError
from lighttea.io.rdf.batches import Batch, Rows
from lighttea.io.rdf.encodings import Utf8Xml
from lighttea.io.rdf.guards import JsonGuard, QuoteGuard, XmlGuard
from lighttea.io.rdf.messages import parser_message
from lighttea.io.streams import Readable

_FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
    "n3": RdfFormat.N3,
    "rdfxml": RdfFormat.RDF_XML,
    "jsonld": RdfFormat.JSON_LD,
}
_NAMES = {
    "turtle": "Turtle",
    "trig": "TriG",
    "n3": "N3",
    "rdfxml": "RDF/XML",
    "jsonld": "JSON-LD",
}
_BATCH_ROWS = 100_000
_REMOTE_CONTEXT = "LoadDocumentCallback"  # in the parser's message


def read_document_batches(
    path: Path, stream: Readable, form: str, counts: Counter[str] | None = None
) -> Iterator[Batch]:
    """Yield the triples of a file in `turtle`, `trig`, `n3`, `rdfxml` or `jsonld`.

    `counts` gets the number of triples inside N3's formulas, which nobody asserts.
    """
    rows = Rows(has_anonymous=True)
    try:
        quads = parse(_guarded(path, stream, form), _FORMATS[form], base_iri=_address(path))
        for quad in _asserted(quads, counts) if form == "n3" else quads:
            rows.add(quad)
            if len(rows) >= _BATCH_ROWS:
                yield rows.take()
    except SyntaxError as error:
        raise _syntax_error(path, form, error) from None
    except MemoryError as error:  # the parser's own limit on one term
        raise InputError(
            f"{path}: expected {_NAMES[form]}, found a term without end ({error})"
        ) from None
    yield rows.take()


def _guarded(path: Path, stream: Readable, form: str) -> Any:
    """Return the file with its guard."""
    if form == "rdfxml":
        return XmlGuard(path, Utf8Xml(path, stream))
    return (JsonGuard if form == "jsonld" else QuoteGuard)(path, stream)


def _address(path: Path) -> str:
    return path.resolve().as_uri()


def _asserted(quads: Iterator[Quad], counts: Counter[str] | None) -> Iterator[Quad]:
    """Yield the triples outside formulas that do not speak of formulas."""
    formulas = set()
    for quad in quads:
        if not isinstance(quad.graph_name, DefaultGraph):
            formulas.add(quad.graph_name)
        elif quad.subject not in formulas and quad.object not in formulas:
            yield quad
            continue
        if counts is not None:
            counts["in formulas"] += 1


def _syntax_error(path: Path, form: str, error: SyntaxError) -> InputError:
    """Return the parser's error with its place and what to do."""
    if _REMOTE_CONTEXT in error.msg:
        return InputError(
            f"{path}: expected an @context inside the file, found a link to one, and nothing is "
            "fetched from the web; put the content of the context in place of the link, or "
            "convert the file to N-Quads"
        )
    where = f"{path}:{error.lineno}" if error.lineno else str(path)
    return InputError(
        f"{where}: expected {_NAMES[form]}, found an error {parser_message(error)}; nothing "
        "after it can be trusted: fix the file, or name its format with `format`"
    )
