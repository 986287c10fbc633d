"""Batches of triples as text columns, the common output of all parsers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from lighttea.io.rdf.vocabulary import RDF_REIFIES

_NODES = ("subject", "predicate", "object", "graph")
_LITERALS = ("subject", "predicate", "text", "datatype", "language", "graph")
_REIFIED = ("reifier", "subject", "predicate", "object")
_REIFIED_LITERALS = ("reifier", "subject", "predicate", "text", "datatype", "language")


@dataclass(frozen=True)
class Batch:
    """Some triples, by the kind of their object.

    Nodes are named by their IRI, blank nodes by `_:` and their label; the default graph is null.
    The object of a reified triple is null where it is a statement.
    """

    nodes: pl.DataFrame  # subject, predicate, object, graph
    literals: pl.DataFrame  # subject, predicate, text, datatype, language, graph
    reified: pl.DataFrame  # reifier, subject, predicate, object
    reified_literals: pl.DataFrame  # reifier, subject, predicate, text, datatype, language

    def __len__(self) -> int:
        return sum(len(table) for table in vars(self).values())


class Rows:
    """Collects the triples of pyoxigraph into batches.

    A blank node without a label gets a random one from the parser; here it is numbered in the
    order of appearance (`_:#1`), so that a file reads the same every time.
    """

    def __init__(self, *, has_anonymous: bool) -> None:
        self._has_anonymous = has_anonymous
        self._anonymous: dict[str, str] = {}
        self._clear()

    def _clear(self) -> None:
        self._nodes: list[tuple[str, str, str, str | None]] = []
        self._literals: list[tuple[str, str, str, str, str | None, str | None]] = []
        self._reified: list[tuple[str, str, str, str | None]] = []
        self._reified_literals: list[tuple[str, str, str, str, str, str | None]] = []

    def __len__(self) -> int:
        reified = len(self._reified) + len(self._reified_literals)
        return len(self._nodes) + len(self._literals) + reified

    def add(self, quad: Quad | Triple) -> None:
        """Add one triple or quad."""
        subject, predicate, value = quad.subject, quad.predicate.value, quad.object
        if isinstance(value, Triple):
            if predicate == RDF_REIFIES:
                self._add_reified(self._name(subject), value)
            return  # a mention of a triple is no statement about an entity
        graph = self._graph(quad)
        if isinstance(value, Literal):
            datatype, language = value.datatype.value, value.language
            self._literals.append(
                (self._name(subject), predicate, value.value, datatype, language, graph)
            )
        else:
            self._nodes.append((self._name(subject), predicate, self._name(value), graph))

    def _add_reified(self, reifier: str, triple: Any) -> None:
        value, predicate = triple.object, triple.predicate.value
        subject = self._name(triple.subject)
        if isinstance(value, Literal):
            literal = value.value, value.datatype.value, value.language
            self._reified_literals.append((reifier, subject, predicate, *literal))
            return
        name = self._name(value) if isinstance(value, NamedNode | BlankNode) else None
        self._reified.append((reifier, subject, predicate, name))

    def _name(self, node: Any) -> str:
        label: str = node.value
        if isinstance(node, NamedNode):
            return label
        if self._has_anonymous and _looks_random(label):
            return self._anonymous.setdefault(label, f"_:#{len(self._anonymous) + 1}")
        return f"_:{label}"

    def _graph(self, quad: Any) -> str | None:
        graph = getattr(quad, "graph_name", None)
        return None if graph is None or isinstance(graph, DefaultGraph) else self._name(graph)

    def take(self) -> Batch:
        """Return all triples so far as one batch, and start a new one."""
        batch = Batch(
            nodes=_frame(self._nodes, _NODES),
            literals=_frame(self._literals, _LITERALS),
            reified=_frame(self._reified, _REIFIED),
            reified_literals=_frame(self._reified_literals, _REIFIED_LITERALS),
        )
        self._clear()
        return batch


def plain_batch(nodes: pl.DataFrame, literals: pl.DataFrame) -> Batch:
    """Return a batch without reified triples."""
    return Batch(nodes, literals, _frame([], _REIFIED), _frame([], _REIFIED_LITERALS))


def _frame(rows: list[Any], columns: tuple[str, ...]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def _looks_random(label: str) -> bool:
    """Whether a label looks like one that the parser made up: about 32 hexadecimal digits."""
    return 28 <= len(label) <= 32 and set(label) <= set("0123456789abcdef")
