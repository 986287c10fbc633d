"""FollowTheMoney entities, as OpenSanctions and Aleph publish them, one on each line.

An entity that links two others (an ownership, a directorship, a family tie) is a fact with its
dates, called by its schema. Other entities are entities; their properties are facts where they name
entities, else attributes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from lighttea.graph.facts import Graph
from lighttea.io.graph_rows import GraphRows, nothing_found
from lighttea.io.json.ftm_model import BEGINS, EDGES, ENDS, POINTS, REFERENCES, ROLES, THINGS
from lighttea.io.json.items import OTHER_FORMAT, add_each, read_items
from lighttea.io.json.values import id_text, literal_text
from lighttea.io.lines import existing_file
from lighttea.io.problems import Problems
from lighttea.io.property_graphs import Times, attribute_name, known_time

_EXPECTED = "entities with an id, a schema and properties, as FollowTheMoney has them"
_USED = ("id", "schema", "caption", "properties")
_DATES = (*BEGINS, *ENDS, *POINTS)
_MOST_PAIRS = 10_000  # of one link between several entities
_NOTES = {
    "properties": "{:,} properties of links other than ends, dates and roles left out",
    "several": "{:,} times with several dates; the most exact one is used",
    "by shape": "{:,} entities of other schemata that link two entities read as facts",
    "one end": "{:,} links with only one end left out",
    "dates": "{:,} dates of entities read as facts from the entity to itself",
}


def read_followthemoney(path: str | Path, *, strict: bool = False) -> Graph:
    """Return the graph of a file of entities, on lines or in an array.

    Malformed lines are left out and counted in the notes; with `strict` they are an error.
    """
    path = existing_file(path)
    problems = Problems(strict=strict, advice=OTHER_FORMAT)
    entities = _Entities(GraphRows(path, problems))
    items = read_items(path, problems)
    add_each(entities.rows, items, lambda item: entities.add(item.line, item.value))
    return entities.graph()


class _Entities:
    """What was read so far, and entities whose shape can be told only at the end."""

    def __init__(self, rows: GraphRows) -> None:
        self.rows = rows
        self._counts: Counter[str] = Counter()
        self._fields: dict[str, None] = {}  # beside the used ones
        self._pending: list[tuple[int, Mapping[str, Any]]] = []

    def add(self, line: int, entity: Any, above: str | None = None) -> None:
        """Add an entity; `above` is the entity that it is nested in."""
        if not isinstance(entity, dict):
            raise ValueError(f"expected {_EXPECTED}, found {entity!r:.80}")
        name, schema = id_text(entity.get("id")), id_text(entity.get("schema"))
        properties = entity.get("properties")
        if name is None or schema is None or not isinstance(properties, dict):
            shown = ", ".join(entity)[:80] or "none"
            raise ValueError(f"expected {_EXPECTED}, found the keys {shown}")
        self._fields |= dict.fromkeys(key for key in entity if key not in _USED)
        if schema in EDGES:
            self._add_edge(line, schema, EDGES[schema], properties, above)
        elif schema not in THINGS and any(key in properties for key in ("startDate", "endDate")):
            self._pending.append((line, entity))
        else:
            self._add_thing(line, entity)

    def graph(self) -> Graph:
        """Return the graph of all entities."""
        for line, entity in self._pending:
            self._add_by_shape(line, entity)
        rows = self.rows
        if not len(rows):
            raise nothing_found(rows.path, _EXPECTED, rows.problems)
        counts = self._counts
        rows.notes += [text.format(counts[name]) for name, text in _NOTES.items() if counts[name]]
        if self._fields:
            rows.notes.append(f"unused fields of entities: {', '.join(self._fields)}")
        return rows.graph(references=True)

    def _add_edge(
        self,
        line: int,
        schema: str,
        sides: tuple[str, str],
        properties: Mapping[str, Any],
        above: str | None = None,
    ) -> None:
        """Add a fact for each pair of ends; what a source calls the link is said of its head."""
        heads, tails = (self._references(line, properties.get(side), above) for side in sides)
        if above is not None and not (heads and tails):
            heads, tails = heads or [above], tails or [above]
        if not heads or not tails:
            self._counts["one end"] += 1
            return
        if len(heads) * len(tails) > _MOST_PAIRS:
            raise ValueError(f"a {schema} between more than {_MOST_PAIRS:,} pairs of entities")
        times = self._times(properties)
        for head, tail in product(heads, tails):
            self.rows.add_fact(line, head, schema, tail, *times)
        for head, key in product(heads, ROLES):
            for text in _values(properties.get(key)):
                self.rows.add_literal(line, head, f"{schema} {key}", str(text), "", "", *times)
        used = {*sides, *_DATES, *ROLES}
        self._counts["properties"] += sum(key not in used for key in properties)

    def _add_by_shape(self, line: int, entity: Mapping[str, Any]) -> None:
        """Add an entity of an unknown schema with dates: a link where it names two entities."""
        properties, known = entity["properties"], self.rows.entities
        sides = [
            key
            for key, values in properties.items()
            if (texts := _values(values)) and all(isinstance(t, str) and t in known for t in texts)
        ]
        if len(sides) == 2:
            self._counts["by shape"] += 1
            self._add_edge(line, str(entity["schema"]), (sides[0], sides[1]), properties)
        else:
            self._add_thing(line, entity)

    def _add_thing(self, line: int, entity: Mapping[str, Any]) -> None:
        properties, name = entity["properties"], str(entity["id"])
        captions = (entity.get("caption"), *_values(properties.get("name")))
        caption = next((text for text in captions if isinstance(text, str) and text.strip()), None)
        if not self.rows.add_node(line, name, caption):
            return
        self.rows.add_literal(line, name, "schema", str(entity["schema"]))
        refers = any(key in REFERENCES for key in properties)
        times = self._times(properties) if refers else (None, None, None)
        for key, values in properties.items():
            if not (refers and key in _DATES and any(times)):
                self._add_property(line, name, key, values, times)

    def _add_property(self, line: int, name: str, key: str, values: Any, times: Times) -> None:
        """Add a property: facts where it names entities, dates of the entity, else literals."""
        for value in _values(values):
            if isinstance(value, dict) and "schema" in value:
                self.add(line, value, name)
                if value.get("schema") not in EDGES:
                    self.rows.add_fact(line, name, key, str(value.get("id")), *times)
            elif key in REFERENCES and (end := id_text(value)):
                self.rows.add_fact(line, name, key, end, *times)
            elif key.endswith(("Date", "date")) and (time := known_time(value)):
                self._counts["dates"] += 1
                self.rows.add_fact(line, name, key, name, time=time)
            else:
                self.rows.add_literal(line, name, attribute_name(key), *literal_text(value))

    def _references(self, line: int, values: Any, above: str | None) -> list[str]:
        """Return the ids of entities; nested ones are added."""
        names = []
        for value in _values(values):
            if isinstance(value, dict):
                if value.get("id") != above:
                    self.add(line, value)
                names.append(id_text(value.get("id")))
            else:
                names.append(id_text(value))
        return [name for name in names if name]

    def _times(self, properties: Mapping[str, Any]) -> Times:
        """Return begin, end and point in time of an entity."""
        begin, end, point = (self._time(properties, keys) for keys in (BEGINS, ENDS, POINTS))
        return begin, end, point

    def _time(self, properties: Mapping[str, Any], keys: Iterable[str]) -> str | None:
        values = next((own for key in keys if (own := _values(properties.get(key)))), [])
        texts = sorted({str(value) for value in values}, key=lambda text: (-len(text), text))
        self._counts["several"] += len(texts) > 1
        return texts[0] if texts else None


def _values(values: Any) -> list[Any]:
    """Return the values of a property, which is a list of them."""
    members = values if isinstance(values, list) else [values]
    return [value for value in members if value is not None and value != ""]
