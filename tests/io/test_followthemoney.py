"""FollowTheMoney entities: links with dates are facts, other entities are entities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lighttea import InputError, read_graph
from lighttea.io.json.ftm_model import EDGES, REFERENCES, THINGS
from tests.io.graph_views import facts_of, literals_of, write_json, write_lines


def entity(name: str, schema: str, /, **properties: Any) -> dict[str, Any]:
    listed = {k: v if isinstance(v, list) else [v] for k, v in properties.items()}
    return {"id": name, "caption": name.title(), "schema": schema, "properties": listed}


ADA = entity("ada", "Person", name=["Ada King", "A. King"], birthDate="1815-12-10", country="gb")
FIRM = entity("firm", "Company", name="Engine Ltd", incorporationDate="1840")
OWNERSHIP = entity(
    *("own", "Ownership"),
    **{"owner": "ada", "asset": "firm", "startDate": "1841", "endDate": "1850", "role": "founder"},
    percentage="50",
)
FACTS = [
    ("ada", "Ownership", "firm", "1841", "1850"),
    ("ada", "birthDate", "ada", "1815-12-10", "1815-12-10"),
    ("firm", "incorporationDate", "firm", "1840", "1840"),
]


@pytest.mark.parametrize("as_array", [False, True])
def test_entities_and_a_link(tmp_path: Path, as_array: bool) -> None:
    path, all_entities = tmp_path / "entities.ftm.json", (ADA, FIRM, OWNERSHIP)
    if as_array:
        write_json(path, all_entities, indent=1)
    else:
        write_lines(path, *all_entities)
    graph = read_graph(path, strict=True)
    assert facts_of(graph) == FACTS
    assert literals_of(graph) == [
        ("ada", "Ownership role", "founder", "1841", "1850"),
        ("ada", "country", "gb"),
        ("ada", "name", "A. King"),
        ("ada", "name", "Ada King"),
        ("ada", "schema", "Person"),
        ("firm", "name", "Engine Ltd"),
        ("firm", "schema", "Company"),
    ]
    assert graph.entity_names == {"ada": "Ada", "firm": "Firm"}
    assert graph.notes == (
        "1 properties of links other than ends, dates and roles left out",
        "2 dates of entities read as facts from the entity to itself",
    )


@pytest.mark.parametrize("schema", EDGES)
def test_every_link_of_the_model_is_a_fact(tmp_path: Path, schema: str) -> None:
    head, tail = EDGES[schema]
    link = entity("x", schema, **{tail: "b", head: "a", "date": "1999-05"})
    graph = read_graph(write_lines(tmp_path / "e.json", link))
    assert facts_of(graph) == [("a", schema, "b", "1999-05", "1999-05")]
    assert not {*EDGES} & THINGS


def test_links_between_several_entities(tmp_path: Path) -> None:
    link = entity("x", "Membership", member=["a", "b"], organization=["c", "d"])
    assert len(read_graph(write_lines(tmp_path / "e.json", link)).facts) == 4
    wide = entity("x", "Membership", member=["a"] * 101, organization=["c"] * 100)
    graph = read_graph(write_lines(tmp_path / "e.json", link, wide))
    assert "a Membership between more than 10,000 pairs" in graph.notes[0]


def test_of_several_dates_the_most_exact_counts(tmp_path: Path) -> None:
    link = entity("x", "Family", person="a", relative="b", startDate=["1999", "1999-02-03", "1998"])
    graph = read_graph(write_lines(tmp_path / "e.json", link))
    assert facts_of(graph) == [("a", "Family", "b", "1999-02-03", None)]
    assert graph.notes == ("1 times with several dates; the most exact one is used",)


def test_references_are_facts_with_the_dates_of_an_interval(tmp_path: Path) -> None:
    sanction = entity("s", "Sanction", entity="ada", startDate="1845", authority="A Board")
    address = entity("home", "Address", full="1 Lane")
    ada = entity("ada", "Person", addressEntity="home")
    graph = read_graph(write_lines(tmp_path / "e.json", sanction, address, ada))
    assert facts_of(graph) == [
        ("ada", "addressEntity", "home", None, None),
        ("s", "entity", "ada", "1845", None),
    ]
    assert ("s", "authority", "A Board") in literals_of(graph)
    assert {"entity", "addressEntity"} <= REFERENCES


def test_unknown_schemata_are_told_by_their_shape(tmp_path: Path) -> None:
    tutor = entity("t", "Tutorship", tutor="ada", pupil="firm", startDate="1842", note="x")
    alone = entity("u", "Phase", startDate="1842", kind="early")
    graph = read_graph(write_lines(tmp_path / "e.json", tutor, alone, ADA, FIRM))
    assert ("ada", "Tutorship", "firm", "1842", None) in facts_of(graph)
    assert ("u", "startDate", "u", "1842", "1842") in facts_of(graph)
    assert "t" not in graph.entities
    assert any(
        "1 entities of other schemata that link two entities" in note for note in graph.notes
    )


def test_a_property_whose_values_are_all_entities_is_a_relation(tmp_path: Path) -> None:
    one = entity("a", "Person", mentor="ada", motto="ada")
    other = entity("b", "Person", mentor="a", motto="carpe diem")
    graph = read_graph(write_lines(tmp_path / "e.json", one, other, ADA))
    relations = [row[:3] for row in facts_of(graph)]
    assert ("a", "mentor", "ada") in relations
    assert ("b", "mentor", "a") in relations
    assert ("a", "motto", "ada") in literals_of(graph)


def test_nested_entities(tmp_path: Path) -> None:
    home = entity("home", "Address", full="1 Lane")
    link = entity("own", "Ownership", asset=FIRM, startDate="1841")
    ada = entity("ada", "Person", addressEntity=home, ownershipOwner=link)
    graph = read_graph(write_lines(tmp_path / "nested.json", ada))
    assert facts_of(graph) == [
        ("ada", "Ownership", "firm", "1841", None),
        ("ada", "addressEntity", "home", None, None),
        ("firm", "incorporationDate", "firm", "1840", "1840"),
    ]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    half = entity("x", "Ownership", owner="ada")
    odd = {**ADA, "datasets": ["d"], "first_seen": "2020"}
    late = entity("y", "Ownership", owner="ada", asset="firm", startDate="soon")
    path = write_lines(tmp_path / "e.json", odd, half, late, '{"id": 1}', "{", '{"id":"z"}')
    graph = read_graph(path)
    assert graph.notes[0].startswith("4 malformed lines left out")
    assert "found the keys id" in graph.notes[0]
    assert "1 links with only one end left out" in graph.notes
    assert "unused fields of entities: datasets, first_seen" in graph.notes
    with pytest.raises(InputError, match=r"e\.json:4: expected entities with an id, a schema"):
        read_graph(path, strict=True)
    with pytest.raises(InputError, match=r"e\.json:3: time 'soon' is not understood"):
        read_graph(write_lines(path, odd, late, late), strict=True)
