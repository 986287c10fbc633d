"""Graphs of rdflib and pyoxigraph objects: their triples are read as those of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import polars as pl
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.problems import Problems
from lighttea.io.rdf.batches import Batch, Rows, plain_batch
from lighttea.io.rdf.collect import Collector
from lighttea.io.rdf.read import graph_of_triples
from lighttea.io.rdf.time_predicates import TimePredicates

_BATCH_ROWS = 100_000
_KEPT_NAMES = 500_000  # names that were checked and are likely to come again
_BLANK = "_:"
# labels that rdflib makes up: by itself, and while it reads Turtle and its kin
_MADE_UP_LABEL = r"^_:[Nn][0-9a-f]{32}(?:b[0-9]+)?$"
_NODES = ("subject", "predicate", "object", "graph")
_LITERALS = ("subject", "predicate", "text", "datatype", "language", "graph")
_ENDS = ("subject", "object", "graph")
_SHOWN = 3

_RdflibQuad = tuple[Any, Any, Any, Any]  # the last is the graph's name, None for the default graph


def graph_of_pyoxigraph(
    quads: Iterable[Quad | Triple],
    name: str,
    time_predicates: Mapping[str, str] | None = None,
    *,
    notes: Sequence[str] = (),
    digest: str = "",
    nary: bool = True,
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
        collected, Problems(strict=False), source=name, notes=notes, digest=digest, nary=nary
    )


def graph_of_rdflib(
    source: Any,
    name: str,
    time_predicates: Mapping[str, str] | None = None,
    *,
    nary: bool = True,
) -> Graph:
    """Return the graph of an rdflib graph or dataset, or of an iterable of rdflib's triples.

    A dataset keeps the names of its graphs; a graph alone is read without its identifier. What no
    RDF file could hold, such as a literal as subject, is left out and counted.
    """
    collected = Collector(TimePredicates.given(time_predicates))
    batch, wrong = _batch_of_rdflib(_rdflib_quads(source))
    if wrong and not len(batch):
        raise InputError.of_many([f"{name}: expected a triple of RDF, found {t}" for t in wrong])
    collected.add(batch)
    return graph_of_triples(
        collected,
        Problems(strict=False),
        source=name,
        notes=_note_wrong_triples(wrong),
        nary=nary,
    )


def _note_wrong_triples(wrong: Sequence[str]) -> tuple[str, ...]:
    if not wrong:
        return ()
    shown = "; ".join(wrong[:_SHOWN]) + ("; ..." if len(wrong) > _SHOWN else "")
    return (f"{len(wrong):,} triples that are not valid RDF left out: {shown}",)


def _rdflib_quads(source: Any) -> Iterator[_RdflibQuad]:
    """Yield the triples of a graph or the quads of a dataset."""
    if not hasattr(source, "quads"):
        yield from ((*triple, None)[:4] for triple in source)
        return
    default_graph = getattr(source, "default_graph", None)
    if default_graph is None:  # before rdflib 7.2
        default_graph = source.default_context
    for subject, predicate, value, graph in source.quads((None, None, None, None)):
        name = getattr(graph, "identifier", graph)  # a graph, its name, or None
        yield subject, predicate, value, None if name == default_graph.identifier else name


def _batch_of_rdflib(quads: Iterable[_RdflibQuad]) -> tuple[Batch, list[str]]:
    """Return all quads as one batch, and descriptions of those that are no RDF."""
    from rdflib.term import Literal as RdflibLiteral

    nodes: list[tuple[str, str, str, str | None]] = []
    literals: list[tuple[str, str, str, str, str | None, str | None]] = []
    wrong: list[str] = []
    name = _namer()
    for quad in quads:
        subject, predicate, value, graph = quad
        try:
            relation = name(predicate)
            if relation.startswith(_BLANK):
                raise ValueError(predicate)
            where = None if graph is None else name(graph)
            if isinstance(value, RdflibLiteral):
                kind = _literal_kind(value.datatype, value.language)
                text = str(value)
                text.encode()  # a lone half of a UTF-16 pair is an error
                literals.append((name(subject), relation, text, *kind, where))
            else:
                nodes.append((name(subject), relation, name(value), where))
        except ValueError:
            wrong.append(" ".join(f"{term!r:.80}" for term in quad[:3]))
    frames = (_in_order(_frame(nodes, _NODES)), _in_order(_frame(literals, _LITERALS)))
    return plain_batch(*_with_numbered_blanks(*frames)), sorted(wrong)


def _namer() -> Callable[[Any], str]:
    """Return a function that gives the name of a node; a ValueError where it is none of RDF."""
    from rdflib.term import BNode, URIRef

    check_iri = lru_cache(_KEPT_NAMES)(NamedNode)
    check_label = lru_cache(_KEPT_NAMES)(BlankNode)

    def name(node: Any) -> str:
        text = str(node)
        if isinstance(node, URIRef):
            check_iri(text)
            return text
        if not isinstance(node, BNode):
            raise ValueError(text)
        check_label(text)
        return f"{_BLANK}{text}"

    return name


@lru_cache(1_000)
def _literal_kind(datatype: str | None, language: str | None) -> tuple[str, str | None]:
    """Return datatype and language of a literal as files have them."""
    kind = Literal("", language=language or None, datatype=_iri(None if language else datatype))
    return kind.datatype.value, kind.language


def _iri(text: str | None) -> NamedNode | None:
    return NamedNode(str(text)) if text else None


def _frame(rows: list[Any], columns: tuple[str, ...]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows sorted; made-up labels of blank nodes say nothing.

    rdflib keeps triples in sets, whose order differs from process to process.
    """
    made_up = pl.all().str.contains(_MADE_UP_LABEL).fill_null(value=False)
    return rows.sort(pl.when(~made_up).then(pl.all()), maintain_order=True)


def _with_numbered_blanks(*tables: pl.DataFrame) -> tuple[pl.DataFrame, ...]:
    """Return the tables with numbers in place of made-up labels, as in files (`_:#1`)."""
    ends = [table[name] for table in tables for name in _ENDS if name in table.columns]
    names = pl.concat(ends)
    labels = names.filter(names.str.contains(_MADE_UP_LABEL)).unique(maintain_order=True)
    if labels.is_empty():
        return tables
    numbers = [f"{_BLANK}#{number}" for number in range(1, len(labels) + 1)]
    return tuple(
        table.with_columns(
            pl.col(name).replace(labels, numbers) for name in _ENDS if name in table.columns
        )
        for table in tables
    )
