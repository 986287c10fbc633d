"""What the last run thought of a pair stands where nothing has touched it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from lighttea.engines.cpu.ops import PLAIN
from lighttea.graph.pair import Links
from lighttea.io.frames import graph_of_frame
from lighttea.similarity.candidates import Candidates
from lighttea.types import NO_CANDIDATE, LeftIds, NumpyArray, RightIds
from lighttea.update.chances import (
    ALL,
    HALF,
    LEAST,
    NONE,
    LastChances,
    PlacedChances,
    average_log_odds,
    choose_rows,
    join_chances,
)
from tests.update.growing import first_run, growing_world
from tests.worlds import World, fact_frame, make_hard_world, workspace_of


def slow_mean(one: float, other: float) -> float:
    """The same for two numbers."""
    clipped = (min(max(p, LEAST), 1 - LEAST) for p in (one, other))
    odds = [math.log(p / (1 - p)) for p in clipped]
    return 1 / (1 + math.exp(-sum(odds) / 2))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [(0.5, 0.5, 0.5), (0.2, 0.8, 0.5), (0.9, 0.5, 0.75), (0.0, 1.0, 0.5), (1.0, 1.0, 1 - LEAST)],
)
def test_log_odds_are_averaged(one: float, other: float, expected: float) -> None:
    mean = average_log_odds(PLAIN, np.array([one]), np.array([other]))
    assert mean[0] == pytest.approx(expected, abs=1e-9)
    assert mean[0] == pytest.approx(slow_mean(one, other))


def some_table(rng: np.random.Generator, n_left: int, n_right: int, width: int) -> NumpyArray:
    """Return distinct places in each row, some of them missing."""
    index = np.stack([rng.permutation(n_right)[:width] for _ in range(n_left)]).astype(np.int32)
    index[rng.random(index.shape) < 0.2] = NO_CANDIDATE
    return index


@pytest.mark.parametrize(("begin", "n_known"), [(0, 60), (7, 60), (0, 0)])
def test_pairs_have_the_last_chance_the_new_one_or_the_mean(
    begin: int, n_known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lighttea.similarity.candidates.TABLE_ROWS", 3)
    rng, n_left, n_right = np.random.default_rng(1), 11, 9
    index = some_table(rng, n_left, n_right, 6)
    chance = rng.random(index.shape).astype(np.float32)
    key = np.sort(rng.permutation((n_left + begin) * n_right)[:n_known])
    last = dict(zip(key.tolist(), rng.random(n_known).tolist(), strict=True))
    left, right = (rng.choice([ALL, HALF, NONE], n) for n in (n_left + begin, n_right))
    placed = PlacedChances(key, np.array(list(last.values())), left, right)
    candidates = Candidates(index, chance, chance, index)
    found = join_chances(PLAIN, candidates, chance, placed, left[begin:], begin)
    for row, column in np.ndindex(index.shape):
        place, expected = int(index[row, column]), float(chance[row, column])
        before = last.get((begin + row) * n_right + place, 0.0)
        counts = min(left[begin + row], right[place]) if place != NO_CANDIDATE else NONE
        if counts == ALL:
            expected = before
        elif counts == HALF:
            expected = slow_mean(before, expected)
        assert found[row, column] == pytest.approx(expected, rel=1e-5)


def test_rows_are_taken_from_one_table_or_the_other() -> None:
    table, other = np.ones((3, 2)), np.zeros((3, 2))
    chosen = choose_rows(PLAIN, table, other, np.array([ALL, NONE, HALF]))
    assert chosen.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_the_last_chance_counts_less_near_a_link_that_changed() -> None:
    touched = np.array([True, True, False, False])
    near = np.array([True, False, True, False])
    nothing = Links.none()
    left, right = LastChances(nothing, np.empty(0), nothing, touched, touched[::-1]).counts(
        near, near
    )
    assert left.tolist() == [NONE, NONE, HALF, ALL]
    assert right.tolist() == [HALF, ALL, NONE, NONE]


@pytest.fixture(scope="module")
def hard() -> World:
    return make_hard_world()


def test_pairs_are_found_by_their_places_in_the_problem(hard: World) -> None:
    problem = workspace_of(hard, "best", dim=16)[0].problem
    n_left, n_right = problem.pair.n_left, problem.pair.n_right
    rng = np.random.default_rng(2)
    left, right = (rng.permutation(n)[:40].astype(np.int32) for n in (n_left, n_right))
    pairs, chance = Links(LeftIds(left), RightIds(right)), rng.random(40)
    touched = rng.random(n_left) < 0.3, rng.random(n_right) < 0.3
    counts = rng.choice([ALL, HALF, NONE], n_left), rng.choice([ALL, HALF, NONE], n_right)
    placed = LastChances(pairs, chance, pairs, *touched).in_problem(problem, *counts)
    rows, places = np.divmod(placed.key, len(problem.right))
    columns = problem.left[rows], problem.right[places], placed.chance
    found = set(zip(*(column.tolist() for column in columns), strict=True))
    assert found == {
        (one, other, p)
        for one, other, p in zip(left.tolist(), right.tolist(), chance.tolist(), strict=True)
        if one in problem.left and other in problem.right
    }
    assert (np.diff(placed.key) > 0).all()
    assert np.array_equal(placed.left, counts[0][problem.left])
    n_targets = problem.n_targets
    assert np.array_equal(placed.right[:n_targets], counts[1][problem.right[:n_targets]])
    assert len(placed.right) == len(problem.right) > n_targets
    assert (placed.right[n_targets:] == NONE).all()


def test_what_a_run_found_likely_is_known_by_ids_of_the_graphs() -> None:
    run, world = first_run(), growing_world()
    left, right = (graph_of_frame(fact_frame(*own)) for own in (world.left, world.right))
    untouched = np.zeros(len(left.entities), bool), np.zeros(len(right.entities), bool)
    last = LastChances.of(run, left, right, *untouched)
    assert last is not None
    found = {
        (left.entities[one], right.entities[other]): chance
        for one, other, chance in zip(
            last.pairs.left, last.pairs.right, last.chance.tolist(), strict=True
        )
    }
    rows = run.candidates.select("left", "right", "confidence").iter_rows()
    assert found == {(one, other): chance for one, other, chance in rows if chance > LEAST}
    links = run.links.select("left", "right", "confidence").iter_rows()
    assert found.items() >= {(one, other): chance for one, other, chance in links}.items()
    linked = {
        (left.entities[one], right.entities[other])
        for one, other in zip(last.links.left, last.links.right, strict=True)
    }
    assert linked == set(run.links.select("left", "right").iter_rows()) | set(
        run.seeds.select("left", "right").iter_rows()
    )


def test_a_run_whose_confidence_is_no_probability_says_nothing() -> None:
    run, graph = first_run(), graph_of_frame(fact_frame(*growing_world().left))
    fdr = pl.lit(None, pl.Float32).alias("fdr")
    untouched = np.zeros(len(graph.entities), bool)
    without = replace(run, links=run.links.with_columns(fdr))
    assert LastChances.of(without, graph, graph, untouched, untouched) is None
