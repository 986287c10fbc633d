"""The style of charts, and their rendering as SVG; needs the extra `report`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lighttea.errors import EngineUnavailable

INSTALL = 'pip install "lighttea[report]"'
# each colour of a stand-alone picture, and the CSS variable that replaces it in a page
COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "#ffffff": "--plot-ground",
        "#222a35": "--plot-ink",
        "#5b6472": "--plot-soft",
        "#e3e6ea": "--plot-grid",
        "#b4531a": "--plot-one",
        "#1f5fa6": "--plot-two",
    }
)
GROUND, INK, SOFT, GRID, ONE, TWO = COLOURS


def charting() -> Any:
    """Return the module altair; raise an error where it or vl-convert is not installed."""
    try:
        import altair
        import vl_convert  # noqa: F401
    except ImportError:
        raise EngineUnavailable(f"charts need altair and vl-convert: {INSTALL}") from None
    return altair


def specification(chart: Any, description: str) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart, in the colours of a light page."""
    spec: dict[str, Any] = chart.properties(description=description).configure(**THEME).to_dict()
    return spec


def picture(chart: Any, description: str) -> str:
    """Return a chart as SVG, in the colours of a light page."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(specification(chart, description)))


def themed(picture: str) -> str:
    """Return a picture for a page: with CSS variables as colours and without a fixed size."""
    return re.sub(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"', r"\1", coloured(picture), count=1)


def coloured(text: str) -> str:
    """Return SVG or JSON with CSS variables in place of the colours."""
    for colour, variable in COLOURS.items():
        text = re.sub(f'"{colour}"', f'"var({variable})"', text, flags=re.IGNORECASE)
    return text


THEME: dict[str, Any] = {
    "background": GROUND,
    "font": "Helvetica, Arial, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "domainColor": SOFT,
        "gridColor": GRID,
        "tickColor": SOFT,
        "labelColor": INK,
        "titleColor": INK,
        "titleFontWeight": "normal",
        "labelFontSize": 11,
        "titleFontSize": 12,
    },
    "legend": {
        "orient": "top",
        "title": None,
        "labelColor": INK,
        "labelFontSize": 12,
        "symbolSize": 70,
        "symbolStrokeWidth": 1.8,
        "labelLimit": 260,
    },
}
