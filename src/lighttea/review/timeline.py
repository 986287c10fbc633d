"""Positions of the timelines and the waterfall of a pair, in percent of the width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TypeAlias

import numpy as np

from lighttea.explain.explanation import Explanation
from lighttea.explain.statements import Fact, MatchedLiteral
from lighttea.graph.calendar import DAY, civil_from_days, days_from_civil
from lighttea.graph.timeline import Instants, instant_ends
from lighttea.io.times import parse_instant

_NARROWEST = 0.7  # percent, so that a moment is visible
_EDGE = 1.5  # percent left free at both ends
_TICKS = 7
_STRIPES = 60
SHOWN_ROWS = 40
MOST_ROWS = 400


@dataclass(frozen=True)
class Bar:
    """The bar of a fact on the time axis."""

    x: float
    width: float
    open_begin: bool
    open_end: bool


@dataclass(frozen=True)
class Row:
    """A fact, or two that match, with their bars."""

    left: Fact | None
    right: Fact | None
    left_bar: Bar | None
    right_bar: Bar | None
    joined: tuple[float, float] | None  # the middles of the two bars
    verdict: str
    kind: str  # same, overlaps, differs, unknown, contradicts, alone
    value: float | None


@dataclass(frozen=True)
class Tick:
    """A tick mark of the axis."""

    x: float
    text: str


@dataclass(frozen=True)
class Stripe:
    """Number of facts of each side in a part of the axis, relative to the largest."""

    x: float
    left: float
    right: float


@dataclass(frozen=True)
class Timeline:
    """The facts of both entities on one time axis."""

    ticks: list[Tick]
    stripes: list[Stripe]
    stripe_width: float
    rows: list[Row]
    n_rows: int  # including hidden ones

    @property
    def hidden(self) -> int:
        """The number of rows that are not shown."""
        return self.n_rows - len(self.rows)


def make_timeline(explanation: Explanation, *, all_rows: bool = False) -> Timeline:
    """Return the timeline of a pair: matched facts by contribution, then unmatched ones by time."""
    matched = [(match.left, match.right) for match in explanation.facts]
    unmatched: list[tuple[Fact | None, Fact | None]] = [
        *((fact, None) for fact in explanation.only_left),
        *((None, fact) for fact in explanation.only_right),
    ]
    axis = _Axis.of([fact for pair in [*matched, *unmatched] for fact in pair if fact is not None])
    rows = [
        _row(
            axis,
            match.left,
            match.right,
            match.verdict,
            "contradicts" if match.contradicts else match.time,
        )
        for match in explanation.facts[:MOST_ROWS]
    ]
    rows = [
        _with_value(row, match.value) for row, match in zip(rows, explanation.facts, strict=False)
    ]
    shown = MOST_ROWS if all_rows else SHOWN_ROWS
    unmatched_rows = _by_time(axis, unmatched)[: max(0, shown - len(rows))]
    rows += [
        _row(axis, left, right, _unmatched_verdict(explanation, left), "alone")
        for left, right in unmatched_rows
    ]
    return Timeline(
        ticks=axis.ticks(),
        stripes=axis.stripes(explanation),
        stripe_width=100 / _STRIPES,
        rows=rows[:shown],
        n_rows=len(matched) + len(unmatched),
    )


def _unmatched_verdict(explanation: Explanation, left: Fact | None) -> str:
    graph = explanation.right_graph if left is None else explanation.left_graph
    return f"only in {graph}"


def _with_value(row: Row, value: float) -> Row:
    return Row(**{**vars(row), "value": value})


def _by_time(
    axis: _Axis, rows: Iterable[tuple[Fact | None, Fact | None]]
) -> list[tuple[Fact | None, Fact | None]]:
    """Return rows in order of time; those without time last."""

    def key(row: tuple[Fact | None, Fact | None]) -> tuple[bool, float]:
        bar = axis.bar(row[0] or row[1])
        return bar is None, bar.x if bar else 0.0

    return sorted(rows, key=key)


@dataclass(frozen=True)
class _Axis:
    """Maps seconds to percent of the width."""

    low: float
    high: float

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> _Axis:
        """Return an axis that covers all known times."""
        known = [end for fact in facts for end in _ends(fact) if end is not None]
        if not known:
            return cls(0.0, 0.0)
        low, high = float(min(known)), float(max(known))
        return cls(low, high if high > low else low + DAY)

    @property
    def is_empty(self) -> bool:
        return self.high <= self.low

    def place(self, second: float) -> float:
        share = (second - self.low) / (self.high - self.low)
        return round(_EDGE + share * (100 - 2 * _EDGE), 3)

    def bar(self, fact: Fact | None) -> Bar | None:
        """Return the bar of a fact; None for a fact without time."""
        if fact is None or self.is_empty:
            return None
        begin, end = _ends(fact)
        if begin is None and end is None:
            return None
        x = 0.0 if begin is None else self.place(begin)
        until = 100.0 if end is None else self.place(end)
        width = max(until - x, _NARROWEST)
        return Bar(x, round(width, 3), begin is None, end is None)

    def ticks(self) -> list[Tick]:
        """Return marks at round years, or at days where the axis is short."""
        if self.is_empty:
            return []
        first, last = (civil_from_days(int(s) // DAY)[0] for s in (self.low, self.high))
        if last - first < 2:
            step = (self.high - self.low) / (_TICKS - 1)
            seconds = [self.low + i * step for i in range(_TICKS)]
            return [Tick(self.place(s), _day(s)) for s in seconds]
        step_years = _round_step((last - first) / _TICKS)
        years = range(first - first % -step_years, last + 1, step_years)
        places = [(year, self.place(days_from_civil(year, 1, 1) * DAY)) for year in years]
        return [Tick(x, str(year)) for year, x in places if 0 <= x <= 98]

    def stripes(self, explanation: Explanation) -> list[Stripe]:
        """Return the numbers of facts of both sides by where they begin."""
        if self.is_empty:
            return []
        lefts = [*(match.left for match in explanation.facts), *explanation.only_left]
        rights = [*(match.right for match in explanation.facts), *explanation.only_right]
        counts = np.zeros((2, _STRIPES))
        for side, facts in enumerate((lefts, rights)):
            for fact in facts:
                if (bar := self.bar(fact)) is not None:
                    counts[side, min(int(bar.x / 100 * _STRIPES), _STRIPES - 1)] += 1
        largest = max(counts.max(), 1)
        return [
            Stripe(round(100 * i / _STRIPES, 3), round(a / largest, 3), round(b / largest, 3))
            for i, (a, b) in enumerate(counts.T.tolist())
            if a or b
        ]


def _round_step(years: float) -> int:
    for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000):
        if step >= years:
            return step
    return max(1, int(round(years, -3)))


def _day(second: float) -> str:
    year, month, day = civil_from_days(int(second) // DAY)
    return f"{year:04d}-{month:02d}-{day:02d}"


def _row(axis: _Axis, left: Fact | None, right: Fact | None, verdict: str, kind: str) -> Row:
    bars = axis.bar(left), axis.bar(right)
    joined = None
    if bars[0] is not None and bars[1] is not None:
        middles = [round(bar.x + bar.width / 2, 3) for bar in bars if bar is not None]
        joined = (middles[0], middles[1])
    return Row(left, right, bars[0], bars[1], joined, verdict, kind, None)


def _ends(fact: Fact) -> tuple[int | None, int | None]:
    """Return the seconds at which a fact's time begins and ends."""
    begin = None if fact.begin is None else _span(fact.begin)[0]
    end = None if fact.end is None else _span(fact.end)[1]
    return begin, end


