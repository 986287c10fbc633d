"""How sure clusters are, beside a slow reference that lists their divisions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from lighttea.clusters.confidence import cluster_confidence, divisions
from tests.clusters.test_resolve import divisions_of

BELL = {2: 2, 3: 5, 4: 15, 5: 52}


@pytest.mark.parametrize("size", BELL)
def test_all_divisions_are_there_once(size: int) -> None:
    together, n_parts, belongs = divisions(size)
    assert len(together) == len(np.unique(together, axis=0)) == BELL[size]
    assert sorted(n_parts.tolist()) == sorted(
        len(division) for division in divisions_of(list(range(size)))
    )
    assert (belongs[n_parts == 1] == 1).all()
    assert (belongs[n_parts == size] == 0).all()


@pytest.mark.parametrize("size", [2, 3, 4])
def test_chances_are_those_of_the_definition(size: int) -> None:
    rng = np.random.default_rng(size)
    pairs = list(combinations(range(size), 2))
    weights = rng.normal(0, 2, (5, len(pairs)))
    joining = -1.5
    member, pair = cluster_confidence(joining, size, weights)
    for row in range(5):
        odds, of_pair, of_member = 0.0, np.zeros(len(pairs)), np.zeros(size)
        for division in divisions_of(list(range(size))):
            part_of = {node: number for number, part in enumerate(division) for node in part}
            joined = np.array([part_of[a] == part_of[b] for a, b in pairs])
            chance = np.exp((weights[row] * joined).sum() + joining * (size - len(division)))
            odds += chance
            of_pair += chance * joined
            largest = max(map(len, division))
            parts = [part for part in division if len(part) == largest > 1]
            for part in parts:
                of_member[part] += chance / len(parts)
        assert pair[row] == pytest.approx(of_pair / odds)
        assert member[row] == pytest.approx(of_member / odds)


def test_large_clusters_get_chances_too() -> None:
    size = 9
    n_pairs = size * (size - 1) // 2
    member, pair = cluster_confidence(-2.0, size, np.full((1, n_pairs), 0.5))
    assert member.shape == (1, size)
    assert pair.shape == (1, n_pairs)
    assert member[0, 0] == pytest.approx(1 / (1 + np.exp(-2.0)))
    assert (pair == member[0, 0]).all()
