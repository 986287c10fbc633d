"""Answers as JSON: candidates, suggestions, and values of properties."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lighttea.display import Named
from lighttea.graph.timeline import Grain, format_instant
from lighttea.io.times import TimeError, parse_instant
from lighttea.serve.catalogue import Catalogue, Statement
from lighttea.serve.describe import describe_entity
from lighttea.serve.limits import Deadline, Limits
from lighttea.serve.matching import Candidate
from lighttea.serve.periods import parse_period
from lighttea.serve.properties import CONFIDENCE, COUNTERPART, TIME, Property
from lighttea.serve.queries import Extension, WantedProperty
from lighttea.serve.values import time_likeness

Json = dict[str, Any]
SUGGESTIONS = 20  # on a page, at most
_XSD = "http://www.w3.org/2001/XMLSchema#"
_WHOLE_TYPES = {f"{_XSD}{name}" for name in ("integer", "int", "long", "short", "gYear")}
_FLOAT_TYPES = {f"{_XSD}{name}" for name in ("decimal", "double", "float")}
_DATE_TYPES = {f"{_XSD}{name}" for name in ("date", "dateTime")}
_SAFE_WHOLE = 2**53  # beyond, readers of JSON lose digits
_ISO_YEAR = re.compile(r"-?\d{4,}")


def candidate_json(catalogue: Catalogue, candidate: Candidate) -> Json:
    """Return a candidate; both versions of the API write it alike."""
    entity = catalogue.entity(candidate.entity)
    answer: Json = {
        "id": entity.id,
        "name": entity.text,
        "score": candidate.score,
        "match": candidate.is_sure,
        "type": types_json(catalogue.types.of_entity(candidate.entity)),
        "features": _features_json(candidate),
    }
    if description := describe_entity(catalogue, candidate.entity):
        answer["description"] = description
    return answer


def _features_json(candidate: Candidate) -> list[Json]:
    """Return the known features; one that was given several times gets a number behind its id."""
    seen: dict[str, int] = {}
    features = []
    for each in candidate.features:
        seen[each.id] = seen.get(each.id, 0) + 1
        own_id = each.id if seen[each.id] == 1 else f"{each.id}#{seen[each.id]}"
        if each.value is not None:
            features.append({"id": own_id, "name": each.name, "value": round(each.value, 4)})
    return features


def types_json(types: Iterable[Named]) -> list[Json]:
    """Return types with ids and names."""
    return [{"id": each.id, "name": each.text} for each in types]


# -------------------------------------------------------------------------------- suggestions


def suggest_entities(catalogue: Catalogue, prefix: str, page: slice) -> Json:
    """Return the entities with this id, then those with names and ids that begin so."""
    known = catalogue.graph.entity_ids.get(prefix)
    numbers = [] if known is None else [known]
    numbers += catalogue.names.begin_with(prefix, catalogue.popularity)
    numbers += catalogue.ids_that_begin_with(prefix, page.stop) if prefix else []
    shown = list(dict.fromkeys(numbers))[page]
    return {"result": [_suggested(catalogue, number) for number in shown]}


def _suggested(catalogue: Catalogue, number: int) -> Json:
    entity = catalogue.entity(number)
    answer: Json = {
        "id": entity.id,
        "name": entity.text,
        "notable": types_json(catalogue.types.of_entity(number)),
    }
    if description := describe_entity(catalogue, number):
        answer["description"] = description
    return answer


def suggest_properties(catalogue: Catalogue, prefix: str, page: slice) -> Json:
    """Return the properties whose names or ids begin so."""
    shown = catalogue.properties.begin_with(prefix)[page]
    return {"result": [_property_json(each) for each in shown]}


def _property_json(each: Property) -> Json:
    answer = {"id": each.id, "name": each.name}
    return {**answer, "description": each.description} if each.description else answer


def suggest_types(catalogue: Catalogue, prefix: str, page: slice) -> Json:
    """Return the types whose names or ids begin so."""
    return {"result": types_json(catalogue.types.begin_with(prefix)[page])}


def propose_properties(catalogue: Catalogue, kind: str, limit: int) -> Json:
    """Return properties to ask for, the most frequent first, whatever the type."""
    listed = [each for each in catalogue.properties.all if each.id != TIME]
    properties = [{"id": each.id, "name": each.name} for each in listed[:limit]]
    return {"type": kind, "limit": limit, "properties": properties}


# ---------------------------------------------------------------------------- data extension


class Extender:
    """Hands out the values of properties of entities."""

    def __init__(self, catalogue: Catalogue, limits: Limits) -> None:
        self._catalogue, self._limits = catalogue, limits

    def rows(self, asked: Extension, deadline: Deadline) -> Mapping[str, Mapping[str, list[Json]]]:
        """Return the values by entity and property; none for what the graph does not know."""
        rows: dict[str, dict[str, list[Json]]] = {}
        for own in asked.entities:
            deadline.check()
            number = self._catalogue.graph.entity_ids.get(own)
            rows[own] = {
                wanted.property: [] if number is None else self._values(number, wanted)
                for wanted in asked.properties
            }
        return rows

    def meta(self, asked: Extension) -> list[Json]:
        """Return ids and names of the properties."""
        find = self._catalogue.properties.find
        found = ((wanted.property, find(wanted.property)) for wanted in asked.properties)
        return [{"id": own, "name": each.name if each else own} for own, each in found]

    def _values(self, entity: int, wanted: WantedProperty) -> list[Json]:
        prop = self._catalogue.properties.find(wanted.property)
        if prop is None:
            return []
        if prop.id in (COUNTERPART, CONFIDENCE):
            return self._link_values(entity, prop)
        statements = self._statements(entity, prop, wanted)
        if prop.is_time:
            return [_time_json(self._catalogue, each) for each in statements]
        return [value_json(self._catalogue, each) for each in statements]

    def _statements(
        self, entity: int, prop: Property, wanted: WantedProperty
    ) -> Sequence[Statement]:
        """Return the statements of a property; with a time, those that hold then."""
        most = self._limits.statements
        statements = (
            self._catalogue.all_statements(entity, most)
            if prop.id == TIME
            else self._catalogue.statements(entity, prop, most)
        )
        if (period := parse_period(wanted.during)) is not None:
            statements = [
                each for each in statements if time_likeness(self._catalogue, period, each)
            ]
        return statements[: wanted.limit]

    def _link_values(self, entity: int, prop: Property) -> list[Json]:
        link = self._catalogue.links.get(entity)
        if link is None:
            return []
        if prop.id == CONFIDENCE:
            return [{"float": round(link.confidence, 6)}]
        return [{"str": link.counterpart.id}]


def _time_json(catalogue: Catalogue, statement: Statement) -> Json:
    text = catalogue.time_text(statement)
    return {"str": text} if text else {}


def value_json(catalogue: Catalogue, statement: Statement) -> Json:
    """Return the value of a statement: an entity, a number, a date or a text."""
    if statement.entity is not None:
        entity = catalogue.entity(statement.entity)
        return {"id": entity.id, "name": entity.text}
    text, datatype = catalogue.literal(statement)
    return _typed_json(text, datatype) or {"str": text}


def _typed_json(text: str, datatype: str) -> Json | None:
    """Return a number or a date, exactly as it is; None for any other literal."""
    try:
        if datatype in _WHOLE_TYPES and abs(int(text)) < _SAFE_WHOLE:
            return {"int": int(text)}
        if datatype in _FLOAT_TYPES and math.isfinite(float(text)):
            return {"float": float(text)}
        if datatype in _DATE_TYPES:
            second, grain = parse_instant(text)
            date = format_instant(second, Grain.SECOND)
            is_exact = grain >= Grain.DAY and _ISO_YEAR.match(date)
            return {"date": f"{date}Z"} if is_exact else None
    except (TimeError, ValueError, OverflowError):
        pass
    return None
