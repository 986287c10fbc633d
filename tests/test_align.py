"""`align` as a whole: known answers, promotion, errors, determinism."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import lighttea
from lighttea.errors import ConfigError, InputError, LightteaWarning
from lighttea.graph.pair import Pair
from lighttea.io.frames import graph_of_frame
from lighttea.progress import Progress
from lighttea.solve.rounds import run_rounds
from tests.worlds import World, fact_frame, make_world, random_facts, renamed, workspace_of

SMALL: dict[str, Any] = {"preset": "paper", "dim": 64, "top_k": 40}


class Warnings(Progress):
    """A progress that keeps what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def warn(self, message: str) -> None:
        self.said.append(message)


def test_a_config_and_names_give_the_same_run(world: World) -> None:
    given: dict[str, Any] = {"dim": 32, "top_k": 20, "rounds": 1, "threads": 1}
    graphs: dict[str, Any] = {"left": world.left, "right": world.right, "seeds": world.seeds}
    by_name = lighttea.align(**graphs, preset="paper", **given)
    config = lighttea.make_config("paper", **given)
    for run in (
        lighttea.align(**graphs, config=config),
        lighttea.align(**graphs, config=replace(config, rounds=3), rounds=1),
    ):
        assert run.info["config"] == by_name.info["config"]
        assert run.links.equals(by_name.links)
    assert by_name.info["preset"] == "paper"
    assert lighttea.align(**graphs, config=config).info["preset"] == "custom"


@pytest.mark.parametrize("n_rounds", [1, 3])
def test_a_renamed_copy_aligns_perfectly(world: World, n_rounds: int) -> None:
    run = lighttea.align(world.left, world.right, seeds=world.seeds, rounds=n_rounds, **SMALL)
    figures = run.evaluate(world.truth)
    assert figures.ranking.hits_at_1 == 1.0
    assert figures.links.precision == figures.links.recall == 1.0


def test_a_renamed_copy_without_time_aligns_and_says_so() -> None:
    world = make_world(3, timed=False)
    progress = Warnings()
    run = lighttea.align(world.left, world.right, seeds=world.seeds, progress=progress, **SMALL)
    assert run.evaluate(world.truth).ranking.hits_at_1 == 1.0
    assert progress.said == [
        "neither graph has a fact with a known time; aligning by relations only"
    ]
    assert run.info["config"]["temporal_propagation"] is False


def test_time_on_one_side_alone_is_switched_off(world: World) -> None:
    facts = random_facts(60, 400, 1, timed=False)
    right = graph_of_frame(fact_frame(*renamed(facts)))
    progress = Warnings()
    lighttea.align(world.left, right, seeds=world.seeds[:3], progress=progress, rounds=1, **SMALL)
    assert progress.said == [
        "the right graph has no fact with a known time; aligning by relations only"
    ]


def test_time_tells_apart_what_relations_cannot() -> None:
    """Two entities alike in all but their years, on both sides."""
    facts = [("p", "won", "prize", "1967", "1967"), ("k", "won", "prize", "1996", "1996")]
    left = graph_of_frame(fact_frame(*facts))
    right = graph_of_frame(fact_frame(*reversed(renamed(facts))))
    run = lighttea.align(left, right, seeds=[("prize", "xprize")], **SMALL)
    assert dict(run.links.select("left", "right").rows()) == {"p": "xp", "k": "xk"}
    blind = lighttea.align(
        left,
        right,
        seeds=[("prize", "xprize")],
        temporal_propagation=False,
        temporal_constraint=False,
        **SMALL,
    )
    assert blind.evaluate([("p", "xp"), ("k", "xk")]).ranking.hits_at_1 == 0  # a tie is no hit


def test_links_are_one_to_one_and_leave_the_seeds_out(world: World) -> None:
    run = lighttea.align(world.left, world.right, seeds=world.seeds, rounds=1, **SMALL)
    assert run.links.columns == ["left", "right", "score", "confidence", "margin", "fdr", "alarms"]
    assert run.links["left"].is_unique().all()
    assert run.links["right"].is_unique().all()
    assert not set(run.links["left"]) & {left for left, _ in world.seeds}
    assert not set(run.links["right"]) & {right for _, right in world.seeds}
    assert run.links["confidence"].is_between(0, 1.000001).all()
    assert (run.links["margin"] <= run.links["confidence"] + 1e-6).all()


def test_the_score_is_the_sum_of_its_terms(world: World) -> None:
    run = lighttea.align(world.left, world.right, seeds=world.seeds, rounds=2, **SMALL)
    table = run.candidates
    gap = table["relational"] + table["temporal"] + table["time"] - table["score"]
    assert gap.abs().to_numpy().max() < 1e-5
    assert (table["relational"] != 0).any()
    assert (table["temporal"] != 0).any()
    assert (table["time"] > 0).any()
    link = run.links.row(0, named=True)
    same = table.filter((pl.col("left") == link["left"]) & (pl.col("right") == link["right"]))
    assert same.row(0, named=True)["score"] == pytest.approx(link["score"])
    assert same["rank"].to_list() == [1]


