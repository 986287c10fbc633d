"""Entities that are paired choose again among their best candidates, by the new labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lighttea
from lighttea.assign.decode import best_candidates
from lighttea.engines.layout import Cuts
from lighttea.engines.tables import TopK
from lighttea.example import example_file
from lighttea.results.run import Run
from lighttea.similarity.candidates import join_candidates
from lighttea.similarity.carry import (
    CARRIED,
    CarriedCandidates,
    carried_table,
    carry_over,
    join_carried,
    replace_carried,
)
from lighttea.solve.promotion import candidates_to_carry
from lighttea.solve.rounds import run_rounds
from lighttea.types import Floats
from tests.plain import call
from tests.tables import PlainCandidates, make_candidates
from tests.worlds import World, make_hard_world, make_world, workspace_of


def random_candidates(
    rng: np.random.Generator, n_left: int, n_right: int, k: int
) -> tuple[PlainCandidates, Floats]:
    """Candidates in no order, some missing, and distinct values after assignment."""
    index = np.stack([rng.permutation(n_right)[:k] for _ in range(n_left)])
    index[rng.random(index.shape) < 0.2] = -1
    score = np.where(index == -1, 0, rng.uniform(-1, 1, index.shape))
    value = rng.permutation(index.size).reshape(index.shape) / index.size
    return make_candidates(index, score), value.astype(np.float32)


@given(st.integers(1, 12), st.integers(1, 160), st.integers(1, 200), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_best_by_value_are_carried(
    n_left: int, k: int, n_carried: int, random_seed: int
) -> None:
    rng = np.random.default_rng(random_seed)
    candidates, value = random_candidates(rng, n_left, 200, k)
    rows = np.sort(rng.permutation(n_left)[: n_left // 2 + 1])
    carried = call(carry_over, candidates, value, rows, n_carried, 100)
    width = min(k, n_carried, CARRIED)
    assert carried.rows.tolist() == (rows + 100).tolist()  # counted through all blocks
    assert carried.index.shape == (len(rows), width)
    for i, row in enumerate(rows):
        there = [j for j in range(k) if candidates.index[row, j] != -1]
        best = sorted(there, key=lambda j: -value[row, j])[:width]
        expected = [candidates.index[row, j] for j in best]
        assert sorted(carried.index[i]) == sorted(expected + [-1] * (width - len(expected)))


def test_equal_values_go_by_score() -> None:
    """Most candidates have no value at all after assignment; the more alike are carried."""
    k = CARRIED + 50
    score = np.random.default_rng(0).permutation(k)[None] / k
    candidates = make_candidates(np.arange(k)[None], score)
    value = np.zeros((1, k), np.float32)
    value[0, score[0].argmin()] = 0.9  # the one with a value is the least alike
    carried = call(carry_over, candidates, value, np.array([0]), k, 0)
    alike = np.argsort(-score[0])[: CARRIED - 1].tolist()
    assert set(carried.index[0].tolist()) == {*alike, int(score[0].argmin())}


def test_nothing_is_carried() -> None:
    candidates, value = random_candidates(np.random.default_rng(0), 4, 9, 5)
    no_rows = np.empty(0, np.int64)
    for none in (CarriedCandidates.none(), call(carry_over, candidates, value, no_rows, 3, 0)):
        assert len(none.rows) == len(none.index) == 0
        assert (call(carried_table, none, 4) == -1).all()
        assert [len(part.rows) for part in none.split(Cuts.even(4, 2))] == [0, 0]


@given(st.integers(1, 30), st.integers(1, 5), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_split_by_blocks_and_joined_they_are_the_same(
    n_left: int, n_blocks: int, random_seed: int
) -> None:
    rng = np.random.default_rng(random_seed)
    rows = np.flatnonzero(rng.random(n_left) < 0.5)
    carried = CarriedCandidates(rows, rng.integers(-1, 50, (len(rows), 4)).astype(np.int32))
    cuts = Cuts.even(n_left, n_blocks)
    parts = carried.split(cuts)
    for part, block in zip(parts, cuts, strict=True):
        assert ((part.rows >= 0) & (part.rows < block.stop - block.start)).all()
    joined = join_carried(
        [
            CarriedCandidates(part.rows + block.start, part.index)
            for part, block in zip(parts, cuts, strict=True)
        ]
    )
    assert np.array_equal(joined.rows, carried.rows)
    assert np.array_equal(joined.index, carried.index)
    tables = [
        call(carried_table, part, block.stop - block.start)
        for part, block in zip(parts, cuts, strict=True)
    ]
    table = np.concatenate(tables)
    assert np.array_equal(table[rows], carried.index)
    assert (np.delete(table, rows, axis=0) == -1).all()


def test_parts_of_unlike_width_are_joined() -> None:
    narrow = CarriedCandidates(np.array([1]), np.array([[7]], np.int32))
    wide = CarriedCandidates(np.array([4, 5]), np.array([[1, 2], [3, -1]], np.int32))
    joined = join_carried([narrow, CarriedCandidates.none(), wide])
    assert joined.rows.tolist() == [1, 4, 5]
    assert joined.index.tolist() == [[7, -1], [1, 2], [3, -1]]


def test_carried_candidates_take_the_place_of_their_rows_alone() -> None:
    found = TopK(np.full((4, 3), -1, np.int32), np.zeros((4, 3), np.float32))
    found.index[[0, 3]], found.label[[0, 3]] = 5, 0.125
    index, label = np.array([[8, 9], [7, -1]], np.int32), np.array([[0.5, 0.25], [1, 0]])
    replaced = call(replace_carried, found, np.array([1, 2]), index, label)
    assert replaced.index.tolist() == [[5, 5, 5], [8, 9, -1], [7, -1, -1], [5, 5, 5]]
    assert replaced.label[1:3].tolist() == [[0.5, 0.25, 0], [1, 0, 0]]
    assert (replaced.label[[0, 3]] == 0.125).all()
    assert (found.index[1:3] == -1).all()  # what was found stays as it is


# --------------------------------------------------------------------------- in whole rounds


def example_world() -> World:
    seeds, truth = (
        lighttea.read_links(example_file(f"{name}.tsv")).select("left", "right").rows()
        for name in ("seeds", "truth")
    )
    left, right = (lighttea.read_graph(example_file(name)) for name in ("left.tsv", "right.csv"))
    return World(left, right, seeds, truth)


@pytest.mark.parametrize(
    "make", [lambda: make_world(1), make_hard_world, example_world], ids=["copy", "hard", "example"]
)
def test_carried_candidates_change_hardly_a_link(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against a run in which all entities search everything in every round."""
    world, n_carried = make(), []
    carry_in_rounds = "lighttea.solve.rounds.candidates_to_carry"

    def noted(*arguments: Any) -> CarriedCandidates:
        carried = candidates_to_carry(*arguments)
        n_carried.append(len(carried.rows))
        return carried

    def run() -> Run:
        options: dict[str, Any] = {"preset": "paper", "rounds": 3, "threshold": 0.5}
        return lighttea.align(world.left, world.right, seeds=world.seeds, **options)

    monkeypatch.setattr(carry_in_rounds, noted)
    quick = run()
    monkeypatch.setattr(carry_in_rounds, lambda *_: CarriedCandidates.none())
    thorough = run()
    assert max(n_carried) > 0.7 * len(world.truth)  # they are most of the entities to align
    one, other = (set(run.links.select("left", "right").rows()) for run in (quick, thorough))
    assert len(one & other) >= 0.98 * max(len(one), len(other))
    hits = [run.evaluate(world.truth).ranking.hits_at_1 for run in (quick, thorough)]
    assert hits[0] == pytest.approx(hits[1], abs=0.01)


