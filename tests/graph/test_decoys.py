"""Decoys: what they are made of, and that nothing real depends on them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.graph import views
from lighttea.graph.decoys import Decoys, draw_decoys, draw_within
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.keys import draw_number, mix_keys
from lighttea.graph.numbering import number_by_name
from lighttea.graph.pair import Pair
from lighttea.graph.views import FactRows, to_scipy
from lighttea.io.frames import graph_of_frame
from lighttea.types import Doubles, RightIds
from tests.fuzzing import examples
from tests.worlds import Fact, fact_frame, random_facts

years = st.one_of(st.none(), st.sampled_from(["1990", "1991", "1992"]))
facts = st.lists(
    st.tuples(
        st.sampled_from("abcdef"), st.sampled_from("rst"), st.sampled_from("abcdef"), years, years
    ),
    min_size=1,
    max_size=20,
)
Row = tuple[int, ...]


def draw(
    graph: Graph, n_decoys: int = 1000, *, entities: list[int] | None = None, random_seed: int = 0
) -> Decoys:
    """Return decoys of all entities, or of some."""
    every = np.arange(len(graph.entities), dtype=np.int32)
    chosen = every if entities is None else np.array(entities, np.int32)
    return draw_decoys(graph, RightIds(chosen), n_decoys, np.random.default_rng(random_seed))


def directions(graph: Graph, decoys: Decoys) -> list[tuple[Facts, Facts]]:
    """Return the facts that a decoy starts and the graph's; then the same of those it ends."""
    own = graph.facts
    turned = Facts(own.tail, own.relation, own.head, own.begin, own.end)
    return [(decoys.forward, own), (decoys.backward, turned)]


def count_rows(*columns: np.ndarray) -> Counter[Row]:
    return Counter(zip(*(column.tolist() for column in columns), strict=True))


# ----------------------------------------------------------------------------- how they are drawn


@given(facts, st.integers(0, 7))
@examples(40)
def test_a_decoy_has_as_many_facts_of_each_relation_as_its_source(
    given_facts: list[Fact], n_decoys: int
) -> None:
    graph = graph_of_frame(fact_frame(*given_facts))
    decoys = draw(graph, n_decoys)
    for made, own in directions(graph, decoys):
        expected: Counter[Row] = Counter()
        for number, source in enumerate(decoys.source.tolist()):
            for relation in own.relation[own.head == source].tolist():
                expected[number, relation] += 1
        assert count_rows(made.head, made.relation) == expected


@given(facts)
@examples(40)
def test_other_ends_and_times_are_those_of_the_graph(given_facts: list[Fact]) -> None:
    graph = graph_of_frame(fact_frame(*given_facts))
    for made, own in directions(graph, draw(graph)):
        ends, own_ends = (count_rows(f.relation, f.tail) for f in (made, own))
        assert ends.keys() <= own_ends.keys()
        times, own_times = (count_rows(f.relation, f.begin, f.end) for f in (made, own))
        assert times.keys() <= own_times.keys()


def test_facts_are_used_as_often_as_each_other() -> None:
    """Over many draws; what an end or a time is common for, it is common for in decoys."""
    graph = graph_of_frame(fact_frame(*random_facts(30, 400, 1)))
    used = np.zeros(400)
    groups, keys = graph.facts.relation, graph.fact_keys()
    for random_seed in range(200):
        rng = np.random.default_rng(random_seed)
        used += np.bincount(draw_within(groups, keys, rng), minlength=400)
    assert used.sum() == 200 * 400
    assert abs(used - 200).max() < 5 * (2 * 200) ** 0.5  # twice the variance of single draws


def test_what_facts_say_is_mixed_up() -> None:
    graph = graph_of_frame(fact_frame(*random_facts(30, 400, 1)))
    decoys = draw(graph)
    assert len(decoys) == len(graph.entities)
    for made, own in directions(graph, decoys):
        # what a fact says is mixed up, not only who says it
        together = count_rows(made.relation, made.tail, made.begin)
        assert together != count_rows(own.relation, own.tail, own.begin)


@given(facts, st.integers(0, 7), st.sets(st.integers(0, 5)))
@examples(40)
def test_sources_are_some_of_the_entities_and_at_most_so_many(
    given_facts: list[Fact], n_decoys: int, chosen: set[int]
) -> None:
    graph = graph_of_frame(fact_frame(*given_facts))
    entities = sorted(number for number in chosen if number < len(graph.entities))
    decoys, all_possible = (draw(graph, n, entities=entities) for n in (n_decoys, 1000))
    source = decoys.source.tolist()
    assert set(source) <= set(entities)
    assert source == sorted(set(source))
    assert len(decoys) == min(n_decoys, len(all_possible))
    assert decoys.per_source == pytest.approx(len(decoys) / max(1, len(all_possible)))


