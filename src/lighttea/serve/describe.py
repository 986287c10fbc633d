"""An entity in words: one line for lists, a page for the eye."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape

from lighttea.display import html_text, shorten, visible
from lighttea.graph.timeline import UNKNOWN
from lighttea.serve.catalogue import Catalogue, Statement

_DESCRIBED, _WIDTH = 3, 160  # statements of a description, and its letters
_SHOWN_SMALL, _SHOWN_LARGE = 8, 200  # statements of a preview, and of a page
_VALUE_WIDTH = 300
STYLE = (
    "body{font:14px/1.4 system-ui,sans-serif;margin:10px;color:#222;background:#fff}"
    "h1{font-size:17px;margin:0}p{margin:2px 0 8px;color:#555;overflow-wrap:anywhere}"
    "table{border-collapse:collapse}td{padding:1px 10px 1px 0;vertical-align:top;"
    "overflow-wrap:anywhere}td:first-child,.time{color:#555}.time{white-space:nowrap}"
)
STYLE_HASH = f"sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}"


def describe_entity(catalogue: Catalogue, entity: int) -> str:
    """Return a line that tells namesakes apart: types and a few facts, dated ones first."""
    statements = [s for s in catalogue.all_statements(entity, 50) if not s.is_inverse]
    dated = sorted(statements, key=lambda each: each.begin == UNKNOWN and each.end == UNKNOWN)
    parts = [
        f"{catalogue.property_name(each)} {catalogue.value_text(each)}"
        + _bracketed(catalogue, each)
        for each in dated[:_DESCRIBED]
    ]
    return shorten(visible("; ".join(parts)), _WIDTH)


def _bracketed(catalogue: Catalogue, statement: Statement) -> str:
    time = catalogue.time_text(statement)
    return f" ({time})" if time else ""


def entity_page(catalogue: Catalogue, entity: int, *, is_preview: bool) -> str:
    """Return a page without script or links; every text is escaped."""
    named, most = catalogue.entity(entity), _SHOWN_SMALL if is_preview else _SHOWN_LARGE
    statements = catalogue.all_statements(entity, most)
    rows = "".join(_row(catalogue, each) for each in statements[:most])
    types = ", ".join(each.text for each in catalogue.types.of_entity(entity))
    parts = [types, named.shown_id, *_link_words(catalogue, entity)]
    below = " · ".join(html_text(shorten(part, _VALUE_WIDTH)) for part in parts if part)
    title = escape(shorten(named.text, _VALUE_WIDTH))
    return _page(title, f"<h1 dir=auto>{title}</h1><p>{below}</p><table>{rows}</table>")


def _link_words(catalogue: Catalogue, entity: int) -> list[str]:
    link = catalogue.links.get(entity)
    if link is None:
        return []
    return [f"linked to {link.counterpart.words}, confidence {link.confidence:.2f}"]


def _row(catalogue: Catalogue, statement: Statement) -> str:
    name = ("← " if statement.is_inverse else "") + catalogue.property_name(statement)
    value = shorten(catalogue.value_text(statement), _VALUE_WIDTH)
    time = catalogue.time_text(statement)
    return (
        f"<tr><td>{html_text(shorten(name))}</td><td dir=auto>{html_text(value)}</td>"
        f'<td class="time">{escape(time)}</td></tr>'
    )


def no_such_entity(own_id: str) -> str:
    """Return the page for an id that the graph does not have."""
    shown = escape(shorten(visible(own_id)))
    return _page("no such entity", f"<p>The graph has no entity <bdi>{shown}</bdi>.</p>")


def _page(title: str, body: str) -> str:
    """Return a whole page; title and body are HTML."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>{body}</body></html>"
    )
