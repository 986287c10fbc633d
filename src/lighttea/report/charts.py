"""The charts of a report, made with altair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lighttea.display import GraphNames
from lighttea.report.expected import CurvePoint
from lighttea.report.figures import Bin
from lighttea.report.theme import INK, ONE, SOFT, TWO, charting
from lighttea.report.vega import Drawing, draw

_WIDTH, _HEIGHT = 330, 180


def histogram_chart(rows: Sequence[tuple[float, float, int]], title: str, caption: str) -> Drawing:
    """Return a histogram of links; rows are (from, to, count)."""
    alt = charting()
    values = [{"from": low, "to": high, "links": n} for low, high, n in rows]
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_bar(color=TWO)
        .encode(
            x=alt.X("from:Q", bin="binned", title=title, axis=alt.Axis(grid=False)),
            x2="to:Q",
            y=alt.Y("links:Q", title="links", axis=alt.Axis(tickCount=4)),
            tooltip=[*_decimal_tooltips(alt, "from", "to"), _count_tooltip(alt, "links")],
        )
    )
    return draw(chart.properties(width=_WIDTH, height=_HEIGHT), caption)


def coverage_chart(
    rows: Sequence[tuple[str, int, int]], caption: str, names: GraphNames
) -> Drawing:
    """Return a line chart of the facts of both sides; rows are (side, year, count)."""
    alt = charting()
    values = [{"graph": names.of_side(side), "year": year, "facts": n} for side, year, n in rows]
    sides = [names.left, names.right]
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_line(strokeWidth=1.6, point={"size": 60, "opacity": 0})
        .encode(
            x=alt.X(
                "year:Q",
                title="year",
                scale=alt.Scale(zero=False, nice=False),
                axis=alt.Axis(format="d", grid=False),
            ),
            y=alt.Y("facts:Q", title="facts", axis=alt.Axis(tickCount=4)),
            color=alt.Color("graph:N", scale=alt.Scale(domain=sides, range=[ONE, TWO])),
            strokeDash=alt.StrokeDash(
                "graph:N", scale=alt.Scale(domain=sides, range=[[1, 0], [5, 3]])
            ),
            tooltip=["graph:N", alt.Tooltip("year:Q", format="d"), _count_tooltip(alt, "facts")],
        )
    )
    return draw(chart.properties(width=2 * _WIDTH, height=_HEIGHT), caption)


def _decimal_tooltips(alt: Any, *names: str) -> list[Any]:
    """Return tooltips with three digits."""
    return [alt.Tooltip(f"{name}:Q", format=".3~f") for name in names]


def _count_tooltip(alt: Any, name: str, title: str = "") -> Any:
    """Return a tooltip with a whole number."""
    return alt.Tooltip(f"{name}:Q", format=",", title=title or name)


def stages_chart(seconds: Mapping[str, float], caption: str) -> Drawing:
    """Return a bar chart of the seconds of each stage, in order."""
    alt = charting()
    values = [{"stage": name.replace("_", " "), "seconds": s} for name, s in seconds.items()]
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_bar(color=TWO, height={"band": 0.75})
        .encode(
            y=alt.Y("stage:N", title=None, sort=None, axis=alt.Axis(ticks=False, domain=False)),
            x=alt.X("seconds:Q", title="seconds", axis=alt.Axis(tickCount=5)),
            tooltip=["stage:N", *_decimal_tooltips(alt, "seconds")],
        )
    )
    return draw(chart.properties(width=_WIDTH - 40, height=max(60, 22 * len(values))), caption)


def rounds_chart(rounds: Sequence[Mapping[str, Any]], caption: str) -> Drawing:
    """Return a bar chart of the seeds and the promoted pairs of each round."""
    alt = charting()
    values = [
        {"round": number, "entities": figures[name], "series": series}
        for number, figures in enumerate(rounds, 1)
        for name, series in (("seeds", "seeds before it"), ("promoted", "sure pairs it found"))
    ]
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_bar()
        .encode(
            x=alt.X("round:O", title="round", axis=alt.Axis(labelAngle=0)),
            xOffset="series:N",
            y=alt.Y("entities:Q", title="pairs", axis=alt.Axis(tickCount=4)),
            color=alt.Color(
                "series:N",
                scale=alt.Scale(
                    domain=["seeds before it", "sure pairs it found"], range=[ONE, TWO]
                ),
            ),
            tooltip=[
                "round:O",
                alt.Tooltip("series:N", title="what"),
                _count_tooltip(alt, "entities"),
            ],
        )
    )
    return draw(chart.properties(width=_WIDTH, height=_HEIGHT), caption)


def reliability_chart(bins: Sequence[Bin], caption: str) -> Drawing:
    """Return the share of right links by confidence, and the line of perfect calibration."""
    alt = charting()
    values = [
        {"confidence": interval.confidence, "right": interval.right, "n": interval.n}
        for interval in bins
    ]
    line = (
        alt.Chart(alt.Data(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
        .mark_line(strokeDash=[4, 3], strokeWidth=1.2, color=SOFT)
        .encode(x="x:Q", y="y:Q")
    )
    points = (
        alt.Chart(alt.Data(values=values))
        .mark_line(color=TWO, point={"filled": True, "size": 60, "color": TWO})
        .encode(
            x=alt.X("confidence:Q", title="confidence", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("right:Q", title="share that is right", scale=alt.Scale(domain=[0, 1])),
            tooltip=[
                *_decimal_tooltips(alt, "confidence", "right"),
                _count_tooltip(alt, "n", "links"),
            ],
        )
    )
    chart = alt.layer(line, points).properties(width=_WIDTH, height=_WIDTH - 60)
    return draw(chart, caption)


def expected_wrong_chart(
    links: Sequence[CurvePoint], decoys: Sequence[CurvePoint], caption: str
) -> Drawing:
    """Return the expected share of wrong links by how many are kept, and the decoys' own count."""
    alt = charting()
    series = {"by confidence": (links, TWO), "by decoys": (decoys, ONE)}
    shown = {name: colour for name, (points, colour) in series.items() if points}
    color = alt.Color("series:N", scale=alt.Scale(domain=list(shown), range=list(shown.values())))
    x = alt.X("n_links:Q", title="links kept, surest first", axis=alt.Axis(grid=False))
    y = alt.Y("wrong:Q", title="expected wrong", axis=alt.Axis(format="~%", tickCount=4))

    def curve(name: str) -> Any:
        values = [{"series": name, **vars(point)} for point in series[name][0]]
        tooltip = _curve_tooltips(alt, with_decoys=name == "by decoys")
        chart = alt.Chart(alt.Data(values=values))
        return chart.encode(x=x, y=y, color=color, tooltip=tooltip)

    layers = [curve("by confidence").mark_line(strokeWidth=1.8, point={"size": 50, "opacity": 0})]
    if decoys:
        by_decoys = curve("by decoys")
        counts = by_decoys.mark_text(dy=-10, fontSize=11)
        layers += [
            by_decoys.mark_line(strokeDash=[4, 3], strokeWidth=1.2),
            by_decoys.mark_point(filled=True, size=45, opacity=1),
            counts.encode(text=alt.Text("n_decoys:Q", format=","), color=alt.value(INK)),
        ]
    return draw(alt.layer(*layers).properties(width=2 * _WIDTH, height=_HEIGHT), caption)


def _curve_tooltips(alt: Any, *, with_decoys: bool) -> list[Any]:
    return [
        alt.Tooltip("series:N", title="estimated"),
        _count_tooltip(alt, "n_links", "links kept"),
        alt.Tooltip("wrong:Q", format=".2~%", title="expected wrong"),
        alt.Tooltip("confidence:Q", format=".3~f", title="down to confidence"),
        *([_count_tooltip(alt, "n_decoys", "decoys that won")] * with_decoys),
    ]
