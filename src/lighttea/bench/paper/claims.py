"""Statements of the paper that print no number, and whether they hold here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lighttea.bench.paper.document import Table, format_share
from lighttea.bench.paper.figures import FAR, VERSIONS, Figure
from lighttea.bench.paper.tables.common import describe_place

Curve = Mapping[str, float]  # Hits@1 by label
Curves = Mapping[str, Curve]  # by version
(_STAR, _), (_FULL, _) = VERSIONS["lighttea"]


@dataclass(frozen=True)
class Claim:
    """A statement of the paper about the curves of one section.

    `check` returns what our curves show and whether the statement holds, or None where a point is
    missing that the statement needs.
    """

    section: str
    statement: str
    dataset: str  # of which the paper states it
    check: Callable[[Curves], tuple[str, bool] | None]


def claims_table(figures: Sequence[Figure]) -> Table:
    """Return each claim on each dataset that has the points to check it."""
    records = []
    for claim in CLAIMS:
        points = [
            x
            for x in figures
            if (x.section, x.metric) == (claim.section, "hits@1") and x.method in (_STAR, _FULL)
        ]
        for place in dict.fromkeys(map(describe_place, points)):
            outcome = claim.check(_curves([x for x in points if describe_place(x) == place]))
            if outcome is not None:
                observation, holds = outcome
                records.append(
                    {
                        "the paper says": claim.statement,
                        "of": claim.dataset,
                        "we looked at": place,
                        "we see": observation,
                        "holds": "yes" if holds else "no",
                    }
                )
    note = f"Hits@1; a best figure counts as reached within {format_share(FAR)}."
    return Table("What the paper says in words", records, note)


def _curves(figures: Sequence[Figure]) -> Curves:
    curves: dict[str, dict[str, float]] = {}
    for figure in figures:
        curves.setdefault(figure.method, {})[figure.label] = figure.mean
    return curves


def _has_points(curve: Curve, *labels: str) -> bool:
    return all(label in curve for label in labels)


def _check_inner_alpha(curves: Curves) -> tuple[str, bool] | None:
    curve = curves[_STAR]
    inner = {label: value for label, value in curve.items() if label not in ("0", "1")}
    if not inner or not _has_points(curve, "0", "1"):
        return None
    best = max(inner, key=inner.__getitem__)
    points = ", ".join(f"{format_share(curve[x])} at {x}" for x in ("0", best, "1"))
    return points, inner[best] > max(curve["0"], curve["1"])


def _check_steady_alpha(curves: Curves) -> tuple[str, bool] | None:
    ranges = [max(curves[v].values()) - min(curves[v].values()) for v in (_STAR, _FULL)]
    text = f"{_FULL} moves by {format_share(ranges[1])}, {_STAR} by {format_share(ranges[0])}"
    return text, ranges[1] < ranges[0]


def _check_best_beta(curves: Curves) -> tuple[str, bool] | None:
    curve = curves[_STAR]
    if not _has_points(curve, "0.4"):
        return None
    best = max(curve, key=curve.__getitem__)
    text = f"best at {best} ({format_share(curve[best])}); {format_share(curve['0.4'])} at 0.4"
    return text, curve[best] - curve["0.4"] <= FAR


def _check_time_alone(curves: Curves) -> tuple[str, bool] | None:
    if not all(_has_points(curves[version], "1") for version in (_STAR, _FULL)):
        return None
    star, full = curves[_STAR]["1"], curves[_FULL]["1"]
    return f"{_FULL} {format_share(full)}, {_STAR} {format_share(star)}", full < star


def _check_wide_enough(curves: Curves) -> tuple[str, bool] | None:
    curve = curves[_FULL]
    if not _has_points(curve, "512", "1024", "2048"):
        return None
    labels = ("512", "1024", "2048")
    text = ", ".join(f"{format_share(curve[label])} at {label}" for label in labels)
    return text, max(curve[label] for label in labels) - curve["512"] <= FAR


def _check_parts_help(curves: Curves) -> tuple[str, bool] | None:
    curve = curves[_FULL]
    rest = {label: value for label, value in curve.items() if label}
    if not rest or "" not in curve:
        return None
    text = f"{format_share(curve[''])}; " + ", ".join(
        f"{format_share(v)} {label}" for label, v in rest.items()
    )
    return text, max(rest.values()) < curve[""]


_FIGURE, _TABLE_5 = "YAGO-WIKI50K, 1,000 seeds", "DICEWS, 200 seeds"
CLAIMS = (
    Claim("alpha", f"{_STAR} gains from both aspects together", _FIGURE, _check_inner_alpha),
    Claim("alpha", f"{_FULL} changes less with alpha than {_STAR}", _FIGURE, _check_steady_alpha),
    Claim("beta", f"{_STAR} is best at beta .4", _FIGURE, _check_best_beta),
    Claim("beta", f"at beta 1 {_FULL} falls below {_STAR}", _FIGURE, _check_time_alone),
    Claim("dimension", "nothing is gained past dimension 512", _TABLE_5, _check_wide_enough),
    Claim("ablation", "each part contributes", f"{_TABLE_5}; {_FIGURE}", _check_parts_help),
)
