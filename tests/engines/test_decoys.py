"""Decoys on every engine: the same competition, the same corrected probabilities and links."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.assign.decoys import check_by_decoys, strike_decoys
from lighttea.assign.probability import match_probabilities
from lighttea.config import make_config
from lighttea.solve.round import propagate_labels
from tests.engines.comparing import dense, fetch_candidates, fetch_rows, fetch_table
from tests.engines.conftest import SMALL, OpenWork
from tests.engines.test_conformance import PAPER, Stages
from tests.engines.test_whole_runs import assert_same_links
from tests.engines.worlds import problem_of
from tests.worlds import make_hard_world


def test_corrected_probabilities(open_work: OpenWork) -> None:
    problem = problem_of(make_hard_world(), n_decoys=120)
    stages, found, competitions = Stages(problem, open_work), [], []
    assert problem.decoys is not None
    for work in stages.both:
        _, candidates = stages.candidates(work, PAPER)
        match = match_probabilities(work.engine, candidates, iterations=6)
        assert match is not None
        tables = candidates, match.value, match.value
        corrected, competition = check_by_decoys(work.engine, *tables, problem.decoys)
        plain = fetch_candidates(work, candidates)
        before, after = (fetch_table(work, table) for table in (match.value, corrected))
        assert (after <= before + 1e-6).all()
        assert (after[plain.valid] < before[plain.valid] - 0.01).any()
        found.append(dense(plain, after))
        competitions.append(competition)
    one, other = competitions
    (n_targets, n_decoys), counts = one.sure_counts(), other.sure_counts()
    assert n_targets > n_decoys > 0
    assert counts == pytest.approx((n_targets, n_decoys), abs=1)
    assert other.share_right == pytest.approx(one.share_right, abs=0.01)
    both = ~np.isnan(found[0]) & ~np.isnan(found[1])
    np.testing.assert_allclose(found[0][both], found[1][both], atol=0.02)
    assert np.abs(found[0][both] - found[1][both]).mean() < 1e-3


def test_decoys_are_struck_and_labels_of_others_stay(open_work: OpenWork) -> None:
    problem, without = (problem_of(make_hard_world(), n_decoys=n) for n in (120, 0))
    work, plain = open_work(problem), open_work(without)
    labels, expected = (
        propagate_labels(each, each.problem.known, PAPER, np.random.default_rng(7))
        for each in (work, plain)
    )
    for side in ("left", "right"):
        made, alone = (
            fetch_rows(work, getattr(labels, side)),
            fetch_rows(plain, getattr(expected, side)),
        )
        np.testing.assert_allclose(made[: len(alone)], alone, atol=1e-5)
    stages = Stages(problem, open_work)
    _, candidates = stages.candidates(stages.other, PAPER)
    struck = strike_decoys(stages.other.engine, candidates, problem.n_targets)
    before, after = (fetch_candidates(stages.other, table) for table in (candidates, struck))
    is_decoy = before.index >= problem.n_targets
    assert is_decoy.any()
    np.testing.assert_array_equal(after.index, np.where(is_decoy, -1, before.index))


@pytest.mark.slow
def test_whole_runs(open_work: OpenWork) -> None:
    config = make_config("best", **SMALL, rounds=2, bootstrap=False, convergence=0.0)
    problem = problem_of(make_hard_world(), n_decoys=120)
    solution = assert_same_links(problem, open_work, config)
    assert (solution.links.right < problem.pair.n_right).all()