@lru_cache(maxsize=65536)
def _span(text: str) -> tuple[int, int]:
    second, grain = parse_instant(text)
    instant = Instants(np.array([second]), np.array([grain], np.uint8))
    return second, int(instant_ends(instant)[0])


# --------------------------------------------------------------------------------- waterfall

SHOWN_STEPS = 8
_Source: TypeAlias = Fact | MatchedLiteral | None
_Part: TypeAlias = tuple[str, _Source, float, str]  # words, what is behind it, value, kind


@dataclass(frozen=True)
class Step:
    """A part of the score, drawn on top of the parts before it."""

    words: str
    source: _Source  # a fact of the left entity, or two literals
    value: float
    x: float
    width: float
    kind: str  # fact, literal, other or rest


def make_waterfall(explanation: Explanation) -> list[Step]:
    """Return the steps of a waterfall: facts, literals, other parts, the wider neighbourhood."""
    parts: list[_Part] = [("", match.left, match.value, "fact") for match in explanation.facts]
    parts += [("", match, match.value, "literal") for match in explanation.literals]
    for words, value, exact in explanation.other_parts():
        parts.append((words, None, value, "other" if exact else "rest"))
    parts = sorted((part for part in parts if part[2]), key=lambda match: -abs(match[2]))
    shown, smaller = parts[:SHOWN_STEPS], parts[SHOWN_STEPS:]
    if smaller:
        remainder = sum(part[2] for part in smaller)
        shown.append((f"{len(smaller):,} smaller parts", None, remainder, "other"))
    sums = [0.0, *accumulate(value for _, _, value, _ in shown)]
    scores = [own.score for own in (explanation, explanation.runner_up) if own is not None]
    lowest = min(sums)
    scale = 100 / max(max(*sums, *scores) - lowest, 1e-9)
    return [
        Step(
            *(words, source, value),
            x=round((min(before, after) - lowest) * scale, 3),
            width=round(abs(value) * scale, 3),
            kind=kind,
        )
        for (words, source, value, kind), (before, after) in zip(shown, pairwise(sums), strict=True)
    ]
