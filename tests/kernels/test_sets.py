"""What multisets and token sets have in common, beside Counter, sets and dictionaries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.tables import TokenIndex, TokenLists
from lighttea.graph.views import PlainView, View
from lighttea.kernels import sets
from lighttea.types import Floats, Ints, NumpyArray

SEEDS = st.integers(0, 10**6)
SIDES = st.integers(1, 9)


def random_multisets(
    rng: np.random.Generator, n_rows: int, n_columns: int
) -> tuple[PlainView, list[Counter[int]]]:
    """Rows of counts, some of them empty, as a view and as they are."""
    counts = rng.integers(0, 4, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.5)
    counts[rng.random(n_rows) < 0.2] = 0
    rows, columns = np.nonzero(counts)
    start = np.searchsorted(rows, np.arange(n_rows + 1))
    weights = counts[rows, columns].astype(np.float32)
    view: PlainView = View(start, columns.astype(np.int32), weights, n_columns)
    return view, [Counter(dict(enumerate(row.tolist()))) for row in counts]


@given(SIDES, SIDES, st.integers(1, 6), SEEDS)
@settings(max_examples=40, deadline=None)
def test_multiset_dice_is_twice_the_common_over_the_total(
    n_left: int, n_right: int, n_columns: int, random_seed: int
) -> None:
    rng = np.random.default_rng(random_seed)
    left, left_sets = random_multisets(rng, n_left, n_columns)
    right, right_sets = random_multisets(rng, n_right, n_columns)
    index = rng.integers(-1, n_right, (n_left, 5)).astype(np.int32)
    dice = PLAIN.multiset_dice(left, right, index)
    for (i, c), j in np.ndenumerate(index):
        one, other = left_sets[i], right_sets[j]
        if j < 0 or not one.total() or not other.total():
            assert np.isnan(dice[i, c])
        else:
            expected = 2 * (one & other).total() / (one.total() + other.total())
            assert dice[i, c] == pytest.approx(expected, abs=1e-6)


def random_tokens(
    rng: np.random.Generator, n_nodes: int, n_tokens: int
) -> tuple[TokenLists[NumpyArray], list[set[int]]]:
    """The distinct tokens of some nodes, some have none, as lists and as sets."""
    held = [set(np.flatnonzero(rng.random(n_tokens) < 0.4).tolist()) for _ in range(n_nodes)]
    start = np.cumsum([0, *map(len, held)])
    token = np.array([t for one in held for t in rng.permutation(sorted(one))], np.int32)
    weight = rng.uniform(0.1, 2, n_tokens).astype(np.float32)
    length = np.array([np.sqrt(weight[sorted(one)].sum()) for one in held], np.float32)
    return TokenLists(start, token, weight, length), held


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_equal_keys_are_one_token_and_each_node_lists_its_own_once(random_seed: int) -> None:
    rng = np.random.default_rng(random_seed)
    n_nodes, n_rows = int(rng.integers(1, 8)), int(rng.integers(0, 60))
    node = np.sort(rng.integers(0, n_nodes, n_rows))
    key = rng.choice([-5, 0, 3, 4, 1 << 20, (1 << 62) + 1, -(1 << 61)], n_rows).astype(np.int64)
    start, token, holders = PLAIN.number_tokens(n_nodes, node, key)
    expected = [set(key[node == one].tolist()) for one in range(n_nodes)]
    assert np.diff(start).tolist() == [len(keys) for keys in expected]
    numbers: dict[int, int] = {}
    for one in range(n_nodes):
        mine = token[start[one] : start[one + 1]].tolist()
        assert len(set(mine)) == len(mine)
        for number, its_key in zip(mine, _in_order(key[node == one]), strict=True):
            assert numbers.setdefault(its_key, number) == number
    assert sorted(numbers.values()) == list(range(len(holders)))
    for its_key, number in numbers.items():
        assert holders[number] == sum(its_key in keys for keys in expected)


def _in_order(keys: Ints) -> list[int]:
    """Distinct keys as they come first."""
    return list(dict.fromkeys(keys.tolist()))


@given(SIDES, SIDES, st.integers(1, 12), SEEDS)
@settings(max_examples=40, deadline=None)
def test_token_cosines_are_added_to_what_is_there(
    n_left: int, n_right: int, n_tokens: int, random_seed: int
) -> None:
    rng = np.random.default_rng(random_seed)
    tokens, held = random_tokens(rng, 12, n_tokens)
    left, right = rng.integers(0, 12, n_left), rng.integers(0, 12, n_right)
    index = rng.integers(-1, n_right, (n_left, 5)).astype(np.int32)
    before = rng.standard_normal(index.shape).astype(np.float32)
    out = before.copy()
    PLAIN.add_token_cosines(tokens, left, right, index, 0.7, out)
    for (i, c), j in np.ndenumerate(index):
        shared = held[left[i]] & held[right[j]] if j >= 0 else set()
        expected = float(before[i, c])
        if shared:
            lengths = tokens.length[left[i]] * tokens.length[right[j]]
            expected += 0.7 * float(tokens.weight[sorted(shared)].sum() / lengths)
        assert out[i, c] == pytest.approx(expected, abs=1e-5)


@given(SIDES, SIDES, st.integers(1, 10), st.integers(1, 6), SEEDS)
@settings(max_examples=40, deadline=None)
def test_suggestions_share_most(
    n_left: int, n_right: int, n_tokens: int, k: int, random_seed: int
) -> None:
    """Values are sixteenths, so that products are whole steps and ties are common."""
    rng = np.random.default_rng(random_seed)

    def side(n: int) -> Floats:
        values = rng.integers(1, 5, (n, n_tokens)) / 16
        return np.asarray(values * (rng.random((n, n_tokens)) < 0.4), np.float32)

    left, right = side(n_left), side(n_right)
    row, token = np.nonzero(left)
    holder_token, holder = np.nonzero(right.T)
    index = PLAIN.suggest_by_tokens(
        TokenIndex(
            np.searchsorted(row, np.arange(n_left + 1)),
            token.astype(np.int32),
            left[row, token],
            np.searchsorted(holder_token, np.arange(n_tokens + 1)),
            holder.astype(np.int32),
            right[holder, holder_token],
            n_right,
        ),
        k,
    )
    assert index.shape == (n_left, k)
    for places, shared in zip(index, left @ right.T, strict=True):
        falling = sorted(np.flatnonzero(shared > 0).tolist(), key=lambda j: (-shared[j], j))
        assert sorted(places[places >= 0].tolist()) == sorted(falling[:k])


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_of_equal_suggestions_the_lower_places_are_taken(order: list[int]) -> None:
    """Twenty right rows have the same three tokens; of every row's sum the order is another."""
    n_right, value = 20, np.array([3_277, 22_938, 9_830], np.int32)  # steps
    index = np.full((1, 5), -1, np.int32)
    sets.suggest_by_tokens(
        np.array([0, 3]),
        np.array(order, np.int32),
        value[order],
        np.arange(4) * n_right,
        np.tile(np.arange(n_right, dtype=np.int32)[::-1], 3),
        np.repeat(value, n_right),
        n_right,
        1,
        index,
    )
    assert sorted(index[0].tolist()) == [0, 1, 2, 3, 4]
