"""What facts say of an entity, as tokens that both sides share.

A fact (relation, neighbour, time) of an entity gives a token of each kind: the neighbour, the
neighbour and the relation, and so on, where the neighbour is linked, the relation is matched and
the time is known. What is not known gives no token: it is neutral. Two entities with a rare token
in common are likely one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from lighttea.config import Config
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.graph.pair import Pair, SeedLinks, sorted_distinct
from lighttea.graph.timeline import UNKNOWN, Instants
from lighttea.types import Bools, Floats, Ints


@dataclass(frozen=True)
class Kind:
    """Which parts of a fact make a token, and what tokens of this kind weigh."""

    neighbour: bool
    relation: bool
    time: str  # "", "tick" or "year"
    weight: float


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "neighbour": Kind(True, False, "", 8.0),
        "neighbour, relation": Kind(True, True, "", 8.0),
        "neighbour, tick": Kind(True, False, "tick", 2.0),
        "neighbour, relation, tick": Kind(True, True, "tick", 2.0),
        "neighbour, year": Kind(True, False, "year", 4.0),
        "neighbour, relation, year": Kind(True, True, "year", 4.0),
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
        """Tokens made of one or more numbers each, as columns beside the nodes that have them."""
        token = _numbered(*parts)
        node, token = sorted_distinct(node, token)
        start = np.searchsorted(node, np.arange(n_nodes + 1)).astype(np.int64)
        holders = np.bincount(token)
        weight = np.log(n_nodes / np.maximum(holders, 1)).astype(np.float32) ** 2
        sums = np.bincount(node, weight[token], minlength=n_nodes)
        return cls(start, token, weight, np.sqrt(sums).astype(np.float32))

    @property
    def n_tokens(self) -> int:
        """Distinct tokens."""
        return len(self.weight)


def _numbered(*parts: Ints) -> Ints:
    """One number for each distinct row of the columns."""
    order = np.lexsort(parts)
    new = np.zeros(len(order), bool)
    for part in parts:
        new[1:] |= part[order][1:] != part[order][:-1]
    number = np.empty(len(order), np.int32)
    number[order] = np.cumsum(new)
    return number


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


def token_sets(pair: Pair, links: SeedLinks, config: Config) -> Iterator[tuple[Kind, Tokens]]:
    """The tokens of every kind that is used, one kind at a time."""
    linked = LinkedNodes.of(pair, pair.left_nodes(links.left), pair.right_nodes(links.right))
    kinds = used_kinds(config, has_time=pair.has_time)
    classes: Ints = np.full(pair.n_relations, -1, np.int32)
    if any(kind.relation for kind in kinds.values()):
        classes = match_relations(pair, linked).classes()
    relation, year = classes[pair.relation], years_of(pair.ticks)
    times = {"tick": pair.tick, "year": np.where(pair.tick == UNKNOWN, UNKNOWN, year[pair.tick])}
    for kind in kinds.values():
        has: Bools = np.ones(len(pair.head), bool)
        parts = []
        if kind.neighbour:
            has &= linked.linked[pair.tail]
            parts.append(linked.name[pair.tail])
        if kind.relation:
            has &= relation >= 0
            parts.append(relation)
        if kind.time:
            has &= pair.tick != UNKNOWN
            parts.append(times[kind.time])
        if has.any():
            yield kind, Tokens.of(pair.n_nodes, pair.head[has], *(part[has] for part in parts))


def years_of(ticks: Instants) -> Ints:
    """The year that each tick lies in; one that stands for unknown where there is no tick."""
    if not len(ticks):
        return np.zeros(1, np.int32)
    return ticks.second.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int32)
