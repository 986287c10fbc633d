"""Which pairs may be candidates, against a look at one pair after the other."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.engines.cpu.ops import PLAIN
from lighttea.similarity.allowed import AllowedPairs, EntityTypes, refused_pairs


def slowly(allowed: AllowedPairs, left: int, right: int) -> bool:
    """Whether a pair is forbidden, or both have types and share none."""
    if left * allowed.n_right + right in allowed.forbidden.tolist():
        return True
    types = allowed.types
    if types is None:
        return False
    one, other = int(types.left[left]), int(types.right[right])
    return min(one, other) >= 0 and one * types.n_right + other not in types.agreeing.tolist()


@pytest.mark.parametrize("n_forbidden", [0, 25])
@pytest.mark.parametrize("typed", [True, False])
def test_refused_pairs_are_those_that_a_slow_look_finds(typed: bool, n_forbidden: int) -> None:
    rng = np.random.default_rng(n_forbidden)
    n_left, n_right, left_sets, right_sets = 12, 15, 4, 3
    left, right = rng.integers(-1, left_sets, n_left), rng.integers(-1, right_sets, n_right)
    agreeing = np.flatnonzero(rng.random(left_sets * right_sets) < 0.4)
    types = EntityTypes(left, right, right_sets, agreeing) if typed else None
    forbidden = np.sort(rng.choice(n_left * n_right, n_forbidden, replace=False))
    allowed = AllowedPairs(n_right, forbidden, types)
    pairs = np.stack(np.meshgrid(np.arange(n_left), np.arange(n_right))).reshape(2, -1)
    found = refused_pairs(PLAIN, allowed, *pairs)
    assert found.tolist() == [slowly(allowed, int(a), int(b)) for a, b in pairs.T]
    assert found.any() == (typed or n_forbidden > 0)
