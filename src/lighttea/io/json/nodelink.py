"""Node-link JSON as networkx and D3 have it: lists of nodes and of links between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lighttea.graph.facts import Graph
from lighttea.io.columns import refuse_unknown_roles
from lighttea.io.graph_rows import GraphRows, nothing_found
from lighttea.io.json.items import OTHER_FORMAT, Item, add_each, read_items
from lighttea.io.json.recognise import EDGES, NODES
from lighttea.io.json.values import id_text
from lighttea.io.lines import existing_file
from lighttea.io.problems import Problems
from lighttea.io.property_graphs import EdgeTimes, add_properties, display_name, refuse_ends

RELATION_NAMES = ("relation", "predicate", "relationship", "label", "type", "name", "key")
NO_RELATION = "link"
_IDS = ("id", "key", "name", "label")
_ENDS = (("source", "target"), ("from", "to"))
_DISPLAY = ("name", "title", "label")
_EXPECTED = "lists of nodes and of links (or edges) with a source and a target"


def read_node_link(
    path: str | Path, columns: Mapping[str, str] | None = None, *, strict: bool = False
) -> Graph:
    """Return the graph of a node-link document; `columns` may name the keys of times.

    Wrong nodes and links are left out and counted in the notes; with `strict` they are an error.
    """
    refuse_unknown_roles(columns or {}, literals=False)
    refuse_ends(columns or {}, "node-link JSON")
    path = existing_file(path)
    document = _Document(path, Problems(strict=strict, advice=OTHER_FORMAT), columns or {})
    items = read_items(path, document.rows.problems, (*NODES, *EDGES))
    add_each(document.rows, items, document.add)
    return document.graph()


class _Document:
    """What was read of a document so far."""

    def __init__(self, path: Path, problems: Problems, columns: Mapping[str, str]) -> None:
        self.rows = GraphRows(path, problems)
        self._times = EdgeTimes(path, columns, noun="link")
        self._counts: Counter[str] = Counter()
        self._order: list[str] = []  # entities of nodes without an id, which links number
        self._by_number = False
        self._undirected = False

    def add(self, item: Item) -> None:
        """Add a node or a link, or note what is said of the whole graph."""
        if item.section == "directed":
            self._undirected = item.value is False
        elif item.section in NODES:
            self._add_node(item)
        elif item.section in EDGES:
            self._add_link(item)
        elif item.section != "multigraph":
            self._counts["others"] += 1

    def graph(self) -> Graph:
        """Return the graph of all that was read."""
        rows = self.rows
        if not len(rows):
            raise nothing_found(rows.path, _EXPECTED, rows.problems)
        self._times.check()
        rows.notes += self._times.notes()
        if self._undirected:
            rows.notes.append(
                "the graph is undirected; each link is read as a fact in the direction it is "
                "written"
            )
        if n_nameless := self._counts["nameless"]:
            rows.notes.append(
                f"{n_nameless:,} links without a relation ({', '.join(RELATION_NAMES)}) get the "
                f"relation {NO_RELATION!r}"
            )
        if n_others := self._counts["others"]:
            rows.notes.append(f"{n_others:,} values beside nodes and links ignored")
        if n_vectors := self._counts["vectors"]:
            rows.notes.append(f"{n_vectors:,} vectors of numbers ignored")
        return rows.graph()

    def _add_node(self, item: Item) -> None:
        node = item.value if isinstance(item.value, dict) else {"id": item.value}
        entity = item.key or next((t for key in _IDS if (t := id_text(node.get(key)))), None)
        if entity is None:
            raise ValueError("a node needs an id")
        if not item.key and id_text(node.get("id")) is None:
            self._order.append(entity)
            self._by_number = True
        if self.rows.add_node(item.line, entity, display_name(node, _DISPLAY)):
            own = {key: value for key, value in node.items() if key != "id"}
            add_properties(self.rows, item.line, entity, own, self._counts)

    def _add_link(self, item: Item) -> None:
        link = item.value if isinstance(item.value, dict) else {}
        pair = next((pair for pair in _ENDS if pair[0] in link and pair[1] in link), _ENDS[0])
        head, tail = (self._end(link.get(key)) for key in pair)
        if head is None or tail is None:
            raise ValueError("a link needs a source and a target that are nodes")
        name_key = next((key for key in RELATION_NAMES if self._is_relation(link, key)), None)
        relation = NO_RELATION if name_key is None else str(link[name_key])
        self._counts["nameless"] += name_key is None
        own = {key: value for key, value in link.items() if key not in (*pair, name_key)}
        self.rows.add_fact(item.line, head, relation, tail, *self._times.of(own))

    def _is_relation(self, link: Mapping[str, Any], key: str) -> bool:
        """Whether a key says what a link is; keys of parallel edges are numbers."""
        return isinstance(link.get(key), str) and bool(link[key].strip())

    def _end(self, value: Any) -> str | None:
        """Return the entity at an end of a link: an id, a node, or the number of a node."""
        if isinstance(value, dict):
            return next((t for key in _IDS if (t := id_text(value.get(key)))), None)
        if self._by_number and isinstance(value, int) and not isinstance(value, bool):
            return self._order[value] if 0 <= value < len(self._order) else None
        return id_text(value)
