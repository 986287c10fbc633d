"""Popolo JSON: persons, organizations, posts and areas, and memberships with their times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lighttea.graph.facts import Graph
from lighttea.io.graph_rows import GraphRows, nothing_found
from lighttea.io.json.items import OTHER_FORMAT, Item, add_each, read_items
from lighttea.io.json.recognise import POPOLO
from lighttea.io.json.values import id_text, literal_text, plain_text
from lighttea.io.lines import existing_file
from lighttea.io.problems import Problems
from lighttea.io.property_graphs import attribute_name, display_name, known_time

_MEMBERSHIPS = "memberships"
_EXPECTED = "persons, organizations and memberships as Popolo lays them out"
_SPAN = ("start_date", "end_date")
_DISPLAY = ("name", "label", "title")
_NAME_PARTS = ("given_name", "family_name", "lordname")
_VALUES = ("identifier", "value", "name")  # what says most of a nested object
_LESS_TELLING = ("url", "note")
_NOTES = {
    "memberships": "{:,} properties of memberships other than ends and dates left out",
    "redirects": "{:,} memberships that only refer to another one left out",
    "nested": "{:,} nested objects without an id, a value or a name left out",
    "others": "{:,} values outside entities left out",
    "dates": "{:,} dates of entities read as facts from the entity to itself",
}


def read_popolo(path: str | Path, *, strict: bool = False) -> Graph:
    """Return the graph of a document; a membership is a fact from its member to each of its ends.

    Wrong objects are left out and counted in the notes; with `strict` they are an error.
    """
    path = existing_file(path)
    problems = Problems(strict=strict, advice=OTHER_FORMAT)
    rows, counts = GraphRows(path, problems), Counter[str]()
    add_each(rows, read_items(path, problems, POPOLO), lambda item: _add(rows, item, counts))
    if not len(rows):
        raise nothing_found(path, _EXPECTED, problems)
    rows.notes += [text.format(counts[name]) for name, text in _NOTES.items() if counts[name]]
    return rows.graph()


def _add(rows: GraphRows, item: Item, counts: Counter[str]) -> None:
    if item.section not in POPOLO:
        counts["others"] += 1
    elif not isinstance(item.value, dict):
        raise ValueError(f"expected an object, found {item.value!r:.80}")
    elif item.section == _MEMBERSHIPS:
        _add_membership(rows, item.line, item.value, None, counts)
    else:
        _add_entity(rows, item.line, item.value, counts)


def _add_membership(
    rows: GraphRows, line: int, entry: Mapping[str, Any], member: str | None, counts: Counter[str]
) -> None:
    """Add a fact for each end: the organization by the role, others by what they are called."""
    person = id_text(entry.get("person_id")) or id_text(entry.get("member_id")) or member
    if "redirect" in entry:
        counts["redirects"] += 1
        return
    ends = [(key, id_text(value)) for key, value in entry.items() if _is_reference(key)]
    ends = [(key, end) for key, end in ends if end and key not in ("person_id", "member_id")]
    if person is None or not ends:
        raise ValueError("a membership needs a person_id and an organization_id, or a post_id")
    role = id_text(entry.get("role")) or "member"
    begin, end_date = (plain_text(entry.get(key)) for key in _SPAN)
    for key, end in ends:
        relation = role if key == "organization_id" else key.removesuffix("_id")
        rows.add_fact(line, person, relation, str(end), begin, end_date)
    used = {key for key, _ in ends} | {"person_id", "member_id", "role", "id", *_SPAN}
    counts["memberships"] += sum(1 for key, value in entry.items() if key not in used and value)


def _is_reference(key: str) -> bool:
    return key.endswith("_id") and key != "id"


def _add_entity(rows: GraphRows, line: int, entry: Mapping[str, Any], counts: Counter[str]) -> None:
    entity = id_text(entry.get("id"))
    if entity is None:
        raise ValueError("an object needs an id")
    if not rows.add_node(line, entity, _display_name(entry)):
        return
    for key, value in entry.items():
        if key == _MEMBERSHIPS and isinstance(value, list):
            for membership in value:
                if isinstance(membership, dict):
                    _add_membership(rows, line, membership, entity, counts)
        elif _is_reference(key) and (end := id_text(value)):
            rows.add_fact(line, entity, key.removesuffix("_id"), end)
        elif key.endswith("_date") and (time := known_time(value)):
            counts["dates"] += 1
            rows.add_fact(line, entity, key, entity, time=time)
        elif key != "id":
            _add_values(rows, line, entity, key, value, counts)


def _add_values(
    rows: GraphRows, line: int, entity: str, key: str, value: Any, counts: Counter[str]
) -> None:
    """Add the literals of a property: a value, or a list of values or of nested objects."""
    for member in value if isinstance(value, list) else [value]:
        if isinstance(member, dict):
            name, text = _nested(key, member)
            times = [plain_text(member.get(side)) for side in _SPAN]
            if text is None:
                counts["nested"] += 1
            else:
                rows.add_literal(line, entity, attribute_name(name), text, "", "", *times)
        elif member is not None and member != "":
            rows.add_literal(line, entity, attribute_name(key), *literal_text(member))


def _nested(key: str, entry: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return attribute and text of a nested object: an identifier by its scheme, a contact, a name.

    A name may be given in parts.
    """
    kind = next((id_text(entry.get(k)) for k in ("scheme", "type") if entry.get(k)), None)
    texts = [
        *(id_text(entry.get(k)) for k in _VALUES),
        _joined_name(entry),
        *(id_text(entry.get(k)) for k in _LESS_TELLING),
    ]
    return (f"{key} {kind}" if kind else key), next((text for text in texts if text), None)


def _display_name(entry: Mapping[str, Any]) -> str | None:
    """Return the name of an entity, or the first of its other names."""
    if name := display_name(entry, _DISPLAY):
        return name
    others = entry.get("other_names")
    return next(_names(others), None) if isinstance(others, list) else None


def _names(others: list[Any]) -> Iterator[str]:
    for other in others:
        if isinstance(other, dict) and (
            name := display_name(other, _DISPLAY) or _joined_name(other)
        ):
            yield name


def _joined_name(entry: Mapping[str, Any]) -> str | None:
    parts = [str(entry[key]) for key in _NAME_PARTS if isinstance(entry.get(key), str)]
    return " ".join(parts) or None
