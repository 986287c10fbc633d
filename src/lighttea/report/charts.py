"""The charts of a report, as specifications of Vega-Lite; each mark says in words what it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lighttea.display import GraphNames
from lighttea.report.drawing import Drawing, draw
from lighttea.report.expected import ConfidenceRange, CurvePoint
from lighttea.report.figures import Bin
from lighttea.report.missing import Period
from lighttea.report.theme import INK, ONE, SOFT, TWO

_HEIGHT, _TALL = 230, 300
_LINK, _DECOY = "links", "decoys"
_LINKED, _UNLINKED = "linked", "without a link"


def _quantity(field: str, title: str | None, **settings: Any) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "title": title, **settings}


def _category(field: str, title: str | None = None, **settings: Any) -> dict[str, Any]:
    return {"field": field, "type": "nominal", "title": title, **settings}


def _colours(field: str, names: Sequence[str], colours: Sequence[str]) -> dict[str, Any]:
    return _category(field, scale={"domain": list(names), "range": list(colours)})


_WORDS = {"field": "words", "type": "nominal"}
# each label on its own: as the format of an axis, ~s takes the prefix of the largest (100: "0k")
_SHORT_COUNTS = {"labelExpr": "format(datum.value, '~s')"}
_COUNTS = {"tickCount": 4, **_SHORT_COUNTS}


def confidence_chart(ranges: Sequence[ConfidenceRange], caption: str) -> Drawing:
    """Return the numbers of links by confidence, beside those of the decoys that won."""
    values = []
    for own in ranges:
        for series, n in ((_LINK, own.n_links), (_DECOY, own.n_decoys)):
            if n is not None:
                noun = series.removesuffix("s") if n == 1 else series
                words = f"confidence {own.name}: {n:,} {noun}"
                values.append({"range": own.name, "series": series, "n": n, "words": words})
    shown = [name for name in (_LINK, _DECOY) if any(row["series"] == name for row in values)]
    x = _category("range", "confidence", sort=None, axis={"labelAngle": -35, "grid": False})
    offset = {"field": "series", "type": "nominal", "sort": shown}
    # few decoys stay visible beside many links
    y = _quantity("n", "how many (log scale)", scale=_log_scale(values), axis=_log_axis(values))
    colour = _colours("series", shown, (TWO, ONE))
    bars = {"mark": {"type": "bar"}, "encoding": {"color": colour, "description": _WORDS}}
    text = {"field": "n", "type": "quantitative", "format": ","}
    counts = {
        "mark": {"type": "text", "dy": -6, "fontSize": 10.5, "aria": False},
        "encoding": {"text": text, "color": {"value": INK}},
        "transform": [{"filter": "datum.n > 0"}],
    }
    encoding = {"x": x, "xOffset": offset, "y": y}
    spec = {"data": {"values": values}, "encoding": encoding, "layer": [bars, counts]}
    return draw(spec, caption, height=_TALL)


def _log_scale(values: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a scale from 0, with room for the number above the longest bar."""
    most = max((row["n"] for row in values), default=1)
    return {"type": "symlog", "domain": [0, max(1.5 * most, 2)], "nice": False}


