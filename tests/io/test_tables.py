"""Graphs from tables: which formats are read, and what each wrong line is told."""

from __future__ import annotations

import datetime
import gzip
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.graph.timeline import TimeKind
from lighttea.io.columns import FACT_ROLES, LINK_ROLES, find_layout, parse_columns
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes
from lighttea.io.tables import read_graph

Row = tuple[str | None, ...]
PLAIN: list[Row] = [("a", "r", "b", None, None), ("c", "s", "d", None, None)]


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., Path]:
    """Write a file and return its path."""

    def write(content: str | bytes, name: str = "g.tsv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def facts(path: Path, columns: Mapping[str, str] | None = None) -> list[Row]:
    return frame_of_graph(read_graph(path, columns=columns)).rows()


def complaint(path: Path, columns: Mapping[str, str] | None = None) -> str:
    with pytest.raises(InputError) as caught:
        read_graph(path, columns=columns)
    return str(caught.value).replace(str(path), path.name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tr\tb\n", ("a", "r", "b", None, None)),
        ("a\tr\tb\t2001\n", ("a", "r", "b", "2001", "2001")),
        ("a\tr\tb\t2001\t2003-04\n", ("a", "r", "b", "2001", "2003-04")),
        ("a,r,b\n", ("a", "r", "b", None, None)),
        ("a,r,b,2001\n", ("a", "r", "b", "2001", "2001")),
        ("a;r;b;2001;2002\n", ("a", "r", "b", "2001", "2002")),
    ],
)
def test_3_4_or_5_columns_without_header(
    put: Callable[..., Path], text: str, expected: Row
) -> None:
    assert facts(put(text)) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "a\tr\tb\nc\ts\td\n",
        "a\tr\tb\nc\ts\td",
        "a\tr\tb\r\nc\ts\td\r\n",
        "a\tr\tb\n\nc\ts\td\n\n\n",
        "\ufeffa\tr\tb\nc\ts\td\n",
        "head\trelation\ttail\na\tr\tb\nc\ts\td",
        "head\trelation\ttail\r\na\tr\tb\r\n\r\nc\ts\td\r\n",
        "\ufeffhead\trelation\ttail\na\tr\tb\nc\ts\td\n",
        "tail\thead\trelation\nb\ta\tr\nd\tc\ts\n",
        " head \trelation\t tail\na\tr\tb\nc\ts\td\n",
        'head,relation,tail\n"a",r,"b"\nc,"s",d\n',
        '"head","relation","tail"\r\n"a","r","b"\r\n"c","s","d"\r\n',
    ],
)
def test_line_ends_blank_lines_byte_order_marks_and_headers(
    put: Callable[..., Path], text: str
) -> None:
    assert facts(put(text)) == PLAIN


@pytest.mark.parametrize(
    "text", ["\na\tr\tb\nc\ts\td\n", "\n \n\r\nhead\trelation\ttail\na\tr\tb\nc\ts\td\n"]
)
def test_blank_lines_before_the_first_fact(put: Callable[..., Path], text: str) -> None:
    assert facts(put(text)) == PLAIN


@pytest.mark.parametrize("blank", ["   ", " \t \t ", "\t\t"])
def test_a_line_of_blanks_is_no_fact(put: Callable[..., Path], blank: str) -> None:
    assert facts(put(f"a\tr\tb\n{blank}\nc\ts\td\n")) == PLAIN


@pytest.mark.parametrize(
    "header",
    [
        "head\trelation\ttail\tbegin\tend",
        "Subject\tPREDICATE\tObject\tStart\tUNTIL",
        "S\tP\tO\tfrom\tto",
        "source\tPredicate\tTarget\tBegin\tEnd",
    ],
)
def test_header_synonyms_in_any_case(put: Callable[..., Path], header: str) -> None:
    graph = read_graph(put(f"{header}\na\tr\tb\t2001\t2002\n"))
    assert frame_of_graph(graph).rows() == [("a", "r", "b", "2001", "2002")]
    assert graph.notes == ()


@pytest.mark.parametrize("name", ["time", "Date", "TIMESTAMP"])
def test_synonyms_of_time_mean_a_point(put: Callable[..., Path], name: str) -> None:
    assert facts(put(f"{name}\ts\tp\to\n2001-02-03\ta\tr\tb\n")) == [
        ("a", "r", "b", "2001-02-03", "2001-02-03")
    ]


