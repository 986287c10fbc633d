"""A case or more for each function of the array namespace."""

from __future__ import annotations

import numpy as np

from tests.engines.ops_input import DTYPES, Input, case


@case("asarray")
def change_of_type(given: Input) -> object:
    numbers = given.rng.integers(0, 2, (given.n_left, 3))
    return [given.put(numbers.astype(one), other) for one in DTYPES for other in ("", *DTYPES)]


@case("asarray")
def arrays_that_cannot_be_written_or_lie_apart(given: Input) -> object:
    table = given.floats(given.n_left, 4)
    table.setflags(write=False)
    return [given.ops.asarray(table), given.ops.asarray(table.T), given.ops.asarray(table[:, ::2])]


@case("to_numpy")
def there_and_back(given: Input) -> object:
    table = given.floats(given.n_left, 3)
    back = given.ops.to_numpy(given.put(table))
    assert isinstance(back, np.ndarray)
    np.testing.assert_array_equal(back, table)
    return back


@case("full")
def one_value(given: Input) -> object:
    full = given.ops.full
    assert given.plain(full((2, 3), -1, "int32")).tolist() == [[-1] * 3] * 2
    return [full((given.n_left, 2), 1, dtype) for dtype in DTYPES]


@case("arange")
def counting(given: Input) -> object:
    assert given.plain(given.ops.arange(given.n_left)).tolist() == list(range(given.n_left))
    return [given.ops.arange(given.n_left, dtype) for dtype in ("int64", "int32", "float32")]


@case("astype")
def entries_as_another_type(given: Input) -> object:
    numbers = given.rng.integers(0, 2, (given.n_left, 3))
    return [
        given.ops.astype(given.put(numbers.astype(one)), other)
        for one in DTYPES
        for other in DTYPES
    ]


@case("astype")
def fractions_are_cut_off(given: Input) -> object:
    whole = given.ops.astype(given.put(np.array([0.2, 1.7, -1.7], np.float32)), "int64")
    assert given.plain(whole).tolist() == [0, 1, -1]
    return whole


@case("copy")
def a_copy_may_be_changed(given: Input) -> object:
    table = given.put(given.floats(given.n_left, 3))
    before = given.plain(table)
    for original in (table, table[:, 1:], table.T):
        copied = given.ops.copy(original)
        copied[...] = 7.0
    np.testing.assert_array_equal(given.plain(table), before)
    return table


@case("where")
def entry_by_entry(given: Input) -> object:
    shape = given.n_left, 3
    mask, table = given.put(given.flags(*shape)), given.put(given.floats(*shape))
    places, where = given.put(given.ints(given.n_left, 9)), given.ops.where
    return [
        where(mask, table, given.put(given.floats(*shape))),
        *(where(mask, table, other) for other in (-np.inf, 0.0, np.nan)),
        where(mask, 1.0, table),
        where(mask[:, :1], table, 0.0),
        where(places > 4, places, -1),
        where(places > 4, 2**31 - 1, places),
        given.ops.astype(where(mask, 1, 0), "uint8"),
        given.ops.astype(where(mask, 0.25, 0.5), "float32"),
    ]


@case("concat")
def one_after_the_other(given: Input) -> object:
    parts = [given.put(given.floats(given.n_left, 2)) for _ in range(3)]
    concat = given.ops.concat
    assert concat(parts[:1]) is parts[0]
    return [concat(parts), concat(parts, 1), concat(parts[:1], 1)]


@case("exp")
def powers(given: Input) -> object:
    ends = given.put(np.array([-np.inf, -800.0, 0.0]))
    return [given.ops.exp(given.put(given.floats(given.n_left, 2))), given.ops.exp(ends)]


@case("log")
def logarithms(given: Input) -> object:
    return given.ops.log(given.put(np.abs(given.floats(given.n_left)) + 0.1))


@case("log1p")
def logarithms_of_one_more(given: Input) -> object:
    small = given.put(np.array([0.0, 1e-12, -0.999]))
    return [given.ops.log1p(given.put(np.abs(given.floats(given.n_left)))), given.ops.log1p(small)]


@case("sqrt")
def roots(given: Input) -> object:
    squares = np.abs(given.floats(given.n_left))
    return [given.ops.sqrt(given.put(squares.astype(one))) for one in ("float32", "float64")]


@case("clip")
def moved_into_a_range(given: Input) -> object:
    table, clip = given.put(given.floats(given.n_left, 3)), given.ops.clip
    limits = (0.0, 1.0), (0.0, np.inf), (1e-9, np.inf)
    places = given.put(given.index())
    return [*(clip(table, *pair) for pair in limits), clip(places, 0, given.n_right - 1)]


@case("isnan")
def not_a_number(given: Input) -> object:
    table = given.floats(given.n_left, 3)
    table[given.flags(given.n_left, 3)] = np.nan
    return given.ops.isnan(given.put(table))


@case("round")
def decimals(given: Input) -> object:
    return given.ops.round(given.put(given.floats(given.n_left)), 5)


@case("equal")
def equal_entries(given: Input) -> object:
    one, other = (given.put(given.ints(given.n_left, 3)) for _ in range(2))
    return [given.ops.equal(one, other), given.ops.equal(one, 1)]


@case("row_max")
def largest_of_rows(given: Input) -> object:
    table = given.floats(given.n_left, 3)
    table[1::3] = -np.inf
    nothing = given.ops.row_max(given.put(np.empty((given.n_left, 0), np.float32)))
    assert (given.plain(nothing) == -np.inf).all()
    return [given.ops.row_max(given.put(table)), nothing]


