"""Literals of nodes in exports of Neo4j: their properties and labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from lighttea.io.literals import WKT, XSD

LABELS = "_labels"  # the attribute of a node's labels, as apoc calls the column
_BREAKS = re.compile(r"[\t\r\n\0]")


class NodeLiteral(NamedTuple):
    """A literal of a node."""

    entity: str
    attribute: str
    value: str
    datatype: str
    language: str = ""


def node_literals(
    entity: str, properties: Mapping[str, Any], labels: Iterable[Any]
) -> Iterator[NodeLiteral]:
    """Yield a literal for each value of each property, lists member by member, and each label."""
    for name, value in {**properties, LABELS: list(labels)}.items():
        attribute = _clean(_BREAKS.sub(" ", str(name))).strip() or "_"
        for member in value if isinstance(value, list) else [value]:
            if member is not None and member != "":
                text, datatype = _literal(member)
                yield NodeLiteral(entity, attribute, _clean(text), datatype)


def value_of_cell(text: str) -> Any:
    """Return the list that a cell of a CSV export holds as JSON, or else its text."""
    if text.startswith("[") and text.endswith("]"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _literal(value: Any) -> tuple[str, str]:
    """Return text and datatype of a value; a text may be anything, so it has no datatype."""
    if isinstance(value, str):
        return value, ""
    if isinstance(value, bool):
        return str(value).lower(), f"{XSD}boolean"
    if isinstance(value, int):
        return str(value), f"{XSD}integer"
    if isinstance(value, float):
        return repr(value), f"{XSD}double"
    if isinstance(value, dict) and {"latitude", "longitude"} <= value.keys():
        return f"Point({value['longitude']} {value['latitude']})", WKT
    return json.dumps(value, ensure_ascii=False), ""


def _clean(text: str) -> str:
    """Return a text that can be written as UTF-8: JSON can hold halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8")