def test_an_interval_wins_over_a_point_where_a_fact_has_both(put: Callable[..., Path]) -> None:
    text = "s\tp\to\tbegin\tend\ttime\na\tr\tb\t\t\t2001\nc\tr\td\t2002\t\t2005\n"
    assert facts(put(text)) == [("a", "r", "b", "2001", "2001"), ("c", "r", "d", "2002", None)]


def test_quoted_csv(put: Callable[..., Path]) -> None:
    text = 's,p,o,time\n"Doe, John",r,"b ""x, y"" c",2001\nd,"r, s",e,\n'
    assert facts(put(text, "g.csv")) == [
        ("Doe, John", "r", 'b "x, y" c', "2001", "2001"),
        ("d", "r, s", "e", None, None),
    ]


def test_quoted_csv_with_semicolons(put: Callable[..., Path]) -> None:
    text = 's;p;o\n"Doe; John";r;"b, c"\nd;r;e\n'
    assert facts(put(text, "g.csv")) == [
        ("Doe; John", "r", "b, c", None, None),
        ("d", "r", "e", None, None),
    ]


def test_a_quoted_header_with_semicolons_is_a_header(put: Callable[..., Path]) -> None:
    assert facts(put('"head";"relation";"tail"\n"a";"r";"b"\n"c";"s";"d"\n', "g.csv")) == PLAIN


def test_a_tab_in_a_quoted_field_does_not_make_a_csv_a_tsv(put: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"g.csv:1: head must not contain a tab or a line break"):
        facts(put('"a\tx",r,b\nc,s,d\n', "g.csv"))


def test_quotes_in_a_tsv_are_part_of_the_name(put: Callable[..., Path]) -> None:
    assert facts(put('"a\tr\tb"\n"c"\tr\t5"\n')) == [
        ('"a', "r", 'b"', None, None),
        ('"c"', "r", '5"', None, None),
    ]


def test_a_control_character_in_a_name_is_part_of_it(put: Callable[..., Path]) -> None:
    assert facts(put("a\x1fx\tr\tb\nc\ts\td\n"))[0][0] == "a\x1fx"


def test_names_are_kept_as_they_are(put: Callable[..., Path]) -> None:
    text = "Zürich\tr\t北京\nnull\tr\tNA\n001\tr\t1.0\n"
    assert [row[:3] for row in facts(put(text))] == [
        ("Zürich", "r", "北京"),
        ("null", "r", "NA"),
        ("001", "r", "1.0"),
    ]


def test_gzip(put: Callable[..., Path]) -> None:
    assert facts(put(gzip.compress(b"a\tr\tb\nc\ts\td\n"), "g.tsv.gz")) == PLAIN


def test_gzip_errors_have_line_numbers(put: Callable[..., Path]) -> None:
    assert "g.tsv.gz:2: expected 3" in complaint(put(gzip.compress(b"a\tr\tb\nc\n"), "g.tsv.gz"))


def test_zstd(tmp_path: Path) -> None:
    path = tmp_path / "g.csv.zst"
    frame = pl.DataFrame({"head": ["a", "c"], "relation": ["r", "s"], "tail": ["b", "d"]})
    frame.write_csv(path, compression="zstd")
    assert path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    assert facts(path) == PLAIN


def test_broken_gzip_is_refused(put: Callable[..., Path]) -> None:
    broken = gzip.compress(b"a\tr\tb\nc\ts\td\n" * 50)[:-12]
    assert "g.tsv.gz: the compressed file is damaged or incomplete" in complaint(
        put(broken, "g.tsv.gz")
    )


def parquet(path: Path, **columns: Any) -> Path:
    pl.DataFrame(columns).write_parquet(path)
    return path


def test_parquet_of_text_numbers_and_dates(tmp_path: Path) -> None:
    path = parquet(
        tmp_path / "g.parquet",
        head=[1, 2],
        relation=["r", "s"],
        tail=pl.Series(["x", "y"], dtype=pl.Categorical),
        begin=[datetime.date(2011, 1, 2), None],
        end=[datetime.datetime(2012, 1, 2, 3, 4, 5), None],
    )
    assert facts(path) == [
        ("1", "r", "x", "2011-01-02", "2012-01-02T03:04:05"),
        ("2", "s", "y", None, None),
    ]


def test_parquet_years_and_compact_days_as_numbers(tmp_path: Path) -> None:
    path = parquet(tmp_path / "g.pq", s=["a", "b"], p=["r", "r"], o=["c", "c"], date=[1999, None])
    assert facts(path) == [("a", "r", "c", "1999", "1999"), ("b", "r", "c", None, None)]
    path = parquet(tmp_path / "g.parquet", s=["a"], p=["r"], o=["c"], date=[20110102])
    assert facts(path)[0][3] == "2011-01-02"