def test_an_entity_with_carried_candidates_does_not_search_again() -> None:
    """In the next round it has those alone; the others have as many as they can."""
    work, config = workspace_of(make_hard_world(), dim=256, threshold=0.5)
    carried, n_carried = CarriedCandidates.none(), 0
    for result in run_rounds(
        work, config=config, rng=np.random.default_rng(0), seeds=work.problem.known
    ):
        parts = [work.engine.fetch(block) for block in result.candidates]
        candidates = join_candidates(parts)
        index, label = candidates.index, candidates.label
        for row, kept in zip(carried.rows, carried.index, strict=True):
            assert sorted(index[row][index[row] != -1]) == sorted(kept[kept != -1])
        searching = np.setdiff1d(np.arange(len(index)), carried.rows)
        n_found = (index != -1).sum(axis=1)
        assert set(n_found[searching].tolist()) <= {0, n_found.max()}
        assert n_found.max() > CARRIED
        assert not label[index == -1].any()
        assert all(len(set(row[row != -1])) == (row != -1).sum() for row in index)
        carried, n_carried = result.carried, n_carried + len(result.carried.rows)
    assert n_carried > 300


def test_a_pair_that_was_wrong_can_be_corrected() -> None:
    """With a low threshold mistakes join the seeds; some of them are seen to be mistakes later."""
    world = make_hard_world()
    left_ids, right_ids = world.left.entity_ids, world.right.entity_ids
    truth = {left_ids[a]: right_ids[b] for a, b in world.truth}
    promoted: dict[int, int] = {}
    links: dict[int, int] = {}
    work, config = workspace_of(world, threshold=0.3)
    for result in run_rounds(
        work, config=config, rng=np.random.default_rng(0), seeds=work.problem.known
    ):
        best = best_candidates(work.engine, result.candidates, result.assignment)
        now = work.links_of(best.row, best.place)
        links = dict(zip(now.left.tolist(), now.right.tolist(), strict=True))
        new = zip(result.promoted.left.tolist(), result.promoted.right.tolist(), strict=True)
        promoted |= dict(new)
    mistaken = {a for a, b in promoted.items() if truth.get(a, b) != b}
    assert any(links[a] == truth[a] for a in mistaken)
    assert sum(links[a] != b for a, b in promoted.items()) < 0.1 * len(promoted)
