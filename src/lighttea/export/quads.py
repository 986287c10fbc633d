"""A fused graph as N-Quads: a graph for each side, for the links and for the conflicts.

Of two graphs the sides are left and right; of several they are the graphs, by their names.

A fact is a quad of its side's graph. Its time is on a statement (RDF reification, which every RDF
tool reads) as schema:startDate and schema:endDate. So is a literal; one that both sides have stands
in the graph of the first. Names that are no literals have a graph of their own. The first triple
says that this is a fused graph, so that `read_graph` reads the sides and leaves the rest aside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    RdfFormat,
    serialize,
)

from lighttea.export.fused import BOTH, SIDES, FusedGraph, text_of_sides
from lighttea.export.iris import OWL_SAME_AS, RDFS_LABEL, SKOS_CLOSE_MATCH, IriSource, is_iri
from lighttea.export.options import ExportOptions
from lighttea.io.rdf.vocabulary import CONFORMS_TO, FUSED_GRAPH, OF_SEVERAL

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_OF_LANGUAGES = (_RDF + "langString", _RDF + "dirLangString")  # datatypes that need a language
_DEFAULT = DefaultGraph()
_TYPE, _STATEMENT = NamedNode(_RDF + "type"), NamedNode(_RDF + "Statement")
_PARTS = tuple(NamedNode(_RDF + part) for part in ("subject", "predicate", "object"))
_ENDS = {
    "begin": NamedNode("https://schema.org/startDate"),
    "end": NamedNode("https://schema.org/endDate"),
}
_SAME, _CLOSE, _LABEL = map(NamedNode, (OWL_SAME_AS, SKOS_CLOSE_MATCH, RDFS_LABEL))
_EQUIVALENT = NamedNode("http://www.w3.org/2002/07/owl#equivalentProperty")
_INVERSE = NamedNode("http://www.w3.org/2002/07/owl#inverseOf")
_SOURCE = NamedNode("http://purl.org/dc/terms/source")
_IDENTIFIER = NamedNode("http://purl.org/dc/terms/identifier")


def write_quads(
    fused: FusedGraph,
    path: Path,
    options: ExportOptions,
    sources: Mapping[str, Mapping[str, Any]],
    namespaces: IriSource,
) -> None:
    """Write a fused graph as N-Quads; `sources` are name, source and digest of each side."""
    with path.open("wb") as file:
        serialize(_quads(fused, options, sources, namespaces), file, format=RdfFormat.N_QUADS)


def _quads(
    fused: FusedGraph,
    options: ExportOptions,
    sources: Mapping[str, Mapping[str, Any]],
    namespaces: IriSource,
) -> Iterator[Quad]:
    base = options.fused_namespace
    yield Quad(NamedNode(base), NamedNode(CONFORMS_TO), NamedNode(FUSED_GRAPH))
    for side, source in sources.items():
        graph = graph_of_side(base, side)
        yield from (
            Quad(graph, predicate, Literal(source[key]))
            for predicate, key in ((_LABEL, "name"), (_SOURCE, "source"), (_IDENTIFIER, "digest"))
            if source.get(key)
        )
    yield from _facts(fused.facts, base)
    yield from _literals(fused.attributes, base, list(sources))
    yield from _labels(fused, base)
    yield from _links(fused, options, namespaces)
    yield from _conflicts(fused, base)


def graph_of_side(base: str, side: str) -> NamedNode:
    """Return the graph with the facts of a side, or of one of several graphs."""
    return NamedNode(f"{base}graph/{side if side in SIDES else OF_SEVERAL + quote(side, safe='')}")


def _facts(facts: pl.DataFrame, base: str) -> Iterator[Quad]:
    numbered = _mark_twins(facts, ["head", "relation", "tail", "side"])
    columns = ("head", "relation", "tail", "begin", "end", "side", "has_twin")
    rows = numbered.select(columns).iter_rows()
    for number, (head, relation, tail, begin, end, side, has_twin) in enumerate(rows, 1):
        graph = graph_of_side(base, side)
        fact = NamedNode(head), NamedNode(relation), NamedNode(tail)
        name = f"{base}fact/{number}"
        yield from statement_quads(fact, name, {"begin": begin, "end": end}, graph, stated=has_twin)


def _literals(attributes: pl.DataFrame, base: str, sides: Sequence[str]) -> Iterator[Quad]:
    """Yield the literals of entities with datatype or language, and time where there is one."""
    texts = {side: _text_of(side) for side in sides}
    first_of = {side: _first_of(side, texts) for side in attributes["side"].unique()}
    first = pl.col("side").replace(first_of)
    key = ["entity", "attribute", "value", "datatype", "language", "side"]
    rows = _mark_twins(attributes.with_columns(first), key).iter_rows(named=True)
    for number, row in enumerate(rows, 1):
        graph = graph_of_side(base, row["side"])
        value = value_literal(row["value"], row["datatype"], row["language"])
        stated = NamedNode(row["entity"]), NamedNode(row["attribute"]), value
        times = {"begin": row["begin"], "end": row["end"]}
        name = f"{base}literal/{number}"
        yield from statement_quads(stated, name, times, graph, stated=row["has_twin"])


def _text_of(side: str) -> str:
    """Return how the literals of one side name it."""
    return str(pl.select(text_of_sides(pl.lit(side))).item())


def _first_of(side: str, texts: Mapping[str, str]) -> str:
    """Return the first of the sides that a literal has, which may be both or several."""
    if side == BOTH and tuple(texts) == SIDES:
        return SIDES[0]
    return next(own for own, text in texts.items() if f"{side}, ".startswith(f"{text}, "))


def _mark_twins(rows: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Return the rows with a mark on those that the side also tells at another time."""
    return rows.with_columns(has_twin=pl.len().over(key) > 1)


