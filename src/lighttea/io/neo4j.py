"""Exports of a Neo4j database: neo4j-admin and apoc CSV, apoc JSON.

A relationship is a fact; nodes are entities, also those without relationships. Entities are called
by their ids; a `name` or `title` of a node is what a person reads. Properties and labels of nodes
are attributes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import refuse_unknown_roles
from lighttea.io.frames import LINE, graph_of_frame
from lighttea.io.lines import (
    Lines,
    file_digest,
    find_separator,
    quote_line,
    quoted_rows,
    read_lines,
)
from lighttea.io.literals import literal_rows, with_literals
from lighttea.io.nodes import NodeLiteral, node_literals, value_of_cell
from lighttea.io.problems import Problems
from lighttea.io.properties import (
    check_given_properties,
    find_time_properties,
    note_time_properties,
)

_CSV_FIELD = re.compile(r"(?P<name>[^:]*)(?::(?P<kind>[A-Za-z_]+(?:\[\])?))?(?:\((?P<space>.*)\))?")
_DISPLAY = ("name", "title")


@dataclass
class _Content:
    """Nodes and relationships that were read so far."""

    path: Path
    problems: Problems
    line: list[int] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    relation: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    properties: list[Mapping[str, Any]] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    literals: list[NodeLiteral] = field(default_factory=list)

    def add_fact(
        self, line: int, head: str, relation: str, tail: str, properties: Mapping[str, Any]
    ) -> None:
        """Add a relationship."""
        self.line.append(line)
        self.head.append(head)
        self.relation.append(relation)
        self.tail.append(tail)
        self.properties.append(properties)

    def add_node(
        self, line: int, entity: str, properties: Mapping[str, Any], labels: Iterable[Any]
    ) -> None:
        """Add a node; the first of its display properties that is a text is its name."""
        if set(entity) & set("\t\r\n\0"):
            self.add_problem(line, "a node's id must not hold a tab or a line break or a NUL")
            return
        self.nodes.append(entity)
        self.literals += node_literals(entity, properties, labels)
        candidates = (properties.get(name) for name in _DISPLAY)
        name = next((text for text in candidates if isinstance(text, str) and text.strip()), None)
        if name:
            self.names[entity] = " ".join(name.encode("utf-8", "replace").decode("utf-8").split())

    def add_problem(self, line: int, description: str) -> None:
        """Count a wrong line."""
        self.problems.add(f"{self.path}:{line}: {description}")


def read_neo4j(path: Path, columns: Mapping[str, str], *, strict: bool = False) -> Graph:
    """Return the graph of an export; `columns` may name the properties for time, begin and end.

    Malformed lines are left out and counted in the notes; with `strict` they are an error.
    """
    refuse_unknown_roles(columns, literals=False)
    given = sorted({"head", "relation", "tail"} & columns.keys())
    if given:
        raise InputError(
            f"columns: neo4j knows its own {', '.join(given)}; only time, begin and end can be "
            "named beside it"
        )
    problems = Problems(strict=strict)
    lines = read_lines(path, problems)
    content = _Content(path, problems)
    is_json = lines.first.lstrip()[:1] in ("{", "[")
    (_from_json if is_json else _from_csv)(lines, content)
    if not content.head and not content.literals:
        if problems.total:
            raise problems.error()
        raise InputError(
            f"{path}: there are nodes, but no relationship and no property; facts are "
            "relationships, attributes are properties of nodes"
        )
    times, notes = _time_properties(content, columns)
    frame = pl.DataFrame(
        {
            LINE: content.line,
            "head": content.head,
            "relation": content.relation,
            "tail": content.tail,
            **{role: _texts(content, name) for role, name in times.items()},
        },
        schema_overrides=dict.fromkeys(("head", "relation", "tail", *times), pl.String),
    )
    graph = graph_of_frame(
        frame,
        source=str(path),
        digest=file_digest(path),
        entities=content.nodes,
        notes=notes,
        problems=problems,
    )
    named = replace(graph, entity_names=content.names)
    return with_literals(named, literal_rows(content.literals))


# CSV


@dataclass(frozen=True)
class _CsvLayout:
    """The columns of head, relation, tail and node id, and those of the properties."""

    head: int
    relation: int
    tail: int
    node: int | None
    properties: Mapping[str, int]
    node_properties: Mapping[str, int]
    head_space: str = ""
    tail_space: str = ""
    labels: int | None = None


def _from_csv(lines: Lines, content: _Content) -> None:
    rows = quoted_rows(lines, find_separator(lines))
    _, header = next(rows)
    layout = _csv_layout(lines, header)
    for line, row in rows:
        if len(row) != len(header):
            content.add_problem(
                line, f"expected {len(header)} fields (the header's), found {len(row)}"
            )
        elif row[layout.head] or row[layout.tail] or layout.node is None:
            _csv_fact(content, layout, line, row)
        elif row[layout.node].strip():
            properties = {name: value_of_cell(row[n]) for name, n in layout.node_properties.items()}
            labels = "" if layout.labels is None else row[layout.labels]
            content.add_node(line, row[layout.node], properties, filter(None, labels.split(":")))
        else:
            content.add_problem(line, "neither a node (_id) nor a relationship (_start, _end)")


def _csv_layout(lines: Lines, header: Sequence[str]) -> _CsvLayout:
    where = f"{lines.path}:{lines.first_number}"
    if {"_start", "_end", "_type"} <= set(header):
        last_node, first_own = header.index("_start"), header.index("_type") + 1
        return _CsvLayout(
            head=header.index("_start"),
            relation=header.index("_type"),
            tail=header.index("_end"),
            node=header.index("_id") if "_id" in header else None,
            properties={name: n for n, name in enumerate(header) if n >= first_own},
            node_properties={
                name: n
                for n, name in enumerate(header)
                if n < last_node and name not in ("_id", "_labels")
            },
            labels=header.index("_labels") if "_labels" in header else None,
        )
    matches = [_CSV_FIELD.fullmatch(name.strip()) for name in header]
    kinds = [match["kind"] if match else None for match in matches]
    missing = [kind for kind in ("START_ID", "END_ID", "TYPE") if kind not in kinds]
    if missing:
        advice = "give the export with the relationships in it"
        if missing == ["TYPE"]:
            advice = "add a column :TYPE with the relationship's type"
        elif "ID" in kinds:
            advice = "this file holds nodes; " + advice
        raise InputError(
            f"{where}: no column {', '.join(f':{kind}' for kind in missing)} (of neo4j-admin) and "
            f"not _start, _end, _type (of apoc); {advice}"
        )
    known = {"START_ID", "END_ID", "TYPE", "ID", "LABEL", "IGNORE"}
    head, tail = kinds.index("START_ID"), kinds.index("END_ID")
    return _CsvLayout(
        head=head,
        relation=kinds.index("TYPE"),
        tail=tail,
        node=None,
        properties={
            match["name"] if match else header[n]: n
            for n, match in enumerate(matches)
            if kinds[n] not in known
        },
        node_properties={},
        head_space=_space(matches[head]),
        tail_space=_space(matches[tail]),
    )


def _space(match: re.Match[str] | None) -> str:
    """Return the prefix of the ids of an id space; equal ids of two spaces are two entities."""
    return f"{match['space']}:" if match and match["space"] else ""


def _csv_fact(content: _Content, layout: _CsvLayout, line: int, row: Sequence[str]) -> None:
    head, tail = row[layout.head], row[layout.tail]
    properties = {name: row[n] for name, n in layout.properties.items()}
    if head and tail:
        head, tail = layout.head_space + head, layout.tail_space + tail
        content.add_fact(line, head, row[layout.relation], tail, properties)
    else:
        content.add_problem(line, f"a relationship without {'an end' if head else 'a start'}")


# JSON


def _from_json(lines: Lines, content: _Content) -> None:
    for line, item in _json_items(lines, content):
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "node" and (name := _id_text(item.get("id"))):
            labels = item.get("labels")
            content.add_node(
                line, name, _properties(item), labels if isinstance(labels, list) else ()
            )
        elif kind == "relationship":
            _json_fact(content, line, item)
        else:
            content.add_problem(
                line,
                'expected {"type":"node","id":...} or {"type":"relationship",...} as '
                f"apoc.export.json writes them, found {quote_line(json.dumps(item))}",
            )
        content.problems.give_up(found_any=bool(content.nodes or content.head))


def _json_items(lines: Lines, content: _Content) -> Iterable[tuple[int, Any]]:
    """Yield the objects of JSON lines, or of one array over all lines."""
    if lines.first.lstrip().startswith("["):
        try:
            items = json.loads("\n".join(lines.text))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{lines.path}: not JSON: {error}") from None
        yield from ((lines.first_number, item) for item in items)
        return
    for line, text in zip(lines.number, lines.text, strict=True):
        try:
            yield line, json.loads(text)
        except (ValueError, RecursionError) as error:
            content.add_problem(
                line, f"not a JSON object on one line: {error} ({quote_line(text)})"
            )
            content.problems.give_up(found_any=bool(content.nodes or content.head))


def _json_fact(content: _Content, line: int, item: Mapping[str, Any]) -> None:
    ends = (item.get(side) for side in ("start", "end"))
    head, tail = (_id_text(end.get("id") if isinstance(end, dict) else None) for end in ends)
    label = _id_text(item.get("label"))
    if head and tail and label:
        content.add_fact(line, head, label, tail, _properties(item))
    else:
        content.add_problem(
            line, "a relationship needs a label, a start and an end with an id each"
        )


def _properties(item: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = item.get("properties")
    return properties if isinstance(properties, dict) else {}


def _id_text(value: object) -> str | None:
    """Return an id or a label as text; None where it is neither text nor a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value)
    return text if text.strip() and _is_writable(text) else None


def _is_writable(text: str) -> bool:
    """Whether a text can be written as UTF-8; a lone half of a UTF-16 pair cannot."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


# time


def _time_properties(
    content: _Content, columns: Mapping[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the property of each time role, as given or by its usual name, and a note on it."""
    names = list(dict.fromkeys(name for properties in content.properties for name in properties))
    if columns:
        where = f"{content.path}: no relationship has a property"
        check_given_properties(columns, names, where)
        return dict(columns), ()
    advice = "--columns neo4j,"
    times = find_time_properties(names, str(content.path), advice)
    return times, note_time_properties(times, names, "relationships", advice)


def _texts(content: _Content, name: str) -> list[str | None]:
    """Return a property of every relationship as text; None where it is missing."""
    return [_text(properties.get(name)) for properties in content.properties]


def _text(value: object) -> str | None:
    """Return a value as text; a value that is neither text nor number as JSON."""
    if value is None:
        return None
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    text = str(value) if is_plain else json.dumps(value)
    return text.encode("utf-8", "replace").decode("utf-8")
