"""Events in the layouts of their publishers: GDELT, ICEWS, POLECAT."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes
from lighttea.io.presets import EVENT_LAYOUTS
from lighttea.io.tables import read_graph
from tests.io.outcomes import outcome

Put = Callable[..., Path]

ICEWS = (
    *("Event ID", "Event Date", "Source Name", "Source Sectors", "Source Country", "Event Text"),
    *("CAMEO Code", "Intensity", "Target Name", "Target Sectors", "Target Country", "Story ID"),
    *("Sentence Number", "Publisher", "City", "District", "Province", "Country", "Latitude"),
    "Longitude",
)
POLECAT = (
    *("Event ID", "Event Date", "Event Type", "Event Mode", "Intensity", "Quad Code", "Contexts"),
    *("Actor Name", "Actor Country", "Actor COW", "Primary Actor Sector", "Actor Sectors"),
    *("Actor Title", "Actor Name Raw", "Wikipedia Actor ID", "Recipient Name"),
    *("Recipient Country", "Recipient COW", "Primary Recipient Sector", "Recipient Sectors"),
    *("Recipient Title", "Recipient Name Raw", "Wikipedia Recipient ID", "Placename", "City"),
    *("District", "Province", "Country", "Latitude", "Longitude", "GeoNames ID", "Raw Placename"),
    *("Feature Type", "Source", "Publication Date", "Story People", "Story Organizations"),
    *("Story Locations", "Language", "Version"),
)


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file and return its path."""

    def write(content: str | bytes, name: str = "events.tab") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def table(*rows: Sequence[str], separator: str = "\t") -> str:
    return "".join(separator.join(row) + "\n" for row in rows)


def icews(source: str, code: str, target: str, day: str, text: str = "Make statement") -> list[str]:
    row = ["926685", day, source, "Government", "India", text, code, "0.0", target, "Elite"]
    return [*row, "China", "20718170", "5", "The Hindu", "Delhi", "", "NCT", "India", "28.6", "77"]


def polecat(actor: str, kind: str, recipient: str, day: str) -> list[str]:
    row = dict.fromkeys(POLECAT, "None") | {"Contexts": "military;legal", "City": ""}
    row |= {"Actor Name": actor, "Event Type": kind, "Recipient Name": recipient}
    return list((row | {"Event Date": day, "Event ID": "x_1"}).values())


def gdelt(actor1: str, code: str, actor2: str, day: str, width: int = 58) -> list[str]:
    """A row as the codebook lays it out: columns 2, 6, 16 and 27, counted from 1."""
    row = [""] * width
    row[0], row[1], row[5], row[15], row[26] = "231789122", day, actor1, actor2, code
    row[6], row[16], row[25] = "a name", "another name", "1"
    row[36] = "Washington, District of Columbia, United States"
    return row


def rows_of(path: Path, columns: str) -> list[tuple[str | None, ...]]:
    return frame_of_graph(read_graph(path, columns=columns)).rows()


def test_icews_as_published(put: Put) -> None:
    path = put(
        table(
            ICEWS,
            icews("Citizen (India)", "010", "Xi Jinping", "1995-01-01"),
            icews('Party "Left"', "190", "Citizen (India)", "1995-01-02"),
        )
    )
    assert rows_of(path, "icews") == [
        ("Citizen (India)", "010", "Xi Jinping", "1995-01-01", "1995-01-01"),
        ('Party "Left"', "190", "Citizen (India)", "1995-01-02", "1995-01-02"),
    ]


def test_a_column_beside_the_preset_replaces_its_own(put: Put) -> None:
    path = put(table(ICEWS, icews("a", "010", "b", "1995-01-01", "Make statement")))
    assert rows_of(path, "icews,relation=Event Text")[0][1] == "Make statement"
    assert rows_of(path, "ICEWS, relation=6")[0][1] == "Make statement"
    assert rows_of(path, "icews,begin=Event Date")[0][3:] == ("1995-01-01", None)


