"""What facts say of an entity, as tokens that both sides share.

A fact (relation, neighbour, time) of an entity gives a token of each kind: the neighbour, the
neighbour and the relation, and so on, where the neighbour is linked, the relation is matched and
the time is known. What is not known gives no token: it is neutral. Two entities with a rare token
in common are likely one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from lighttea.config import Config
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.graph.pair import Links, Pair
from lighttea.graph.timeline import UNKNOWN, Grain, Instants
from lighttea.kernels import sets
from lighttea.kernels.threads import current_threads
from lighttea.types import Bools, Floats, Ints


@dataclass(frozen=True)
class Kind:
    """Which parts of a fact make a token, and what tokens of this kind weigh."""

    neighbour: bool
    relation: bool
    time: str  # "", or one of TIMES
    weight: float


# a tick; the year it lies in, so that a year matches the days it holds; a year, month or day, or
# the next one, so that near misses count; a year that a fact held in, so that intervals overlap
TIMES = ("tick", "year", "near", "during")
LONGEST = 100  # years of a fact that are looked at
_AT_ONCE = 2  # kinds whose tokens are numbered at the same time: each takes memory of its own

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "neighbour": Kind(True, False, "", 8.0),
        "neighbour, relation": Kind(True, True, "", 8.0),
        "neighbour, tick": Kind(True, False, "tick", 2.0),
        "neighbour, relation, tick": Kind(True, True, "tick", 2.0),
        "neighbour, year": Kind(True, False, "year", 4.0),
        "neighbour, relation, year": Kind(True, True, "year", 4.0),
        "neighbour, near": Kind(True, False, "near", 1.0),
        "neighbour, during": Kind(True, False, "during", 2.0),
        "tick": Kind(False, False, "tick", 2.0),
        "relation, tick": Kind(False, True, "tick", 2.0),
        "relation, year": Kind(False, True, "year", 4.0),
    }
)


@dataclass(frozen=True)
class Tokens:
    """The distinct tokens of each node, in rows, and how much each token weighs.

    A token that few nodes have weighs more: the squared logarithm of nodes over holders.
    """

    start: Ints  # (n_nodes + 1,)
    token: Ints
    weight: Floats  # (n_tokens,)
    length: Floats  # (n_nodes,) root of the summed weights of a node's tokens

    @classmethod
    def of(cls, n_nodes: int, node: Ints, *parts: Ints) -> Tokens:
        """Tokens made of one or more numbers each, as columns beside the nodes that have them.

        The nodes are in rising order.
        """
        key, n_rows = packed(*parts), len(node)
        start, token = np.empty(n_nodes + 1, np.int64), np.empty(n_rows, np.int32)
        holders = np.empty(n_rows, np.int32)
        slots = np.full(1 << (2 * n_rows).bit_length(), -1, np.int32)
        n_listed, n_tokens = sets.number_tokens(
            node, key, start, token, holders, slots, np.empty((2, n_rows), np.int64)
        )
        weight = np.log(n_nodes / holders[:n_tokens]).astype(np.float32) ** 2
        token = token[:n_listed].copy()
        sums = np.concatenate([[0.0], np.cumsum(weight[token], dtype=np.float64)])
        length = np.sqrt(np.maximum(sums[start[1:]] - sums[start[:-1]], 0)).astype(np.float32)
        return cls(start, token, weight, length)

    @property
    def n_tokens(self) -> int:
        """Distinct tokens."""
        return len(self.weight)


def packed(*parts: Ints) -> Ints:
    """One number for each row of the columns, the same only for the same row."""
    key = parts[0].astype(np.int64)
    for part in parts[1:]:
        width = int(part.max(initial=0)).bit_length()
        if int(key.max(initial=0)).bit_length() + width > 63:
            key = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
        key = (key << width) | part
    return key


def used_kinds(config: Config, *, has_time: bool) -> dict[str, Kind]:
    """The kinds that the switches leave on, and the data can have."""
    return {
        name: kind
        for name, kind in KINDS.items()
        if (has_time or not kind.time)
        and (config.relation_evidence or not kind.relation)
        and (config.joint_evidence or not (kind.neighbour and kind.time))
        and (config.time_evidence or kind.neighbour)
    }


def token_sets(pair: Pair, links: Links, config: Config) -> Iterator[tuple[Kind, Tokens]]:
    """The tokens of every kind that is used, one kind at a time."""
    linked = LinkedNodes.of(pair, pair.left_nodes(links.left), pair.right_nodes(links.right))
    kinds = used_kinds(config, has_time=pair.has_time)
    classes: Ints = np.full(pair.n_relations, -1, np.int32)
    if any(kind.relation for kind in kinds.values()):
        classes = match_relations(pair, linked).classes()

    def made(kind: Kind) -> Tokens | None:
        rows = rows_of(pair, kind.time)
        has, parts = token_parts(rows, kind, linked, classes)
        if not has.any():
            return None
        return Tokens.of(pair.n_nodes, rows.head[has], *(part[has] for part in parts))

    with ThreadPoolExecutor(min(current_threads(), _AT_ONCE)) as pool:
        for kind, tokens in zip(kinds.values(), pool.map(made, kinds.values()), strict=True):
            if tokens is not None:
                yield kind, tokens


def token_parts(
    rows: Rows, kind: Kind, linked: LinkedNodes, classes: Ints
) -> tuple[Bools, list[Ints]]:
    """Which facts give a token of this kind, and what the tokens are made of."""
    has: Bools = np.ones(len(rows.head), bool)
    parts: list[Ints] = []
    if kind.neighbour:
        has &= linked.linked[rows.tail]
        parts.append(linked.name[rows.tail])
    if kind.relation:
        relation = classes[rows.relation]
        has &= relation >= 0
        parts.append(relation)
    if kind.time:
        has &= rows.time >= 0
        parts.append(rows.time)
    return has, parts


@dataclass(frozen=True)
class Rows:
    """Facts with one time each, sorted by head; -1 where the time is unknown."""

    head: Ints
    relation: Ints
    tail: Ints
    time: Ints

    def of_head(self, head: int) -> Rows:
        """The rows of one head."""
        here = slice(*np.searchsorted(self.head, [head, head + 1]))
        return Rows(self.head[here], self.relation[here], self.tail[here], self.time[here])


def rows_of(pair: Pair, time: str) -> Rows:
    """The facts as one of `TIMES` sees them; a fact may stand in several rows."""
    if time == "during":
        spans = pair.spans
        place, year = years_through(pair.ticks, spans.begin, spans.end)
        return Rows(spans.head[place], spans.relation[place], spans.tail[place], year)
    place, seen = times_of(pair.ticks, pair.tick, time)
    return Rows(pair.head[place], pair.relation[place], pair.tail[place], seen)


def times_of(ticks: Instants, tick: Ints, time: str) -> tuple[Ints, Ints]:
    """Places in a list of ticks, and what one of `TIMES` but "during" sees there."""
    place = np.arange(len(tick))
    unknown = tick == UNKNOWN
    if time == "year":
        return place, np.where(unknown, UNKNOWN, (years_of(ticks) - first_year(ticks))[tick])
    if time == "near":
        first = np.where(unknown, UNKNOWN, units_of(ticks)[tick])
        both = np.stack([first, np.where(unknown, UNKNOWN, first + 1)])
        return np.repeat(place, 2), both.T.reshape(-1)
    return place, tick


def years_through(ticks: Instants, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Places in lists of begins and ends, one for each year between them, and the year."""
    year = years_of(ticks) - first_year(ticks)
    count = np.clip(year[end] - year[begin] + 1, 1, LONGEST)
    place = np.repeat(np.arange(len(begin)), count)
    later = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
    return place, (year[begin[place]] + later).astype(np.int32)


def first_year(ticks: Instants) -> int:
    """The year that years are counted from, at most 1970, as years after 1970."""
    return int(years_of(ticks).min(initial=0))


def units_of(ticks: Instants) -> Ints:
    """Years, months or days counted through, by how exactly each tick is known; none overlap."""
    if not len(ticks):
        return np.zeros(1, np.int64)
    date = ticks.second.astype("datetime64[s]")
    found = np.zeros(len(ticks), np.int64)
    for grain, unit in ((Grain.YEAR, "Y"), (Grain.MONTH, "M"), (Grain.DAY, "D")):
        here = (ticks.grain == grain) | ((grain == Grain.DAY) & (ticks.grain > grain))
        number = date[here].astype(f"datetime64[{unit}]").astype(np.int64)
        found[here] = number - number.min(initial=0) + found.max(initial=0) + 2
    return found


def years_of(ticks: Instants) -> Ints:
    """The year that each tick lies in; one that stands for unknown where there is no tick."""
    if not len(ticks):
        return np.zeros(1, np.int32)
    return ticks.second.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int32)
