"""The false discovery rate against a slow reference, and what must hold of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea.assign.fdr import false_discovery_rates
from lighttea.types import Floats

few_values = st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0])  # ties
confidences = st.lists(few_values | st.floats(0, 1, width=32), max_size=40).map(
    lambda values: np.array(values, np.float32)
)


def slow_rates(confidence: Floats) -> list[float]:
    """For each link, look at all links that are at least as confident."""
    values = confidence.tolist()
    return [float(np.mean([1 - other for other in values if other >= value])) for value in values]


@given(confidences)
@example(np.zeros(0, np.float32))
@example(np.full(3, 1, np.float32))
def test_it_is_the_mean_chance_to_be_wrong_of_links_as_sure(confidence: Floats) -> None:
    rates = false_discovery_rates(confidence)
    assert rates.dtype == np.float32
    np.testing.assert_allclose(rates, slow_rates(confidence), atol=1e-6)


@given(confidences)
def test_surer_links_never_have_a_higher_rate(confidence: Floats) -> None:
    rates = false_discovery_rates(confidence)
    order = np.argsort(-confidence, kind="stable")
    assert (np.diff(rates[order]) >= 0).all()
    same = np.diff(confidence[order]) == 0
    assert (np.diff(rates[order])[same] == 0).all()
    assert ((rates >= 0) & (rates <= 1)).all()


@given(confidences, st.floats(0, 1, width=32), st.floats(0, 1, width=32))
def test_cutting_the_tail_changes_no_rate_and_cuts_commute(
    confidence: Floats, min_confidence: float, max_fdr: float
) -> None:
    """So min_confidence and max_fdr may be applied in either order."""
    rates = false_discovery_rates(confidence)
    sure = confidence >= min_confidence
    assert np.array_equal(false_discovery_rates(confidence[sure]), rates[sure])
    below = rates <= max_fdr
    assert np.array_equal(false_discovery_rates(confidence[below]), rates[below])
    one_way = confidence[sure][false_discovery_rates(confidence[sure]) <= max_fdr]
    other_way = confidence[below][confidence[below] >= min_confidence]
    assert np.array_equal(one_way, other_way)


@given(confidences, st.integers(0, 9))
def test_the_order_of_the_links_does_not_matter(confidence: Floats, random_seed: int) -> None:
    order = np.random.default_rng(random_seed).permutation(len(confidence))
    assert np.array_equal(
        false_discovery_rates(confidence[order]), false_discovery_rates(confidence)[order]
    )


@pytest.mark.parametrize("max_fdr", [0.01, 0.05, 0.2])
def test_links_that_are_right_as_often_as_they_say_are_as_wrong_as_their_rate(
    max_fdr: float,
) -> None:
    rng = np.random.default_rng(3)
    confidence = (1 - rng.random(200_000) ** 2 * 0.7).astype(np.float32)
    is_wrong = rng.random(200_000) > confidence
    kept = false_discovery_rates(confidence) <= max_fdr
    assert 1000 < kept.sum() < 200_000
    assert is_wrong[kept].mean() == pytest.approx(max_fdr, rel=0.1)
