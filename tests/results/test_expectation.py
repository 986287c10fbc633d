"""What a run says of its own errors: how many, by which estimate, and what it warns of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from lighttea.results.expectation import decoy_warning, describe_links, expected_wrong
from lighttea.results.run import Run
from tests.export.worlds import made_run

DECOYS = {
    "per_entity": 0.5,
    "targets": 1028,
    "decoys": 21,
    "curve": {"confidence": [0.9, 0.5], "targets": [1000, 1028], "decoys": [1, 21]},
    "warning": None,
}


def told(run: Run, **info: Any) -> Run:
    return replace(run, info={**run.info, **info})


def without_fdr(run: Run) -> Run:
    return replace(run, links=run.links.with_columns(fdr=pl.lit(None, pl.Float32)))


def test_as_many_are_wrong_as_confidence_leaves_open() -> None:
    run = made_run()  # .95, .6 and .3
    assert expected_wrong(run) == pytest.approx(0.05 + 0.4 + 0.7)
    assert describe_links(run) == "3 links, about 1 of them wrong"
    n_wrong = float(run.links["fdr"][-1]) * len(run.links)
    assert expected_wrong(run) == pytest.approx(n_wrong, rel=1e-5)


def test_the_counts_of_decoys_are_said_where_there_are_any() -> None:
    said = describe_links(told(made_run(), decoys=DECOYS))
    assert said == (
        "3 links, about 1 of them wrong (estimated from 21 decoys that won beside 1,028 real "
        "candidates)"
    )
    one = {**DECOYS, "decoys": 1}
    assert "from 1 decoy that won" in describe_links(told(made_run(), decoys=one))


def test_few_errors_and_few_links() -> None:
    sure = made_run(("x", "2", 0.95))
    assert describe_links(sure) == "1 link, less than one of them wrong"
    assert describe_links(replace(sure, links=sure.links.clear())) == "0 links"


def test_without_calibration_nothing_is_estimated() -> None:
    run = without_fdr(made_run())
    assert expected_wrong(run) is None
    assert describe_links(run) == "3 links, errors not estimated (confidence is not calibrated)"


def test_a_calibrated_run_of_an_earlier_version_is_described_too() -> None:
    rounds = [{"share_with_counterpart": 0.8}]
    earlier = told(without_fdr(made_run()), rounds=rounds)
    assert describe_links(earlier) == "3 links, about 1 of them wrong"
    shared = told(earlier, rules={"many_to_one": True})
    assert expected_wrong(shared) is None


@pytest.mark.parametrize("decoys", [None, {}, DECOYS])
def test_no_warning_is_no_warning(decoys: dict[str, Any] | None) -> None:
    assert decoy_warning(told(made_run(), decoys=decoys)) is None


def test_a_warning_is_handed_on() -> None:
    warning = "nothing in these graphs tells a match from chance: 41 pairs, 38 decoys"
    assert decoy_warning(told(made_run(), decoys={**DECOYS, "warning": warning})) == warning