def test_a_column_that_is_replaced_need_not_be_there(put: Put) -> None:
    text = "Event Date\tSource Name\tEvent Text\tTarget Name\n1995-01-01\ta\tMeet\tb\n"
    path = put(text)
    assert rows_of(path, "icews,relation=Event Text")[0][:3] == ("a", "Meet", "b")
    with pytest.raises(InputError, match="there is no column 'CAMEO Code'; found 4: Event Date"):
        read_graph(path, columns="icews")


def test_two_columns_of_the_publisher_make_a_header(put: Put) -> None:
    path = put("Event Date\tSource Name\tDeed\tOther\n1995-01-01\ta\tMeet\tb\n")
    assert rows_of(path, "icews,relation=Deed,tail=Other")[0][:3] == ("a", "Meet", "b")


def test_a_preset_on_parquet_is_refused_with_what_to_do(tmp_path: Path) -> None:
    pl.DataFrame({name: ["x"] for name in ICEWS}).write_parquet(tmp_path / "g.parquet")
    for preset in ("icews", "neo4j"):
        with pytest.raises(InputError, match="name the columns of a Parquet table"):
            read_graph(tmp_path / "g.parquet", columns=preset)


def test_names_in_another_case_or_with_underscores_are_the_same(put: Put) -> None:
    header = [name.lower().replace(" ", "_") for name in ICEWS]
    path = put(table(header, icews("a", "010", "b", "1995-01-01"), separator=","), "icews.csv")
    assert rows_of(path, "icews") == [("a", "010", "b", "1995-01-01", "1995-01-01")]


def test_polecat_as_published(put: Put) -> None:
    path = put(
        table(
            POLECAT,
            polecat("Narendra Modi", "CONSULT", "Xi Jinping", "2018-01-01"),
            polecat("None", "PROTEST", "India", "2018-01-02"),
            polecat("India", "ASSAULT", "", "2018-01-02"),
            polecat("None", "ASSAULT", "None", "2018-01-02"),
        )
    )
    graph = read_graph(path, columns="polecat")
    assert frame_of_graph(graph).rows() == [
        ("Narendra Modi", "CONSULT", "Xi Jinping", "2018-01-01", "2018-01-01")
    ]
    assert graph.notes == (
        "3 of 4 events left out: 2 without Actor Name, 2 without Recipient Name",
    )


@pytest.mark.parametrize("width", [57, 58, 61])
@pytest.mark.parametrize("name", ["20130401.export.CSV", "20130401.csv", "1979.tsv"])
def test_gdelt_without_header_in_all_its_widths(put: Put, width: int, name: str) -> None:
    rows = [
        gdelt("USAGOV", "042", "CHN", "20130401", width),
        gdelt("", "010", "CHN", "20130401", width),
    ]
    graph = read_graph(put(table(*rows), name), columns="gdelt")
    assert frame_of_graph(graph).rows() == [("USAGOV", "042", "CHN", "2013-04-01", "2013-04-01")]
    assert graph.notes == ("1 of 2 events left out: 1 without Actor1Code, 0 without Actor2Code",)


def test_gdelt_columns_have_names_also_without_a_header(put: Put) -> None:
    path = put(table(gdelt("USAGOV", "042", "CHN", "20130401", 61)))
    found = rows_of(path, "gdelt,head=Actor1Name,tail=Actor2Name")
    assert found == [("a name", "042", "another name", "2013-04-01", "2013-04-01")]


def test_gdelt_with_a_header(put: Put) -> None:
    text = "SQLDATE,Actor1Code,EventCode,Actor2Code\n20130401,USA,042,CHN\n"
    assert rows_of(put(text, "bq.csv"), "gdelt")[0] == ("USA", "042", "CHN", *["2013-04-01"] * 2)