def test_parquet_times_with_a_zone_are_the_same_instants_as_in_text(tmp_path: Path) -> None:
    zoned = pl.Series([datetime.datetime(2011, 7, 1)]).dt.replace_time_zone("Europe/Berlin")
    path = parquet(tmp_path / "g.parquet", s=["a"], p=["r"], o=["b"], date=zoned)
    text = tmp_path / "g.tsv"
    text.write_text("a\tr\tb\t2011-07-01T00:00:00+02:00\n")
    assert facts(path) == facts(text) == [("a", "r", "b", *["2011-06-30T22:00:00"] * 2)]


def test_parquet_with_columns_by_name_and_by_position(tmp_path: Path) -> None:
    path = parquet(tmp_path / "g.parquet", x=["b"], y=["r"], z=["a"])
    assert facts(path, {"head": "z", "relation": "y", "tail": "x"})[0][:3] == ("a", "r", "b")
    assert facts(path, {"head": "3", "relation": "2", "tail": "1"})[0][:3] == ("a", "r", "b")


def test_parquet_without_the_needed_columns_lists_what_it_has(tmp_path: Path) -> None:
    path = parquet(tmp_path / "g.parquet", x=["b"], y=["r"], z=["a"])
    message = complaint(path)
    assert "found: x, y, z" in message
    assert "`columns=" in message


def test_a_parquet_column_called_line_is_ignored_like_any_other(tmp_path: Path) -> None:
    path = parquet(tmp_path / "g.parquet", head=["a"], relation=["r"], tail=["b"], line=[7])
    assert read_graph(path).notes == ("unused columns: line",)


@pytest.mark.parametrize(
    "columns",
    [
        {"head": [["a"]], "relation": ["r"], "tail": ["b"]},
        {"head": [b"\xff"], "relation": ["r"], "tail": ["b"]},
        {"head": ["a"], "relation": ["r"], "tail": ["b"], "time": [datetime.time(1, 2)]},
        {"head": ["a"], "relation": ["r"], "tail": ["b"], "time": [datetime.timedelta(1)]},
    ],
)
def test_parquet_columns_that_are_no_text_are_refused(
    tmp_path: Path, columns: dict[str, Any]
) -> None:
    assert "g.parquet" in complaint(parquet(tmp_path / "g.parquet", **columns))


def test_parquet_nulls_and_empty_names_are_refused_with_their_row(tmp_path: Path) -> None:
    path = parquet(tmp_path / "g.parquet", s=["a", None], p=["r", "r"], o=["b", ""])
    assert complaint(path) == "g.parquet:2: head and tail must not be empty"


def test_damaged_and_empty_parquet_is_refused(put: Callable[..., Path], tmp_path: Path) -> None:
    assert "cannot be read as Parquet" in complaint(put(b"nonsense", "g.parquet"))
    pl.DataFrame(schema=dict.fromkeys("spo", pl.String)).write_parquet(tmp_path / "e.parquet")
    assert "no rows" in complaint(tmp_path / "e.parquet")


def test_columns_by_name(put: Callable[..., Path]) -> None:
    path = put("when\tobj\tpred\tsubj\n2001\tb\tr\ta\n")
    columns = {"head": "subj", "relation": "pred", "tail": "obj", "time": "when"}
    assert facts(path, columns) == [("a", "r", "b", "2001", "2001")]


def test_columns_by_name_override_what_the_names_usually_mean(put: Callable[..., Path]) -> None:
    path = put("head\trelation\ttail\nb\tr\ta\n")
    columns = {"head": "tail", "relation": "relation", "tail": "head"}
    assert facts(path, columns) == [("a", "r", "b", None, None)]


def test_columns_by_position(put: Callable[..., Path]) -> None:
    path = put("x\t2003\tb\tr\ta\t2001\ty\n")
    columns = {"head": "5", "relation": "4", "tail": "3", "begin": "6", "end": "2"}
    assert facts(path, columns) == [("a", "r", "b", "2001", "2003")]


def test_columns_by_name_and_position_together(put: Callable[..., Path]) -> None:
    path = put("subj\tpred\tobj\twhen\na\tr\tb\t2001\n")
    columns = {"head": "subj", "relation": "pred", "tail": "obj", "time": "4"}
    assert facts(path, columns) == [("a", "r", "b", "2001", "2001")]


