"""Explanations: faithful sums, facts matched up, what decided, and errors that help."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lighttea
from lighttea.errors import InputError
from lighttea.example import example_file
from lighttea.explain.explanation import Explanation
from lighttea.io.frames import frame_of_graph, graph_of_frame
from lighttea.results.run import Run
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from tests.conftest import CANNOT
from tests.worlds import World, fact_frame, make_hard_world

PRESETS = ("paper", "best")
SPLIT_EXACTLY = ("time", "consensus", "likelihood")


def run_of_dataset(folder: Path, n_seeds: int, **options: Any) -> Run:
    data = lighttea.read_dataset(folder)
    return lighttea.align(data.left, data.right, seeds=data.pairs.head(n_seeds), **options)


def some_pairs(run: Run, n: int) -> list[tuple[str, str]]:
    """Random candidates, half of them links."""
    rng = np.random.default_rng(5)
    links = run.links.select("left", "right")
    candidates = run.candidates.select("left", "right")
    return [
        (str(a), str(b))
        for frame in (links, candidates)
        for a, b in frame[rng.choice(len(frame), min(len(frame), n // 2), replace=False)].rows()
    ]


def check_faithful(run: Run, n: int) -> None:
    """Terms add up to the score; what can be split exactly is; nothing is lost on the way."""
    pairs = some_pairs(run, n)
    for left, right in pairs:
        found = run.explain(left, right)
        assert sum(part.value for part in found.terms) == pytest.approx(found.score, abs=1e-4)
        for name, value in found.aspects.items():
            parts = [part for part in found.terms if part.term == name]
            assert sum(part.value for part in parts) == pytest.approx(value, abs=1e-6)
            assert name not in SPLIT_EXACTLY or all(part.exact for part in parts), (left, right)
    assert len(pairs) >= n // 2


@pytest.fixture(scope="module", params=PRESETS)
def synth_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run on a made-up world, read back from its folder."""
    folder = tmp_path_factory.mktemp("synth")
    write_synth(folder / "world", SynthConfig(entities=1500, random_seed=3))
    run = run_of_dataset(folder / "world", 150, preset=request.param, dim=64, rounds=2)
    return lighttea.load_run(run.save(folder / "run"))


def test_terms_add_up_to_the_score_on_a_made_up_world(synth_run: Run) -> None:
    check_faithful(synth_run, 1000)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("preset", PRESETS)
def test_terms_add_up_to_the_score_on_a_real_one(data_folder: Path, preset: str) -> None:
    folder = data_folder / "YAGO-WIKI20K"
    if not folder.is_dir():
        pytest.skip(f"{CANNOT}LIGHTTEA_DATA has no folder YAGO-WIKI20K")
    options: dict[str, Any] = {"dim": 32, "rounds": 1, "top_k": 20}
    if preset == "best":
        options["bootstrap"] = False  # who found the first pairs does not matter here
    check_faithful(run_of_dataset(folder, 400, preset=preset, **options), 1000)


@pytest.mark.parametrize(
    "options",
    [
        {"consensus_passes": 1},
        {"temporal_constraint": False},
        {"temporal_propagation": False, "temporal_constraint": False},
        {"temporal_propagation": False},
        {"sinkhorn": False},
        {"alpha": 1.0},
        {"relation_evidence": False, "time_evidence": False},
    ],
    ids=str,
)
def test_every_setting_can_be_explained(world: World, options: dict[str, Any]) -> None:
    options = {"preset": "best", "dim": 32, "rounds": 2, **options}
    run = lighttea.align(world.left, world.right, seeds=world.seeds, **options)
    check_faithful(run, 60)
    found = run.explain(str(run.links["left"][0]))
    assert (found.assignment is None) == (options.get("sinkhorn") is False)


def example_run(**options: Any) -> Run:
    """Days on one side, years on the other, names that resemble each other."""
    left, right = (lighttea.read_graph(example_file(name)) for name in ("left.tsv", "right.csv"))
    return lighttea.align(left, right, **options)