def _log_axis(values: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return an axis with 0, 1, 10 and so on."""
    most = max((row["n"] for row in values), default=1)
    return {"values": [0, *(10**power for power in range(len(str(most)) + 1))], **_SHORT_COUNTS}


def expected_wrong_chart(
    links: Sequence[CurvePoint], decoys: Sequence[CurvePoint], caption: str
) -> Drawing:
    """Return the expected share of wrong links by how many are kept, and the decoys' own count."""
    series = {"by confidence": (links, TWO), "by decoys": (decoys, ONE)}
    shown = {name: colour for name, (points, colour) in series.items() if points}
    encoding = {
        "x": _quantity("n_links", "links kept, surest first", axis={"grid": False, **_COUNTS}),
        "y": _quantity("wrong", "expected wrong", axis={"format": "~%", "tickCount": 4}),
        "color": _colours("series", list(shown), list(shown.values())),
        "description": _WORDS,
    }
    layers = []
    for name in shown:
        rows = [{**vars(point), "series": name, "words": point.words} for point in series[name][0]]
        dash = {"strokeDash": [4, 3]} if name == "by decoys" else {}
        lines = {"type": "line", "strokeWidth": 1.8, "aria": False, **dash}
        size = {"size": 60} if name == "by decoys" else {"size": 50, "opacity": 0}
        points = {"type": "point", "filled": True, **size}
        layers += [{"data": {"values": rows}, "mark": mark} for mark in (lines, points)]
    return draw({"encoding": encoding, "layer": layers}, caption, height=_TALL)


def reliability_chart(bins: Sequence[Bin], caption: str) -> Drawing:
    """Return the share of right links by confidence, with its interval, and the ideal line."""
    rows = [{**vars(own), "words": own.words} for own in bins]
    scale = {"domain": [0, 1]}
    axis = {"format": "~%", "tickCount": 5}
    x = _quantity("confidence", "expected: confidence", scale=scale, axis=axis)
    y = _quantity("right", "observed: share that is right", scale=scale, axis=axis)
    diagonal = {
        "data": {"values": [{"confidence": 0, "right": 0}, {"confidence": 1, "right": 1}]},
        "mark": {"type": "line", "strokeDash": [4, 3], "color": SOFT, "aria": False},
        "encoding": {"x": x, "y": y},
    }
    intervals = {
        "mark": {"type": "rule", "color": TWO, "strokeWidth": 1.5, "aria": False},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    area = {"field": "n", "type": "quantitative", "legend": None, "scale": {"range": [30, 260]}}
    points = {
        "mark": {"type": "point", "filled": True, "color": TWO, "opacity": 1},
        "encoding": {"x": x, "y": y, "size": area, "description": _WORDS},
    }
    spec = {"data": {"values": rows}, "layer": [diagonal, intervals, points]}
    return draw(spec, caption, height=_TALL + 40)


def coverage_chart(
    rows: Sequence[tuple[str, int, int]], caption: str, names: GraphNames
) -> Drawing:
    """Return a line chart of the facts of both sides; rows are (side, year, count)."""
    values = [
        {"graph": name, "year": year, "facts": n, "words": f"{name}, {year}: {n:,} facts"}
        for side, year, n in rows
        for name in [names.of_side(side)]
    ]
    sides, dashes = [names.left, names.right], [[1, 0], [5, 3]]
    year_axis = {"format": "d", "grid": False, "labelOverlap": True}
    encoding = {
        "x": _quantity("year", "year", scale={"zero": False, "nice": False}, axis=year_axis),
        "y": _quantity("facts", "facts", axis=_COUNTS),
        "color": {**_colours("graph", sides, (ONE, TWO)), "legend": {"symbolType": "stroke"}},
    }
    scale, legend = {"domain": sides, "range": dashes}, {"symbolType": "stroke"}
    dash = _category("graph", scale=scale, legend=legend)
    lines = {
        "mark": {"type": "line", "strokeWidth": 1.7, "aria": False},
        "encoding": {"strokeDash": dash},
    }
    points = {
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 0},
        "encoding": {"description": _WORDS},
    }
    spec = {"data": {"values": values}, "encoding": encoding, "layer": [lines, points]}
    return draw(spec, caption, height=_HEIGHT, wide=True)


def period_chart(periods: Sequence[Period], caption: str) -> Drawing:
    """Return bars of the entities of one side by period, with and without a link."""
    values = [
        {
            "period": period.name,
            "series": series,
            "n": n,
            "order": order,
            "words": f"{period.name}: {n:,} of {period.n_entities:,} {series}",
        }
        for period in periods
        for order, (series, n) in enumerate(
            ((_LINKED, period.n_linked), (_UNLINKED, period.n_unlinked))
        )
    ]
    encoding = {
        "x": _category("period", None, sort=None, axis={"labelAngle": -35, "labelOverlap": True}),
        "y": _quantity("n", "entities", axis=_COUNTS),
        "color": _colours("series", (_LINKED, _UNLINKED), (TWO, ONE)),
        "order": {"field": "order"},
        "description": _WORDS,
    }
    spec = {"data": {"values": values}, "mark": {"type": "bar"}, "encoding": encoding}
    return draw(spec, caption, height=_HEIGHT)