def test_a_known_header_is_no_fact_when_columns_are_given_by_position(
    put: Callable[..., Path],
) -> None:
    path = put("subject\tpredicate\tobject\nb\tr\ta\n")
    assert facts(path, {"head": "3", "relation": "2", "tail": "1"}) == [("a", "r", "b", None, None)]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"head": "subj", "relation": "pred", "tail": "nope"}, "no column 'nope'"),
        ({"head": "1", "relation": "2", "tail": "9"}, "no column '9'"),
        ({"head": "1", "relation": "2", "tail": "0"}, "no column '0'"),
        ({"head": "subj", "relation": "pred"}, "tail missing"),
        ({"head": "subj", "relation": "pred", "tail": "obj", "when": "3"}, "'when' is not a role"),
    ],
)
def test_wrong_columns_are_refused(
    put: Callable[..., Path], columns: dict[str, str], said: str
) -> None:
    assert said in complaint(put("subj\tpred\tobj\na\tr\tb\n"), columns)


def test_parse_columns() -> None:
    assert parse_columns("head=subj, relation=2 ,tail=a=b") == {
        "head": "subj",
        "relation": "2",
        "tail": "a=b",
    }


@pytest.mark.parametrize("text", ["head", "head=", "head=a,relation", "head=a,tail= "])
def test_parse_columns_refuses_what_is_no_mapping(text: str) -> None:
    with pytest.raises(InputError, match="expected role=column"):
        parse_columns(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\tr\tb\nc\tr\n", 'g.tsv:2: expected 3 tab-separated fields, found 2 ("c<TAB>r")'),
        ("a\tr\tb\n\n\nc\tr\td\te\n", "g.tsv:4: expected 3 tab-separated fields, found 4"),
        ("\n\na\tr\tb\nc\tr\n", "g.tsv:4: expected 3 tab-separated fields, found 2"),
        ("s\tp\to\na\tr\tb\nc\tr\n", "g.tsv:3: expected 3 tab-separated fields, found 2"),
        ("a\tr\tb\t2001\nc\tr\td\n", "a fact without time needs an empty 4th field"),
        ("a,b,c,d,e,f\n1,2,3,4,5,6\n", "`lighttea describe` begins a description"),
        ("a,r,b\nc,r\n", 'g.tsv:2: expected 3 comma-separated fields, found 2 ("c,r")'),
        ('a,r,"b, c"\nd,r,e,f\n', "g.tsv:2: expected 3 comma-separated fields, found 4"),
        ("a\tr\n", "g.tsv:1: expected 3 or 4 or 5 tab-separated fields, found 2"),
        ("a\tr\tb\t1\t2\t3\n", "g.tsv:1: expected 3 or 4 or 5 tab-separated fields, found 6"),
        ("a b c\n", "g.tsv:1: no tab, comma or semicolon separates fields"),
        ("\n\na b c\n", "g.tsv:3: no tab, comma or semicolon separates fields"),
        ("a\tr\tb\n\tr\tb\n", "g.tsv:2: head must not be empty"),
        ("a\tr\tb\na\t\t\n", "g.tsv:2: relation and tail must not be empty"),
        ("a\tr\tb\t2001\n\nc\tr\td\tsoon\n", "g.tsv:3: time 'soon' is not understood"),
        ("a\tr\tb\t2001\t2011-13-30\n", "g.tsv:1: time '2011-13-30' is not understood"),
        ("\na\tr\tb\t2001\n\nc\tr\td\tsoon\n", "g.tsv:4: time 'soon' is not understood"),
        ("x\ty\tz\twhen\na\tr\tb\t2001\n", "if this line is a header, name its columns"),
        ("", "g.tsv: the file is empty"),
        ("\n  \n\t\n", "g.tsv: the file is empty"),
        ("head\trelation\ttail\n", "g.tsv: nothing below the header"),
        ("head\tsubject\trelation\ttail\na\tb\tr\tc\n", "'head' and 'subject' both mean head"),
        ("head\trelation\tfoo\na\tr\tb\n", "has no column for tail"),
        ("\n\nhead\trelation\tfoo\na\tr\tb\n", "g.tsv:3: the header"),
    ],
)
def test_wrong_lines_are_refused_with_their_number(
    put: Callable[..., Path], text: str, said: str
) -> None:
    assert said in complaint(put(text))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('s,p,o\na,r,"b\nc,r,d\n', 2),
        ('s,p,o\na,r,b\na,r,"b, c\nd,r,e\n', 3),
        ('a,r,"b, c\nd,r,e\n', 1),
        ('a;r;"b\nc;r;d\n', 1),
    ],
)
def test_a_quote_that_is_not_closed(put: Callable[..., Path], text: str, line: int) -> None:
    message = complaint(put(text, "g.csv"))
    assert f"g.csv:{line}:" in message
    assert "does not end" in message


