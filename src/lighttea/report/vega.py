"""Interactive charts: the scripts of Vega-Lite are part of the page.

Vega can turn its expressions into code, which a content-security policy would have to allow with
`unsafe-eval`. Its interpreter is used instead, and the policy allows one script, by its digest.
"""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from lighttea.report.theme import coloured, specification, themed


@dataclass(frozen=True)
class Drawing:
    """A chart for a page: a picture, and the specification of the chart that replaces it."""

    picture: str
    specification: str


def draw(chart: Any, description: str) -> Drawing:
    """Return picture and specification of a chart, in the colours of the page."""
    import vl_convert

    spec = specification(chart, description)
    svg = str(vl_convert.vegalite_to_svg(spec))
    spec.pop("$schema", None)  # a URL that the script does not need
    return Drawing(themed(svg), _in_script(coloured(json.dumps(spec, ensure_ascii=False))))


def _in_script(text: str) -> str:
    """Return JSON that cannot close the script element around it."""
    return text.replace("<", "\\u003c")


@dataclass(frozen=True)
class Script:
    """The text of a script element, and the source expression that allows it."""

    text: str

    @property
    def source(self) -> str:
        """The source expression for script-src."""
        digest = b64encode(sha256(self.text.encode()).digest()).decode()
        return f"'sha256-{digest}'"


@cache
def bundle_script() -> Script:
    """Return Vega, Vega-Lite, Vega-Embed and the script of the page, as one script."""
    import vl_convert

    own = files("lighttea.report").joinpath("run.js").read_text("utf-8")
    text = str(vl_convert.javascript_bundle(own)).replace("\r\n", "\n").replace("\r", "\n")
    return Script(text.replace("</script", "<\\/script").replace("<!--", "\\x3c!--"))
