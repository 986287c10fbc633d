"""Decisions on many pairs at once: what they would do, before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from lighttea.review.queue import Queue
from lighttea.review.selection import Selection
from lighttea.review.standing import ACCEPT, Standing
from lighttea.types import Ints

THRESHOLDS = (0.99, 0.95, 0.9, 0.8, 0.5)
SHOWN = 10  # of the least sure pairs, and of those with an alarm


@dataclass(frozen=True)
class Preview:
    """The pairs that a verdict would decide, and what is left out."""

    verdict: str
    pairs: list[tuple[str, str]]  # surest first
    n_links: int
    n_alarms: int
    expected_wrong: float | None  # None where confidence is not calibrated
    n_before: int  # left out: decided already
    n_taken: int  # left out: the right entity is accepted for another left one, or claimed here
    doubtful: list[dict[str, Any]]  # items, the likeliest mistakes first
    alarmed: list[dict[str, Any]]


@dataclass(frozen=True)
class Threshold:
    """The undecided links of a selection from a confidence on."""

    low: float
    n_links: int
    expected_wrong: float | None
    n_alarms: int


def preview_many(
    queue: Queue,
    numbers: Ints,
    standing: Mapping[str, Standing],
    verdict: str,
    *,
    many_to_one: bool = False,
) -> Preview:
    """Return what a verdict on these items would do; decided ones stay as they are."""
    items = queue.items(numbers).sort("confidence", descending=True, maintain_order=True)
    decided = [name for name, state in standing.items() if not state.is_undecided]
    undecided = items.filter(~pl.col("left").is_in(decided))
    free = undecided
    if verdict == ACCEPT and not many_to_one:
        held = [state.must for state in standing.values() if state.must is not None]
        free = undecided.filter(~pl.col("right").is_in(held))
        free = free.unique("right", keep="first", maintain_order=True)
    alarmed = free.filter(pl.col("alarms") > 0)
    likely_wrong = free.reverse() if verdict == ACCEPT else free
    return Preview(
        verdict=verdict,
        pairs=free.select("left", "right").rows(),
        n_links=int(free["is_link"].sum()),
        n_alarms=len(alarmed),
        expected_wrong=_expected_wrong(queue, free, verdict),
        n_before=len(items) - len(undecided),
        n_taken=len(undecided) - len(free),
        doubtful=likely_wrong.head(SHOWN).rows(named=True),
        alarmed=alarmed.reverse().head(SHOWN).rows(named=True),
    )


def list_thresholds(
    queue: Queue, selection: Selection, standing: Mapping[str, Standing]
) -> list[Threshold]:
    """Return how many undecided links of a selection lie above each threshold."""
    rows = []
    for low in THRESHOLDS:
        numbers = queue.select(threshold_selection(selection, low), standing)
        items = queue.items(numbers)
        n_alarms = int((items["alarms"] > 0).sum())
        rows.append(Threshold(low, len(items), _expected_wrong(queue, items, ACCEPT), n_alarms))
    return rows


def threshold_selection(selection: Selection, low: float | None) -> Selection:
    """Return the undecided links of a selection from a confidence on."""
    return replace(selection, kind="links", state="open", low=low, high=None)


def _expected_wrong(queue: Queue, items: pl.DataFrame, verdict: str) -> float | None:
    """Return the expected number of mistakes; None where confidence is not calibrated."""
    if not queue.is_calibrated:
        return None
    right = float(items["confidence"].cast(pl.Float64).sum())
    return len(items) - right if verdict == ACCEPT else right
