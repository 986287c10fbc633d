"""Clusters of pairs: known answers, and the best of all ways to divide a few nodes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

from lighttea.clusters.evidence import (
    RULED_OUT,
    Edges,
    Evidence,
    count_known_paths,
    weigh,
)
from lighttea.clusters.make import ClusterTables, make_clusters
from lighttea.clusters.origins import PAIR
from lighttea.clusters.resolve import resolve

GRAPHS = ["A", "B", "C"]


def pairs(*rows: tuple[str, str, float] | tuple[str, str, float, bool]) -> pl.DataFrame:
    """Pairs of entities whose first letter is their graph; linked where the chance is .5."""
    return pl.DataFrame(
        [
            (one[0], one, other[0], other, chance, more[0] if more else chance >= 0.5)
            for one, other, chance, *more in rows
        ],
        schema=[*PAIR, "confidence", "linked"],
        orient="row",
    )


def groups(made: ClusterTables) -> set[frozenset[str]]:
    return {
        frozenset(members)
        for members in made.clusters.group_by("cluster").agg("entity")["entity"].to_list()
    }


def test_a_circle_that_contradicts_itself_is_resolved_by_probability() -> None:
    table = pairs(("A1", "B1", 0.95), ("B1", "C1", 0.9), ("A2", "C1", 0.6))
    made = make_clusters(table, GRAPHS)
    assert groups(made) == {frozenset({"A1", "B1", "C1"})}
    conflict = made.conflicts.row(0, named=True)
    assert len(made.conflicts) == 1
    assert (conflict["left"], conflict["right"], conflict["graph"]) == ("A2", "C1", "A")
    assert (conflict["left_has"], conflict["right_has"]) == ("A2", "A1")
    assert 0.5 < conflict["right_confidence"] < 1
    assert conflict["evidence"].startswith("A would have two entities in one cluster: A2 and A1 ")


def test_two_weak_links_give_way_where_a_third_pair_is_sure() -> None:
    table = pairs(("A1", "B1", 0.55), ("A1", "B2", 0.4), ("B2", "C1", 0.97), ("A1", "C1", 0.97))
    made = make_clusters(table, GRAPHS)
    assert groups(made) == {frozenset({"A1", "B2", "C1"})}
    found = {(row["left"], row["right"]): row["found"] for row in made.links.iter_rows(named=True)}
    assert found == {("A1", "B2"): "candidate", ("A1", "C1"): "link", ("B2", "C1"): "link"}
    raised = made.links.filter(left="A1", right="B2")["confidence"][0]
    assert raised > 0.9


def test_links_through_a_third_graph_are_made_and_said() -> None:
    made = make_clusters(pairs(("A1", "B1", 0.9), ("B1", "C1", 0.8)), GRAPHS)
    implied = made.links.filter(left="A1", right="C1").row(0, named=True)
    assert implied["found"] == "through B"
    assert 0.6 < implied["confidence"] < 0.8


def test_two_entities_alone_are_as_sure_as_their_pair() -> None:
    made = make_clusters(pairs(("A1", "B1", 0.83)), GRAPHS)
    assert made.clusters["confidence"].to_list() == pytest.approx([0.83, 0.83], abs=1e-5)
    assert made.links["confidence"].to_list() == pytest.approx([0.83], abs=1e-5)


def test_an_unlikely_pair_makes_no_cluster() -> None:
    made = make_clusters(pairs(("A1", "B1", 0.4), ("A2", "B2", 0.6)), GRAPHS)
    assert groups(made) == {frozenset({"A2", "B2"})}
    assert made.conflicts.is_empty()


def test_nothing_comes_of_no_likely_pair() -> None:
    made = make_clusters(pairs(("A1", "B1", 0.1)), GRAPHS)
    assert made.clusters.columns == ["cluster", "graph", "entity", "confidence"]
    assert made.links.columns == ["cluster", *PAIR, "confidence", "found"]
    assert len(made.clusters) == len(made.links) == len(made.conflicts) == 0


def test_known_pairs_hold_and_ruled_out_ones_never_do() -> None:
    table = pairs(("A1", "B1", 1.0), ("B1", "C1", 0.9), ("A1", "C1", 0.9))
    made = make_clusters(table, GRAPHS, ruled_out=pairs(("B1", "C1", 0.0)))
    assert groups(made) == {frozenset({"A1", "B1"})}
    assert (made.clusters["confidence"] > 0.999).all()
    assert set(made.conflicts["right"]) == {"C1"}


def test_a_pair_of_no_chance_is_not_ruled_out() -> None:
    table = pairs(("A1", "B1", 0.99), ("B1", "C1", 0.99), ("A1", "C1", 0.0))
    assert groups(make_clusters(table, GRAPHS)) == {frozenset({"A1", "B1", "C1"})}


def test_several_entities_of_a_graph_stand_together_only_where_asked_for() -> None:
    table = pairs(("A1", "B1", 0.95), ("A2", "B1", 0.9))
    assert groups(make_clusters(table, GRAPHS)) == {frozenset({"A1", "B1"})}
    made = make_clusters(table, GRAPHS, several_per_graph=True)
    assert groups(made) == {frozenset({"A1", "A2", "B1"})}
    assert made.links.filter(left="A1", right="A2")["found"].to_list() == ["through B"]


def test_the_order_of_pairs_and_the_names_of_entities_change_nothing() -> None:
    rng = np.random.default_rng(4)
    rows = [
        (f"{a}{rng.integers(12)}", f"{b}{rng.integers(12)}", float(rng.random()))
        for _ in range(150)
        for a, b in [(("A", "B"), ("A", "C"), ("B", "C"))[rng.integers(3)]]
    ]
    table = pairs(*rows).unique(PAIR, keep="first", maintain_order=True)
    made = make_clusters(table, GRAPHS)
    shuffled = make_clusters(table.sample(fraction=1, shuffle=True, seed=1), GRAPHS)
    assert shuffled.clusters.equals(made.clusters)
    assert shuffled.conflicts.equals(made.conflicts)
    assert made.clusters.group_by("cluster", "graph").len()["len"].max() == 1


# ------------------------------------------------------------------------- slow reference


def divisions_of(nodes: list[int]) -> Iterator[list[list[int]]]:
    """All ways to divide a few nodes into parts."""
    if not nodes:
        yield []
        return
    first, *rest = nodes
    for division in divisions_of(rest):
        yield [[first], *division]
        for place in range(len(division)):
            yield [*division[:place], [first, *division[place]], *division[place + 1 :]]


def total(evidence: Evidence, division: list[list[int]]) -> float:
    """What the pairs of a division count, by the definition."""
    known = {
        (int(one), int(other)): float(weight)
        for one, other, weight in zip(
            evidence.edges.one, evidence.edges.other, evidence.weight, strict=True
        )
    }
    value = 0.0
    for part in division:
        value += evidence.joining * (len(part) - 1)
        for one in part:
            for other in part:
                if one < other:
                    graphs = evidence.graph[one], evidence.graph[other]
                    value += known.get((one, other), float(evidence.missing[graphs]))
    return value


def random_evidence(rng: np.random.Generator, *, several: bool) -> Evidence:
    graph = np.sort(rng.integers(0, 4, 6))
    one, other = np.triu_indices(6, 1)
    chosen = rng.random(len(one)) < 0.5
    if not several:
        chosen &= graph[one] != graph[other]
    edges = Edges(one[chosen], other[chosen], rng.random(int(chosen.sum())))
    edges.chance[rng.random(len(edges)) < 0.05] = RULED_OUT
    return weigh(edges, graph, 4, several_per_graph=several)


@pytest.mark.parametrize("several", [False, True])
def test_clusters_are_nearly_always_the_best_of_all_divisions(several: bool) -> None:
    rng = np.random.default_rng(11)
    divisions = list(divisions_of(list(range(6))))
    assert len(divisions) == 203
    n_best, n_trials, lost = 0, 40, 0.0
    for _ in range(n_trials):
        evidence = random_evidence(rng, several=several)
        label = resolve(evidence)
        own = total(evidence, [np.flatnonzero(label == c).tolist() for c in np.unique(label)])
        best = max(total(evidence, division) for division in divisions)
        assert own <= best + 1e-9
        n_best += own > best - 1e-9
        lost += best - own
    assert n_best >= 0.85 * n_trials
    assert lost / n_trials < 0.1


# ----------------------------------------------------------------------- what graphs know


def test_missing_pairs_speak_against_a_cluster_only_where_the_graphs_know_each_other() -> None:
    n = 40
    graph = np.repeat([0, 1, 2], n)
    first, second, third = (np.arange(n) + shift for shift in (0, n, 2 * n))
    one, other = np.concatenate([first, second]), np.concatenate([second, third])
    strangers = Edges(one, other, np.full(len(one), 0.95))
    assert count_known_paths(strangers, graph, 3)[0, 2] == pytest.approx(1 / (n + 2))
    friends = Edges(
        np.concatenate([one, first[:30]]),
        np.concatenate([other, third[:30]]),
        np.full(len(one) + 30, 0.95),
    )
    known = count_known_paths(friends, graph, 3)
    assert known[0, 2] == known[2, 0] == pytest.approx(31 / (n + 2))
    weights = [
        weigh(edges, graph, 3, several_per_graph=False).missing[0, 2]
        for edges in (strangers, friends)
    ]
    assert weights[0] > -0.05
    assert weights[1] == -0.5
