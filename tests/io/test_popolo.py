"""Popolo: memberships are facts with their times."""

from __future__ import annotations

from pathlib import Path

import pytest

from lighttea import InputError, read_graph
from tests.io.graph_views import facts_of, literals_of, write_json

DOCUMENT = {
    "memberships": [
        {
            "person_id": "p/1",
            "organization_id": "o/1",
            "role": "speaker",
            "on_behalf_of_id": "party/x",
            "start_date": "1840-01-02",
            "end_date": "1850",
            "reason": "died",
        },
        {"id": "m/2", "person_id": "p/1", "post_id": "post/7", "start_date": "1851"},
    ],
    "persons": [
        {
            "id": "p/1",
            "name": "Ada King",
            "birth_date": "1815-12-10",
            "identifiers": [{"scheme": "wikidata", "identifier": "Q7259"}],
            "contact_details": [{"type": "phone", "value": "12"}],
            "other_names": [{"name": "Lady L", "start_date": "1838"}],
            "links": [{"url": "http://e/a", "note": "home"}],
        },
        {"id": "p/2", "other_names": [{"note": "Main", "given_name": "Ben", "family_name": "Bo"}]},
    ],
    "organizations": [{"id": "o/1", "name": "House", "classification": "chamber"}],
    "posts": [{"id": "post/7", "label": "Seat 7", "organization_id": "o/1", "area_id": "a/1"}],
    "areas": [{"id": "a/1", "name": "North"}],
    "meta": {"sources": ["x"]},
}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document(tmp_path: Path, indent: int | None) -> None:
    graph = read_graph(write_json(tmp_path / "ep-popolo.json", DOCUMENT, indent), strict=True)
    assert facts_of(graph) == [
        ("p/1", "birth_date", "p/1", "1815-12-10", "1815-12-10"),
        ("p/1", "on_behalf_of", "party/x", "1840-01-02", "1850"),
        ("p/1", "post", "post/7", "1851", None),
        ("p/1", "speaker", "o/1", "1840-01-02", "1850"),
        ("post/7", "area", "a/1", None, None),
        ("post/7", "organization", "o/1", None, None),
    ]
    assert literals_of(graph) == [
        ("a/1", "name", "North"),
        ("o/1", "classification", "chamber"),
        ("o/1", "name", "House"),
        ("p/1", "contact_details phone", "12"),
        ("p/1", "identifiers wikidata", "Q7259"),
        ("p/1", "links", "http://e/a"),
        ("p/1", "name", "Ada King"),
        ("p/1", "other_names", "Lady L", "1838"),
        ("p/2", "other_names", "Ben Bo"),
        ("post/7", "label", "Seat 7"),
    ]
    assert graph.entity_names["p/2"] == "Ben Bo"
    assert graph.entity_names["post/7"] == "Seat 7"
    assert graph.notes == (
        "1 properties of memberships other than ends and dates left out",
        "1 values outside entities left out",
        "1 dates of entities read as facts from the entity to itself",
    )


def test_memberships_may_stand_in_their_person(tmp_path: Path) -> None:
    person = {"id": "p", "memberships": [{"organization_id": "o", "start_date": "1999"}]}
    graph = read_graph(write_json(tmp_path / "g.json", {"persons": [person]}))
    assert facts_of(graph) == [("p", "member", "o", "1999", None)]


def test_wrong_objects_are_left_out_and_counted(tmp_path: Path) -> None:
    wrong = [{"person_id": "p"}, {"organization_id": "o"}, 5, {"id": "m", "redirect": "n"}]
    document = {"memberships": wrong, "persons": [{"id": "p", "name": "Ada"}, {"name": "Ben"}]}
    path = write_json(tmp_path / "g.json", document)
    graph = read_graph(path)
    assert list(graph.entities) == ["p"]
    assert graph.notes[0].startswith("4 malformed lines left out")
    assert "1 memberships that only refer to another one left out" in graph.notes
    with pytest.raises(InputError, match=r"g\.json:1: a membership needs a person_id"):
        read_graph(path, strict=True)
