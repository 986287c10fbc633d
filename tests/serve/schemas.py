"""JSON schemas of the answers, for both versions of the Reconciliation Service API.

They are written from the text of the specifications (W3C Entity Reconciliation Community Group,
versions 0.2 and 1.0-draft), not copied: the group's own schemas are not part of this project. They
are stricter than those, because they allow no field that the text does not name. With
`LIGHTTEA_RECONCILIATION_SCHEMAS` set to a checkout of github.com/reconciliation-api/specs, every
answer is validated with the group's own schemas too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7

OFFICIAL = "LIGHTTEA_RECONCILIATION_SCHEMAS"
FOLDERS = {"0.2": "0.2", "draft": "1.0-draft"}
Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FILLED: Schema = {"type": "string", "minLength": 1}
WHOLE: Schema = {"type": "integer"}
YES_NO: Schema = {"type": "boolean"}


def record(needed: Schema, optional: Schema | None = None) -> Schema:
    """An object with these fields and no others."""
    return {
        "type": "object",
        "properties": {**needed, **(optional or {})},
        "required": list(needed),
        "additionalProperties": False,
    }


def listed(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def template(sign: str) -> Schema:
    return record({"url": {"type": "string", "pattern": f"^https?://.*{sign}"}})


TYPE = record({"id": FILLED, "name": FILLED}, {"broader": {"type": "array"}})
FEATURE = record({"id": FILLED, "name": FILLED, "value": {"type": ["number", "boolean"]}})
SCORE: Schema = {"type": "number", "minimum": 0, "maximum": 100}
CANDIDATE = record(
    {"id": FILLED, "name": FILLED, "score": SCORE, "match": YES_NO, "type": listed(TYPE)},
    {"description": FILLED, "features": listed(FEATURE)},
)
PROPERTY = record({"id": FILLED, "name": FILLED}, {"description": FILLED})
SUGGESTED_ENTITY = record(
    {"id": FILLED, "name": FILLED}, {"description": FILLED, "notable": listed(TYPE)}
)
DATE: Schema = {
    "type": "string",
    "pattern": r"^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$",
}
VALUE: Schema = {
    "oneOf": [
        record({}),
        record({"id": FILLED, "name": FILLED}, {"description": TEXT}),
        record({"str": TEXT}),
        record({"float": {"type": "number"}}),
        record({"int": WHOLE}),
        record({"date": DATE}),
    ]
}
META = listed(record({"id": FILLED, "name": FILLED}, {"type": TYPE, "service": FILLED}))
PROPOSAL = record(
    {"type": TEXT, "properties": listed(record({"id": FILLED, "name": FILLED}))}, {"limit": WHOLE}
)
PLACE = record({"service_url": FILLED, "service_path": FILLED})
SETTING_KIND: Schema = {"enum": ["number", "text", "checkbox", "select"]}
SIZE = {"width": WHOLE, "height": WHOLE}
SHARED = {
    "name": FILLED,
    "defaultTypes": listed(TYPE, uniqueItems=True, minItems=1),
    "serviceVersion": FILLED,
    "batchSize": {"type": "integer", "minimum": 1},
}
SETTING = record(
    {"name": FILLED, "label": FILLED, "type": SETTING_KIND}, {"default": {}, "help_text": TEXT}
)
DRAFT_SETTING = record(
    {"id": FILLED, "name": FILLED, "type": SETTING_KIND}, {"default": {}, "helpText": TEXT}
)
MANIFEST = record(
    {
        **SHARED,
        "versions": listed(FILLED, contains={"const": "0.2"}),
        "identifierSpace": FILLED,
        "schemaSpace": FILLED,
        "view": template(r"\{\{id\}\}"),
        "preview": record({**SIZE, "url": {"type": "string", "pattern": r"\{\{id\}\}"}}),
        "suggest": record({"entity": PLACE, "property": PLACE, "type": PLACE}),
        "extend": record({"propose_properties": PLACE, "property_settings": listed(SETTING)}),
    }
)
DRAFT_MANIFEST = record(
    {
        **SHARED,
        "versions": listed(FILLED, contains={"const": "1.0-draft"}),
        "view": template(r"\{id\}"),
        "preview": record(SIZE),
        "suggest": record({"entity": YES_NO, "property": YES_NO, "type": YES_NO}),
        "extend": record({"proposeProperties": YES_NO, "propertySettings": listed(DRAFT_SETTING)}),
        "standardizedScore": YES_NO,
    }
)
BY_ENTITY = {"type": "object", "additionalProperties": listed(VALUE)}
DRAFT_ROW = record(
    {"id": FILLED, "properties": listed(record({"id": FILLED, "values": listed(VALUE)}))}
)
SUGGESTED = {
    "suggest-entities-response": record({"result": listed(SUGGESTED_ENTITY)}),
    "suggest-properties-response": record({"result": listed(PROPERTY)}),
    "suggest-types-response": record({"result": listed(TYPE)}),
    "data-extension-property-proposal": PROPOSAL,
}
SCHEMAS: dict[str, dict[str, Schema]] = {
    "0.2": {
        **SUGGESTED,
        "manifest": MANIFEST,
        "reconciliation-result-batch": {
            "type": "object",
            "additionalProperties": record({"result": listed(CANDIDATE)}),
        },
        "data-extension-response": record(
            {"meta": META, "rows": {"type": "object", "additionalProperties": BY_ENTITY}}
        ),
    },
    "draft": {
        **SUGGESTED,
        "manifest": DRAFT_MANIFEST,
        "reconciliation-result-batch": record(
            {"results": listed(record({"candidates": listed(CANDIDATE)}))}
        ),
        "data-extension-response": record({"meta": META, "rows": listed(DRAFT_ROW)}),
    },
}


def validate(answer: Any, version: str, name: str) -> None:
    """Raise an error where an answer does not fit the schema of this name."""
    Draft7Validator(SCHEMAS[version][name]).validate(answer)
    folder = os.environ.get(OFFICIAL)
    path = Path(folder or "") / FOLDERS[version] / "schemas" / f"{name}.json"
    if folder and path.exists():
        schema = json.loads(path.read_text(encoding="utf-8"))
        registry: Registry[Any] = Registry().with_resources(
            (each.name, Resource.from_contents(json.loads(each.read_text()), DRAFT7))
            for each in path.parent.glob("*.json")
        )
        schema.pop("$id", None)  # references are names of files beside it
        schema.pop("$schema", None)
        Draft7Validator(schema, registry=registry).validate(answer)
