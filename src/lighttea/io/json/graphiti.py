"""Nodes and edges as Graphiti keeps them: edges between nodes with a uuid, valid from and until."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lighttea.graph.facts import Graph
from lighttea.io.graph_rows import GraphRows, nothing_found
from lighttea.io.json.items import OTHER_FORMAT, Item, add_each, read_items
from lighttea.io.json.values import id_text, plain_text
from lighttea.io.lines import existing_file
from lighttea.io.problems import Problems
from lighttea.io.property_graphs import LABELS, add_properties, display_name

SECTIONS = ("nodes", "edges", "entity_nodes", "entity_edges")
_BOOKKEEPING = ("uuid", "group_id", "created_at", "labels", "attributes")  # of nodes
_EXPECTED = "edges with source_node_uuid and target_node_uuid, and nodes with a uuid"
_NOTES = {
    "sentences": "{:,} sentences of edges (fact) ignored",
    "vectors": "{:,} vectors of numbers ignored",
    "others": "{:,} objects that are neither nodes nor edges between entities left out",
}


def read_graphiti(path: str | Path, *, strict: bool = False) -> Graph:
    """Return the graph of nodes and edges, on lines, in an array or in the parts of an object.

    Malformed lines are left out and counted in the notes; with `strict` they are an error.
    """
    path = existing_file(path)
    problems = Problems(strict=strict, advice=OTHER_FORMAT)
    rows, counts = GraphRows(path, problems), Counter[str]()
    add_each(rows, read_items(path, problems, SECTIONS), lambda item: _add(rows, item, counts))
    if not len(rows):
        raise nothing_found(path, _EXPECTED, problems)
    rows.notes += [text.format(counts[name]) for name, text in _NOTES.items() if counts[name]]
    return rows.graph()


def _add(rows: GraphRows, item: Item, counts: Counter[str]) -> None:
    value = item.value
    if item.section and item.section not in SECTIONS:
        counts["others"] += 1
    elif not isinstance(value, dict):
        raise ValueError(f"expected {_EXPECTED}, found {value!r:.80}")
    elif "source_node_uuid" in value or "target_node_uuid" in value:
        _add_edge(rows, item.line, value, counts)
    elif (entity := id_text(value.get("uuid"))) is not None and "content" not in value:
        _add_node(rows, item.line, entity, value, counts)
    elif entity is not None:
        counts["others"] += 1  # an episode: the text that edges were taken from
    else:
        raise ValueError(f"expected {_EXPECTED}, found the keys {', '.join(value)[:80] or 'none'}")


def _add_edge(rows: GraphRows, line: int, edge: Mapping[str, Any], counts: Counter[str]) -> None:
    keys = ("source_node_uuid", "name", "target_node_uuid")
    head, relation, tail = (id_text(edge.get(key)) for key in keys)
    if head is None or relation is None or tail is None:
        raise ValueError(f"an edge needs {', '.join(keys)}")
    counts["sentences"] += bool(edge.get("fact"))
    begin, end = (plain_text(edge.get(key)) for key in ("valid_at", "invalid_at"))
    rows.add_fact(line, head, relation, tail, begin, end)


def _add_node(
    rows: GraphRows, line: int, entity: str, node: Mapping[str, Any], counts: Counter[str]
) -> None:
    if not rows.add_node(line, entity, display_name(node)):
        return
    own = {key: value for key, value in node.items() if key not in _BOOKKEEPING}
    further = node.get("attributes")
    own |= further if isinstance(further, dict) else {}
    add_properties(rows, line, entity, {**own, LABELS: node.get("labels")}, counts)
