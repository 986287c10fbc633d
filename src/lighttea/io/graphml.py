"""GraphML as networkx, yEd, Gephi and apoc write it, read element by element."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from lighttea.graph.facts import Graph
from lighttea.io.columns import refuse_unknown_roles
from lighttea.io.graph_rows import GraphRows, nothing_found
from lighttea.io.lines import existing_file
from lighttea.io.literals import XSD
from lighttea.io.problems import Problems
from lighttea.io.property_graphs import LABELS, EdgeTimes, attribute_name, display_name, refuse_ends
from lighttea.io.rdf.guards import XmlGuard
from lighttea.io.streams import open_bytes

_RELATION_NAMES = ("label", "type", "relation", "relationship", "predicate", "name", "edgelabel")
_NO_RELATION = "edge"
_DISPLAY = ("name", "title", "label", "nodelabel")
_DATATYPES = {"int": "integer", "long": "integer", "float": "double", "double": "double"}
_DATATYPES |= {"boolean": "boolean"}
_CONTAINERS = ("graphml", "graph")
_WHOLE = ("key", "node", "edge", "hyperedge")
_EXPECTED = "nodes and edges of GraphML"
_NOTES = {
    "nameless": f"{{:,}} edges without a label or a type get the relation {_NO_RELATION!r}",
    "undirected": "{:,} undirected edges read as facts from source to target",
    "hyperedges": "{:,} hyperedges left out",
    "nested": "{:,} graphs nested in nodes; their nodes and edges are read with the others",
    "drawing": "{:,} drawing properties of nodes and edges ignored",
}


@dataclass(frozen=True)
class _Key:
    """A declared property: its name, its datatype, what has it, and its default value."""

    name: str
    datatype: str
    domain: str
    default: str | None = None


def read_graphml(
    path: str | Path, columns: Mapping[str, str] | None = None, *, strict: bool = False
) -> Graph:
    """Return the graph of a file; `columns` may name the properties for time, begin and end.

    XML that is not well-formed stops; nodes and edges that lack something are left out and counted
    in the notes, with `strict` they are an error.
    """
    refuse_unknown_roles(columns or {}, literals=False)
    refuse_ends(columns or {}, "GraphML")
    path = existing_file(path)
    document = _Document(path, Problems(strict=strict), columns or {})
    with open_bytes(path) as stream:
        XmlGuard(path, stream, "GraphML", _Elements(document)).read_all()
    return document.graph()


def _local_name(tag: str) -> str:
    return tag.rpartition(":")[2]


class _Elements:
    """Puts elements together and hands those on that are whole: nodes, edges, properties.

    Nothing is kept of them.
    """

    def __init__(self, document: _Document) -> None:
        self._document = document
        self._open: list[tuple[Element, int]] = []  # and the lines where they begin

    def begin(self, name: str, attributes: dict[str, str], line: int) -> None:
        """Open an element."""
        element = Element(_local_name(name), attributes)
        if self._open and self._open[-1][0].tag not in _CONTAINERS:
            self._open[-1][0].append(element)
        if element.tag == "graph":
            self._document.count_graph()
        self._open.append((element, line))

    def end(self, _name: str) -> None:
        """Close an element."""
        element, line = self._open.pop()
        if element.tag in _WHOLE:
            graphs = (outer for outer, _ in reversed(self._open) if outer.tag == "graph")
            inside = next(graphs, None)
            undirected = inside is not None and inside.get("edgedefault") == "undirected"
            self._document.add(element, line, directed=not undirected)

    def add_text(self, text: str) -> None:
        """Add a text to the open element."""
        if self._open and self._open[-1][0].tag not in _CONTAINERS:
            element = self._open[-1][0]
            element.text = (element.text or "") + text


class _Document:
    """What was read of a file so far."""

    def __init__(self, path: Path, problems: Problems, columns: Mapping[str, str]) -> None:
        self.rows = GraphRows(path, problems)
        self._times = EdgeTimes(path, columns, noun="edge")
        self._keys: dict[str, _Key] = {}
        self._counts: Counter[str] = Counter()
        self._n_graphs = 0

    def count_graph(self) -> None:
        """Count a graph; all but the first are nested."""
        self._counts["nested"] += self._n_graphs > 0
        self._n_graphs += 1

    def add(self, element: Element, line: int, *, directed: bool) -> None:
        """Add an element: the declaration of a property, a node or an edge."""
        if element.tag == "key":
            self._add_key(element)
        elif element.tag == "node":
            self._add_node(element, line)
        elif element.tag == "edge":
            directed = element.get("directed", str(directed)).lower() == "true"
            self._counts["undirected"] += not directed
            self._add_edge(element, line)
        else:
            self._counts["hyperedges"] += 1

    def graph(self) -> Graph:
        """Return the graph of all that was read."""
        rows, counts = self.rows, self._counts
        if not len(rows):
            raise nothing_found(rows.path, _EXPECTED, rows.problems)
        self._times.check()
        rows.notes += self._times.notes()
        rows.notes += [text.format(counts[name]) for name, text in _NOTES.items() if counts[name]]
        return rows.graph()

    def _add_key(self, element: Element) -> None:
        name = element.get("id", "")
        own_name = element.get("attr.name") or element.get("yfiles.type") or name
        kind = _DATATYPES.get(element.get("attr.type", ""), "")
        default = next((c.text for c in element if c.tag == "default"), None)
        datatype = f"{XSD}{kind}" if kind else ""
        self._keys[name] = _Key(own_name, datatype, element.get("for", "all"), default)

    def _add_node(self, element: Element, line: int) -> None:
        entity = element.get("id", "")
        if not entity.strip():
            self.rows.add_problem(line, "a node needs an id")
            return
        values = self._values(element, "node")
        texts = {key.name: text for key, text in values}
        plain = {name.casefold(): text for name, text in texts.items()}
        if not self.rows.add_node(line, entity, display_name(plain, _DISPLAY)):
            return
        labels = element.get("labels") or ""
        for label in filter(None, labels.split(":")):
            self.rows.add_literal(line, entity, LABELS, label)
        for key, text in values:
            if not (labels and key.name == "labels"):  # apoc says it twice
                self.rows.add_literal(line, entity, attribute_name(key.name), text, key.datatype)

    def _add_edge(self, element: Element, line: int) -> None:
        head, tail = element.get("source", ""), element.get("target", "")
        if not head.strip() or not tail.strip():
            self.rows.add_problem(line, "an edge needs a source and a target")
            return
        own = {key.name: text for key, text in self._values(element, "edge")}
        names = {name.casefold(): name for name in own}
        key = next((names[name] for name in _RELATION_NAMES if name in names), None)
        relation = element.get("label") or (own.pop(key) if key else None)
        if key in own and own[key] == relation:  # apoc says it twice
            del own[key]
        self._counts["nameless"] += relation is None
        times = self._times.of(own)
        name = " ".join((relation or _NO_RELATION).split())
        self.rows.add_fact(line, head, name, tail, *times)

    def _values(self, element: Element, domain: str) -> list[tuple[_Key, str]]:
        """Return the properties of a node or an edge; a default stands for one that is missing."""
        values, given = [], set()
        for data in element:
            if data.tag != "data":
                continue
            name = data.get("key", "")
            key = self._keys.get(name) or _Key(name, "", domain)
            given.add(name)
            text = (data.text or "").strip() if len(data) == 0 else self._drawn_label(data)
            if len(data):
                key = _Key("label", "", domain)
            if text:
                values.append((key, text))
        defaults = (
            (key, key.default)
            for name, key in self._keys.items()
            if name not in given and key.domain in (domain, "all") and key.default
        )
        return [*values, *((key, text) for key, text in defaults if text.strip())]

    def _drawn_label(self, data: Element) -> str:
        """Return the text that yEd draws on a node or an edge."""
        self._counts["drawing"] += 1
        labels = (e for e in data.iter() if e.tag in ("NodeLabel", "EdgeLabel"))
        return next((text for e in labels if (text := (e.text or "").strip())), "")
