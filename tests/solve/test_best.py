"""The `best` preset as a whole: known answers, more right than the paper, every idea a switch."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import lighttea
from lighttea.config import ADAPTABLE, make_config
from lighttea.errors import ConfigError
from lighttea.evaluate.calibration import expected_calibration_error
from lighttea.graph.pair import Links
from lighttea.io.frames import frame_of_graph, graph_of_frame
from lighttea.progress import Progress
from lighttea.results.checkpoint import Checkpoint
from lighttea.results.run import Run
from lighttea.similarity.merge import SOURCES
from lighttea.similarity.search import search_labels
from lighttea.solve import round as round_module
from lighttea.solve.likely import Likely, find_likely
from lighttea.solve.problem import fit_to_data
from lighttea.solve.round import searching_entities
from lighttea.types import LeftIds, RightIds
from tests.plain import value_of
from tests.worlds import (
    World,
    fact_frame,
    make_hard_world,
    make_world,
    random_facts,
    renamed,
    rounds_of,
    workspace_of,
)

SMALL: dict[str, Any] = {"preset": "best", "dim": 64}


@pytest.fixture(scope="module")
def hard() -> World:
    return make_hard_world()


def run_of(world: World, **options: Any) -> Run:
    return lighttea.align(world.left, world.right, seeds=world.seeds, **{**SMALL, **options})


@pytest.mark.parametrize("timed", [True, False])
def test_a_renamed_copy_aligns_perfectly(timed: bool) -> None:
    world = make_world(3, timed=timed)
    progress = Progress()
    progress.show_warning = lambda message: None  # type: ignore[method-assign]
    figures = run_of(world, progress=progress).evaluate(world.truth)
    assert figures.ranking.hits_at_1 == 1.0
    assert figures.links.precision == figures.links.recall == 1.0


@pytest.mark.slow
def test_more_is_right_than_with_the_paper(hard: World) -> None:
    """Means of three random seeds, one round and all."""

    def hits(**options: Any) -> float:
        runs = [run_of(hard, random_seed=seed, **options) for seed in range(3)]
        return float(np.mean([run.evaluate(hard.truth).ranking.hits_at_1 for run in runs]))

    assert hits(rounds=1) > hits(preset="paper", rounds=1) + 0.015
    assert hits() > hits(preset="paper") + 0.008


def confidences(world: World, **options: Any) -> pl.DataFrame:
    """The candidates of a short run, and how likely each is."""
    short = {"top_k": 20, "suggestions": 10, "rounds": 2, "threshold": 0.5}
    table = run_of(world, **{**short, **options}).candidates
    return table.select("left", "right", "confidence").sort("left", "right")


@pytest.fixture(scope="module")
def unchanged(hard: World) -> pl.DataFrame:
    return confidences(hard)


@pytest.mark.parametrize(
    "changed",
    [
        {"whitening": False},
        {"consensus": 0.2},
        {"consensus": 0.0},
        {"suggestions": 0},
        {"relation_evidence": False},
        {"joint_evidence": False},
        {"time_evidence": False},
        {"bootstrap": False},
        {"calibrated": False},
        {"adapt": ""},
    ],
    ids=str,
)
def test_every_idea_is_a_switch(
    hard: World, unchanged: pl.DataFrame, changed: dict[str, Any]
) -> None:
    after = confidences(hard, **changed)
    is_same = unchanged.shape == after.shape and np.allclose(
        unchanged["confidence"], after["confidence"], atol=1e-4
    )
    assert not is_same


@pytest.mark.parametrize(("convergence", "fewest", "most"), [(0.0, 5, 5), (0.9, 1, 1)])
def test_passes_end_when_the_links_stay(
    hard: World, monkeypatch: pytest.MonkeyPatch, convergence: float, fewest: int, most: int
) -> None:
    n_passes = 0
    plain = find_likely

    def counted(*arguments: Any) -> Likely:
        nonlocal n_passes
        n_passes += 1
        return plain(*arguments)

    monkeypatch.setattr(round_module, "find_likely", counted)
    run_of(hard, rounds=1, consensus_passes=5, convergence=convergence)
    assert fewest <= n_passes <= most


def test_a_later_round_takes_a_pass_less(hard: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins with what the round before found likely, instead of the seeds alone."""
    likely: list[Likely] = []
    plain = round_module.score_candidates

    def noted(work: Any, labels: Any, top: Any, beside: Any, so_far: Likely, config: Any) -> Any:
        likely.append(so_far)
        return plain(work, labels, top, beside, so_far, config)

    monkeypatch.setattr(round_module, "score_candidates", noted)
    run = run_of(hard, rounds=2, consensus_passes=3, convergence=0.0)
    assert len(run.info["rounds"]) == 2
    assert len(likely) == 3 + 2
    assert (likely[0].pairs.chance == 1).all()
    assert (likely[3].pairs.chance < 1).any()


