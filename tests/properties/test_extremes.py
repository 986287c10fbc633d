"""Graphs at the ends of what there is: each has its expected outcome, none a traceback."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lighttea
from lighttea import InputError, read_graph
from lighttea.cli import run_command
from lighttea.errors import LightteaError, LightteaWarning, StartError
from lighttea.graph.facts import Graph
from lighttea.kernels import topk
from lighttea.kernels.rows import NumpyRows
from lighttea.results.run import Run
from lighttea.types import Ints

SMALL: dict[str, Any] = {"dim": 16, "top_k": 10, "rounds": 1, "threads": 1}
SEEDS = [(f"l{n}", f"r{n}") for n in range(5)]
Row = tuple[str, str, str, str]
XSD = "http://www.w3.org/2001/XMLSchema#"


def world(side: str, n: int = 60, *, n_relations: int = 3, year: str = "") -> list[Row]:
    """Facts drawn at random, the same on both sides but for the names of entities."""
    rng = random.Random(0)
    return [
        (
            f"{side}{rng.randrange(n // 3)}",
            f"r{number % n_relations}",
            f"{side}{rng.randrange(n // 3)}",
            year or str(1990 + number % 20),
        )
        for number in range(n)
    ]


def aligned(make: Callable[[str], list[Row]], seeds: list[tuple[str, str]] | None = SEEDS) -> Run:
    left, right = (lighttea.graph_from(make(side)) for side in "lr")
    return lighttea.align(left, right, seeds=seeds, **SMALL)


def check_finite(run: Run) -> None:
    figures = run.links.select(pl.col("score", "confidence", "margin"))
    assert figures.select(pl.all().fill_null(0).is_finite().all()).row(0) == (True, True, True)


def check_all_found(run: Run, n_entities: int) -> None:
    """Every entity but the seeds is linked to the one of its name on the other side."""
    check_finite(run)
    pairs = run.links.select("left", "right").rows()
    assert len(pairs) == n_entities - len(SEEDS)
    assert all(left[1:] == right[1:] for left, right in pairs)


@pytest.mark.parametrize("year", ["-99999", "-4712", "0000", "0001", "10000", "99999"])
def test_years_that_are_far_away_are_read(year: str) -> None:
    run = aligned(lambda side: [*world(side), (f"{side}0", "r0", f"{side}1", year)])
    check_all_found(run, 20)
    assert run.facts_left["begin"].null_count() == 0


@pytest.mark.parametrize("year", ["-13800000000", "2147483648", "9223372036854775807", "9" * 40])
def test_years_that_are_too_far_away_are_refused_or_counted(tmp_path: Path, year: str) -> None:
    with pytest.raises(InputError, match=r"table:1: time '.*' is not understood; expected a year"):
        lighttea.graph_from([("a", "r", "b", year)])
    path = tmp_path / "graph.ttl"
    path.write_text(
        f"@prefix : <http://e/> . @prefix s: <http://schema.org/> . @prefix xsd: <{XSD}> .\n"
        f':a :p :b {{| s:startDate "{year}"^^xsd:gYear |}} . :a :p :c .'
    )
    graph = read_graph(path)
    assert len(graph.facts) == 2
    assert any("1 dates not understood, taken as text" in note for note in graph.notes)


@pytest.mark.parametrize(
    ("year", "is_read"), [("-13798000000", False), ("+99999", True), ("-4713", True)]
)
def test_years_of_wikidata(tmp_path: Path, year: str, is_read: bool) -> None:
    time = {"time": f"{year}-00-00T00:00:00Z", "precision": 9, "calendarmodel": "x/Q1985727"}
    value = {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": "Q5"}}
    when = {"snaktype": "value", "datavalue": {"type": "time", "value": time}}
    claim = {
        "mainsnak": {"snaktype": "value", "datavalue": value},
        "rank": "normal",
        "qualifiers": {"P585": [when]},
    }
    path = tmp_path / "entities.json"
    path.write_text(json.dumps({"id": "Q42", "labels": {}, "claims": {"P69": [claim]}}) + "\n")
    graph = read_graph(path, format="wikidata")
    assert (graph.facts.begin[0] >= 0) == is_read
    assert is_read or "1 times not understood, taken as unknown" in graph.notes


def test_ids_of_a_megabyte_are_kept_exactly(tmp_path: Path) -> None:
    long = "x" * 1_000_000
    run = aligned(lambda side: [*world(side), (side + long, "r0", f"{side}1", "1999")])
    assert len(repr(run)) < 300
    assert len(run._repr_html_()) < 100_000
    run.save(tmp_path / "run")
    again = lighttea.load_run(tmp_path / "run")
    assert "l" + long in again.facts_left["head"].to_list()
    with pytest.raises(LightteaError) as caught:
        run.explain("nobody" + long)
    assert len(str(caught.value)) < 3_000


@pytest.mark.parametrize("n_relations", [1, 5_000])
def test_one_relation_and_thousands(n_relations: int) -> None:
    n_facts = 60 if n_relations == 1 else 10_000
    run = aligned(lambda side: world(side, n_facts, n_relations=n_relations))
    check_all_found(run, int(run.info["input"]["left"]["entities"]))


@pytest.mark.slow
def test_a_hub_with_a_million_facts() -> None:
    """Every fact is the hub's: read whole, aligned, and every figure finite."""
    n_facts, n_leaves = 1_000_000, 400

    def graph(side: str) -> Graph:
        number = pl.int_range(n_facts, eager=True)
        leaf, turn = number % n_leaves, number // n_leaves
        day = pl.Series(np.datetime64("1500-01-01") + (leaf * 366 + turn % 360).to_numpy())
        columns = {
            "head": pl.repeat(f"{side}hub", n_facts, eager=True),
            "relation": "r" + (turn // 360).cast(pl.String),
            "tail": side + leaf.cast(pl.String),
            "time": day.cast(pl.Date).cast(pl.String),
        }
        return lighttea.graph_from(pl.DataFrame(columns))

    seeds = [("lhub", "rhub"), *((f"l{n}", f"r{n}") for n in range(20))]
    run = lighttea.align(graph("l"), graph("r"), seeds=seeds, preset="paper", **SMALL)
    check_finite(run)
    assert run.info["input"]["left"]["facts"] == n_facts
    assert len(run.links) > 0


def star(side: str, n_leaves: int) -> list[Row]:
    return [(f"{side}{n}", "r", f"{side}hub", "1990") for n in range(n_leaves)]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Look on while candidates are searched: how many couples of rows each block compares."""
    couples: list[int] = []
    fill = topk._Search.fill

    def noted(self: topk._Search, left: NumpyRows, rows: Ints) -> None:
        couples.append(len(rows) * len(self._answers))
        fill(self, left, rows)

    monkeypatch.setattr(topk._Search, "fill", noted)
    return couples


def test_more_leaves_of_a_hub_are_no_more_couples_to_compare(compared: list[int]) -> None:
    """Identical leaves are compared once, and none is linked: nothing tells which is which."""
    work = []
    for n_leaves in (4_000, 8_000):
        with pytest.warns(LightteaWarning, match="no links: ") as told:
            run = aligned(partial(star, n_leaves=n_leaves), [("lhub", "rhub")])
        assert run.links.is_empty()
        share = f"{n_leaves:,} of {n_leaves + 1:,} entities of"
        (said,) = (str(one.message) for one in told)
        assert f"{share} the left graph and {share} the right graph have exactly the facts" in said
        assert said in run.info["warnings"]
        work.append(sum(compared))
        compared.clear()
    assert min(work) > 0
    assert max(work) < 1_000  # not 16 and 64 million


def test_all_times_are_equal() -> None:
    check_all_found(aligned(lambda side: world(side, year="2000")), 20)


def ring(side: str) -> list[Row]:
    return [(f"{side}{n}", "next", f"{side}{(n + 1) % 50}", "2000") for n in range(50)]


def complete(side: str) -> list[Row]:
    pairs = [(a, b) for a in range(15) for b in range(15) if a != b]
    return [(f"{side}{a}", "knows", f"{side}{b}", "2000") for a, b in pairs]


@pytest.mark.parametrize("make", [ring, complete])
def test_identical_neighbourhoods_give_no_sure_link(make: Callable[[str], list[Row]]) -> None:
    run = aligned(make, SEEDS[:1])
    assert (run.links["confidence"] < 0.9).all()
    with pytest.raises(StartError, match="no seeds, and only 0 sure pairs"):
        aligned(make, None)


def test_the_same_file_on_both_sides_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "graph.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in world("l")))
    assert run_command(["align", str(path), str(path), "--out", str(tmp_path / "run")]) == 2
    assert "are the same file or copies of it; align needs two graphs" in capsys.readouterr().err


def test_the_same_graph_on_both_sides_is_aligned_with_itself() -> None:
    graph = lighttea.graph_from(world("l"))
    links = lighttea.align(graph, graph, **SMALL).links
    assert (links["left"] == links["right"]).sum() > 0.9 * len(links)


@pytest.mark.parametrize("content", ["", "\n\n", "head\trelation\ttail\n"])
def test_an_empty_side_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    left, right = tmp_path / "left.tsv", tmp_path / "right.tsv"
    left.write_text("".join("\t".join(row) + "\n" for row in world("l")))
    right.write_text(content)
    for pair in ((left, right), (right, left)):
        assert run_command(["align", *map(str, pair), "--out", str(tmp_path / "run")]) == 2
        error = capsys.readouterr().err
        assert "right.tsv" in error
        assert error.count("\n") == 1
