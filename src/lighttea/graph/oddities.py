"""Times that are probably not what they say: placeholders, years as 1 January, days as midnight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.graph.facts import Graph
from lighttea.graph.timeline import UNKNOWN, Grain
from lighttea.types import Bools, Ints

_PLACEHOLDERS = ("0001-01-01", "1899-12-30", "1900-01-01", "1970-01-01", "9999-12-31")
_FUTURE = np.datetime64("2101-01-01", "s").astype(np.int64)
_DAY = 86_400
_SHOWN = 3


@dataclass(frozen=True)
class OddTimes:
    """Times of one odd kind: number of mentions, and the most frequent as (second, grain)."""

    what: str
    count: int
    examples: tuple[tuple[int, int], ...]


def find_odd_times(graph: Graph) -> tuple[OddTimes, ...]:
    """Return the kinds of odd times that a graph has."""
    mentions = count_mentions(graph)
    if not mentions.sum():
        return ()
    second, grain = graph.instants.second, graph.instants.grain
    day = second.astype("datetime64[s]").astype("datetime64[D]")
    exact = grain >= Grain.DAY
    clocked = grain == Grain.SECOND
    new_year = exact & (day == day.astype("datetime64[Y]").astype("datetime64[D]"))
    midnight = clocked & (second % _DAY == 0)
    checks = [
        ("dates that often mean unknown", _placeholders(day, exact, mentions)),
        (
            "more days on 1 January than by chance: probably years",
            new_year & _are_frequent(new_year, exact, mentions, 0.1),
        ),
        (
            "most times are at midnight: probably days",
            midnight & _are_frequent(midnight, clocked, mentions, 0.9),
        ),
        ("times after the year 2100", second >= _FUTURE),
    ]
    return tuple(
        _describe(graph, description, marked, mentions)
        for description, marked in checks
        if marked.any()
    )


def count_mentions(graph: Graph) -> Ints:
    """Return how often facts mention each instant, (n_instants,); a point in time counts once."""
    facts = graph.facts
    ends = np.where(facts.end == facts.begin, UNKNOWN, facts.end)
    codes = np.concatenate([facts.begin, ends])
    return np.bincount(codes[codes != UNKNOWN], minlength=len(graph.instants))


def _are_frequent(marked: Bools, among: Bools, mentions: Ints, share: float) -> bool:
    """Whether `marked` times have ten mentions, and this share of the mentions of `among`."""
    count = int(mentions[marked].sum())
    return count >= 10 and count >= share * int(mentions[among].sum())


def _placeholders(day: np.ndarray, exact: Bools, mentions: Ints) -> Bools:
    """Mark well-known placeholders that are mentioned ten times as often as other days are."""
    marked = exact & np.isin(day, np.array(_PLACEHOLDERS, "datetime64[D]"))
    usual = np.median(mentions[exact & ~marked]) if (exact & ~marked).any() else 0.0
    is_frequent: Bools = mentions >= max(10 * usual, 3)
    return marked & is_frequent


def _describe(graph: Graph, description: str, marked: Bools, mentions: Ints) -> OddTimes:
    places = np.flatnonzero(marked)
    common = places[np.argsort(-mentions[places], kind="stable")][:_SHOWN]
    instants = graph.instants
    examples = tuple((int(instants.second[i]), int(instants.grain[i])) for i in common)
    return OddTimes(description, int(mentions[marked].sum()), examples)
