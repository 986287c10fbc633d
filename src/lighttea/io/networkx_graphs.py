"""Graphs of networkx: edges are facts, attributes of nodes are literals."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import FACT_ROLES
from lighttea.io.frames import LINE, graph_of_frame
from lighttea.io.json.values import literal_text, one_line, replace_halves
from lighttea.io.literals import XSD
from lighttea.io.property_graphs import EdgeTimes, attribute_name, display_name, plain_property
from lighttea.io.rows import column_of, text_of
from lighttea.io.tables import frame_of_table

NO_RELATION = "edge"  # the relation of edges that say none
_RELATION_NAMES = ("relation", "predicate")  # before the key of a multigraph
_OTHER_RELATION_NAMES = ("type", "label", "name")  # after it
_ROLES = ("relation", "begin", "end", "time")
_LITERAL = ("head", "relation", "value", "datatype", "language", "begin", "end")
_DISPLAY = ("name", "label", "title")
_PYTHON_KINDS: Mapping[type, str] = {  # beside those that JSON has; the first that fits
    Decimal: "decimal",
    datetime.datetime: "dateTime",
    datetime.date: "date",
}


@dataclass(frozen=True)
class _Edge:
    head: str
    tail: str
    key: Any  # of a multigraph, None elsewhere
    properties: Mapping[str, Any]

    @property
    def place(self) -> str:
        """What messages call the edge."""
        return f"edge {self.head} - {self.tail}"


def graph_of_networkx(graph: Any, name: str, columns: Mapping[str, str] | None = None) -> Graph:
    """Return the graph of a networkx graph, directed or not, with or without parallel edges.

    `columns` may name the attributes of edges for relation, begin, end and time. An undirected edge
    is two facts, one in each direction. Nodes without edges are entities too.
    """
    given = dict(columns or {})
    if unknown := sorted(given.keys() - set(_ROLES)):
        raise InputError(
            f"{name}: columns: {unknown[0]!r} is not a role of edges; known: {', '.join(_ROLES)}"
        )
    ids = _node_ids(graph, name)
    edges = list(_edges(graph, ids))
    facts, notes = _facts(edges, given, name)
    if not graph.is_directed() and len(facts):
        notes = (*notes, f"{len(facts):,} undirected edges read as facts in both directions")
        facts = _in_both_directions(facts)
    literals = _literals(graph, ids)
    if not len(facts) and not len(literals):
        raise InputError(f"{name}: the networkx graph has no edge and no node attribute")
    frame = pl.concat([facts, literals], how="diagonal")
    read = graph_of_frame(frame, source=name, entities=list(ids.values()), notes=notes)
    return replace(read, entity_names=_names(graph, ids))


def _node_ids(graph: Any, name: str) -> dict[Any, str]:
    """Return the id of each node: its text; two nodes with the same one are an error."""
    ids: dict[Any, str] = {}
    nodes: dict[str, Any] = {}
    problems = []
    for node in graph.nodes:
        text = _node_text(node)
        if text is None:
            problems.append(f"{name}: node {node!r:.200} has no text; use a text as node")
        elif text in nodes:
            both = f"{nodes[text]!r:.80} and {node!r:.80}"
            problems.append(f"{name}: nodes {both} are both {text!r} as text; rename one of them")
        else:
            ids[node], nodes[text] = text, node
    if problems:
        raise InputError.of_many(problems)
    return ids


def _node_text(node: Any) -> str | None:
    """Return the text of a node; None where it is only an address in memory."""
    try:
        return text_of(node)
    except UnicodeEncodeError:
        return None
    except TypeError:
        writers = (getattr(type(node), name) for name in ("__str__", "__repr__"))
        is_opaque = all(writer in (object.__str__, object.__repr__) for writer in writers)
        return None if is_opaque else str(node)


def _edges(graph: Any, ids: Mapping[Any, str]) -> Iterator[_Edge]:
    """Yield the edges in the order of networkx."""
    rows = (
        graph.edges(keys=True, data=True)
        if graph.is_multigraph()
        else ((head, tail, None, data) for head, tail, data in graph.edges(data=True))
    )
    for head, tail, key, data in rows:
        yield _Edge(ids[head], ids[tail], key, {str(name): value for name, value in data.items()})


def _facts(
    edges: Sequence[_Edge], given: Mapping[str, str], name: str
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return line, head, relation, tail and the times of each edge, and notes."""
    if not edges:
        return pl.DataFrame(), ()
    names = list(dict.fromkeys(n for edge in edges for n in edge.properties))
    relations, attribute, relation_notes = _relations(edges, names, given.get("relation"), name)
    own_times = {role: given[role] for role in _ROLES[1:] if role in given}
    edge_times = EdgeTimes(name, own_times, noun="edge")
    times = edge_times.among(n for n in names if n != attribute)
    edge_times.check()
    table = pl.DataFrame(
        {
            "head": [edge.head for edge in edges],
            "relation": relations,
            "tail": [edge.tail for edge in edges],
            **{
                role: column_of([edge.properties.get(own) for edge in edges], name, own)
                for role, own in times.items()
            },
        }
    )
    facts, table_notes = frame_of_table(table, name, {}, FACT_ROLES)
    places = pl.Series(LINE, [edge.place for edge in edges])
    return facts.with_columns(places), (*relation_notes, *edge_times.notes(), *table_notes)


