"""Whether time is likely to help to align two graphs, from counts alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.graph.facts import Graph
from lighttea.graph.oddities import count_mentions
from lighttea.graph.timeline import UNKNOWN, TimeKind, Timeline, coarser_ticks
from lighttea.types import Ints

_ENOUGH = 0.2  # a share of facts, times or entities that makes a difference


@dataclass(frozen=True)
class SideTime:
    """How far the times of one graph can be compared and tell entities apart, as shares."""

    timed_facts: float
    shared_times: float  # of the mentioned times: those that match a time of the other graph
    told_apart: float  # of the entities with time: those whose set of times is unique


@dataclass(frozen=True)
class TimeUse:
    """How far time can help to align two graphs, and why."""

    left: SideTime
    right: SideTime
    shared_ticks: int
    helps: str  # likely, a little, no
    reason: str


def assess_time(left: Graph, right: Graph) -> TimeUse:
    """Return how far time is likely to help to align two graphs.

    Two times match where they are the same, or where one is the month or the year of the other.
    """
    timeline = Timeline.of(left.instants, right.instants)
    left_ticks = _with_coarser(timeline, timeline.left_tick, timeline.right_tick)
    right_ticks = _with_coarser(timeline, timeline.right_tick, timeline.left_tick)
    shared = np.intersect1d(left_ticks, right_ticks)
    shared = shared[shared != UNKNOWN]
    left_side = _side_time(left, left_ticks, shared)
    right_side = _side_time(right, right_ticks, shared)
    helps, reason = _judge(left_side, right_side)
    return TimeUse(left_side, right_side, len(shared), helps, reason)


def _with_coarser(timeline: Timeline, own: Ints, other: Ints) -> Ints:
    """Return tick, month and year of each instant, (3, n_instants), if the other side has them."""
    return np.concatenate([own[None, :], coarser_ticks(timeline.ticks, other)[:, own]])


def _side_time(graph: Graph, ticks: Ints, shared: Ints) -> SideTime:
    timed = graph.facts.kinds() != TimeKind.UNKNOWN
    mentions, in_both = count_mentions(graph), np.isin(ticks, shared).any(axis=0)
    return SideTime(
        timed_facts=float(timed.sum() / max(len(timed), 1)),
        shared_times=float(mentions[in_both].sum() / max(mentions.sum(), 1)),
        told_apart=_distinct_share(graph, ticks[0]),
    )


def _distinct_share(graph: Graph, tick_of_code: Ints) -> float:
    """Return the share of the entities with ticks whose set of ticks is unique."""
    entity, tick = graph.facts.entity_times(tick_of_code)
    if not len(entity):
        return 0.0
    # a set is recognised by the sum of random numbers, one for each tick
    number = np.random.default_rng(0).integers(0, 2**63, int(tick.max()) + 1, np.uint64)
    first = np.flatnonzero(np.diff(entity, prepend=-1))
    _, count = np.unique(np.add.reduceat(number[tick], first), return_counts=True)
    return float((count == 1).sum() / len(first))


def _judge(left: SideTime, right: SideTime) -> tuple[str, str]:
    """Return whether time helps, and the first shortage that limits it."""
    sides = {"left": left, "right": right}
    for name, side in sides.items():
        if not side.timed_facts:
            return "no", f"the {name} graph has no fact with a known time"
    for name, side in sides.items():
        if not side.shared_times:
            return "no", "the graphs have no time in common"
        if side.shared_times < _ENOUGH:
            share = f"{side.shared_times:.0%}"
            return (
                "a little",
                f"only {share} of the {name} graph's times are also in the other graph",
            )
    for name, side in sides.items():
        if side.timed_facts < _ENOUGH:
            return (
                "a little",
                f"only {side.timed_facts:.0%} of the {name} graph's facts have a time",
            )
        if side.told_apart < _ENOUGH:
            share = f"{side.told_apart:.0%}"
            return (
                "a little",
                f"only {share} of the {name} graph's entities have distinctive times",
            )
    return (
        "likely",
        "enough facts have times that both graphs know, and these times are distinctive",
    )
