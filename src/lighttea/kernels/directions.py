"""Principal directions evened out, and random ones: what search and labels both narrow rows by."""

from __future__ import annotations

import math

import numpy as np

from lighttea.kernels.threads import one_thread
from lighttea.types import Floats


def evened_axes(sample: Floats) -> Floats:
    """(n, n): principal directions over the fourth root of their variance, the strongest first."""
    variance, axes = _principal(sample)
    floor = max(float(variance[-1]) * 1e-6, 1e-30)  # directions that nobody uses stay unused
    evened = axes * np.where(variance > floor, np.maximum(variance, floor) ** -0.25, 0)
    return np.ascontiguousarray(evened[:, ::-1])


def evening_matrix(sample: Floats) -> Floats:
    """(n, n): divides what lies along a principal direction by the fourth root of its variance.

    Symmetric: where the directions point, and how equal ones are turned, changes nothing in it, so
    that every machine finds the same one. Directions that nobody uses stay small.
    """
    variance, axes = _principal(sample)
    floor = np.float32(max(float(variance[-1]) * 1e-6, 1e-30))
    return np.asarray((axes * (np.maximum(variance, 0) + floor) ** -0.25) @ axes.T, np.float32)


def _principal(sample: Floats) -> tuple[Floats, Floats]:
    """Variances, rising, and directions as columns."""
    square = sample.T @ sample / np.float32(max(1, len(sample)))
    with one_thread():
        variance, axes = np.linalg.eigh(square)
    return variance, axes


def random_directions(n_from: int, n_to: int, rng: np.random.Generator) -> Floats:
    """(n_from, n_to): a random projection that keeps inner products."""
    return rng.standard_normal((n_from, n_to), dtype=np.float32) / np.float32(math.sqrt(n_to))
