"""The figures of a report, taken from what a run wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from lighttea.explain.timeless import timeless_scores
from lighttea.inputs.links import LinkTable, read_link_table
from lighttea.results.run import Run

BANDS = ((0.9, 1.01), (0.5, 0.9), (0.1, 0.5), (0.0, 0.1))
TIME_TERMS = ("time", "temporal")
_BINS = 20
_MANY_YEARS = 120  # more are shown in groups


@dataclass(frozen=True)
class Band:
    """How many links have a confidence in a range."""

    name: str
    count: int


def bands(run: Run) -> list[Band]:
    """Links by confidence."""
    value = run.links["confidence"]
    return [
        Band(f"{low:.1f} to {min(high, 1):.1f}", int(((value >= low) & (value < high)).sum()))
        for low, high in BANDS
    ]


@dataclass(frozen=True)
class Unlinked:
    """Entities that are no seed and have no link."""

    claimed: int  # left: the best candidate went to another
    unsure: int  # left: the best candidate is not likely enough; dangling, as far as one can tell
    unreached: int  # left: without any candidate
    right: int


def unlinked(run: Run) -> Unlinked:
    """Why left entities have no link, and how many right ones have none."""
    sizes = {side: run.info["input"][side]["entities"] for side in ("left", "right")}
    taken = {
        side: pl.concat([run.seeds[side], run.links[side]]).n_unique() for side in ("left", "right")
    }
    best = run.candidates.filter(pl.col("rank") == 1).join(run.links, on="left", how="anti")
    claimed = len(best.join(run.links, on="right", how="semi"))
    return Unlinked(
        claimed=claimed,
        unsure=len(best) - claimed,
        unreached=sizes["left"] - taken["left"] - len(best),
        right=sizes["right"] - taken["right"],
    )


def histogram(values: pl.Series, low: float, high: float) -> list[tuple[float, float, int]]:
    """From, to and count of equal bins."""
    counts, edges = np.histogram(values.to_numpy().clip(low, high), _BINS, (low, high))
    return [(float(a), float(b), int(n)) for a, b, n in zip(edges, edges[1:], counts, strict=False)]


def facts_by_year(run: Run) -> list[tuple[str, int, int]]:
    """Side, year and number of facts that name the year in one of their times."""
    found = []
    for side, facts in (("left", run.facts_left), ("right", run.facts_right)):
        years = pl.concat([facts["begin"], facts["end"].filter(facts["end"] != facts["begin"])])
        counted = years.drop_nulls().str.extract(r"^(-?\d+)").cast(pl.Int64).value_counts(name="n")
        found += [(side, int(year), int(n)) for year, n in counted.rows()]
    return _grouped(found)


def _grouped(found: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Years, or where there are very many, groups of so many years that the rest fits."""
    years = [year for _, year, _ in found]
    if not years:
        return []
    width = max(1, -(-(max(years) - min(years) + 1) // _MANY_YEARS))
    sums: dict[tuple[str, int], int] = {}
    for side, year, n in found:
        key = side, year - year % width
        sums[key] = sums.get(key, 0) + n
    return sorted((side, year, n) for (side, year), n in sums.items())


def time_kinds(facts: pl.DataFrame) -> dict[str, int]:
    """Facts by what is known of their time."""
    begin, end = facts["begin"], facts["end"]
    both = begin.is_not_null() & end.is_not_null()
    return {
        "a moment": int((both & (begin == end)).sum()),
        "an interval": int((both & (begin != end)).sum()),
        "one end known": int((begin.is_null() != end.is_null()).sum()),
        "unknown": int((begin.is_null() & end.is_null()).sum()),
    }


@dataclass(frozen=True)
class TimeEffect:
    """What scoring the kept candidates without time would change."""

    n_links: int
    n_changed: int  # links whose right entity would not be the best candidate any more
    examples: pl.DataFrame  # left, right, instead

    @property
    def share(self) -> float:
        """Of the links, those that would change."""
        return self.n_changed / self.n_links if self.n_links else 0.0


def time_effect(run: Run) -> TimeEffect | None:
    """Compare the run's scores with what they would be without time; None where it has no part.

    An estimate: candidates, labels and links stay those that were found with time.
    """
    terms = [name for name in TIME_TERMS if name in run.candidates.columns]
    if not terms or run.links.is_empty() or not any((run.candidates[n] != 0).any() for n in terms):
        return None
    told = run.candidates.select(
        "left", "right", "score", without=pl.Series(timeless_scores(run.explainer.source))
    ).join(run.best_links.select("left", linked="right"), on="left")
    best = told.group_by("left", maintain_order=True).agg(
        pl.col("linked").first(),
        best=pl.col("right").sort_by("score", descending=True).first(),
        instead=pl.col("right").sort_by("without", descending=True).first(),
    )
    kept = best.filter(pl.col("best") == pl.col("linked"))
    changed = kept.filter(pl.col("instead") != pl.col("linked"))
    return TimeEffect(
        n_links=len(kept),
        n_changed=len(changed),
        examples=changed.select("left", right="linked", instead="instead").head(8),
    )


@dataclass(frozen=True)
class SecondRun:
    """The run beside one of the same facts that did not look at time."""

    n_links: int
    n_without: int
    n_same: int
    n_elsewhere: int  # links whose left entity goes to another right one without time
    expected: float  # links that are right, by their own confidence
    expected_without: float
    examples: pl.DataFrame  # left, right, instead

    @property
    def n_lost(self) -> int:
        """Left entities that have a link with time alone."""
        return self.n_links - self.n_same - self.n_elsewhere


def second_run(run: Run) -> SecondRun | None:
    """What a second run without time did; None where none was made."""
    other = run.links_without_time
    if other.is_empty():
        return None
    links = run.best_links
    both = links.join(other.select("left", instead="right"), on="left", maintain_order="left")
    moved = both.filter(pl.col("right") != pl.col("instead"))
    return SecondRun(
        n_links=len(links),
        n_without=len(other),
        n_same=len(both) - len(moved),
        n_elsewhere=len(moved),
        expected=float(links["confidence"].sum()),
        expected_without=float(other["confidence"].sum()),
        examples=moved.select("left", "right", "instead").head(8),  # the surest stand first
    )


@dataclass(frozen=True)
class Bin:
    """Links of similar confidence, and how many of them are right."""

    confidence: float
    right: float
    n: int


def reliability(run: Run, truth: LinkTable) -> list[Bin]:
    """Confidence against truth in ten bins, for left entities that the truth names."""
    known = read_link_table(truth, "true link").select("left", true="right").unique("left")
    told = run.links.join(known, on="left").with_columns(
        bin=(pl.col("confidence") * 10).floor().clip(0, 9), right=pl.col("right") == pl.col("true")
    )
    by_bin = told.group_by("bin").agg(pl.col("confidence").mean(), pl.col("right").mean(), pl.len())
    return [Bin(*row[1:]) for row in by_bin.sort("bin").rows()]


def shown_links(run: Run, n: int) -> tuple[list[str], list[str]]:
    """The left entities of the most and of the least certain links."""
    names: Sequence[str] = run.best_links.sort(
        "confidence", "margin", "score", descending=True, maintain_order=True
    )["left"].to_list()
    n = min(n, len(names) // 2)
    return list(names[:n]), list(names[len(names) - n :][::-1])
