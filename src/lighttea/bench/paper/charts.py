"""Plots drawn as SVG, where the extra `report` is installed."""

from __future__ import annotations

from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lighttea.bench.paper.document import PAPER_SERIES, Plot
from lighttea.report.theme import ONE, TWO, charting, picture

if TYPE_CHECKING:
    import altair

_WIDTH, _HEIGHT = 330, 200


def draw(plot: Plot) -> str:
    """Return the picture of a plot as SVG, in the colours of a light page."""
    return picture(_CHARTS[plot.kind](charting(), plot), plot.caption)


def _rows(plot: Plot) -> list[dict[str, Any]]:
    return [asdict(point) for point in plot.points]


def _series(plot: Plot) -> list[str]:
    return list(dict.fromkeys(point.series for point in plot.points))


def _curve(alt: Any, plot: Plot) -> altair.LayerChart:
    """Return lines that differ in colour, dashes and points; the paper's figures have no line."""
    series = _series(plot)
    styles = dict(zip(("color", "shape", "strokeDash"), zip(*_STYLES, strict=True), strict=True))

    def by_series(channel: str) -> Any:
        scale = alt.Scale(domain=series, range=list(styles[channel][: len(series)]))
        made = {"color": alt.Color, "shape": alt.Shape, "strokeDash": alt.StrokeDash}[channel]
        return made("series:N", scale=scale)

    x = alt.X(
        "x:Q",
        title=plot.x_title,
        scale=alt.Scale(type="log" if plot.log else "linear", nice=False, padding=8),
        axis=alt.Axis(values=list(plot.ticks), grid=False, format="~g"),
    )
    y = alt.Y("y:Q", title=plot.y_title, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6))
    base = alt.Chart(alt.Data(values=_rows(plot))).encode(x=x, y=y, color=by_series("color"))
    ours = [name for name in series if not name.endswith(PAPER_SERIES)]
    lines = (
        base.transform_filter(alt.FieldOneOfPredicate(field="series", oneOf=ours))
        .mark_line(strokeWidth=1.8)
        .encode(strokeDash=by_series("strokeDash"))
    )
    points = base.mark_point(size=50, strokeWidth=1.6, opacity=1).encode(shape=by_series("shape"))
    chart: altair.LayerChart = alt.layer(lines, points).properties(width=_WIDTH, height=_HEIGHT)
    return chart


def _bars(alt: Any, plot: Plot) -> altair.Chart:
    """Return horizontal bars, the series side by side; the numbers stand in the table."""
    order = [str(point.x) for point in plot.points]
    series = _series(plot)
    chart: altair.Chart = (
        alt.Chart(alt.Data(values=_rows(plot)))
        .mark_bar(height={"band": 0.82})
        .encode(
            y=alt.Y("x:N", title=None, sort=order, axis=alt.Axis(ticks=False, domain=False)),
            yOffset=alt.YOffset("series:N", sort=series),
            x=alt.X("y:Q", title=plot.y_title, axis=alt.Axis(tickCount=5)),
            color=alt.Color(
                "series:N", scale=alt.Scale(domain=series, range=[ONE, TWO][: len(series)])
            ),
        )
        .properties(width=_WIDTH - 40, height=_HEIGHT + 30)
    )
    return chart


_STYLES = (  # colour, shape and dashes of the first series, the second, and the paper's of both
    (ONE, "circle", [5, 3]),
    (TWO, "diamond", [1, 0]),
    (ONE, "triangle-up", [1, 0]),
    (TWO, "square", [1, 0]),
)
_CHARTS = MappingProxyType({"curve": _curve, "bars": _bars})
