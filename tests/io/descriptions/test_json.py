"""Nested JSON through a description: paths, lists taken apart, documents read piece by piece."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.io.descriptions import json_rows
from lighttea.io.descriptions.json_stream import read_records
from lighttea.io.json import scan
from tests.fuzzing import examples
from tests.io.descriptions.conftest import (
    Complain,
    Describe,
    Put,
    facts_of,
    literals_of,
    outcome_of,
)

PARLIAMENT: dict[str, Any] = {
    "meta": {"house": "commons"},
    "persons": [
        {
            "id": "p/1",
            "other_names": [
                {"given_name": "Ada", "family_name": "King"},
                {"family_name": "Queen", "start_date": "2001-02-03"},
            ],
        },
        {"id": "p/2", "other_names": [{"given_name": "Ben", "family_name": "Oak"}]},
    ],
    "organizations": [{"id": "red", "name": "Red Party", "seat": {"city": "Bern"}}],
    "memberships": [
        {"person_id": "p/1", "on_behalf_of_id": "red", "start_date": "1997-05-01"},
        {
            "person_id": "p/2",
            "on_behalf_of_id": "red",
            "start_date": "2001",
            "end_date": "9999-12-31",
        },
        {"person_id": "p/2", "on_behalf_of_id": None},
    ],
}
MEMBERS = """
[[source]]
file = "people.json"
each = "memberships"
head = "memberships[].person_id"
relation = { value = "member of" }
tail = ".on_behalf_of_id"
begin = ".start_date"
end = ".end_date"
missing = ["9999-12-31"]
"""
PERSONS = """
[[source]]
file = "people.json"
each = "persons"
entity = ".id"
names = [".other_names[].given_name", ".other_names[].family_name"]
attributes = { "persons[].other_names[].family_name" = "family name" }
[[source]]
file = "people.json"
each = "organizations"
entity = ".id"
names = ".name"
links = { ".seat.city" = "seat" }
"""


@pytest.mark.parametrize("indent", [None, 2])
def test_persons_memberships_and_organizations(
    put: Put, described: Describe, indent: int | None
) -> None:
    put("people.json", json.dumps(PARLIAMENT, indent=indent))
    graph = described(MEMBERS + PERSONS)
    assert facts_of(graph) == [
        ("p/1", "member of", "red", "1997-05-01", None),
        ("p/2", "member of", "red", "2001", None),
        ("red", "seat", "Bern", None, None),
    ]
    assert graph.entity_names == {"p/1": "Ada King", "p/2": "Ben Oak", "red": "Red Party"}
    assert [row[1:3] for row in literals_of(graph) if row[0] == "p/1"] == [
        ("name", "Ada King"),
        ("family name", "King"),
        ("family name", "Queen"),
    ]
    assert graph.notes == (
        "people.json: 1 rows without .on_behalf_of_id (tail) left out",
        "people.json: unused fields: persons[].other_names[].start_date",
    )


def test_a_list_in_a_list_with_fields_of_both_and_of_the_document(
    put: Put, described: Describe
) -> None:
    put("people.json", json.dumps(PARLIAMENT))
    graph = described(
        '[[source]]\nfile = "people.json"\neach = "persons[].other_names"\n'
        'entity = "persons[].id"\nattributes = [".family_name"]\n'
        'links = { "meta.house" = "sits in" }\nbegin = { family_name = ".start_date" }\n'
    )
    assert literals_of(graph) == [
        ("p/1", "family_name", "King", None, None),
        ("p/1", "family_name", "Queen", "2001-02-03", None),
        ("p/2", "family_name", "Oak", None, None),
    ]
    assert facts_of(graph)[0] == ("p/1", "sits in", "commons", None, None)


def test_json_lines(put: Put, described: Describe) -> None:
    lines = [
        {"id": 1, "tags": ["a", "b"], "person": {"name": "Ada"}, "knows": [2, 3], "tall": True},
        {"id": 2, "tags": "c", "person": {"name": 7}, "knows": None, "tall": False},
    ]
    content = "\n\n".join(json.dumps(line) for line in lines)
    put("p.jsonl.gz", gzip.compress(content.encode()))
    graph = described(
        '[[source]]\nfile = "p.jsonl.gz"\nentity = "id"\nattributes = ["tags", "tall"]\n'
        'names = "person.name"\nlinks = ["knows"]\n'
    )
    assert [row[:3] for row in facts_of(graph)] == [("1", "knows", "2"), ("1", "knows", "3")]
    assert [row[2] for row in literals_of(graph)] == ["Ada", "a", "b", "true", "7", "c", "false"]


def test_usual_names_in_json_lines(put: Put, described: Describe) -> None:
    put("f.jsonl", '{"head": "a", "relation": "r", "tail": "b", "time": 1999}\n')
    assert facts_of(described('[[source]]\nfile = "f.jsonl"\n')) == [
        ("a", "r", "b", "1999", "1999")
    ]


def test_a_bad_time_has_the_line_of_its_record(put: Put, complaint: Complain) -> None:

    members = [{"person_id": "p", "on_behalf_of_id": "o"}] * 2
    members[1] = {**members[1], "start_date": "soon", "end_date": "2001"}
    put("people.json", json.dumps({"memberships": members}, indent=1))
    assert complaint(MEMBERS).startswith(
        "people.json:7: column '.start_date': time 'soon' is not understood"
    )


def test_an_unknown_field_is_told_with_the_one_that_was_meant(
    put: Put, complaint: Complain
) -> None:
    put("people.json", json.dumps(PARLIAMENT))
    text = complaint(MEMBERS.replace(".on_behalf_of_id", ".on_behalf_of"))
    assert text.startswith(
        "left.toml:7: tail: people.json has no field 'memberships[].on_behalf_of'; found 4: "
        "memberships[].person_id, "
    )
    assert text.endswith("; did you mean 'memberships[].on_behalf_of_id'?")


def test_lists_in_lists_are_no_values(put: Put, complaint: Complain) -> None:
    put("p.jsonl", '{"id": 1, "a": [[1]]}')
    text = complaint('[[source]]\nfile = "p.jsonl"\nentity = "id"\nattributes = ["a"]\n')
    assert text == "p.jsonl:1: column 'a' holds lists in lists"


def test_a_field_that_is_always_empty_is_known(put: Put, described: Describe) -> None:
    put("p.jsonl", '{"id": 1, "a": null, "b": [], "c": 1}')
    source = '[[source]]\nfile = "p.jsonl"\nentity = "id"\nattributes = ["a", "b", "c"]\n'
    assert len(described(source).attributes) == 1


def test_rows_come_in_portions(
    put: Put, described: Describe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_rows, "_ROWS_AT_ONCE", 2)
    put("p.jsonl", "\n".join(json.dumps({"id": n, "c": n, "d": 1}) for n in range(5)))
    graph = described('[[source]]\nfile = "p.jsonl"\nentity = "id"\nattributes = ["c"]\n')
    assert len(graph.attributes) == 5
    assert graph.notes == ("p.jsonl: unused fields: d",)


def test_objects_are_no_values(put: Put, complaint: Complain) -> None:
    put("people.json", json.dumps(PARLIAMENT))
    roles = 'entity = "meta.house"\nlinks = ["persons"]\n'
    text = complaint(f'[[source]]\nfile = "people.json"\n{roles}')
    assert text == (
        "people.json:1: column 'persons' holds objects; name a field of them, such as "
        "'persons[].id'"
    )


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"memberships": [{"person_id": 1},', "people.json:1: not JSON: Expecting value"),
        (b'{"memberships": [\n{"a" 1}]}', "people.json:2: not JSON: Expecting ':' delimiter"),
        (b'{"memberships": [1 2]}', "people.json:1: not JSON: expected a comma or ], found"),
        (b'{"memberships" [1]}', "people.json:1: not JSON: expected a colon after a key, found"),
        (b"[" * 100_000, "people.json:1: not JSON: nested too deep"),
        (b'{"memberships": ["\xff"]}', "people.json:1: not UTF-8 text"),
        (b"nonsense", "people.json:1: not JSON: Expecting value"),
        (b"", "people.json has no field 'memberships[].person_id'; found 0: none"),
    ],
)
def test_what_is_no_json_is_refused(
    put: Put, complaint: Complain, content: bytes, told: str
) -> None:
    put("people.json", content)
    assert told in complaint(MEMBERS)


def test_halves_of_characters_and_huge_numbers_are_read(put: Put, described: Describe) -> None:
    put("p.jsonl", '{"id": 1, "n": "\\ud800", "big": 123456789012345678901234567890}\n')
    graph = described('[[source]]\nfile = "p.jsonl"\nentity = "id"\nattributes = ["n", "big"]\n')
    assert [row[2] for row in literals_of(graph)] == ["?", "123456789012345678901234567890"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=10,
)


@examples(60)
@given(JSON, st.integers(1, 9), st.sampled_from([None, 1]))
def test_a_document_read_in_small_pieces_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, content: Any, piece: int, indent: int | None
) -> None:
    path = tmp_path_factory.mktemp("json") / "x.json"
    path.write_text(json.dumps(content, indent=indent), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "_BLOCK", piece)
        records = [record.content for record in read_records(path)]
        if isinstance(content, dict):
            for key in filter(None, content):
                cut = [record.content for record in read_records(path, key)]
                value = content[key]
                lists = [[member] for member in value] if isinstance(value, list) else [value]
                assert cut == [{key: part} for part in lists]
    assert records == (content if isinstance(content, list) else [content])


@examples(60)
@given(st.text(alphabet='[]{},:"1a \n', max_size=20), st.sampled_from(["", "a"]))
def test_any_text_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, text: str, member: str
) -> None:
    path: Path = tmp_path_factory.mktemp("json") / "x.json"
    path.write_text(text, encoding="utf-8")
    outcome = outcome_of(lambda: [record.line for record in read_records(path, member)])
    assert "not JSON" in outcome if isinstance(outcome, str) else all(outcome)
