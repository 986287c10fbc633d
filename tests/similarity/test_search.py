"""Candidates by label beside those of other searches: which search, merged tables, carried rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import lighttea
from lighttea.config import make_config
from lighttea.engines.base import Blocks, Engine
from lighttea.engines.tables import TopK
from lighttea.similarity.candidates import join_candidates
from lighttea.similarity.carry import CarriedCandidates
from lighttea.similarity.merge import BY_LABEL, BY_NEIGHBOURS, BY_TIMES, CARRIED_OVER
from lighttea.similarity.search import (
    EXACT_COUPLES,
    candidates_by_label,
    carried_tables,
    is_approximate,
    search_labels,
)
from lighttea.types import Floats, Ints, NumpyArray
from tests.plain import plain_engine
from tests.tables import PlainCandidates, held_rows, join_blocks, make_labels, split_table
from tests.worlds import World

N_BLOCKS = [1, 3]
N_LEFT, N_RIGHT, K = 24, 40, 6
NO_LEFT_LABEL, NO_RIGHT_LABEL = 3, 5  # rows without a label


def random_labels(random_seed: int = 0) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(random_seed)
    left, right = (rng.standard_normal((n, 8)).astype(np.float32) for n in (N_LEFT, N_RIGHT))
    left[NO_LEFT_LABEL], right[NO_RIGHT_LABEL] = 0, 0
    return left, right


def found_of(engine: Engine[NumpyArray], found: Blocks[TopK[NumpyArray]]) -> TopK[NumpyArray]:
    parts = [engine.fetch(block) for block in found]
    return TopK(
        np.concatenate([part.index for part in parts]),
        np.concatenate([part.label for part in parts]),
    )


def slow_best(scores: Floats, row: int) -> set[int]:
    """The places of the best right rows of a left row; zero rows have none and are none."""
    if row == NO_LEFT_LABEL:
        return set()
    falling = np.argsort(-scores[row]).tolist()
    falling.remove(NO_RIGHT_LABEL)
    return set(falling[:K])


def test_the_rule() -> None:
    side = int(EXACT_COUPLES**0.5)
    assert not is_approximate("auto", side, side)
    assert is_approximate("auto", side + 1, side + 1)
    assert is_approximate("approximate", 2, 2)
    assert not is_approximate("exact", 10**6, 10**6)


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
@pytest.mark.parametrize("compact", [False, True])
def test_carried_rows_are_scored_by_the_new_labels_and_the_others_search(
    n_blocks: int, compact: bool
) -> None:
    left, right = random_labels()
    engine = plain_engine(N_LEFT, N_RIGHT, n_blocks=n_blocks)
    labels = make_labels(engine, [left], [right], compact=compact)
    rng = np.random.default_rng(1)
    rows = np.array([1, 4, 9, 10, 17, 23])
    index = rng.integers(-1, N_RIGHT, (len(rows), 4)).astype(np.int32)
    index[[0, 3, 3], [2, 0, 1]] = -1
    config = make_config("paper", top_k=K)
    blocks, recall = search_labels(engine, labels, CarriedCandidates(rows, index), config, rng)
    assert recall is None
    found = found_of(engine, blocks)
    scores = held_rows([left], compact=compact) @ held_rows([right], compact=compact).T
    for row in range(N_LEFT):
        places = found.index[row]
        if row in rows:
            kept = index[rows == row][0].tolist()
            assert places.tolist() == [*kept, *[-1] * (K - 4)]
        else:
            assert set(places[places >= 0].tolist()) == slow_best(scores, row)
        expected = np.where(places >= 0, scores[row, places], 0)
        assert np.allclose(found.label[row], expected, atol=1e-5)


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
@pytest.mark.parametrize("compact", [False, True])
def test_where_entities_are_many_only_those_that_answer_are_found(
    monkeypatch: pytest.MonkeyPatch, n_blocks: int, compact: bool
) -> None:
    """Few asking and few answering are compared couple by couple, so the result is exact."""
    left, right = random_labels()
    engine = plain_engine(N_LEFT, N_RIGHT, n_blocks=n_blocks)
    labels = make_labels(engine, [left], [right], compact=compact)
    asking, answering = np.arange(N_LEFT) % 2 == 0, np.arange(N_RIGHT) % 3 > 0
    monkeypatch.setattr("lighttea.similarity.search.EXACT_COUPLES", N_LEFT * N_RIGHT - 1)
    config, none = make_config("paper", top_k=K), CarriedCandidates.none()
    rng = np.random.default_rng(1)
    blocks, recall = search_labels(engine, labels, none, config, rng, asking, answering)
    assert recall is None
    found = found_of(engine, blocks)
    scores = held_rows([left], compact=compact) @ held_rows([right], compact=compact).T
    scores[:, ~answering] = -np.inf
    for row in range(N_LEFT):
        places = found.index[row]
        expected = slow_best(scores, row) if asking[row] else set()
        assert set(places[places >= 0].tolist()) == expected
        shown = np.where(places >= 0, scores[row, places], 0)
        assert np.allclose(found.label[row], shown, atol=1e-5)


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_an_approximate_search_finds_and_judges_those_that_answer(n_blocks: int) -> None:
    """As few rows as these are all met, so nothing is missed."""
    left, right = random_labels()
    engine = plain_engine(N_LEFT, N_RIGHT, n_blocks=n_blocks)
    labels = make_labels(engine, [left], [right])
    answering = np.arange(N_RIGHT) % 3 > 0
    config = make_config("paper", top_k=N_RIGHT, search="approximate")
    rng, none = np.random.default_rng(1), CarriedCandidates.none()
    blocks, recall = search_labels(engine, labels, none, config, rng, None, answering)
    found = found_of(engine, blocks).index
    assert set(found[found >= 0].tolist()) <= set(np.flatnonzero(answering).tolist())
    assert recall is not None
    assert recall.best > 0.9
    every, _ = search_labels(
        engine, labels, none, make_config("paper", top_k=K), rng, None, answering
    )
    assert not answering[found_of(engine, every).index].all(), (
        "few enough: all right ones are found"
    )


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_carried_candidates_as_tables_of_all_rows(n_blocks: int) -> None:
    engine = plain_engine(7, 9, n_blocks=n_blocks)
    carried = CarriedCandidates(np.array([2, 6]), np.array([[4, -1], [8, 0]], np.int32))
    table = join_blocks(engine, carried_tables(engine, carried))
    expected = np.full((7, 2), -1)
    expected[[2, 6]] = carried.index
    assert np.array_equal(table, expected)


def by_label(n_blocks: int, proposals: Mapping[int, Ints]) -> tuple[PlainCandidates, Floats]:
    """Return all candidates, and the inner products of all couples."""
    left, right = random_labels()
    engine = plain_engine(N_LEFT, N_RIGHT, n_blocks=n_blocks)
    labels = make_labels(engine, [left], [right])
    config, none = make_config("paper", top_k=K), CarriedCandidates.none()
    found, _ = search_labels(engine, labels, none, config, np.random.default_rng(0))
    tables = {bit: split_table(engine, table) for bit, table in proposals.items()}
    candidates = candidates_by_label(engine, labels, found, tables)
    return join_candidates([engine.fetch(block) for block in candidates]), left @ right.T


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_every_proposal_is_a_candidate_with_its_label_and_sources(n_blocks: int) -> None:
    rng = np.random.default_rng(2)
    proposals = {
        bit: rng.integers(-1, N_RIGHT, (N_LEFT, 1)).astype(np.int32)
        for bit in (BY_NEIGHBOURS, BY_TIMES, CARRIED_OVER)
    }
    candidates, scores = by_label(n_blocks, proposals)
    for row in range(N_LEFT):
        expected = dict.fromkeys(slow_best(scores, row), BY_LABEL)
        for bit, table in proposals.items():
            for place in table[row][table[row] >= 0].tolist():
                expected[place] = expected.get(place, 0) | bit
        there = candidates.valid[row]
        places = candidates.index[row, there].tolist()
        assert dict(zip(places, candidates.source[row, there].tolist(), strict=True)) == expected
        assert np.allclose(candidates.label[row, there], scores[row, places], atol=1e-5)
        assert not candidates.label[row, ~there].any()
    assert np.array_equal(candidates.score, candidates.label)
    assert candidates.time is None


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_without_proposals_the_candidates_are_what_labels_found(n_blocks: int) -> None:
    candidates, scores = by_label(n_blocks, {})
    assert candidates.index.shape == (N_LEFT, K)
    for row in range(N_LEFT):
        there = candidates.valid[row]
        assert set(candidates.index[row, there].tolist()) == slow_best(scores, row)
        assert (candidates.source[row] == np.where(there, BY_LABEL, 0)).all()


def test_a_run_says_which_search_it_used_and_finds_nearly_the_same_links(world: World) -> None:
    options = {"dim": 64, "top_k": 30, "rounds": 2}
    runs = {
        search: lighttea.align(
            world.left,
            world.right,
            seeds=world.seeds,
            search=search,
            **options,  # type: ignore[arg-type]
        )
        for search in ("exact", "approximate")
    }
    first = runs["approximate"].info["rounds"][0]
    assert first["search"] == "approximate"
    assert 0.9 <= first["recall_best"] <= 1
    assert runs["exact"].info["rounds"][0]["search"] == "exact"
    pairs = {how: set(run.links.select("left", "right").rows()) for how, run in runs.items()}
    assert len(pairs["exact"] & pairs["approximate"]) > 0.9 * len(pairs["exact"])


def test_an_unknown_search_is_refused(world: World) -> None:
    with pytest.raises(
        lighttea.ConfigError, match="search must be auto, exact or approximate; got 'fast'"
    ):
        lighttea.align(world.left, world.right, seeds=world.seeds, search="fast")  # type: ignore[arg-type]
