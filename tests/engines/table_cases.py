"""A case or more for each primitive of sets, tokens and tables of candidates."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.tables import RareLimits, TokenColumns, TokenIndex, TokenLists
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


@case("index_rare_tokens")
def rare_tokens_and_who_has_them(given: Input) -> object:
    n_nodes, n_tokens = given.n_left + given.n_right, 9
    kinds = [(TokenSets.draw(given, n_nodes, n_tokens), weight) for weight in (2.0, 0.5)]
    put = [
        (TokenLists(*map(given.put, (own.start, own.token, own.weight, own.length))), weight)
        for own, weight in kinds
    ]
    sides = np.arange(given.n_left), np.arange(given.n_left, n_nodes)
    limits = RareLimits(max(1, given.n_right - 2), most_holders=3, most_answers=4)
    index = given.ops.index_rare_tokens(put, given.put(sides[0]), given.put(sides[1]), limits)
    asked: dict[int, dict[int, float]] = {}
    held: dict[int, dict[int, float]] = {}
    for (row, token), value in _entries(given, index.start, index.token, index.value):
        asked.setdefault(token, {})[row] = value
    lists = index.holder_start, index.holder, index.holder_value
    for (token, row), value in _entries(given, *lists):
        held.setdefault(token, {})[row] = value
    answers: dict[tuple[int, int], int] = {}  # to each token that is rare
    shares: dict[tuple[int, int], list[dict[int, float]]] = {}
    for kind, (own, weight) in enumerate(kinds):
        for token in range(n_tokens):
            rows = [[row for row, n in enumerate(side) if token in own.sets[n]] for side in sides]
            n_targets = sum(row < limits.n_targets for row in rows[1])
            if 0 < len(rows[0]) <= 3 and 0 < n_targets <= 3:
                answers[kind, token] = len(rows[1])
                root = np.sqrt(weight * own.weight[token])
                shares[kind, token] = [
                    {row: root / max(own.length[side[row]], 1e-9) for row in some}
                    for side, some in zip(sides, rows, strict=True)
                ]
    for row in range(given.n_left):
        mine = [key for key, (askers, _) in shares.items() if row in askers]
        for key in mine:
            rarity = answers[key].bit_length()
            as_rare = sum(answers[other] for other in mine if answers[other].bit_length() <= rarity)
            if as_rare > 4 and rarity > min(answers[other].bit_length() for other in mine):
                del shares[key][0][row]
    found = [[asked.get(token, {}), holders] for token, holders in held.items()]
    assert len(found) == len(shares)
    for one, other in zip(_in_order(found), _in_order(shares.values()), strict=True):
        for values, expected in zip(one, other, strict=True):
            assert values.keys() == expected.keys()
            assert_close(np.array([values[row] for row in expected]), list(expected.values()))
    return [index.start, given.put(np.sort([len(holders) for holders in held.values()]))]


def _entries(given: Input, *lists: Any) -> list[tuple[tuple[int, int], float]]:
    """Return list, item and value of lists laid end to end."""
    start, item, value = map(given.plain, lists)
    row = np.repeat(np.arange(len(start) - 1), np.diff(start))
    keys = zip(row.tolist(), item.tolist(), strict=True)
    return list(zip(keys, value.tolist(), strict=True))


def _in_order(tokens: Iterable[list[dict[int, float]]]) -> list[list[dict[int, float]]]:
    """Return tokens by who has them, then by what they weigh."""
    return sorted(
        tokens, key=lambda t: [(sorted(rows), round(sum(rows.values()), 4)) for rows in t]
    )


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


@case("add_up_pairs")
def weights_of_rows_that_columns_share(given: Input) -> object:
    n_rows, n_columns = given.n_left, 5
    dense = [given.rng.random((n_rows, n_columns)) < 0.4 for _ in range(2)]
    weight = given.rng.random(n_rows)
    left, right = (tuple(map(given.put, np.nonzero(matrix))) for matrix in dense)
    found = given.ops.add_up_pairs(left, right, given.put(weight), n_columns)
    one, other, shared = (given.plain(part) for part in found)
    expected = dense[0].T.astype(float) * weight @ dense[1]
    both = np.zeros((n_columns, n_columns))
    both[one, other] = shared
    assert_close(both, expected)
    assert (np.diff(one * n_columns + other) > 0).all()
    return found


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


@case("unite")
def numbers_equal_but_for_their_last_bits(given: Input) -> object:
    n_bits = 3
    numbers = np.full((given.n_left, 9), -1)
    for row in numbers:
        some = given.rng.choice(7 * n_bits, given.rng.integers(0, len(row) + 1), replace=False)
        row[: len(some)] = some // n_bits << n_bits | 1 << some % n_bits
    numbers = -np.sort(-numbers, axis=1)
    united = given.ops.unite(given.put(numbers), n_bits)
    for row, own in zip(given.plain(united).tolist(), numbers.tolist(), strict=True):
        bits: dict[int, int] = {}
        for number in own:
            if number >= 0:
                bits[number >> n_bits] = bits.get(number >> n_bits, 0) | number
        expected = sorted(bits.values(), reverse=True)
        assert row == expected + [-1] * (len(row) - len(expected))
    return united


@case("excess_kernel")
def scores_above_the_level_of_both(given: Input) -> object:
    index = given.index()
    score = np.where(index >= 0, given.floats(*index.shape), 0).astype(np.float32)
    left, right = given.rng.random(given.n_left), given.rng.random(given.n_right)
    table, levels = (given.put(score), given.put(index)), (given.put(left), given.put(right))
    ones = given.put(np.ones(given.n_left)), given.put(np.ones(given.n_right))
    found: list[object] = []
    for scale in (0.5, 0.01):  # at the smaller one most entries are next to nothing
        kernel, shrunk = given.ops.excess_kernel(*table, *levels, scale, 1e-9)
        excess = (score - (left[:, None] + right[index]) / 2) / scale
        highest = np.where(index >= 0, excess, -np.inf).max(axis=1, initial=0)
        plain = np.where(index >= 0, np.exp(excess - highest[:, None]), 0)
        assert_close(given.plain(shrunk), np.exp(-highest))
        plan = given.plain(kernel.plan(*ones))
        assert np.abs(plan - plain).max(initial=0) < 1e-7
        found += [shrunk, kernel.plan(*ones)]
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


def facts_with_likely_pairs(seed: int, n_pairs: int) -> tuple[Pair, LikelyPairs]:
    """Return random facts, and pairs of which some are sure and some share an entity."""
    sides = (graph_of_frame(fact_frame(*random_facts(12, 60, seed + n))) for n in (1, 2))
    pair, rng = Pair.of(*sides), np.random.default_rng(seed)
    couples = np.unique(rng.integers(0, (pair.n_left, pair.n_right), (n_pairs, 2)), axis=0)
    left, right = couples.T.astype(np.int32)
    chance = rng.choice(np.array([0.1, 0.4, 0.8, 1.0], np.float32), len(left))
    return pair, LikelyPairs(Links(LeftIds(left), RightIds(right)), chance)


def placed(given: Input, value: object) -> Any:
    """Return a dataclass with its arrays on the hardware."""
    arrays = {name: own for name, own in vars(value).items() if isinstance(own, np.ndarray)}
    return replace(value, **{name: given.put(own) for name, own in arrays.items()})  # type: ignore[type-var]


@case("fact_log_odds")
def what_facts_say_of_couples(given: Input) -> object:
    found, index = [], given.index()
    for seed, n_pairs in ((1, 12), (2, 40), (3, 0)):
        pair, pairs = facts_with_likely_pairs(seed, n_pairs)
        facts = RarityTable.of(PLAIN, pair)
        model = estimate_likelihood(PLAIN, facts, pairs)
        left = given.rng.integers(0, pair.n_left, len(index))
        right = given.rng.integers(pair.n_left, pair.n_nodes, given.n_right)
        expected = np.zeros(index.shape, np.float32)
        for row, column in zip(*np.nonzero(index >= 0), strict=True):
            parts = likelihood_parts(facts, model, int(left[row]), int(right[index[row, column]]))
            expected[row, column] = sum(part.log_odds for part in parts)
        tables = fact_tables(*(placed(given, own) for own in (facts, model)))
        odds = given.ops.fact_log_odds(tables, given.put(left), given.put(right), given.put(index))
        np.testing.assert_allclose(given.plain(odds), expected, atol=1e-4)
        found.append(odds)
    return found


@case("fact_log_odds")
def what_facts_say_whose_ticks_are_rare_on_one_side(given: Input) -> object:
    """The best couple of a fact may be one that its own ticks alone would not have promised."""
    found = []
    for _ in range(4):
        pair, facts, model = facts_about_one_town(given.rng)
        left, right = np.arange(pair.n_left), np.arange(pair.n_left, pair.n_nodes)
        index = np.tile(np.arange(len(right), dtype=np.int32), (len(left), 1))
        expected = [
            [
                sum(part.log_odds for part in likelihood_parts(facts, model, a, b))
                for b in right.tolist()
            ]
            for a in left.tolist()
        ]
        tables = fact_tables(*(placed(given, own) for own in (facts, model)))
        placed_index = given.put(left), given.put(right), given.put(index)
        odds = given.ops.fact_log_odds(tables, *placed_index)
        np.testing.assert_allclose(given.plain(odds), expected, atol=1e-4)
        found.append(odds)
    return found


def facts_about_one_town(rng: np.random.Generator) -> tuple[Pair, Any, Any]:
    """Five entities of each side and their town, in a few years that are common or rare."""
    frames = []
    for _ in range(2):
        heads, relations, years = (rng.integers(0, n, 40) for n in (5, 3, 6))
        facts = zip(heads, relations, years, strict=True)
        rows = dict.fromkeys((f"e{h}", f"r{r}", "town", f"{1900 + y}") for h, r, y in facts)
        frames.append(fact_frame(*((*row, row[-1]) for row in rows)))
    graphs = [graph_of_frame(frame) for frame in frames]
    pair = Pair.of(*graphs)
    left, right = (np.array([graph.entities.index("town")], np.int32) for graph in graphs)
    table = RarityTable.of(PLAIN, pair)
    rarity = rng.choice(np.array([0, 0, 5], np.float32), len(table.tick_rarity))
    table = replace(table, tick_rarity=rarity)
    sure = LikelyPairs.sure(Links(LeftIds(left), RightIds(right)))
    model = estimate_likelihood(PLAIN, table, sure)
    time_log = np.tile(np.array([-0.5, -1.0], np.float32), (len(model.time_log), 1))
    return pair, table, replace(model, unseen=0.5, time_log=time_log)


@case("add_up_pairs")
def what_links_say_of_relations_and_times(given: Input) -> object:
    found = []
    for seed, n_pairs in ((1, 12), (2, 40), (3, 0)):
        pair, pairs = facts_with_likely_pairs(seed, n_pairs)
        facts = RarityTable.of(given.ops, pair)
        model = vars(estimate_likelihood(given.ops, facts, pairs))
        found += [own for own in model.values() if not isinstance(own, int | float)]
        found.append(np.array([model["most"], model["unseen"]]))
    return found


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
