"""The expected share of wrong links by how many are kept, by confidence and by decoys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from lighttea.results.run import Run

CUTS = (0.001, 0.01, 0.05, 0.1)  # values of max_fdr that a report shows
_LEVELS = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)  # where no decoys were counted
_LINE_POINTS = 100
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

    @property
    def words(self) -> str:
        """The point in words."""
        decoys = "" if self.n_decoys is None else f"; {self.n_decoys:,} decoys won"
        return (
            f"{self.n_links:,} links, confidence {self.confidence:.3f} or more: "
            f"{self.wrong:.2%} expected wrong{decoys}"
        )


@dataclass(frozen=True)
class ConfidenceRange:
    """The links in a range of confidence, and the decoys that won there."""

    name: str
    n_links: int
    n_decoys: int | None  # None where decoys were not counted


def count_by_confidence(run: Run) -> list[ConfidenceRange]:
    """Return the numbers of links and of decoys by confidence, the surest last.

    The ranges are those at which the run counted its decoys. Links below the lowest are one more.
    """
    levels, decoys = _decoy_levels(run)
    confidence = run.links["confidence"].to_numpy()
    edges = [*levels[::-1], 1.0]
    names = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
    counts = np.histogram(confidence, [*edges[:-1], np.inf])[0].tolist()
    ranges = [ConfidenceRange(*row) for row in zip(names, counts, decoys[::-1], strict=True)]
    if n_below := int((confidence < edges[0]).sum()):
        ranges.insert(0, ConfidenceRange(f"below {edges[0]:g}", n_below, None))
    return ranges


def _decoy_levels(run: Run) -> tuple[list[float], list[int | None]]:
    """Return levels of confidence, highest first, and the decoys that won from each to the next."""
    curve = (run.info.get("decoys") or {}).get("curve")
    if not curve:
        return list(_LEVELS), [None] * len(_LEVELS)
    rows = sorted(zip(curve["confidence"], curve["decoys"], strict=True), reverse=True)
    rows = [(level, n) for level, n in rows if level < 1]
    totals = [0, *(n for _, n in rows)]
    return [level for level, _ in rows], [b - a for a, b in pairwise(totals)]


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
