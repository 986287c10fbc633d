"""JSON of `apoc.export.json`: lines, an array, or one object with nodes and relationships."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lighttea.io.json.items import Item, add_each, read_items
from lighttea.io.json.values import id_text
from lighttea.io.lines import quote_line
from lighttea.io.neo4j.export import Export

SECTIONS = ("nodes", "rels", "relationships")


def read_objects(export: Export) -> None:
    """Add all nodes and relationships of a file to the export."""
    items = read_items(export.path, export.problems, SECTIONS)
    add_each(export.rows, items, lambda item: _add_item(export, item))


def _add_item(export: Export, item: Item) -> None:
    if item.section and item.section not in SECTIONS:
        export.count_other()
        return
    value = item.value
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "node" and (name := id_text(value.get("id"))):
        export.add_node(item.line, name, _properties(value), _labels(value))
    elif kind == "relationship":
        _add_fact(export, item.line, value)
    else:
        export.add_problem(
            item.line,
            'expected {"type":"node","id":...} or {"type":"relationship",...} as '
            f"apoc.export.json writes them, found {quote_line(json.dumps(value)[:200])}",
        )


def _add_fact(export: Export, line: int, item: Mapping[str, Any]) -> None:
    start, end = _node(item.get("start")), _node(item.get("end"))
    head, tail = id_text(start.get("id")), id_text(end.get("id"))
    label = id_text(item.get("label"))
    if head and tail and label:
        export.add_fact(line, head, label, tail, _properties(item))
        for entity, node in ((head, start), (tail, end)):
            export.add_end(line, entity, _properties(node), _labels(node))
    else:
        export.add_problem(line, "a relationship needs a label, a start and an end with an id each")


def _node(value: Any) -> Mapping[str, Any]:
    """Return the node at an end of a relationship; an empty one where it is none."""
    return value if isinstance(value, dict) else {}


def _properties(item: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = item.get("properties")
    return properties if isinstance(properties, dict) else {}


def _labels(node: Mapping[str, Any]) -> list[Any]:
    labels = node.get("labels")
    return labels if isinstance(labels, list) else []
