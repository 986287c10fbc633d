"""Charts that answer to the pointer: Vega-Lite's own scripts stand in the page.

Vega can turn its expressions into code, which a content-security policy would have to allow with
`unsafe-eval`. Here its interpreter works on them instead, and the policy names the one script that
may run by its digest.
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
    """A chart for a page: the picture, and the specification that a script draws in its place."""

    picture: str
    specification: str


def drawing(chart: Any, description: str) -> Drawing:
    """Both, in the colours of the page's theme."""
    import vl_convert

    spec = specification(chart, description)
    svg = str(vl_convert.vegalite_to_svg(spec))
    spec.pop("$schema", None)  # an address; the script knows what it draws
    return Drawing(themed(svg), _in_script(coloured(json.dumps(spec, ensure_ascii=False))))


def _in_script(text: str) -> str:
    """JSON that cannot end the element it stands in."""
    return text.replace("<", "\\u003c")


@dataclass(frozen=True)
class Script:
    """The text of a script element, and the word of a policy that lets it run."""

    text: str

    @property
    def source(self) -> str:
        """For script-src."""
        digest = b64encode(sha256(self.text.encode()).digest()).decode()
        return f"'sha256-{digest}'"


@cache
def script() -> Script:
    """Vega, Vega-Lite, Vega-Embed and what draws the charts of this page, in one."""
    import vl_convert

    own = files("lighttea.report").joinpath("run.js").read_text("utf-8")
    text = str(vl_convert.javascript_bundle(own)).replace("\r\n", "\n").replace("\r", "\n")
    return Script(text.replace("</script", "<\\/script").replace("<!--", "\\x3c!--"))
