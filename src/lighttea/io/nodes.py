"""Literals of nodes in exports of Neo4j and in graphs of networkx: properties and labels."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
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
    entity: str, properties: Mapping[str, Any], labels: Iterable[Any] = ()
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


_KINDS: tuple[tuple[type, str, Callable[[Any], str]], ...] = (  # the first that fits
    (str, "", str),  # a text may be anything
    (bool, f"{XSD}boolean", lambda value: str(value).lower()),
    (int, f"{XSD}integer", str),
    (float, f"{XSD}double", repr),
    (Decimal, f"{XSD}decimal", str),
    (datetime.datetime, f"{XSD}dateTime", datetime.datetime.isoformat),
    (datetime.date, f"{XSD}date", datetime.date.isoformat),
)


def _literal(value: Any) -> tuple[str, str]:
    """Return text and datatype of a value; a value of no simple kind is text as JSON."""
    for kind, datatype, text_of_kind in _KINDS:
        if isinstance(value, kind):
            return text_of_kind(value), datatype
    if isinstance(value, dict) and {"latitude", "longitude"} <= value.keys():
        return f"Point({value['longitude']} {value['latitude']})", WKT
    return json.dumps(value, ensure_ascii=False, default=str), ""


def _clean(text: str) -> str:
    """Return a text that can be written as UTF-8: JSON can hold halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8")
