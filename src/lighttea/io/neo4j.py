"""Exports of a Neo4j database: neo4j-admin and apoc CSV, apoc JSON.

A relationship is a fact; nodes are entities, also those without relationships. Entities are called
by their ids; a `name` or `title` of a node is kept for display.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import refuse_unknown_roles
from lighttea.io.frames import LINE, graph_of_frame
from lighttea.io.lines import LONGEST_FIELD, Lines, digest, read_lines, separator_of, shown

_TIMES: Mapping[str, tuple[str, ...]] = {  # names of properties, case and signs aside
    "begin": ("begin", "start", "from", "since", "validfrom", "startdate", "starttime"),
    "end": ("end", "to", "until", "validto", "validuntil", "enddate", "endtime"),
    "time": ("time", "date", "timestamp", "datetime", "at", "on"),
}
_CSV_FIELD = re.compile(r"(?P<name>[^:]*)(?::(?P<kind>[A-Za-z_]+(?:\[\])?))?(?:\((?P<space>.*)\))?")
_DISPLAY = ("name", "title")
_Row = tuple[int, list[str]]


@dataclass
class _Content:
    """What was found so far."""

    path: Path
    line: list[int] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    relation: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    properties: list[Mapping[str, Any]] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def fact(
        self, line: int, head: str, relation: str, tail: str, properties: Mapping[str, Any]
    ) -> None:
        """A relationship."""
        self.line.append(line)
        self.head.append(head)
        self.relation.append(relation)
        self.tail.append(tail)
        self.properties.append(properties)

    def node(self, line: int, entity: str, properties: Mapping[str, Any]) -> None:
        """A node; the first of its display properties that is a text is what people call it."""
        if set(entity) & set("\t\r\n\0"):
            self.problem(line, "a node's id must not hold a tab or a line break or a NUL")
        self.nodes.append(entity)
        called = (properties.get(name) for name in _DISPLAY)
        name = next((text for text in called if isinstance(text, str) and text.strip()), None)
        if name:
            self.names[entity] = " ".join(name.encode("utf-8", "replace").decode("utf-8").split())

    def problem(self, line: int, what: str) -> None:
        """Something wrong with a line."""
        self.problems.append(f"{self.path}:{line}: {what}")


def read_neo4j(path: Path, columns: Mapping[str, str]) -> Graph:
    """Read an export; `columns` may say which properties are time, begin and end."""
    refuse_unknown_roles(columns)
    given = sorted({"head", "relation", "tail"} & columns.keys())
    if given:
        raise InputError(
            f"columns: neo4j knows its own {', '.join(given)}; only time, begin and end can be "
            "named beside it"
        )
    lines = read_lines(path)
    content = _from_json(lines) if lines.first.lstrip()[:1] in ("{", "[") else _from_csv(lines)
    if content.problems:
        raise InputError.of_many(content.problems)
    if not content.head:
        raise InputError(f"{path}: there are nodes and no relationship; facts are relationships")
    times, notes = _time_properties(content, columns)
    frame = pl.DataFrame(
        {
            LINE: content.line,
            "head": content.head,
            "relation": content.relation,
            "tail": content.tail,
            **{role: _texts(content, name) for role, name in times.items()},
        },
        schema_overrides=dict.fromkeys(times, pl.String),
    )
    if content.problems:
        raise InputError.of_many(content.problems)
    graph = graph_of_frame(
        frame, source=str(path), digest=digest(path), entities=content.nodes, notes=notes
    )
    return replace(graph, entity_names=content.names)


# CSV


@dataclass(frozen=True)
class _CsvLayout:
    """Where head, relation, tail and a node's id stand, and the properties of relationships."""

    head: int
    relation: int
    tail: int
    node: int | None
    properties: Mapping[str, int]
    node_properties: Mapping[str, int]
    head_space: str = ""
    tail_space: str = ""


def _from_csv(lines: Lines) -> _Content:
    content = _Content(lines.path)
    rows = _csv_rows(lines, content)
    _, header = next(rows, (0, None))
    if header is None:
        return content
    layout = _csv_layout(lines, header)
    for line, row in rows:
        if len(row) != len(header):
            content.problem(line, f"expected {len(header)} fields (the header's), found {len(row)}")
        elif row[layout.head] or row[layout.tail] or layout.node is None:
            _csv_fact(content, layout, line, row)
        elif row[layout.node].strip():
            found = {name: row[n] for name, n in layout.node_properties.items()}
            content.node(line, row[layout.node], found)
        else:
            content.problem(line, "neither a node (_id) nor a relationship (_start, _end)")
    return content


