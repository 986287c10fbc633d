"""What facts, times and literals add to links: it adds up, and agrees with the explanations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lighttea
from lighttea.explain.shares import AGAINST, FACTS, LITERALS, TIMES, evidence_shares
from lighttea.results.run import Run
from tests.literal_worlds import literal_run
from tests.worlds import align_example, make_world


@pytest.fixture(scope="module")
def run() -> Run:
    """The bundled example."""
    return align_example(preset="best", dim=128)


def by_kind(run: Run) -> dict[str, float]:
    return {share.kind: share.link for share in evidence_shares(run.explainer.source)}


def test_the_kinds_add_up_to_the_scores(run: Run) -> None:
    shares = evidence_shares(run.explainer.source)
    linked = run.best_links.join(run.candidates, on=["left", "right"])
    score = float(linked["score"].cast(float).to_numpy().mean())
    assert sum(share.link for share in shares) == pytest.approx(score, abs=1e-4)
    assert sum(share.lead for share in shares) > 0


def test_literals_are_what_explanations_say_of_them() -> None:
    run = literal_run()
    told = [run.explain(left) for left in run.best_links["left"]]
    told = [link for link in told if link.runner_up is not None]
    slow = np.mean(
        [
            sum(
                part.value
                for part in link.terms
                if part.term == "consensus"
                and (part.literal is not None or "scattered" in part.words)
            )
            for link in told
        ]
    )
    assert by_kind(run)[LITERALS] == pytest.approx(float(slow), rel=1e-3)


def test_without_time_and_literals_facts_do_all_the_work() -> None:
    world = make_world(4, timed=False)
    options: dict[str, Any] = {"temporal_propagation": False, "temporal_constraint": False}
    run = lighttea.align(
        world.left, world.right, seeds=world.seeds, dim=16, literals=False, **options
    )
    own = by_kind(run)
    assert own[TIMES] == own[LITERALS] == own[AGAINST] == 0
    assert own[FACTS] > 0


def test_without_a_link_there_is_nothing_to_share(run: Run) -> None:
    empty = replace(run, links=run.links.head(0))
    assert evidence_shares(empty.explainer.source) == []