def test_the_score_is_the_sum_of_its_terms(hard: World) -> None:
    table = run_of(hard, rounds=2, beta=0.2).candidates
    names = ("relational", "temporal", "time", "consensus", "likelihood")
    terms = [table[name] for name in names]
    gap = sum(terms[1:], terms[0]) - table["score"]
    assert gap.abs().to_numpy().max() < 1e-5
    assert all((term != 0).any() for term in terms)


def test_the_same_random_seed_gives_the_same_links(hard: World) -> None:
    one, other = run_of(hard, random_seed=7), run_of(hard, random_seed=7)
    assert one.links.equals(other.links)
    assert one.candidates.equals(other.candidates)


def links_of(*couples: tuple[int, int]) -> Links:
    left, right = zip(*couples, strict=True) if couples else ((), ())
    return Links(LeftIds(np.array(left, np.int32)), RightIds(np.array(right, np.int32)))


def test_rounds_end_when_hardly_anything_changes(hard: World) -> None:
    many = [(i, i) for i in range(200)]
    assert links_of(*many).agrees_with(links_of(*many), 0.01)
    assert links_of(*many, (200, 200)).agrees_with(links_of(*many), 0.01)
    assert not links_of(*many[:100]).agrees_with(links_of(*many), 0.01)  # half is gone
    assert not links_of(*many).agrees_with(links_of(*[(i, i + 1) for i in range(200)]), 0.01)
    assert not links_of(*many).agrees_with(links_of(), 0.01)  # the first round
    assert not links_of(*many).agrees_with(links_of(*many), 0.0)
    world = make_world(3)
    assert len(run_of(world, rounds=9).info["rounds"]) < 9
    assert len(run_of(world, rounds=4, convergence=0.0).info["rounds"]) == 4


def test_pairs_are_chosen_anew_in_every_round(hard: World) -> None:
    """The seeds of a round are the known ones and the pairs of the round before, no others."""
    info = run_of(hard, rounds=3, convergence=0.0).info
    course, known = info["rounds"], info["seeds"]
    assert course[0]["seeds"] == known + course[0]["found_seeds"]
    for before, after in pairwise(course):
        assert after["seeds"] == known + before["promoted"]


@pytest.mark.slow
def test_a_run_that_goes_on_ends_with_the_same_links(hard: World, tmp_path: Path) -> None:
    class Stops(Progress):
        def round_begins(self, number: int, rounds: int) -> None:
            if number == 3:
                raise KeyboardInterrupt

    whole = run_of(hard, convergence=0.0)
    checkpoint = Checkpoint(tmp_path / "state", resume=True)
    with pytest.raises(KeyboardInterrupt):
        run_of(hard, convergence=0.0, checkpoint=checkpoint, progress=Stops())
    progress = Progress()
    progress.show_warning = lambda message: None  # type: ignore[method-assign]
    again = run_of(hard, convergence=0.0, checkpoint=checkpoint, progress=progress)
    assert any("continuing after round 2" in said for said in progress.warnings)
    assert again.links.equals(whole.links)