def test_the_columns_of_gdelt_stand_where_the_codebooks_say() -> None:
    old, new, second = EVENT_LAYOUTS["gdelt"].headerless
    assert (len(old), len(new), len(second)) == (57, 58, 61)
    for names in (old, new, second):
        assert [names.index(name) + 1 for name in ("SQLDATE", "Actor1Code", "Actor2Code")] == [
            *(2, 6, 16),
        ]
        assert [names.index(name) + 1 for name in ("EventCode", "AvgTone")] == [27, 35]
        assert len(set(names)) == len(names)
    assert (new[-2:], second[-2:]) == (("DATEADDED", "SOURCEURL"),) * 2
    assert (second[39], second[47], second[55]) == tuple(
        f"{who}Geo_ADM2Code" for who in ("Actor1", "Actor2", "Action")
    )


def zipped(files: dict[str, str]) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return memory.getvalue()


def test_a_zip_with_one_file_in_it_is_that_file(put: Put) -> None:
    text = table(gdelt("USA", "042", "CHN", "20130401"))
    path = put(zipped({"20130401.export.CSV": text}), "20130401.export.CSV.zip")
    assert rows_of(path, "gdelt")[0][:3] == ("USA", "042", "CHN")
    plain = put(zipped({"g.csv": "s,p,o\na,r,b\n"}), "g.csv.zip")
    assert frame_of_graph(read_graph(plain)).rows()[0][:3] == ("a", "r", "b")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (zipped({"a.tsv": "a\tr\tb\n", "b.tsv": "a\tr\tb\n"}), "contains 2 files (a.tsv, b.tsv)"),
        (zipped({}), "contains 0 files"),
        (zipped({"a.tsv": "a\tr\tb\n" * 99})[:60], "cannot be read as zip"),
    ],
    ids=["two files", "no file", "cut off"],  # the bytes hold the time of day
)
def test_other_zips_are_refused(put: Put, content: bytes, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_graph(put(content, "g.zip"))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "columns", "said"),
    [
        (
            "a\tb\tc\n",
            "icews",
            "expected a header with Source Name, CAMEO Code, Target Name, Event",
        ),
        ("a\tb\tc\n", "gdelt", "or no header and 57 or 58 or 61 columns; found 3 columns"),
        ("a\tb\tc\n", "icews,who=1", "'who' is not a role"),
        (table(ICEWS, icews("", "1", "b", "1995-01-01")), "icews", "no event has both Source Name"),
        (table(ICEWS, icews("a", "1", "b", "soon")), "icews", "events.tab:2: time 'soon'"),
        (table(ICEWS, icews("a", "", "b", "1995")), "icews", "events.tab:2: relation must not be"),
        (table(ICEWS, icews("a", "1", "b", "1995")[:-1]), "icews", "expected 20 tab-separated"),
        (table(ICEWS), "icews", "no event has both"),
        (table(ICEWS), "icews,tail=nope", "no column 'nope'"),
        (table(ICEWS), "icew", "first a preset (gdelt, icews, neo4j, polecat), found 'icew'"),
        (table(ICEWS), "relation=1,icews", "found 'icews'"),
    ],
)
def test_what_is_not_the_layout_is_refused(put: Put, text: str, columns: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_graph(put(text), columns=columns)
    assert said in str(caught.value)


GOOD = icews("a", "010", "b", "1995-01-01")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (GOOD[:-1], 'expected 20 tab-separated fields, found 19 ("926685<TAB>1995-01-01<TAB>a'),
        ([*GOOD, "x"], "expected 20 tab-separated fields, found 21"),
        (icews("a", "", "b", "1995"), "relation must not be empty"),
        (icews("a", "1", "b", "soon"), "time 'soon' is not understood"),
        (
            icews("a", "1", "Z\x00rich", "1995"),
            "tail must not contain a tab or a line break or a NUL",
        ),
    ],
)
def test_wrong_lines_are_left_out_and_counted(put: Put, wrong: Sequence[str], said: str) -> None:
    path = put(table(ICEWS, GOOD, wrong, GOOD, wrong))
    graph = read_graph(path, columns="icews")
    assert len(graph.facts) == 2
    assert graph.notes[0].startswith(
        f"2 malformed lines left out (`strict=True` stops at them): {path}:3: {said}"
    )
    with pytest.raises(InputError) as caught:
        read_graph(path, columns="icews", strict=True)
    assert [line.split(" ")[0] for line in str(caught.value).splitlines()] == [
        f"{path}:3:",
        f"{path}:5:",
    ]


