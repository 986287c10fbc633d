"""Principal directions divided by their variance, and random ones: what turns or narrows rows."""

from __future__ import annotations

import math

import numpy as np

from lighttea.kernels.threads import one_thread
from lighttea.types import Floats


def whitened_axes(sample: Floats) -> Floats:
    """Return principal directions over the fourth root of their variance, strongest first."""
    variance, axes = _principal(sample)
    floor = max(float(variance[-1]) * 1e-6, 1e-30)  # unused directions stay unused
    whitened = axes * np.where(variance > floor, np.maximum(variance, floor) ** -0.25, 0)
    return np.ascontiguousarray(whitened[:, ::-1])


def whitening_matrix(sample: Floats) -> Floats:
    """Return what divides a principal direction by the fourth root of its variance, (n, n).

    Symmetric: where the directions point, and how equal ones are turned, changes nothing in it, so
    that every machine finds the same one. Unused directions stay small.
    """
    variance, axes = _principal(sample)
    floor = np.float32(max(float(variance[-1]) * 1e-6, 1e-30))
    return np.asarray((axes * (np.maximum(variance, 0) + floor) ** -0.25) @ axes.T, np.float32)


def _principal(sample: Floats) -> tuple[Floats, Floats]:
    """Return variances, rising, and directions as columns."""
    square = sample.T @ sample / np.float32(max(1, len(sample)))
    with one_thread():
        variance, axes = np.linalg.eigh(square)
    return variance, axes


def random_directions(n_from: int, n_to: int, rng: np.random.Generator) -> Floats:
    """Return a random projection that keeps inner products, (n_from, n_to)."""
    return rng.standard_normal((n_from, n_to), dtype=np.float32) / np.float32(math.sqrt(n_to))
