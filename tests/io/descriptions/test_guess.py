"""First descriptions of tables: what is guessed, and that it can be read at once."""

from __future__ import annotations

import csv
import json
import sqlite3
import tomllib
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import lighttea
from lighttea.io.descriptions.guess.write import describe_files
from tests.fuzzing import examples
from tests.io.descriptions.conftest import Put, outcome_of
from tests.io.descriptions.test_json import PARLIAMENT
from tests.io.descriptions.workbooks import Cell, write_workbook

PEOPLE = (
    "playerID,nameFirst,nameLast,bats,weight,birthDate,debut,teamID\n"
    "p1,Ada,King,L,180,1971-03-07,03/25/1999,BOS\n"
    "p2,Ben,Oak,R,NA,,12/01/2001,NYA\n"
    "p3,Cy,Elm,R,170,NA,NA,BOS\n"
)
TEAMS = "teamID,name,founded\nBOS,Boston,1901\nNYA,New York,1903\n"
STINTS = "playerID,teamID,yearID,G\np1,BOS,2001,10\np1,NYA,2002,20\np2,BOS,2001,10\n"


def guessed(folder: Path, *names: str) -> tuple[dict[str, Any], lighttea.Graph]:
    """The description of files and the graph that it gives."""
    text = describe_files([folder / name for name in names], folder=folder)
    (folder / "guess.toml").write_text(text, encoding="utf-8")
    return tomllib.loads(text), lighttea.read_graph(folder / "guess.toml")


def test_dated_rows_of_an_entity_with_one_repeated_text_are_facts(put: Put, tmp_path: Path) -> None:
    put("people.csv", PEOPLE)
    put("stints.csv", "player,club,season\np1,Hill,2001\np1,Lake,2002\np2,Hill,2001\n")
    description, graph = guessed(tmp_path, "people.csv", "stints.csv")
    assert description["source"][1] == {
        "file": "stints.csv",
        "head": "player",
        "relation": {"value": "stints"},
        "tail": "club",
        "time": "season",
    }
    assert {"p1", "p2", "Hill", "Lake"} <= set(graph.entities)
    put("stints.csv", "player,remark,season\np1,fine,2001\np1,late,2002\np2,ill,2001\n")
    assert "head" not in guessed(tmp_path, "people.csv", "stints.csv")[0]["source"][1]


@pytest.mark.parametrize("name", ["since", "until"])
def test_a_column_of_begins_or_ends_alone_is_called_so(put: Put, tmp_path: Path, name: str) -> None:
    put("people.csv", PEOPLE)
    put("stints.csv", f"player,club,{name}\np1,Hill,2001\np1,Lake,2002\np2,Hill,2001\n")
    facts = guessed(tmp_path, "people.csv", "stints.csv")[0]["source"][1]
    assert facts[{"since": "begin", "until": "end"}[name]] == name
    assert "time" not in facts


def test_keys_names_dates_and_missing_marks(put: Put, tmp_path: Path) -> None:
    for name, text in (("people.csv", PEOPLE), ("teams.csv", TEAMS), ("stints.csv", STINTS)):
        put(name, text)
    description, graph = guessed(tmp_path, "people.csv", "teams.csv", "stints.csv")
    assert description["missing"] == ["NA"]
    people, teams, stints = description["source"]
    assert people == {
        "file": "people.csv",
        "entity": "playerID",
        "names": ["nameFirst", "nameLast"],
        "attributes": ["bats", "weight"],
        "links": ["teamID"],
        "dates": ["birthDate", "debut"],
        "date_format": ["%m/%d/%Y"],
    }
    assert teams["entity"] == "teamID"
    assert teams["dates"] == ["founded"]
    assert stints == {
        "file": "stints.csv",
        "head": "playerID",
        "relation": {"value": "stints"},
        "tail": "teamID",
        "time": "yearID",
    }
    assert graph.entity_names["BOS"] == "Boston"
    assert len(graph.facts) == 3 + 3 + 3 + 2
    text = (tmp_path / "guess.toml").read_text(encoding="utf-8")
    assert "# playerID holds ids of people.csv" in text
    assert "# unique: 3 values" in text
    assert '# not used: "G"' in text


def test_a_form_of_dates_that_no_value_tells(put: Put, tmp_path: Path) -> None:
    put("p.csv", "id,born\na,03/07/2011\nb,04/05/2011\n")
    description, _ = guessed(tmp_path, "p.csv")
    assert description["source"][0]["date_format"] == ["%d/%m/%Y"]
    text = (tmp_path / "guess.toml").read_text(encoding="utf-8")
    assert "or %m/%d/%Y: the values fit both" in text


