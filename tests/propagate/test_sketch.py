"""The last hop against slow sums over facts, and against what its inner products should be.

A column j of the sketch multiplies coordinate j of the neighbour's label by (b . g_j) / s_j: b is
the label of the relation or tick, g_j are random signs, s_j evens the column. An inner product of
two sketches is therefore, in expectation, the sum over couples of facts of <a, c> b' M d, with
M = E[g g' / (g' C g)] and C the mean of b b' over all facts. Where labels b point everywhere alike
M is the identity: inner products of the outer products themselves. What all b have in common
counts for less, and that is what evening is for.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.ops import Ops
from lighttea.engines.tables import NodeRows, Rows
from lighttea.graph.pair import Pair
from lighttea.graph.views import FactRows, PlainIncidence, incidence, take_incidence
from lighttea.kernels.rows import NumpyRows
from lighttea.propagate.sketch import (
    Layer,
    draw_signs,
    even_columns,
    fill_part,
    last_hop,
    place_hops,
)
from lighttea.propagate.views import count_others
from lighttea.types import Doubles, Floats, NumpyArray
from tests.plain import plain_engine
from tests.propagate.dense import dense_rows, unit
from tests.worlds import World


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


def couples_of(pair: Pair, *, temporal: bool = False) -> PlainIncidence:
    return incidence(FactRows.of(pair, slice(0, pair.n_nodes)), temporal)


@pytest.fixture(scope="module")
def couples(pair: Pair) -> PlainIncidence:
    return couples_of(pair)


def random_unit(
    rng: np.random.Generator, n_rows: int, width: int, columns: int, common: float = 0
) -> Floats:
    """Random directions of that width, followed by columns of zeros.

    With `common`, that many times as much of one direction in all.
    """
    rows = np.zeros((n_rows, columns))
    rows[:, :width] = unit(rng.standard_normal((n_rows, width)) + common)
    return rows.astype(np.float32)


def random_hops(rng: np.random.Generator, n_nodes: int, dim: int, n_hops: int) -> list[Floats]:
    """Unit rows hop by hop; in the first one a fifth of the nodes has a label, as seeds have."""
    hops = [random_unit(rng, n_nodes, dim, dim) for _ in range(n_hops)]
    if n_hops > 1:
        hops[0][rng.random(n_nodes) < 0.8] = 0
    return hops


def layer_of(
    engine: Engine[NumpyArray], labels: Floats, *, compact: bool = False
) -> Layer[NumpyArray]:
    """Return labels in slices of columns; nodes that have none have no row."""
    filled = np.flatnonzero(labels.any(axis=1))
    place = np.full(len(labels), -1, np.int32)
    place[filled] = np.arange(len(filled))
    slices = (np.ascontiguousarray(labels[filled, columns]) for columns in engine.layout.columns)
    return [
        Handle(NodeRows[NumpyArray](place, NumpyRows.of(rows, compact=compact))) for rows in slices
    ]


def take_blocks(engine: Engine[NumpyArray], couples: PlainIncidence) -> Blocks[PlainIncidence]:
    rows = (np.arange(cut.start, cut.stop) for cut in engine.layout.left)
    return Blocks(Handle(take_incidence(couples, numbers)) for numbers in rows)


def keep_rows(ops: Ops[NumpyArray], rows: Rows[NumpyArray]) -> Rows[NumpyArray]:
    return rows


def sketch_of(
    couples: PlainIncidence,
    hops: list[Floats],
    others: Floats,
    factor: int,
    *,
    compact: bool = False,
    n_blocks: int = 1,
) -> Floats:
    """Return the last hop of all rows of the couples, of length one."""
    n_rows, (n_nodes, dim) = len(couples.start) - 1, hops[0].shape
    engine = plain_engine(n_rows, 1, n_nodes, dim, n_blocks=n_blocks)
    layers = [layer_of(engine, hops[0])]
    layers += [layer_of(engine, hop, compact=compact) for hop in hops[1:]]
    n_filled = np.sum([hop.any(axis=1) for hop in hops], axis=0)
    length = np.where(n_filled > 0, np.maximum(n_filled, 1) ** -0.5, 0).astype(np.float32)
    n_other_hops = others.shape[1] // dim
    other_layers = [layer_of(engine, one) for one in np.split(others, n_other_hops, axis=1)]
    weight = count_others(couples, len(others))
    sketch = last_hop(
        engine,
        layers,
        engine.hold(length),
        other_layers,
        engine.hold(weight),
        factor,
        np.random.default_rng(9),
    )
    builder = engine.build_rows(engine.layout.left, dim * factor, 1)
    fill_part(engine, builder, 0, sketch, take_blocks(engine, couples), engine.layout.left)
    return dense_rows(builder.finish(keep_rows))


def sums_of_outer_products(
    couples: PlainIncidence, entity: NumpyArray, others: NumpyArray
) -> Doubles:
    """(n_nodes, width of others * width of entity): the sum over the facts of each node."""
    n_nodes = len(entity)
    out = np.zeros((n_nodes, others.shape[1] * entity.shape[1]))
    for node in range(n_nodes):
        for p in range(couples.start[node], couples.start[node + 1]):
            a, b = entity[couples.neighbour[p]], others[couples.other[p]]
            out[node] += np.outer(b, a).reshape(-1)
    return out


def expected_weighting(couples: PlainIncidence, others: Floats) -> Doubles:
    """M, by so many random directions that its own error does not matter."""
    facts = others[couples.other].astype(np.float64)
    mean = facts.T @ facts / len(facts)  # C
    g = np.random.default_rng(99).choice([-1.0, 1.0], (200_000, others.shape[1]))
    return np.asarray((g / ((g @ mean) * g).sum(axis=1, keepdims=True)).T @ g / len(g))


def error_of(sketch: Floats, exact: Doubles) -> Doubles:
    """How far the cosines of the sketches are from the exact ones."""
    off_diagonal = ~np.eye(len(exact), dtype=bool)
    gap = np.abs(unit(sketch) @ unit(sketch).T - unit(exact) @ unit(exact).T)
    return np.asarray(gap[off_diagonal])


@pytest.mark.parametrize("n_hops", [1, 3])
def test_inner_products_are_those_of_the_outer_products(
    pair: Pair, couples: PlainIncidence, n_hops: int
) -> None:
    """Labels of relations point everywhere alike, so M is nearly the identity.

    The noise is one over the root of the width, .007 here; beside it there is only how unlike
    the identity M is by chance of the 32 labels drawn.
    """
    rng = np.random.default_rng(3)
    hops = random_hops(rng, pair.n_nodes, 20, n_hops)
    others = random_unit(rng, pair.n_relations, 20, 20)
    sketch = sketch_of(couples, hops, others, 1024)
    error = error_of(sketch, sums_of_outer_products(couples, unit(np.hstack(hops)), others))
    assert sketch.shape == (pair.n_nodes, 1024 * 20)
    assert error.mean() < 0.01
    assert error.max() < 0.06


@pytest.mark.parametrize(("factor", "dim"), [(768, 20), (2, 512), (1, 512)])
def test_what_relations_have_in_common_counts_for_less(
    pair: Pair, couples: PlainIncidence, factor: int, dim: int
) -> None:
    """M, not the identity, with more parts than hops and with fewer, where hops share a part."""
    rng = np.random.default_rng(3)
    hops = random_hops(rng, pair.n_nodes, dim, 3)
    others = random_unit(rng, pair.n_relations, 12, dim, common=3)
    entity, narrow = unit(np.hstack(hops)), others[:, :12]
    sketch = sketch_of(couples, hops, others, factor)
    weighting = expected_weighting(couples, narrow)
    common = np.full(12, 12**-0.5)
    assert common @ weighting @ common < 1
    assert np.trace(weighting) > 3 * 12
    seen = narrow @ np.linalg.cholesky(weighting)  # so that <seen, seen> is b' M b
    noise = (factor * dim) ** -0.5
    error = error_of(sketch, sums_of_outer_products(couples, entity, seen))
    assert np.sqrt((error**2).mean()) < 1.2 * noise
    if factor * dim > 10_000:  # with less width the difference drowns in noise
        plain = error_of(sketch, sums_of_outer_products(couples, entity, narrow))
        assert plain.mean() > 4 * error.mean()


def test_more_width_is_less_noise(pair: Pair, couples: PlainIncidence) -> None:
    """Sixteen times the width, a quarter of the noise."""
    rng = np.random.default_rng(3)
    hops = random_hops(rng, pair.n_nodes, 20, 1)
    others = random_unit(rng, pair.n_relations, 20, 20)
    seen = others @ np.linalg.cholesky(expected_weighting(couples, others))
    exact = sums_of_outer_products(couples, hops[0], seen)
    narrow, wide = (error_of(sketch_of(couples, hops, others, f), exact) for f in (32, 512))
    assert narrow.mean() / wide.mean() == pytest.approx(4, rel=0.2)


def slow_sketch(couples: PlainIncidence, hops: list[Floats], others: Floats, factor: int) -> Floats:
    """The sum over facts, element by element, with the projections drawn as the code does."""
    n_nodes, dim = hops[0].shape
    others, drawn = unit(others), np.random.default_rng(9)
    slow = np.zeros((n_nodes, factor * dim))
    for placement in place_hops(len(hops), factor):
        projected = others @ draw_signs(others.shape[1], dim, drawn).astype(np.float32)
        of_facts = projected[couples.other]
        other_rows = placement.weight * projected / np.sqrt((of_facts**2).mean(axis=0))
        columns = slice(placement.part * dim, (placement.part + 1) * dim)
        for node in range(n_nodes):
            for p in range(couples.start[node], couples.start[node + 1]):
                a, b = couples.neighbour[p], couples.other[p]
                length = np.sqrt(sum(h[a].any() for h in hops))  # of the concatenated row
                slow[node, columns] += hops[placement.hop][a] / length * other_rows[b]
    return unit(slow)


@pytest.mark.parametrize(("compact", "n_blocks"), [(False, 1), (True, 1), (False, 3), (True, 3)])
@pytest.mark.parametrize("temporal", [False, True])
@pytest.mark.parametrize("factor", [1, 2, 3, 7])
def test_the_sketch_is_the_sum_over_facts(
    pair: Pair, temporal: bool, factor: int, compact: bool, n_blocks: int
) -> None:
    couples = couples_of(pair, temporal=temporal)
    rng = np.random.default_rng(3)
    hops = random_hops(rng, pair.n_nodes, 6, 3)
    others = random_unit(rng, pair.n_ticks if temporal else pair.n_relations, 12, 12)
    made = sketch_of(couples, hops, others, factor, compact=compact, n_blocks=n_blocks)
    error = np.abs(made - slow_sketch(couples, hops, others, factor))
    assert error.max() < (0.02 if compact else 1e-5)
    assert error.mean() < (0.004 if compact else 1e-6)


def test_any_nodes_have_their_sketch_in_any_order(pair: Pair, couples: PlainIncidence) -> None:
    rng = np.random.default_rng(3)
    hops = random_hops(rng, pair.n_nodes, 6, 3)
    others = random_unit(rng, pair.n_relations, 6, 6)
    order = rng.permutation(pair.n_nodes)
    whole = sketch_of(couples, hops, others, 2)
    assert np.allclose(
        sketch_of(take_incidence(couples, order), hops, others, 2), whole[order], atol=1e-6
    )


@pytest.mark.parametrize(
    ("n_hops", "factor", "expected"),
    [
        (3, 1, [(1, 0, 1), (2, 0, 1), (0, 0, 1)]),
        (3, 2, [(1, 0, 1), (2, 1, 1), (0, 0, 1)]),
        (3, 3, [(1, 0, 1), (2, 1, 1), (0, 2, 1)]),
        (2, 3, [(1, 0, 0.5), (0, 1, 1), (1, 2, 0.5)]),
        (1, 2, [(0, 0, 0.5), (0, 1, 0.5)]),
    ],
)
def test_where_hops_are_placed(
    n_hops: int, factor: int, expected: list[tuple[int, int, float]]
) -> None:
    """Hop, part and square of the weight; the seeds' own hop comes last."""
    placed = place_hops(n_hops, factor)
    assert [(one.hop, one.part, round(one.weight**2, 9)) for one in placed] == expected


