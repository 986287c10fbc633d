"""Which tokens propose candidates: those of both sides that few real entities have."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.tables import TokenLists
from lighttea.evidence import evidence as module
from lighttea.evidence.evidence import Evidence, index_rare_tokens
from lighttea.evidence.tokens import KINDS
from lighttea.types import NumpyArray

LEFT, RIGHT = np.arange(2), np.arange(2, 9)  # nodes; the last three right ones are decoys
N_TARGETS = 4
HOLDERS = {
    "left alone": [0],
    "rare": [0, 2, *range(6, 9)],  # by the decoys it would be common
    "common on the right": [0, 2, 3, 4],
    "decoys alone": [1, 6],
    "two on each side": [0, 1, 2, 5],
}


def tokens_of(holders: list[list[int]]) -> TokenLists[NumpyArray]:
    own = [[token for token, nodes in enumerate(holders) if node in nodes] for node in range(9)]
    start = np.concatenate([[0], np.cumsum([len(tokens) for tokens in own])])
    token = np.array([token for tokens in own for token in tokens], np.int64)
    return TokenLists(start, token, np.ones(len(holders)), np.sqrt(np.diff(start)))


@pytest.mark.parametrize("n_kinds", [1, 2])
def test_common_tokens_and_those_of_one_side_or_of_decoys_propose_nobody(
    monkeypatch: pytest.MonkeyPatch, n_kinds: int
) -> None:
    monkeypatch.setattr(module, "MOST_HOLDERS", 2)
    kind = next(kind for kind in KINDS.values() if kind.neighbour)
    evidence = Evidence([kind] * n_kinds, [tokens_of(list(HOLDERS.values()))] * n_kinds)
    index = index_rare_tokens(PLAIN, evidence, [LEFT], RIGHT, N_TARGETS, True)
    asked: dict[int, set[int]] = {}
    for row, (begin, end) in enumerate(pairwise(index.start.tolist())):
        for token in index.token[begin:end].tolist():
            asked.setdefault(token, set()).add(row)
    held = [
        sorted([*asked[token], *RIGHT[index.holder[begin:end]].tolist()])
        for token, (begin, end) in enumerate(pairwise(index.holder_start.tolist()))
        if begin < end
    ]
    expected = [HOLDERS[name] for name in ("rare", "two on each side")]
    assert sorted(held) == sorted(expected * n_kinds)
    assert len(asked) == len(held)
