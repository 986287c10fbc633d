"""Which layout of JSON a file has, by its first objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lighttea.io.columns import FACT_ROLES
from lighttea.io.json.shape import Shape

_WIKIDATA_ID = re.compile(r"[QPLME]\d+(?:-[FS]\d+)?")
_WIKIDATA_KEYS = {"labels", "descriptions", "aliases", "claims", "statements", "lemmas"}
NODES, EDGES = ("nodes",), ("links", "edges")
POPOLO = ("persons", "organizations", "memberships", "posts", "areas", "events", "people")
FURTHER_NAMES: Mapping[str, tuple[str, ...]] = {  # of columns, beside those of tables
    "head": ("head_id", "subject_id", "source_id"),
    "relation": ("rel", "relationship", "property"),
    "tail": ("tail_id", "object_id", "target_id"),
    "begin": ("since", "valid_from", "start_date", "start_time", "begin_date", "valid_at"),
    "end": ("valid_to", "valid_until", "end_date", "end_time", "invalid_at"),
    "time": ("datetime",),
}
JSON_ROLES = {role: (*names, *FURTHER_NAMES.get(role, ())) for role, names in FACT_ROLES.items()}


def is_json_ld(shape: Shape) -> bool:
    """Whether objects have the keywords of JSON-LD."""
    keywords = {"@context", "@graph", "@id"}
    return any(keywords & entry.keys() for entry in shape.objects)


def is_wikidata(shape: Shape) -> bool:
    """Whether objects are entities of a Wikibase, on lines or in a document of its API."""
    return any(map(_is_wikibase_entity, (*shape.objects, *shape.objects_in("entities"))))


def _is_wikibase_entity(entry: Mapping[str, Any]) -> bool:
    name = entry.get("id")
    is_id = isinstance(name, str) and _WIKIDATA_ID.fullmatch(name) is not None
    return is_id and bool(_WIKIDATA_KEYS & entry.keys())


def is_followthemoney(shape: Shape) -> bool:
    """Whether objects are entities with a schema and properties."""
    return any(
        isinstance(entry.get("schema"), str) and isinstance(entry.get("properties"), dict)
        for entry in shape.objects
    )


def is_neo4j(shape: Shape) -> bool:
    """Whether objects are nodes and relationships as apoc writes them."""
    sections = ("nodes", "rels", "relationships")
    return any(
        entry.get("type") in ("node", "relationship") and "id" in entry
        for entry in (*shape.objects, *shape.objects_in(*sections))
    )


def is_graphiti(shape: Shape) -> bool:
    """Whether objects are edges between nodes with a uuid, or such nodes."""
    inside = shape.objects_in("nodes", "edges", "entity_nodes", "entity_edges")
    return any(map(_is_graphiti_object, (*shape.objects, *inside)))


def _is_graphiti_object(entry: Mapping[str, Any]) -> bool:
    is_edge = {"source_node_uuid", "target_node_uuid"} <= entry.keys()
    return is_edge or ("uuid" in entry and bool({"name", "summary"} & entry.keys()))


def is_popolo(shape: Shape) -> bool:
    """Whether an object has lists of persons, organizations or memberships."""
    known = [key for key in POPOLO if isinstance(shape.sections.get(key), list)]
    ids = {"id", "person_id", "organization_id", "name"}
    return any(ids & entry.keys() for entry in shape.objects_in(*known))


def is_node_link(shape: Shape) -> bool:
    """Whether an object has lists of nodes and of links, or of links with a source and a target."""
    edges = shape.objects_in(*EDGES)
    if any(
        {"source", "target"} <= entry.keys() or {"from", "to"} <= entry.keys() for entry in edges
    ):
        return True
    nodes = shape.objects_in(*NODES)
    return any({"id", "name", "key", "label"} & entry.keys() for entry in nodes)


def is_facts(shape: Shape) -> bool:
    """Whether objects have a head, a relation and a tail or a value, by their usual names."""
    return any(map(_has_ends, shape.objects))


def _has_ends(entry: Mapping[str, Any]) -> bool:
    names = {name.strip().lower() for name in entry}

    def has(*roles: str) -> bool:
        return any(names & set(JSON_ROLES[role]) for role in roles)

    return has("head") and has("relation") and has("tail", "value")
