"""Wikidata's JSON dumps, in the layout of the published files."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea import Graph, InputError, read_graph
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes
from tests.fuzzing import examples
from tests.io.outcomes import outcome

Dump = Callable[..., Path]
GREGORIAN, JULIAN = (f"http://www.wikidata.org/entity/Q{n}" for n in (1985727, 1985786))


def time_value(time: str, precision: int = 11, calendar: str = GREGORIAN, **more: int) -> Any:
    value = {"time": time, "timezone": 0, "before": 0, "after": 0, "precision": precision}
    return {"value": {**value, "calendarmodel": calendar, **more}, "type": "time"}


def item_value(name: str) -> Any:
    number = int(name[1:])
    return {
        "value": {"entity-type": "item", "numeric-id": number, "id": name},
        "type": "wikibase-entityid",
    }


def snak(property_id: str, value: Any) -> Any:
    if isinstance(value, str):  # somevalue or novalue
        return {"snaktype": value, "property": property_id, "datatype": "time"}
    kind = "time" if value["type"] == "time" else "wikibase-item"
    known = {"snaktype": "value", "property": property_id, "datavalue": value, "datatype": kind}
    return {**known, "hash": "d6c0"}


def claim(property_id: str, value: Any, *, rank: str = "normal", **qualifiers: Any) -> Any:
    made = {"mainsnak": snak(property_id, value), "type": "statement", "id": "Q42$x", "rank": rank}
    if qualifiers:
        made["qualifiers"] = {
            name: [snak(name, one) for one in (values if isinstance(values, list) else [values])]
            for name, values in qualifiers.items()
        }
        made["qualifiers-order"] = list(qualifiers)
    return {**made, "references": []}


def entity(name: str, *claims: Any, kind: str = "item", **labels: str) -> Any:
    grouped: dict[str, list[Any]] = {}
    for one in claims:
        grouped.setdefault(one["mainsnak"]["property"], []).append(one)
    return {
        "type": kind,
        "id": name,
        "labels": {k: {"language": k, "value": v} for k, v in labels.items()} or [],
        "descriptions": [],
        "aliases": [],
        "claims": grouped or [],
        "sitelinks": [],
        "lastrevid": 1,
    }


@pytest.fixture
def dump(tmp_path: Path) -> Dump:
    def write(*entities: Any, name: str = "dump.json", more: str = "") -> Path:
        lines = [one if isinstance(one, str) else json.dumps(one) for one in entities]
        text = "[\n" + ",\n".join(lines) + more + "\n]\n"
        path = tmp_path / name
        packers: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress}
        path.write_bytes(packers.get(path.suffix, bytes)(text.encode()))
        return path

    return write


def literals_of(graph: Graph) -> list[tuple[Any, ...]]:
    spaces = ("2001/XMLSchema#", "1999/02/22-rdf-syntax-ns#")
    datatype = pl.col("datatype").str.replace_many({f"http://www.w3.org/{s}": "" for s in spaces})
    rows = frame_of_attributes(graph).with_columns(datatype).rows()
    return sorted(rows, key=str)


def facts_of(graph: Graph) -> list[tuple[Any, ...]]:
    return sorted(frame_of_graph(graph).rows(), key=str)


SPOUSE = claim(
    "P26",
    item_value("Q14623681"),
    P580=time_value("+1991-11-25T00:00:00Z"),
    P582=time_value("+2001-05-00T00:00:00Z", 10),
    P2842=item_value("Q84"),
)
ADAMS = entity(
    "Q42",
    SPOUSE,
    claim("P31", item_value("Q5")),
    claim("P569", time_value("+1952-03-11T00:00:00Z")),
    claim(
        "P69", item_value("Q691283"), rank="preferred", P585=time_value("+1974-00-00T00:00:00Z", 9)
    ),
    claim("P69", item_value("Q999"), rank="deprecated"),
    claim("P40", "novalue"),
    claim("P22", "somevalue"),
    claim("P21", {"value": "male", "type": "string"}),
    de="Douglas Noël Adams",
    en="Douglas Adams",
)
PROPERTY = entity("P26", claim("P31", item_value("Q18608871")), kind="property", en="spouse")
FACTS = [
    ("P26", "P31", "Q18608871", None, None),
    ("Q42", "P26", "Q14623681", "1991-11-25", "2001-05"),
    ("Q42", "P31", "Q5", None, None),
    ("Q42", "P569", "Q42", "1952-03-11", "1952-03-11"),
    ("Q42", "P69", "Q691283", "1974", "1974"),
]


@pytest.mark.parametrize("name", ["dump.json", "dump.json.gz", "dump.json.bz2"])
def test_a_dump(dump: Dump, name: str) -> None:
    graph = read_graph(dump(ADAMS, PROPERTY, name=name))
    assert facts_of(graph) == FACTS
    assert graph.entity_names == {"Q42": "Douglas Adams", "P26": "spouse"}
    assert graph.relation_names == {"P26": "spouse"}
    assert graph.notes == (
        "2 statements with an unknown value or none left out",
        "1 statements of deprecated rank left out",
        "1 dates of entities read as facts from the entity to itself",
    )


def test_one_document_of_the_api_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "Q42.json"
    path.write_text(json.dumps({"entities": {"Q42": ADAMS, "P26": PROPERTY}}), encoding="utf-8")
    assert facts_of(read_graph(path)) == FACTS


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (time_value("+1952-03-11T00:00:00Z"), "1952-03-11"),
        (time_value("+1952-03-00T00:00:00Z", 10), "1952-03"),
        (time_value("+1952-00-00T00:00:00Z", 9), "1952"),
        (time_value("+1952-01-01T00:00:00Z", 9), "1952"),
        (time_value("+1952-00-00T00:00:00Z", 11), "1952"),
        (time_value("+1952-03-11T06:30:00Z", 14), "1952-03-11T06:30:00"),
        (time_value("+1917-10-25T00:00:00Z", 11, JULIAN), "1917-11-07"),
        (time_value("+1500-02-29T00:00:00Z", 11, JULIAN), "1500-03-10"),
        (time_value("+1500-02-00T00:00:00Z", 10, JULIAN), "1500-02"),
        (time_value("-0044-03-15T00:00:00Z", 11, JULIAN), "-0043-03-13"),
        (time_value("-0001-00-00T00:00:00Z", 9), "0000"),
        (time_value("-10000-00-00T00:00:00Z", 9), "-9999"),
        (time_value("+00000001994-01-01T00:00:00Z", 9), "1994"),
    ],
)
def test_times(dump: Dump, value: Any, time: str) -> None:
    graph = read_graph(dump(entity("Q1", claim("P571", value))))
    assert facts_of(graph) == [("Q1", "P571", "Q1", time, time)]


@pytest.mark.parametrize(
    ("value", "note"),
    [
        (time_value("+1950-00-00T00:00:00Z", 8), "1 times known only to the decade or coarser"),
        (time_value("-13798000000-00-00T00:00:00Z", 3), "1 times known only to the decade"),
        (time_value("-13798000000-00-00T00:00:00Z", 9), "1 times not understood, taken"),
        (time_value("+0000-00-00T00:00:00Z", 9), "1 times not understood"),
        (time_value("+1501-02-29T00:00:00Z", 11, JULIAN), "1 times not understood"),
        ("somevalue", None),
    ],
)
def test_unknown_times(dump: Dump, value: Any, note: str | None) -> None:
    graph = read_graph(dump(entity("Q1", claim("P26", item_value("Q2"), P580=value))))
    assert facts_of(graph) == [("Q1", "P26", "Q2", None, None)]
    assert [one[: len(note or "")] for one in graph.notes] == ([note] if note else [])


def test_a_point_in_time_says_nothing_beside_a_begin(dump: Dump) -> None:
    begin, point = (time_value(f"+{year}-00-00T00:00:00Z", 9) for year in (1999, 2001))
    both = claim("P39", item_value("Q2"), P580=begin, P585=point)
    alone = claim("P39", item_value("Q3"), P585=point)
    assert facts_of(read_graph(dump(entity("Q1", both, alone)))) == [
        ("Q1", "P39", "Q2", "1999", None),
        ("Q1", "P39", "Q3", "2001", "2001"),
    ]


def test_a_gregorian_day_that_does_not_exist_is_its_month(dump: Dump) -> None:
    graph = read_graph(dump(entity("Q1", claim("P571", time_value("+2001-02-30T00:00:00Z")))))
    assert facts_of(graph) == [("Q1", "P571", "Q1", "2001-02", "2001-02")]


def test_before_and_after_are_said(dump: Dump) -> None:
    value = time_value("+1952-00-00T00:00:00Z", 9, before=1, after=2)
    assert any(
        "(before, after)" in x for x in read_graph(dump(entity("Q1", claim("P1", value)))).notes
    )


def test_several_times_of_one_statement(dump: Dump) -> None:
    years = {"P580": (1990, 2000), "P582": (1995,)}
    qualifiers: Any = {
        k: [time_value(f"+{y}-00-00T00:00:00Z", 9) for y in v] for k, v in years.items()
    }
    graph = read_graph(dump(entity("Q1", claim("P39", item_value("Q2"), **qualifiers))))
    assert facts_of(graph) == [
        ("Q1", "P39", "Q2", "1990", "1995"),
        ("Q1", "P39", "Q2", "2000", None),
    ]


def test_older_dumps_give_numbers_for_ids(dump: Dump) -> None:
    old = {"value": {"entity-type": "item", "numeric-id": 5}, "type": "wikibase-entityid"}
    assert facts_of(read_graph(dump(entity("Q1", claim("P31", old))))) == [
        ("Q1", "P31", "Q5", None, None)
    ]


def test_names_without_english(dump: Dump) -> None:
    link = claim("P31", item_value("Q9"))
    graph = read_graph(
        dump(
            entity("Q1", link, fr="un", de="eins"),
            entity("Q2", link, **{"en-gb": "two", "de": "zwei"}),
            entity("Q3", link),
        )
    )
    assert graph.entity_names == {"Q1": "eins", "Q2": "two"}


def test_wrong_lines_are_left_out_whole(dump: Dump) -> None:
    broken = json.loads(json.dumps(ADAMS))
    broken["claims"]["P69"][0]["mainsnak"].pop("datavalue")
    path = dump(ADAMS, "{not json", broken, '"text"', '{"id": 5, "claims": []}', "[" * 100_000)
    graph = read_graph(path)
    assert len(graph.facts) == 4
    assert graph.notes[0].startswith("5 malformed lines left out")
    assert f"{path}:3: not JSON on one line" in graph.notes[0]
    assert f"{path}:4: expected one entity as Wikidata writes it" in graph.notes[0]
    assert "1 statements of deprecated rank left out" in graph.notes
    with pytest.raises(InputError) as caught:
        read_graph(path, strict=True)
    said = str(caught.value)
    assert [f"{path}:{n}: " in said for n in range(2, 9)] == [False, *[True] * 5, False]
    assert "no 'datavalue'" in said


@pytest.mark.parametrize("odd", ["Infinity", "NaN", "[]", '"x"', "null", "1e400", "9" * 5000])
def test_numbers_that_are_none_are_wrong_lines(dump: Dump, odd: str) -> None:
    dated = entity("Q1", claim("P571", time_value("+2001-02-03T00:00:00Z", 77)))
    graph = read_graph(dump(ADAMS, json.dumps(dated).replace("77", odd)))
    assert len(graph.facts) == 4
    assert graph.notes[0].startswith("1 malformed lines left out")


def test_half_a_character_in_a_name_is_replaced(dump: Dump) -> None:
    graph = read_graph(dump(entity("Q1", claim("P31", item_value("Q5")), en="half \ud800")))
    assert graph.entity_names == {"Q1": "half ?"}


def test_another_file_that_is_called_wikidata_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text('{"type":"node","id":" ","labels":["User"],"properties":{}}\n' * 3_000)
    with pytest.raises(InputError) as caught:
        read_graph(path, format="wikidata")
    assert str(caught.value) == (
        f"{path}:1: expected one entity as Wikidata writes it, with an id and claims, found the id "
        "' '; 999 others are wrong in the same way; name another format with `format`, or describe "
        "the file: lighttea describe FILE (docs/descriptions.md)"
    )


def test_a_file_without_entities_is_refused(dump: Dump, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no facts; expected one entity as Wikidata writes it"):
        read_graph(dump(entity("Q1")))
    path = tmp_path / "other.json"
    path.write_text("\n".join(f'{{"row": {n}}}' for n in range(3_000)), encoding="utf-8")
    with pytest.raises(InputError, match=r"other\.json:1: .*found no 'id'; 999 others"):
        read_graph(path, format="wikidata")


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.just(ADAMS)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["id", "claims", "labels", "en", "P26", "mainsnak", "entities", "value"]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=8,
)


@examples(150)
@given(st.lists(json_values, max_size=4))
def test_json_at_random_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: list[Any]
) -> None:
    path = tmp_path_factory.mktemp("random") / "x.json"
    path.write_text("[\n" + ",\n".join(map(json.dumps, content)) + "\n]", encoding="utf-8")
    graph = outcome(path)
    if isinstance(graph, Graph):
        assert set(facts_of(graph)) <= set(FACTS)


def value(kind: str, content: Any, datatype: str = "string") -> Any:
    return {"type": kind, "value": content, "datatype": datatype}


EARTH, MOON = ("http://www.wikidata.org/entity/Q2", "http://www.wikidata.org/entity/Q405")


@pytest.mark.parametrize(
    ("given", "datatype", "literal"),
    [
        (value("string", "213/467"), "external-id", ("213/467", "string", None)),
        (value("string", "http://a/b"), "url", ("http://a/b", "anyURI", None)),
        (
            value("monolingualtext", {"text": "Oui", "language": "fr"}),
            "monolingualtext",
            ("Oui", "langString", "fr"),
        ),
        (
            value("quantity", {"amount": "+1.96", "unit": "1"}),
            "quantity",
            ("1.96", "decimal", None),
        ),
        (value("quantity", {"amount": "-4", "unit": MOON}), "quantity", ("-4", MOON, None)),
        (
            value("globecoordinate", {"latitude": 51.5, "longitude": -0.25, "globe": EARTH}),
            "globe-coordinate",
            ("Point(-0.25 51.5)", "http://www.opengis.net/ont/geosparql#wktLiteral", None),
        ),
        (
            value("globecoordinate", {"latitude": 1, "longitude": 2.0, "globe": MOON}),
            "globe-coordinate",
            (f"<{MOON}> Point(2 1)", "http://www.opengis.net/ont/geosparql#wktLiteral", None),
        ),
    ],
)
def test_values_are_literals(dump: Dump, given: Any, datatype: str, literal: Any) -> None:
    made = claim("P1", given, P580=time_value("+1990-00-00T00:00:00Z", 9))
    made["mainsnak"]["datatype"] = datatype
    graph = read_graph(dump(entity("Q1", made)))
    assert literals_of(graph) == [("Q1", "P1", *literal, "1990", None)]
    assert graph.notes == ()


def test_terms_in_all_languages_are_attributes(dump: Dump) -> None:
    one = entity("Q1", en="Ann", de="Anne")
    one["aliases"] = {"en": [{"language": "en", "value": text} for text in ("Nan", "A.", " ")]}
    one["descriptions"] = {"nl": {"language": "nl", "value": "mens"}}
    one["sitelinks"] = {"enwiki": {"site": "enwiki", "title": "Ann", "badges": []}}
    graph = read_graph(dump(one))
    assert [row[1:5] for row in literals_of(graph)] == [
        ("alias", "A.", "langString", "en"),
        ("alias", "Nan", "langString", "en"),
        ("description", "mens", "langString", "nl"),
        ("label", "Ann", "langString", "en"),
        ("label", "Anne", "langString", "de"),
    ]
    assert graph.entity_names == {"Q1": "Ann"}
    assert graph.notes == (
        "1 empty literals left out",
        "1 links to wiki pages left out (`sitelinks=True` keeps them)",
    )
    kept = read_graph(dump(one), sitelinks=True)
    assert ("enwiki", "Ann", "string", None) in [row[1:5] for row in literals_of(kept)]
    assert kept.notes == ("1 empty literals left out",)


def test_literals_of_properties_are_no_attributes(dump: Dump) -> None:
    spouse = entity("P26", kind="property", en="spouse", fr="conjoint")
    graph = read_graph(dump(entity("Q1", claim("P26", item_value("Q2")), en="Ann"), spouse))
    assert [row[:3] for row in literals_of(graph)] == [("Q1", "label", "Ann")]
    assert graph.relation_names == {"P26": "spouse"}
    assert graph.notes == ("2 literals of properties ignored",)


def test_values_of_an_unknown_kind_are_counted(dump: Dump) -> None:
    odd = claim("P1", value("hologram", {"x": 1}))
    graph = read_graph(dump(entity("Q1", odd, claim("P2", item_value("Q2")))))
    assert len(graph.attributes) == 0
    assert graph.notes == ("1 values of an unknown kind left out",)


def test_a_statement_with_two_times_is_two_literals(dump: Dump) -> None:
    years = [time_value(f"+{year}-00-00T00:00:00Z", 9) for year in (1990, 1995)]
    graph = read_graph(dump(entity("Q1", claim("P1082", value("string", "5"), P585=years))))
    assert [row[2:3] + row[5:] for row in literals_of(graph)] == [
        ("5", "1990", "1990"),
        ("5", "1995", "1995"),
    ]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_of_the_api_may_go_over_many_lines(tmp_path: Path, indent: int | None) -> None:
    document = {"entities": {"Q42": ADAMS, "P26": PROPERTY}, "success": 1}
    path = tmp_path / "Q42.json"
    path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    assert facts_of(read_graph(path, strict=True)) == FACTS


def test_an_array_may_go_over_many_lines(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps([ADAMS, PROPERTY], indent=1), encoding="utf-8")
    assert facts_of(read_graph(path, strict=True)) == FACTS


def test_an_entity_that_is_wrong_at_its_end_leaves_nothing_behind(dump: Dump) -> None:
    years = [time_value(f"+{year}-00-00T00:00:00Z", 9) for year in (1990, 1995)]
    wrong = entity("Q7", claim("P39", item_value("Q2"), P585=years), en="Wrong")
    wrong["claims"]["P40"] = [{"mainsnak": {}}]
    graph = read_graph(dump(ADAMS, wrong, entity("Q8", claim("P39", item_value("Q5")))))
    assert "Q7" not in graph.entities
    assert facts_of(graph)[-1] == ("Q8", "P39", "Q5", None, None)
    assert "1 statements of deprecated rank left out" in graph.notes


def test_a_large_first_entity_does_not_hide_what_the_file_is(dump: Dump) -> None:
    large = entity("Q1", claim("P31", item_value("Q5")), **{f"x{n}": "y" * 900 for n in range(300)})
    assert len(read_graph(dump(large, ADAMS)).facts) == 5


def test_a_dump_of_one_fact_and_one_literal_is_not_empty(dump: Dump) -> None:
    text = claim("P21", {"value": "male", "type": "string"})
    graph = read_graph(dump(entity("Q42", claim("P31", item_value("Q5")), text)))
    assert (len(graph.facts), len(graph.attributes)) == (1, 1)
