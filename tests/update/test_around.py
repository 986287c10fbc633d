"""Neighbours of links that changed, beside an obvious reference in sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.io.frames import graph_of_frame
from lighttea.types import LeftIds, RightIds
from lighttea.update.around import near_changed_links
from tests.worlds import fact_frame, random_facts


def some_links(rng: np.random.Generator, n: int) -> Links:
    left, right = (rng.permutation(n)[:5].astype(np.int32) for _ in range(2))
    return Links(LeftIds(left), RightIds(right))


def neighbours_in_sets(graph: Graph, entities: set[int]) -> set[int]:
    facts = list(zip(graph.facts.head.tolist(), graph.facts.tail.tolist(), strict=True))
    near = {tail for head, tail in facts if head in entities}
    return near | {head for head, tail in facts if tail in entities}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_neighbours_of_what_came_or_went_are_near(number: int) -> None:
    rng = np.random.default_rng(number)
    graph = graph_of_frame(fact_frame(*random_facts(20, 30, number)))
    stays, before, now = (some_links(rng, len(graph.entities)) for _ in range(3))
    found = near_changed_links(graph, graph, stays.extended(before), stays.extended(now))
    both = [set(zip(own.left.tolist(), own.right.tolist(), strict=True)) for own in (before, now)]
    kept = set(zip(stays.left.tolist(), stays.right.tolist(), strict=True))
    changed = (both[0] ^ both[1]) - kept
    for side, flags in enumerate(found):
        expected = neighbours_in_sets(graph, {pair[side] for pair in changed})
        assert set(np.flatnonzero(flags)) == expected
