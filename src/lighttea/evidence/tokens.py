"""What facts say of an entity, as tokens that both sides share.

A fact (relation, neighbour, time) of an entity gives a token of each kind: the neighbour, the
neighbour and the relation, and so on, where the neighbour is linked, the relation is matched and
the time is known. What is not known gives no token: it is neutral. Two entities with a rare token
in common are likely one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType

from lighttea.config import Config
from lighttea.engines.base import Ops, TokenLists
from lighttea.evidence.facts import FactColumns, TimedFacts
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.graph.pair import Links
from lighttea.types import A


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
    n_entities = n_nodes - n_decoys
    start, token, holders = ops.number_tokens(n_nodes, node, pack_columns(ops, *parts))
    if n_decoys:
        of_decoys = token[int(start[n_entities]) :]
        holders = ops.clip(holders - ops.bincount(of_decoys, len(holders)), 1, n_entities)
    rarity = ops.astype(ops.log(n_entities / ops.astype(holders, "float64")), "float32")
    return with_lengths(ops, start, token, rarity * rarity)


def with_lengths(ops: Ops[A], start: A, token: A, weight: A) -> TokenLists[A]:
    """Return the tokens with the length of each node's list: the root of its summed weights."""
    sums = ops.full((len(token) + 1,), 0.0, "float64")
    sums[1:] = ops.cumsum(weight[token])
    squares = ops.clip(sums[start[1:]] - sums[start[:-1]], 0.0, float("inf"))
    return TokenLists(start, token, weight, ops.astype(ops.sqrt(squares), "float32"))


def pack_columns(ops: Ops[A], *parts: A) -> A:
    """Return one number for each row of the columns, the same only for the same row."""
    key = ops.astype(parts[0], "int64")
    for part in parts[1:]:
        width = _largest(part).bit_length()
        if _largest(key).bit_length() + width > 62:
            key = ops.unique_inverse(key)[1]
        key = (key << width) | ops.astype(part, "int64")
    return key


def _largest(column: A) -> int:
    return int(column.max()) if len(column) else 0  # type: ignore[attr-defined]


def fact_tokens(
    ops: Ops[A], facts: TimedFacts[A], links: Links, config: Config
) -> Iterator[tuple[TokenKind, TokenLists[A]]]:
    """Yield the tokens of every kind that is used and has any."""
    pair = facts.pair
    linked = LinkedNodes.of(ops, pair, links)
    kinds = list(used_kinds(config, has_time=pair.has_time).values())
    classes = ops.full((pair.n_relations,), -1, "int64")
    if any(kind.relation for kind in kinds):
        classes = ops.asarray(match_relations(ops, facts, linked).classes(), "int64")

    def of_kind(kind: TokenKind) -> TokenLists[A] | None:
        rows = facts.rows(kind.time)
        is_token, parts = token_parts(rows, kind, linked, classes)
        if not bool(is_token.any()):
            return None
        own = (part[is_token] for part in parts)
        return make_tokens(ops, pair.n_nodes, rows.head[is_token], *own, n_decoys=pair.n_decoys)

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


def token_parts(
    rows: FactColumns[A], kind: TokenKind, linked: LinkedNodes[A], classes: A
) -> tuple[A, Sequence[A]]:
    """Return which facts give a token of this kind, and what the tokens are made of.

    A fact of an entity with itself, such as its birth, has no neighbour: its link would speak for
    itself.
    """
    is_token: A = rows.tail >= 0  # all of them
    parts: list[A] = []
    if kind.neighbour:
        is_token = linked.is_linked[rows.tail] & (rows.tail != rows.head)
        parts.append(linked.name[rows.tail])
    if kind.relation:
        relation = classes[rows.relation]
        is_token = is_token & (relation >= 0)
        parts.append(relation)
    if kind.time:
        is_token = is_token & (rows.time >= 0)
        parts.append(rows.time)
    return is_token, parts
