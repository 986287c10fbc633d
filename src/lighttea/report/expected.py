"""The expected share of wrong links by how many are kept, by confidence and by decoys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from lighttea.results.run import Run

CUTS = (0.001, 0.01, 0.05, 0.1)  # values of max_fdr that a report shows
_LINE_POINTS = 200
_DECOY_POINTS = 10


@dataclass(frozen=True)
class Cut:
    """The links that a value of `max_fdr` keeps."""

    max_fdr: float
    n_links: int
    confidence: float | None  # of the least sure link that is kept
    n_wrong: float  # expected


@dataclass(frozen=True)
class CurvePoint:
    """The surest links down to a confidence."""

    n_links: int
    wrong: float  # expected share
    confidence: float
    n_decoys: int | None = None  # that won down to this confidence


def cuts_by_fdr(run: Run) -> list[Cut]:
    """Return how many links each of several values of `max_fdr` keeps; none without fdr."""
    links = run.links.drop_nulls("fdr")
    return [_cut(links, value) for value in CUTS] if len(links) else []


def _cut(links: pl.DataFrame, max_fdr: float) -> Cut:
    confidence = links.filter(pl.col("fdr") <= max_fdr)["confidence"].to_numpy()
    lowest = float(confidence.min()) if len(confidence) else None
    return Cut(max_fdr, len(confidence), lowest, float((1 - confidence).sum()))


def curve_of_links(run: Run) -> list[CurvePoint]:
    """Return the expected share of wrong links as more are kept, surest first."""
    links = run.links.drop_nulls("fdr").sort("confidence", descending=True)
    rows = links.select("fdr", "confidence").rows()
    points = [CurvePoint(n, fdr, confidence) for n, (fdr, confidence) in enumerate(rows, 1)]
    return thin_out(points, _LINE_POINTS)


def curve_of_decoys(run: Run) -> list[CurvePoint]:
    """Return what the decoys of a run tell of its candidates, surest first; none without them.

    Where there are half as many decoys as right entities, a wrong link finds one half as often:
    each decoy that wins stands for two wrong candidates.
    """
    decoys = run.info.get("decoys") or {}
    curve, per_entity = decoys.get("curve"), decoys.get("per_entity") or 0
    if not curve or per_entity <= 0:
        return []
    rows = zip(curve["confidence"], curve["targets"], curve["decoys"], strict=True)
    points = [
        CurvePoint(int(n), min(1.0, won / per_entity / n), float(confidence), int(won))
        for confidence, n, won in rows
        if n > 0
    ]
    return thin_out(points, _DECOY_POINTS)


def thin_out(points: Sequence[CurvePoint], n: int) -> list[CurvePoint]:
    """Return the first point and the last of each of n ranges of `n_links`, evenly spread."""
    if not points:
        return []
    ranges = [(point.n_links - 1) * n // points[-1].n_links for point in points]
    is_last = [number != after for number, after in pairwise([*ranges, n])]
    return [point for i, point in enumerate(points) if i == 0 or is_last[i]]
