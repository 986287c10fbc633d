"""Mutual matches against a reference that looks at every pair."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.assign.decode import best_candidates
from lighttea.assign.mutual import mutual_matches
from lighttea.assign.sinkhorn import Assignment
from lighttea.engines.base import Blocks, Handle
from lighttea.similarity.candidates import Candidates
from lighttea.types import NumpyArray
from tests.plain import plain_engine
from tests.worlds import make_hard_world, workspace_of


def random_tables(seed: int) -> tuple[Candidates[NumpyArray], NumpyArray]:
    rng = np.random.default_rng(seed)
    index = np.stack([rng.permutation(20)[:6] for _ in range(30)]).astype(np.int32)
    index[rng.random(index.shape) < 0.2] = -1
    distinct = (1 + rng.permutation(index.size)).reshape(index.shape) / index.size
    value = np.where(index >= 0, distinct, 0).astype(np.float32)
    return Candidates(index, value, value, (index >= 0).astype(np.uint8)), value


@pytest.mark.parametrize("n_blocks", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_mutual_match_is_the_best_of_both(seed: int, n_blocks: int) -> None:
    candidates, value = random_tables(seed)
    engine = plain_engine(30, 20, n_blocks=n_blocks)
    cuts = engine.layout.left
    tables = Blocks(
        Handle[Candidates[NumpyArray]](
            Candidates(
                *(getattr(candidates, n)[rows] for n in ("index", "label", "score", "source"))
            )
        )
        for rows in cuts
    )
    assignment = Assignment(Blocks(Handle[NumpyArray](value[rows]) for rows in cuts))
    matches = best_candidates(engine, tables, assignment)
    mutual = mutual_matches(engine, tables, assignment, matches)

    dense = np.zeros((30, 20))
    row, column = np.nonzero(candidates.index >= 0)
    dense[row, candidates.index[row, column]] = value[row, column]
    expected = {
        (left, int(dense[left].argmax()))
        for left in range(30)
        if dense[left].max() > 0 and dense[:, dense[left].argmax()].argmax() == left
    }
    assert set(zip(mutual.row.tolist(), mutual.place.tolist(), strict=True)) == expected
    assert 0 < len(expected) < len(matches.row)


def test_the_setting_leaves_links_out() -> None:
    """The links with `mutual` are some of those without."""
    from lighttea.solve.record import matches_of
    from lighttea.solve.solve import solve

    world, links = make_hard_world(), []
    for mutual in (False, True):
        work, config = workspace_of(
            world, rounds=1, dim=32, top_k=20, iterations=3, min_confidence=0.0, mutual=mutual
        )
        (step,) = solve(work, config)
        matches = matches_of(work, step.result)
        links.append(set(zip(matches.row.tolist(), matches.place.tolist(), strict=True)))
    assert links[1] <= links[0]
    assert links[1]
