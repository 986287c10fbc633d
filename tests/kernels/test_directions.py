"""Principal and random directions beside their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.kernels.directions import random_directions, whitened_axes, whitening_matrix
from lighttea.types import Floats


def unlike_columns(n_rows: int, random_seed: int) -> Floats:
    """Rows whose columns differ much in variance, turned at random."""
    rng = np.random.default_rng(random_seed)
    turned, _ = np.linalg.qr(rng.standard_normal((6, 6)))
    rows = rng.standard_normal((n_rows, 6)) * [8, 4, 2, 1, 0.5, 0.25]
    return np.asarray(rows @ turned, np.float32)


@pytest.mark.parametrize("random_seed", range(3))
def test_whitening_leaves_the_root_of_each_variance(random_seed: int) -> None:
    """Divided by its fourth root a variance of v has v ** .5 left, in every direction."""
    sample = unlike_columns(4000, random_seed)
    variance = np.linalg.eigvalsh(sample.T @ sample / len(sample))
    for matrix in (whitening_matrix(sample), whitened_axes(sample)):
        white = sample @ matrix
        after = np.linalg.eigvalsh(white.T @ white / len(white))
        assert np.allclose(after, np.sqrt(variance), rtol=1e-3)
    whitening = whitening_matrix(sample)
    assert np.allclose(whitening, whitening.T, atol=1e-5)
    axes = whitened_axes(sample)
    strengths = ((sample @ axes) ** 2).mean(axis=0)
    assert (np.diff(strengths) < 0).all()  # strongest first


def test_directions_that_nothing_uses_stay_unused() -> None:
    sample = np.zeros((50, 4), np.float32)
    sample[:, 1] = np.random.default_rng(0).standard_normal(50)
    assert np.count_nonzero(whitened_axes(sample).any(axis=0)) == 1
    assert np.isfinite(whitening_matrix(sample)).all()
    for nothing in (np.zeros((3, 4), np.float32), np.zeros((0, 4), np.float32)):
        assert not whitened_axes(nothing).any()
        assert np.isfinite(whitening_matrix(nothing)).all()


def test_a_random_projection_keeps_inner_products() -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 300)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    narrow = rows @ random_directions(300, 2000, rng)
    assert np.abs(narrow @ narrow.T - rows @ rows.T).max() < 0.12
