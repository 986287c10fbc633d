"""Who may be meant by a right entity that has no sure link, beside an obvious reference."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.io.frames import graph_of_frame
from lighttea.types import LeftIds, RightIds
from lighttea.update.claimants import find_claimants, split_rows
from lighttea.update.last import NOBODY, LastLinks
from tests.worlds import fact_frame, random_facts


def last_links(partner: list[int], n_right: int) -> LastLinks:
    links = np.array(partner, np.int32)
    confidence = np.where(links == NOBODY, 0, 0.95).astype(np.float32)
    return LastLinks(links, confidence, Links.none(), n_right)


def around(graph: Graph) -> dict[int, set[int]]:
    near = defaultdict(set)
    for head, tail in zip(graph.facts.head.tolist(), graph.facts.tail.tolist(), strict=True):
        near[head].add(tail)
        near[tail].add(head)
    return near


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_claimants_share_most_linked_neighbours(number: int) -> None:
    rng = np.random.default_rng(number)
    graphs = [graph_of_frame(fact_frame(*random_facts(25, 60, number + i))) for i in range(2)]
    n_left, n_right = (len(graph.entities) for graph in graphs)
    n = min(n_left, n_right)
    partner = np.full(n_left, NOBODY)
    partner[rng.permutation(n_left)[: n // 2]] = rng.permutation(n_right)[: n // 2]
    known = Links(
        LeftIds(np.flatnonzero(partner == NOBODY)[:2].astype(np.int32)),
        RightIds(np.setdiff1d(np.arange(n_right), partner)[:2].astype(np.int32)),
    )
    asked, doubtful = rng.random(n_right) < 0.3, rng.random(n_left) < 0.5
    last = last_links(partner.tolist(), n_right)
    found = find_claimants(last, graphs[0], graphs[1], asked, known, doubtful)

    left, right = around(graphs[0]), around(graphs[1])
    linked = dict(zip(last.links.right.tolist(), last.links.left.tolist(), strict=True))
    linked |= dict(zip(known.right.tolist(), known.left.tolist(), strict=True))
    for one in np.flatnonzero(asked):
        shared: dict[int, float] = defaultdict(float)
        for neighbour in right[int(one)] & linked.keys():
            for other in left[linked[neighbour]]:
                if doubtful[other]:
                    shared[other] += 1 / len(left[linked[neighbour]])
        best = sorted(shared.values(), reverse=True)[:3]
        if best:  # those that share clearly more than the fourth are among them
            clear = {e for e, much in shared.items() if sum(v >= much - 1e-9 for v in best) < 3}
            assert clear <= set(np.flatnonzero(found))
    assert not found[~doubtful].any()
    assert found.sum() <= 3 * asked.sum()


def test_a_crowd_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of_frame(fact_frame(*(("hub", "r", name, None, None) for name in "abcd")))
    hub, n = graph.entity_ids["hub"], len(graph.entities)
    last = last_links([hub if one == hub else NOBODY for one in range(n)], n)
    asked, doubtful = np.zeros(n, bool), np.ones(n, bool)
    asked[graph.entity_ids["a"]] = True
    assert find_claimants(last, graph, graph, asked, Links.none(), doubtful).sum() == 3
    monkeypatch.setattr("lighttea.update.claimants.CROWD", 3)
    assert not find_claimants(last, graph, graph, asked, Links.none(), doubtful).any()


def test_few_entries_at_once_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = [graph_of_frame(fact_frame(*random_facts(25, 60, i))) for i in range(2)]
    n_left, n_right = (len(graph.entities) for graph in graphs)
    partner = [one if one < min(n_left, n_right) // 2 else NOBODY for one in range(n_left)]
    last, asked, doubtful = (
        last_links(partner, n_right),
        np.ones(n_right, bool),
        np.ones(n_left, bool),
    )
    expected = find_claimants(last, graphs[0], graphs[1], asked, Links.none(), doubtful)
    assert 0 < expected.sum() < n_left
    monkeypatch.setattr("lighttea.update.claimants._ENTRIES", 5)
    found = find_claimants(last, graphs[0], graphs[1], asked, Links.none(), doubtful)
    np.testing.assert_array_equal(found, expected)


def test_a_block_has_no_more_entries_than_it_may_beside_its_largest_row() -> None:
    places, n_entries = np.arange(0, 40, 2), np.random.default_rng(0).integers(0, 900_000, 40)
    blocks = list(split_rows(places, n_entries.astype(float)))
    np.testing.assert_array_equal(np.concatenate(blocks), places)
    assert 1 < len(blocks) < len(places)
    assert all(n_entries[own].sum() < 2_000_000 + n_entries[own].max() for own in blocks)
