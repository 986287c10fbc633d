"""Names on the command line: graphs by their files, entities by their labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lighttea
from tests.cli.conftest import LIGHT, Command, Files
from tests.named_worlds import BOELL, HEBREW, HOSTILE, left_id, named_run, right_id
from tests.run_folders import forget_list, load_earlier
from tests.worlds import Fact, random_facts, renamed

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
BASE = "http://x.example/"


def triples(facts: list[Fact], names: dict[str, str]) -> str:
    lines = [f"<{BASE}{h}> <{BASE}{r}> <{BASE}{t}> ." for h, r, t, *_ in facts]
    lines += [f'<{BASE}{own}> {LABEL} "{name}" .' for own, name in names.items()]
    return "\n".join(lines) + "\n"


@pytest.fixture
def run(command: Command, files: Files) -> Path:
    """Two files of RDF with labels, aligned."""
    facts = random_facts(40, 300, 1)
    names = {f"e{i}": f"Person {i}" for i in range(40)} | {"e1": BOELL, "r1": "works at"}
    left = files.write("people.nt", triples(facts, names))
    right = files.write("staff.nt", triples(renamed(facts), {}))
    seeds = files.write("known.tsv", "".join(f"{BASE}e{i}\t{BASE}xe{i}\n" for i in range(20, 40)))
    outcome = command("align", left, right, "--seeds", seeds, "--out", "run", *LIGHT)
    assert outcome.code == 0, outcome.err
    assert "people: 40 entities, " in outcome.out
    assert "staff: 40 entities, " in outcome.out
    return Path("run")


def test_explain_takes_a_label(command: Command, run: Path) -> None:
    outcome = command("explain", run, "heinrich boll")
    assert outcome.code == 0, outcome.err
    assert f"{BOELL} ({BASE}e1) is" in outcome.out.replace("\n", " ")
    found = command("explain", run, BOELL, "--json", "-").json()
    assert found["left"] == f"{BASE}e1"
    assert found["left_name"] == BOELL
    assert found["left_graph"] == "people"
    wrong = command("explain", run, "Heinrich Bol")
    assert wrong.code == 2
    assert f"did you mean {BOELL} ('{BASE}e1')?" in wrong.err
    assert "not an entity of people (the left graph)" in wrong.err
    assert "--ids shows both" in outcome.out
    assert f"({BASE}r" in command("explain", run, BOELL, "--ids").out


def test_run_json_and_links_keep_sides_and_ids(command: Command, run: Path) -> None:
    info = json.loads((run / "run.json").read_text(encoding="utf-8"))
    assert info["input"]["left"]["name"] == ""
    assert info["input"]["left"]["source"].endswith("people.nt")
    header, first = (run / "links.tsv").read_text(encoding="utf-8").splitlines()[:2]
    assert header.startswith("left\tright\t")
    assert first.startswith(BASE)


def test_inspect_shows_names_with_ids(command: Command, run: Path, files: Files) -> None:
    people, staff = (files.folder / name for name in ("people.nt", "staff.nt"))
    out = command("inspect", people, staff).out
    lines = [line.split() for line in out.splitlines()]
    assert ["relation", "facts", "id"] in lines
    row = next(line for line in lines if line[:2] == ["works", "at"])
    assert row[-1] == f"{BASE}r1"
    assert next(line for line in lines if line[0:1] == ["label"])[-1].endswith("#label")
    assert ["share", "of", "people", "staff"] in lines
    assert "people has no fact with a known time" in " ".join(out.split())


def test_a_plain_table_has_no_column_of_ids(command: Command, files: Files) -> None:
    lines = [line.split() for line in command("inspect", files.left).out.splitlines()]
    assert ["relation", "facts"] in lines


def test_names_of_graphs_are_kept_and_shown(command: Command, tmp_path: Path) -> None:
    folder = named_run().save(tmp_path / "named")
    loaded = lighttea.load_run(folder)
    assert loaded.info["input"]["left"]["name"] == "People"
    assert repr(loaded) == repr(named_run())
    out = command("explain", folder, HEBREW).out
    assert f"({left_id(2)}) is linked to" in out
    hostile = command("explain", folder, HOSTILE, "--ids").out
    assert ":key: \\x1b[31m\\u202eevil" in hostile
    assert "\x1b" not in hostile
    assert right_id(5) in hostile


def test_an_old_run_without_names_of_graphs_is_still_read(tmp_path: Path) -> None:
    folder = forget_list(named_run().save(tmp_path / "old"))
    info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    for side in ("left", "right"):
        del info["input"][side]["name"]
    (folder / "run.json").write_text(json.dumps(info), encoding="utf-8")
    old = load_earlier(folder)
    assert repr(old).startswith("Run(40 links; dump 60 entities, staff 60")
    assert old.explain(BOELL).left_graph == "dump"
