"""A case or more for each primitive that makes, multiplies or compares label rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from lighttea.engines.tables import NodeRows, Rows, TopK
from lighttea.graph.views import Incidence, to_scipy
from lighttea.types import Floats, NumpyArray
from tests.engines.ops_input import Input, assert_close, case


def rows_in_pieces(given: Input, compact: bool) -> tuple[Rows[Any], Floats]:
    """Return rows of two parts that were put piece by piece, and what they should be."""
    matrix = given.matrix(given.n_left, 8)
    matrix[::3, :4] = 0
    rows = given.ops.empty_rows(given.n_left, 4, 2, compact=compact)
    half = given.n_left // 2
    for part in range(2):
        columns = matrix[:, 4 * part : 4 * part + 4]
        rows.put(0, given.put(columns[:half]), part)
        rows.put(half, given.put(columns[half:]), part)
    return rows, matrix


@case("empty_rows")
def rows_are_filled_and_stretched(given: Input) -> object:
    rows, matrix = rows_in_pieces(given, compact=False)
    assert (len(rows), rows.n_columns) == (given.n_left, 8)
    np.testing.assert_array_equal(given.dense(rows), matrix)
    np.testing.assert_array_equal(given.plain(rows.filled), matrix.any(axis=1))
    before = given.plain(rows.scale) > 0
    factor = np.abs(given.floats(given.n_left, 2)) + 0.1
    rows.stretch(given.put(factor))
    assert_close(given.dense(rows), matrix * np.repeat(factor, 4, axis=1))
    some = given.ops.arange(given.n_left)[given.n_left // 2 :]
    return [before, given.dense(rows), rows.take(some), rows.filled]


@case("empty_rows")
def rows_may_be_rounded(given: Input) -> object:
    rows, matrix = rows_in_pieces(given, compact=True)
    step = np.abs(matrix.reshape(-1, 2, 4)).max(axis=2, initial=0).repeat(4, axis=1) / 127
    assert (np.abs(given.dense(rows) - matrix) <= 0.51 * step + 1e-7).all()
    return [given.plain(rows.scale) > 0, rows.filled]


@case("join_rows")
def rows_under_one_another(given: Input) -> object:
    matrices = [given.matrix(n, 6) for n in (given.n_left, 2, given.n_right)]
    blocks = [given.rows(matrix, 2) for matrix in matrices]
    joined = given.ops.join_rows(blocks)
    joined.put(0, given.put(np.zeros((len(joined), 3), np.float32)), 1)  # a copy
    np.testing.assert_array_equal(given.dense(blocks[1]), matrices[1])
    assert_close(given.dense(joined)[:, :3], np.concatenate(matrices)[:, :3])
    return [given.dense(joined), given.plain(joined.scale) > 0]


def rows_of_some_nodes(given: Input, n_nodes: int, width: int) -> tuple[NodeRows[Any], Floats]:
    """Return rows of which every third node has one, two nodes the same; and all of them."""
    first, second = np.arange(0, n_nodes - 1, 3), np.arange(1, n_nodes, 3)
    first = first[: len(second)]
    matrix = given.floats(len(first), width)
    dense = np.zeros((n_nodes, width), np.float32)
    dense[first] = dense[second] = matrix
    nodes = [given.put(ends, "int64") for ends in (first, second)]
    return given.ops.spread_rows(given.rows(matrix), nodes, n_nodes), dense


def dense_by_node(given: Input, labels: NodeRows[Any]) -> NumpyArray:
    """Return rows by node as a plain matrix."""
    place = given.plain(labels.place)
    dense = np.zeros((len(place), labels.rows.n_columns), np.float32)
    dense[place >= 0] = given.dense(labels.rows)[place[place >= 0]]
    return dense


@case("spread_rows")
def rows_that_some_nodes_have(given: Input) -> object:
    labels, dense = rows_of_some_nodes(given, given.n_left + given.n_right, 4)
    np.testing.assert_array_equal(dense_by_node(given, labels), dense)
    return dense_by_node(given, labels)


@case("unit_rows")
def rows_of_length_one(given: Input) -> object:
    matrix = given.matrix(given.n_left, 5)
    unit = given.ops.unit_rows(given.put(matrix))
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    assert_close(given.plain(unit), matrix / np.where(length > 0, length, 1))
    return unit


@case("sparse_product")
def views_times_labels(given: Input) -> object:
    n_nodes = given.n_left + given.n_right
    labels, dense = rows_of_some_nodes(given, n_nodes, 4)
    view = given.view(given.n_left, n_nodes)
    product, found = to_scipy(view) @ dense, []
    for begin, end in ((0, given.n_left), (given.n_left // 3, given.n_left), (0, 1), (2, 3)):
        rows = slice(min(begin, given.n_left), min(end, given.n_left))
        out = given.ops.full((rows.stop - rows.start, 4), 1.0, "float32")
        given.ops.sparse_product(given.put_view(view), labels, rows.start, out)
        assert_close(given.plain(out), 1 + product[rows])
        found.append(out)
    return found


@case("look_up")
def what_a_search_knows_already(given: Input) -> object:
    left, right = given.matrix(given.n_left, 6), given.matrix(given.n_right, 6)
    products, found = left @ right.T, given.index(2)
    label = np.where(found >= 0, np.take_along_axis(products, np.maximum(found, 0), 1), 0)
    wanted = given.index()
    known = TopK(given.put(found), given.put(label.astype(np.float32)))
    value, rest = given.ops.look_up(known, given.put(wanted), given.n_right)
    numbers = given.ops.arange(given.n_left)
    dots = given.ops.dots(given.rows(left), given.rows(right), numbers, rest)
    expected = np.where(wanted >= 0, np.take_along_axis(products, np.maximum(wanted, 0), 1), 0)
    assert_close(given.plain(value) + given.plain(dots), expected)
    return value + dots


@case("add_neighbour_products")
def products_over_couples(given: Input) -> object:
    n_nodes, n_others, width = given.n_left + given.n_right, 5, 4
    labels, dense = rows_of_some_nodes(given, n_nodes, width)
    counts = given.ints(given.n_left, 4)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    neighbour, other = given.ints(int(start[-1]), n_nodes), given.ints(int(start[-1]), n_others)
    couples = Incidence(given.put(start), given.put(neighbour), given.put(other))
    length, others = np.abs(given.floats(n_nodes)), given.floats(n_others, 2 * width)
    found = []
    for begin, end in ((0, given.n_left), (given.n_left // 2, given.n_left), (1, 2)):
        rows = range(min(begin, given.n_left), min(end, given.n_left))
        whole = given.ops.full((len(rows), 2 * width), 1.0, "float32")
        out = whole[:, width:]  # a part of wider rows
        given.ops.add_neighbour_products(
            couples, rows.start, labels, given.put(length), given.put(others)[:, :width], out
        )
        expected = np.ones((len(rows), width), np.float32)
        for place, row in enumerate(rows):
            for position in range(start[row], start[row + 1]):
                a, b = neighbour[position], other[position]
                expected[place] += length[a] * dense[a] * others[b, :width]
        assert_close(given.plain(out), expected)
        found.append(whole)
    return found


@case("whitening_matrix")
def principal_directions_over_the_fourth_root_of_their_variance(given: Input) -> object:
    sample = given.floats(40, 6) * np.array([9, 5, 3, 2, 1, 0.5], np.float32)
    matrix = given.ops.whitening_matrix(given.put(sample))
    turned = sample @ given.plain(matrix)
    square = (sample.T @ sample / 40).astype(np.float64)
    variance, axes = np.linalg.eigh(square)
    expected = (axes * variance**-0.25) @ axes.T
    np.testing.assert_allclose(given.plain(matrix), expected, rtol=1e-3, atol=1e-3)
    return turned


@case("whitening_matrix")
def unused_directions_stay_unused(given: Input) -> object:
    sample = given.floats(40, 3) @ given.floats(3, 8)  # three directions of eight
    turned = sample @ given.plain(given.ops.whitening_matrix(given.put(sample)))
    variance, axes = np.linalg.eigh((sample.T @ sample / 40).astype(np.float64))
    used = axes[:, -3:]
    expected = sample @ (used * variance[-3:] ** -0.25) @ used.T
    np.testing.assert_allclose(turned, expected, atol=1e-3)
    return []


@case("dots")
def inner_products_of_candidates(given: Input) -> object:
    left, right = given.matrix(given.n_left, 8), given.matrix(given.n_right, 8)
    rows = given.rng.permutation(given.n_left)
    index, found = given.index(), []
    for n_parts, width in ((None, 8), (2, 8), (1, 4)):
        dots = given.ops.dots(
            given.rows(left, 2), given.rows(right, 2), given.put(rows), given.put(index), n_parts
        )
        products = left[rows][:, :width] @ right[:, :width].T
        expected = np.take_along_axis(products, np.maximum(index, 0), 1)
        assert_close(given.plain(dots), np.where(index >= 0, expected, 0))
        found.append(dots)
    return found


def best_of(products: Floats, k: int) -> list[dict[int, float]]:
    """Return the k largest of each row by place; zero products are no candidates here."""
    return [
        {int(place): float(row[place]) for place in np.argsort(-row)[:k] if row[place] != 0}
        for row in products
    ]


@case("top_k")
def the_best_right_rows(given: Input) -> object:
    left, right = given.matrix(given.n_left, 8), given.matrix(given.n_right, 8)
    is_asking = given.flags(given.n_left)
    answers, found = right.any(axis=1), []
    for asking in (np.ones(given.n_left, bool), is_asking, np.zeros(given.n_left, bool)):
        numbers = given.put(np.flatnonzero(asking))
        top = given.ops.top_k(given.rows(left), given.rows(right), given.k, numbers)
        index, label = given.plain(top.index), given.plain(top.label)
        assert index.shape == label.shape == (given.n_left, max(1, min(given.k, given.n_right)))
        assert index.dtype == np.int32
        assert (label[index < 0] == 0).all()
        products = np.where(asking[:, None] & answers, left @ right.T, 0)
        products = np.where(products == 0, -np.inf, products)
        best = [
            {place: value for place, value in row.items() if value > -np.inf}
            for row in best_of(products, given.k)
        ]
        tables = [
            {int(p): float(v) for p, v in zip(*both, strict=True) if p >= 0}
            for both in zip(index, label, strict=True)
        ]
        assert [set(row) for row in tables] == [set(row) for row in best]
        for row, expected in zip(tables, best, strict=True):
            assert_close(np.array([row[p] for p in expected]), list(expected.values()))
        found.append(np.sort(index))
    return found


@case("top_k")
def where_the_right_side_is_unknown(given: Input) -> object:
    nothing = np.zeros((given.n_right, 4), np.float32)
    left, asking = given.rows(given.floats(given.n_left, 4)), given.ops.arange(given.n_left)
    found = given.ops.top_k(left, given.rows(nothing), given.k, asking)
    assert (given.plain(found.index) == -1).all()
    return [found.index, found.label]