@given(facts)
@examples(40)
def test_no_decoy_says_what_its_source_says(given_facts: list[Fact]) -> None:
    """Some fact of each decoy has another end or another time than the fact it is made from.

    The facts of a decoy stand in the order of those of its source.
    """
    graph = graph_of_frame(fact_frame(*given_facts))
    decoys = draw(graph)
    differs = np.zeros(len(decoys), bool)
    for made, own in directions(graph, decoys):
        before = own.take(np.flatnonzero(np.isin(own.head, decoys.source)))
        assert np.array_equal(decoys.source[made.head], before.head)
        changed = (made.tail != before.tail) | (made.begin != before.begin)
        differs[made.head[changed | (made.end != before.end)]] = True
    assert differs.all()


def test_facts_that_cannot_be_mixed_up_make_no_decoy() -> None:
    """`once` holds in one fact alone."""
    mixed: list[Fact] = [(f"a{i}", "many", f"b{i}", f"19{i}0", None) for i in range(1, 9)]
    fixed: list[Fact] = [("c", "once", "d", "1950", None)]
    graph = graph_of_frame(fact_frame(*mixed, *fixed))
    sources = {graph.entities[number] for number in draw(graph).source.tolist()}
    assert sources
    assert not sources & {"c", "d"}
    alone = graph_of_frame(fact_frame(*fixed))
    none = draw(alone)
    assert (len(none), none.per_source, len(none.forward), len(none.backward)) == (0, 0.0, 0, 0)


def test_entities_without_facts_have_no_decoy() -> None:
    graph = graph_of_frame(fact_frame(*random_facts(20, 100, 2)))
    lonely = Graph(
        entities=[*graph.entities, "lonely"],
        relations=graph.relations,
        instants=graph.instants,
        facts=graph.facts,
    )
    number = len(graph.entities)
    assert number not in draw(lonely).source
    assert len(draw(lonely, entities=[number])) == 0


def test_the_generator_alone_decides() -> None:
    graph = graph_of_frame(fact_frame(*random_facts(30, 200, 3)))
    one, same, other = (draw(graph, 10, random_seed=seed) for seed in (1, 1, 2))
    for name in ("forward", "backward"):
        columns = [list(vars(getattr(each, name)).values()) for each in (one, same, other)]
        assert all(np.array_equal(a, b) for a, b in zip(*columns[:2], strict=True))
        assert any(not np.array_equal(a, b) for a, b in zip(columns[0], columns[2], strict=True))
    assert np.array_equal(one.source, same.source)
    assert not np.array_equal(one.source, other.source)


@pytest.mark.parametrize(("n", "n_groups"), [(1, 1), (50, 1), (300, 7), (40, 40), (0, 1)])
def test_who_is_drawn_is_the_next_on_the_ring_of_the_group(n: int, n_groups: int) -> None:
    groups = np.random.default_rng(1).integers(0, n_groups, n).astype(np.int32)
    keys = mix_keys(np.arange(n), 5)
    rng = np.random.default_rng(2)
    given, drawn = (mix_keys(keys, draw_number(rng)).tolist() for _ in range(2))
    expected = []
    for place in range(n):
        own = sorted((given[i], i) for i in range(n) if groups[i] == groups[place])
        after = [number for point, number in own if point >= drawn[place]]
        expected.append(after[0] if after else own[0][1])
    assert draw_within(groups, keys, np.random.default_rng(2)).tolist() == expected


def names_of_decoys(graph: Graph, n_decoys: int) -> dict[str, set[tuple[str, ...]]]:
    """Return the facts of each decoy by the name of its source, all in names."""
    decoys, times = draw(graph, n_decoys), [*graph.instants.second.tolist(), None]
    sources = [graph.entities[number] for number in decoys.source.tolist()]
    found: dict[str, set[tuple[str, ...]]] = {name: set() for name in sources}
    for way, own in (("from", decoys.forward), ("to", decoys.backward)):
        for h, r, t, b, e in zip(*(c.tolist() for c in vars(own).values()), strict=True):
            said = graph.relations[r], graph.entities[t], str(times[b]), str(times[e])
            found[sources[h]].add((way, *said))
    return found


def test_neither_the_order_of_facts_nor_numbers_change_a_decoy() -> None:
    facts = list(dict.fromkeys(random_facts(60, 500, 4)))
    graph = graph_of_frame(fact_frame(*facts))
    others = graph_of_frame(fact_frame(*facts[::-1])), number_by_name(graph, "right")
    for other in others:
        assert names_of_decoys(other, 30) == names_of_decoys(graph, 30)


def test_a_few_facts_more_change_few_decoys() -> None:
    facts = list(dict.fromkeys(random_facts(300, 3000, 5)))
    late = [("new", "r1", "e5", "1950", "1951"), ("e6", "r2", "e7", "1914", "1918")]
    before, after = (
        names_of_decoys(number_by_name(graph_of_frame(fact_frame(*own)), "right"), 150)
        for own in (facts, [*late, *facts])
    )
    assert len(before.keys() & after.keys()) >= 148
    changed = [name for name in before.keys() & after.keys() if before[name] != after[name]]
    assert len(changed) < 16  # each fact is drawn by about one other in four permutations


