"""What a wrong description is told: file, line, key, what was expected; all at once."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lighttea
from lighttea import graph_from_sources
from lighttea.io.descriptions.schema import GRAPH_KEYS, SOURCE_KEYS
from tests.fuzzing import examples
from tests.io.descriptions.conftest import Complain, Put, outcome_of

HEAD = '[[source]]\nfile = "f.csv"\n'
FACTS = HEAD + 'head = "h"\nrelation = "r"\ntail = "t"\n'
ENTITIES = HEAD + 'entity = "h"\n'


@pytest.fixture(autouse=True)
def _table(put: Put) -> None:
    put("f.csv", "h,r,t,d\nx,r,y,1999\nx,r,z,03/07/2011\n")
    put("f.nt", "<http://x> <http://r> <http://y> .\n")


def test_problems_that_are_not_shown_are_counted(put: Put, complaint: Complain) -> None:
    put("f.csv", "h,r,t,d\n" + "x,r,y,spring\n" * 30)
    lines = complaint(FACTS + 'time = "d"\n' + FACTS + 'time = "d"\n').splitlines()
    assert len(lines) == 21
    assert lines[-1] == "... and 40 more"


def test_a_constant_that_was_written_as_a_column_is_told(complaint: Complain) -> None:
    told = complaint(HEAD + 'head = "h"\nrelation = "played for"\ntail = "t"\n')
    assert "has no column 'played for'; found 4: h, r, t, d; a constant is { value = \"pl" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "left.toml: source is missing; a description has at least one [[source]]"),
        ('source = "x"', "left.toml:1: source is missing"),
        ("source = [1]", "left.toml: source 1: source must be a table; found 1"),
        ("[source]\nfile = 'x'", "left.toml: source is one table; write [[source]]"),
        ("nmae = 'x'\n" + FACTS, "left.toml:1: nmae is not a key of a description; did you mean"),
        ("name = 3\n" + FACTS, "left.toml:1: name must be a text in quotes; found 3"),
        ("[[source]]\n", "left.toml:1: source has no file or sql"),
        (HEAD + 'haed = "h"', "left.toml:3: haed is not a key of a source; did you mean 'head'?"),
        (HEAD + 'head = "h"', "left.toml: source 1: relation is missing; a fact needs head"),
        (FACTS + 'tail = "x"', "left.toml:6: not TOML: Cannot overwrite a value"),
        (FACTS.replace('"t"', '"h"'), "left.toml:5: tail names the column 'h', which is also head"),
        (FACTS + 'begin = "d"\nend = "d"', "which is also begin; a point in time is called time"),
        (FACTS + "language = 'l'", "left.toml:6: language describes a value; name the column"),
        (
            FACTS + "entity = 'h'",
            "left.toml:6: entity cannot be beside head; a source is a table of",
        ),
        (FACTS + "names = ['h']", "left.toml:6: names must be in a table of facts { head ="),
        (FACTS + "time = { constant = 'x' }", "left.toml:6: time must be a column, such as"),
        (FACTS + "time = { value = 'soon' }", "left.toml:6: time: time 'soon' is not understood"),
        (FACTS + "time = true", 'or a constant, such as { value = "played for" }; found True'),
        (FACTS + "date_format = '%d.%m.'", "left.toml:6: date_format: '%d.%m.' has no year (%Y)"),
        (FACTS + "date_format = '%Y %Q'", "left.toml:6: date_format: '%Y %Q' cannot be used"),
        (FACTS + "missing = 3", "left.toml:6: missing must be a text, or a list of texts; found 3"),
        (FACTS + "prefix = { h = 'x' }", "prefix names 'h'; expected head or relation or tail"),
        (FACTS + "prefix = 3", "left.toml:6: prefix must be a table such as"),
        (FACTS + "prefix = { head = 3 }", "left.toml:6: prefix must be a table such as"),
        (FACTS + "prefix = { head = '' }", "left.toml:6: prefix must be a table such as"),
        (FACTS + "split = ';'", "left.toml:6: split must be a table such as"),
        (FACTS + "sheet = 'x'", "left.toml:6: sheet: does not apply to f.csv"),
        (FACTS + "each = 'x'", "left.toml:6: each: does not apply to f.csv"),
        (FACTS + "format = 'table'", "left.toml:6: format: does not apply to f.csv"),
        (FACTS + "header = 'no'", "left.toml:6: header must be true or false; found 'no'"),
        (FACTS + "database = 'x'", "left.toml:6: database does not apply to file"),
        (FACTS + "sql = 'x'", "left.toml:1: source has file and sql; choose one"),
        (FACTS + "encoding = 'latin-99'", "left.toml:6: encoding: 'latin-99' is not known"),
        (FACTS + "encoding = 'hex'", "left.toml:6: encoding: 'hex' is not known"),
        (FACTS + "separator = '--'", "left.toml:6: separator must be one character; found '--'"),
        ("[[source]]\nsql = 'SELECT 1'\nentity = 'x'", "database is missing; sql needs it"),
        (HEAD + "attributes = ['d']", "entity is missing; it names the column with the id"),
        (HEAD + "names = ['d']", "left.toml:3: names needs head, relation and tail, or entity"),
        (ENTITIES + "attributes = ['d', 'd']", "attributes names the column 'd' twice"),
        (
            ENTITIES + "attributes = ['d']\nlinks = ['d']",
            "'d', which is also in attributes; choose",
        ),
        (ENTITIES + "links = { d = 3 }", "links must be a table from columns to names"),
        (ENTITIES + "links = [true]", "links must be a column, or a list of columns"),
        (ENTITIES + "begin = { x = 'd' }", "begin names 'x', which is neither a relation of links"),
        (ENTITIES + "begin = 'd'", "begin must be a table from relations to columns"),
        (ENTITIES + "dates = ['d']", "f.csv:3: column 'd': time '03/07/2011' may start with"),
        (
            FACTS + "time = 'd'\ndate_format = '%d.%m.%Y'",
            "f.csv:3: column 'd': time '03/07/2011' does not match date_format '%d.%m.%Y'",
        ),
        (FACTS.replace('"h"', '"he"'), "left.toml:3: head: f.csv has no column 'he'; found 4"),
        (HEAD.replace("f.csv", "g.csv"), "left.toml:2: file: g.csv: no such file; check the path"),
        (HEAD.replace("f.csv", "left.toml"), "a description cannot be the source of another one"),
        (HEAD.replace('"f.csv"', "7"), "left.toml:2: file must be a text, or a list of texts"),
        (FACTS + "split = { d = '9' }\ntime = 'd'", "f.csv: column 'd' holds lists"),
        (
            FACTS + "split = { x = ';' }",
            "left.toml:6: split names the column 'x', which has no role",
        ),
        (HEAD.replace('"f.csv"', "[]"), "left.toml:2: file must be at least one text; found []"),
        (
            HEAD.replace("f.csv", "f.nt") + "header = false",
            "left.toml:3: header: does not apply to",
        ),
    ],
)
def test_problems(complaint: Complain, text: str, told: str) -> None:
    assert told in complaint(text)


def test_all_problems_of_a_description_and_of_its_sources_come_at_once(
    put: Put, complaint: Complain
) -> None:
    text = complaint("nmae = 1\n" + HEAD + "hed = 1\n" + ENTITIES + "links = true\n")
    assert len(text.splitlines()) == 3
    put("g.csv", "h,r\na,b\n")
    text = complaint(FACTS.replace('"t"', '"x"') + FACTS.replace("f.csv", "g.csv"))
    assert [line.split(":")[1] for line in text.splitlines()] == ["5", "10"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"name = \xff", "left.toml:1: not UTF-8 text"),
        (b"a = 1\nname", "left.toml:2: not TOML: "),
        (b"a = " + b"[" * 100_000, "left.toml"),
        (b"a = 1e999999999999999999999", "left.toml"),
        (b"a = " + b"9" * 10_000, "left.toml"),
        (b"a = 0001-01-01T00:00:00+23:59", "left.toml"),
        (b"\x00", "left.toml:1: not TOML"),
        (b"#" * (17 << 20), "left.toml: 17 MiB is too large for a description"),
    ],
)
def test_odd_toml_is_refused(complaint: Complain, content: bytes, told: str) -> None:
    assert complaint(content).startswith(told)


def test_a_table_with_two_columns_of_one_name(put: Put, complaint: Complain) -> None:
    put("f.csv", "h,r,t,t\nx,r,y,z\n")
    assert "f.csv has 2 columns 't'; rename one, or set header = false" in complaint(FACTS)


def test_ids_that_break_lines_are_told_with_their_column(put: Put, complaint: Complain) -> None:
    put("f.csv", 'h,r,t\n"a\nb",r,y\nx,r,"c\td"\n')
    text = complaint(FACTS)
    assert text.splitlines() == [
        "f.csv:2: column 'h': an id must not contain a tab, a line break or a NUL",
        "f.csv:4: column 't': an id must not contain a tab, a line break or a NUL",
    ]


def test_rows_of_another_width(put: Put, complaint: Complain) -> None:
    put("f.csv", 'h,r,t\n"a\nb",r,y\nx,r\n')
    assert complaint(FACTS) == "f.csv:4: expected 3 fields (the first line's), found 2"


def test_a_graph_without_content_is_refused(put: Put, complaint: Complain) -> None:
    put("f.csv", "h,r,t\n,,\n")
    assert "its sources contain neither a fact nor a literal" in complaint(FACTS)
    put("f.csv", "h,r,t\n")
    assert "its sources contain neither a fact nor a literal" in complaint(FACTS)


def test_columns_beside_a_description(put: Put) -> None:
    path = put("left.toml", FACTS)
    with pytest.raises(lighttea.InputError, match="a description names its columns itself"):
        lighttea.read_graph(path, columns="head=h,relation=r,tail=t")


VALUE = st.recursive(
    st.booleans()
    | st.integers(-2, 5)
    | st.sampled_from(["h", "r", "t", "d", "f.csv", "", "%Y", ";"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("htdv"), inner, max_size=2)
    ),
    max_leaves=4,
)
SOURCE = st.dictionaries(st.sampled_from(sorted({*SOURCE_KEYS} - {"frame"})), VALUE, max_size=7)


@examples(150)
@given(SOURCE, st.dictionaries(st.sampled_from(GRAPH_KEYS[2:]), VALUE))
def test_any_description_is_read_or_refused(source: dict[str, Any], outer: dict[str, Any]) -> None:
    frame = [{"h": "x", "r": "r", "t": "y", "d": "1999"}]
    own = {key: value for key, value in source.items() if key not in ("file", "sql", "database")}
    for content in (source, {"frame": frame, **own}):
        sources: Any = [content]
        outcome = outcome_of(partial(graph_from_sources, sources, **outer))
        is_error = isinstance(outcome, str)
        assert outcome.strip() if is_error else len(outcome.facts) or len(outcome.attributes)
