"""Graphs from frames, Arrow tables and rows."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import lighttea
from lighttea.errors import InputError
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes
from lighttea.io.objects import graph_from
from tests.io.outcomes import check_refusal, check_whole
from tests.worlds import random_facts, renamed

COLUMNS = {"s": ["a", "c"], "p": ["r", "s"], "o": ["b", "d"], "begin": ["1999", None]}
EXPECTED = [("a", "r", "b", "1999", None), ("c", "s", "d", None, None)]


class Stream:
    """A table that offers an Arrow stream and nothing else."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


class OldProtocol:
    """A table that offers the dataframe interchange protocol alone."""

    def __dataframe__(self) -> object:
        raise AssertionError


def rows_of(table: Any, **options: Any) -> list[tuple[Any, ...]]:
    return frame_of_graph(graph_from(table, **options)).rows()


def complaint(table: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        graph_from(table, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        pl.LazyFrame,
        lambda columns: Stream(pl.DataFrame(columns)),
        lambda columns: pd.DataFrame(columns).astype("object"),
        lambda columns: pd.DataFrame(columns).astype("category"),
        lambda columns: pd.DataFrame(columns, index=[7, 7]),
        lambda columns: [("a", "r", "b", "1999", None), ("c", "s", "d")],
    ],
)
def test_frames_streams_and_rows_are_the_same_graph(make: Callable[[Any], Any]) -> None:
    assert rows_of(make(COLUMNS)) == EXPECTED


def test_columns_are_named_as_for_files() -> None:
    frame = pd.DataFrame({"x": ["b"], "y": ["r"], "z": ["a"]})
    assert rows_of(frame, columns="head=z,relation=y,tail=1") == [("a", "r", "b", None, None)]
    assert rows_of(frame, columns={"head": "z", "relation": "y", "tail": "x"})[0][0] == "a"
    message = complaint(frame, name="mine")
    assert message.startswith("mine: columns not understood; found: x, y, z")


def test_rows_of_three_four_and_five() -> None:
    def rows() -> Iterator[Any]:
        yield ("a", "r", "b")
        yield ["a", "r", "b", "2001"]
        yield ("a", "r", "b", "2001", "2002")
        yield (1, 2, 3, datetime.date(2011, 1, 2))
        yield ("a", "r", "b", None, datetime.datetime(2011, 1, 2, 3, 4, 5))

    assert rows_of(rows()) == [
        ("a", "r", "b", None, None),
        ("a", "r", "b", "2001", "2001"),
        ("a", "r", "b", "2001", "2002"),
        ("1", "2", "3", "2011-01-02", "2011-01-02"),
        ("a", "r", "b", None, "2011-01-02T03:04:05"),
    ]


def test_years_as_numbers_and_missing_values_of_pandas() -> None:
    frame = pd.DataFrame({"s": ["a"] * 3, "p": ["r"] * 3, "o": ["b"] * 3})
    frame["begin"] = [1999, None, 2001]  # pandas makes floats of them
    frame["end"] = pd.array([None, 2001, pd.NA], dtype="Int64")
    assert [row[3:] for row in rows_of(frame)] == [("1999", None), (None, "2001"), ("2001", None)]


def test_days_as_times_at_midnight_are_days_and_that_is_said() -> None:
    days = pd.to_datetime(pd.Series(["2011-01-02", None]))
    graph = graph_from(pd.DataFrame({**COLUMNS, "begin": days}))
    assert [row[3] for row in frame_of_graph(graph).rows()] == ["2011-01-02", None]
    assert graph.notes == ("all times in begin are at midnight; read as days",)
    times = pd.to_datetime(["2011-01-02 00:00", "2011-01-02 10:00"])
    graph = graph_from(pd.DataFrame({**COLUMNS, "begin": times}))
    assert frame_of_graph(graph)["begin"][0] == "2011-01-02T00:00:00"
    assert graph.notes == ()


def test_times_with_a_zone_are_brought_to_utc() -> None:
    when = pd.to_datetime(["2011-07-01", "2011-07-01"]).tz_localize("Europe/Berlin")
    rows = rows_of(pd.DataFrame({**COLUMNS, "begin": when}))
    assert rows[0][3] == "2011-06-30T22:00:00"
    zone = datetime.timezone(datetime.timedelta(hours=2))
    cell = datetime.datetime(2011, 7, 1, tzinfo=zone)
    assert rows_of([("a", "r", "b", cell), ("a", "r", "b", "2001")])[0][3] == "2011-06-30T22:00:00"


def test_tables_of_pyarrow() -> None:
    table = pa.table({**COLUMNS, "end": pa.array([datetime.date(2001, 2, 3), None])})
    expected = [("a", "r", "b", "1999", "2001-02-03"), ("c", "s", "d", None, None)]
    assert rows_of(table) == expected
    assert rows_of(table.to_reader()) == expected
    assert rows_of(table.to_batches()[0]) == expected
    assert rows_of(table.to_pandas()) == expected