@pytest.mark.slow
@pytest.mark.parametrize("names", [False, True])
def test_the_default_is_explained_exactly(names: bool, tmp_path: Path) -> None:
    """Days and years, names or none, seeds found, weights chosen by the data."""
    seeds = lighttea.read_links(example_file("seeds.tsv"))
    run = example_run(seeds=seeds if names else None, literals=names)
    assert run.info["preset"] == "best"
    assert run.info["config"]["mixed_granularity"]
    check_faithful(lighttea.load_run(run.save(tmp_path / "run")), 1000)
    literals = [match for left in run.links["left"][:50] for match in run.explain(left).literals]
    assert bool(literals) == names
    assert {match.left.attribute for match in literals} <= {"id"}


def test_names_of_their_own_are_explained_exactly() -> None:
    """What entities are called is not their id."""
    seeds = lighttea.read_links(example_file("seeds.tsv"))
    sides = [lighttea.read_graph(example_file(name)) for name in ("left.tsv", "right.csv")]
    left, right = (
        replace(
            graph_of_frame(frame_of_graph(graph).with_columns(pl.col("head", "tail") + "#")),
            entity_names={f"{name}#": name.replace("_", " ") for name in graph.entities},
        )
        for graph in sides
    )
    known = seeds.select(pl.col("left", "right") + "#")
    run = lighttea.align(left, right, seeds=known, literals=True, dim=64, rounds=2)
    check_faithful(run, 200)


def test_a_run_with_several_links_of_one_entity(world: World) -> None:
    run = lighttea.align(world.left, world.right, seeds=world.seeds, dim=32, rounds=1, top_n=3)
    left = str(run.links["left"][0])
    own = run.links.filter(pl.col("left") == left)
    assert len(own) == 3
    assert run.explain(left).right == own["right"][0]
    for row in own.rows(named=True):
        found = run.explain(left, row["right"])
        assert found.is_link
        assert found.margin == pytest.approx(row["margin"])
    others = [r for r in run.explainer.candidates_of(left)["right"] if r not in set(own["right"])]
    assert not run.explain(left, others[0]).is_link


# ------------------------------------------------------------------------ taking evidence away


def without(graph: lighttea.Graph, source: pl.DataFrame, fact: Any, entity: str) -> lighttea.Graph:
    """The graph without the facts that this one stands for."""
    ends = (fact.neighbour, entity) if fact.inverse else (entity, fact.neighbour)
    gone = (
        (pl.col("head") == ends[0])
        & (pl.col("tail") == ends[1])
        & (pl.col("relation") == fact.relation)
        & pl.col("begin").eq_missing(pl.lit(fact.begin, pl.String))
        & pl.col("end").eq_missing(pl.lit(fact.end, pl.String))
    )
    kept = source.filter(~gone)
    assert len(kept) < len(source)
    return graph_of_frame(kept, entities=list(graph.entities))


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_without_the_top_evidence_the_score_is_lower(preset: str) -> None:
    """The facts said to matter most are taken out of the left graph; settings stay the same."""
    world = make_hard_world()
    options: dict[str, Any] = {"preset": preset, "dim": 64, "rounds": 1, "adapt": ""}

    def aligned(left: lighttea.Graph, right: lighttea.Graph) -> Run:
        return lighttea.align(left, right, seeds=world.seeds, **options)

    run = aligned(world.left, world.right)
    drops = []
    for left in run.links["left"].to_list()[:40:4]:
        found = run.explain(left)
        top = found.facts[0]
        changed = aligned(
            without(world.left, run.facts_left, top.left, left),
            world.right,
        )
        again = changed.candidates.filter(pl.col("left") == left, pl.col("right") == found.right)[
            "score"
        ]
        drops.append(found.score - (again[0] if len(again) else 0.0))
    assert all(drop > 0 for drop in drops), drops
    assert np.mean(drops) > 0.02


# ---------------------------------------------------------------------------- what is said

PEOPLE = (
    ("Porter", "won", "Nobel", "1967", "1967"),
    ("Porter", "worksAt", "Sheffield", "1955", "1966"),
    ("Porter", "diedIn", "Canterbury", "2002", "2002"),
    ("Kroto", "won", "Nobel", "1996", "1996"),
    ("Kroto", "worksAt", "Sussex", "1967", "2004"),
    ("Todd", "won", "Nobel", "1957", "1957"),
    ("Todd", "worksAt", "Cambridge", "1944", "1971"),
    ("Hodgkin", "won", "Nobel", "1964", "1964"),
    ("Hodgkin", "worksAt", "Oxford", "1934", "1977"),
)


