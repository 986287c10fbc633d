"""Time similarity against Python's Counter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair
from lighttea.graph.views import Views
from lighttea.io.frames import graph_of_frame
from lighttea.similarity.time import time_similarity
from lighttea.similarity.topk import Candidates
from lighttea.types import LeftIds, RightIds
from tests.worlds import Fact, World, fact_frame


def blended(candidates: Candidates, views: Views, pair: Pair, beta: float) -> Candidates:
    """S' of eq. 9 by labels and times alone."""
    ticks = time_similarity(candidates, views.tick_counts, pair)
    return candidates.with_times(ticks).weighted(beta, 0)


def all_candidates(pair: Pair, label: float = 0.5) -> Candidates:
    index = np.tile(np.arange(pair.n_right, dtype=np.int32), (pair.n_left, 1))
    labels = np.full(index.shape, label, np.float32)
    return Candidates(
        pair.all_left, pair.all_right, index, labels, np.full_like(labels, np.nan), labels
    )


def slow_ticks(graph: Graph, entity: str) -> Counter[int]:
    """The multiset of instants at the distinct facts of an entity, as head and as tail."""
    facts = graph.facts
    number = graph.entity_ids[entity]
    seen = set()
    for h, r, t, begin, end in zip(*vars(facts).values(), strict=True):
        for time in {int(begin), int(end)} - {-1}:
            if h == number:
                seen.add((0, r, t, time))
            if t == number:
                seen.add((1, r, h, time))
    return Counter(int(graph.instants.second[time]) for *_, time in seen)


def test_it_is_twice_the_common_over_the_total(world: World) -> None:
    pair = Pair.of(world.left, world.right)
    similarity = time_similarity(all_candidates(pair), Views.of(pair).tick_counts, pair)
    left = [slow_ticks(world.left, name) for name in world.left.entities]
    right = [slow_ticks(world.right, name) for name in world.right.entities]
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            expected = 2 * (a & b).total() / (a.total() + b.total())
            assert similarity[i, j] == pytest.approx(expected, abs=1e-6)


@pytest.fixture
def half_timed() -> Pair:
    """Left a has a time, left c has none; right likewise."""
    facts: list[Fact] = [("a", "r", "b", "2000", "2001"), ("c", "r", "d", None, None)]
    graph = graph_of_frame(fact_frame(*facts))
    return Pair.of(graph, graph)


def test_unknown_time_is_neutral(half_timed: Pair) -> None:
    views = Views.of(half_timed)
    found = blended(all_candidates(half_timed), views, half_timed, 0.4)
    a, c = 0, 2  # entities come in the order a, b, c, d or as read: look them up by their ticks
    counts = np.diff(views.tick_counts.start)[: half_timed.n_left]
    a, c = int(np.flatnonzero(counts > 0)[0]), int(np.flatnonzero(counts == 0)[0])
    assert found.score[a, a] == pytest.approx(0.6 * 0.5 + 0.4 * 1.0)
    assert found.score[a, c] == found.score[c, a] == found.score[c, c] == pytest.approx(0.5)
    assert np.isnan(found.time[c, a])


def test_known_times_without_overlap_count_against() -> None:
    left = graph_of_frame(fact_frame(("a", "r", "b", "2000", "2000")))
    right = graph_of_frame(fact_frame(("a", "r", "b", "2001", "2001")))
    pair = Pair.of(left, right)
    found = blended(all_candidates(pair), Views.of(pair), pair, 0.4)
    assert np.allclose(found.score, 0.6 * 0.5)


def test_beta_zero_changes_nothing(half_timed: Pair) -> None:
    candidates = all_candidates(half_timed)
    found = blended(candidates, Views.of(half_timed), half_timed, 0)
    assert np.array_equal(found.score, candidates.label)


def test_a_missing_candidate_stays_missing(half_timed: Pair) -> None:
    candidates = all_candidates(half_timed)
    candidates.index[0, 0] = -1
    found = time_similarity(candidates, Views.of(half_timed).tick_counts, half_timed)
    assert np.isnan(found[0, 0])


def test_rows_ask_for_the_ids_they_name(world: World) -> None:
    """Candidates of a subset in another order give the same values as the whole."""
    pair = Pair.of(world.left, world.right)
    counts = Views.of(pair).tick_counts
    whole = time_similarity(all_candidates(pair), counts, pair)
    rng = np.random.default_rng(0)
    left, right = rng.permutation(pair.n_left)[:9], rng.permutation(pair.n_right)[:11]
    index = rng.integers(0, 11, (9, 5)).astype(np.int32)
    label = np.zeros(index.shape, np.float32)
    some = Candidates(LeftIds(left), RightIds(right), index, label, label, label)
    assert np.allclose(time_similarity(some, counts, pair), whole[left[:, None], right[index]])
