"""What a round takes for likely: links by confidence, pairs by confidence or by value."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.evidence.likelihood_model import LIKELY_PAIR
from lighttea.solve.likely import LIKELY, POSSIBLE, find_likely
from lighttea.solve.round import Round
from lighttea.solve.rounds import run_rounds
from lighttea.solve.workspace import Workspace
from lighttea.types import NumpyArray
from tests.plain import value_of
from tests.worlds import make_world, workspace_of

pytestmark = pytest.mark.filterwarnings("ignore:neither graph has a fact with a known time")


def judged(*, timed: bool) -> tuple[Workspace[NumpyArray], Round[NumpyArray]]:
    work, config = workspace_of(make_world(5, timed=timed), "best", dim=64, rounds=1)
    rng = np.random.default_rng(0)
    (result,) = run_rounds(work, config=config, rng=rng, seeds=work.problem.known)
    return work, result


@pytest.mark.parametrize("timed", [True, False])
def test_possible_pairs_are_the_seeds_and_what_is_not_unlikely(timed: bool) -> None:
    work, result = judged(timed=timed)
    problem, assignment = work.problem, result.assignment
    pairs = find_likely(work, result.candidates, assignment).pairs
    table = value_of(assignment.confidence if timed else assignment.value)
    index, least = value_of(result.candidates).index, LIKELY_PAIR if timed else POSSIBLE
    known = dict(zip(problem.known.left.tolist(), problem.known.right.tolist(), strict=True))
    expected = dict.fromkeys(known.items(), 1.0)
    for row, left in enumerate(problem.left.tolist()):
        for place, chance in zip(index[row].tolist(), table[row].tolist(), strict=True):
            if not 0 <= place < problem.n_targets or chance <= least:
                continue
            right = int(problem.right[place])
            if left not in known and right not in known.values():
                expected[left, right] = chance
    found = zip(pairs.links.left.tolist(), pairs.links.right.tolist(), strict=True)
    assert dict(zip(found, pairs.chance.tolist(), strict=True)) == pytest.approx(expected)
    assert len(pairs.links) == len(expected) > len(known)


@pytest.mark.parametrize("timed", [True, False])
def test_links_have_enough_confidence(timed: bool) -> None:
    work, result = judged(timed=timed)
    assert result.assignment.probability is not None
    index, chance = value_of(result.candidates).index, value_of(result.assignment.probability)
    problem, likely = work.problem, find_likely(work, result.candidates, result.assignment)
    found = likely.links.without(problem.known)
    rows = np.searchsorted(problem.left, found.left)
    places = np.searchsorted(problem.right, found.right)
    is_linked = index[rows] == places[:, None]
    assert len(found) > 0
    assert is_linked.any(axis=1).all()
    assert (chance[rows][is_linked] > LIKELY).all()
