"""CSV exports: of neo4j-admin's import tool and of `apoc.export.csv`."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.display import visible
from lighttea.errors import InputError
from lighttea.io.lines import Lines, csv_rows, find_separator
from lighttea.io.neo4j.export import Export
from lighttea.io.portions import read_numbered
from lighttea.io.problems import Problems
from lighttea.io.streams import LONGEST_LINE

_CSV_FIELD = re.compile(r"(?P<name>[^:]*)(?::(?P<kind>[A-Za-z_]+(?:\[\])?))?(?:\((?P<space>.*)\))?")

_OF_RELATIONSHIPS = ("START_ID", "END_ID", "TYPE")
_NO_PROPERTIES = {*_OF_RELATIONSHIPS, "ID", "LABEL", "IGNORE"}
_LIST_SEPARATOR = ";"  # neo4j-admin's, of labels and of lists


@dataclass(frozen=True)
class _Layout:
    """The columns of head, relation, tail and node id, and those of the properties.

    A file of nodes has no head, relation and tail. `lists` are properties with several values.
    """

    head: int | None = None
    relation: int | None = None
    tail: int | None = None
    node: int | None = None
    properties: Mapping[str, int] = field(default_factory=dict)
    node_properties: Mapping[str, int] = field(default_factory=dict)
    head_space: str = ""
    tail_space: str = ""
    node_space: str = ""
    labels: int | None = None
    label_separator: str = ":"
    lists: frozenset[str] = frozenset()


def read_rows(export: Export) -> None:
    """Add all nodes and relationships of a file to the export."""
    rows = _csv_rows(export.path, export.problems)
    first, header = next(rows, (1, []))
    if not header:
        raise InputError(f"{export.path}: the file is empty; expected one line per row")
    layout = _find_layout(f"{export.path}:{first}", header)
    node_column = "" if layout.node is None else visible(header[layout.node])
    for line, row in rows:
        if len(row) != len(header):
            export.add_problem(
                line, f"expected {len(header)} fields (the header's), found {len(row)}"
            )
        elif _cell(row, layout.head) or _cell(row, layout.tail) or layout.node is None:
            _add_fact(export, layout, line, row)
        elif _cell(row, layout.node).strip():
            _add_node(export, layout, line, row)
        else:
            export.add_problem(line, f"neither a node ({node_column}) nor a relationship")


def _first_line(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the first line that is not blank."""
    for number, text in lines:
        if text.strip():
            yield number, text.removesuffix("\r")
            return


def _csv_rows(path: Path, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not blank with the number of its first line."""
    lines = read_numbered(path, problems)
    ahead = list(_first_line(lines))
    rest = ((number, text.removesuffix("\r")) for number, text in lines)
    separator = _separator_of(path, ahead[0][1]) if ahead else ","
    for line, row in csv_rows(path, itertools.chain(ahead, rest), separator, LONGEST_LINE):
        if row and (len(row) > 1 or row[0].strip()):
            yield line, row


def _separator_of(path: Path, header: str) -> str:
    return find_separator(Lines(path, pl.Series([1]), pl.Series([header])))


def _find_layout(where: str, header: Sequence[str]) -> _Layout:
    """Return which column is what, by the names in the header."""
    if {"_start", "_end", "_type"} <= set(header):
        last_node, first_own = header.index("_start"), header.index("_type") + 1
        return _Layout(
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
    missing = [kind for kind in _OF_RELATIONSHIPS if kind not in kinds]
    if "ID" in kinds and len(missing) == len(_OF_RELATIONSHIPS):
        return _layout_of_nodes(matches, kinds)
    if missing:
        advice = "export the relationships too"
        if missing == ["TYPE"]:
            advice = "add a column :TYPE with the type of the relationship"
        raise InputError(
            f"{where}: no column {', '.join(f':{kind}' for kind in missing)} (of neo4j-admin) and "
            f"not _start, _end, _type (of apoc); {advice}"
        )
    head, tail = kinds.index("START_ID"), kinds.index("END_ID")
    return _Layout(
        head=head,
        relation=kinds.index("TYPE"),
        tail=tail,
        properties={
            match["name"] if match else header[n]: n
            for n, match in enumerate(matches)
            if kinds[n] not in _NO_PROPERTIES
        },
        head_space=_space(matches[head]),
        tail_space=_space(matches[tail]),
    )


def _layout_of_nodes(
    matches: Sequence[re.Match[str] | None], kinds: Sequence[str | None]
) -> _Layout:
    """Return which column of a file of nodes for neo4j-admin is what."""
    node = kinds.index("ID")
    properties = {
        match["name"]: n
        for n, match in enumerate(matches)
        if match and match["name"] and kinds[n] not in _NO_PROPERTIES
    }
    return _Layout(
        node=node,
        node_properties=properties,
        node_space=_space(matches[node]),
        labels=kinds.index("LABEL") if "LABEL" in kinds else None,
        label_separator=_LIST_SEPARATOR,
        lists=frozenset(name for name, n in properties.items() if (kinds[n] or "").endswith("[]")),
    )


def _space(match: re.Match[str] | None) -> str:
    """Return the prefix of the ids of an id space; equal ids of two spaces are two entities."""
    return f"{match['space']}:" if match and match["space"] else ""


def _add_node(export: Export, layout: _Layout, line: int, row: Sequence[str]) -> None:
    properties = {
        name: row[n].split(_LIST_SEPARATOR) if name in layout.lists else _value_of_cell(row[n])
        for name, n in layout.node_properties.items()
    }
    labels = _cell(row, layout.labels).split(layout.label_separator)
    entity = layout.node_space + _cell(row, layout.node)
    export.add_node(line, entity, properties, filter(None, labels))


def _add_fact(export: Export, layout: _Layout, line: int, row: Sequence[str]) -> None:
    head, tail = _cell(row, layout.head), _cell(row, layout.tail)
    properties = {name: row[n] for name, n in layout.properties.items()}
    if head and tail:
        head, tail = layout.head_space + head, layout.tail_space + tail
        export.add_fact(line, head, _cell(row, layout.relation), tail, properties)
    else:
        export.add_problem(line, f"a relationship without {'an end' if head else 'a start'}")


def _cell(row: Sequence[str], column: int | None) -> str:
    """Return the text in a column, none where the layout has no such column."""
    return "" if column is None else row[column]


def _value_of_cell(text: str) -> Any:
    """Return the list that a cell holds as JSON, or else its text."""
    if text.startswith("[") and text.endswith("]"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text
