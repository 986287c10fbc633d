"""Candidates of several searches in one table."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.similarity import sources
from lighttea.similarity.sources import BY_LABEL, BY_NEIGHBOURS, BY_TIMES, merged
from lighttea.similarity.topk import NONE


@pytest.mark.parametrize("block", [7, 1000])
def test_merged_has_every_candidate_once_and_says_who_found_it(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MERGED_ROWS", block)
    rng = np.random.default_rng(0)
    tables = {
        bit: np.stack([rng.permutation(12)[:width] for _ in range(50)]).astype(np.int32)
        for bit, width in ((BY_LABEL, 4), (BY_NEIGHBOURS, 3), (BY_TIMES, 5))
    }
    for table in tables.values():
        table[rng.random(table.shape) < 0.3] = NONE
    index, source = merged(tables)
    for row in range(50):
        said = dict(zip(index[row].tolist(), source[row].tolist(), strict=True))
        assert said.pop(NONE, 0) == 0
        assert len(said) == (index[row] != NONE).sum()
        expected: dict[int, int] = {}
        for bit, table in tables.items():
            for place in set(table[row].tolist()) - {NONE}:
                expected[place] = expected.get(place, 0) | bit
        assert said == expected
    assert index.shape[1] == max((row != NONE).sum() for row in index)


def test_no_candidate_at_all() -> None:
    index, source = merged({BY_LABEL: np.full((2, 3), NONE), BY_TIMES: np.full((2, 2), NONE)})
    assert (index == NONE).all()
    assert not source.any()