@pytest.mark.parametrize("preset", ["paper", "best"])
def test_relations_of_both_sides_are_matched_and_kept_with_the_run(
    preset: str, tmp_path: Path
) -> None:
    world = make_world(3)
    run = run_of(world, preset=preset)
    run.save(tmp_path / "run")
    table = lighttea.load_run(tmp_path / "run").relations
    assert table.equals(run.relations)
    best = table.unique("left", keep="first", maintain_order=True)
    assert sorted(best.select("left", "right").rows()) == [(f"r{i}", f"qr{i}") for i in range(8)]
    assert not best["inverse"].any()
    assert (best["agreement"] > 0.9).all()
    assert table["agreement"].is_sorted(descending=True)


def test_a_relation_turned_round_is_matched_as_an_inverse() -> None:
    world = make_world(3)
    facts = [
        (tail, relation, head, begin, end)
        for head, relation, tail, begin, end in renamed(random_facts(60, 400, 3))
    ]
    right = graph_of_frame(fact_frame(*facts))
    table = lighttea.align(world.left, right, seeds=world.seeds, **SMALL).relations
    best = table.unique("left", keep="first", maintain_order=True)
    assert best["inverse"].all()
    assert sorted(best.select("left", "right").rows()) == [(f"r{i}", f"qr{i}") for i in range(8)]


def test_the_preset_is_the_one_of_the_documentation() -> None:
    config = make_config("best")
    assert config.whitening
    assert config.revise_promotions
    assert 0 < config.consensus < 1
    assert make_config("paper").consensus == 0


def test_the_data_choose_what_is_not_set() -> None:
    every = make_config("best")
    assert every.adapted == set(ADAPTABLE)
    set_by_hand = make_config("best", beta=0.4, temperature=0.02)
    assert set_by_hand.adapted == set(ADAPTABLE) - {"beta", "temperature"}
    assert make_config("best", beta=0.4, adapt="beta").adapted == {"beta"}
    assert make_config("best", adapt="").adapted == set()
    assert make_config("paper").adapted == set()
    of_lightea = make_config("best", method="lightea")
    assert of_lightea.adapted == {
        *("consensus", "convergence", "likelihood", "suggestions", "top_k")
    }
    with pytest.raises(ConfigError, match=r"adapt must be some of alpha, beta.*'depth'"):
        make_config("best", adapt="beta, depth")


