"""Graphs from sources that are described in Python."""

from __future__ import annotations

import datetime
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lighttea
from lighttea import Source, graph_from_sources
from lighttea.io.descriptions.schema import SOURCE_KEYS
from tests.io.descriptions.conftest import Put, facts_of, literals_of

FRAME = pl.DataFrame({"who": ["a", "b"], "team": ["x", "NA"], "year": [1999, 2001]})
ROLES: Source = {"head": "who", "relation": {"value": "plays for"}, "tail": "team", "time": "year"}


def test_frames_and_files_together(put: Put, tmp_path: Path) -> None:
    put("p.csv", "id,first,last\na,Ada,King\n")
    graph = graph_from_sources(
        [
            {"frame": FRAME, **ROLES},
            {"file": Path("p.csv"), "entity": "id", "names": ["first", "last"]},
        ],
        name="club",
        missing="NA",
        folder=tmp_path,
    )
    assert facts_of(graph) == [("a", "plays for", "x", "1999", "1999")]
    assert graph.name == graph.source == "club"
    assert graph.digest == ""
    assert graph.entity_names == {"a": "Ada King"}
    assert graph.notes == ("source 1: 1 rows without team (tail) left out",)


@pytest.mark.parametrize(
    "frame",
    [
        FRAME.lazy(),
        pd.DataFrame(FRAME.to_dict(as_series=False)),
        pa.table(FRAME.to_dict(as_series=False)),
        FRAME.to_dicts(),
    ],
)
def test_frames_of_all_kinds(frame: pl.LazyFrame) -> None:
    graph = graph_from_sources([{"frame": frame, **ROLES}])
    assert facts_of(graph) == [
        ("a", "plays for", "x", "1999", "1999"),
        ("b", "plays for", "NA", "2001", "2001"),
    ]


def test_types_of_frames(put: Put) -> None:
    frame = pl.DataFrame(
        {"id": [1], "born": [datetime.datetime(1971, 3, 7)], "tall": [1.5], "tags": [["a", "b"]]}
    )
    graph = graph_from_sources(
        [{"frame": frame, "entity": "id", "dates": ["born"], "attributes": ["tall", "tags"]}]
    )
    assert facts_of(graph) == [("1", "born", "1", "1971-03-07", "1971-03-07")]
    assert [row[2] for row in literals_of(graph)] == ["1.5", "a", "b"]


def test_frames_with_usual_names_and_date_formats() -> None:
    frame = pl.DataFrame({"s": ["a"], "p": ["r"], "o": ["b"], "date": ["03/07/2011"]})
    graph = graph_from_sources([{"frame": frame}], date_format=["%d/%m/%Y"])
    assert facts_of(graph) == [("a", "r", "b", "2011-07-03", "2011-07-03")]


def test_a_described_graph_is_aligned(put: Put) -> None:
    rows = [{"who": f"p{n}", "team": f"t{n % 7}", "year": 1950 + n} for n in range(60)]
    renamed = [{**row, "who": f"x{row['who']}", "team": f"x{row['team']}"} for row in rows]
    left, right = (
        graph_from_sources([{"frame": own, **ROLES}], name=name)
        for own, name in ((rows, "league"), (renamed, "club"))
    )
    seeds = [(f"p{n}", f"xp{n}") for n in range(20)]
    run = lighttea.align(left, right, seeds=seeds, dim=16, top_k=10, rounds=1, threads=1)
    assert {("p30", "xp30"), ("p40", "xp40")} <= set(run.links.select("left", "right").rows())


def test_the_type_of_a_source_has_every_key() -> None:
    assert set(Source.__annotations__) == set(SOURCE_KEYS)


@pytest.mark.parametrize(
    ("sources", "told"),
    [
        ({"frame": FRAME}, "sources: expected a list of sources, found dict"),
        ([], "source is missing"),
        (["x"], "source 1: source must be a table; found 'x'"),
        (
            [{"frame": FRAME, **ROLES, "tail": "taem"}],
            "source 1: tail: source 1 has no column 'taem'",
        ),
        ([{"frame": FRAME, "entity": "who", "dates": ["team"]}], "source 1:1: column 'team': time"),
        ([{"frame": "x.csv", **ROLES}], "expected a table, found 'x.csv'; read a file with"),
        ([{"frame": 7, **ROLES}], "expected a frame, an Arrow table or an iterable of rows"),
        ([{"frame": [("a", "b")], **ROLES}], "source 1: rows need names; expected mappings"),
        ([{"frame": FRAME}], "source 1: frame: source 1 has no columns head, relation and tail"),
    ],
)
def test_problems(sources: list[Source], told: str) -> None:
    with pytest.raises(lighttea.InputError) as caught:
        graph_from_sources(sources)
    assert told in str(caught.value)
