"""What the service says of itself, in both versions of the API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from lighttea.serve.answers import types_json
from lighttea.serve.catalogue import Catalogue
from lighttea.serve.limits import Limits
from lighttea.serve.types import ANY_TYPE
from lighttea.version import __version__

DRAFT_PATH = "/draft"  # of the version after 0.2
_DEFAULT_TYPES = 10
_WIDTH, _HEIGHT = 430, 260  # of a preview
_SETTINGS = (
    ("limit", "number", "values of an entity, at most", 0, "0: all"),
    ("during", "text", "only what holds at this time", "", "such as 1996 or 1996-98"),
)


def manifest(catalogue: Catalogue, limits: Limits, address: str) -> dict[str, Any]:
    """Return the manifest of version 0.2."""
    space = f"urn:lighttea:{quote(catalogue.name, safe='')}"
    suggest = {
        kind: {"service_url": address, "service_path": f"/suggest/{kind}"}
        for kind in ("entity", "property", "type")
    }
    settings = [
        {"name": name, "type": kind, "label": label, "default": default, "help_text": text}
        for name, kind, label, default, text in _SETTINGS
    ]
    return {
        "versions": ["0.2"],
        **_shared(catalogue, limits),
        "identifierSpace": f"{space}:entity",
        "schemaSpace": f"{space}:property",
        "view": {"url": f"{address}/view?id={{{{id}}}}"},
        "preview": {
            "url": f"{address}/preview?id={{{{id}}}}",
            "width": _WIDTH,
            "height": _HEIGHT,
        },
        "suggest": suggest,
        "extend": {
            "propose_properties": {"service_url": address, "service_path": "/extend/propose"},
            "property_settings": settings,
        },
    }


def draft_manifest(catalogue: Catalogue, limits: Limits, address: str) -> dict[str, Any]:
    """Return the manifest of the draft."""
    settings = [
        {"id": name, "type": kind, "name": label, "default": default, "helpText": text}
        for name, kind, label, default, text in _SETTINGS
    ]
    return {
        "versions": ["1.0-draft"],
        **_shared(catalogue, limits),
        "view": {"url": f"{address}/view?id={{id}}"},
        "preview": {"width": _WIDTH, "height": _HEIGHT},
        "suggest": {"entity": True, "property": True, "type": True},
        "extend": {"proposeProperties": True, "propertySettings": settings},
        "standardizedScore": True,
    }


def _shared(catalogue: Catalogue, limits: Limits) -> dict[str, Any]:
    types = catalogue.types.types[:_DEFAULT_TYPES] or [ANY_TYPE]
    return {
        "name": f"{catalogue.name} (lighttea)",
        "defaultTypes": types_json(types),
        "serviceVersion": __version__,
        "batchSize": limits.queries,
    }
