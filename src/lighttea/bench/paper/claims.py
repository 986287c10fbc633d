"""What the paper says in words, where it prints no number, and whether it holds here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lighttea.bench.paper.document import Row, Table, share
from lighttea.bench.paper.figures import FAR, VERSIONS, Figure
from lighttea.bench.paper.tables.common import place, word

Curve = Mapping[str, float]  # Hits@1 by label
Curves = Mapping[str, Curve]  # by version
(_STAR, _), (_FULL, _) = VERSIONS["lighttea"]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper about one section's curves; `check` says what we see and judges it.

    It answers None where a point is missing that the sentence needs.
    """

    section: str
    says: str
    said_of: str
    check: Callable[[Curves], tuple[str, bool] | None]


def claims_table(figures: Sequence[Figure]) -> Table:
    """Each claim on each dataset that has what it takes."""
    rows = []
    for claim in CLAIMS:
        about = [x for x in figures if x.section == claim.section and x.metric == "hits@1"]
        for where in dict.fromkeys(place(one) for one in about):
            curves = _curves([one for one in about if place(one) == where])
            seen = claim.check(curves)
            if seen is not None:
                text, holds = seen
                verdict = "yes" if holds else "no"
                rows.append(Row((claim.says, claim.said_of, where, text, verdict)))
    names = ("the paper says", "of", "we looked at", "we see", "holds")
    note = f"Hits@1; a best figure counts as reached within {share(FAR)}."
    return Table("What the paper says in words", tuple(map(word, names)), tuple(rows), note)


def _curves(figures: Sequence[Figure]) -> Curves:
    versions = dict.fromkeys(one.method for one in figures)
    return {v: {one.label: one.mean for one in figures if one.method == v} for v in versions}


def _has(curve: Curve, *labels: str) -> bool:
    return all(label in curve for label in labels)


def _inner_alpha(curves: Curves) -> tuple[str, bool] | None:
    curve = curves[_STAR]
    inner = {label: value for label, value in curve.items() if label not in ("0", "1")}
    if not inner or not _has(curve, "0", "1"):
        return None
    best = max(inner, key=inner.__getitem__)
    ends = (curve["0"], curve["1"])
    text = f"{share(ends[0])} at 0, {share(inner[best])} at {best}, {share(ends[1])} at 1"
    return text, inner[best] > max(ends)


def _steady_alpha(curves: Curves) -> tuple[str, bool] | None:
    ranges = [max(curves[v].values()) - min(curves[v].values()) for v in (_STAR, _FULL)]
    text = f"{_FULL} moves by {share(ranges[1])}, {_STAR} by {share(ranges[0])}"
    return text, ranges[1] < ranges[0]


def _best_beta(curves: Curves) -> tuple[str, bool] | None:
    curve = curves[_STAR]
    if not _has(curve, "0.4"):
        return None
    best = max(curve, key=curve.__getitem__)
    text = f"best at {best} ({share(curve[best])}); {share(curve['0.4'])} at 0.4"
    return text, curve[best] - curve["0.4"] <= FAR


def _time_alone(curves: Curves) -> tuple[str, bool] | None:
    if not all(_has(curves[version], "1") for version in (_STAR, _FULL)):
        return None
    star, full = curves[_STAR]["1"], curves[_FULL]["1"]
    return f"{_FULL} {share(full)}, {_STAR} {share(star)}", full < star


def _wide_enough(curves: Curves) -> tuple[str, bool] | None:
    curve = curves[_FULL]
    if not _has(curve, "512", "1024", "2048"):
        return None
    labels = ("512", "1024", "2048")
    text = ", ".join(f"{share(curve[label])} at {label}" for label in labels)
    return text, max(curve[label] for label in labels) - curve["512"] <= FAR


def _parts_help(curves: Curves) -> tuple[str, bool] | None:
    curve = curves[_FULL]
    rest = {label: value for label, value in curve.items() if label}
    if not rest or "" not in curve:
        return None
    text = f"{share(curve[''])}; " + ", ".join(f"{share(v)} {label}" for label, v in rest.items())
    return text, max(rest.values()) < curve[""]


_FIGURE, _TABLE_5 = "YAGO-WIKI50K, 1,000 seeds", "DICEWS, 200 seeds"
CLAIMS = (
    Claim("alpha", f"{_STAR} gains from both aspects together", _FIGURE, _inner_alpha),
    Claim("alpha", f"{_FULL} changes less with alpha than {_STAR}", _FIGURE, _steady_alpha),
    Claim("beta", f"{_STAR} is best at beta .4", _FIGURE, _best_beta),
    Claim("beta", f"at beta 1 {_FULL} falls below {_STAR}", _FIGURE, _time_alone),
    Claim("dimension", "nothing is gained past dimension 512", _TABLE_5, _wide_enough),
    Claim("ablation", "each part contributes", f"{_TABLE_5}; {_FIGURE}", _parts_help),
)