def test_a_quote_that_is_not_closed_is_a_wrong_line(put: Put) -> None:
    rows = [ICEWS, GOOD, icews("a", "1", '"b', "1995"), icews('"x, y"', "1", "b", "1995")]
    graph = read_graph(put(table(*rows, separator=","), "events.csv"), columns="icews")
    assert frame_of_graph(graph)["head"].to_list() == ["a", "x, y"]
    assert "events.csv:3: expected 20 comma-separated fields, found a quote not c" in graph.notes[0]


@pytest.mark.parametrize("packed", [False, True])
def test_lines_in_another_encoding_are_wrong_lines(put: Put, packed: bool) -> None:
    content = table(ICEWS, GOOD).encode() + table(icews("Z\u00fc", "1", "b", "1995")).encode(
        "latin-1"
    )
    path = put(gzip.compress(content) if packed else content)
    graph = read_graph(path, columns="icews")
    assert frame_of_graph(graph)["head"].to_list() == ["a"]
    assert (
        f"1 malformed lines left out (`strict=True` stops at them): {path}:3: not UTF-8 text"
        in (graph.notes[0])
    )
    with pytest.raises(InputError, match=r"events\.tab:3: not UTF-8 text .* iconv -f"):
        read_graph(path, columns="icews", strict=True)


def test_a_file_of_wrong_lines_is_refused(put: Put) -> None:
    with pytest.raises(InputError) as caught:
        read_graph(put(table(ICEWS, *[GOOD[:3]] * 30)), columns="icews")
    said = str(caught.value).splitlines()
    assert len(said) == 21
    assert said[-1] == "... and 10 more"


def test_a_wrong_first_line_does_not_decide_how_wide_a_file_is(put: Put) -> None:
    rows = [gdelt("USA", "010", "FRA", f"2013040{n}") for n in (1, 2, 3)]
    graph = read_graph(put(table(rows[0][:-1], *rows), "x.CSV"), columns="gdelt")
    assert len(graph.facts) == 3
    assert "x.CSV:1: expected 58 tab-separated fields, found 57" in graph.notes[0]


def test_more_wrong_lines_than_right_ones_are_refused(put: Put) -> None:
    path = put(table(ICEWS, GOOD, *[GOOD[:-1]] * 3))
    with pytest.raises(InputError, match=r"events\.tab:3: expected 20 tab-separated fields"):
        read_graph(path, columns="icews")
    latin = table(*[icews("Z\u00fc", "1", "b", "1995")] * 3).encode("latin-1")
    with pytest.raises(InputError, match=r"events\.tab:3: not UTF-8 text .* iconv -f"):
        read_graph(put(table(ICEWS, GOOD).encode() + latin), columns="icews")


@pytest.mark.parametrize("strict", [False, True])
def test_a_plain_table_stops_at_a_wrong_line(put: Put, strict: bool) -> None:
    path = put("head\trelation\ttail\na\tr\tb\na\tr\n", "facts.tsv")
    with pytest.raises(InputError, match=r"facts\.tsv:3: expected 3 tab-separated fields, found 2"):
        read_graph(path, strict=strict)


CELLS = st.sampled_from(
    ["", "a", "None", "010", "1995-02-30", "soon", "20150218", "-44", '"', '"b"']
)
ROWS = st.lists(CELLS, min_size=18, max_size=21) | st.text(max_size=30).map(lambda text: [text])


@given(st.lists(ROWS, max_size=4), st.sampled_from(["\t", ",", ";"]), st.binary(max_size=6))
@example([["\x00"]], "\t", b"")
@example([["\ufeff"]], "\t", b"\xff")
def test_any_events_are_read_or_refused(
    put: Put, rows: list[list[str]], separator: str, rubbish: bytes
) -> None:
    good = table(ICEWS, GOOD, separator=separator).encode()
    path = put(good + table(*rows, separator=separator).encode("utf-8", "replace") + rubbish)
    graph = outcome(path, columns="icews")
    if isinstance(graph, Graph):
        assert frame_of_graph(graph).row(0)[:3] == ("a", "010", "b")


