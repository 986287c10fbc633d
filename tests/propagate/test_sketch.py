"""The last hop against slow sums over facts, and against what its inner products should be.

A column j of the sketch multiplies coordinate j of the neighbour's label by (b . g_j) / s_j: b is
the label of the relation or tick, g_j are random signs, s_j evens the column. An inner product of
two sketches is therefore, in expectation, the sum over couples of facts of <a, c> b' M d, with
M = E[g g' / (g' C g)] and C the mean of b b' over all facts. Where labels b point everywhere alike
M is the identity: inner products of the outer products themselves. What all b have in common
counts for less, and that is what evening is for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.graph.pair import Pair
from lighttea.graph.views import Incidence, Views
from lighttea.kernels.rows import NodeRows, Rows
from lighttea.propagate.sketch import Hops, evened, last_hop, places, projection
from lighttea.types import Doubles, Floats
from tests.worlds import World


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


@pytest.fixture(scope="module")
def incidence(pair: Pair) -> Incidence:
    return Views.of(pair).relational.incidence


def unit(rows: Any) -> Any:
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, norm, out=np.zeros_like(rows), where=norm > 0)


def random_unit(rng: np.random.Generator, n_rows: int, width: int, common: float = 0) -> Floats:
    """Random directions; with `common`, that many times as much of one direction in all."""
    rows = rng.standard_normal((n_rows, width)) + common
    return np.asarray(unit(rows), np.float32)


def random_hops(rng: np.random.Generator, n_nodes: int, dim: int, n_hops: int) -> list[Floats]:
    """Unit rows hop by hop; in the first one a fifth of the nodes has a label, as seeds have."""
    hops = [random_unit(rng, n_nodes, dim) for _ in range(n_hops)]
    if n_hops > 1:
        hops[0][rng.random(n_nodes) < 0.8] = 0
    return hops


def held(hops: list[Floats], *, compact: bool = False) -> Hops:
    """The first hop by some nodes, the others by all, as the propagation has them."""
    there = np.flatnonzero(hops[0].any(axis=1))
    first = NodeRows.some_of(len(hops[0]), there, Rows.of(hops[0][there]))
    return Hops([first, *(NodeRows.all_of(Rows.of(hop, compact=compact)) for hop in hops[1:])])


def sums_of_outer_products(incidence: Incidence, entity: Any, others: Any) -> Doubles:
    """(n_nodes, width of others * width of entity): the sum over the facts of each node."""
    n_nodes = len(entity)
    out = np.zeros((n_nodes, others.shape[1] * entity.shape[1]))
    for node in range(n_nodes):
        for p in range(incidence.start[node], incidence.start[node + 1]):
            a, b = entity[incidence.neighbour[p]], others[incidence.other[p]]
            out[node] += np.outer(b, a).reshape(-1)
    return out


def expected_weighting(incidence: Incidence, others: Floats) -> Doubles:
    """M, by so many random directions that its own error does not matter."""
    facts = others[incidence.other].astype(np.float64)
    mean = facts.T @ facts / len(facts)  # C
    g = np.random.default_rng(99).choice([-1.0, 1.0], (200_000, others.shape[1]))
    return np.asarray((g / ((g @ mean) * g).sum(axis=1, keepdims=True)).T @ g / len(g))


def error_of(sketch: Floats, exact: Doubles) -> Doubles:
    """How far the cosines of the sketches are from the exact ones."""
    off_diagonal = ~np.eye(len(exact), dtype=bool)
    gap = np.abs(unit(sketch) @ unit(sketch).T - unit(exact) @ unit(exact).T)
    return np.asarray(gap[off_diagonal])


def sketch_of(incidence: Incidence, hops: list[Floats], others: Floats, factor: int) -> Floats:
    made = last_hop(incidence, held(hops), others, factor, np.random.default_rng(0))
    return made.of_nodes(np.arange(len(hops[0])))


@pytest.mark.parametrize("n_hops", [1, 3])
def test_inner_products_are_those_of_the_outer_products(
    pair: Pair, incidence: Incidence, n_hops: int
) -> None:
    """Labels of relations point everywhere alike, so M is nearly the identity.

    The noise is one over the root of the width, .007 here; beside it there is only how unlike
    the identity M is by chance of the 32 labels drawn.
    """
    rng = np.random.default_rng(3)
    hops = random_hops(rng, pair.n_nodes, 20, n_hops)
    others = random_unit(rng, pair.n_relations, 20)
    sketch = sketch_of(incidence, hops, others, 1024)
    error = error_of(sketch, sums_of_outer_products(incidence, unit(np.hstack(hops)), others))
    assert sketch.shape == (pair.n_nodes, 1024 * 20)
    assert error.mean() < 0.01
    assert error.max() < 0.06


@pytest.mark.parametrize(("factor", "dim"), [(768, 20), (2, 512), (1, 512)])
def test_what_relations_have_in_common_counts_for_less(
    pair: Pair, incidence: Incidence, factor: int, dim: int
) -> None:
    """M, not the identity, with more parts than hops and with fewer, where hops share a part."""
    rng = np.random.default_rng(3)
    hops = random_hops(rng, pair.n_nodes, dim, 3)
    entity, others = unit(np.hstack(hops)), random_unit(rng, pair.n_relations, 12, common=3)
    sketch = sketch_of(incidence, hops, others, factor)
    weighting = expected_weighting(incidence, others)
    common = np.full(12, 12**-0.5)
    assert common @ weighting @ common < 1
    assert np.trace(weighting) > 3 * 12
    seen = others @ np.linalg.cholesky(weighting)  # so that <seen, seen> is b' M b
    noise = (factor * dim) ** -0.5
    error = error_of(sketch, sums_of_outer_products(incidence, entity, seen))
    assert np.sqrt((error**2).mean()) < 1.2 * noise
    if factor * dim > 10_000:  # with less width the difference drowns in noise
        plain = error_of(sketch, sums_of_outer_products(incidence, entity, others))
        assert plain.mean() > 4 * error.mean()


def test_more_width_is_less_noise(pair: Pair, incidence: Incidence) -> None:
    """Sixteen times the width, a quarter of the noise."""
    rng = np.random.default_rng(3)
    hops = random_hops(rng, pair.n_nodes, 20, 1)
    others = random_unit(rng, pair.n_relations, 20)
    seen = others @ np.linalg.cholesky(expected_weighting(incidence, others))
    exact = sums_of_outer_products(incidence, hops[0], seen)
    narrow, wide = (error_of(sketch_of(incidence, hops, others, f), exact) for f in (32, 512))
    assert narrow.mean() / wide.mean() == pytest.approx(4, rel=0.2)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("aspect", ["relational", "temporal"])
@pytest.mark.parametrize("factor", [1, 2, 3, 7])
def test_the_sketch_is_the_sum_over_facts(
    pair: Pair, aspect: str, factor: int, compact: bool
) -> None:
    """Element by element, with the projections drawn as the code draws them."""
    incidence = getattr(Views.of(pair), aspect).incidence
    rng = np.random.default_rng(3)
    dim = 6
    hops = random_hops(rng, pair.n_nodes, dim, 3)
    others = random_unit(rng, pair.n_relations if aspect == "relational" else pair.n_ticks, 9)
    made = last_hop(
        incidence, held(hops, compact=compact), others, factor, np.random.default_rng(9)
    )
    drawn = np.random.default_rng(9)
    slow = np.zeros((pair.n_nodes, factor * dim))
    for hop, part, share in places(3, factor):
        projected = others @ projection(9, dim, drawn).astype(np.float32)
        of_facts = projected[incidence.other]
        other_rows = share * projected / np.sqrt((of_facts**2).mean(axis=0))
        columns = slice(part * dim, (part + 1) * dim)
        for node in range(pair.n_nodes):
            for p in range(incidence.start[node], incidence.start[node + 1]):
                a, b = incidence.neighbour[p], incidence.other[p]
                length = np.sqrt(sum(h[a].any() for h in hops))  # of the concatenated row
                slow[node, columns] += hops[hop][a] / length * other_rows[b]
    nodes = rng.permutation(pair.n_nodes)[:50]  # any nodes, in any order
    error = np.abs(made.of_nodes(nodes) - slow[nodes])
    assert error.max() < (0.05 if compact else 1e-4)
    assert error.mean() < (0.01 if compact else 1e-5)


def test_the_length_of_a_row_is_that_of_its_filled_hops() -> None:
    hops = [np.zeros((3, 4), np.float32) for _ in range(3)]
    hops[0][0, 1] = hops[1][0, 2] = hops[2][0, 3] = 1
    hops[2][1, 0] = 1
    assert np.allclose(held(hops).row_scale(), [3**-0.5, 1, 0])
    assert np.allclose(held(hops, compact=True).row_scale(), [3**-0.5, 1, 0])


@pytest.mark.parametrize(
    ("n_hops", "factor", "wanted"),
    [
        (3, 1, [(1, 0, 1), (2, 0, 1), (0, 0, 1)]),
        (3, 2, [(1, 0, 1), (2, 1, 1), (0, 0, 1)]),
        (3, 3, [(1, 0, 1), (2, 1, 1), (0, 2, 1)]),
        (2, 3, [(1, 0, 0.5), (0, 1, 1), (1, 2, 0.5)]),
        (1, 2, [(0, 0, 0.5), (0, 1, 0.5)]),
    ],
)
def test_where_hops_are_placed(
    n_hops: int, factor: int, wanted: list[tuple[int, int, float]]
) -> None:
    """Hop, part and square of the weight; the seeds' own hop comes last."""
    found = [(hop, part, round(share**2, 9)) for hop, part, share in places(n_hops, factor)]
    assert found == wanted


