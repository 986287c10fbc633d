"""Whether the clocks of two graphs are shifted against each other, found without known links.

The gaps between the successive times of an entity do not change when a clock is shifted. So a
sequence of gaps that a single entity of each graph has is likely to belong to the same entity, and
the difference of the two begins is a vote for the shift. Votes that come from chance are spread
over all shifts; a common shift gathers them at one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from lighttea.graph.facts import Graph
from lighttea.graph.keys import mix_keys
from lighttea.graph.oddities import count_mentions
from lighttea.graph.timeline import UNKNOWN, Grain, Instants
from lighttea.types import Ints

_N_GAPS = (2, 3, 5, 8, 1)  # lengths of the sequences that are tried
_MOST_WINDOWS = 500_000  # more are thinned out, alike in both graphs
_LEAST_VOTES = 8
_LEAST_SCORE = 8.0  # standard deviations over what chance gives
_CLEAR_SCORE = 100.0  # no other length is tried after one as clear as this
_AROUND = 60  # shifts to both sides that say what chance gives
_MONTH_SLOTS, _YEAR_SLOTS = 31, 12 * 31  # of the axis on which every month has 31 days
_Axis = NDArray[np.int64]


class Verdict(StrEnum):
    """What the votes show."""

    SHIFTED = "shifted"
    AGREE = "agree"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class ClockShift:
    """How far the right clock is ahead of the left one; negative where it is behind."""

    verdict: Verdict
    amount: int
    unit: str  # year, month, day or second
    votes: int  # pairs of entities that agree with the shift
    votes_unshifted: int  # pairs of entities that agree with no shift
    votes_in_all: int


@dataclass(frozen=True)
class _Poll:
    """The votes for each shift on one axis."""

    shift: _Axis
    votes: Ints

    @property
    def best(self) -> int:
        return int(np.argmax(self.votes)) if len(self.votes) else -1

    def of(self, shift: int) -> int:
        """Return the votes for this shift."""
        return int(self.votes[self.shift == shift].sum())

    def score(self) -> float:
        """Return by how many standard deviations the best shift is above its surroundings."""
        if self.best < 0:
            return 0.0
        near = np.abs(self.shift - self.shift[self.best]) <= _AROUND
        others = int(self.votes[near].sum()) - int(self.votes[self.best])
        by_chance = others / (2 * _AROUND)
        return float((self.votes[self.best] - by_chance) / np.sqrt(by_chance + 1))


def find_clock_shift(left: Graph, right: Graph) -> ClockShift:
    """Return the shift that explains the rare time patterns of both graphs best."""
    grain = min(_usual_grain(left), _usual_grain(right))
    unit = grain.name.lower()
    poll, calendar = _best_poll(left, right, grain)
    if poll.best < 0:
        return ClockShift(Verdict.UNCLEAR, 0, unit, 0, 0, 0)
    amount, votes = int(poll.shift[poll.best]), int(poll.votes[poll.best])
    in_all, unshifted = int(poll.votes.sum()), poll.of(0)
    sure = votes >= _LEAST_VOTES and poll.score() >= _LEAST_SCORE
    if not sure or (amount and votes < 2 * unshifted):
        return ClockShift(Verdict.UNCLEAR, 0, unit, votes, unshifted, in_all)
    if calendar and amount:
        by_year = amount % _YEAR_SLOTS == 0
        amount //= _YEAR_SLOTS if by_year else _MONTH_SLOTS
        unit = "year" if by_year else "month"
    verdict = Verdict.SHIFTED if amount else Verdict.AGREE
    return ClockShift(verdict, amount, unit, votes, unshifted, in_all)


def correct_clock(graph: Graph, shift: ClockShift) -> Graph:
    """Return the graph with its times moved back by the shift.

    Times that are coarser than the unit of the shift stay.
    """
    second = graph.instants.second
    if shift.unit in ("year", "month"):
        months = shift.amount * (12 if shift.unit == "year" else 1)
        date = second.astype("datetime64[s]")
        month = date.astype("datetime64[M]")
        moved = (month - months).astype("datetime64[s]") + (date - month.astype("datetime64[s]"))
        moved = moved.astype(np.int64)
    else:
        moved = second - shift.amount * (86_400 if shift.unit == "day" else 1)
    known = graph.instants.grain >= Grain[shift.unit.upper()]
    instants = Instants(np.where(known, moved, second), graph.instants.grain)
    return replace(graph, instants=instants)


def _usual_grain(graph: Graph) -> Grain:
    """Return the grain of most of the times that facts mention."""
    weights = np.bincount(graph.instants.grain, count_mentions(graph), minlength=len(Grain))
    return Grain(int(np.argmax(weights)))


def _best_poll(left: Graph, right: Graph, grain: Grain) -> tuple[_Poll, bool]:
    """Return the clearest poll over axes and lengths, and whether it is on the calendar axis."""
    left_times, right_times = _entity_times(left, grain), _entity_times(right, grain)
    by_unit = _clearest_result(left_times, right_times, _N_GAPS)
    if grain != Grain.DAY or (by_unit.clear and abs(by_unit.shift_of_best) < _MONTH_SLOTS - 3):
        return by_unit.poll, False
    lengths = (by_unit.n_gaps,) if by_unit.clear else _N_GAPS
    by_slot = _clearest_result(_by_slots(*left_times), _by_slots(*right_times), lengths)
    whole_months = by_slot.shift_of_best % _MONTH_SLOTS == 0
    if whole_months and by_slot.score > by_unit.score:
        return by_slot.poll, True
    return by_unit.poll, False


@dataclass(frozen=True)
class _PollResult:
    """A poll, how clear it is, and the length of the sequences that voted."""

    score: float
    poll: _Poll
    n_gaps: int

    @property
    def clear(self) -> bool:
        return self.score > _CLEAR_SCORE

    @property
    def shift_of_best(self) -> int:
        return int(self.poll.shift[self.poll.best]) if self.poll.best >= 0 else 0


def _clearest_result(
    left: tuple[Ints, _Axis], right: tuple[Ints, _Axis], lengths: Sequence[int]
) -> _PollResult:
    """Return the clearest poll over some lengths; none is tried after a very clear one."""
    results = []
    for n_gaps in lengths:
        poll = _take_poll(left, right, n_gaps)
        results.append(_PollResult(poll.score(), poll, n_gaps))
        if results[-1].clear:
            break
    return max(results, key=lambda result: result.score)


def _positions(instants: Instants, grain: Grain) -> _Axis:
    """Return the position of each instant, counted in years, months, days or seconds."""
    unit = {Grain.YEAR: "Y", Grain.MONTH: "M", Grain.DAY: "D", Grain.SECOND: "s"}[grain]
    seconds = instants.second.astype("datetime64[s]")
    positions: _Axis = seconds.astype(f"datetime64[{unit}]").astype(np.int64)
    return positions


def _entity_times(graph: Graph, grain: Grain) -> tuple[Ints, _Axis]:
    """Return the distinct (entity, position) of all facts, sorted; coarser times are left out."""
    places, rank = np.unique(_positions(graph.instants, grain), return_inverse=True)
    rank = np.where(graph.instants.grain >= grain, rank.reshape(-1), UNKNOWN)
    entity, place = graph.facts.entity_times(rank)
    return entity, places[place]


def _by_slots(entity: Ints, days: _Axis) -> tuple[Ints, _Axis]:
    """Return days on an axis where every month has 31, so that years and months have one length."""
    distinct, place = np.unique(days, return_inverse=True)
    day = distinct.astype("datetime64[D]")
    month = day.astype("datetime64[M]")
    day_of_month = (day - month.astype("datetime64[D]")).astype(np.int64)
    slots = month.astype(np.int64) * _MONTH_SLOTS + day_of_month
    return entity, slots[place.reshape(-1)]


def _take_poll(left: tuple[Ints, _Axis], right: tuple[Ints, _Axis], n_gaps: int) -> _Poll:
    """Return the votes of the gap sequences that a single entity has in each graph."""
    left_windows, right_windows = _windows(*left, n_gaps), _windows(*right, n_gaps)
    left_rare, right_rare = _find_unique(left_windows[0]), _find_unique(right_windows[0])
    _, in_left, in_right = np.intersect1d(
        left_windows[0][left_rare],
        right_windows[0][right_rare],
        assume_unique=True,
        return_indices=True,
    )
    left_place, right_place = left_rare[in_left], right_rare[in_right]
    shift = right_windows[2][right_place] - left_windows[2][left_place]
    # one pair of entities has one vote for a shift, however many of its sequences agree
    ballots = np.unique(
        np.stack([shift, left_windows[1][left_place], right_windows[1][right_place]]), axis=1
    )
    return _Poll(*np.unique(ballots[0], return_counts=True))


def _windows(entity: Ints, position: _Axis, n_gaps: int) -> tuple[NDArray[np.uint64], Ints, _Axis]:
    """Return signature, entity and first position of each run of successive times of an entity."""
    n = max(len(entity) - n_gaps, 0)
    start = np.flatnonzero(entity[:n] == entity[n_gaps : n_gaps + n])
    gaps = np.diff(position).astype(np.uint64)
    signature = np.zeros(len(start), np.uint64)
    for step in range(n_gaps):
        signature = mix_keys(signature ^ gaps[start + step])
    halvings = max(len(start) // _MOST_WINDOWS, 1).bit_length() - 1
    if halvings:  # the more often, the fewer of the same ones are kept: alike in both graphs
        kept = signature & np.uint64((1 << halvings) - 1) == 0
        start, signature = start[kept], signature[kept]
    return signature, entity[start], position[start]


def _find_unique(signature: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the places of the signatures that occur once."""
    _, first, count = np.unique(signature, return_index=True, return_counts=True)
    alone: NDArray[np.int64] = first[count == 1]
    return alone
