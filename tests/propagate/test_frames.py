"""Frames of seed points: any columns of them are those of the whole."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.graph.pair import Links, Pair
from lighttea.propagate.frames import SeedFrames, fixed_frame
from lighttea.types import LeftIds, RightIds
from tests.worlds import make_world


@pytest.mark.parametrize(("n", "n_known", "dim"), [(5, 5, 8), (8, 0, 8), (29, 10, 8), (0, 0, 4)])
def test_columns_are_those_of_the_whole(n: int, n_known: int, dim: int) -> None:
    pair = pair_of_world()
    numbers = np.random.default_rng(1).permutation(pair.n_left)[:n]
    seeds = Links(LeftIds(numbers), RightIds(numbers))
    frames = SeedFrames.draw(pair, seeds, n_known, dim, np.random.default_rng(3))
    whole = frames.columns()
    assert whole.shape == (n, dim)
    np.testing.assert_allclose(np.linalg.norm(whole, axis=1), 1, rtol=1e-5)
    for columns in (slice(0, 3), slice(3, 4), slice(2, dim)):
        np.testing.assert_array_equal(frames.columns(columns), whole[:, columns])


def test_the_fixed_frame_is_orthogonal_and_cannot_be_written() -> None:
    frame = fixed_frame(32)
    np.testing.assert_allclose(frame @ frame.T, np.eye(32), atol=1e-6)
    with pytest.raises(ValueError, match="read-only"):
        frame[0, 0] = 1


def pair_of_world() -> Pair:
    world = make_world(1)
    return Pair.of(world.left, world.right)