def statement_quads(
    triple: tuple[NamedNode | BlankNode, NamedNode, NamedNode | BlankNode | Literal],
    name: str,
    times: Mapping[str, str | None],
    graph: NamedNode | DefaultGraph = _DEFAULT,
    *,
    stated: bool = False,
) -> Iterator[Quad]:
    """Yield a triple as a quad, and as a statement of this name where it has a time.

    With `stated` it is a statement without a time too: it stands beside one that has a time.
    """
    yield Quad(*triple, graph)
    known = {end: time for end, time in times.items() if time is not None}
    if not known and not stated:
        return
    statement = NamedNode(name)
    yield Quad(statement, _TYPE, _STATEMENT, graph)
    for part, node in zip(_PARTS, triple, strict=True):
        yield Quad(statement, part, node, graph)
    for end, time in known.items():
        yield Quad(statement, _ENDS[end], time_literal(time), graph)


def value_literal(text: str, datatype: str | None, language: str | None) -> Literal:
    """Return a value as RDF; a tag or a datatype that RDF does not know is left out."""
    if language:
        try:
            return Literal(text, language=language)
        except ValueError:
            return Literal(text)
    if not datatype or datatype in _OF_LANGUAGES or not is_iri(datatype):
        return Literal(text)
    return Literal(text, datatype=NamedNode(datatype))


def time_literal(time: str) -> Literal:
    """Return a time as a literal of its granularity."""
    grain = "dateTime" if "T" in time else ("gYear", "gYearMonth", "date")[time[1:].count("-")]
    return Literal(time, datatype=NamedNode(_XSD + grain))


def _labels(fused: FusedGraph, base: str) -> Iterator[Quad]:
    """Yield the names that are no labels among the literals."""
    graph = NamedNode(f"{base}graph/names")
    labels = fused.attributes.filter(pl.col("attribute") == RDFS_LABEL)
    stated = set(labels.select("entity", "value").iter_rows())
    attributes = fused.attributes.select("attribute", name="attribute_name")
    tables = {"entity": fused.entities, "relation": fused.relations, "attribute": attributes}
    for key, table in tables.items():
        named = table.select(key, "name").drop_nulls().unique(maintain_order=True)
        for node, name in named.iter_rows():
            if (node, name) not in stated:
                yield Quad(NamedNode(node), _LABEL, Literal(name), graph)


def _links(fused: FusedGraph, options: ExportOptions, namespaces: IriSource) -> Iterator[Quad]:
    """Yield the other ids of each entity and relation."""
    graph = NamedNode(f"{options.fused_namespace}graph/links")
    others = fused.entities.filter(pl.col("entity") != pl.col("iri"))
    for entity, iri, confidence in others.select("entity", "iri", "confidence").iter_rows():
        sure = confidence >= options.sure_confidence
        yield Quad(NamedNode(entity), _SAME if sure else _CLOSE, NamedNode(iri), graph)
    for relation, side, name, turned in fused.relations.select(
        "relation", "side", "id", "turned"
    ).iter_rows():
        iri = namespaces.relation(side, name)
        if iri != relation:
            match = _INVERSE if turned else _EQUIVALENT
            yield Quad(NamedNode(relation), match, NamedNode(iri), graph)


def _conflicts(fused: FusedGraph, base: str) -> Iterator[Quad]:
    """Yield a node for each conflict, and the statements that disagree."""
    graph = NamedNode(f"{base}graph/conflicts")
    key, times = ["head", "relation", "tail"], ["side", "begin", "end"]
    numbered = fused.facts.with_row_index("number", offset=1).select("number", *key, *times)
    disputed = fused.disputed.join(
        numbered, on=[*key, *times], how="left", nulls_equal=True, maintain_order="left"
    )
    for number, group in enumerate(disputed.partition_by(key, maintain_order=True), 1):
        conflict = NamedNode(f"{base}conflict/{number}")
        yield Quad(conflict, _TYPE, NamedNode(f"{base}Conflict"), graph)
        for place in group["number"]:
            yield Quad(
                conflict, NamedNode(f"{base}statement"), NamedNode(f"{base}fact/{place}"), graph
            )