def test_where_entities_are_many_each_gets_less(
    hard: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is set by hand stays, and so does the paper's preset."""
    names = ("convergence", "dim", "suggestions", "top_k")

    def fitted(*preset: Any, **options: Any) -> tuple[float, ...]:
        _, config = workspace_of(hard, *preset, **options)
        return tuple(getattr(config, name) for name in names)

    few, paper = fitted("best"), fitted("paper")
    monkeypatch.setattr("lighttea.similarity.search.EXACT_COUPLES", 100)
    assert fitted("best") == (0.02, few[1] // 2, 20, 50)
    assert fitted("best", top_k=70, dim=96, convergence=0.0) == (0.0, 96, 20, 70)
    assert fitted("best", top_k=30, adapt="top_k") == (0.01, make_config("best").dim, 50, 30)
    assert fitted("paper") == paper


def test_where_times_say_little_labels_are_wider_and_one_aspect_has_the_columns_of_two() -> None:
    def width(timed_share: float, **options: Any) -> int:
        pair: Any = SimpleNamespace(
            n_left=9000, n_right=9000, timed_share=timed_share, has_time=True
        )
        names: Any = None
        return fit_to_data(make_config("best", **options), pair, Progress(), names).dim

    assert width(0.9) == make_config("best").dim
    assert 2 * width(0.2) == width(0.2, alpha=0.0) > width(0.9, alpha=0.0)


def test_chosen_settings_are_told_and_what_is_set_stays(hard: World) -> None:
    course = run_of(hard, beta=0.2, rounds=2).info["rounds"]
    for one in course:
        chosen = {"alpha", "consensus", "likelihood", "temperature", "threshold"}
        assert set(one["settings"]) == chosen
        assert one["settings"]["temperature"] > 0
        assert 0 < one["promoted_precision_estimate"] <= 1
        assert 0 < one["share_with_counterpart"] <= 1
    assert run_of(hard, adapt="", rounds=1).info["rounds"][0]["settings"] == {}


@pytest.mark.slow
def test_dangling_entities_are_left_alone(hard: World) -> None:
    """A third of the right counterparts is gone; confidence says so, and the links are fewer."""
    gone = {right for _, right in hard.truth[::3]}
    facts = frame_of_graph(hard.right).filter(
        ~pl.col("head").is_in(gone) & ~pl.col("tail").is_in(gone)
    )
    right = graph_of_frame(facts)
    truth = [(a, b) for a, b in hard.truth if b not in gone and b in right.entity_ids]
    seeds = [(a, b) for a, b in hard.seeds if b in right.entity_ids]

    def figures(**options: Any) -> tuple[float, float, float]:
        run = lighttea.align(hard.left, right, seeds=seeds, **{**SMALL, **options})
        correct = run.links.join(
            pl.DataFrame(truth, schema=["left", "right"], orient="row"), on=["left", "right"]
        )
        is_right = run.links["left"].is_in(correct["left"].implode()).to_numpy()
        error = expected_calibration_error(run.links["confidence"].to_numpy(), is_right)
        return len(correct) / len(run.links), len(correct) / len(truth), error

    sure, found, _ = figures()
    all_sure, all_found, error = figures(min_confidence=0.0)
    assert sure > all_sure + 0.02
    assert found > all_found - 0.05
    assert error < 0.12
    plain_error = figures(min_confidence=0.0, calibrated=False)[2]
    assert error < plain_error


def test_candidates_say_which_searches_proposed_them(hard: World) -> None:
    (only,) = rounds_of(hard, preset="best", dim=64, rounds=1, top_k=10, suggestions=10)
    candidates = value_of(only.candidates)
    source, valid = candidates.source, candidates.valid
    assert (source[valid] > 0).all()
    assert not source[~valid].any()
    for bit in (bit for name, bit in SOURCES.items() if name != "rounds before"):
        assert ((source & bit) > 0).any()
        assert ((source & bit)[valid] == 0).any()


def test_with_hardly_any_seed_nothing_breaks(hard: World) -> None:
    """Scales cannot be told from a handful of candidates: the given settings are kept."""
    world = make_world(3, n_entities=12, n_facts=40)
    run = lighttea.align(world.left, world.right, seeds=world.seeds[:2], preset="best", dim=32)
    assert run.info["rounds"][0]["settings"]["temperature"] == make_config("best").temperature


def test_entities_with_a_promoted_pair_do_not_search_by_label(
    hard: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They choose among what evidence proposes; a preset without evidence searches for all."""
    asking: list[tuple[int, int]] = []
    answering: list[int] = []

    def counted(*arguments: Any) -> Any:
        if arguments[-2] is not None:
            asking.append((int(arguments[-2].sum()), len(arguments[-2])))
            answering.append(int(arguments[-1].sum()))
        return search_labels(*arguments)

    monkeypatch.setattr(round_module, "search_labels", counted)
    run = run_of(hard, rounds=2, bootstrap=False, convergence=0.0, decoys=0)
    promoted = run.info["rounds"][0]["promoted"]
    assert asking[0] == (len(hard.left.entities) - len(hard.seeds),) * 2
    assert asking[1][0] == asking[0][0] - promoted
    assert answering == [len(hard.right.entities) - len(hard.seeds) - n for n in (0, promoted)]
    found = run.candidates["left"].n_unique()
    assert found >= promoted  # they have candidates all the same
    asking.clear()
    run_of(hard, rounds=2, preset="paper", threshold=0.0)
    assert not asking


def test_a_decoy_may_be_found_where_the_entity_it_is_made_from_may(hard: World) -> None:
    work, config = workspace_of(hard, "best", dim=32, decoys=1000)
    problem = work.problem
    assert problem.decoys is not None
    taken = problem.right[: problem.n_targets : 3]
    seeds = Links(LeftIds(problem.left[: len(taken)]), RightIds(taken))
    _, answering = searching_entities(work, seeds, config)
    assert answering is not None
    sources = problem.right[problem.decoys.source]
    assert len(sources) > 10
    assert np.array_equal(answering[problem.n_targets :], ~np.isin(sources, taken))
    assert np.array_equal(answering[: problem.n_targets], np.arange(problem.n_targets) % 3 > 0)
