"""Pairs to begin with where nobody gave any; names where both graphs have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lighttea
from lighttea.assign.competition import Competition
from lighttea.errors import InputError
from lighttea.io.frames import frame_of_graph, graph_of_frame
from lighttea.io.literals import literal_rows, with_literals
from lighttea.progress import Progress
from lighttea.results.run import Run
from lighttea.solve.bootstrap import Trusted
from tests.worlds import World, fact_frame, random_facts, renamed

SMALL: dict[str, Any] = {"dim": 64, "rounds": 2}


def made(n_facts: int, *, timed: bool = True, n_entities: int = 300) -> World:
    """Four fifths of the facts on each side, under other names."""
    facts = random_facts(n_entities, n_facts, 5, timed=timed)
    left = graph_of_frame(fact_frame(*facts[: 9 * n_facts // 10]))
    right = graph_of_frame(fact_frame(*renamed(facts[n_facts // 10 :])))
    links = [(name, f"x{name}") for name in left.entities if f"x{name}" in right.entity_ids]
    return World(left, right, [], links)


@pytest.fixture(scope="module")
def world() -> World:
    return made(3000)


@pytest.fixture(scope="module")
def run(world: World) -> Run:
    return lighttea.align(world.left, world.right, **SMALL)


def test_no_seed_is_needed_where_time_tells_entities_apart(world: World, run: Run) -> None:
    first = run.info["rounds"][0]
    assert run.info["seeds"] == 0
    assert len(run.seeds) == 0
    assert first["found_seeds"] > 100
    assert first["found_seeds_precision"] > 0.9
    figures = run.evaluate(world.truth)
    assert figures.ranking.hits_at_1 > 0.9
    assert figures.links.precision > 0.95


def test_found_pairs_are_links_like_any_other(world: World, run: Run) -> None:
    """They are decided on again, and stand in the table with their confidence."""
    assert len(run.links) > run.info["rounds"][0]["found_seeds"] * 0.9
    assert run.links["confidence"].min() >= 0.5  # type: ignore[operator]


def test_it_does_not_depend_on_the_order_of_ids(world: World, run: Run) -> None:
    order = np.random.default_rng(0).permutation(len(world.right.facts))
    frame = frame_of_graph(world.right)[order.tolist()]
    again = lighttea.align(world.left, graph_of_frame(frame), **SMALL)
    one, other = (set(r.links.select("left", "right").rows()) for r in (run, again))
    assert len(one & other) > 0.95 * max(len(one), len(other))


def test_too_little_to_go_by_is_refused_with_advice() -> None:
    facts = [(f"a{i}", "r", f"b{i}", None, None) for i in range(60)]
    left, right = graph_of_frame(fact_frame(*facts)), graph_of_frame(fact_frame(*renamed(facts)))
    progress = Progress()
    progress.show_warning = lambda message: None  # type: ignore[method-assign]
    with pytest.raises(InputError, match=r"only \d+ sure pairs .*`seeds`"):
        lighttea.align(left, right, dim=32, progress=progress)


def named(world: World, *, alike: bool) -> World:
    """Everybody has a name; the same with other signs on the right, or another."""
    names = {e: f"Person {hash_of(e)}" for e in world.left.entities}
    other = {
        e: f"PERSON_{hash_of(e[1:])}" if alike else f"someone {hash_of(e)}"
        for e in world.right.entities
    }
    left, right = (
        with_literals(graph, literal_rows((e, "name", text, "", "") for e, text in own.items()))
        for graph, own in ((world.left, names), (world.right, other))
    )
    return World(left, right, world.seeds, world.truth)


def hash_of(name: str) -> int:
    return int(sum(ord(letter) * 31**i for i, letter in enumerate(name))) % 99991


def test_names_are_not_looked_at_without_literals() -> None:
    plain = made(1500)
    with_names = named(plain, alike=True)
    one = lighttea.align(plain.left, plain.right, literals=False, **SMALL)
    other = lighttea.align(with_names.left, with_names.right, literals=False, **SMALL)
    assert one.links.equals(other.links)


def test_names_link_what_nothing_else_can() -> None:
    world = named(made(400, timed=False, n_entities=250), alike=True)
    progress = Progress()
    progress.show_warning = lambda message: None  # type: ignore[method-assign]
    run = lighttea.align(world.left, world.right, literals=True, progress=progress, **SMALL)
    assert run.evaluate(world.truth).ranking.hits_at_1 > 0.95
    found = run.explain(run.links["left"][0])
    assert abs(sum(t["value"] for t in found.to_dict()["terms"]) - found.score) < 1e-4


def test_names_that_differ_do_little_harm(world: World, run: Run) -> None:
    other = named(world, alike=False)
    again = lighttea.align(other.left, other.right, literals=True, **SMALL)
    hits = [one.evaluate(world.truth).ranking.hits_at_1 for one in (run, again)]
    assert hits[1] > hits[0] - 0.05


def test_pairs_that_decoys_make_doubtful_are_told_with_their_number() -> None:
    confidence = np.array([0.9] * 40 + [0.8] * 8)
    is_decoy = np.arange(48) >= 40
    competition = Competition(confidence, confidence, is_decoy, np.full(48, -1), 0.5)
    told = Trusted(None, competition).cause
    assert told.startswith("40 pairs look sure, but so do 8 decoys (0.5 for each right entity)")
    assert "about 40% of the pairs are there by chance" in told


def test_pairs_without_a_decoy_beside_them_are_told_to_be_too_few() -> None:
    """Nothing is said of decoys where none won."""
    sure, right = np.full(3, 0.99), np.zeros(3, bool)
    competition = Competition(sure, sure, right, np.full(3, -1), per_target=1.0)
    cause = Trusted(None, competition).cause
    assert cause == "3 pairs look sure, too few to rule out chance"
    assert "not distinctive" in Trusted.nothing().cause
