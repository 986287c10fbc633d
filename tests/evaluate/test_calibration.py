"""Figures of confidence: errors, intervals, bins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from lighttea.evaluate.calibration import (
    calibration_figures,
    calibration_interval,
    confidence_figures,
    expected_calibration_error,
    named_figures,
    reliability_table,
    wilson_interval,
)
from lighttea.types import Bools, Floats


def links(n: int, too_sure: float, random_seed: int = 0) -> tuple[Floats, Bools]:
    """Links whose chance to be right is that much below their confidence."""
    rng = np.random.default_rng(random_seed)
    confidence = rng.beta(2, 0.6, n).astype(np.float32)
    return confidence, rng.random(n) < np.clip(confidence - too_sure, 0, 1)


def test_the_interval_of_calibrated_links_holds_zero() -> None:
    """The error itself never is zero, and the fewer links the larger it is."""
    holds = []
    for random_seed in range(20):
        confidence, correct = links(80, 0.0, random_seed)
        interval = calibration_interval(confidence, correct)
        assert interval is not None
        assert expected_calibration_error(confidence, correct) > 0.02
        holds.append(interval[0] == 0)
    assert sum(holds) >= 17


@pytest.mark.parametrize("n", [200, 2000])
def test_the_interval_holds_the_true_error_of_links_that_are_too_sure(n: int) -> None:
    expected = expected_calibration_error(*links(400_000, 0.2, 99))
    holds, widths = [], []
    for random_seed in range(10):
        interval = calibration_interval(*links(n, 0.2, random_seed))
        assert interval is not None
        holds.append(interval[0] <= expected <= interval[1])
        widths.append(interval[1] - interval[0])
    assert sum(holds) >= 8
    assert np.mean(widths) == pytest.approx(4 * 0.4 / n**0.5, rel=0.4)


def test_the_interval_is_the_same_every_time() -> None:
    confidence, correct = links(300, 0.1)
    assert calibration_interval(confidence, correct) == calibration_interval(confidence, correct)
    assert calibration_interval(confidence[:0], correct[:0]) is None


@pytest.mark.parametrize(("right", "n"), [(8, 10), (0, 5), (5, 5), (980, 1000)])
def test_wilson_against_scipy(right: int, n: int) -> None:
    expected = binomtest(right, n).proportion_ci(0.95, method="wilson")
    assert wilson_interval(right, n) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_wilson_of_nothing() -> None:
    assert wilson_interval(0, 0) is None


def test_the_table_has_ten_bins_and_all_links() -> None:
    confidence = np.array([0.05, 0.91, 0.95, 1.0, 0.5], np.float32)
    table = reliability_table(confidence, np.array([False, True, False, True, True]))
    assert [row["from"] for row in table] == [n / 10 for n in range(10)]
    assert [row["n"] for row in table] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 3]
    assert table[9] == {"from": 0.9, "n": 3, "mean_confidence": 0.9533, "share_right": 0.6667}
    assert table[1] == {"from": 0.1, "n": 0, "mean_confidence": None, "share_right": None}


def test_confident_links_are_those_from_ninety_percent_on() -> None:
    confidence = np.array([0.5, 0.9, 0.95, 0.8999], np.float32)
    figures = confidence_figures(confidence, np.array([True, True, False, True]), 40)
    assert (figures["n_links"], figures["n_confident"]) == (4, 2)
    assert figures["confident_precision"] == 0.5
    assert figures["confident_share_of_left"] == 0.05
    assert figures["mean_confidence"] == pytest.approx(0.8125, abs=1e-4)
    assert figures["confident_precision_interval"] == pytest.approx([0.0945, 0.9055], abs=1e-4)


def test_no_link_has_no_share() -> None:
    nothing, none_right = np.empty(0, np.float32), np.empty(0, bool)
    figures = confidence_figures(nothing, none_right, 40)
    assert (figures["n_links"], figures["n_confident"]) == (0, 0)
    assert figures["confident_precision"] is figures["mean_confidence"] is None
    assert figures["confident_share_of_left"] == 0
    calibration = calibration_figures(nothing, none_right)
    assert calibration["calibration_error"] == calibration["n_calibrated"] == 0
    assert calibration["calibration_error_interval"] is None
    assert sum(row["n"] for row in calibration["reliability"]) == 0


def test_links_that_the_truth_does_not_name_are_left_out() -> None:
    confidence = np.array([0.95, 0.95, 0.9, 0.6], np.float32)
    correct, named = np.array([True, False, False, True]), np.array([True, False, True, True])
    figures = named_figures(confidence, correct, named)
    assert (figures["n_named_links"], figures["n_named_confident"]) == (3, 2)
    assert figures["named_confident_precision"] == 0.5
    assert figures["named_calibration_error"] == expected_calibration_error(
        confidence[named], correct[named]
    )
    nothing = named_figures(confidence, correct, np.zeros(4, bool))
    assert (nothing["n_named_links"], nothing["named_confident_precision"]) == (0, None)