# -------------------------------------------------------------------------- decoys in a pair


def pairs_of(
    left_facts: list[Fact], right_facts: list[Fact], **options: bool
) -> tuple[Pair, Pair, Decoys]:
    """Return a pair without decoys, the same pair with them, and the decoys."""
    left, right = (graph_of_frame(fact_frame(*f)) for f in (left_facts, right_facts))
    decoys = draw(right, 4)
    plain, with_decoys = (Pair.of(left, right, decoys=own, **options) for own in (None, decoys))
    return plain, with_decoys, decoys


@given(facts, facts, st.booleans(), st.booleans())
@examples(40)
def test_rows_of_real_nodes_are_those_without_decoys(
    left_facts: list[Fact], right_facts: list[Fact], timed: bool, mixed: bool
) -> None:
    plain, pair, decoys = pairs_of(left_facts, right_facts, timed=timed, mixed_granularity=mixed)
    assert (pair.n_left, pair.n_right) == (plain.n_left, plain.n_right)
    assert (pair.n_decoys, pair.n_nodes) == (len(decoys), plain.n_nodes + len(decoys))
    assert pair.n_entities == plain.n_nodes
    assert np.array_equal(pair.ticks.second, plain.ticks.second)
    is_real = pair.head < plain.n_nodes
    for name in ("head", "relation", "tail", "tick"):
        assert np.array_equal(getattr(pair, name)[is_real], getattr(plain, name))
    is_real_span = pair.spans.head < plain.n_nodes
    for name, column in vars(plain.spans).items():
        assert np.array_equal(getattr(pair.spans, name)[is_real_span], column)


@given(facts, facts)
@examples(40)
def test_facts_of_decoys_end_in_right_entities(
    left_facts: list[Fact], right_facts: list[Fact]
) -> None:
    """Forward facts have even relations, those that end in the decoy odd ones, as inverses have."""
    _, pair, decoys = pairs_of(left_facts, right_facts)
    assert (pair.tail < pair.n_entities).all()
    assert (pair.spans.tail < pair.n_entities).all()
    is_decoy = pair.head >= pair.n_entities
    assert (pair.tail[is_decoy] >= pair.n_left).all()
    own = set(
        zip(
            (pair.head[is_decoy] - pair.n_entities).tolist(),
            (pair.relation[is_decoy] - 2 * len({fact[1] for fact in left_facts})).tolist(),
            (pair.tail[is_decoy] - pair.n_left).tolist(),
            strict=True,
        )
    )
    expected = {(h, 2 * r, t) for h, r, t in triples(decoys.forward)}
    assert own == expected | {(h, 2 * r + 1, t) for h, r, t in triples(decoys.backward)}


def triples(own: Facts) -> list[tuple[int, int, int]]:
    return list(zip(own.head.tolist(), own.relation.tolist(), own.tail.tolist(), strict=True))


def test_decoys_are_numbered_past_the_right_entities() -> None:
    _, pair, decoys = pairs_of(random_facts(20, 90, 4), random_facts(30, 90, 5, prefix="y"))
    assert pair.decoys.tolist() == list(range(pair.n_right, pair.n_right + 4))
    assert (pair.right_nodes(pair.decoys) >= pair.n_entities).all()
    assert pair.right_nodes(pair.decoys)[-1] == pair.n_nodes - 1
    both = RightIds(np.array([3, pair.n_right + 2, 0, pair.n_right], np.int32))
    expected = [3, int(decoys.source[2]), 0, int(decoys.source[0])]
    assert pair.without_decoys(both).tolist() == expected
    assert pair.without_decoys(pair.all_right).tolist() == pair.all_right.tolist()


@given(facts, facts, st.booleans())
@examples(40)
def test_views_of_real_nodes_are_those_without_decoys(
    left_facts: list[Fact], right_facts: list[Fact], temporal: bool
) -> None:
    plain, pair, _ = pairs_of(left_facts, right_facts)
    own, rows = (FactRows.of(each, slice(0, each.n_nodes)) for each in (plain, pair))
    n = plain.n_nodes

    def same(made: Doubles, expected: Doubles) -> bool:
        """The first rows and columns are the expected ones, no real row has a decoy's column."""
        return np.array_equal(made[:n, : expected.shape[1]], expected) and not made[:n, n:].any()

    assert same(dense(views.entity_entity(rows)), dense(views.entity_entity(own)))
    of_others, expected = (dense(views.other_entity(each, temporal)) for each in (rows, own))
    assert np.array_equal(of_others[:, :n], expected)
    assert not of_others[:, n:].any()
    of_nodes, expected = (dense(views.entity_other(each, temporal)) for each in (rows, own))
    assert np.array_equal(of_nodes[:n], expected)


def dense(view: views.PlainView) -> Doubles:
    return np.asarray(to_scipy(view).toarray(), np.float64)
