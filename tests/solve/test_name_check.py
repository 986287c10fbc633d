"""Whether names can be trusted: what facts say of namesakes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lighttea.graph.facts import Graph
from lighttea.solve.name_check import (
    FEWEST,
    NameCheck,
    better_and_worse,
    check_names,
    drop_misleading_names,
    namesakes,
)
from lighttea.solve.workspace import Workspace
from lighttea.types import NumpyArray
from tests.plain import call
from tests.worlds import World, make_world, workspace_of


def with_names(graph: Graph, names: list[str]) -> Graph:
    return replace(graph, entity_names=dict(zip(graph.entities, names, strict=True)))


def work_with(world: World, right_names: dict[str, str]) -> Workspace[NumpyArray]:
    """Return a world where left entities are called as they are, and right ones as said."""
    right = with_names(world.right, [right_names[name] for name in world.right.entities])
    named = World(world.left, right, world.seeds, world.truth)
    work, _ = workspace_of(named, "best", dim=32, literals=True, decoys=20)
    work.problem.progress.show_warning = lambda message: None  # type: ignore[method-assign]
    return work


def true_names(world: World) -> dict[str, str]:
    return {name: name[1:] for name in world.right.entities}


def moved_names(world: World) -> dict[str, str]:
    """Return the names of a random order of the others."""
    names = [name[1:] for name in world.right.entities]
    order = np.random.default_rng(0).permutation(len(names))
    return {name: names[i] for name, i in zip(world.right.entities, order, strict=True)}


@pytest.fixture(scope="module")
def world() -> World:
    return make_world(5, n_entities=120, n_facts=900, n_seeds=10)


def test_namesakes_are_the_entities_that_alone_share_a_name(world: World) -> None:
    names = true_names(world)
    (_, one), (_, two), (_, three) = world.truth[:3]
    names[one] = names[two]  # two of that name
    names[three] = "nobody else"
    problem = work_with(world, names).problem
    links = namesakes(problem)
    found = {
        (world.left.entities[left], world.right.entities[right])
        for left, right in zip(links.left.tolist(), links.right.tolist(), strict=True)
    }
    assert found == set(world.truth[3:])


def test_names_that_are_right_stay(world: World) -> None:
    work = work_with(world, true_names(world))
    _, config = workspace_of(world, "best", dim=32, literals=True)
    check = check_names(work, config)
    assert check.n_pairs == len(world.truth)
    assert check.n_better > 0.9 * check.n_pairs
    assert check.share_right > 0.9
    drop_misleading_names(work, config)
    assert len(work.problem.names) == 2
    assert not work.progress.warnings


def test_names_that_mislead_are_left_out_with_a_warning(world: World) -> None:
    work = work_with(world, moved_names(world))
    _, config = workspace_of(world, "best", dim=32, literals=True)
    assert abs(check_names(work, config).share_right) < 0.5
    drop_misleading_names(work, config)
    assert not work.problem.names
    (said,) = (text for text in work.progress.warnings if "names are left out" in text)
    assert "pairs of entities have the same name" in said


def test_what_the_counts_say() -> None:
    assert NameCheck(100, 60, 20).share_right == pytest.approx(0.5)
    assert NameCheck(100, 20, 60).share_right == pytest.approx(-0.5)
    assert "about 0% of them can be right" in str(NameCheck(100, 20, 60).warning)
    assert NameCheck(100, 95, 1).warning is None
    too_few = NameCheck(FEWEST - 1, 0, FEWEST - 1)
    assert (too_few.share_right, too_few.warning) == (1.0, None)


def test_better_and_worse_rows() -> None:
    table = np.array([[0.5, 0.1], [0.2, 0.2], [0.0, 0.3], [0.9, 0.0]], np.float32)
    assert call(better_and_worse, table) == (2, 1)
    assert call(better_and_worse, table[:0]) == (0, 0)


def test_without_names_nothing_is_asked(world: World) -> None:
    work, config = workspace_of(world, "best", dim=32)
    before = work.problem
    drop_misleading_names(work, config)
    assert work.problem is before
