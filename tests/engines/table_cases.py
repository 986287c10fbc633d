"""A case or more for each primitive of sets, tokens and tables of candidates."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lighttea.engines.base import TokenColumns, TokenIndex, TokenLists
from lighttea.evidence.likelihood import fact_tables, likelihood_parts
from lighttea.evidence.likelihood_model import LikelyPairs, RarityTable, estimate_likelihood
from lighttea.graph.pair import Links, Pair
from lighttea.graph.views import to_scipy
from lighttea.io.frames import graph_of_frame
from lighttea.types import Floats, Ints, LeftIds, RightIds
from tests.engines.ops_input import Input, assert_close, case
from tests.worlds import fact_frame, random_facts

# --------------------------------------------------------------------------------------- sets


@case("multiset_dice")
def what_multisets_share(given: Input) -> object:
    left, right = given.view(given.n_left, 7), given.view(given.n_right, 7)
    index = given.index()
    bags = [
        [Counter(dict(enumerate(row.astype(int)))) for row in to_scipy(view).toarray()]
        for view in (left, right)
    ]
    expected = np.full(index.shape, np.nan, np.float32)
    for row, column in zip(*np.nonzero(index >= 0), strict=True):
        one, other = bags[0][row], bags[1][index[row, column]]
        if one.total() and other.total():
            shared = (one & other).total()
            expected[row, column] = 2 * shared / (one.total() + other.total())
    dice = given.ops.multiset_dice(given.put_view(left), given.put_view(right), given.put(index))
    assert_close(given.plain(dice), expected)
    return dice


@dataclass(frozen=True)
class TokenSets:
    """Random sets of tokens of nodes, in plain memory."""

    sets: list[list[int]]
    weight: Floats

    @classmethod
    def draw(cls, given: Input, n_nodes: int, n_tokens: int = 9) -> TokenSets:
        """Return sets of which some are empty; a token weighs nothing."""
        sizes = given.rng.integers(0, 5, n_nodes)
        sets = [sorted(given.rng.permutation(n_tokens)[:size].tolist()) for size in sizes]
        weight: Floats = np.abs(given.floats(n_tokens))
        weight[3] = 0
        return cls(sets, weight)

    @property
    def length(self) -> Floats:
        """Return the root of the summed weights of each set."""
        return np.sqrt([self.weight[one].sum() for one in self.sets]).astype(np.float32)

    @property
    def start(self) -> Ints:
        """Return where each set begins when they are laid end to end."""
        return np.cumsum([0, *(len(one) for one in self.sets)]).astype(np.int64)

    @property
    def token(self) -> Ints:
        """Return all sets laid end to end."""
        return np.array([token for one in self.sets for token in one], np.int32)


@case("number_tokens")
def tokens_get_numbers(given: Input) -> object:
    n_nodes = given.n_left + 2  # the last two have no token
    counts = given.ints(given.n_left, 5)
    node = np.repeat(np.arange(given.n_left, dtype=np.int32), counts)
    key = given.rng.integers(0, 6, len(node)) << 40
    start, token, holders = (
        given.plain(one)
        for one in given.ops.number_tokens(n_nodes, given.put(node), given.put(key))
    )
    expected = [set(key[node == one].tolist()) for one in range(n_nodes)]
    assert np.diff(start).tolist() == [len(one) for one in expected]
    assert len(token) == start[-1]
    nodes_of: dict[int, list[int]] = {}
    for one in range(n_nodes):
        for number in token[start[one] : start[one + 1]].tolist():
            nodes_of.setdefault(number, []).append(one)
    by_key = {k: [n for n, keys in enumerate(expected) if k in keys] for k in set(key.tolist())}
    assert sorted(nodes_of.values()) == sorted(by_key.values())
    assert len(holders) == len(by_key)
    assert [len(nodes_of[number]) for number in range(len(holders))] == holders.tolist()
    return [start, np.sort(holders)]


@case("token_keys")
def rows_of_equal_parts_have_equal_keys(given: Input) -> object:
    n_rows, n_nodes = 60, given.n_left + 1
    node = np.sort(given.rng.integers(0, n_nodes, n_rows)).astype(np.int32)
    neighbour, relation = given.ints(n_rows, n_nodes), given.ints(n_rows, 3)
    time = given.rng.integers(-1, 4, n_rows).astype(np.int32)
    name = np.where(given.flags(n_nodes), -1, np.arange(n_nodes) % 3)
    classes = np.array([0, -1, 1])
    found: list[object] = []
    for far in (0, 1 << 40):  # one that no key has room for beside the others
        put = [given.put(own) for own in (neighbour, np.where(name >= 0, name + far, -1))]
        put += [given.put(own) for own in (relation, np.where(classes >= 0, classes + far, -1))]
        for by_neighbour, by_relation, by_time in itertools.product((True, False), repeat=3):
            if not (by_neighbour or by_relation or by_time):
                continue
            columns = TokenColumns(
                given.put(node),
                neighbour=put[0] if by_neighbour else None,
                name=put[1] if by_neighbour else None,
                relation=put[2] if by_relation else None,
                relation_class=put[3] if by_relation else None,
                time=given.put(time) if by_time else None,
            )
            parts = [
                *([name[neighbour]] if by_neighbour else []),
                *([classes[relation]] if by_relation else []),
                *([time] if by_time else []),
            ]
            rows = [
                (one, *numbers)
                for one, other, *numbers in zip(node, neighbour, *parts, strict=True)
                if min(numbers) >= 0 and not (by_neighbour and one == other)
            ]
            nodes, keys = (given.plain(own) for own in given.ops.token_keys(columns))
            assert nodes.tolist() == [row[0] for row in rows]
            numbered: dict[tuple[int, ...], int] = {}
            for row, key in zip(rows, keys.tolist(), strict=True):
                assert numbered.setdefault(row[1:], key) == key
            assert len(set(numbered.values())) == len(numbered)
            found += [nodes]
    return found


@case("list_lengths")
def lengths_of_lists(given: Input) -> object:
    drawn = TokenSets.draw(given, given.n_left)
    start, token = given.put(drawn.start), given.put(drawn.token)
    length = given.ops.list_lengths(start, token, given.put(drawn.weight))
    assert_close(given.plain(length), drawn.length)
    return length


@case("keep_shared")
def tokens_of_both_sides(given: Input) -> object:
    drawn = TokenSets.draw(given, given.n_left + given.n_right)
    first, others = drawn.sets[: given.n_left], drawn.sets[given.n_left :]
    shared = set().union(*first) & set().union(*others)
    lists = TokenLists(
        given.put(drawn.start),
        given.put(drawn.token),
        given.put(drawn.weight),
        given.put(drawn.length),
    )
    kept = given.ops.keep_shared(lists, given.n_left)
    start, token = given.plain(kept.start), given.plain(kept.token)
    for number, own in enumerate(drawn.sets):
        expected = [one for one in own if one in shared]
        assert token[start[number] : start[number + 1]].tolist() == expected
    assert_close(given.plain(kept.length), drawn.length)
    return [start, token]


@case("group")
def equal_keys_stand_together(given: Input) -> object:
    key = given.ints(50, 7)
    order, start = (given.plain(own) for own in given.ops.group(given.put(key), 9))
    np.testing.assert_array_equal(order, np.argsort(key, kind="stable"))
    np.testing.assert_array_equal(start, np.searchsorted(np.sort(key), np.arange(10)))
    return [order, start]


@case("add_token_cosines")
def cosines_of_tokens(given: Input) -> object:
    n_nodes = given.n_left + given.n_right + 3
    drawn = TokenSets.draw(given, n_nodes)
    nodes = given.rng.permutation(n_nodes).astype(np.int32)
    left, right = nodes[: given.n_left], nodes[given.n_left : given.n_left + given.n_right]
    index, length = given.index(), drawn.length
    tokens = TokenLists(
        *(given.put(one) for one in (drawn.start, drawn.token, drawn.weight, length))
    )
    out = given.ops.full(index.shape, 1.0, "float32")
    given.ops.add_token_cosines(
        tokens, given.put(left), given.put(right), given.put(index), 0.5, out
    )
    expected = np.ones(index.shape)
    for row, column in zip(*np.nonzero(index >= 0), strict=True):
        one, other = left[row], right[index[row, column]]
        shared = drawn.weight[sorted(set(drawn.sets[one]) & set(drawn.sets[other]))].sum()
        if shared > 0:
            expected[row, column] += 0.5 * shared / (length[one] * length[other])
    assert_close(given.plain(out), expected)
    return out


@case("suggest_by_tokens")
def right_rows_that_share_most(given: Input) -> object:
    n_tokens = 9
    asking, answering = (TokenSets.draw(given, n) for n in (given.n_left, given.n_right))
    value, holder_value = (np.abs(given.floats(len(one.token))) for one in (asking, answering))
    row = np.repeat(np.arange(given.n_right, dtype=np.int64), np.diff(answering.start))
    order = np.argsort(answering.token, kind="stable")
    holder_start = np.searchsorted(answering.token[order], np.arange(n_tokens + 1))
    scores = np.zeros((given.n_left, given.n_right))
    for one in range(given.n_left):
        for position in range(asking.start[one], asking.start[one + 1]):
            same = answering.token == asking.token[position]
            scores[one, row[same]] += value[position] * holder_value[same]
    found = []
    for first in (0, given.n_left // 2):  # all rows, and a block of them
        index = TokenIndex(
            given.put(asking.start[first:]),
            given.put(asking.token),
            given.put(value),
            given.put(holder_start),
            given.put(row[order]),
            given.put(holder_value[order]),
            given.n_right,
        )
        chosen = given.plain(given.ops.suggest_by_tokens(index, given.k))
        assert chosen.shape == (given.n_left - first, given.k)
        for places, own in zip(chosen, scores[first:], strict=True):
            expected = [place for place in np.argsort(-own)[: given.k] if own[place] > 0]
            assert sorted(places[places >= 0].tolist()) == sorted(expected)
        found.append(np.sort(chosen))
    return found


@case("suggest_by_tokens")
def of_rows_that_share_as_much_the_lower_places(given: Input) -> object:
    ones = np.ones(given.n_right, np.float32)
    index = TokenIndex(
        given.put(np.arange(given.n_left + 1)),
        given.put(np.zeros(given.n_left, np.int32)),
        given.put(np.ones(given.n_left, np.float32)),
        given.put(np.array([0, given.n_right])),
        given.put(np.arange(given.n_right)),
        given.put(ones),
        given.n_right,
    )
    chosen = given.plain(given.ops.suggest_by_tokens(index, given.k))
    for places in chosen:
        assert sorted(places[places >= 0]) == list(range(min(given.k, given.n_right)))
    return np.sort(chosen)


@case("count_pairs")
def columns_that_share_rows(given: Input) -> object:
    n_rows, n_columns = given.n_left, 5
    sides = [(given.ints(3 * n_rows, n_rows), given.ints(3 * n_rows, n_columns)) for _ in range(2)]
    dense = [np.zeros((n_rows, n_columns), int) for _ in sides]
    for matrix, (row, column) in zip(dense, sides, strict=True):
        matrix[row, column] = 1
    left, right = ((given.put(row), given.put(column)) for row, column in sides)
    counted = given.ops.count_pairs(left, right, (n_rows, n_columns))
    one, other, shared, in_left, in_right = (given.plain(part) for part in counted)
    both = np.zeros((n_columns, n_columns))
    both[one, other] = shared
    np.testing.assert_array_equal(both, dense[0].T @ dense[1])
    filled = [matrix.any(axis=1) for matrix in dense]
    np.testing.assert_array_equal(in_left, dense[0][filled[1]].sum(axis=0))
    np.testing.assert_array_equal(in_right, dense[1][filled[0]].sum(axis=0))
    return [both, in_left.astype(float), in_right.astype(float)]


# --------------------------------------------------------------------------- candidate tables


@case("sparse_kernel")
def rows_are_scaled_and_columns_added(given: Input) -> object:
    index = given.index()
    kernel = np.where(index >= 0, given.rng.random(index.shape), 0)
    dense = np.zeros((given.n_left, given.n_right))
    row, column = np.nonzero(index >= 0)
    dense[row, index[row, column]] = kernel[row, column]
    scale, slack = given.rng.random(given.n_right) + 0.1, given.rng.random(given.n_left)
    sparse = given.ops.sparse_kernel(given.put(kernel), given.put(index), given.n_right)
    found: list[object] = []
    for kept in (0.0, 0.5, slack):
        sums = dense @ scale + kept
        expected = np.where(sums > 0, 1 / np.where(sums > 0, sums, 1), 0)
        own = given.put(kept) if isinstance(kept, np.ndarray) else kept
        row_scale, columns = sparse.scale_rows(given.put(scale), own)
        assert_close(given.plain(row_scale), expected)
        assert_close(given.plain(columns), expected @ dense)
        plan = sparse.plan(row_scale, given.put(scale))
        whole = expected[:, None] * dense * scale
        taken = np.take_along_axis(whole, np.maximum(index, 0), 1)
        assert_close(given.plain(plan), np.where(index >= 0, taken, 0))
        found += [row_scale, columns, plan]
    return found


def largest_positive(values: Sequence[float], n: int) -> list[float]:
    """Return the n largest positive values, falling; 0 where there are fewer."""
    falling = sorted((value for value in values if value > 0), reverse=True)
    return [*falling, *[0.0] * n][:n]


@case("best_of_rows")
def largest_scores_of_rows(given: Input) -> object:
    index = given.index()
    score, found = given.floats(*index.shape), []
    for n in (1, 3, index.shape[1] + 2):
        best = given.ops.best_of_rows(given.put(score), given.put(index), n)
        rows = zip(score, index >= 0, strict=True)
        expected = [largest_positive(row[valid].tolist(), n) for row, valid in rows]
        np.testing.assert_array_equal(given.plain(best), np.array(expected).reshape(-1, n))
        found.append(best)
    return found


@case("best_of_columns")
def largest_scores_of_columns(given: Input) -> object:
    index = given.index()
    score, found = given.floats(*index.shape), []
    table = given.put(index)
    for n in (1, 3, given.n_left + 2):
        best = given.ops.best_of_columns(given.put(score), table, given.n_right, n)
        columns = [score[index == place].tolist() for place in range(given.n_right)]
        expected = [largest_positive(column, n) for column in columns]
        np.testing.assert_array_equal(given.plain(best), expected)
        found.append(best)
    return found


@case("best_of_columns")
def one_table_with_more_and_more_columns(given: Input) -> object:
    table, score = given.put(given.index()), given.put(given.floats(*given.index().shape))
    return [given.ops.best_of_columns(score, table, given.n_right + more, 2) for more in (0, 3)]


@case("fact_log_odds")
def what_facts_say_of_couples(given: Input) -> object:
    sides = (graph_of_frame(fact_frame(*random_facts(12, 60, seed))) for seed in (1, 2))
    pair, index = Pair.of(*sides), given.index()
    n = min(pair.n_left, pair.n_right)
    links = Links(LeftIds(pair.all_left[:n]), RightIds(pair.all_right[:n]))
    facts = RarityTable.of(pair)
    model = estimate_likelihood(facts, LikelyPairs(links, given.rng.random(n, np.float32)))
    left = given.rng.integers(0, pair.n_left, len(index))
    right = given.rng.integers(pair.n_left, pair.n_nodes, given.n_right)
    expected = np.zeros(index.shape, np.float32)
    for row, column in zip(*np.nonzero(index >= 0), strict=True):
        parts = likelihood_parts(facts, model, int(left[row]), int(right[index[row, column]]))
        expected[row, column] = sum(part.log_odds for part in parts)
    tables = fact_tables(facts, model)
    odds = given.ops.fact_log_odds(tables, left, right, given.put(index))
    np.testing.assert_allclose(given.plain(odds), expected, atol=1e-4)
    return odds


@case("best_by_weights")
def the_best_place_under_weights(given: Input) -> object:
    index, weights = given.index(), (0.5, 0.3, 0.2, 0.7, 0.3, 0.4)
    label, time, consensus, likelihood = (given.floats(*index.shape) for _ in range(4))
    time[given.flags(*index.shape)] = np.nan
    known = weights[0] * label + weights[1] * time + weights[2] * consensus
    score = np.where(np.isnan(time), weights[3] * label + weights[4] * consensus, known)
    score = score + weights[5] * likelihood
    expected = [
        places[np.where(places >= 0, row, -np.inf).argmax()] if (places >= 0).any() else -1
        for places, row in zip(index, score, strict=True)
    ]
    terms = [given.put(term) for term in (label, time, consensus, likelihood)]
    label_alone = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    best = given.ops.best_by_weights(terms, given.put(index), [weights, label_alone])
    assert given.plain(best)[0].tolist() == expected
    by_label = np.where(index >= 0, label, -np.inf).argmax(axis=1)
    alone = np.where((index >= 0).any(axis=1), index[np.arange(len(index)), by_label], -1)
    np.testing.assert_array_equal(given.plain(best)[1], alone)
    return best


@case("best_by_weights")
def of_scores_as_good_as_equal_the_lower_place(given: Input) -> object:
    index = given.index()
    label = given.rng.choice(np.array([0.5, 0.5 + 1e-7, 0.5 - 1e-7], np.float32), index.shape)
    nothing = given.put(np.full(index.shape, np.nan, np.float32))
    terms = [given.put(label), nothing, given.put(label), given.put(label)]
    label_alone = [(0, 0, 0, 1.0, 0.0, 0.0)]
    (best,) = given.plain(given.ops.best_by_weights(terms, given.put(index), label_alone))
    lowest = np.where(index >= 0, index, np.iinfo(np.int32).max).min(axis=1)
    np.testing.assert_array_equal(best, np.where((index >= 0).any(axis=1), lowest, -1))
    return best


@case("n_tasks")
def at_least_one_task(given: Input) -> object:
    assert given.ops.n_tasks >= 1
    return []
