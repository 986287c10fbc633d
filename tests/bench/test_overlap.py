"""Facts that two graphs have in common, against a slow search; and graphs that have fewer."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from lighttea.bench.overlap import CommonFacts, find_common_facts, keep_common_facts
from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.facts import TimedFacts
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links, Pair
from lighttea.graph.timeline import format_instant
from lighttea.io.frames import graph_of_frame
from lighttea.types import LeftIds, RightIds
from tests.worlds import Fact, fact_frame, random_facts


def graphs(left: list[Fact], right: list[Fact]) -> tuple[Graph, Graph, Links]:
    """Two graphs; every entity is paired with its namesake."""
    one, other = graph_of_frame(fact_frame(*left)), graph_of_frame(fact_frame(*right))
    both = [name for name in one.entities if name in other.entity_ids]
    left_ids = np.array([one.entity_ids[name] for name in both], np.int32)
    right_ids = np.array([other.entity_ids[name] for name in both], np.int32)
    return one, other, Links(LeftIds(left_ids), RightIds(right_ids))


def common_of(left: list[Fact], right: list[Fact]) -> CommonFacts:
    return find_common_facts(*graphs(left, right))


def noisy_facts(random_seed: int, n: int = 500) -> tuple[list[Fact], list[Fact]]:
    """Facts of two graphs: days and years, unknown times, relations that match and do not."""
    rng = np.random.default_rng(random_seed)
    sides: list[list[Fact]] = [[], []]
    for head, relation, tail, begin, end in random_facts(25, n, random_seed):
        for side, facts in enumerate(sides):
            if rng.random() < 0.2:
                continue
            kind, word = rng.integers(0, 5), f"{'ab'[side]}{relation}"
            times = [
                (begin, end),
                (begin, end),
                (None, None),
                (begin, None),
                (f"{begin}-05-03",) * 2,
            ]
            if rng.random() < 0.1:
                word = f"{'ab'[side]} rare {rng.integers(0, 60)}"
            ends = (tail, word, head) if side and relation == "r0" else (head, word, tail)
            facts.append((*ends, *times[kind]))
    return sides[0], sides[1]


def reference_groups(left: Graph, right: Graph, pairs: Links) -> dict[tuple[int, int], int]:
    """The group of every fact that says what a fact of the other side says, by (side, place)."""
    pair = Pair.of(left, right)
    linked = LinkedNodes.of(PLAIN, pair, pairs)
    classes = match_relations(PLAIN, TimedFacts(PLAIN, pair, keeps=False), linked).classes()
    partner = dict(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    group: dict[tuple[int, int], int] = {}
    for i, j in product(range(len(left.facts)), range(len(right.facts))):
        if fit(left, i, right, j, partner, classes.tolist()):
            old = {group.get((0, i), -1), group.get((1, j), -1)} - {-1}
            new = min(old, default=len(left.facts) * j + i)
            group = {fact: new if number in old else number for fact, number in group.items()}
            group[0, i] = group[1, j] = new
    return group


def fit(
    left: Graph, i: int, right: Graph, j: int, partner: dict[int, int], classes: list[int]
) -> bool:
    ours, theirs = left.facts, right.facts
    ends = partner.get(int(ours.head[i])), partner.get(int(ours.tail[i]))
    there = int(theirs.head[j]), int(theirs.tail[j])
    if ends not in (there, there[::-1]) or not times_fit(left, i, right, j):
        return False
    own = classes[2 * ours.relation[i]]
    forward, inverse = (classes[2 * (len(left.relations) + theirs.relation[j]) + k] for k in (0, 1))
    if ends == there and (own == forward or -1 in (own, forward)):
        return True
    return ends == there[::-1] and own == inverse != -1


def times_fit(left: Graph, i: int, right: Graph, j: int) -> bool:
    ours, theirs = texts_of(left, i), texts_of(right, j)
    if not any(ours) or not any(theirs):
        return True
    return any(
        a.startswith(b) or b.startswith(a) for a, b in zip(ours, theirs, strict=True) if a and b
    )


def texts_of(graph: Graph, fact: int) -> list[str]:
    instants = graph.instants
    codes = graph.facts.begin[fact], graph.facts.end[fact]
    return ["" if c < 0 else format_instant(instants.second[c], instants.grain[c]) for c in codes]


@pytest.mark.parametrize("random_seed", range(3))
def test_common_facts_are_those_of_a_slow_search(random_seed: int) -> None:
    left, right, pairs = graphs(*noisy_facts(random_seed, 250))
    common = find_common_facts(left, right, pairs)
    expected = reference_groups(left, right, pairs)
    ours = {(0, i): int(n) for i, n in enumerate(common.left) if n >= 0}
    ours |= {(1, j): int(n) for j, n in enumerate(common.right) if n >= 0}
    assert ours.keys() == expected.keys()
    assert len(ours) > 100
    couples = {(ours[fact], expected[fact]) for fact in ours}  # the same groups, other numbers
    assert len(couples) == len(set(ours.values())) == len(set(expected.values()))
    assert common.numbers().tolist() == sorted(set(ours.values()))


TIES: list[Fact] = [(f"a{i}", "of", f"b{i}", None, None) for i in range(10)]
TIES_INVERSE: list[Fact] = [(f"b{i}", "has", f"a{i}", None, None) for i in range(10)]


def test_inverse_relations_say_the_same() -> None:
    common = common_of(TIES, TIES_INVERSE)
    assert len(common.numbers()) == 10
    assert common.left.tolist() == common.right.tolist()


@pytest.mark.parametrize(
    ("left", "right", "is_common"),
    [
        (("1950", "1955"), ("1950", "1955"), True),
        (("1950", "1955"), ("1950", None), True),
        (("1950", "1955"), ("1951", "1956"), False),
        (("1950", "1950"), ("1950-03-07", "1950-03-07"), True),
        (("1950-03-08", "1950-03-08"), ("1950-03-07", "1950-03-07"), False),
        ((None, None), ("1950", "1955"), True),
        (("1950", None), (None, "1950"), False),
    ],
)
def test_times_fit_or_do_not(
    left: tuple[str | None, str | None], right: tuple[str | None, str | None], is_common: bool
) -> None:
    one: list[Fact] = [("a", "r", "b", *left)]
    other: list[Fact] = [("a", "q", "b", *right)]
    assert len(common_of(one, other).numbers()) == is_common


def test_facts_of_entities_without_counterpart_are_not_common() -> None:
    common = common_of([("a", "r", "b", None, None)], [("a", "r", "c", None, None)])
    assert common.left.tolist() == common.right.tolist() == [-1]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_the_share_is_kept_and_no_other_fact_is_lost(share: float) -> None:
    left, right, pairs = graphs(*noisy_facts(4, 2000))
    common = find_common_facts(left, right, pairs)
    n = len(common.numbers())
    assert n > 300
    kept_left, kept_right, n_kept = keep_common_facts(
        left, right, common, share, np.random.default_rng(0)
    )
    assert n_kept == round(share * n)
    n_alone = [int((side < 0).sum()) for side in (common.left, common.right)]
    assert len(kept_left.facts) >= n_alone[0] + n_kept
    assert len(kept_right.facts) >= n_alone[1] + n_kept
    dropped = [len(left.facts) - len(kept_left.facts), len(right.facts) - len(kept_right.facts)]
    assert dropped[0] == pytest.approx(dropped[1], rel=0.25)
    if share == 1:
        assert dropped == [0, 0]


def test_after_dropping_nothing_else_is_common() -> None:
    """Relations are so few that they match before and after."""
    left, right, pairs = graphs(TIES * 3, TIES_INVERSE)
    common = find_common_facts(left, right, pairs)
    kept_left, kept_right, n_kept = keep_common_facts(
        left, right, common, 0.4, np.random.default_rng(1)
    )
    assert n_kept == 4
    assert len(find_common_facts(kept_left, kept_right, pairs).numbers()) == 4
    assert len(kept_left.facts) < len(left.facts)
