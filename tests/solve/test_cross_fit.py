"""No self-support: what an entity is compared by does not come from its own promoted pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lighttea.graph.keys import mix_keys
from lighttea.graph.pair import Links
from lighttea.propagate.labels import Labels, two_aspect_labels
from lighttea.solve.round import half_of, propagate_labels
from lighttea.solve.workspace import Workspace
from lighttea.types import Floats, LeftIds, NumpyArray, RightIds
from tests.propagate.dense import dense_rows
from tests.worlds import World, make_hard_world, workspace_of


@pytest.fixture(scope="module")
def hard() -> World:
    return make_hard_world()


def some_promoted(work: Workspace[NumpyArray], world: World, n: int = 60) -> Links:
    """Return true pairs beside the seeds."""
    left, right = zip(*world.truth[:n], strict=True)
    return Links(
        LeftIds(np.array([world.left.entity_ids[name] for name in left], np.int32)),
        RightIds(np.array([world.right.entity_ids[name] for name in right], np.int32)),
    )


def labels_by_row(
    work: Workspace[NumpyArray], labels: Labels[NumpyArray], row: int
) -> tuple[Floats, Floats]:
    """Return the label of a left entity, and those of the right entities it is compared with."""
    if labels.other is not None and labels.other.rows[row]:
        labels = labels.other.labels
    return dense_rows(labels.left)[row], dense_rows(labels.right)


def labels_with(
    work: Workspace[NumpyArray], promoted: Links, config: Any, random_seed: int = 3
) -> Labels[NumpyArray]:
    seeds = work.problem.known.extended(promoted)
    return propagate_labels(work, seeds, config, np.random.default_rng(random_seed))


@pytest.mark.parametrize("cross_fit", [True, False])
def test_an_entity_is_compared_by_labels_that_its_own_pair_did_not_make(
    hard: World, cross_fit: bool
) -> None:
    """Two promoted pairs of one half change partners: nothing changes for their left entities."""
    work, config = workspace_of(
        hard, "best", dim=32, decoys=0, whitening=False, cross_fit=cross_fit
    )
    promoted = some_promoted(work, hard)
    one, other = np.flatnonzero(half_of(work.problem.pair.left_keys[promoted.left]) == 0)[:2]
    changed = promoted.right.copy()
    changed[[one, other]] = changed[[other, one]]
    before = labels_with(work, promoted, config)
    after = labels_with(work, Links(promoted.left, RightIds(changed)), config)
    for place in (one, other):
        row = int(np.searchsorted(work.problem.left, promoted.left[place]))
        own, others = labels_by_row(work, before, row)
        own_after, others_after = labels_by_row(work, after, row)
        assert np.array_equal(own, own_after) == cross_fit
        assert np.array_equal(others, others_after) == cross_fit


def test_both_halves_share_one_left_side_with_each_row_made_by_its_own(hard: World) -> None:
    work, config = workspace_of(hard, "best", dim=32, decoys=0, whitening=False)
    promoted, half = (
        some_promoted(work, hard),
        half_of(work.problem.pair.left_keys[work.problem.left]),
    )
    found = labels_with(work, promoted, config)
    assert found.other is not None
    assert found.other.labels.left is found.left
    seeds, n_known = work.problem.known.extended(promoted), len(work.problem.known)
    drawn = int(np.random.default_rng(3).integers(1 << 62))
    for own, labels in enumerate((found, found.other.labels)):
        others = seeds.take(
            np.flatnonzero(
                (np.arange(len(seeds)) < n_known)
                | (half_of(work.problem.pair.left_keys[seeds.left]) != own)
            )
        )
        rng = np.random.default_rng(drawn)
        alone = two_aspect_labels(work.engine, work.views, others, config, rng, n_known=n_known)
        np.testing.assert_array_equal(
            dense_rows(labels.left)[half == own], dense_rows(alone.left)[half == own]
        )
        np.testing.assert_array_equal(dense_rows(labels.right), dense_rows(alone.right))


def test_all_pairs_are_used_in_one_half_or_the_other(hard: World) -> None:
    work, config = workspace_of(hard, "best", dim=32, decoys=0, whitening=False)
    promoted = some_promoted(work, hard)
    labels = labels_with(work, promoted, config)
    assert labels.other is not None
    np.testing.assert_array_equal(
        labels.other.rows, half_of(work.problem.pair.left_keys[work.problem.left]) == 1
    )
    known_alone = labels_with(work, Links.none(), config)
    assert known_alone.other is None
    for each in (labels, labels.other.labels):
        assert not np.allclose(dense_rows(each.left), dense_rows(known_alone.left), atol=1e-3)


def test_halves_are_about_as_large_and_always_the_same() -> None:
    for step in (1, 2, 7):
        keys = mix_keys(np.arange(0, 10_000 * step, step), 1)
        half = half_of(keys)
        assert set(half.tolist()) == {0, 1}
        assert half.mean() == pytest.approx(0.5, abs=0.02)
        np.testing.assert_array_equal(half[::3], half_of(keys[::3]))