@case("row_argmin")
def first_of_the_smallest(given: Input) -> object:
    table = given.rng.integers(0, 3, (given.n_left, 6)).astype(np.int32)
    columns = given.ops.row_argmin(given.put(table))
    assert given.plain(columns).tolist() == [row.tolist().index(row.min()) for row in table]
    return columns


@case("sort")
def falling(given: Input) -> object:
    table = given.floats(given.n_left, 5)
    table[:, 2] = -np.inf
    numbers = given.rng.integers(-1, 4, (given.n_left, 6))
    sort = given.ops.sort
    return [sort(given.put(table)), sort(given.put(table[:, 0])), sort(given.put(numbers))]


@case("argsort")
def equal_entries_keep_their_order(given: Input) -> object:
    table = given.rng.integers(-1, 3, (given.n_left, 6))
    argsort = given.ops.argsort
    tables = [given.put(table.astype(one)) for one in ("int32", "int64", "float32")]
    vectors = [one[:, 0] for one in tables]
    both = [*tables, *vectors]
    return [*(argsort(one) for one in both), *(argsort(one, falling=True) for one in both)]


@case("top_columns")
def largest_in_no_order(given: Input) -> object:
    table = given.floats(given.n_left, 6)
    table[:, 1::2] -= 100
    table[:, 3] = -np.inf
    columns = [given.plain(given.ops.top_columns(given.put(table), k)) for k in (1, 2, 5, 6)]
    for k, chosen in zip((1, 2, 5, 6), columns, strict=True):
        expected = np.sort(np.argsort(-table, axis=1, kind="stable")[:, :k])
        np.testing.assert_array_equal(np.sort(chosen), expected)
    return [np.sort(chosen) for chosen in columns]


@case("take_along_rows")
def columns_of_rows(given: Input) -> object:
    table = given.put(given.floats(given.n_left, 5))
    columns = given.put(given.rng.integers(0, 5, (given.n_left, 3)))
    return given.ops.take_along_rows(table, columns)


@case("cumsum")
def running_sums(given: Input) -> object:
    numbers = given.ints(given.n_left, 5)
    vectors = numbers, numbers > 2, given.floats(given.n_left), np.full(2, 2**31 - 1, np.int32)
    return [given.ops.cumsum(given.put(vector)) for vector in vectors]


@case("repeat")
def as_often_as_counted(given: Input) -> object:
    counts = given.put(given.ints(given.n_left, 4), "int64")
    return given.ops.repeat(given.ops.arange(given.n_left), counts)


@case("unique")
def distinct(given: Input) -> object:
    numbers = given.put(given.ints(given.n_left, 6))
    return given.ops.unique(numbers)


@case("number")
def equal_entries_have_equal_numbers(given: Input) -> object:
    numbers = given.ints(given.n_left, 6).astype(np.int64) << 40
    n_distinct, own = given.ops.number(given.put(numbers))
    pairs = set(zip(numbers.tolist(), given.plain(own).tolist(), strict=True))
    assert sorted(number for _, number in pairs) == list(range(n_distinct))
    assert len({one for one, _ in pairs}) == n_distinct
    return given.ops.arange(n_distinct)


@case("bincount")
def how_often(given: Input) -> object:
    numbers = given.ints(given.n_left, 6)
    return [given.ops.bincount(given.put(numbers, dtype), 8) for dtype in ("int32", "int64")]


@case("bincount")
def summed_weights(given: Input) -> object:
    numbers, weights = given.ints(given.n_left + 1, 6), given.floats(given.n_left + 1)
    sums = given.ops.bincount(given.put(numbers), 8, given.put(weights))
    expected = [weights[numbers == number].astype(float).sum() for number in range(8)]
    np.testing.assert_allclose(given.plain(sums), expected, atol=1e-6)
    return sums


@case("bincount")
def summed_weights_of_nothing(given: Input) -> object:
    nothing = given.put(np.zeros(0, np.int64))
    sums = given.ops.bincount(nothing, 3, nothing)
    assert given.plain(sums).dtype == np.float64
    return sums


@case("sum_runs")
def sums_of_runs(given: Input) -> object:
    values, begin = given.rng.random(given.n_left + 3), np.array([0, 1, given.n_left + 2])
    sums = given.ops.sum_runs(given.put(values), given.put(begin))
    expected = [part.sum() for part in np.split(values, begin[1:])]
    np.testing.assert_allclose(given.plain(sums), expected)
    return sums


@case("isin")
def entries_among_others(given: Input) -> object:
    numbers, others = given.ints(given.n_left, 9), given.ints(given.n_right, 9)
    found = given.ops.isin(given.put(numbers), given.put(others))
    assert given.plain(found).tolist() == [number in others for number in numbers]
    return found


@case("searchsorted")
def first_places(given: Input) -> object:
    rising, values = np.sort(given.ints(given.n_left, 9)), given.rng.integers(-1, 11, (5, 2))
    found = [
        given.ops.searchsorted(given.put(rising, one), given.put(values, other))
        for one in ("int32", "int64")
        for other in ("int32", "int64")
    ]
    for places in found:
        np.testing.assert_array_equal(given.plain(places), np.searchsorted(rising, values))
    return found


@case("nonzero")
def set_places(given: Input) -> object:
    numbers = given.ints(given.n_left, 3)
    return [given.ops.nonzero(given.put(numbers)), given.ops.nonzero(given.put(numbers > 1))]
