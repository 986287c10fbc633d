"""JSON objects of facts: head, relation and tail by their usual names, or as given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lighttea import InputError, read_graph
from lighttea.io.json.recognise import JSON_ROLES
from tests.io.graph_views import facts_of, literals_of, write_json, write_lines

ROWS = [
    {"subject": "Ada", "predicate": "worksFor", "object": "Post", "start": "1999", "end": 2004},
    {"subject": "Ada", "predicate": "livesIn", "object": 7, "start": None},
    {"subject": "Ada", "predicate": "height", "value": 1.6, "weight": 3},
    {"subject": "Ada", "predicate": "name", "value": "Ada King", "lang": "en", "start": "1999"},
    {"subject": "Ada", "predicate": "alive", "value": False, "datatype": "http://e/t"},
]
FACTS = [("Ada", "livesIn", "7", None, None), ("Ada", "worksFor", "Post", "1999", "2004")]


@pytest.mark.parametrize("form", ["lines", "array"])
def test_facts_and_literals(tmp_path: Path, form: str) -> None:
    path = tmp_path / "facts.jsonl"
    if form == "lines":
        write_lines(path, *ROWS)
    else:
        write_json(path, ROWS, indent=2)
    graph = read_graph(path, strict=True)
    assert facts_of(graph) == FACTS
    assert literals_of(graph) == [
        ("Ada", "alive", "false", "http://e/t"),
        ("Ada", "height", "1.6", "double"),
        ("Ada", "name", "Ada King", "en", "1999"),
    ]
    assert graph.notes == ("unused keys: weight",)


@pytest.mark.parametrize("role", ["begin", "end", "time"])
def test_every_usual_name_is_understood(tmp_path: Path, role: str) -> None:
    for name in JSON_ROLES[role]:
        row = {"head": "a", "rel": "r", "target_id": "b", name.upper(): "1999"}
        ((*_, begin, end),) = facts_of(read_graph(write_lines(tmp_path / "f.json", row)))
        assert [begin, end] == {"begin": ["1999", None], "end": [None, "1999"]}.get(
            role, ["1999", "1999"]
        )


def test_wrong_objects_are_left_out_and_counted(tmp_path: Path) -> None:
    wrong = [
        *({"head": "", "relation": "r", "tail": "b"}, {"head": "a", "tail": "b"}, 5, "{"),
        {"head": "a", "relation": "r", "tail": ["b"]},
        {"head": "a", "relation": "r", "tail": "b", "time": {}},
        {"head": "a", "relation": "r", "tail": "b\tc"},
        {"head": "a", "relation": "r", "tail": "b", "time": "soon"},
    ]
    good = {"head": "a", "relation": "r", "tail": "b", "value": "x", "time": "1999"}
    path = write_lines(tmp_path / "f.json", good, *wrong, {"head": "a", "relation": "r"})
    graph = read_graph(path)
    assert len(graph.facts) == 1
    assert graph.notes[0].startswith("8 malformed lines left out")
    assert graph.notes[1:] == (
        "1 rows have both a tail and a value; the value is ignored",
        "1 rows without tail and value left out",
    )
    with pytest.raises(InputError) as caught:
        read_graph(path, strict=True)
    said = str(caught.value).splitlines()
    assert sorted(int(line.split(":")[1]) for line in said) == [*range(2, 10)]


def test_two_keys_for_one_role_are_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f.json", {"s": "a", "subject": "a", "p": "r", "o": "b"})
    with pytest.raises(InputError, match="'s' and 'subject' both mean head"):
        read_graph(path)
    assert len(read_graph(path, columns="head=s,relation=p,tail=o").facts) == 1


def test_keys_that_say_nothing_are_listed(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f.json", {"x": 1}, {"y": 2})
    with pytest.raises(InputError, match="found the keys: x, y; name the keys: `columns"):
        read_graph(path, format="json")


def test_more_objects_than_are_looked_at_for_keys(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    rows = (
        {"s": f"e{n % 50}", "p": "r", "o": f"e{n % 70}", "date": 1900 + n % 9} for n in range(9_999)
    )
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert len(read_graph(path).facts) == 9_999


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"head": "a", "relation": "r", "tail": "b", "time": NaN}\n', "NaN"),
        ('{"head": "a", "relation": "r", "tail": "b", "time":\n', "g.jsonl:1"),
    ],
)
def test_lines_that_are_all_broken_are_called_so(tmp_path: Path, text: str, found: str) -> None:
    """Not objects without keys, as they used to be."""
    path = tmp_path / "g.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=found) as caught:
        read_graph(path)
    assert "found the keys" not in str(caught.value)
