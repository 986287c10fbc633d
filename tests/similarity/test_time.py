"""Time similarity against Python's Counter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair
from lighttea.io.frames import graph_of_frame
from lighttea.propagate.views import PairViews
from lighttea.similarity.candidates import blend_scores
from lighttea.similarity.time import add_time_similarity
from lighttea.types import Floats, LeftIds, RightIds
from tests.plain import call, plain_engine
from tests.tables import PlainCandidates, make_candidates, split_candidates
from tests.worlds import Fact, World, fact_frame

N_BLOCKS = [1, 3]


def time_similarity(
    pair: Pair,
    candidates: PlainCandidates,
    *,
    left: LeftIds | None = None,
    right: RightIds | None = None,
    n_blocks: int = 1,
) -> Floats:
    """Return S^t of candidates of these entities, or of all of both graphs."""
    left = pair.all_left if left is None else left
    right = pair.all_right if right is None else right
    engine = plain_engine(len(left), len(right), pair.n_nodes, n_blocks=n_blocks)
    views = PairViews(engine, pair, left, right)
    blocks = split_candidates(engine, candidates)
    found = add_time_similarity(engine, blocks, views.tick_counts())
    times = [engine.fetch(block).time for block in found]
    return np.concatenate([block for block in times if block is not None])


def blend(pair: Pair, candidates: PlainCandidates, beta: float) -> PlainCandidates:
    """S' of eq. 9 by labels and times alone."""
    time = time_similarity(pair, candidates)
    timed = make_candidates(candidates.index, candidates.label, time=time)
    return call(blend_scores, timed, beta, 0.0)


def all_candidates(pair: Pair, label: float = 0.5) -> PlainCandidates:
    index = np.tile(np.arange(pair.n_right, dtype=np.int32), (pair.n_left, 1))
    return make_candidates(index, np.full(index.shape, label))


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


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_it_is_twice_the_common_over_the_total(world: World, n_blocks: int) -> None:
    pair = Pair.of(world.left, world.right)
    similarity = time_similarity(pair, all_candidates(pair), n_blocks=n_blocks)
    left = [slow_ticks(world.left, name) for name in world.left.entities]
    right = [slow_ticks(world.right, name) for name in world.right.entities]
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            expected = 2 * (a & b).total() / (a.total() + b.total())
            assert similarity[i, j] == pytest.approx(expected, abs=1e-6)


@pytest.fixture
def half_timed() -> Pair:
    """Entities a and b have a time, c and d have none, on both sides."""
    facts: list[Fact] = [("a", "r", "b", "2000", "2001"), ("c", "r", "d", None, None)]
    graph = graph_of_frame(fact_frame(*facts))
    assert list(graph.entities) == ["a", "c", "b", "d"]
    return Pair.of(graph, graph)


def test_unknown_time_is_neutral(half_timed: Pair) -> None:
    found = blend(half_timed, all_candidates(half_timed), 0.4)
    a, c = 0, 1
    assert found.score[a, a] == pytest.approx(0.6 * 0.5 + 0.4 * 1.0)
    assert found.score[a, c] == found.score[c, a] == found.score[c, c] == pytest.approx(0.5)
    assert found.time is not None
    assert np.isnan(found.time[c, a])


def test_known_times_without_overlap_count_against() -> None:
    left = graph_of_frame(fact_frame(("a", "r", "b", "2000", "2000")))
    right = graph_of_frame(fact_frame(("a", "r", "b", "2001", "2001")))
    pair = Pair.of(left, right)
    assert np.allclose(blend(pair, all_candidates(pair), 0.4).score, 0.6 * 0.5)


def test_beta_zero_changes_nothing(half_timed: Pair) -> None:
    candidates = all_candidates(half_timed)
    assert np.array_equal(blend(half_timed, candidates, 0).score, candidates.label)


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_a_missing_candidate_stays_missing(half_timed: Pair, n_blocks: int) -> None:
    candidates = all_candidates(half_timed)
    whole = time_similarity(half_timed, candidates)
    candidates.index[0, 0] = -1
    some = time_similarity(half_timed, candidates, n_blocks=n_blocks)
    assert np.isnan(some[0, 0])
    assert np.array_equal(some[0, 1:], whole[0, 1:], equal_nan=True)


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_rows_are_those_of_the_ids_they_stand_for(world: World, n_blocks: int) -> None:
    """Candidates of some entities, in another order, have the same values as in the whole."""
    pair = Pair.of(world.left, world.right)
    whole = time_similarity(pair, all_candidates(pair))
    rng = np.random.default_rng(0)
    left, right = rng.permutation(pair.n_left)[:9], rng.permutation(pair.n_right)[:11]
    index = rng.integers(0, 11, (9, 5)).astype(np.int32)
    some = time_similarity(
        pair,
        make_candidates(index, np.zeros(index.shape)),
        left=LeftIds(left),
        right=RightIds(right),
        n_blocks=n_blocks,
    )
    assert np.allclose(some, whole[left[:, None], right[index]])
