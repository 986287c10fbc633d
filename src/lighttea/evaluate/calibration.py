"""How far confidence differs from the share of links that are right."""

from __future__ import annotations

from typing import Any

import numpy as np

from lighttea.types import Bools, Floats, Ints

BINS = 15
RELIABILITY_BINS = 10
CONFIDENT = 0.9
RESAMPLES = 500
NORMAL_95 = 1.959964  # standard deviations on both sides that hold 95 %


def expected_calibration_error(confidence: Floats, correct: Bools, bins: int = BINS) -> float:
    """Return the mean gap between confidence and the share of right links over equal bins.

    Bins are weighted by their number of links; 0 where there is no link.
    """
    if not len(confidence):
        return 0.0
    gap = np.asarray(confidence, np.float64) - np.asarray(correct, np.float64)
    return float(np.abs(np.bincount(_bins_of(confidence, bins), gap)).sum() / len(confidence))


def _bins_of(confidence: Floats, bins: int) -> Ints:
    place: Ints = (np.asarray(confidence, np.float64) * bins).astype(int)
    return np.minimum(place, bins - 1)


def calibration_interval(confidence: Floats, correct: Bools) -> tuple[float, float] | None:
    """Return the 95 % interval of the expected calibration error; None where there is no link.

    Links are drawn anew from a fixed random seed. Every draw adds noise that makes the error
    larger, as the links at hand did, so the draws are reflected at the error (a basic bootstrap).
    The interval begins at 0 where links that are right as often as they say show such an error in
    one of twenty draws or more.
    """
    n = len(confidence)
    if not n:
        return None
    rng, error = np.random.default_rng(0), expected_calibration_error(confidence, correct)
    draws, by_chance = np.empty((2, RESAMPLES))
    for draw in range(RESAMPLES):
        links = rng.integers(0, n, n)
        draws[draw] = expected_calibration_error(confidence[links], correct[links])
        by_chance[draw] = expected_calibration_error(confidence, rng.random(n) < confidence)
    low, high = 2 * error - np.quantile(draws, (0.975, 0.025))
    is_by_chance = error <= np.quantile(by_chance, 0.95)
    return 0.0 if is_by_chance else max(float(low), 0.0), max(float(high), 0.0)


def wilson_interval(n_right: int, n: int) -> tuple[float, float] | None:
    """Return the 95 % interval of a share by Wilson's score; None where there is nothing."""
    if not n:
        return None
    square = NORMAL_95**2
    centre = (n_right + square / 2) / (n + square)
    spread = NORMAL_95 / (n + square) * (n_right * (n - n_right) / n + square / 4) ** 0.5
    return max(centre - spread, 0.0), min(centre + spread, 1.0)


def reliability_table(confidence: Floats, correct: Bools) -> list[dict[str, Any]]:
    """Return ten equal bins of confidence: how many links, what they say, what is right of them."""
    place = _bins_of(confidence, RELIABILITY_BINS)
    rows = []
    for number in range(RELIABILITY_BINS):
        own = place == number
        means = (confidence[own].mean(), correct[own].mean()) if own.any() else (None, None)
        rows.append(
            {
                "from": number / RELIABILITY_BINS,
                "n": int(own.sum()),
                "mean_confidence": _rounded(means[0]),
                "share_right": _rounded(means[1]),
            }
        )
    return rows


def calibration_figures(confidence: Floats, correct: Bools) -> dict[str, Any]:
    """Return the calibration error of some links, its interval and the table behind it."""
    return {
        "calibration_error": expected_calibration_error(confidence, correct),
        "calibration_error_interval": _rounded_all(calibration_interval(confidence, correct)),
        "n_calibrated": len(confidence),
        "reliability": reliability_table(confidence, correct),
    }


def confidence_figures(confidence: Floats, correct: Bools, n_left: int) -> dict[str, Any]:
    """Return how confident the links of `n_left` entities are, and how right the confident ones."""
    confident = confidence >= CONFIDENT
    n, n_right = int(confident.sum()), int(correct[confident].sum())
    return {
        "n_links": len(confidence),
        "mean_confidence": _rounded(confidence.mean()) if len(confidence) else None,
        "n_confident": n,
        "confident_precision": n_right / n if n else None,
        "confident_precision_interval": _rounded_all(wilson_interval(n_right, n)),
        "confident_share_of_left": n / n_left if n_left else 0.0,
        "links_calibration_error": expected_calibration_error(confidence, correct),
    }


def named_figures(confidence: Floats, correct: Bools, named: Bools) -> dict[str, Any]:
    """Return the same of the links that the truth can judge: those with an end that it names.

    A dataset that lists some of its true pairs calls all others wrong.
    """
    confidence, correct = confidence[named], correct[named]
    confident = confidence >= CONFIDENT
    n, n_right = int(confident.sum()), int(correct[confident].sum())
    return {
        "n_named_links": len(confidence),
        "named_calibration_error": expected_calibration_error(confidence, correct),
        "n_named_confident": n,
        "named_confident_precision": n_right / n if n else None,
    }


def _rounded(value: Any) -> float | None:
    return None if value is None else round(float(value), 4)


def _rounded_all(values: tuple[float, ...] | None) -> list[float] | None:
    return None if values is None else [round(value, 4) for value in values]
