"""How far confidence differs from the share of links that are right."""

from __future__ import annotations

import numpy as np

from lighttea.types import Bools, Floats

BINS = 15


def expected_calibration_error(confidence: Floats, correct: Bools, bins: int = BINS) -> float:
    """Return the mean gap between confidence and the share of right links over equal bins.

    Bins are weighted by their number of links; 0 where there is no link.
    """
    if not len(confidence):
        return 0.0
    place = np.minimum((np.asarray(confidence, np.float64) * bins).astype(int), bins - 1)
    sums = np.bincount(place, np.asarray(confidence, np.float64), minlength=bins)
    right = np.bincount(place, np.asarray(correct, np.float64), minlength=bins)
    return float(np.abs(sums - right).sum() / len(confidence))