def _csv_rows(lines: Lines, content: _Content) -> Iterator[_Row]:
    """Each row with the line it begins on; a quoted field may hold line breaks."""
    reader = csv.reader(
        (text + "\n" for text in lines.text), delimiter=separator_of(lines), strict=True
    )
    numbers = lines.number
    csv.field_size_limit(LONGEST_FIELD)
    while True:
        line = int(numbers[min(reader.line_num, len(numbers) - 1)])
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            content.problem(line, f"the row that begins here is no CSV: {error}")
            return
        yield line, row


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
            node_properties={name: n for n, name in enumerate(header) if n < last_node},
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
    """The prefix of ids in an id space of their own: equal ids of two spaces are two entities."""
    return f"{match['space']}:" if match and match["space"] else ""


def _csv_fact(content: _Content, layout: _CsvLayout, line: int, row: Sequence[str]) -> None:
    head, tail = row[layout.head], row[layout.tail]
    properties = {name: row[n] for name, n in layout.properties.items()}
    if head and tail:
        head, tail = layout.head_space + head, layout.tail_space + tail
        content.fact(line, head, row[layout.relation], tail, properties)
    else:
        content.problem(line, f"a relationship without {'an end' if head else 'a start'}")


# JSON


def _from_json(lines: Lines) -> _Content:
    content = _Content(lines.path)
    for line, item in _json_items(lines, content):
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "node" and (name := _name(item.get("id"))):
            content.node(line, name, _properties(item))
        elif kind == "relationship":
            _json_fact(content, line, item)
        else:
            content.problem(
                line,
                'expected {"type":"node","id":...} or {"type":"relationship",...} as '
                f"apoc.export.json writes them, found {shown(json.dumps(item))}",
            )
        if len(content.problems) >= SHOWN_PROBLEMS:
            break
    return content


def _json_items(lines: Lines, content: _Content) -> Iterable[tuple[int, Any]]:
    """The objects of JSON lines, or of one array over all lines."""
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
            content.problem(line, f"not a JSON object on one line: {error} ({shown(text)})")
            if len(content.problems) >= SHOWN_PROBLEMS:
                return


def _json_fact(content: _Content, line: int, item: Mapping[str, Any]) -> None:
    ends = (item.get(side) for side in ("start", "end"))
    head, tail = (_name(end.get("id") if isinstance(end, dict) else None) for end in ends)
    label = _name(item.get("label"))
    if head and tail and label:
        content.fact(line, head, label, tail, _properties(item))
    else:
        content.problem(line, "a relationship needs a label, a start and an end with an id each")


def _properties(item: Mapping[str, Any]) -> Mapping[str, Any]:
    found = item.get("properties")
    return found if isinstance(found, dict) else {}


def _name(value: object) -> str | None:
    """An id or a label as text, if it is a text or a whole number that can be written."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value)
    return text if text.strip() and _is_writable(text) else None


def _is_writable(text: str) -> bool:
    """Whether UTF-8 has all its characters: half a character of UTF-16 is none."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


# time


def _time_properties(
    content: _Content, columns: Mapping[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The property of each time role: as named, or else by its name; and a remark on which."""
    names = list(dict.fromkeys(name for found in content.properties for name in found))
    if columns:
        for name in columns.values():
            if name not in names:
                raise InputError(
                    f"{content.path}: no relationship has a property {name!r}; "
                    f"found: {', '.join(names) or 'none'}"
                )
        return dict(columns), ()
    times: dict[str, str] = {}
    for role, usual in _TIMES.items():
        matches = [name for name in names if re.sub(r"[_\W]", "", name).casefold() in usual]
        if len(matches) > 1:
            raise InputError(
                f"{content.path}: properties {' and '.join(matches)} both mean {role}; choose one: "
                f"--columns neo4j,{role}={matches[0]}"
            )
        if matches:
            times[role] = matches[0]
    if times:
        said = ", ".join(f"{role} = {name}" for role, name in times.items())
        return times, (f"time is taken from the relationships' properties {said}",)
    if names:
        return {}, (
            f"no property of the relationships is taken as time; found {', '.join(names)}; name "
            "one with --columns neo4j,time=... or begin=..., end=...",
        )
    return {}, ()


def _texts(content: _Content, name: str) -> list[str | None]:
    """A property of every relationship as text; null where there is none."""
    texts: list[str | None] = []
    for line, properties in zip(content.line, content.properties, strict=True):
        value = properties.get(name)
        if value is None:
            texts.append(None)
        elif not isinstance(value, bool) and isinstance(value, str | int | float):
            texts.append(str(value).encode("utf-8", "replace").decode("utf-8"))
        else:
            texts.append(None)
            content.problem(line, f"property {name!r} is no time: {shown(json.dumps(value))}")
    return texts
