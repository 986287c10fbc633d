"""Who is paired chooses again among its best candidates, by the new labels, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lighttea
from lighttea.assign.decode import best_candidates
from lighttea.example import example_file
from lighttea.kernels.rows import Rows
from lighttea.results.run import Run
from lighttea.similarity import settled as settled_module
from lighttea.similarity.settled import KEPT, Settled, score_again
from lighttea.similarity.topk import Candidates, Found
from lighttea.types import Floats, LeftIds, RightIds
from tests.worlds import World, make_hard_world, make_world, rounds_of


def random_candidates(
    rng: np.random.Generator, n_left: int, n_right: int, k: int
) -> tuple[Candidates, Floats]:
    """Candidates in no order, some missing, and distinct values after assignment."""
    index = np.stack([rng.permutation(n_right)[:k] for _ in range(n_left)]).astype(np.int32)
    index[rng.random(index.shape) < 0.2] = -1
    score = np.where(index == -1, 0, rng.uniform(-1, 1, index.shape)).astype(np.float32)
    value = rng.permutation(index.size).reshape(index.shape) / np.float32(index.size)
    left = LeftIds(100 + np.arange(n_left))
    right = RightIds(np.arange(n_right))
    nan = np.full_like(score, np.nan)
    return Candidates(left, right, index, score, nan, score), value.astype(np.float32)


@given(st.integers(1, 12), st.integers(1, 160), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_best_by_value_are_kept(n_left: int, k: int, random_seed: int) -> None:
    rng = np.random.default_rng(random_seed)
    candidates, value = random_candidates(rng, n_left, 200, k)
    paired = rng.permutation(100 + np.arange(n_left))[: n_left // 2 + 1]
    settled = Settled.of(candidates, value, np.concatenate([paired, [5, 999]]))
    kept = min(k, KEPT)
    assert settled.rows.tolist() == sorted((paired - 100).tolist())
    assert settled.index.shape == (len(paired), kept)
    for i, row in enumerate(settled.rows):
        there = [j for j in range(k) if candidates.index[row, j] != -1]
        best = sorted(there, key=lambda j: -value[row, j])[:kept]
        expected = [candidates.index[row, j] for j in best]
        assert sorted(settled.index[i]) == sorted(expected + [-1] * (kept - len(expected)))


def test_equal_values_go_by_score() -> None:
    """Most candidates have no value at all after assignment; the more alike are kept."""
    k = KEPT + 50
    rng = np.random.default_rng(0)
    score = rng.permutation(k).astype(np.float32)[None] / np.float32(k)
    index = np.arange(k, dtype=np.int32)[None]
    candidates = Candidates(
        LeftIds(np.array([0])), RightIds(np.arange(k)), index, score, score, score
    )
    value = np.zeros((1, k), np.float32)
    value[0, score[0].argmin()] = 0.9  # the one with a value is the least alike
    settled = Settled.of(candidates, value, np.array([0]))
    alike = np.argsort(-score[0])[: KEPT - 1].tolist()
    assert set(settled.index[0].tolist()) == {*alike, int(score[0].argmin())}


def test_nobody_is_settled() -> None:
    candidates, value = random_candidates(np.random.default_rng(0), 4, 9, 5)
    for nobody in (Settled.nobody(), Settled.of(candidates, value, np.empty(0, np.int64))):
        assert len(nobody.rows) == len(nobody.index) == 0
        found = Found.none(4, 5)
        rows = Rows.of(np.ones((9, 3), np.float32))
        score_again(found, nobody, rows, rows)
        assert (found.index == -1).all()


def labels_of(rng: np.random.Generator, n_rows: int, *, compact: bool) -> tuple[Rows, Floats]:
    """Rows of two parts, and what they stand for."""
    rows = Rows.empty(n_rows, 6, 2, compact=compact)
    for part in range(2):
        rows.put(0, rng.standard_normal((n_rows, 6)).astype(np.float32), part)
    return rows, rows.take(np.arange(n_rows))


@pytest.mark.parametrize("block_rows", [8192, 3])
@pytest.mark.parametrize("compact", [False, True])
def test_they_are_scored_by_the_new_labels_and_nobody_else_is(
    compact: bool, block_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settled_module, "BLOCK_ROWS", block_rows)
    rng = np.random.default_rng(0)
    left, left_rows = labels_of(rng, 12, compact=compact)
    right, right_rows = labels_of(rng, 30, compact=compact)
    rows = np.array([1, 4, 5, 9, 10])
    index = rng.integers(-1, 30, (5, 7)).astype(np.int32)
    found = Found.none(12, 11)
    others = np.setdiff1d(np.arange(12), rows)
    found.index[others], found.label[others] = 3, 0.125  # what a search found for the others
    score_again(found, Settled(rows, index), left, right)
    assert (index == -1).any()
    for i, row in enumerate(rows):
        assert found.index[row].tolist() == [*index[i].tolist(), *[-1] * 4]
        for c in range(11):
            j = found.index[row, c]
            exact = float(left_rows[row] @ right_rows[j]) if j != -1 else 0.0
            assert found.label[row, c] == pytest.approx(exact, abs=1e-5)
    assert (found.index[others] == 3).all()
    assert (found.label[others] == 0.125).all()


def test_dots_of_no_rows() -> None:
    rows = Rows.of(np.ones((2, 3), np.float32))
    assert rows.dots(rows, np.empty(0, np.int64), np.empty((0, 4), np.int32)).shape == (0, 4)


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
def test_settled_rows_change_hardly_a_link(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a run in which everybody searches everything in every round."""
    world, n_settled, settle = make(), [], Settled.of

    def noted(*arguments: Any) -> Settled:
        made = settle(*arguments)
        n_settled.append(len(made.rows))
        return made

    def run() -> Run:
        options: dict[str, Any] = {"preset": "paper", "rounds": 3, "threshold": 0.5}
        return lighttea.align(world.left, world.right, seeds=world.seeds, **options)

    monkeypatch.setattr(Settled, "of", noted)
    quick = run()
    monkeypatch.setattr(Settled, "of", lambda *_: Settled.nobody())
    thorough = run()
    assert max(n_settled) > 0.7 * len(world.truth)  # they are most of those who ask
    one, other = (set(run.links.select("left", "right").rows()) for run in (quick, thorough))
    assert len(one & other) >= 0.98 * max(len(one), len(other))
    hits = [run.evaluate(world.truth).ranking.hits_at_1 for run in (quick, thorough)]
    assert hits[0] == pytest.approx(hits[1], abs=0.01)


