"""Whole runs on every engine, from the pairs to begin with to the links."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from lighttea.config import Config, LinkRules, Preset, make_config
from lighttea.engines.cpu.ops import PLAIN
from lighttea.similarity.allowed import refused_pairs
from lighttea.solve.problem import Problem
from lighttea.solve.solution import Solution, finish
from lighttea.solve.solve import solve
from lighttea.solve.workspace import Workspace
from tests.engines.comparing import CLEAR
from tests.engines.conftest import SMALL, OpenWork
from tests.engines.worlds import problem_of, whole_cpu
from tests.worlds import make_hard_world, make_world


@cache
def hard_problem(**options: Any) -> Problem:
    return problem_of(make_hard_world(), **options)


def solve_on(work: Workspace[Any], config: Config, **rules: Any) -> Solution:
    """Return the solution of a problem on one engine."""
    for step in solve(work, config):
        last = step
    return finish(work, last, LinkRules(**rules))


def assert_same_links(
    problem: Problem, open_work: OpenWork, config: Config, **rules: Any
) -> Solution:
    """Fail unless the links are those of the CPU engine; return them."""
    cpu = Workspace(whole_cpu(problem, config.dim), problem)
    one = solve_on(cpu, config, **rules)
    other = solve_on(open_work(problem, config.dim), config, **rules)
    assert len(one.matches.row)
    sure = one.matches.margin > CLEAR
    assert sure.any()
    pairs = set(zip(other.matches.row.tolist(), other.matches.place.tolist(), strict=True))
    row, place = one.matches.row[sure].tolist(), one.matches.place[sure].tolist()
    assert not set(zip(row, place, strict=True)) - pairs
    assert abs(len(one.matches.row) - len(other.matches.row)) <= (~sure).sum()
    assert len(one.records) == len(other.records)
    for mine, theirs in zip(one.records, other.records, strict=True):
        assert theirs["left_with_candidates"] == mine["left_with_candidates"]
        for name in {"promoted", "found_seeds"} & mine.keys():
            assert theirs[name] == pytest.approx(mine[name], abs=3)
    np.testing.assert_array_equal(other.links.left, problem.left[other.matches.row])
    np.testing.assert_array_equal(other.links.right, problem.right[other.matches.place])
    return other


@pytest.mark.parametrize("preset", ["paper", "best"])
def test_presets(open_work: OpenWork, preset: Preset) -> None:
    config = make_config(preset, **SMALL, rounds=2, bootstrap=False, convergence=0.0)
    solution = assert_same_links(hard_problem(), open_work, config)
    assert len(solution.records) == 2
    assert len(solution.relations.left)


def test_types_and_forbidden_pairs(open_work: OpenWork) -> None:
    problem = hard_problem(refused=True)
    assert problem.allowed is not None
    config = make_config("paper", **SMALL, rounds=1)
    links = assert_same_links(problem, open_work, config).links
    assert not refused_pairs(PLAIN, problem.allowed, links.left, links.right).any()


def test_without_time(open_work: OpenWork) -> None:
    config = make_config("paper", **SMALL, rounds=1).without_time()
    problem = problem_of(make_world(2, timed=False))
    solution = assert_same_links(problem, open_work, config)
    assert not solution.candidates.terms["temporal"].any()


@pytest.mark.parametrize("timed", [True, False])
def test_without_seeds_and_with_names(open_work: OpenWork, timed: bool) -> None:
    world = replace(make_world(4, n_entities=80, n_facts=700), seeds=[])
    config = make_config("best", **SMALL, rounds=1, literals=True)
    problem = problem_of(world, named=True, timed=timed)
    config = config if timed else config.without_time()
    solution = assert_same_links(problem, open_work, config)
    assert solution.records[0]["found_seeds"] >= 10


def test_many_to_one(open_work: OpenWork) -> None:
    config = make_config("paper", **SMALL, rounds=1)
    problem = hard_problem(every_right=True)
    solution = assert_same_links(problem, open_work, config, many_to_one=True)
    assert len(set(solution.matches.place.tolist())) < len(solution.matches.place)


def test_one_candidate_alone(open_work: OpenWork) -> None:
    config = make_config("paper", **(SMALL | {"top_k": 1}), rounds=1)
    problem = hard_problem(few_right=1)
    solution = assert_same_links(problem, open_work, config, many_to_one=True)
    assert set(solution.matches.place.tolist()) == {0}


def test_more_candidates_than_there_are(open_work: OpenWork) -> None:
    config = make_config("paper", **(SMALL | {"top_k": 500}), rounds=1)
    solution = assert_same_links(problem_of(make_world(3)), open_work, config, top_n=2)
    assert np.bincount(solution.matches.row).max() == 2


def test_the_ablations(open_work: OpenWork) -> None:
    config = make_config("paper", **SMALL, rounds=1, sinkhorn=False, temporal_propagation=False)
    solution = assert_same_links(hard_problem(), open_work, config)
    assert solution.records[0]["sinkhorn_marginal_gap"] == 0
