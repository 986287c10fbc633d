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
    """Times of one odd kind: how often facts name them, and some of them as (second, grain)."""

    what: str
    count: int
    examples: tuple[tuple[int, int], ...]


def odd_times(graph: Graph) -> tuple[OddTimes, ...]:
    """What looks odd among the times of a graph."""
    mentions = mentions_of(graph)
    if not mentions.sum():
        return ()
    second, grain = graph.instants.second, graph.instants.grain
    day = second.astype("datetime64[s]").astype("datetime64[D]")
    exact = grain >= Grain.DAY
    clocked = grain == Grain.SECOND
    new_year = exact & (day == day.astype("datetime64[Y]").astype("datetime64[D]"))
    midnight = clocked & (second % _DAY == 0)
    found = [
        ("dates that often stand for unknown", _placeholders(day, exact, mentions)),
        (
            "days on 1 January, more than by chance: perhaps years",
            new_year & _many(new_year, exact, mentions, 0.1),
        ),
        (
            "times at midnight, all or most: perhaps days",
            midnight & _many(midnight, clocked, mentions, 0.9),
        ),
        ("times after the year 2100", second >= _FUTURE),
    ]
    return tuple(_odd(graph, what, marked, mentions) for what, marked in found if marked.any())


def mentions_of(graph: Graph) -> Ints:
    """How often the facts name each instant; a point counts once."""
    facts = graph.facts
    ends = np.where(facts.end == facts.begin, UNKNOWN, facts.end)
    codes = np.concatenate([facts.begin, ends])
    return np.bincount(codes[codes != UNKNOWN], minlength=len(graph.instants))


def _many(marked: Bools, among: Bools, mentions: Ints, share: float) -> bool:
    """Whether at least ten mentions, and this share of those among which they stand, are marked."""
    count = int(mentions[marked].sum())
    return count >= 10 and count >= share * int(mentions[among].sum())


def _placeholders(day: np.ndarray, exact: Bools, mentions: Ints) -> Bools:
    """Well-known stand-ins for unknown that are named ten times as often as days usually are."""
    marked = exact & np.isin(day, np.array(_PLACEHOLDERS, "datetime64[D]"))
    usual = np.median(mentions[exact & ~marked]) if (exact & ~marked).any() else 0.0
    often: Bools = mentions >= max(10 * usual, 3)
    return marked & often


def _odd(graph: Graph, what: str, marked: Bools, mentions: Ints) -> OddTimes:
    places = np.flatnonzero(marked)
    common = places[np.argsort(-mentions[places], kind="stable")][:_SHOWN]
    instants = graph.instants
    examples = tuple((int(instants.second[i]), int(instants.grain[i])) for i in common)
    return OddTimes(what, int(mentions[marked].sum()), examples)
