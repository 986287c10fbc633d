"""The false discovery rate of links: the share of the surest ones that is expected to be wrong."""

from __future__ import annotations

import numpy as np

from lighttea.types import Floats


def false_discovery_rates(confidence: Floats) -> Floats:
    """Return the mean of 1 - confidence over the links that are at least as confident, (n,).

    Where confidence is the probability to be right, that is the expected share of wrong links
    among them. It never falls as confidence falls (a q-value), and equal confidences have the same.
    Leaving out the least confident links changes nothing for the others.
    """
    order = np.argsort(-confidence, kind="stable")
    falling = confidence[order]
    n_kept = np.searchsorted(-falling, -falling, side="right")  # with all links of equal confidence
    n_wrong = np.cumsum(np.maximum(1 - falling.astype(np.float64), 0))
    rates = np.empty(len(confidence), np.float32)
    rates[order] = np.maximum.accumulate(n_wrong[n_kept - 1] / n_kept)  # rounding aside
    return rates