def test_forms_of_dates_that_would_be_mixed_up_stay_attributes(put: Put, tmp_path: Path) -> None:
    put(
        "p.csv",
        "id,a date,b date,c date,d date\n"
        "x,25/12/2011,12/25/2011,07.03.1999,20010203\ny,01/02/2011,01/02/2011,08.03.1999,20010204\n",
    )
    description, graph = guessed(tmp_path, "p.csv")
    (source,) = description["source"]
    assert source["date_format"] == ["%d/%m/%Y", "%d.%m.%Y", "%Y%m%d"]
    assert source["dates"] == ["a date", "c date", "d date"]
    assert source["attributes"] == ["b date"]
    assert graph.instants.range_text() == "1999-03-07 to 2011-12-25"


def test_a_column_of_years_is_no_id_of_an_entity(put: Put, tmp_path: Path) -> None:
    put("stints.csv", "yearID,playerID,teamID\n2001,p1,BOS\n2001,p2,BOS\n2002,p1,NYA\n")
    (source,) = guessed(tmp_path, "stints.csv")[0]["source"]
    assert [source[key] for key in ("head", "tail", "time")] == ["playerID", "teamID", "yearID"]


def test_numbers_that_are_ids_of_two_tables_get_prefixes(put: Put, tmp_path: Path) -> None:
    put("people.csv", "id,name,team_id\n1,Ada,2\n2,Ben,1\n")
    put("teams.csv", "id,name\n1,Hill\n2,Lake\n")
    description, graph = guessed(tmp_path, "people.csv", "teams.csv")
    people, teams = description["source"]
    assert people["prefix"] == {"entity": "people:", "team_id": "teams:"}
    assert teams["prefix"] == {"entity": "teams:"}
    assert set(graph.entities) == {"people:1", "people:2", "teams:1", "teams:2"}


def test_usual_names_and_no_header(put: Put, tmp_path: Path) -> None:
    put("f.csv", "subject,predicate,object,valid_from\na,r,b,1999\nc,r,d,2001\n")
    put("g.csv", "a,7,1999-02-03\nb,8,2001-02-03\n")
    usual, bare = guessed(tmp_path, "f.csv", "g.csv")[0]["source"]
    assert usual["begin"] == "valid_from"
    assert bare == {
        "file": "g.csv",
        "header": False,
        "entity": "1",
        "attributes": ["2"],
        "dates": ["3"],
    }


def test_another_encoding_is_noticed(put: Put, tmp_path: Path) -> None:
    put("p.csv", "id,city\na,Zürich\nb,Bern\n".encode("cp1252"))
    description, graph = guessed(tmp_path, "p.csv")
    assert description["source"][0]["encoding"] == "cp1252"
    assert "Zürich" in graph.attributes.texts


def test_odd_names_of_columns_are_quoted(put: Put, tmp_path: Path) -> None:
    put("p.csv", 'my id,"a ""b"" \\c",Größe\na,1,2\nb,3,4\n')
    description, graph = guessed(tmp_path, "p.csv")
    assert description["source"][0]["attributes"] == ['a "b" \\c', "Größe"]
    assert len(graph.attributes) == 4


def test_nested_json(put: Put, tmp_path: Path) -> None:
    more = {"id": "blue", "name": "Blue Party"}
    content = {**PARLIAMENT, "organizations": [*PARLIAMENT["organizations"], more]}
    put("people.json", json.dumps(content))
    description, graph = guessed(tmp_path, "people.json")
    by_list = {source["each"]: source for source in description["source"]}
    assert by_list["memberships"]["head"] == ".person_id"
    assert by_list["memberships"]["tail"] == ".on_behalf_of_id"
    assert by_list["memberships"]["begin"] == ".start_date"
    assert by_list["persons[].other_names"]["entity"] == "persons[].id"
    assert by_list["organizations"]["names"] == [".name"]
    assert graph.entity_names["p/2"] == "Ben Oak"


def test_json_lines_parquet_and_a_workbook(put: Put, tmp_path: Path) -> None:
    put("p.jsonl", '{"id": "a", "at": {"city": "Bern"}}\n{"id": "b", "at": {"city": "Rome"}}\n')
    pl.DataFrame({"id": ["x", "y"], "n": [1, 2], "blob": [b"1", b"2"]}).write_parquet(
        tmp_path / "q.parquet"
    )
    write_workbook(
        tmp_path / "w.xlsx",
        {"one": [["key", "size"], ["k", 1], ["l", 2]], "two": [["key", "b"], ["k", "c"]], "no": []},
    )
    description, graph = guessed(tmp_path, "p.jsonl", "q.parquet", "w.xlsx")
    lines, parquet, one, two = description["source"]
    assert lines["attributes"] == ["at.city"]
    assert parquet["attributes"] == ["n"]
    assert [one["sheet"], two["sheet"]] == ["one", "two"]
    assert {"a", "x", "k"} <= set(graph.entities)