@pytest.fixture(scope="module")
def people() -> Run:
    """Four laureates twice; on the right Porter's problem has other years, Kroto's prize none."""
    right = [(f"x{a}", f"x{r}", f"x{b}", begin, end) for a, r, b, begin, end in PEOPLE]
    right[1] = ("xPorter", "xworksAt", "xSheffield", "1970", "1980")
    right[3] = ("xKroto", "xwon", "xNobel", None, None)  # type: ignore[assignment]
    seeds = [(n, f"x{n}") for n in ("Nobel", "Sheffield", "Sussex", "Todd", "Hodgkin", "Oxford")]
    return lighttea.align(
        graph_of_frame(fact_frame(*PEOPLE)),
        graph_of_frame(fact_frame(*right)),
        seeds=seeds,
        preset="best",
        dim=512,
        whitening=False,  # too few entities to tell directions by
    )


def matched(found: Explanation) -> dict[tuple[str, str], str]:
    return {(one.left.relation, one.left.neighbour): one.verdict for one in found.facts}


def test_facts_are_matched_up_and_contradictions_named(people: Run) -> None:
    found = people.explain("Porter", "xPorter")
    verdicts = matched(found)
    assert verdicts["won", "Nobel"].startswith("same time")
    assert "differ" in verdicts["worksAt", "Sheffield"]
    assert matched(people.explain("Kroto", "xKroto"))["won", "Nobel"].startswith("time unknown")
    assert [one.value for one in found.facts] == sorted(
        (one.value for one in found.facts), reverse=True
    )


def test_the_runner_up_lacks_what_decided(people: Run) -> None:
    found = people.explain("Porter")
    assert found.is_link
    assert found.runner_up is not None
    assert found.runner_up.right == people.explainer.candidates_of("Porter")["right"][1]
    assert sum(found.runner_up.differences.values()) == pytest.approx(
        found.score - found.runner_up.score, abs=1e-5
    )
    other = people.explain("Porter", found.runner_up.right)
    assert not other.is_link
    assert other.margin is None
    assert other.runner_up is not None
    assert other.runner_up.right == "xPorter"


def test_what_sinkhorn_did(people: Run) -> None:
    found = people.explain("Porter")
    assert found.assignment is not None
    assert 0 < found.assignment.alone <= 1
    assert found.assignment.after == found.confidence
    assert "Kroto" in {rival.left for rival in found.assignment.rivals}


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (("Portr",), "not an entity of the left graph; did you mean 'Porter'"),
        (("Proter",), "did you mean 'Porter'"),
        (("Porter", "xKrotto"), "not an entity of the right graph; did you mean 'xKroto'"),
        (("Todd",), "is a seed"),
        (("Porter", "xTodd"), "not among the"),
        (("",), "not an entity"),
    ],
)
def test_what_cannot_be_explained_is_said(people: Run, pair: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        people.explain(*pair)


def test_json_and_html_carry_the_explanation(people: Run) -> None:
    found = people.explain("Porter")
    content = json.loads(json.dumps(found.to_dict()))
    assert sum(term["value"] for term in content["terms"]) == pytest.approx(
        content["score"], abs=1e-4
    )
    assert all(term["words"] for term in content["terms"])
    page = found._repr_html_()
    assert "xPorter" in page
    assert "<script" not in page


def test_a_notebook_shows_a_run_and_an_explanation(people: Run) -> None:
    page = people._repr_html_()
    assert f"{len(people.links):,} links" in page
    assert "xPorter" in page
    risky = people.links.with_columns(left=pl.lit("<img src=x onerror=alert(1)>"))
    odd = replace(people, links=risky)
    assert "<img" not in odd._repr_html_()
    assert "<table" in people.links._repr_html_()


def test_a_term_that_is_not_known_here_is_told_whole(people: Run) -> None:
    columns = people.candidates.columns
    more = people.candidates.with_columns(
        names=pl.lit(0.125, pl.Float32), score=pl.col("score") + 0.125
    ).select(*columns[: columns.index("score")], "names", *columns[columns.index("score") :])
    run = replace(people, candidates=more)
    found = run.explain("Porter")
    assert [part.value for part in found.terms if part.term == "names"] == [0.125]
    assert sum(part.value for part in found.terms) == pytest.approx(found.score, abs=1e-5)