@pytest.mark.parametrize(
    ("header", "preset"),
    [
        (ICEWS, "icews"),
        (POLECAT, "polecat"),
        (["_id", "_labels", "name", "_start", "_end", "_type", "since"], "neo4j"),
        ([":START_ID(A)", ":END_ID", ":TYPE", "x", "y", "z"], "neo4j"),
    ],
)
def test_without_the_preset_it_is_advised(put: Put, header: Sequence[str], preset: str) -> None:
    with pytest.raises(InputError, match=f"read it with `columns='{preset}'`"):
        read_graph(put(table(header, ["x"] * len(header))))
    path = put(b"", "g.parquet")
    pl.DataFrame({name: ["x"] for name in header}).write_parquet(path)
    with pytest.raises(InputError, match=f"read it with `columns='{preset}'`"):
        read_graph(path)


def said_of(graph: Graph) -> list[tuple[str, str, str]]:
    return sorted(frame_of_attributes(graph).select("entity", "attribute", "value").rows())


def test_what_icews_says_of_actors_are_attributes(put: Put) -> None:
    one, other = (icews("a", "010", "b", f"1995-01-0{day}") for day in (1, 2))
    one[ICEWS.index("Source Sectors")] = "Government, Elite,Government"
    other[ICEWS.index("Target Country")] = ""
    graph = read_graph(put(table(ICEWS, one, other)), columns="icews")
    assert said_of(graph) == [
        ("a", "Country", "India"),
        ("a", "Sectors", "Elite"),
        ("a", "Sectors", "Government"),
        ("b", "Country", "China"),
        ("b", "Sectors", "Elite"),
    ]
    assert graph.notes == ()


def test_what_polecat_says_of_actors_are_attributes(put: Put) -> None:
    row = polecat("a", "AID", "b", "2020-01-01")
    row[POLECAT.index("Recipient Country")] = "PER"
    row[POLECAT.index("Actor Name Raw")] = "Mr A"
    row[POLECAT.index("Primary Recipient Sector")] = "Government"
    graph = read_graph(put(table(POLECAT, row)), columns="polecat")
    assert said_of(graph) == [
        ("a", "Name Raw", "Mr A"),
        ("b", "Country", "PER"),
        ("b", "Primary Sector", "Government"),
    ]


def test_what_gdelt_says_of_actors_are_attributes(put: Put) -> None:
    path = put(table(gdelt("USA", "042", "RUS", "20130401")), "20130401.export.CSV")
    assert said_of(read_graph(path, columns="gdelt")) == [
        ("RUS", "Name", "another name"),
        ("USA", "Name", "a name"),
    ]
    by_name = read_graph(path, columns="gdelt,head=Actor1Name,tail=Actor2Name")
    assert said_of(by_name) == [("a name", "Code", "USA"), ("another name", "Code", "RUS")]


def test_an_event_that_is_left_out_says_nothing_of_its_actors(put: Put) -> None:
    rows = [icews("a", "010", "b", "1995-01-01"), icews("c", "010", "", "1995-01-01")]
    rows.append(icews("d", "010", "b", "soon"))
    graph = read_graph(put(table(ICEWS, *rows)), columns="icews")
    assert {entity for entity, _, _ in said_of(graph)} == {"a", "b"}


@pytest.mark.parametrize("preset", sorted(EVENT_LAYOUTS))
def test_the_columns_of_actors_are_those_of_the_publishers(preset: str) -> None:
    layout = EVENT_LAYOUTS[preset]
    published = {"icews": ICEWS, "polecat": POLECAT, "gdelt": layout.headerless[-1:]}[preset]
    names = published[0] if preset == "gdelt" else published
    assert all(column in names for both in layout.actors.values() for column in both)