def test_the_same_random_seed_gives_the_same_links(world: World) -> None:
    def links(**options: Any) -> pl.DataFrame:
        run = lighttea.align(world.left, world.right, seeds=world.seeds, **SMALL, **options)
        return run.links.sort("left")

    assert links(random_seed=7).equals(links(random_seed=7))
    other = links(random_seed=8)
    assert not links(random_seed=7)["score"].equals(other["score"])
    one, two = links(threads=1), links(threads=2)
    assert one.select("left", "right").equals(two.select("left", "right"))
    assert np.allclose(one["score"], two["score"], atol=1e-5)


@pytest.fixture(scope="module")
def noisy() -> World:
    """Half of the facts on one side only: nothing here is easy."""
    facts = random_facts(120, 700, 11)
    left, right = facts[:500], renamed(facts[200:])
    world = make_world(11, n_entities=120, n_facts=700)
    return World(
        graph_of_frame(fact_frame(*left)), graph_of_frame(fact_frame(*right)), [], world.truth
    )


def known_in(world: World) -> list[tuple[str, str]]:
    left, right = world.left.entity_ids, world.right.entity_ids
    return [(a, b) for a, b in world.truth if a in left and b in right]


@pytest.mark.parametrize(
    "changed",
    [
        {"alpha": 0.9},
        {"beta": 0.9},
        {"dim": 32},
        {"depth": 1},
        {"sketch_factor": 4},
        {"top_k": 5},
        {"temperature": 0.2},
        {"iterations": 1},
        {"threshold": 0.1},
        {"rounds": 1},
        {"temporal_propagation": False},
        {"temporal_constraint": False},
        {"sinkhorn": False},
        {"random_seed": 5},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_every_option_has_an_effect(noisy: World, changed: dict[str, Any]) -> None:
    seeds = known_in(noisy)[:15]
    base: dict[str, Any] = {"dim": 48, "top_k": 30, "rounds": 2, "threshold": 0.6}
    base["preset"] = "paper"

    def table(options: dict[str, Any]) -> pl.DataFrame:
        run = lighttea.align(noisy.left, noisy.right, seeds=seeds, **options)
        return run.candidates.select("left", "right", "score", "confidence").sort("left", "right")

    before, after = table({**base}), table({**base, **changed})
    same = before.shape == after.shape and np.allclose(
        before["confidence"], after["confidence"], atol=1e-4
    )
    assert not same


def test_iterative_learning_promotes_what_is_sure(noisy: World) -> None:
    known = replace(noisy, seeds=known_in(noisy)[:15])
    work, config = workspace_of(known, dim=64, top_k=50, rounds=3, threshold=0.7)
    problem, rng = work.problem, np.random.default_rng(0)
    n_seeds = 15
    paired_left, paired_right = set(problem.known.left), set(problem.known.right)
    n_promoted = []
    for one in run_rounds(work, config=config, rng=rng, seeds=problem.known):
        assert one.n_seeds == n_seeds
        promoted = one.promoted
        assert not paired_left & set(promoted.left)
        assert not paired_right & set(promoted.right)
        assert len(set(promoted.right)) == len(promoted)
        value = np.concatenate([work.engine.fetch(block) for block in one.assignment.value])
        rows = np.searchsorted(problem.left, promoted.left)
        assert (value[rows].max(axis=1) > 0.7).all()
        n_promoted.append(len(promoted))
        n_seeds += len(promoted)
        assert len(one.next_seeds) == n_seeds
        paired_left |= set(promoted.left)
        paired_right |= set(promoted.right)
    assert len(n_promoted) == 3
    assert n_promoted[0] > 0


def test_rounds_stop_when_nothing_is_promoted(world: World) -> None:
    run = lighttea.align(
        world.left, world.right, seeds=world.seeds, rounds=9, threshold=1.0, **SMALL
    )
    assert len(run.info["rounds"]) == 1


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ([("e1", "nobody")], "'nobody' is not an entity of the right graph"),
        ([("nobody", "xe1")], "'nobody' is not an entity of the left graph"),
        (
            [("e1", "xe1"), ("e1", "xe2")],
            "left entity 'e1' has 2 partners: 'xe1' .* and 'xe2'",
        ),
        (
            [("e1", "xe1"), ("e2", "xe1")],
            "right entity 'xe1' has 2 partners: 'e1' .* and 'e2'",
        ),
        ([], "the seeds are empty"),
    ],
)
def test_wrong_seeds_are_refused(
    world: World, seeds: list[tuple[str, str]] | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        lighttea.align(world.left, world.right, seeds=seeds, **SMALL)


def test_a_repeated_seed_counts_once(world: World) -> None:
    progress = Warnings()
    seeds = [*world.seeds, world.seeds[0]]
    run = lighttea.align(world.left, world.right, seeds=seeds, progress=progress, rounds=1, **SMALL)
    assert run.info["seeds"] == len(world.seeds)
    assert progress.said == ["1 duplicate seeds, counted once"]


def test_seeds_without_facts_are_refused() -> None:
    facts = random_facts(20, 60, 0)
    lonely = graph_of_frame(fact_frame(*facts), entities=["alone"])
    other = graph_of_frame(fact_frame(*renamed(facts)), entities=["xalone"])
    with pytest.raises(InputError, match="occurs in a fact of the left graph"):
        lighttea.align(lonely, other, seeds=[("alone", "xalone")], **SMALL)


def test_graphs_out_of_reach_of_the_seeds_are_refused() -> None:
    """The seeds are an island of their own; nothing else hears of them."""
    island = [("i", "r", "j", "1900", "1900")]
    facts = [*random_facts(20, 60, 0), *island]
    left, right = graph_of_frame(fact_frame(*facts)), graph_of_frame(fact_frame(*renamed(facts)))
    with pytest.raises(InputError, match="connected to a seed"):
        lighttea.align(
            left,
            right,
            seeds=[("i", "xi"), ("j", "xj")],
            temporal_propagation=False,
            temporal_constraint=False,
            **SMALL,
        )


def test_nothing_left_to_align() -> None:
    facts = [("a", "r", "b", "1900", "1900")]
    graph = graph_of_frame(fact_frame(*facts))
    with pytest.raises(InputError, match="nothing is left to align"):
        lighttea.align(graph, graph, seeds=[("a", "a"), ("b", "b")], **SMALL)


def test_an_option_out_of_bounds_is_refused(world: World) -> None:
    with pytest.raises(ConfigError, match="temperature must be > 0; got 0"):
        lighttea.align(world.left, world.right, seeds=world.seeds, temperature=0)


def test_truth_of_other_graphs_is_refused(world: World) -> None:
    run = lighttea.align(world.left, world.right, seeds=world.seeds, rounds=1, **SMALL)
    with pytest.raises(InputError, match="are the columns swapped"):
        run.evaluate([(b, a) for a, b in world.truth])


def test_seeds_are_no_achievement(world: World) -> None:
    run = lighttea.align(world.left, world.right, seeds=world.seeds, rounds=1, **SMALL)
    with_seeds = run.evaluate([*world.truth, *world.seeds])
    assert with_seeds.n_truth == len(world.truth)
    assert with_seeds.n_seeds_left_out == len(world.seeds)
    assert with_seeds.links == run.evaluate(world.truth).links


def test_python_users_are_warned_and_the_run_remembers() -> None:
    world = make_world(3, timed=False)
    with pytest.warns(LightteaWarning, match="aligning by relations only"):
        run = lighttea.align(world.left, world.right, seeds=world.seeds, rounds=1, **SMALL)
    assert len(run.info["warnings"]) == 1


def test_without_time_facts_that_differ_in_time_alone_are_one() -> None:
    facts = [("a", "r", "b", "2001", "2003"), ("a", "r", "b", "2005", "2005")]
    graph = graph_of_frame(fact_frame(*facts))
    timed, untimed = Pair.of(graph, graph), Pair.of(graph, graph, timed=False)
    assert len(timed.head) == 12
    assert len(untimed.head) == 4
    assert (untimed.tick == -1).all()


def test_swapped_graphs_and_foreign_seeds_are_told_in_one_sentence(world: World) -> None:
    with pytest.raises(InputError, match="swapped") as caught:
        lighttea.align(world.right, world.left, seeds=world.seeds, **SMALL)
    assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(InputError, match="'nobody' is not an entity of the right graph"):
        lighttea.align(world.left, world.right, seeds=[(world.truth[0][1], "nobody")], **SMALL)
    with pytest.raises(InputError, match="no seed names an entity of these graphs"):
        lighttea.align(world.left, world.right, seeds=[("p", "q"), ("r", "s")], **SMALL)


def test_numpy_numbers_are_numbers(world: World) -> None:
    run = lighttea.align(
        world.left,
        world.right,
        seeds=world.seeds,
        rounds=1,
        alpha=np.float32(0.25),  # type: ignore[arg-type]
        random_seed=np.int64(3),  # type: ignore[arg-type]
        **SMALL,
    )
    assert run.info["config"]["random_seed"] == 3
    assert type(run.info["config"]["alpha"]) is float


def test_true_links_of_unknown_entities_are_counted(world: World) -> None:
    run = lighttea.align(world.left, world.right, seeds=world.seeds, rounds=1, **SMALL)
    figures = run.evaluate([*world.truth, ("left entity", "right entity")])
    assert figures.n_unknown == 1
    assert figures.n_truth == len(world.truth) + 1
