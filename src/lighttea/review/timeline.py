"""Where things stand in a picture, in percent of its width: both timelines, and the waterfall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from lighttea.explain.explanation import Explanation, Fact
from lighttea.graph.calendar import DAY, civil_from_days, days_from_civil
from lighttea.graph.timeline import Instants, instant_ends
from lighttea.io.times import parse_instant

_NARROWEST = 0.7  # percent; a moment is still seen
_EDGE = 1.5  # percent left free at both ends
_TICKS = 7
_STRIPES = 60
SHOWN_ROWS = 40
MOST_ROWS = 400


@dataclass(frozen=True)
class Bar:
    """A fact on the axis."""

    x: float
    width: float
    open_begin: bool
    open_end: bool


@dataclass(frozen=True)
class Row:
    """A fact, or two that match, with their places on the axis."""

    left: Fact | None
    right: Fact | None
    left_bar: Bar | None
    right_bar: Bar | None
    joined: tuple[float, float] | None  # between the middles of the two bars
    verdict: str
    kind: str  # same, overlaps, differs, unknown, contradicts, alone
    value: float | None


@dataclass(frozen=True)
class Tick:
    """A mark of the axis."""

    x: float
    text: str


@dataclass(frozen=True)
class Stripe:
    """How many facts of either side lie in a part of the axis, as shares of the most."""

    x: float
    left: float
    right: float


@dataclass(frozen=True)
class Timeline:
    """Both entities on one axis."""

    ticks: list[Tick]
    stripes: list[Stripe]
    stripe_width: float
    rows: list[Row]
    n_rows: int  # with those that are not shown

    @property
    def hidden(self) -> int:
        """Rows that are not shown."""
        return self.n_rows - len(self.rows)


def timeline(found: Explanation, *, everything: bool = False) -> Timeline:
    """Matched facts first, most telling first, then what one side alone has."""
    matched = [(one.left, one.right) for one in found.facts]
    alone: list[tuple[Fact | None, Fact | None]] = [
        *((fact, None) for fact in found.only_left),
        *((None, fact) for fact in found.only_right),
    ]
    axis = _Axis.of([fact for pair in [*matched, *alone] for fact in pair if fact is not None])
    rows = [
        _row(axis, one.left, one.right, one.verdict, "contradicts" if one.contradicts else one.time)
        for one in found.facts[:MOST_ROWS]
    ]
    rows = [_valued(row, one.value) for row, one in zip(rows, found.facts, strict=False)]
    shown = MOST_ROWS if everything else SHOWN_ROWS
    rest = _by_time(axis, alone)[: max(0, shown - len(rows))]
    rows += [_row(axis, left, right, _alone(left), "alone") for left, right in rest]
    return Timeline(
        ticks=axis.ticks(),
        stripes=axis.stripes(found),
        stripe_width=100 / _STRIPES,
        rows=rows[:shown],
        n_rows=len(matched) + len(alone),
    )


def _alone(left: Fact | None) -> str:
    return "left alone" if left is not None else "right alone"


def _valued(row: Row, value: float) -> Row:
    return Row(**{**vars(row), "value": value})


def _by_time(
    axis: _Axis, rows: Iterable[tuple[Fact | None, Fact | None]]
) -> list[tuple[Fact | None, Fact | None]]:
    """Facts with a time first, in order of time."""

    def key(row: tuple[Fact | None, Fact | None]) -> tuple[bool, float]:
        bar = axis.bar(row[0] or row[1])
        return bar is None, bar.x if bar else 0.0

    return sorted(rows, key=key)


@dataclass(frozen=True)
class _Axis:
    """From seconds to percent."""

    low: float
    high: float

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> _Axis:
        """Wide enough for all known times."""
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
        """None for a fact without time."""
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
        """Round years, or days where all lies within few."""
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

    def stripes(self, found: Explanation) -> list[Stripe]:
        """Facts of both sides by where they begin."""
        if self.is_empty:
            return []
        lefts = [*(one.left for one in found.facts), *found.only_left]
        rights = [*(one.right for one in found.facts), *found.only_right]
        counts = np.zeros((2, _STRIPES))
        for side, facts in enumerate((lefts, rights)):
            for fact in facts:
                if (bar := self.bar(fact)) is not None:
                    counts[side, min(int(bar.x / 100 * _STRIPES), _STRIPES - 1)] += 1
        most = max(counts.max(), 1)
        return [
            Stripe(round(100 * i / _STRIPES, 3), round(a / most, 3), round(b / most, 3))
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
    """The seconds at which a fact's time begins and is over."""
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
_Part: TypeAlias = tuple[str, Fact | None, float, str]  # words, fact, value, kind


@dataclass(frozen=True)
class Step:
    """A part of the score that stands on those before it."""

    words: str
    fact: Fact | None  # of the left entity
    value: float
    x: float
    width: float
    kind: str  # fact, other or rest


def waterfall(found: Explanation) -> list[Step]:
    """Facts, what else both have in common, and the wider neighbourhood, up to the score."""
    parts: list[_Part] = [("", one.left, one.value, "fact") for one in found.facts]
    for words, value, exact in found.other_parts():
        parts.append((words, None, value, "other" if exact else "rest"))
    parts = sorted((part for part in parts if part[2]), key=lambda one: -abs(one[2]))
    shown, more = parts[:SHOWN_STEPS], parts[SHOWN_STEPS:]
    if more:
        rest = sum(part[2] for part in more)
        shown.append((f"{len(more):,} smaller parts", None, rest, "other"))
    steps, sum_so_far = [], 0.0
    scale = 100 / max(
        found.score, found.runner_up.score if found.runner_up else 0.0, 1e-9, _peak(shown)
    )
    for words, fact, value, kind in shown:
        low = min(sum_so_far, sum_so_far + value)
        steps.append(
            Step(words, fact, value, round(low * scale, 3), round(abs(value) * scale, 3), kind)
        )
        sum_so_far += value
    return steps


def _peak(parts: Sequence[_Part]) -> float:
    """The highest that the sum gets on its way."""
    most = total = 0.0
    for _, _, value, _ in parts:
        total += value
        most = max(most, total)
    return most