def test_odd_names_are_quoted_as_keys_and_usual_ones_are_not(put: Put, tmp_path: Path) -> None:
    put("people.csv", "id,name,team id,team_id\n1,Ann,1,2\n2,Ben,2,1\n3,Cy,1,1\n")
    put("teams.csv", "id,city\n1,Bern\n2,Rome\n")
    text = describe_files([tmp_path / "people.csv", tmp_path / "teams.csv"], folder=tmp_path)
    line = next(line for line in text.splitlines() if line.startswith("prefix"))
    assert set(tomllib.loads(line)["prefix"]) >= {"entity", "team id"}
    assert '"team id" =' in line
    assert ", team_id =" in line
    assert "{ entity =" in line


def test_sheets_are_told_apart_by_their_names(tmp_path: Path) -> None:
    """Numbers that are ids in two sheets of one workbook; a workbook of one sheet is its file."""
    people: list[list[Cell]] = [["id", "name"], [1, "Ann"], [2, "Ben"]]
    write_workbook(
        tmp_path / "w.xlsx", {"people": people, "teams": [["id", "city"], [1, "Bern"], [2, "Bonn"]]}
    )
    write_workbook(tmp_path / "clubs.xlsx", {"Sheet1": [["id", "town"], [1, "Rome"], [2, "Oslo"]]})
    sources = guessed(tmp_path, "w.xlsx", "clubs.xlsx")[0]["source"]
    prefixes = [source["prefix"]["entity"] for source in sources]
    assert prefixes == ["people:", "teams:", "clubs:"]


@pytest.mark.parametrize("library", [sqlite3, duckdb])
def test_tables_of_a_database(tmp_path: Path, library: Any) -> None:
    path = tmp_path / "x.db"
    connection = library.connect(str(path))
    connection.execute("CREATE TABLE teams (id INTEGER, name TEXT)")
    connection.execute('CREATE TABLE "odd ""name" (id TEXT, team_id INTEGER, since DATE)')
    connection.execute("INSERT INTO teams VALUES (1, 'Hill'), (2, 'Lake')")
    connection.execute("""INSERT INTO "odd ""name" VALUES ('a', 1, '1999-02-03'), ('b', 2, NULL)""")
    connection.commit()
    connection.close()
    description, graph = guessed(tmp_path, "x.db")
    assert {source["sql"] for source in description["source"]} == {
        'SELECT * FROM "teams"',
        'SELECT * FROM "odd ""name"',
    }
    assert {("a", "1"), ("b", "2")} <= {
        (graph.entities[h], graph.entities[t])
        for h, t in zip(graph.facts.head, graph.facts.tail, strict=True)
    }


@pytest.mark.parametrize("content", ["", "id,name\n", "{}"])
def test_a_file_without_rows_is_refused(put: Put, tmp_path: Path, content: str) -> None:
    path = put("p.json" if content == "{}" else "p.csv", content)
    with pytest.raises(lighttea.InputError, match=r"p\.(csv|json)"):
        describe_files([path], folder=tmp_path)


def test_a_graph_needs_no_description(put: Put, tmp_path: Path) -> None:
    path = put("g.nt", "<http://x> <http://r> <http://y> .\n")
    with pytest.raises(lighttea.InputError, match="already a graph; align and inspect read it"):
        describe_files([path], folder=tmp_path)


def test_paths_are_relative_to_the_description(put: Put, tmp_path: Path) -> None:
    path = put("data/p.csv", "id,a\nx,1\ny,2\n")
    (tmp_path / "other").mkdir()
    text = describe_files([path], folder=tmp_path / "other")
    assert tomllib.loads(text)["source"][0]["file"] == "../data/p.csv"


CELL = st.sampled_from(
    ["", "a", "b", "NA", "-", "1", "2", "1999", "2001-02-03", "03/07/2011", "07.03.1999", 'x "y"']
)
HEADER = st.lists(
    st.sampled_from(
        ["id", "team_id", "name", "date", "begin", "n", "head", "tail", "relation", ""]
    ),
    min_size=1,
    max_size=5,
)


@examples(25)
@example([(["id", "team_id", "name"], [["", "NA", "07.03.1999", "", ""]])])
@example([(["id", "name", "team_id"], [["", "", "2001-02-03", "", ""]])])
@given(st.lists(st.tuples(HEADER, st.lists(st.lists(CELL, min_size=5, max_size=5))), min_size=1))
def test_any_table_gets_a_description_that_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, tables: list[tuple[list[str], list[list[str]]]]
) -> None:
    folder = tmp_path_factory.mktemp("guess")
    paths = []
    for number, (header, rows) in enumerate(tables):
        paths.append(folder / f"t{number}.csv")
        with paths[-1].open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *(row[: len(header)] for row in rows)])
    text = outcome_of(lambda: describe_files(paths, folder=folder))
    if text.startswith("# A draft"):
        (folder / "guess.toml").write_text(text, encoding="utf-8")
        outcome = outcome_of(lambda: lighttea.read_graph(folder / "guess.toml"))
        assert not isinstance(outcome, str) or "neither a fact nor a literal" in outcome, text
    else:
        assert ".csv: " in text
