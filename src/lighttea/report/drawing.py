"""Charts as pictures in the page: Vega-Lite specifications, drawn when the report is written.

A page that draws its charts itself would carry 0.9 MB of scripts for what the pointer shows. A
picture holds that too: each mark has a description in words, which a screen reader speaks and a
small script of the page shows beside the pointer.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Any

from lighttea.errors import EngineUnavailable
from lighttea.report.theme import INSTALL, THEME, themed

HALF, WIDE, NARROW = 420, 1000, 350  # pixels: half of a page, a page, a telephone
_TEXT_SIZE = 12
_PAGE_THEME = {
    **THEME,
    "axis": {**THEME["axis"], "labelFontSize": _TEXT_SIZE, "titleFontSize": _TEXT_SIZE},
}


@dataclass(frozen=True)
class Drawing:
    """A chart for a page: a picture, and one for narrow pages where the first is wide."""

    picture: str
    narrow: str = ""


def draw(spec: dict[str, Any], description: str, *, height: int, wide: bool = False) -> Drawing:
    """Return the pictures of a Vega-Lite specification, in the colours of the page."""
    first = _picture(spec, description, WIDE if wide else HALF, height)
    return Drawing(first, _picture(spec, description, NARROW, height) if wide else "")


def full_specification(
    spec: dict[str, Any], description: str, width: int, height: int
) -> dict[str, Any]:
    """Return a specification with its size and theme; the size includes axes and legend."""
    fit = {"type": "fit", "contains": "padding"}
    size = {"width": width, "height": height, "autosize": fit, "padding": 2}
    return {"description": description, **size, "config": _PAGE_THEME, **spec}


def _picture(spec: dict[str, Any], description: str, width: int, height: int) -> str:
    try:
        import vl_convert
    except ImportError:
        raise EngineUnavailable(f"charts need vl-convert: {INSTALL}") from None
    return themed(
        str(vl_convert.vegalite_to_svg(full_specification(spec, description, width, height)))
    )


@dataclass(frozen=True)
class Script:
    """The text of a script element, and the source expression that allows it."""

    text: str

    @property
    def source(self) -> str:
        """The source expression for script-src."""
        digest = b64encode(sha256(self.text.encode()).digest()).decode()
        return f"'sha256-{digest}'"


def page_script() -> Script:
    """Return the script of the page, which shows what a mark stands for."""
    return Script(files("lighttea.report").joinpath("run.js").read_text("utf-8"))