def test_a_graph_stays_what_it_is() -> None:
    graph = graph_from([("a", "r", "b")])
    assert graph_from(graph) is graph


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([("a", "r")], "table:1: expected (head, relation, tail)"),
        ([("a", "r", "b"), "arb"], "table:2: expected (head, relation, tail)"),
        ([("a", "r", "b", 1, 2, 3)], "found ('a', 'r', 'b', 1, 2, 3)"),
        ([("a", "r", None)], "table:1: tail must not be empty"),
        ([("a", "r", "b", "soon")], "table:1: time 'soon' is not understood"),
        ([("a", "r", {1}), ("a", "r", "b")], "table:1: tail must be text, a number or a date"),
        ([("a", "r", True), ("a", "r", "b")], "table:1: tail must be text, a number or a date"),
        ([("a", "r", "\ud800")], "table:1: tail must be text, a number or a date"),
        ([], "there is no row"),
        (pl.DataFrame(), "columns not understood"),
        (pd.DataFrame({"s": [], "p": [], "o": []}), "no rows"),
        (pd.DataFrame([["a", "r", "b", "x"]], columns=["s", "p", "o", "s"]), "the same name"),
        ("left.tsv", "read a file with read_graph"),
        (Path("left.tsv"), "read a file with read_graph"),
        ({"head": "a"}, "found dict"),
        (7, "found int"),
        (None, "found NoneType"),
        (OldProtocol(), "offers no Arrow stream"),
    ],
)
def test_what_is_no_table_is_refused(table: Any, said: str) -> None:
    assert said in complaint(table)


def test_columns_of_rows_and_presets_are_refused() -> None:
    assert "rows have no named columns" in complaint(
        [("a", "r", "b")], columns="head=1,relation=2,tail=3"
    )
    assert "the preset icews is for files" in complaint(pd.DataFrame(COLUMNS), columns="icews")


def test_align_takes_tables() -> None:
    facts = random_facts(40, 250, 3)
    left = pd.DataFrame(facts, columns=["head", "relation", "tail", "begin", "end"])
    right = pl.DataFrame(renamed(facts), schema=["s", "p", "o", "begin", "end"], orient="row")
    seeds = pl.DataFrame({"left": ["e1", "e2", "e3"], "right": ["xe1", "xe2", "xe3"]})
    options: dict[str, Any] = {"dim": 16, "top_k": 10, "rounds": 1, "threads": 1}
    by_tables = lighttea.align(left, right, seeds=seeds, **options)
    graphs = graph_from(facts), graph_from(right)
    assert by_tables.links.equals(lighttea.align(*graphs, seeds=seeds, **options).links)
    assert by_tables.info["input"]["left"]["source"] == "left"


def test_pandas_and_pyarrow_are_not_needed() -> None:
    code = (
        "import sys\n"
        "for name in ('pandas', 'pyarrow'): sys.modules[name] = None\n"
        "import lighttea\n"
        "lighttea.graph_from([('a', 'r', 'b', 2001)])\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(
    st.lists(
        st.lists(
            st.text(max_size=3)
            | st.integers()
            | st.floats()
            | st.none()
            | st.booleans()
            | st.dates()
            | st.datetimes()
            | st.binary(max_size=2),
            max_size=6,
        ),
        max_size=5,
    )
)
@example([["a", 9.223372036854776e18, "b"]])
@example([["a", float("inf"), "b"]])
def test_any_rows_are_read_or_refused(rows: list[Any]) -> None:
    try:
        graph = graph_from(rows)
    except InputError as error:
        check_refusal(str(error), Path("table"))
    else:
        check_whole(graph)
        assert len(graph.facts) == len(rows)


def test_frames_and_mappings_hold_literals() -> None:
    rows: list[dict[str, Any]] = [
        {"head": "a", "relation": "r", "tail": "b", "begin": 1999},
        {"head": "a", "relation": "name", "value": "Ann", "language": "en", "begin": 1990},
        {"head": "b", "relation": "name", "value": "Ben"},
    ]
    graph = graph_from(iter(rows))
    assert frame_of_graph(graph).rows() == [("a", "r", "b", "1999", None)]
    assert frame_of_attributes(graph).rows() == [
        ("a", "name", "Ann", None, "en", "1990", None),
        ("b", "name", "Ben", None, None, None, None),
    ]
    for frame in (pl.DataFrame(rows), pd.DataFrame(rows)):
        assert frame_of_attributes(graph_from(frame)).equals(frame_of_attributes(graph))


def test_columns_of_mappings_can_be_named() -> None:
    graph = graph_from(
        [{"who": "a", "what": "age", "text": 5}], columns="head=1,relation=2,value=3"
    )
    assert graph.attributes.texts == ["5"]
    assert graph.attributes.datatypes == ["http://www.w3.org/2001/XMLSchema#integer"]


def test_mappings_and_tuples_are_not_mixed() -> None:
    with pytest.raises(InputError, match="table:2: expected a mapping as in the rows above"):
        graph_from([{"head": "a", "relation": "r", "tail": "b"}, ("a", "r", "b")])