@pytest.mark.parametrize(
    "text",
    ['a,r,5" x, y" z\nd,r,e\n', 'a,"r"x,"b"\nd,r,e\n', 's,p,o\nd,r,e\na,r, "b, c"\n'],
)
def test_misplaced_quotes_are_read_or_refused_but_never_crash(
    put: Callable[..., Path], text: str
) -> None:
    path = put(text, "g.csv")
    said = ""
    try:
        n_facts = len(facts(path))
    except InputError as error:
        said, n_facts = str(error), 0
    assert n_facts == 2 or f"{path}:" in said


def test_invalid_utf8_is_refused(put: Callable[..., Path]) -> None:
    assert "UTF-8" in complaint(put(b"a\tr\tb\n\xff\xfe\tr\tb\n"))


def test_a_latin_1_byte_in_a_csv_is_refused(put: Callable[..., Path]) -> None:
    assert "UTF-8" in complaint(put("s,p,o\nZürich,r,b\n".encode("latin-1"), "g.csv"))


@pytest.mark.parametrize(
    ("good", "bad"), [("a\tr\tb", "c\tr"), ("a\tr\tb", "\tr\tb"), ("a\tr\tb\t1", "a\tr\tb\tx")]
)
def test_all_problems_come_at_once_twenty_then_a_count(
    put: Callable[..., Path], good: str, bad: str
) -> None:
    lines = complaint(put("\n".join([good] + [bad] * 25) + "\n")).splitlines()
    assert [line.split(":")[1] for line in lines[:-1]] == [str(n) for n in range(2, 22)]
    assert lines[-1] == "... and 5 more"


def test_exactly_twenty_problems_have_no_count(put: Callable[..., Path]) -> None:
    lines = complaint(put("a\tr\tb\n" + "c\tr\n" * 20)).splitlines()
    assert len(lines) == 20
    assert lines[-1].startswith("g.tsv:21:")


def test_a_long_line_is_cut_in_the_message(put: Callable[..., Path]) -> None:
    message = complaint(put("a\tr\tb\n" + "x" * 5000 + "\tr\n"))
    assert "x..." in message
    assert len(message) < 300


def test_kinds_of_time(put: Callable[..., Path]) -> None:
    rows = [("2001", "2001"), ("2001", "2003"), ("2001", ""), ("~", "2003"), ("-inf", "inf")]
    rows += [("", ""), (" ", "NaN"), ("2001", "2001-01-01")]
    graph = read_graph(put("".join(f"a\tr\tb\t{begin}\t{end}\n" for begin, end in rows)))
    assert graph.facts.kinds().tolist() == [
        TimeKind.POINT,
        TimeKind.INTERVAL,
        TimeKind.OPEN_END,
        TimeKind.OPEN_BEGIN,
        TimeKind.UNKNOWN,
        TimeKind.UNKNOWN,
        TimeKind.UNKNOWN,
        TimeKind.INTERVAL,
    ]


@pytest.mark.parametrize("text", ["~", "", "-inf", "unknown", "None"])
def test_an_unknown_point_is_no_time(put: Callable[..., Path], text: str) -> None:
    graph = read_graph(put(f"a\tr\tb\t2001\nc\tr\td\t{text}\n"))
    assert graph.facts.kinds().tolist() == [TimeKind.POINT, TimeKind.UNKNOWN]
    assert len(graph.instants) == 1


def test_a_graph_of_unknown_times_has_no_time(put: Callable[..., Path]) -> None:
    graph = read_graph(put("a\tr\tb\t~\nc\tr\td\t\n"))
    assert not graph.has_time
    assert len(graph.instants) == 0


def test_equal_instants_written_differently_are_one(put: Callable[..., Path]) -> None:
    times = ["2001", "2001-00-00", "2001.0000", "20010000", "+2001"]
    graph = read_graph(put("".join(f"a\tr\tb\t{time}\n" for time in times)))
    assert len(graph.instants) == 1
    assert set(graph.facts.begin.tolist()) == {0}


