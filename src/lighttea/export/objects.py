"""Graphs and links as objects of other libraries: polars, pandas, rdflib, networkx.

`graph_from` reads them back: the same facts, times and literals.
"""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl
from pyoxigraph import BlankNode, NamedNode, Quad, Triple

from lighttea.errors import ConfigError, EngineUnavailable
from lighttea.export.iris import Namespaces, is_iri
from lighttea.export.quads import statement_quads, time_literal, value_literal
from lighttea.graph.facts import Graph
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import XSD, frame_of_attributes

if TYPE_CHECKING:
    import networkx
    import pandas
    import rdflib

    NetworkxGraph: TypeAlias = networkx.MultiDiGraph
    PandasFrame: TypeAlias = pandas.DataFrame
    RdflibGraph: TypeAlias = rdflib.Graph

PolarsFrame: TypeAlias = pl.DataFrame

NAMESPACE = "https://example.org/"
COLUMNS = ("head", "relation", "tail", "value", "datatype", "language", "begin", "end")
_BLANK_LABEL = re.compile(r"\w(?:[\w.-]*[\w-])?", re.ASCII)
_KEPT_TERMS = 200_000  # that were converted and are likely to come again
_TEXT_TYPES = ("", f"{XSD}string")


def to_polars(graph: Graph) -> PolarsFrame:
    """Return a row of texts for each fact and for each literal, which has a value and no tail."""
    literals = frame_of_attributes(graph).rename({"entity": "head", "attribute": "relation"})
    schema = pl.DataFrame(schema=dict.fromkeys(COLUMNS, pl.String))
    return pl.concat([schema, frame_of_graph(graph), literals], how="diagonal").select(COLUMNS)


def to_pandas(frame: PolarsFrame) -> PandasFrame:
    """Return a frame of pandas; pyarrow is not needed for it."""
    pandas = _load("pandas")
    columns = {
        column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
        for column in frame
    }
    converted: PandasFrame = pandas.DataFrame(columns)
    return converted


def to_networkx(graph: Graph) -> NetworkxGraph:
    """Return a directed multigraph: a fact is an edge with relation, begin and end.

    A literal is an attribute of its node, a list where there are several. One with a language, a
    time or a datatype that Python has no value for is a mapping with `value` and these.
    """
    networkx = _load("networkx")
    converted: NetworkxGraph = networkx.MultiDiGraph()
    converted.add_nodes_from(graph.entities)
    for entity, name, *literal in frame_of_attributes(graph).iter_rows():
        attributes = converted.nodes[entity]
        value = _python_value(*literal)
        if name not in attributes:
            attributes[name] = value
        elif isinstance(attributes[name], list):
            attributes[name].append(value)
        else:
            attributes[name] = [attributes[name], value]
    for head, relation, tail, begin, end in frame_of_graph(graph).iter_rows():
        known = {key: time for key, time in (("begin", begin), ("end", end)) if time is not None}
        converted.add_edge(head, tail, relation=relation, **known)
    return converted


def _python_value(
    text: str, datatype: str | None, language: str | None, begin: str | None, end: str | None
) -> Any:
    """Return a literal as a value of Python, or as a mapping where that would lose something."""
    if not language and begin is None and end is None:
        kind = (datatype or "").removeprefix(XSD)
        if (datatype or "") in _TEXT_TYPES:
            return text
        if kind == "boolean" and text in ("true", "false"):
            return text == "true"
        if kind in ("integer", "double") and _is_exact(text, kind):
            return int(text) if kind == "integer" else float(text)
    parts = {"datatype": datatype, "language": language, "begin": begin, "end": end}
    return {"value": text, **{part: value for part, value in parts.items() if value}}


def _is_exact(text: str, kind: str) -> bool:
    """Whether Python writes a number in the same way."""
    try:
        return (str(int(text)) if kind == "integer" else repr(float(text))) == text
    except ValueError:
        return False


def to_rdflib(graph: Graph, namespace: str = NAMESPACE) -> RdflibGraph:
    """Return the facts and literals as triples; their times are on statements (`rdf:Statement`).

    `namespace` is put before ids that are no IRIs. A fact that links an entity with itself at a
    point in time is a date of the entity.
    """
    if not is_iri(namespace):
        raise ConfigError(
            f"namespace must be an absolute IRI, such as {NAMESPACE}; got {namespace!r}"
        )
    return rdflib_graph(_triples(graph, namespace))


def _triples(graph: Graph, namespace: str) -> Iterator[Quad]:
    names = Namespaces(namespace, namespace)
    key = [name for name in COLUMNS if name not in ("begin", "end")]
    rows = to_polars(graph).with_columns(has_twin=pl.len().over(key) > 1).iter_rows()
    for number, row in enumerate(rows, 1):
        head, relation, tail, value, datatype, language, begin, end, has_twin = row
        entity, predicate = _node(head, names), NamedNode(names.relation("left", relation))
        if head == tail and begin is not None and begin == end:
            yield Quad(entity, predicate, time_literal(begin))
            continue
        stated = _node(tail, names) if tail else value_literal(value, datatype, language)
        triple, name = (entity, predicate, stated), f"{namespace}statement/{number}"
        yield from statement_quads(triple, name, {"begin": begin, "end": end}, stated=has_twin)


def _node(name: str, namespaces: Namespaces) -> NamedNode | BlankNode:
    """Return an entity as a node; a blank node stays one."""
    if not name.startswith("_:"):
        return NamedNode(namespaces.entity("left", name))
    label = name[2:]
    if _BLANK_LABEL.fullmatch(label):
        return BlankNode(label)
    return BlankNode("N" + hashlib.md5(label.encode(), usedforsecurity=False).hexdigest())


def rdflib_graph(triples: Iterable[Quad | Triple]) -> RdflibGraph:
    """Return triples of pyoxigraph as a graph of rdflib."""
    rdflib = _load("rdflib")

    @lru_cache(_KEPT_TERMS)
    def term(node: Any) -> Any:
        if isinstance(node, NamedNode):
            return rdflib.URIRef(node.value)
        if isinstance(node, BlankNode):
            return rdflib.BNode(node.value)
        datatype = None if node.language else rdflib.URIRef(node.datatype.value)
        return rdflib.Literal(node.value, lang=node.language, datatype=datatype, normalize=False)

    converted: RdflibGraph = rdflib.Graph()
    for triple in triples:
        converted.add((term(triple.subject), term(triple.predicate), term(triple.object)))
    return converted


def _load(library: str) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError:
        raise EngineUnavailable(f"this needs {library}: pip install {library}") from None
