"""A graph in part files is the graph of the whole table."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import lighttea
from lighttea.errors import InputError
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes
from tests.worlds import fact_frame, random_facts

FACTS = fact_frame(*random_facts(40, 200, 3), ("a", "r9", "b", None, None))


def write(folder: Path, *parts: pl.DataFrame) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(parts):
        part.write_parquet(folder / f"part-{number}.parquet")
    return folder


def test_parts_are_one_graph(tmp_path: Path) -> None:
    parts = write(tmp_path / "facts.parquet", FACTS[:70], FACTS[70:71], FACTS[71:])
    (parts / "_SUCCESS").touch()
    (parts / "_metadata.parquet").touch()
    FACTS.write_parquet(tmp_path / "whole.parquet")
    graph, whole = (lighttea.read_graph(tmp_path / n) for n in ("facts.parquet", "whole.parquet"))
    assert set(graph.entities) == set(whole.entities)
    assert set(graph.relations) == set(whole.relations)
    assert frame_of_graph(graph).equals(frame_of_graph(whole))
    assert len(graph.instants) == len(whole.instants)
    assert graph.source == str(parts)
    assert graph.digest not in ("", whole.digest)


def test_parts_in_folders_and_with_named_columns(tmp_path: Path) -> None:
    named = FACTS.rename({"head": "subj", "tail": "obj"})
    for year, rows in (("2001", named[:50]), ("2002", named[50:])):
        write(tmp_path / "facts" / f"year={year}", rows)
    graph = lighttea.read_graph(
        tmp_path / "facts", columns="head=subj,relation=relation,tail=obj,begin=begin,end=end"
    )
    assert len(graph.facts) == len(FACTS)


def test_the_problems_of_all_parts_come_together(tmp_path: Path) -> None:
    bad = pl.DataFrame({"head": ["a"], "relation": ["r"], "tail": [""]})
    parts = write(tmp_path / "facts", FACTS, bad, bad)
    with pytest.raises(InputError) as error:
        lighttea.read_graph(parts)
    assert str(error.value).splitlines() == [
        f"{parts / f'part-{n}.parquet'}:1: tail must not be empty" for n in (1, 2)
    ]


def test_a_folder_without_parts_is_still_none(tmp_path: Path) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "readme.txt").touch()
    with pytest.raises(InputError, match="expected a file, found a folder"):
        lighttea.read_graph(tmp_path / "facts")


def test_literals_of_parts_are_one_table(tmp_path: Path) -> None:
    rows = [
        {"head": "a", "relation": "name", "tail": None, "value": "Ann", "time": "1990"},
        {"head": "b", "relation": "r", "tail": "a", "value": None, "time": "1980"},
        {"head": "b", "relation": "name", "tail": None, "value": "Ann", "time": None},
        {"head": "a", "relation": "age", "tail": None, "value": "5", "time": "1970"},
        {"head": "a", "relation": "name", "tail": None, "value": "Ann", "time": "1990"},
    ]
    for number in range(0, 5, 2):
        part = pl.DataFrame(rows[number : number + 2], schema=dict.fromkeys(rows[0], pl.String))
        part.write_parquet(tmp_path / f"{number}.parquet")
    graph = lighttea.read_graph(tmp_path)
    assert frame_of_attributes(graph).select("entity", "attribute", "value", "begin").rows() == [
        ("b", "name", "Ann", None),
        ("a", "name", "Ann", "1990"),
        ("a", "age", "5", "1970"),
    ]
    assert graph.attributes.texts == ["Ann", "5"]