def test_a_year_and_its_first_day_are_two_instants(put: Callable[..., Path]) -> None:
    graph = read_graph(put("a\tr\tb\t2001\na\tr\tb\t2001-01-01\na\tr\tb\t2001-01\n"))
    assert len(graph.instants) == 3


def test_duplicate_facts_are_kept_by_the_reader(put: Callable[..., Path]) -> None:
    assert facts(put("a\tr\tb\na\tr\tb\n")) == [("a", "r", "b", None, None)] * 2


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("2005", "2001"),
        ("2012", "2011"),
        ("2012-01-01", "2011"),
        ("2011-04", "2011-03"),
        ("2011-03-01", "2011-02"),
        ("2011-01-06", "2011-01-05"),
        ("2011-01-06T10:00:01", "2011-01-06T10:00:00"),
    ],
)
def test_an_end_before_its_begin_is_noted_and_kept(
    put: Callable[..., Path], begin: str, end: str
) -> None:
    graph = read_graph(put(f"a\tr\tb\t{begin}\t{end}\na\tr\tb\t{end}\t{begin}\n"))
    said = f"1 facts end before they begin ({begin} to {end}); kept as they are"
    assert graph.notes == (said,)
    assert frame_of_graph(graph).rows()[0] == ("a", "r", "b", begin, end)


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("2011-06-01", "2011"),
        ("2011-12-31", "2011"),
        ("2011-06", "2011"),
        ("2011", "2011-06-01"),
        ("2011-06-30", "2011-06"),
        ("2011-06-30T23:59:59", "2011-06-30"),
        ("2011-06-30T23:59:59", "2011-06-30T23:59:59"),
    ],
)
def test_an_end_that_contains_its_begin_is_no_contradiction(
    put: Callable[..., Path], begin: str, end: str
) -> None:
    assert read_graph(put(f"a\tr\tb\t{begin}\t{end}\n")).notes == ()


def test_a_day_that_does_not_exist_is_taken_as_its_month_and_noted(
    put: Callable[..., Path],
) -> None:
    graph = read_graph(put("a\tr\tb\t2011-02-30\na\tr\tc\t2011-02-28\n"))
    assert [row[3] for row in frame_of_graph(graph).rows()] == ["2011-02", "2011-02-28"]
    assert len(graph.notes) == 1
    assert "2011-02-30" in graph.notes[0]


def test_columns_that_are_not_used_are_noted(put: Callable[..., Path]) -> None:
    graph = read_graph(put("s\tp\to\tnote\tsize\na\tr\tb\tx\t1\n"))
    assert graph.notes == ("unused columns: note, size",)


def test_source_digest_and_names_in_order_of_appearance(put: Callable[..., Path]) -> None:
    path = put("b\tr2\ta\na\tr1\tc\n")
    graph = read_graph(str(path))
    assert graph.source == str(path)
    assert graph.digest.startswith("sha256:")
    assert graph.digest != read_graph(put("b\tr2\ta\n", "other.tsv")).digest
    assert list(graph.entities) == ["b", "a", "c"]
    assert list(graph.relations) == ["r2", "r1"]


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert complaint(tmp_path / "no.tsv") == "no.tsv: no such file; check the path"
    assert "found a folder" in complaint(tmp_path)


def test_a_first_line_that_looks_like_a_header_is_mentioned(put: Callable[..., Path]) -> None:
    body = "".join(f"a{n}\tr{n % 3}\tb{n}\n" for n in range(30))
    (note,) = read_graph(put("item\tproperty\tvalue\n" + body)).notes
    assert "line 1 (item, property, value) was read as a fact" in note
    assert read_graph(put(body)).notes == ()


def test_parquet_floats_and_nulls(tmp_path: Path) -> None:
    path = tmp_path / "g.parquet"
    columns = {"s": ["a", "b"], "p": ["r", "r"], "o": ["c", "d"]}
    frame = pl.DataFrame({**columns, "start": [1999.0, float("nan")], "end": [None, None]})
    frame.write_parquet(path)
    assert facts(path) == [("a", "r", "c", "1999", None), ("b", "r", "d", None, None)]


def test_one_column_for_two_roles_is_refused(put: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="name one column for two roles"):
        read_graph(put("a\tr\tb\n"), columns={"head": "1", "relation": "1", "tail": "3"})


def literals_of(graph: Graph) -> list[tuple[str | None, ...]]:
    return frame_of_attributes(graph).rows()


