"""The literals of two graphs in one table, against the rows that they were made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lighttea.graph.decoys import draw_decoys
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair
from lighttea.io.frames import graph_of_frame
from lighttea.io.literals import literal_rows, with_literals
from lighttea.literals.table import FEWEST_SHARED, ID, GraphLiterals, LiteralTable
from lighttea.types import RightIds
from tests.worlds import fact_frame, random_facts

N_PEOPLE = 40


def graph_with(prefix: str, attributes: dict[str, str]) -> Graph:
    """People with facts; each attribute has a text with a place for the person's number."""
    graph = graph_of_frame(fact_frame(*random_facts(N_PEOPLE, 300, 3, prefix=prefix)))
    rows = [
        (entity, name, text.format(entity.removeprefix(prefix)), "", "")
        for entity in graph.entities
        for name, text in attributes.items()
    ]
    return with_literals(graph, literal_rows(rows))


def rows_of(table: LiteralTable, left: Graph, right: Graph) -> list[tuple[str, str, str, str]]:
    """Side, entity, attribute and text of each row that is no decoy's."""
    real = table.where(table.is_real)
    found = []
    for node, attribute, value in zip(real.node, real.attribute, real.value, strict=True):
        is_left = node < table.n_left
        assert is_left == (attribute < table.n_left_attributes)
        entity = left.entities[node] if is_left else right.entities[node - table.n_left]
        side = "left" if is_left else "right"
        found.append((side, entity, table.names[attribute], table.texts[value]))
    return found


def stated(graph: Graph, side: str) -> list[tuple[str, str, str, str]]:
    own = graph.attributes
    columns = zip(own.entity, own.attribute, own.value, strict=True)
    return [(side, graph.entities[e], own.names[a], own.texts[v]) for e, a, v in columns]


def table_of(left: Graph, right: Graph, n_decoys: int = 0) -> LiteralTable:
    ids = RightIds(np.arange(len(right.entities), dtype=np.int32))
    rng = np.random.default_rng(1)
    decoys = draw_decoys(right, ids, n_decoys, rng, by_literals=True) if n_decoys else None
    return GraphLiterals(left, right, 0).table(Pair.of(left, right, decoys=decoys))


@pytest.fixture(scope="module")
def graphs() -> tuple[Graph, Graph]:
    left = graph_with("left ", {"name": "Ada {}", "code": "c{}", "both": "the same"})
    return left, graph_with("right ", {"label": "{}, Ada", "both": "the same"})


@pytest.mark.parametrize("n_decoys", [0, 15])
def test_all_literals_of_both_sides_are_rows(graphs: tuple[Graph, Graph], n_decoys: int) -> None:
    left, right = graphs
    table = table_of(left, right, n_decoys)
    expected = [*stated(left, "left"), *stated(right, "right")]
    assert sorted(rows_of(table, left, right)) == sorted(expected)
    assert list(table.names) == ["name", "code", "both", ID, "label", "both", ID]
    assert (np.diff(table.node) >= 0).all()
    assert len(set(table.texts)) == len(table.texts) == len(table.vocabulary)
    assert table.n_nodes == len(left.entities) + len(right.entities) + n_decoys
    assert (~table.is_real).sum() == 2 * n_decoys  # a decoy has as many as its source
    assert len(table) == len(expected) + 2 * n_decoys
    assert (table.attribute[~table.is_real] >= table.n_left_attributes).all()


def test_an_attribute_of_the_same_name_is_one_of_each_side(graphs: tuple[Graph, Graph]) -> None:
    table = table_of(*graphs)
    kept = table.of_attributes(np.arange(table.n_attributes) == 5)
    assert set(kept.attribute.tolist()) == {5}
    assert not kept.is_left.any()
    assert {kept.texts[value] for value in kept.value} == {"the same"}


def test_ids_are_rows_where_both_sides_have_many_of_the_same() -> None:
    left, right = graph_with("http://a.org/e", {"n": "{}"}), graph_with("http://b.org/e", {})
    table = table_of(left, right)
    found = [row for row in rows_of(table, left, right) if row[2] == ID]
    assert len(found) == len(left.entities) + len(right.entities)
    assert ("left", "http://a.org/e7", ID, "e7") in found
    assert ("right", "http://b.org/e7", ID, "e7") in found
    assert table.is_id.tolist() == [False, True, True]


def test_ids_that_hardly_any_entity_shares_are_no_rows() -> None:
    facts = random_facts(N_PEOPLE, 300, 3)
    left = graph_of_frame(fact_frame(*facts))
    n_same = FEWEST_SHARED - 1
    same = set(left.entities[:n_same])
    new = [
        tuple(f"x{part}" if i in (0, 2) and part not in same else part for i, part in enumerate(f))
        for f in facts
    ]
    right = graph_of_frame(fact_frame(*new))  # type: ignore[arg-type]
    assert len(set(left.entities) & set(right.entities)) == n_same
    assert len(table_of(left, right)) == 0
    again = graph_of_frame(fact_frame(*facts))
    assert len(table_of(left, again)) == 2 * len(left.entities)


def test_graphs_without_literals_have_an_empty_table() -> None:
    left, right = graph_with("left ", {}), graph_with("right ", {})
    table = table_of(left, right, 5)
    assert len(table) == 0
    assert table.n_attributes == 2
    assert not GraphLiterals(left, right, 0).are_comparable


def test_only_graphs_that_both_have_literals_can_be_compared(graphs: tuple[Graph, Graph]) -> None:
    bare = graph_with("right ", {})
    assert GraphLiterals(*graphs, 0).are_comparable
    assert not GraphLiterals(graphs[0], bare, 0).are_comparable


def test_the_same_random_seed_gives_the_same_decoys(graphs: tuple[Graph, Graph]) -> None:
    tables = [table_of(*graphs, 15) for _ in range(2)]
    texts = [[table.texts[v] for v in table.value[~table.is_real]] for table in tables]
    assert texts[0] == texts[1]
    assert len(texts[0]) == 30


def test_messages_call_attributes_and_graphs_by_their_names() -> None:
    left, right = (
        graph_with("a", {"http://x.example/p#tel": "{}"}),
        graph_with("b", {"phone": "{}"}),
    )
    left = replace(left, name="People", relation_names={"http://x.example/p#tel": "telephone"})
    table = LiteralTable.of(Pair.of(left, right), left, right, np.random.default_rng(1))
    assert table.descriptions == [
        *("telephone (People)", "id (People)"),
        *("phone (right)", "id (right)"),
    ]
