"""A report as one self-contained page, by a template, where the extra `report` is installed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING

from lighttea.bench.paper.document import FAR_MARK, Document
from lighttea.errors import EngineUnavailable
from lighttea.report.theme import INSTALL, themed

if TYPE_CHECKING:
    from markupsafe import Markup


def render_html(document: Document, pictures: Mapping[str, str]) -> str:
    """Return the text of report.html, with the pictures (SVG) by the names of their plots."""
    try:
        import jinja2
    except ImportError:
        raise EngineUnavailable(f"report.html needs jinja2: {INSTALL}") from None
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(prose=_mark_code, anchor=_make_anchor)
    template = files("lighttea.bench.paper").joinpath("report.html.j2").read_text("utf-8")
    return environment.from_string(template).render(
        document=document,
        far_mark=FAR_MARK,
        style=files("lighttea.report").joinpath("page.css").read_text("utf-8"),
        pictures={name: themed(svg) for name, svg in pictures.items()},
    )


def _mark_code(text: str) -> Markup:
    """Return a paragraph as HTML: words between backquotes are code."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _make_anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