@pytest.mark.parametrize("name", ["value", "Literal"])
def test_a_row_with_a_value_and_no_tail_is_a_literal(put: Callable[..., Path], name: str) -> None:
    text = f"head,relation,tail,{name},lang,datatype,begin,end\n" + (
        "a,r,b,,,,1999,\na,name,,Ann,EN,,1990,1995\nb,height,,1.6,,xsd:decimal,,\nc,name,,Ann,,,,\n"
    )
    graph = read_graph(put(text, "g.csv"))
    assert frame_of_graph(graph).rows() == [("a", "r", "b", "1999", None)]
    assert literals_of(graph) == [
        ("a", "name", "Ann", None, "EN", "1990", "1995"),
        ("b", "height", "1.6", "xsd:decimal", None, None, None),
        ("c", "name", "Ann", None, None, None, None),
    ]
    assert graph.entities == ["a", "b", "c"]
    assert graph.relations == ["r"]
    assert graph.notes == ()


def test_a_table_of_literals_alone(put: Callable[..., Path]) -> None:
    graph = read_graph(put("s\tp\tvalue\na\tname\tAnn\nb\tname\t\nb\tname\tBen\nb\tname\tBen\n"))
    assert len(graph.facts) == 0
    assert [row[:3] for row in literals_of(graph)] == [("a", "name", "Ann"), ("b", "name", "Ben")]
    assert graph.notes == (
        "1 rows without tail and value left out",
        "1 duplicate literals, counted once",
    )


def test_a_row_with_tail_and_value_is_a_fact_and_that_is_said(put: Callable[..., Path]) -> None:
    graph = read_graph(put("head\trelation\ttail\tvalue\na\texports to\tb\t17.5\n"))
    assert frame_of_graph(graph).rows() == [("a", "exports to", "b", None, None)]
    assert len(graph.attributes) == 0
    assert graph.notes == ("1 rows have both a tail and a value; the value is ignored",)


def test_columns_of_values_by_name_and_position(put: Callable[..., Path]) -> None:
    path = put("who\twhat\ttext\ttongue\na\tname\tAnn\ten\n")
    graph = read_graph(path, columns="head=who,relation=2,value=text,language=tongue")
    assert literals_of(graph) == [("a", "name", "Ann", None, "en", None, None)]


def test_a_language_without_a_value_is_a_column_like_any_other(put: Callable[..., Path]) -> None:
    graph = read_graph(put("head\trelation\ttail\tlanguage\na\tr\tb\ten\n"))
    assert graph.notes == ("unused columns: language",)
    with pytest.raises(InputError, match="language describes a value"):
        read_graph(put("a\tr\tb\ten\n"), columns="head=1,relation=2,tail=3,language=4")
    with pytest.raises(InputError, match="or a value in place of the tail"):
        read_graph(put("a\tr\tb\ten\n"), columns="head=1,relation=2")


def test_a_literal_needs_an_entity_an_attribute_and_a_time_that_is_understood(
    put: Callable[..., Path],
) -> None:
    with pytest.raises(InputError) as caught:
        read_graph(put("head\trelation\tvalue\n\tname\tAnn\na\t\tAnn\n"))
    assert "head must not be empty" in str(caught.value)
    assert "relation must not be empty" in str(caught.value)
    with pytest.raises(InputError, match="time 'soon' is not understood"):
        read_graph(put("head\trelation\tvalue\ttime\na\tname\tAnn\tsoon\n"))


def test_parquet_values_keep_their_type(tmp_path: Path) -> None:
    columns: list[tuple[str, list[Any], str, str | None]] = [
        ("integer", [5], "5", "integer"),
        ("double", [1.5], "1.5", "double"),
        ("boolean", [True], "true", "boolean"),
        ("date", [datetime.date(1999, 2, 3)], "1999-02-03", "date"),
        ("text with\ttab", ["a\tb"], "a\tb", None),
    ]
    for number, (name, values, text, datatype) in enumerate(columns):
        path = tmp_path / f"{number}.parquet"
        pl.DataFrame({"head": ["a"], "relation": ["p"], "value": values}).write_parquet(path)
        ((_, _, value, kind, *_),) = literals_of(read_graph(path))
        assert value == text, name
        assert kind == (datatype and f"http://www.w3.org/2001/XMLSchema#{datatype}")