@given(st.integers(1, 17), st.integers(1, 64))
def test_every_hop_weighs_the_same_and_every_part_is_used(n_hops: int, factor: int) -> None:
    placed = list(place_hops(n_hops, factor))
    weight = np.zeros(n_hops)
    for one in placed:
        weight[one.hop] += one.weight**2
    assert np.allclose(weight, 1)
    used = [one.part for one in placed]
    assert set(used) == set(range(factor))
    assert max(map(used.count, used)) - min(map(used.count, used)) <= 1
    assert len({(one.hop, one.part) for one in placed}) == len(placed)


@given(st.integers(1, 9), st.integers(1, 6), st.integers(0, 10**6))
@settings(max_examples=40)
def test_even_columns_have_the_same_mean_square_over_facts(
    n_others: int, width: int, random_seed: int
) -> None:
    rng = np.random.default_rng(random_seed)
    others = rng.standard_normal((n_others, width)) * 10.0 ** rng.integers(-3, 3, width)
    others = others.astype(np.float32)
    facts = rng.integers(0, n_others, 30)  # whose relation is which
    weight = np.bincount(facts, minlength=n_others).astype(np.float32)
    before = others.copy()
    after = even_columns(PLAIN, others, weight)
    assert np.allclose((after[facts] ** 2).mean(axis=0), 1, rtol=1e-4)
    ratio = np.divide(after, before, out=np.ones_like(after), where=before != 0)
    assert np.allclose(ratio, ratio[0], rtol=1e-4)  # a column is stretched as a whole
    assert np.array_equal(others, before)


def test_a_column_without_anything_stays_zero() -> None:
    others = np.array([[0, 2], [0, 0], [5, 0]], np.float32)  # the last relation has no fact
    weight = np.array([1, 3, 0], np.float32)
    assert even_columns(PLAIN, others, weight).tolist() == [[0, 2], [0, 0], [0, 0]]
    assert not even_columns(PLAIN, others, np.zeros(3, np.float32)).any()
