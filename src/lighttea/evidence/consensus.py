"""What the links so far say of each candidate, and which candidates they suggest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.config import Config
from lighttea.evidence.tokens import Kind, Tokens, token_sets
from lighttea.graph.pair import Links, Pair
from lighttea.kernels import sets
from lighttea.kernels.threads import current_threads
from lighttea.types import Bools, Floats, Ints, LeftIds, RightIds

NONE = -1
MOST_HOLDERS = 500  # a token that more entities of one side have suggests nobody


class Evidence:
    """The tokens that the links so far give, kind by kind."""

    def __init__(
        self,
        pair: Pair,
        links: Links,
        config: Config,
        more: Sequence[tuple[Kind, Tokens]] = (),
    ) -> None:
        """`more` tokens do not depend on the links: names, shapes."""
        self._pair = pair
        self._sets: list[tuple[Kind, Tokens]] = [*token_sets(pair, links, config), *more]

    def consensus(self, left: LeftIds, right: RightIds, index: Ints) -> Floats:
        """(n, k), 0 to 1: the weighted mean over kinds of the cosine of two entities' tokens."""
        out = np.zeros(index.shape, np.float32)
        total = sum(kind.weight for kind, _ in self._sets)
        left_nodes, right_nodes = self._pair.left_nodes(left), self._pair.right_nodes(right)
        for kind, tokens in self._sets:
            sets.add_token_cosines(
                tokens.start,
                tokens.token,
                tokens.weight,
                tokens.length,
                left_nodes,
                right_nodes,
                index,
                np.float32(kind.weight / total),
                8 * current_threads(),
                out,
            )
        return out

    def suggested(self, left: LeftIds, right: RightIds, k: int, *, neighbours: bool) -> Ints:
        """(n, k): the right entities that share most rare tokens; -1 where there are fewer.

        Tokens with linked neighbours, or those of times alone: an entity's time profile.
        """
        index = np.full((len(left), k), NONE, np.int32)
        left_nodes, right_nodes = self._pair.left_nodes(left), self._pair.right_nodes(right)
        wanted = [one for one in self._sets if one[0].neighbour == neighbours]
        rows = _Inverted.of(wanted, left_nodes, right_nodes)
        sets.suggest_by_tokens(
            rows.start,
            rows.token,
            rows.value,
            rows.holder_start,
            rows.holder,
            rows.holder_value,
            len(right),
            2 * current_threads(),
            index,
        )
        return index


@dataclass(frozen=True)
class _Inverted:
    """Left entities with their rare tokens, and each token with the right entities that have it."""

    start: Ints
    token: Ints
    value: Floats
    holder_start: Ints
    holder: Ints
    holder_value: Floats

    @classmethod
    def of(cls, sets: Sequence[tuple[Kind, Tokens]], left: Ints, right: Ints) -> _Inverted:
        """A token that many entities of a side have is left out."""
        sides: tuple[list[_Entries], list[_Entries]] = ([], [])
        shift = 0
        for kind, tokens in sets:
            both = [_Entries.of(tokens, nodes, kind.weight) for nodes in (left, right)]
            held = [np.bincount(one.token, minlength=tokens.n_tokens) for one in both]
            rare = np.logical_and.reduce([(n > 0) & (n <= MOST_HOLDERS) for n in held])
            for side, one in zip(sides, both, strict=True):
                side.append(one.where(rare[one.token], shift))
            shift += tokens.n_tokens
        asking, answering = (_Entries.joined(side) for side in sides)
        by_row = np.argsort(asking.row, kind="stable")
        by_token = np.argsort(answering.token, kind="stable")
        return cls(
            start=np.searchsorted(asking.row[by_row], np.arange(len(left) + 1)),
            token=asking.token[by_row],
            value=asking.value[by_row],
            holder_start=np.searchsorted(answering.token[by_token], np.arange(shift + 1)),
            holder=answering.row[by_token],
            holder_value=answering.value[by_token],
        )


@dataclass(frozen=True)
class _Entries:
    """Row, token and value, entry by entry: a token's share of the length of the row."""

    row: Ints
    token: Ints
    value: Floats

    @classmethod
    def of(cls, tokens: Tokens, nodes: Ints, weight: float) -> _Entries:
        begin, count = tokens.start[nodes], np.diff(tokens.start)[nodes]
        row = np.repeat(np.arange(len(nodes), dtype=np.int32), count)
        first = np.cumsum(count) - count
        token = tokens.token[np.arange(len(row)) - np.repeat(first - begin, count)]
        length = np.maximum(tokens.length[nodes], np.float32(1e-9))[row]
        return cls(row, token, np.sqrt(np.float32(weight) * tokens.weight[token]) / length)

    @classmethod
    def joined(cls, parts: Sequence[_Entries]) -> _Entries:
        """One after the other."""
        return cls(
            np.concatenate([one.row for one in parts] or [np.empty(0, np.int32)]),
            np.concatenate([one.token for one in parts] or [np.empty(0, np.int32)]),
            np.concatenate([one.value for one in parts] or [np.empty(0, np.float32)]),
        )

    def where(self, kept: Bools, shift: int) -> _Entries:
        """Some of them, their tokens' numbers shifted."""
        return _Entries(self.row[kept], self.token[kept] + shift, self.value[kept])
