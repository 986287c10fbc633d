"""Candidates of several searches in one table."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.similarity import merge
from lighttea.similarity.merge import BY_LABEL, BY_NEIGHBOURS, BY_TIMES, CARRIED_OVER, SOURCES
from lighttea.types import NO_CANDIDATE, Ints
from tests.plain import call


def random_tables(n_rows: int, random_seed: int) -> dict[int, Ints]:
    """Tables of unlike width with gaps, no place twice in a row."""
    rng = np.random.default_rng(random_seed)
    widths = {BY_LABEL: 4, BY_NEIGHBOURS: 3, BY_TIMES: 5, CARRIED_OVER: 2}
    tables: dict[int, Ints] = {
        bit: np.stack([rng.permutation(12)[:width] for _ in range(n_rows)]).astype(np.int32)
        for bit, width in widths.items()
    }
    for table in tables.values():
        table[rng.random(table.shape) < 0.3] = NO_CANDIDATE
    return tables


@pytest.mark.parametrize("n_rows_at_once", [7, 1000])
@pytest.mark.parametrize("n_tables", [1, 2, 3, 4])
def test_every_candidate_is_there_once_with_the_searches_that_proposed_it(
    n_rows_at_once: int, n_tables: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge, "TABLE_ROWS", n_rows_at_once)
    tables = dict(list(random_tables(50, 0).items())[:n_tables])
    index, source = call(merge.merge_proposals, tables)
    assert (index.dtype, source.dtype) == (np.int32, np.uint8)
    for row in range(50):
        merged = dict(zip(index[row].tolist(), source[row].tolist(), strict=True))
        assert merged.pop(NO_CANDIDATE, 0) == 0
        assert len(merged) == (index[row] != NO_CANDIDATE).sum()
        expected: dict[int, int] = {}
        for bit, table in tables.items():
            for place in set(table[row].tolist()) - {NO_CANDIDATE}:
                expected[place] = expected.get(place, 0) | bit
        assert merged == expected
    assert index.shape[1] == max((row != NO_CANDIDATE).sum() for row in index)


def test_no_candidate_at_all() -> None:
    empty = {BY_LABEL: np.full((2, 3), NO_CANDIDATE), BY_TIMES: np.full((2, 2), NO_CANDIDATE)}
    index, source = call(merge.merge_proposals, empty)
    assert index.tolist() == [[NO_CANDIDATE], [NO_CANDIDATE]]
    assert not source.any()
    index, source = call(merge.merge_proposals, {bit: t[:0] for bit, t in empty.items()})
    assert index.shape == source.shape == (0, 1)


def test_each_search_has_a_bit_of_its_own() -> None:
    assert sorted(SOURCES.values()) == [1, 2, 4, 8]
