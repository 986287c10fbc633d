"""Pair and views against an obvious version made of Python sets and dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.engines.layout import Cuts
from lighttea.graph import views
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair, sorted_distinct
from lighttea.graph.views import (
    FactRows,
    PlainIncidence,
    PlainView,
    join_incidences,
    take_incidence,
    to_scipy,
)
from lighttea.io.frames import graph_of_frame
from lighttea.types import Doubles, LeftIds, RightIds
from tests.fuzzing import examples
from tests.worlds import Fact, fact_frame

years = st.one_of(st.none(), st.sampled_from(["1990", "1991", "1992"]))
facts = st.lists(
    st.tuples(
        st.sampled_from("abcd"), st.sampled_from("rs"), st.sampled_from("abcd"), years, years
    ),
    min_size=1,
    max_size=15,
)
Row = tuple[int, int, int, str | None]


def slow_rows(
    left: Graph, right: Graph, left_facts: list[Fact], right_facts: list[Fact]
) -> set[Row]:
    """Doubled distinct facts as a set, the tick as text."""
    rows: set[Row] = set()
    for graph, given_facts, shift, relation_shift in (
        (left, left_facts, 0, 0),
        (right, right_facts, len(left.entities), len(left.relations)),
    ):
        for head, relation, tail, begin, end in given_facts:
            h, t = shift + graph.entity_ids[head], shift + graph.entity_ids[tail]
            r = relation_shift + list(graph.relations).index(relation)
            for time in {begin, end} - {None} or {None}:
                rows |= {(h, 2 * r, t, time), (t, 2 * r + 1, h, time)}
    return rows


def fast_rows(pair: Pair) -> list[Row]:
    from lighttea.graph.timeline import format_instants

    texts = format_instants(pair.ticks)
    columns = zip(pair.head, pair.relation, pair.tail, pair.tick, strict=True)
    return [(int(h), int(r), int(t), texts[k] if k >= 0 else None) for h, r, t, k in columns]


@given(facts, facts)
@examples(60)
def test_facts_are_doubled_and_distinct(left_facts: list[Fact], right_facts: list[Fact]) -> None:
    left, right = (graph_of_frame(fact_frame(*f)) for f in (left_facts, right_facts))
    rows = fast_rows(Pair.of(left, right))
    assert len(rows) == len(set(rows))
    assert set(rows) == slow_rows(left, right, left_facts, right_facts)


class DenseViews:
    """The views of a pair, made of the facts of some blocks of nodes and put together."""

    def __init__(self, pair: Pair, n_blocks: int = 1) -> None:
        blocks = [FactRows.of(pair, nodes) for nodes in Cuts.even(pair.n_nodes, n_blocks)]
        self.entity_entity = np.vstack([dense(views.entity_entity(block)) for block in blocks])
        self.tick_counts = np.vstack([dense(views.tick_counts(block)) for block in blocks])
        self.entity_other = {
            temporal: np.vstack([dense(views.entity_other(block, temporal)) for block in blocks])
            for temporal in (False, True)
        }
        self.other_entity = {
            temporal: sum(dense(views.other_entity(block, temporal)) for block in blocks)
            for temporal in (False, True)
        }
        self.incidence = {
            temporal: join_incidences([views.incidence(block, temporal) for block in blocks])
            for temporal in (False, True)
        }


def dense(view: PlainView) -> Doubles:
    return np.asarray(to_scipy(view).toarray(), np.float64)


@given(facts, facts, st.integers(1, 4))
@examples(60)
def test_views_match_dense_counts(
    left_facts: list[Fact], right_facts: list[Fact], n_blocks: int
) -> None:
    left, right = (graph_of_frame(fact_frame(*f)) for f in (left_facts, right_facts))
    pair = Pair.of(left, right)
    made = DenseViews(pair, n_blocks)
    n = pair.n_nodes
    entity_entity = np.zeros((n, n))
    relation_entity = np.zeros((pair.n_relations, n))
    tick_entity = np.zeros((pair.n_ticks, n))
    tick_counts = np.zeros((n, pair.n_ticks))
    couples: dict[bool, set[tuple[int, int, int]]] = {False: set(), True: set()}
    columns = (column.tolist() for column in (pair.head, pair.relation, pair.tail, pair.tick))
    for h, r, t, k in zip(*columns, strict=True):
        entity_entity[h, t] += 1
        entity_entity[h, h] += 1  # the diagonal counts a head ...
        entity_entity[t, t] += 1  # ... and a tail
        relation_entity[r, h] = 1
        couples[False].add((h, t, r))
        if k >= 0:
            tick_entity[k, h] = 1
            tick_counts[h, k] += 1
            couples[True].add((h, t, k))
    assert np.array_equal(made.entity_entity, entity_entity)
    assert np.array_equal(made.other_entity[False], relation_entity)
    assert np.array_equal(made.other_entity[True], tick_entity)
    assert np.array_equal(made.tick_counts, tick_counts)
    # the inverse of a relation has its tails as heads
    inverse = np.arange(pair.n_relations) ^ 1
    assert np.array_equal(made.entity_other[False].T, relation_entity[inverse])
    assert np.array_equal(made.entity_other[True].T, tick_entity)
    for temporal, incidence in made.incidence.items():
        listed = couples_of(incidence)
        assert len(listed) == len(set(listed))
        assert set(listed) == couples[temporal]


def couples_of(incidence: PlainIncidence) -> list[tuple[int, int, int]]:
    """Row, neighbour and other of each couple."""
    rows = np.repeat(np.arange(len(incidence.start) - 1), np.diff(incidence.start))
    columns = (rows, incidence.neighbour, incidence.other)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(facts, facts, st.lists(st.integers(0, 100), max_size=6))
@examples(30)
def test_some_rows_are_those_of_the_whole(
    left_facts: list[Fact], right_facts: list[Fact], numbers: list[int]
) -> None:
    """Rising, as the entities of a problem are; the same nodes of facts and of couples."""
    left, right = (graph_of_frame(fact_frame(*f)) for f in (left_facts, right_facts))
    pair = Pair.of(left, right)
    blocks = [FactRows.of(pair, nodes) for nodes in Cuts.even(pair.n_nodes, 3)]
    nodes = np.unique(np.array(numbers, np.int32) % pair.n_nodes)
    whole, some = FactRows.joined(blocks), FactRows.joined(blocks).take(nodes)
    assert np.array_equal(dense(views.tick_counts(some)), dense(views.tick_counts(whole))[nodes])
    of_all, of_some = views.incidence(whole, False), views.incidence(some, False)
    assert couples_of(take_incidence(of_all, nodes)) == couples_of(of_some)


def test_no_view_couples_the_two_sides(small_graph: Graph) -> None:
    made = DenseViews(Pair.of(small_graph, small_graph))
    n = len(small_graph.entities)
    assert not made.entity_entity[:n, n:].any()
    assert not made.entity_entity[n:, :n].any()
    n_left_relations = 2 * len(small_graph.relations)
    assert not made.entity_other[False][:n, n_left_relations:].any()
    assert not made.entity_other[False][n:, :n_left_relations].any()


def test_ids_of_the_sides_go_to_different_nodes(small_graph: Graph) -> None:
    pair = Pair.of(small_graph, small_graph)
    ids = np.arange(3)
    left, right = pair.left_nodes(LeftIds(ids)), pair.right_nodes(RightIds(ids))
    assert not set(left.tolist()) & set(right.tolist())


def test_columns_of_facts_must_be_equally_long(small_graph: Graph) -> None:
    from dataclasses import replace

    with pytest.raises(ValueError, match="differ in length"):
        replace(small_graph.facts, tail=small_graph.facts.tail[:-1])


@pytest.mark.parametrize("largest", [6, 2**15 - 2, 2**31 - 2])  # the last does not fit 63 bits
def test_sorted_distinct_is_what_a_set_gives(largest: int) -> None:
    rng = np.random.default_rng(largest)
    columns = [rng.integers(-1, largest, 400, endpoint=True) for _ in range(4)]
    columns = [np.concatenate([column, column[:100]]) for column in columns]
    columns[0][0] = largest
    found = sorted_distinct(*columns)
    assert list(zip(*(c.tolist() for c in found), strict=True)) == sorted(
        set(zip(*(c.tolist() for c in columns), strict=True))
    )
    assert all(column.dtype == np.int32 for column in found)


def test_sorted_distinct_of_nothing() -> None:
    assert [len(column) for column in sorted_distinct(*[np.empty(0, np.int64)] * 3)] == [0, 0, 0]
