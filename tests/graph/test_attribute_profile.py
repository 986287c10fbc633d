"""What is said of the attributes of a graph: how many literals, how complete, how unique."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea import graph_from
from lighttea.graph.attribute_profile import profile_attributes
from lighttea.graph.profile import profile
from lighttea.io.literals import literal_rows, with_literals

XSD = "http://www.w3.org/2001/XMLSchema#"


def test_counts_of_an_attribute() -> None:
    graph = graph_from(
        [
            {"head": "a", "relation": "r", "tail": "b"},
            {"head": "a", "relation": "name", "value": "Ann", "language": "en", "begin": "1990"},
            {"head": "a", "relation": "name", "value": "Ann", "language": "fr"},
            {"head": "b", "relation": "name", "value": "Ben"},
            {"head": "c", "relation": "name", "value": "Ben"},
            {"head": "c", "relation": "name", "value": "Benjamin"},
            {"head": "d", "relation": "age", "value": "5", "datatype": f"{XSD}integer"},
        ]
    )
    name, age = profile_attributes(graph)
    assert (name.attribute, name.literals, name.timed_literals) == ("name", 5, 1)
    assert (name.entities, name.completeness) == (3, 3 / 4)
    assert name.values == 3
    assert name.uniqueness == pytest.approx(2 / 3)  # a by Ann, c by Benjamin
    assert name.datatypes == {"": 5}
    assert name.languages == {"": 3, "en": 1, "fr": 1}
    assert name.examples == ("Ann", "Ben", "Benjamin")
    assert (age.literals, age.uniqueness, age.datatypes) == (1, 1.0, {f"{XSD}integer": 1})
    whole = profile(graph)
    assert (whole.literals, whole.entities_with_literals) == (6, 4)
    assert whole.to_dict()["attributes"][0]["attribute"] == "name"


def test_a_graph_without_facts_has_a_profile() -> None:
    graph = graph_from([{"head": "a", "relation": "name", "value": "Ann"}])
    found = profile(graph)
    assert (found.facts, found.literals, found.relations) == (0, 1, 0)
    assert found.warnings == (
        "no fact has a known time; alignment will use relations and literals",
    )


def test_a_graph_without_literals_has_no_attributes() -> None:
    found = profile(graph_from([("a", "r", "b")]))
    assert found.attributes == ()
    assert found.literals == 0


letters = st.sampled_from("abc")


@given(st.lists(st.tuples(letters, letters, letters, st.just(""), st.sampled_from(["", "en"]))))
def test_the_same_as_by_dictionaries(rows: list[tuple[str, ...]]) -> None:
    graph = with_literals(graph_from([("a", "r", "b"), ("c", "r", "d")]), literal_rows(rows))
    distinct = set(rows)
    entities: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for entity, attribute, value, _, _ in distinct:
        entities[attribute][value].add(entity)
    found = profile_attributes(graph)
    assert {one.attribute for one in found} == set(entities)
    for one in found:
        of_value = entities[one.attribute]
        having = set().union(*of_value.values())
        alone = set().union(*(names for names in of_value.values() if len(names) == 1))
        assert one.literals == sum(row[1] == one.attribute for row in distinct)
        assert (one.entities, one.values) == (len(having), len(of_value))
        assert one.uniqueness == pytest.approx(len(alone) / len(having))
        assert one.completeness == len(having) / 4
