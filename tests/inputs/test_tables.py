"""Seeds, truth, constraints and types come as frames, Arrow tables or couples, all read alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lighttea
from lighttea.errors import InputError
from lighttea.inputs.links import NamedPairs, find_rival_partners, find_unknown_entities
from lighttea.io.columns import LINK_ROLES, TYPE_ROLES
from lighttea.io.objects import pairs_from
from lighttea.results.run import Run
from tests.worlds import World

SMALL: dict[str, Any] = {"dim": 32, "top_k": 20, "threads": 1}
Make = Callable[[list[tuple[str, str]], tuple[str, str]], Any]


def columns(rows: list[tuple[str, str]], names: tuple[str, str]) -> dict[str, list[str]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


MAKERS: dict[str, Make] = {
    "couples": lambda rows, names: rows,
    "iterator": lambda rows, names: iter(rows),
    "numpy": lambda rows, names: np.array(rows),
    "pandas": lambda rows, names: pd.DataFrame(columns(rows, names)),
    "pandas categories": lambda rows, names: pd.DataFrame(columns(rows, names)).astype("category"),
    "polars": lambda rows, names: pl.DataFrame(columns(rows, names)),
    "polars lazy": lambda rows, names: pl.LazyFrame(columns(rows, names)),
    "arrow table": lambda rows, names: pa.table(columns(rows, names)),
    "arrow reader": lambda rows, names: pa.table(columns(rows, names)).to_reader(),
    "swapped columns": lambda rows, names: pl.DataFrame(columns(rows, names)).select(names[::-1]),
}


@pytest.fixture(params=sorted(MAKERS))
def make(request: pytest.FixtureRequest) -> Make:
    return MAKERS[request.param]


def options_of(world: World, make: Make) -> dict[str, Any]:
    """Every table that `align` takes."""
    link, kind = ("left", "right"), ("entity", "type")
    names = sorted((*world.left.entities, *world.right.entities))
    return {
        "seeds": make(world.seeds, link),
        "must_link": make(world.truth[:3], link),
        "cannot_link": make(world.truth[3:6], link),
        "types": make([(name, "thing") for name in names], kind),
        **SMALL,
    }


@pytest.fixture(scope="module")
def by_couples(world: World) -> Run:
    return lighttea.align(world.left, world.right, **options_of(world, MAKERS["couples"]))


def test_align_and_evaluate_read_every_table_alike(
    world: World, make: Make, by_couples: Run
) -> None:
    run = lighttea.align(world.left, world.right, **options_of(world, make))
    assert run.links.equals(by_couples.links)
    assert run.seeds.rows() == [*world.seeds, *world.truth[:3]]
    assert set(run.cannot_links.rows()) == set(world.truth[3:6])
    assert run.info["types"]
    truth = make(world.truth, ("left", "right"))
    assert run.evaluate(truth) == by_couples.evaluate(world.truth)


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (("subject_id", "object_id"), LINK_ROLES),
        (("Source", "TARGET"), LINK_ROLES),
        (("id", "class"), TYPE_ROLES),
    ],
)
def test_usual_names_of_columns_are_understood(names: tuple[str, str], roles: Any) -> None:
    frame = pl.DataFrame({"score": [1.0], names[1]: ["b"], names[0]: ["a"]})
    pairs = pairs_from(frame, roles, noun="row")
    assert pairs.rows() == [("a", "b", "row 1")]


def test_numbers_become_text_as_in_files() -> None:
    frame = pd.DataFrame({"left": [7, 8], "right": [1.0, 2.5]})
    assert pairs_from(frame, LINK_ROLES, noun="seed").select("left", "right").rows() == [
        ("7", "1.0"),
        ("8", "2.5"),
    ]
    assert pairs_from([(7, "b"), ("a", 2)], LINK_ROLES, noun="seed")["left"].to_list() == ["7", "a"]


def test_a_row_is_found_again_by_file_and_line_or_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "links.tsv"
    path.write_text("left\tright\na\tb\n\nc\td\n")
    read = lighttea.read_links(path)
    named = read.with_columns(source=pl.lit("links.tsv"))
    for table, places in (
        (read, ["seed at line 2", "seed at line 4"]),
        (named, ["links.tsv:2", "links.tsv:4"]),
        (read.select("left", "right"), ["seed 1", "seed 2"]),
        (named.select("right", source="left"), ["seed 1", "seed 2"]),  # source is the left column
    ):
        assert pairs_from(table, LINK_ROLES, noun="seed")["place"].to_list() == places


def test_empty_tables_are_tables() -> None:
    tables: tuple[Any, ...] = ([], pl.DataFrame(schema={"left": pl.String, "right": pl.String}))
    for table in tables:
        assert pairs_from(table, LINK_ROLES, noun="seed").is_empty()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("seeds.tsv", "seeds: expected a table, found 'seeds.tsv'; read a file with read_links"),
        (Path("seeds.tsv"), "read a file with read_links"),
        ([("a", "b"), ("c",)], "seed 2: a seed is a couple (left, right), found ('c',)"),
        (["ab"], "seed 1: a seed is a couple (left, right), found 'ab'"),
        ([{"a", "b"}], "seed 1: a seed is a couple (left, right)"),
        ({"a": "b"}, "seeds: expected a frame, an Arrow table or an iterable of rows, found dict"),
        (7, "found int"),
        (pl.DataFrame({"a": ["x"], "b": ["y"]}), "seeds need columns left and right; found: a, b"),
        ([("a", None)], "seed 1: left and right must not be empty"),
        (pd.DataFrame({"left": ["a", float("nan")], "right": ["b", "c"]}), "seed 2: left and"),
        ([("a", "")], "seed 1: left and right must not be empty"),
        ([("a", True), ("b", "c")], "seed:1: right must be text, a number or a date; found True"),
        (pl.DataFrame({"left": [["a"]], "right": ["b"]}), "seeds: column 'left' holds List"),
    ],
)
def test_what_is_no_table_of_links_is_refused(world: World, table: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        lighttea.align(world.left, world.right, seeds=table, **SMALL)
    assert message in str(caught.value)


def test_the_truth_is_checked_like_seeds(by_couples: Run) -> None:
    for truth, message in (
        ([], "the truth is empty"),
        ("truth.tsv", "true links: expected a table, found 'truth.tsv'; read a file"),
        (pl.DataFrame({"a": ["x"]}), "true links need columns left and right; found: a"),
        ([("e1", None)], "true link 1: left and right must not be empty"),
    ):
        with pytest.raises(InputError, match=message):
            by_couples.evaluate(truth)


def test_repeated_pairs_keep_their_first_place() -> None:
    pairs = NamedPairs.of([("a", "x"), ("b", "y"), ("a", "x")], "seed")
    distinct = pairs.distinct()
    assert distinct.rows == [("a", "x"), ("b", "y")]
    assert distinct.places == ["seed 1", "seed 2"]


def test_rivals_are_counted_on_both_sides_and_only_once_with_many_to_one() -> None:
    pairs = NamedPairs.of([("a", "x"), ("a", "y"), ("b", "y"), ("a", "z")], "seed")
    assert find_rival_partners(pairs, many_to_one=False) == [
        "left entity 'a' has 3 partners: 'x' (seed 1) and 'y' (seed 2) and 'z' (seed 4); "
        "keep one of the rows",
        "right entity 'y' has 2 partners: 'a' (seed 2) and 'b' (seed 3); keep one of the rows",
    ]
    assert len(find_rival_partners(pairs, many_to_one=True)) == 1


def test_swapped_and_foreign_links_are_one_problem(world: World) -> None:
    def problems(rows: list[tuple[str, str]]) -> list[str]:
        return find_unknown_entities(NamedPairs.of(rows, "seed"), world.left, world.right)

    swapped = problems([(right, left) for left, right in world.seeds])
    assert swapped == [
        "seed 1: every seed fits with its sides swapped; are the left and the right graph swapped?"
    ]
    assert problems([("p", "q"), ("r", "s")]) == [
        "seed 1: no seed names an entity of these graphs (this is ('p', 'q'))"
    ]
    assert problems(world.seeds) == []
