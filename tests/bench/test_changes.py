"""Tasks whose data were changed first."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from lighttea.bench.changes import exchange_partners, scramble
from lighttea.bench.draw import Puzzle
from lighttea.bench.settings import Changes
from lighttea.bench.task import Task
from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.io.frames import graph_of_frame
from lighttea.types import LeftIds, RightIds
from tests.worlds import fact_frame, random_facts


@pytest.fixture(scope="module")
def puzzle() -> Puzzle:
    """A graph and a copy that lacks some of its facts."""
    facts = random_facts(80, 600, 3)
    left, right = graph_of_frame(fact_frame(*facts)), graph_of_frame(fact_frame(*facts[150:]))
    both = [name for name in left.entities if name in right.entity_ids]
    ids = [[graph.entity_ids[name] for name in both] for graph in (left, right)]
    return Puzzle(left, right, np.array(ids, np.int32), fixed_split=False)


def drawn(puzzle: Puzzle, number: int = 0, **changes: float) -> Task:
    return puzzle.draw_task(20, np.random.default_rng([number, 1]), Changes(**changes))  # type: ignore[arg-type]


def rows_of(graph: Graph) -> Counter[tuple[int, ...]]:
    return Counter(zip(*(column.tolist() for column in vars(graph.facts).values()), strict=True))


def test_tasks_that_differ_in_their_changes_have_the_same_seeds(puzzle: Puzzle) -> None:
    plain = drawn(puzzle)
    for changes in ({"removed": 0.3}, {"kept_facts": 0.2}, {"scrambled": True}):
        task = drawn(puzzle, **changes)
        assert task.seeds.digest() == plain.seeds.digest()
        assert not rows_of(task.right) - rows_of(plain.right) or "scrambled" in changes
    assert plain.counts == {}


def test_the_same_random_seed_changes_the_same(puzzle: Puzzle) -> None:
    changes = {"kept_facts": 0.3, "removed": 0.2, "scrambled": True, "wrong_seeds": 0.5}
    one, two, other = (drawn(puzzle, number, **changes) for number in (0, 0, 1))
    assert rows_of(one.left) == rows_of(two.left)
    assert rows_of(one.right) == rows_of(two.right)
    assert one.seeds.digest() == two.seeds.digest()
    assert one.counts == two.counts
    assert rows_of(one.right) != rows_of(other.right)


def test_fewer_common_facts_are_counted(puzzle: Puzzle) -> None:
    plain, task = drawn(puzzle), drawn(puzzle, kept_facts=0.1)
    n_common = task.counts["n_common_facts"]
    assert n_common == pytest.approx(450, rel=0.1)  # a few facts of the copy are the same
    assert task.counts["n_kept_common_facts"] == round(0.1 * n_common)
    n_dropped = sum(map(len, (plain.left.facts, plain.right.facts)))
    n_dropped -= sum(map(len, (task.left.facts, task.right.facts)))
    assert n_dropped >= n_common - task.counts["n_kept_common_facts"]


def test_removed_counterparts_take_their_common_facts_along(puzzle: Puzzle) -> None:
    all_of_it, some = drawn(puzzle, kept_facts=0.5), drawn(puzzle, kept_facts=0.5, removed=0.5)
    assert some.counts["n_common_facts"] < 0.7 * all_of_it.counts["n_common_facts"]
    removed = np.setdiff1d(drawn(puzzle).truth.right, drawn(puzzle, removed=0.5).truth.right)
    assert len(removed) == int(0.5 * len(drawn(puzzle).truth))
    ends = np.concatenate([some.right.facts.head, some.right.facts.tail])
    assert not np.isin(removed, ends).any()


def test_pairs_of_entities_that_lose_all_facts_leave_the_truth(puzzle: Puzzle) -> None:
    plain, task = drawn(puzzle), drawn(puzzle, kept_facts=0.0)
    lost = task.counts["n_pairs_without_facts"]
    assert 0 < lost == len(plain.truth) - len(task.truth)
    for graph, ids in ((task.left, task.truth.left), (task.right, task.truth.right)):
        assert np.isin(ids, np.concatenate([graph.facts.head, graph.facts.tail])).all()


def test_a_scrambled_graph_keeps_what_each_relation_has(puzzle: Puzzle) -> None:
    before = puzzle.right
    after = scramble(before, np.random.default_rng(0))
    one, two = before.facts, after.facts
    assert np.array_equal(one.head, two.head)
    assert np.array_equal(one.relation, two.relation)
    for relation in np.unique(one.relation):
        own = one.relation == relation
        assert Counter(one.tail[own].tolist()) == Counter(two.tail[own].tolist())
        times = [Counter(zip(f.begin[own], f.end[own], strict=True)) for f in (one, two)]
        assert times[0] == times[1]
    assert np.mean(one.tail == two.tail) < 0.2
    assert np.mean(one.begin == two.begin) < 0.1
    assert len(rows_of(before) & rows_of(after)) < 0.02 * len(one)


@pytest.mark.parametrize(("share", "n_wrong"), [(0.0, 0), (0.02, 0), (0.06, 2), (0.5, 10), (1, 20)])
def test_wrong_seeds_exchange_their_partners(share: float, n_wrong: int) -> None:
    ids = np.arange(20, dtype=np.int32)
    seeds = Links(LeftIds(ids), RightIds(ids + 100))
    changed, n = exchange_partners(seeds, share, np.random.default_rng(0))
    assert n == n_wrong == int((changed.right != seeds.right).sum())
    assert np.array_equal(changed.left, seeds.left)
    assert np.array_equal(np.sort(changed.right), seeds.right)
    assert np.array_equal(seeds.right, ids + 100)


def test_wrong_seeds_are_counted_and_the_truth_stays(puzzle: Puzzle) -> None:
    plain, task = drawn(puzzle), drawn(puzzle, wrong_seeds=0.5)
    assert task.counts == {"n_wrong_seeds": 10}
    assert plain.seeds.share_in(task.seeds) == 0.5
    assert task.truth.digest() == plain.truth.digest()
    assert drawn(replace(puzzle), wrong_seeds=1.0).seeds.share_in(plain.seeds) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"removed": 1.0}, "removed must be a share from 0 to below 1"),
        ({"kept_facts": 1.5}, "kept_facts must be a share from 0 to 1; got 1.5"),
        ({"wrong_seeds": -0.1}, "wrong_seeds must be a share from 0 to 1; got -0.1"),
    ],
)
def test_impossible_shares_are_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Changes(**changes)  # type: ignore[arg-type]
