"""Rare tokens with the entities of both sides that have them, by array functions alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from lighttea.engines.ops import Ops
from lighttea.engines.tables import RareLimits, TokenIndex, TokenLists
from lighttea.types import A


@dataclass(frozen=True)
class TokenEntries(Generic[A]):
    """Row, token and value, entry by entry: a token's share of the length of the row."""

    row: A
    token: A
    value: A

    def where(self, ops: Ops[A], is_kept: A, shift: int) -> TokenEntries[A]:
        """Return some of them, their tokens' numbers shifted."""
        kept = ops.nonzero(is_kept)
        return TokenEntries(self.row[kept], self.token[kept] + shift, self.value[kept])


def index_rare_tokens(
    ops: Ops[A],
    kinds: Sequence[tuple[TokenLists[A], float]],
    left: A,
    right: A,
    limits: RareLimits,
) -> TokenIndex[A]:
    """Return the index that `Ops.index_rare_tokens` describes."""
    asking: list[TokenEntries[A]] = []
    answering: list[TokenEntries[A]] = []
    n_tokens = 0
    for tokens, weight in kinds:
        both = [list_entries(ops, tokens, nodes, weight) for nodes in (left, right)]
        is_target = both[1].row < limits.n_targets
        is_rare = _is_rare(
            ops, [both[0], both[1].where(ops, is_target, 0)], tokens.n_tokens, limits
        )
        for entries, side in zip(both, (asking, answering), strict=True):
            side.append(entries.where(ops, is_rare[entries.token], n_tokens))
        n_tokens += tokens.n_tokens
    held = take_entries(ops, answering)
    order, holder_start = ops.group(held.token, n_tokens)
    holder, holder_value = held.row[order], held.value[order]
    del held, order
    asked, counts = take_entries(ops, asking), holder_start[1:] - holder_start[:-1]
    asked = ask_rarest(ops, asked, counts, len(left), limits)
    start = ops.concat([ops.arange(1) * 0, ops.cumsum(ops.bincount(asked.row, len(left)))])
    return TokenIndex(
        start, asked.token, asked.value, holder_start, holder, holder_value, len(right)
    )


def _is_rare(ops: Ops[A], sides: Sequence[TokenEntries[A]], n_tokens: int, limits: RareLimits) -> A:
    """Return which tokens both sides have, and neither side often."""
    is_rare = ops.full((n_tokens,), 1, "bool")
    for entries in sides:
        holders = ops.bincount(entries.token, n_tokens)
        is_rare = is_rare & (holders > 0) & (holders <= limits.most_holders)
    return is_rare


def ask_rarest(
    ops: Ops[A], asking: TokenEntries[A], holders: A, n_rows: int, limits: RareLimits
) -> TokenEntries[A]:
    """Return the entries row by row, without the common tokens of rows that have many rare ones.

    Tokens are asked in groups of like rarity, the rarest first, while no more than so many holders
    answer in all; the first group always. Which tokens these are does not depend on order.
    """
    answers, n_groups = holders[asking.token], limits.n_groups
    groups = [number.bit_length() for number in range(2 * limits.most_holders)]
    rarity = ops.asarray(np.array(groups))[ops.clip(answers, 0, len(groups) - 1)]
    order, start = ops.group(asking.row * n_groups + rarity, n_rows * n_groups)
    total = ops.cumsum(ops.concat([ops.arange(1) * 0, answers[order]]))[start]  # before each group
    row = ops.repeat(ops.arange(n_rows), ops.full((n_rows,), n_groups, "int64"))
    before_row = total[:-1][row * n_groups]
    is_first = total[:-1] <= before_row
    is_within = total[1:] - before_row <= limits.most_answers
    kept = order[ops.repeat(is_first | is_within, start[1:] - start[:-1])]
    return TokenEntries(asking.row[kept], asking.token[kept], asking.value[kept])


def list_entries(ops: Ops[A], tokens: TokenLists[A], nodes: A, weight: float) -> TokenEntries[A]:
    """Return the tokens of some nodes, which are the rows."""
    begin = tokens.start[nodes]
    count = tokens.start[1:][nodes] - begin
    row = ops.repeat(ops.arange(len(nodes), "int32"), count)
    first = ops.cumsum(count) - count
    token = tokens.token[ops.arange(len(row)) - (first - begin)[row]]
    length = ops.clip(tokens.length[nodes], 1e-9, float("inf"))[row]
    value = ops.sqrt(weight * tokens.weight[token]) / length
    return TokenEntries(row, token, value)


def take_entries(ops: Ops[A], parts: list[TokenEntries[A]]) -> TokenEntries[A]:
    """Return the entries of several kinds, which the list gives up."""
    if not parts:
        return TokenEntries(ops.arange(0), ops.arange(0), ops.full((0,), 0.0, "float32"))
    joined = TokenEntries(
        ops.concat([part.row for part in parts]),
        ops.concat([part.token for part in parts]),
        ops.concat([part.value for part in parts]),
    )
    parts.clear()
    return joined
