"""What a user lays down is obeyed: must, cannot, types, how many links, how sure."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import lighttea
from lighttea.config import Preset
from lighttea.errors import ConfigError, InputError, LightteaWarning
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.inputs.constraints import make_allowed
from lighttea.io.frames import graph_of_frame
from lighttea.progress import Progress
from lighttea.results.run import Run
from lighttea.similarity.allowed import refused_pairs, strike_refused
from lighttea.types import NO_CANDIDATE, LeftIds, RightIds
from tests.plain import call
from tests.tables import make_candidates
from tests.worlds import (
    World,
    fact_frame,
    make_hard_world,
    make_world,
    random_facts,
    renamed,
    rounds_of,
)

SMALL: dict[str, Any] = {"dim": 64, "top_k": 40, "threads": 1}
PRESETS = ["paper", "best"]


def align(world: World, **options: Any) -> Run:
    return lighttea.align(world.left, world.right, **{"seeds": world.seeds, **SMALL, **options})


def pairs(frame: pl.DataFrame) -> set[tuple[str, str]]:
    return set(frame.select("left", "right").rows())


def ids(graph_left: Graph, graph_right: Graph, links: list[tuple[str, str]]) -> Links:
    return Links(
        LeftIds(np.array([graph_left.entity_ids[a] for a, _ in links], np.int32)),
        RightIds(np.array([graph_right.entity_ids[b] for _, b in links], np.int32)),
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_a_cannot_link_is_never_a_link_nor_a_candidate(world: World, preset: str) -> None:
    free = align(world, preset=preset)
    banned = sorted(pairs(free.links) & set(world.truth))[:10]
    assert len(banned) == 10
    run = align(world, preset=preset, cannot_link=banned)
    assert not pairs(run.links) & set(banned)
    assert not pairs(run.candidates) & set(banned)
    assert run.info["cannot_links"] == 10
    assert len(pairs(run.links) & set(world.truth)) > 25  # the others are found as before


@pytest.mark.parametrize("revise", [False, True])
def test_a_cannot_link_is_never_promoted(world: World, revise: bool) -> None:
    banned = world.truth[:15]
    cannot = ids(world.left, world.right, banned)
    allowed = make_allowed(world.left, world.right, cannot, None, None, Progress())
    options: dict[str, Any] = {
        "dim": 64,
        "top_k": 40,
        "threshold": 0.05,
        "revise_promotions": revise,
    }
    n_promoted = 0
    for result in rounds_of(world, allowed=allowed, **options):
        promoted = set(zip(result.promoted.left, result.promoted.right, strict=True))
        n_promoted += len(promoted)
        assert not promoted & set(zip(cannot.left, cannot.right, strict=True))
    assert n_promoted > 30


def test_what_forbids_nothing_changes_nothing(world: World) -> None:
    left, right = (sorted(g.entities) for g in (world.left, world.right))
    same = [(name, "thing") for name in (*left, *right)]
    assert align(world, types=same).links.equals(align(world).links)
    seed = world.seeds[0][0]
    other = world.seeds[1][1]
    assert align(world, cannot_link=[(seed, other)]).links.equals(align(world).links)


def test_must_links_are_seeds(world: World) -> None:
    must = world.truth[:5]
    run = align(world, must_link=[*must, must[0], world.seeds[0]])
    assert run.seeds.rows() == [*world.seeds, *must]
    assert run.info["seeds"] == len(world.seeds) + 5
    assert not pairs(run.links) & set(must)
    together = align(world, seeds=[*world.seeds, *must])
    assert run.links.equals(together.links)


def test_must_links_alone_are_enough(world: World) -> None:
    alone = align(world, seeds=None, must_link=world.seeds)
    assert alone.links.equals(align(world).links)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"must_link": [("e1", "xe1")], "cannot_link": [("e2", "xe2"), ("e1", "xe1")]},
            "cannot-link 2 forbids what must-link 1 demands: 'e1' and 'xe1'; remove one of them",
        ),
        (
            {"seeds": [("e3", "xe3")], "cannot_link": [("e3", "xe3")]},
            "cannot-link 1 forbids what seed 1 demands: 'e3' and 'xe3'",
        ),
        (
            {"seeds": [("e3", "xe3")], "must_link": [("e1", "xe1"), ("e3", "xe4")]},
            "left entity 'e3' has 2 partners: 'xe3' (seed 1) and 'xe4' (must-link 2); keep one",
        ),
        (
            {"seeds": [("e3", "xe3")], "must_link": [("e4", "xe3")]},
            "right entity 'xe3' has 2 partners: 'e3' (seed 1) and 'e4' (must-link 1)",
        ),
        ({"must_link": [("e1", "nobody")]}, "must-link 1: 'nobody' is not an entity of the right"),
        ({"cannot_link": [("no", "xe1")]}, "cannot-link 1: 'no' is not an entity of the left"),
        ({"types": [("nobody", "person")]}, "no entity of the types is in the left graph"),
        ({"left_types": [("e1", "person")]}, "the right graph has no types"),
        ({"types": [("e1", "person", "?")]}, "a type is a couple"),
        ({"types": pl.DataFrame({"a": ["e1"]})}, "types need columns entity and type; found: a"),
    ],
)
def test_contradictions_and_strangers_are_refused(
    world: World, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        align(world, **options)
    assert said in str(caught.value)


def test_all_contradictions_come_at_once_and_name_file_and_line(world: World) -> None:
    frame = pl.DataFrame(world.seeds, schema=["left", "right"], orient="row").with_row_index(
        "line", offset=2
    )
    with pytest.raises(InputError) as caught:
        align(
            world,
            seeds=frame.with_columns(source=pl.lit("seeds.tsv")),
            cannot_link=frame.with_columns(source=pl.lit("no.tsv")),
        )
    lines = str(caught.value).splitlines()
    assert len(lines) == len(world.seeds)
    assert "no.tsv:2 forbids what seeds.tsv:2 demands" in lines[0]


def test_known_and_different_types_are_refused_and_unknown_ones_neutral(world: World) -> None:
    free = align(world, preset="paper")
    true = sorted(pairs(free.links) & set(world.truth))
    left_types = [(a, "person") for a, _ in true[:20]] + [(true[20][0], "city")]
    right_types = [(b, "person") for _, b in true[:10]]
    right_types += [(b, "city") for _, b in true[10:20]] + [(true[20][1], "person")]
    right_types += [(true[20][1], "city")]  # one of several types is enough
    run = align(world, preset="paper", left_types=left_types, right_types=right_types)
    found = pairs(run.links)
    assert set(true[:10]) <= found
    assert not found & set(true[10:20])
    assert not pairs(run.candidates) & set(true[10:20])
    assert true[20] in pairs(run.candidates)
    assert len(found & set(true[21:])) > 0.8 * len(true[21:])
    one, other = dict(left_types), dict(right_types)
    for a, b in pairs(run.candidates):
        assert a not in one or b not in other or one[a] == other[b] or b == true[20][1]
    assert run.info["types"]


def test_types_of_strangers_and_odd_seeds_are_said(world: World) -> None:
    (a, b), *_ = world.seeds
    with pytest.warns(LightteaWarning) as said:
        align(world, left_types=[(a, "x"), ("nobody", "x")], right_types=[(b, "y")])
    messages = [str(one.message) for one in said]
    assert "1 types of the left graph skipped: neither graph has their entities" in messages[0]
    assert "1 seeds link entities of different types" in messages[1]


def twins() -> tuple[Graph, Graph, list[tuple[str, str]], list[tuple[str, str]]]:
    """Every fifth entity stands twice on the left, each with most of the facts of the other."""
    facts = random_facts(60, 600, 4)
    doubled = [str(name) for name in sorted({f[0] for f in facts})][::5]
    rng = np.random.default_rng(0)
    copies = [(f"{f[0]}-twin", *f[1:]) for f in facts if f[0] in doubled and rng.random() < 0.9] + [
        (f[0], f[1], f"{f[2]}-twin", *f[3:])
        for f in facts
        if f[2] in doubled and rng.random() < 0.9
    ]
    left = graph_of_frame(fact_frame(*facts, *copies))
    right = graph_of_frame(fact_frame(*renamed(facts)))
    everyone = [e for e in left.entities if not e.endswith("-twin")]
    seeds = [(e, f"x{e}") for e in everyone if e not in doubled][:10]
    return left, right, seeds, [(f"{e}-twin", f"x{e}") for e in doubled]


@pytest.mark.parametrize("preset", PRESETS)
def test_many_to_one_links_twins_to_the_same_entity(preset: Preset) -> None:
    left, right, seeds, twin_links = twins()
    links = lighttea.align(left, right, seeds=seeds, preset=preset, **SMALL).links
    assert links["right"].is_unique().all()
    many = lighttea.align(left, right, seeds=seeds, preset=preset, many_to_one=True, **SMALL).links
    assert many["left"].is_unique().all()
    found = pairs(many)
    both = [
        (twin, right_one)
        for twin, right_one in twin_links
        if {(twin, right_one), (twin.removesuffix("-twin"), right_one)} <= found
    ]
    assert len(both) >= 0.5 * len(twin_links)
    sure = many.filter(pl.col("confidence") > 0.5)
    assert not sure["right"].is_unique().all()


def test_many_to_one_seeds_may_share_a_right_entity_and_so_may_links() -> None:
    left, right, seeds, twin_links = twins()
    (twin, shared), (twin2, shared2), *_ = twin_links
    given = [*seeds, (twin.removesuffix("-twin"), shared), (twin, shared)]
    with pytest.raises(InputError, match="right entity"):
        lighttea.align(left, right, seeds=given, **SMALL)
    given.append((twin2.removesuffix("-twin"), shared2))
    run = lighttea.align(left, right, seeds=given, many_to_one=True, **SMALL)
    assert run.seeds.rows() == given
    assert twin not in run.links["left"].to_list()
    assert (twin2, shared2) in pairs(run.links)  # a seed's partner may be linked to again
    with pytest.raises(InputError, match="left entity"):
        lighttea.align(left, right, seeds=[*seeds, (seeds[0][0], shared)], many_to_one=True)


def test_top_n_links_the_best_candidates(world: World) -> None:
    run = align(world, top_n=3)
    best = run.candidates.filter(pl.col("rank") <= 3)
    assert pairs(run.links) == pairs(best)
    assert run.links["left"].value_counts()["count"].max() == 3
    assert not run.links["right"].is_unique().all()
    top = run.links.filter(pl.col("margin") > 0)
    assert top["left"].is_unique().all()
    assert pairs(align(world, top_n=1).links) == pairs(run.candidates.filter(pl.col("rank") == 1))


def test_links_below_the_confidence_are_left_out(world: World) -> None:
    whole = align(world, preset="paper").links
    middle = float(whole["confidence"].median())  # type: ignore[arg-type]
    some = align(world, preset="paper", min_confidence=middle).links
    assert some.equals(whole.filter(pl.col("confidence") >= middle))
    assert 0 < len(some) < len(whole)


@pytest.mark.parametrize("fdr_is_stricter", [True, False])
def test_confidence_and_fdr_leave_links_out_together(fdr_is_stricter: bool) -> None:
    world = make_hard_world()
    options: dict[str, Any] = {"dim": 32, "rounds": 1, "top_n": 2}
    whole = align(world, **options).links
    levels = whole.unique("confidence").sort("confidence", descending=True)
    strict, lax = len(levels) // 3, 2 * len(levels) // 3
    max_fdr = levels["fdr"][strict if fdr_is_stricter else lax]
    min_confidence = levels["confidence"][lax if fdr_is_stricter else strict]
    kept = align(world, min_confidence=min_confidence, max_fdr=max_fdr, **options).links
    # other links beside a link may be what is odd about it
    kept, whole = kept.drop("alarms"), whole.drop("alarms")
    sure, below = pl.col("confidence") >= min_confidence, pl.col("fdr") <= max_fdr
    assert kept.equals(whole.filter(below if fdr_is_stricter else sure))
    assert kept.equals(whole.filter(sure & below))
    assert 0 < len(kept) < len(whole)


def test_with_several_links_of_an_entity_the_fdr_is_still_that_of_the_links() -> None:
    links = align(make_hard_world(), top_n=2, dim=64, rounds=1).links
    expected = [
        float((1 - links.filter(pl.col("confidence") >= value)["confidence"]).mean())  # type: ignore[arg-type]
        for value in links["confidence"]
    ]
    assert links["fdr"].to_list() == pytest.approx(expected, abs=1e-5)
    assert links["left"].is_duplicated().any()


@pytest.mark.parametrize("options", [{"preset": "paper"}, {"many_to_one": True}])
def test_without_calibration_the_fdr_is_empty(world: World, options: dict[str, Any]) -> None:
    links = align(world, **options).links
    assert len(links) > 0
    assert links["fdr"].null_count() == len(links)


def test_too_few_candidates_to_calibrate_are_told() -> None:
    few = make_world(n_entities=16, n_facts=80, n_seeds=4)
    assert align(few).links["fdr"].is_null().all()
    with pytest.raises(ConfigError, match="too few candidates to calibrate"):
        align(few, max_fdr=0.01)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"min_confidence": 1.1}, "min_confidence must be <= 1; got 1.1"),
        ({"max_fdr": -0.1}, "max_fdr must be >= 0; got -0.1"),
        ({"max_fdr": 0.1, "preset": "paper"}, "max_fdr` needs `calibrated`"),
        ({"max_fdr": 0.1, "sinkhorn": False}, "max_fdr` needs `calibrated` and `sinkhorn"),
        (
            {"max_fdr": 0.1, "many_to_one": True},
            "calibrated confidence, and `many_to_one=True` gives",
        ),
        ({"top_n": -1}, "top_n must be >= 0; got -1"),
        ({"many_to_one": 1}, "many_to_one must be True or False; got 1"),
    ],
)
def test_rules_out_of_bounds_are_refused(world: World, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        align(world, **options)


@pytest.mark.parametrize("n_rows_at_once", [2, 4096])
@pytest.mark.parametrize("random_seed", range(5))
def test_refused_pairs_are_those_of_a_dictionary(
    random_seed: int, n_rows_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow, obvious reference: sets of names for every pair."""
    rng = np.random.default_rng(random_seed)
    left, right = (
        graph_of_frame(fact_frame(*((f"{s}{n}", "r", f"{s}{n + 1}", None, None) for n in range(8))))
        for s in ("a", "b")
    )
    names = list(left.entities), list(right.entities)
    draw = [(str(rng.choice(names[0])), str(rng.choice(names[1]))) for _ in range(15)]
    types = [
        [(str(rng.choice(side)), str(rng.choice(["p", "q", "s"]))) for _ in range(7)]
        for side in names
    ]
    allowed = make_allowed(left, right, ids(left, right, draw), types[0], types[1], Progress())
    assert allowed is not None
    own = [
        {name: {kind for entity, kind in table if entity == name} for name in side}
        for side, table in zip(names, types, strict=True)
    ]

    def is_refused(left_id: int, right_id: int) -> bool:
        one, other = names[0][left_id], names[1][right_id]
        known = own[0][one] and own[1][other]
        return (one, other) in draw or bool(known and not own[0][one] & own[1][other])

    left_ids = LeftIds(rng.permutation(9)[:6])
    right_ids = RightIds(rng.permutation(9)[:7])
    index = rng.integers(NO_CANDIDATE, 7, (6, 5)).astype(np.int32)
    candidates = make_candidates(index, np.zeros(index.shape))
    monkeypatch.setattr("lighttea.similarity.allowed._ROWS", n_rows_at_once)
    struck = call(strike_refused, candidates, allowed, left_ids, right_ids).index
    for (row, column), place in np.ndenumerate(index):
        gone = place == NO_CANDIDATE or is_refused(int(left_ids[row]), int(right_ids[place]))
        assert struck[row, column] == (NO_CANDIDATE if gone else place)
    assert np.array_equal(candidates.index, index)  # the candidates given stay as they are
    every = np.array([(i, j) for i in range(9) for j in range(9)])
    refused = call(refused_pairs, allowed, every[:, 0], every[:, 1])
    assert refused.tolist() == [is_refused(i, j) for i, j in every.tolist()]