def _relations(
    edges: Sequence[_Edge], names: Sequence[str], given: str | None, where: str
) -> tuple[list[str], str | None, tuple[str, ...]]:
    """Return the relation of each edge, the attribute that says it, and a note on the choice."""
    if given is not None and given not in names:
        known = ", ".join(names) or "none"
        raise InputError(f"{where}: no edge has a property {given!r}; found: {known}")
    has_text_keys = all(isinstance(edge.key, str) for edge in edges)
    attribute = given or _first_called(names, _RELATION_NAMES)
    if attribute is None and has_text_keys:
        return [edge.key for edge in edges], None, ("relations: the keys of the edges",)
    attribute = attribute or _first_called(names, _OTHER_RELATION_NAMES)
    if attribute is None:
        note = (
            f"the edges have no relation and get {NO_RELATION!r}; name an attribute with "
            '`columns="relation=..."`'
        )
        return [NO_RELATION] * len(edges), None, (note,)
    notes = () if given else (f"relations: the attribute {attribute!r} of the edges",)
    return _texts(edges, attribute, where), attribute, notes


def _texts(edges: Sequence[_Edge], attribute: str, where: str) -> list[str]:
    """Return an attribute of every edge as text; an edge without it is an error."""
    texts, problems = [], []
    for edge in edges:
        value = edge.properties.get(attribute)
        try:
            text = text_of(value)
        except (TypeError, UnicodeEncodeError):
            text = None
        if text is None or not text.strip():
            problems.append(
                f"{where}: {edge.place}: expected a text as attribute {attribute!r}, found "
                f"{value!r:.200}"
            )
        else:
            texts.append(text)
    if problems:
        raise InputError.of_many(problems)
    return texts


def _first_called(names: Sequence[str], usual: Sequence[str]) -> str | None:
    """Return the first of the names that is a usual one, in the order of these."""
    matches = (name for chosen in usual for name in names if plain_property(name) == chosen)
    return next(matches, None)


def _in_both_directions(facts: pl.DataFrame) -> pl.DataFrame:
    """Return each fact and its reverse; an edge from a node to itself stays one."""
    reverse = facts.filter(pl.col("head") != pl.col("tail"))
    return pl.concat([facts, reverse.with_columns(head="tail", tail="head")])


def _literals(graph: Any, ids: Mapping[Any, str]) -> pl.DataFrame:
    """Return the attributes of nodes as rows of a table of facts, without a tail."""
    rows = [
        row
        for node, attributes in graph.nodes(data=True)
        for name, value in attributes.items()
        for member in _members(value)
        for row in _literal_rows(ids[node], str(name), member)
    ]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(_LITERAL, pl.String), orient="row")
    return frame.with_columns(pl.format("node {}", "head").alias(LINE))


def _members(value: Any) -> Sequence[Any]:
    """Return the members of a list, a tuple, a set or an array in a fixed order, or the value."""
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    return value if isinstance(value, list | tuple) else [value]


def _literal_rows(entity: str, attribute: str, value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield a value as head, relation, value, datatype, language, begin and end, if it says any."""
    details = _details(value)
    for member in _members(value["value"] if details else value):
        if member is not None and member != "":
            text, datatype = _literal(member)
            others = (details.get(part) for part in ("language", "begin", "end"))
            name = replace_halves(attribute_name(attribute))
            yield entity, name, replace_halves(text), details.get("datatype") or datatype, *others


def _literal(value: Any) -> tuple[str, str]:
    """Return text and datatype of a value of Python; one of no simple kind is text."""
    for kind, name in _PYTHON_KINDS.items():
        if isinstance(value, kind):
            return value.isoformat() if hasattr(value, "isoformat") else str(value), f"{XSD}{name}"
    try:
        return literal_text(value)
    except (TypeError, ValueError):
        return str(value), ""


def _details(value: Any) -> dict[str, str | None]:
    """Return what a mapping with a `value` says of it, as texts; nothing of any other value."""
    parts = set(_LITERAL[2:])
    if not isinstance(value, Mapping) or "value" not in value or not value.keys() <= parts:
        return {}
    try:
        return {part: text_of(value.get(part)) for part in _LITERAL[3:]}
    except (TypeError, UnicodeEncodeError):
        return {}


def _names(graph: Any, ids: Mapping[Any, str]) -> dict[str, str]:
    """Return what a person reads instead of an id: the first display attribute that is a text."""
    texts = ((ids[node], display_name(own, _DISPLAY)) for node, own in graph.nodes(data=True))
    return {entity: one_line(text) for entity, text in texts if text}