@pytest.mark.parametrize(
    ("header", "begin", "end"),
    [
        ("head,relation,tail,valid_from,valid_to", "2001", "2002"),
        ("head,relation,tail,Valid From,Valid-Until", "2001", "2002"),
        ("head,relation,tail,startDate,END_DATE", "2001", "2002"),
        ("head,relation,tail,start_date,end", "2001", "2002"),
        ("head,relation,tail,start,start_date", "2001", None),
        ("head,relation,tail,end_date,end", None, "2002"),
        ("head,relation,tail,valid_from,start_date", None, None),
    ],
)
def test_further_names_of_begin_and_end(
    put: Callable[..., Path], header: str, begin: str | None, end: str | None
) -> None:
    assert facts(put(f"{header}\na,r,b,2001,2002\n", "g.csv")) == [("a", "r", "b", begin, end)]


def test_na_is_an_unknown_time_and_nothing_else(put: Callable[..., Path]) -> None:
    graph = read_graph(put("head,relation,tail,start,end\na,r,NA,2001,NA\nb,r,c,NA,NA\n", "g.csv"))
    assert frame_of_graph(graph).rows() == [
        ("a", "r", "NA", "2001", None),
        ("b", "r", "c", None, None),
    ]
    assert graph.notes == (
        "3 times in begin, end are NA, as R writes missing values; taken as unknown",
    )


def test_constants_among_the_columns(put: Callable[..., Path]) -> None:
    path = put("who,team,year\na,x,2001\nb,y,2002\n", "g.csv")
    columns = parse_columns("head=who,relation='played, for',tail=team,time=\"1999\"")
    assert facts(path, columns) == [
        ("a", "played, for", "x", "1999", "1999"),
        ("b", "played, for", "y", "1999", "1999"),
    ]


def test_missing_values_and_forms_of_dates_among_the_columns(put: Callable[..., Path]) -> None:
    path = put("head,relation,tail,time\na,r,b,03/07/2011\na,r,-,2001\nc,r,d,n/a\n", "g.csv")
    graph = read_graph(path, columns="missing=-|n/a,date_format=%d/%m/%Y|%m.%Y")
    assert frame_of_graph(graph).rows() == [
        ("a", "r", "b", "2011-07-03", "2011-07-03"),
        ("c", "r", "d", None, None),
    ]
    assert graph.notes == ("1 rows without head, relation or tail left out",)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ("date_format=%d.%m.", "columns: date_format '%d.%m.' has no year (%Y)"),
        ("date_format=%Y-%d", "g.csv:2: column 'time': time '03/07/2011' does not match"),
        (
            "head=head,relation=relation,value='x'",
            "columns: value must be a column, not a constant",
        ),
        ("mising=NA", "columns: 'mising' is not a role; choose from head"),
        ("head=head,relation='r,tail=tail", 'there is no column "\'r"'),
        ("head=head,relation=is in,tail=tail", "; put a constant in quotes: 'is in'"),
        ("head=Head,relation=relation,tail=tail", "; did you mean 'head'?"),
    ],
)
def test_wrong_rules_among_the_columns(put: Callable[..., Path], columns: str, told: str) -> None:
    path = put("head,relation,tail,time\na,r,b,03/07/2011\n", "g.csv")
    assert told in complaint(path, parse_columns(columns))


def test_a_date_that_may_be_either_is_told_with_the_cure(put: Callable[..., Path]) -> None:
    text = complaint(put("a,r,b,07.03.2011\na,r,b,03/07/2011\n", "g.csv"))
    assert text.startswith(
        "g.csv:2: time '03/07/2011' may start with the day or the month; say which: "
    )


@pytest.mark.parametrize("name", ["g[1].parquet", "g[1].tsv"])
def test_signs_of_a_pattern_in_a_file_name_mean_themselves(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    frame = pl.DataFrame({"head": ["a"], "relation": ["r"], "tail": ["b"]})
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        path.write_text("head\trelation\ttail\na\tr\tb\n")
    other = tmp_path / f"g1{path.suffix}"  # what the pattern would find
    other.write_text("neither a table nor Parquet")
    assert len(read_graph(path).facts) == 1


def test_names_of_a_period_make_a_header_of_facts_alone() -> None:
    """A link has no period: there the same words are what an entity is called."""
    names = ["x", "y", "z", "valid_from", "Valid to"]
    by_number = {"head": "1", "relation": "2", "tail": "3"}
    facts = find_layout("table", names, by_number, FACT_ROLES)
    links = find_layout("table", names, {"left": "1", "right": "2"}, LINK_ROLES)
    assert facts is not None
    assert links is not None
    assert (facts.has_header, links.has_header) == (True, False)
