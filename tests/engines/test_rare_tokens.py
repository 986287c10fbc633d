"""Which tokens an entity asks for: its rarest, until enough entities answer."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.rare_tokens import TokenEntries, ask_rarest
from lighttea.engines.tables import RareLimits
from lighttea.types import NumpyArray


@given(st.integers(0, 1000), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_rows_ask_their_rarest_tokens_until_enough_have_answered(
    random_seed: int, most: int
) -> None:
    rng = np.random.default_rng(random_seed)
    n_rows, n_tokens = 5, 12
    holders = rng.integers(1, 9, n_tokens)
    row, token = np.nonzero(rng.random((n_rows, n_tokens)) < 0.5)
    value = rng.random(len(row)).astype(np.float32)
    entries: TokenEntries[NumpyArray] = TokenEntries(row, token, value)
    order = rng.permutation(len(row))
    limits = RareLimits(1, most_holders=10, most_answers=most)
    kept = ask_rarest(PLAIN, entries, holders, n_rows, limits)
    mixed: TokenEntries[NumpyArray] = TokenEntries(row[order], token[order], value[order])
    shuffled = ask_rarest(PLAIN, mixed, holders, n_rows, limits)
    assert _asked(kept) == _asked(shuffled)
    assert np.all(np.diff(kept.row) >= 0)
    for one in range(n_rows):
        mine, answered = token[row == one], 0
        expected: set[int] = set()
        for rarity in sorted({int(holders[t]).bit_length() for t in mine}):
            group = [int(t) for t in mine if int(holders[t]).bit_length() == rarity]
            answered += int(holders[group].sum())
            if not expected or answered <= most:
                expected |= set(group)
        assert set(kept.token[kept.row == one].tolist()) == expected


def _asked(entries: TokenEntries[NumpyArray]) -> set[tuple[int, int, float]]:
    return set(
        zip(entries.row.tolist(), entries.token.tolist(), entries.value.tolist(), strict=True)
    )
