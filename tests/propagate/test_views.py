"""Views where an engine works on them: cut into blocks; kept in one process, else made anew."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import numpy as np
import pytest

from lighttea.engines.base import Blocks
from lighttea.graph import views
from lighttea.graph.decoys import draw_decoys
from lighttea.graph.pair import Pair
from lighttea.graph.views import FactRows, Incidence, PlainIncidence, to_scipy
from lighttea.propagate.views import PairViews
from lighttea.types import LeftIds, NumpyArray, RightIds
from tests.plain import plain_engine
from tests.propagate.dense import dense_sum, dense_view, engine_for, views_on
from tests.worlds import World

Couples = list[set[tuple[int, int]]]


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


@pytest.fixture(scope="module")
def facts(pair: Pair) -> FactRows:
    return FactRows.of(pair, slice(0, pair.n_nodes))


def couples_of(blocks: Blocks[Incidence[NumpyArray]]) -> Couples:
    """The (neighbour, other) couples of each row of all blocks."""
    return [one for block in blocks for one in couples_of_rows(cast(PlainIncidence, block.stored))]


def couples_of_rows(incidence: PlainIncidence) -> Couples:
    couples = list(zip(incidence.neighbour.tolist(), incidence.other.tolist(), strict=True))
    return [set(couples[a:b]) for a, b in pairwise(incidence.start.tolist())]


@pytest.mark.parametrize("temporal", [False, True])
@pytest.mark.parametrize("n_blocks", [1, 4])
def test_blocks_of_views_are_those_of_the_whole(
    pair: Pair, facts: FactRows, n_blocks: int, temporal: bool
) -> None:
    made = views_on(engine_for(pair, 4, n_blocks=n_blocks), pair)
    aspect = made.aspect(temporal=temporal)
    assert len(made.entity_entity()) == n_blocks
    whole_entity = to_scipy(views.entity_entity(facts)).toarray()
    assert np.array_equal(dense_view(made.entity_entity()), whole_entity)
    of_entities = to_scipy(views.entity_other(facts, temporal)).toarray()
    assert np.array_equal(dense_view(aspect.entity_other), of_entities)
    of_others = to_scipy(views.other_entity(facts, temporal)).toarray()
    assert np.array_equal(dense_sum(aspect.other_entity), of_others)
    couples = couples_of_rows(views.incidence(facts, temporal))
    assert couples_of(aspect.left) == couples[: pair.n_left]
    assert couples_of(aspect.right) == couples[pair.n_left :]
    n_others = len(of_others)
    slow_counts = np.bincount([other for row in couples for _, other in row], minlength=n_others)
    assert np.array_equal(cast(NumpyArray, aspect.weight.stored), slow_counts)


@pytest.mark.parametrize("temporal", [False, True])
@pytest.mark.parametrize("n_blocks", [1, 4])
def test_decoys_are_no_facts_of_a_relation_or_tick(
    world: World, pair: Pair, n_blocks: int, temporal: bool
) -> None:
    """They are the last nodes: in the last block beside entities, or in one of their own."""
    decoys = draw_decoys(world.right, pair.all_right, 40, np.random.default_rng(0))
    both = Pair.of(world.left, world.right, decoys=decoys)
    assert both.n_nodes == pair.n_nodes + len(decoys) > pair.n_nodes
    alone, beside = (
        views_on(engine_for(one, 4, n_blocks=n_blocks), one).aspect(temporal=temporal).weight.stored
        for one in (pair, both)
    )
    assert np.array_equal(cast(NumpyArray, beside), cast(NumpyArray, alone))


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_side_views_are_of_the_entities_of_the_problem(
    pair: Pair, facts: FactRows, n_blocks: int
) -> None:
    """Some entities of each side, whose nodes lie in any blocks of nodes."""
    left, right = LeftIds(np.arange(3, pair.n_left, 7)), RightIds(np.arange(0, pair.n_right, 5))
    engine = plain_engine(len(left), len(right), pair.n_nodes, 4, n_blocks=n_blocks)
    made = PairViews(engine, pair, left, right)
    nodes = left, right + pair.n_left
    counts = to_scipy(views.tick_counts(facts)).toarray()
    couples = couples_of_rows(views.incidence(facts, temporal=False))
    aspect = made.aspect(temporal=False)
    for ids, ticks, side in zip(
        nodes, made.tick_counts(), (aspect.left, aspect.right), strict=True
    ):
        assert np.array_equal(dense_view(ticks), counts[ids])
        assert couples_of(side) == [couples[node] for node in ids]


@pytest.mark.parametrize("is_local", [True, False])
def test_views_are_kept_in_one_process_alone(pair: Pair, is_local: bool) -> None:
    """Elsewhere they would lie in the way of what a round needs."""
    engine = engine_for(pair, 4)
    engine.is_local = is_local
    made = views_on(engine, pair)
    assert (made.entity_entity() is made.entity_entity()) == is_local
    assert (made.aspect(temporal=True) is made.aspect(temporal=True)) == is_local
    assert (made.tick_counts() is made.tick_counts()) == is_local
    assert made.aspect(temporal=True) is not made.aspect(temporal=False)
