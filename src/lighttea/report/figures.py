"""The figures of a report, computed from the tables of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from lighttea.explain.timeless import timeless_scores
from lighttea.inputs.links import LinkTable, read_link_table
from lighttea.results.run import Run

BANDS = ((0.9, 1.01), (0.5, 0.9), (0.1, 0.5), (0.0, 0.1))
TIME_TERMS = ("time", "temporal")
_NORMAL = 1.96  # of an interval that holds 95 %
_MANY_YEARS = 120  # more are shown in groups


@dataclass(frozen=True)
class Band:
    """The number of links with a confidence in a range."""

    name: str
    count: int
    n_wrong: float  # expected, by their confidence


def count_by_band(confidence: pl.Series) -> list[Band]:
    """Return the number of links in each range of confidence."""
    bands = []
    for low, high in BANDS:
        value = confidence.filter((confidence >= low) & (confidence < high)).to_numpy()
        name = f"{low:.1f} to {min(high, 1):.1f}"
        bands.append(Band(name, len(value), float((1 - value).sum())))
    return bands


@dataclass(frozen=True)
class Unlinked:
    """Counts of entities that are neither in a seed nor in a link."""

    claimed: int  # left: the best candidate is linked to another entity
    unsure: int  # left: the best candidate is not likely enough; probably dangling
    unreached: int  # left: without candidates
    right: int


def count_unlinked(run: Run) -> Unlinked:
    """Return the numbers of unlinked entities, left ones by reason."""
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


def count_facts_by_year(run: Run) -> list[tuple[str, int, int]]:
    """Return side, year and number of facts that begin or end in the year."""
    counts = []
    for side, facts in (("left", run.facts_left), ("right", run.facts_right)):
        years = pl.concat([facts["begin"], facts["end"].filter(facts["end"] != facts["begin"])])
        by_year = years.drop_nulls().str.extract(r"^(-?\d+)").cast(pl.Int64).value_counts(name="n")
        counts += [(side, int(year), int(n)) for year, n in by_year.rows()]
    return _group_years(counts)


def _group_years(counts: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Return the counts by year, or by groups of years where there are very many."""
    years = [year for _, year, _ in counts]
    if not years:
        return []
    width = max(1, -(-(max(years) - min(years) + 1) // _MANY_YEARS))
    sums: dict[tuple[str, int], int] = {}
    for side, year, n in counts:
        key = side, year - year % width
        sums[key] = sums.get(key, 0) + n
    return sorted((side, year, n) for (side, year), n in sums.items())


def count_time_kinds(facts: pl.DataFrame) -> dict[str, int]:
    """Return the number of facts by the kind of their time."""
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
    """The change of links if the kept candidates were scored without time."""

    n_links: int
    n_changed: int  # links whose right entity would not be the best candidate any more
    examples: pl.DataFrame  # left, right, instead

    @property
    def share(self) -> float:
        """The share of the links that would change."""
        return self.n_changed / self.n_links if self.n_links else 0.0


def estimate_time_effect(run: Run) -> TimeEffect | None:
    """Return how links would change without time; None where time has no part in the run.

    An estimate: candidates, labels and links are still those of the run with time.
    """
    terms = [name for name in TIME_TERMS if name in run.candidates.columns]
    if not terms or run.links.is_empty() or not any((run.candidates[n] != 0).any() for n in terms):
        return None
    scores = run.candidates.select(
        "left", "right", "score", without=pl.Series(timeless_scores(run.explainer.source))
    ).join(run.best_links.select("left", linked="right"), on="left")
    best = scores.group_by("left", maintain_order=True).agg(
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
    """The links of a run compared with those of a second run without time."""

    n_links: int
    n_without: int
    n_same: int
    n_elsewhere: int  # links whose left entity has another partner without time
    expected: float  # links that are right, by their own confidence
    expected_without: float
    examples: pl.DataFrame  # left, right, instead

    @property
    def n_lost(self) -> int:
        """The number of left entities that have a link only with time."""
        return self.n_links - self.n_same - self.n_elsewhere


def compare_second_run(run: Run) -> SecondRun | None:
    """Return the comparison with a second run without time; None where there is none."""
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
        examples=moved.select("left", "right", "instead").head(8),  # sorted by confidence
    )


@dataclass(frozen=True)
class TimeFigures:
    """What time does for a run: an estimate, and a second run without time where one was made."""

    effect: TimeEffect | None
    second: SecondRun | None

    @classmethod
    def of(cls, run: Run) -> TimeFigures:
        """Return both, each None where it is not known."""
        return cls(estimate_time_effect(run), compare_second_run(run))


@dataclass(frozen=True)
class Bin:
    """Links of similar confidence, and the share of them that is right."""

    confidence: float
    right: float
    n: int
    low: float  # of the interval that holds the true share with 95 %
    high: float

    @classmethod
    def of(cls, confidence: float, right: float, n: int) -> Bin:
        """Return a bin with Wilson's interval of its share."""
        spread = _NORMAL**2 / n
        middle, wide = (right + spread / 2), right * (1 - right) / n + spread / (4 * n)
        low, high = ((middle + sign * _NORMAL * math.sqrt(wide)) / (1 + spread) for sign in (-1, 1))
        return cls(confidence, right, n, max(0.0, low), min(1.0, high))

    @property
    def words(self) -> str:
        """The bin in words."""
        return f"{self.n:,} links, expected {self.confidence:.1%} right, observed {self.right:.1%}"


def reliability_bins(run: Run, truth: LinkTable) -> list[Bin]:
    """Return confidence and share of right links in ten bins, for left entities of the truth."""
    known = read_link_table(truth, "true link").select("left", true="right").unique("left")
    judged = run.links.join(known, on="left").with_columns(
        bin=(pl.col("confidence") * 10).floor().clip(0, 9), right=pl.col("right") == pl.col("true")
    )
    by_bin = judged.group_by("bin").agg(
        pl.col("confidence").mean(), pl.col("right").mean(), pl.len()
    )
    return [Bin.of(*row[1:]) for row in by_bin.sort("bin").rows()]


def select_links(run: Run, n: int) -> tuple[list[str], list[str]]:
    """Return the left entities of the most and of the least certain links."""
    names: Sequence[str] = run.best_links.sort(
        "confidence", "margin", "score", descending=True, maintain_order=True
    )["left"].to_list()
    n = min(n, len(names) // 2)
    return list(names[:n]), list(names[len(names) - n :][::-1])