@given(st.integers(1, 17), st.integers(1, 64))
def test_every_hop_weighs_the_same_and_every_part_is_used(n_hops: int, factor: int) -> None:
    laid = list(places(n_hops, factor))
    weight = np.zeros(n_hops)
    for hop, _, share in laid:
        weight[hop] += share**2
    assert np.allclose(weight, 1)
    used = [part for _, part, _ in laid]
    assert set(used) == set(range(factor))
    assert max(map(used.count, used)) - min(map(used.count, used)) <= 1
    assert len({(hop, part) for hop, part, _ in laid}) == len(laid)


@given(st.integers(1, 9), st.integers(1, 6), st.integers(0, 10**6))
@settings(max_examples=40)
def test_evened_columns_have_the_same_mean_square_over_facts(
    n_others: int, width: int, random_seed: int
) -> None:
    rng = np.random.default_rng(random_seed)
    others = rng.standard_normal((n_others, width)) * 10.0 ** rng.integers(-3, 3, width)
    others = others.astype(np.float32)
    facts = rng.integers(0, n_others, 30)  # whose relation is which
    weight = np.bincount(facts, minlength=n_others).astype(np.float32)
    before = others.copy()
    after = evened(others, weight)
    assert np.allclose((after[facts] ** 2).mean(axis=0), 1, rtol=1e-4)
    ratio = np.divide(after, before, out=np.ones_like(after), where=before != 0)
    assert np.allclose(ratio, ratio[0], rtol=1e-4)  # a column is stretched as a whole
    assert np.array_equal(others, before)


def test_a_column_without_anything_stays_zero() -> None:
    others = np.array([[0, 2], [0, 0], [5, 0]], np.float32)  # the last relation has no fact
    assert evened(others, np.array([1, 3, 0], np.float32)).tolist() == [[0, 2], [0, 0], [0, 0]]
    assert not evened(others, np.zeros(3, np.float32)).any()