def test_who_is_settled_does_not_search_again() -> None:
    """In the next round it has the candidates it settled with; the others have all they can."""
    settled = Settled.nobody()
    seen = 0
    for result in rounds_of(make_hard_world(), dim=256, threshold=0.5):
        index, label = result.candidates.index, result.candidates.label
        for row, kept in zip(settled.rows, settled.index, strict=True):
            assert sorted(index[row][index[row] != -1]) == sorted(kept[kept != -1])
        searching = np.setdiff1d(np.arange(len(index)), settled.rows)
        n_found = (index != -1).sum(axis=1)
        assert set(n_found[searching].tolist()) <= {0, n_found.max()}
        assert n_found.max() > KEPT
        assert not label[index == -1].any()
        assert all(len(set(row[row != -1])) == (row != -1).sum() for row in index)
        settled, seen = result.settled, seen + len(settled.rows)
    assert seen > 300


def test_a_pair_that_was_wrong_can_be_corrected() -> None:
    """With a low threshold mistakes join the seeds; some of them are seen to be mistakes later."""
    world = make_hard_world()
    left_ids, right_ids = world.left.entity_ids, world.right.entity_ids
    truth = {left_ids[a]: right_ids[b] for a, b in world.truth}
    promoted: dict[int, int] = {}
    links: dict[int, int] = {}
    for result in rounds_of(world, threshold=0.3):
        best = best_candidates(result.candidates, result.assignment)
        links = dict(zip(best.left.tolist(), best.right.tolist(), strict=True))
        new = zip(result.promoted.left.tolist(), result.promoted.right.tolist(), strict=True)
        promoted |= dict(new)
    mistaken = {a for a, b in promoted.items() if truth.get(a, b) != b}
    assert any(links[a] == truth[a] for a in mistaken)
    assert sum(links[a] != b for a, b in promoted.items()) < 0.1 * len(promoted)
