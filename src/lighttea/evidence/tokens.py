"""What facts say of an entity, as tokens that both sides share.

A fact (relation, neighbour, time) of an entity gives a token of each kind: the neighbour, the
neighbour and the relation, and so on, where the neighbour is linked, the relation is matched and
the time is known. What is not known gives no token: it is neutral. Two entities with a rare token
in common are likely one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Generic

import numpy as np

from lighttea.config import Config
from lighttea.engines.keys import pack_columns
from lighttea.engines.ops import Ops
from lighttea.engines.tables import TokenColumns, TokenLists
from lighttea.evidence.facts import FactColumns, TimedFacts
from lighttea.evidence.relations import LinkedNodes, relation_classes
from lighttea.graph.pair import Links
from lighttea.types import A, Ints


@dataclass(frozen=True)
class TokenKind:
    """Which parts of a fact make a token, and what tokens of this kind weigh."""

    neighbour: bool
    relation: bool
    time: str  # "", or one of `facts.TIMES`
    weight: float


KINDS: Mapping[str, TokenKind] = MappingProxyType(
    {
        "neighbour": TokenKind(True, False, "", 8.0),
        "neighbour, relation": TokenKind(True, True, "", 8.0),
        "neighbour, tick": TokenKind(True, False, "tick", 2.0),
        "neighbour, relation, tick": TokenKind(True, True, "tick", 2.0),
        "neighbour, year": TokenKind(True, False, "year", 4.0),
        "neighbour, relation, year": TokenKind(True, True, "year", 4.0),
        "neighbour, near": TokenKind(True, False, "near", 1.0),
        "neighbour, during": TokenKind(True, False, "during", 2.0),
        "tick": TokenKind(False, False, "tick", 2.0),
        "relation, tick": TokenKind(False, True, "tick", 2.0),
        "relation, year": TokenKind(False, True, "year", 4.0),
    }
)


def used_kinds(config: Config, *, has_time: bool) -> dict[str, TokenKind]:
    """Return the kinds that the settings leave on, and the data can have."""
    return {
        name: kind
        for name, kind in KINDS.items()
        if (has_time or not kind.time)
        and (config.relation_evidence or not kind.relation)
        and (config.joint_evidence or not (kind.neighbour and kind.time))
        and (config.time_evidence or kind.neighbour)
    }


def make_tokens(ops: Ops[A], n_nodes: int, node: A, *parts: A, n_decoys: int = 0) -> TokenLists[A]:
    """Return tokens made of one or more numbers each, beside the nodes that have them.

    The nodes are in rising order. A token that few entities have weighs more: the squared logarithm
    of entities over holders. Decoys, the last nodes, have tokens but are no holders: they change no
    weight.
    """
    return weigh_tokens(ops, n_nodes, node, pack_columns(ops, *parts), n_decoys)


def weigh_tokens(ops: Ops[A], n_nodes: int, node: A, key: A, n_decoys: int) -> TokenLists[A]:
    """Return tokens of one number each, weighed by how few entities have them."""
    n_entities = n_nodes - n_decoys
    start, token, holders = ops.number_tokens(n_nodes, node, key)
    if n_decoys:
        of_decoys = token[int(start[n_entities]) :]
        holders = ops.clip(holders - ops.bincount(of_decoys, len(holders)), 1, n_entities)
    rarity = ops.astype(ops.log(n_entities / ops.astype(holders, "float64")), "float32")
    weight = rarity * rarity
    return TokenLists(start, token, weight, ops.list_lengths(start, token, weight))


def weigh_repeated(ops: Ops[A], tokens: TokenLists[A], n_first: int) -> TokenLists[A]:
    """Return the tokens; one that a single one of the first nodes has weighs nothing."""
    of_first = tokens.token[: int(tokens.start[n_first])]
    is_repeated = ops.bincount(of_first, tokens.n_tokens) > 1
    weight = ops.where(is_repeated, tokens.weight, tokens.weight * 0)
    length = ops.list_lengths(tokens.start, tokens.token, weight)
    return replace(tokens, weight=weight, length=length)


@dataclass(frozen=True)
class KeptTokens(Generic[A]):
    """Tokens without neighbour: the same from pass to pass while the same relations match."""

    _kept: dict[TokenKind, tuple[Ints, TokenLists[A] | None]] = field(default_factory=dict)

    def look_up(
        self, kind: TokenKind, classes: Ints, make: Callable[[], TokenLists[A] | None]
    ) -> TokenLists[A] | None:
        """Return the tokens of a kind: those of the pass before where they would be the same."""
        if kind.neighbour:
            return make()
        used = classes if kind.relation else classes[:0]
        if kind not in self._kept or not np.array_equal(self._kept[kind][0], used):
            self._kept[kind] = used, make()
        return self._kept[kind][1]


def fact_tokens(
    ops: Ops[A],
    facts: TimedFacts[A],
    links: Links,
    config: Config,
    kept: KeptTokens[A] | None = None,
) -> Iterator[tuple[TokenKind, TokenLists[A]]]:
    """Yield the tokens of every kind that is used and has any.

    With `kept`, tokens that nodes of one side alone have are left out, and what is kept of a pass
    before is not made again.
    """
    pair = facts.pair
    linked = LinkedNodes.of(ops, pair, links)
    kinds = list(used_kinds(config, has_time=pair.has_time).values())
    classes: Ints = np.full(pair.n_relations, -1, np.int32)
    if any(kind.relation for kind in kinds):
        classes = relation_classes(ops, facts, links)
    names, held_classes = linked.known_names(ops), ops.asarray(classes, "int64")

    def of_kind(kind: TokenKind) -> TokenLists[A] | None:
        if kept is None:
            return make(kind)
        return kept.look_up(kind, classes, lambda: make_shared(kind))

    def make_shared(kind: TokenKind) -> TokenLists[A] | None:
        tokens = make(kind)
        return None if tokens is None else ops.keep_shared(tokens, pair.n_left)

    def make(kind: TokenKind) -> TokenLists[A] | None:
        rows = facts.rows(kind.time)
        node, key = ops.token_keys(token_columns(rows, kind, names, held_classes))
        return weigh_tokens(ops, pair.n_nodes, node, key, pair.n_decoys) if len(node) else None

    for kind, tokens in zip(kinds, _in_threads(of_kind, kinds, ops.n_tasks), strict=True):
        if tokens is not None:
            yield kind, tokens


def _in_threads(
    function: Callable[[TokenKind], TokenLists[A] | None],
    kinds: Sequence[TokenKind],
    n_threads: int,
) -> Iterator[TokenLists[A] | None]:
    """Yield a function of each kind, several at a time: each takes memory of its own."""
    if n_threads < 2:
        yield from map(function, kinds)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(function, kinds)


def token_columns(rows: FactColumns[A], kind: TokenKind, names: A, classes: A) -> TokenColumns[A]:
    """Return what the tokens of this kind are made of.

    A fact of an entity with itself, such as its birth, has no neighbour: its link would speak for
    itself.
    """
    return TokenColumns(
        rows.head,
        neighbour=rows.tail if kind.neighbour else None,
        name=names if kind.neighbour else None,
        relation=rows.relation if kind.relation else None,
        relation_class=classes if kind.relation else None,
        time=rows.time if kind.time else None,
    )
