"""Graphs of rdflib and pyoxigraph objects: their triples are read as those of a file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.problems import Problems
from lighttea.io.rdf.batches import Rows
from lighttea.io.rdf.collect import Collector
from lighttea.io.rdf.read import graph_of_triples
from lighttea.io.rdf.vocabulary import TimePredicates

_BATCH_ROWS = 100_000
_KEPT_TERMS = 200_000  # terms that were converted and are likely to come again
# labels that rdflib makes up: by itself, and while it reads Turtle and its kin
_MADE_UP_LABEL = re.compile(r"[Nn][0-9a-f]{32}(?:b[0-9]+)?")
_SHOWN = 3

_RdflibQuad = tuple[Any, Any, Any, Any]  # the last is the graph's name, None for the default graph


def graph_of_pyoxigraph(
    quads: Iterable[Quad | Triple],
    name: str,
    time_predicates: Mapping[str, str] | None = None,
    *,
    notes: Sequence[str] = (),
    digest: str = "",
) -> Graph:
    """Return the graph of a store, a dataset, or any quads or triples of pyoxigraph."""
    collected = Collector(TimePredicates.given(time_predicates))
    rows = Rows(has_anonymous=True)
    for quad in quads:
        rows.add(quad)
        if len(rows) >= _BATCH_ROWS:
            collected.add(rows.take())
    collected.add(rows.take())
    return graph_of_triples(
        collected, Problems(strict=False), source=name, notes=notes, digest=digest
    )


def graph_of_rdflib(
    source: Any, name: str, time_predicates: Mapping[str, str] | None = None
) -> Graph:
    """Return the graph of an rdflib graph or dataset, or of an iterable of rdflib's triples.

    A dataset keeps the names of its graphs; a graph alone is read without its identifier. What no
    RDF file could hold, such as a literal as subject, is left out and counted.
    """
    quads, wrong = [], []
    convert = _converter()
    for stated in _rdflib_quads(source):
        try:
            quads.append(convert(*stated))
        except ValueError:
            wrong.append(" ".join(f"{term!r:.80}" for term in stated[:3]))
    if wrong and not quads:
        raise InputError.of_many([f"{name}: expected a triple of RDF, found {t}" for t in wrong])
    return graph_of_pyoxigraph(quads, name, time_predicates, notes=_note_wrong_triples(wrong))


def _note_wrong_triples(wrong: Sequence[str]) -> tuple[str, ...]:
    if not wrong:
        return ()
    shown = "; ".join(wrong[:_SHOWN]) + ("; ..." if len(wrong) > _SHOWN else "")
    return (f"{len(wrong):,} triples that no RDF file could hold were left out: {shown}",)


def _rdflib_quads(source: Any) -> Iterable[_RdflibQuad]:
    """Return the triples of a graph or the quads of a dataset, in the same order every time.

    rdflib keeps them in sets, whose order differs from process to process.
    """
    if hasattr(source, "quads"):
        return sorted(_dataset_quads(source), key=_order)
    triples = ((*triple, None)[:4] for triple in source)
    return sorted(triples, key=_order) if hasattr(source, "triples") else triples


def _dataset_quads(dataset: Any) -> Iterator[_RdflibQuad]:
    default_graph = getattr(dataset, "default_graph", None)
    if default_graph is None:  # before rdflib 7.2
        default_graph = dataset.default_context
    for subject, predicate, value, graph in dataset.quads((None, None, None, None)):
        name = getattr(graph, "identifier", graph)  # a graph, its name, or None
        yield subject, predicate, value, None if name == default_graph.identifier else name


def _order(quad: _RdflibQuad) -> tuple[str, ...]:
    """Return the texts to sort a quad by; made-up labels of blank nodes say nothing."""
    texts = ("" if _MADE_UP_LABEL.fullmatch(str(term)) else str(term) for term in quad)
    return (*texts, str(getattr(quad[2], "language", "")), str(getattr(quad[2], "datatype", "")))


def _converter() -> Callable[[Any, Any, Any, Any], Quad]:
    """Return a function that makes a quad of pyoxigraph out of terms of rdflib.

    It raises a ValueError for what is no RDF.
    """
    from rdflib import term

    @lru_cache(_KEPT_TERMS)
    def node(name: Any) -> NamedNode | BlankNode:
        if isinstance(name, term.URIRef):
            return NamedNode(str(name))
        if isinstance(name, term.BNode):
            return BlankNode(_blank_label(str(name)))
        raise ValueError(name)

    def convert(subject: Any, predicate: Any, value: Any, graph: Any) -> Quad:
        head, relation = node(subject), node(predicate)
        if not isinstance(relation, NamedNode):
            raise ValueError(predicate)
        tail = _literal(value) if isinstance(value, term.Literal) else node(value)
        return Quad(head, relation, tail, DefaultGraph() if graph is None else node(graph))

    return convert


def _blank_label(label: str) -> str:
    """Return a label as it is, or one that `Rows` numbers where rdflib made it up."""
    if _MADE_UP_LABEL.fullmatch(label):
        return hashlib.md5(label.encode(), usedforsecurity=False).hexdigest()
    return label


def _literal(value: Any) -> Literal:
    if value.language:
        return Literal(str(value), language=value.language)
    return Literal(str(value), datatype=NamedNode(str(value.datatype)) if value.datatype else None)
