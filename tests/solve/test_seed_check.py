"""Wrong seeds are noticed and named; right ones raise no alarm."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lighttea
from lighttea.bench.changes import exchange_partners
from lighttea.config import Config, make_config
from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.relations import count_shared_neighbours
from lighttea.graph.pair import Links
from lighttea.progress import Progress
from lighttea.results.run import Run
from lighttea.similarity.allowed import AllowedPairs
from lighttea.solve.problem import Problem, pose_problem
from lighttea.solve.seed_check import (
    FEWEST_SEEDS,
    Contest,
    SeedCheck,
    _strike_refused_rivals,
    check_seeds,
    find_winners,
    find_witnesses,
    judge,
)
from lighttea.types import LeftIds, RightIds
from tests.worlds import World, make_world

QUICK: dict[str, Any] = {"dim": 32, "top_k": 30, "rounds": 1, "threads": 1}


class Silent(Progress):
    def show_warning(self, message: str) -> None:
        """Keep it for the record alone."""


@pytest.fixture(scope="module")
def world() -> World:
    return make_world(4, n_entities=200, n_facts=1600, n_seeds=80)


def ids_of(world: World, pairs: list[tuple[str, str]]) -> Links:
    left = [world.left.entity_ids[a] for a, _ in pairs]
    right = [world.right.entity_ids[b] for _, b in pairs]
    return Links(LeftIds(np.array(left, np.int32)), RightIds(np.array(right, np.int32)))


def posed(world: World, wrong: float = 0.0, **settings: Any) -> tuple[Problem, Config]:
    seeds, _ = exchange_partners(ids_of(world, world.seeds), wrong, np.random.default_rng(1))
    config = make_config("best", **{**QUICK, **settings})
    return pose_problem(world.left, world.right, seeds, config, Silent())


def checked(world: World, wrong: float) -> SeedCheck:
    """The check by the seeds alone, without any round."""
    problem, config = posed(world, wrong)
    check = check_seeds(problem, problem.known, config)
    assert check is not None
    return check


def partners(world: World) -> dict[int, int]:
    both = ids_of(world, [*world.seeds, *world.truth])
    return dict(zip(both.left.tolist(), both.right.tolist(), strict=True))


def with_wrong_seeds(world: World, share: float) -> list[tuple[str, str]]:
    """Seeds by name, the first ones of which have exchanged their partners."""
    n_wrong = round(share * len(world.seeds))
    wrong, right = world.seeds[:n_wrong], world.seeds[n_wrong:]
    rolled = [*wrong[1:], *wrong[:1]]
    return [(a, b) for (a, _), (_, b) in zip(wrong, rolled, strict=True)] + right


def run_of(world: World, share: float, **options: Any) -> Run:
    seeds = with_wrong_seeds(world, share)
    given: dict[str, Any] = {"seeds": seeds, "progress": Silent(), **QUICK, **options}
    return lighttea.align(world.left, world.right, **given)


def test_right_seeds_raise_no_alarm(world: World) -> None:
    check = checked(world, 0.0)
    assert not check.is_notable
    assert check.low == 0.0
    assert check.share < 0.02
    assert check.n_judged > 70
    assert check.n_seeds == 80


@pytest.mark.parametrize("wrong", [0.1, 0.5])
def test_the_share_of_wrong_seeds_is_told_and_they_are_named(world: World, wrong: float) -> None:
    check, true = checked(world, wrong), partners(world)
    assert check.is_notable
    assert check.low < wrong < check.high
    assert check.share == pytest.approx(wrong, abs=0.06)
    suspicious = check.suspicious
    left, right = suspicious.links.left.tolist(), suspicious.links.right.tolist()
    is_wrong = [true[a] != b for a, b in zip(left, right, strict=True)]
    n_wrong = round(80 * wrong)
    assert np.mean(is_wrong) > 0.9
    assert sum(is_wrong) > 0.8 * n_wrong
    named = [true[a] == b for a, b in zip(left, suspicious.better.tolist(), strict=True) if b >= 0]
    assert len(named) > 0.5 * n_wrong
    assert np.mean(named) > 0.9
    ahead = (suspicious.better_score - suspicious.score)[suspicious.better >= 0]
    assert (np.diff(ahead) <= 0).all()


def test_when_all_seeds_are_wrong_they_fit_no_better_than_chance(world: World) -> None:
    check = checked(world, 1.0)
    assert check.fits_by_chance
    assert check.is_notable
    assert check.share == check.high == 1.0
    assert len(check.suspicious) > 60


def test_the_same_seeds_are_judged_in_the_same_way(world: World) -> None:
    first, again = checked(world, 0.5), checked(world, 0.5)
    assert (first.share, first.low, first.high) == (again.share, again.low, again.high)
    assert (first.suspicious.better == again.suspicious.better).all()


def test_few_seeds_and_the_paper_are_not_judged(world: World) -> None:
    problem, config = posed(world)
    few = replace(problem, known=problem.known.take(slice(FEWEST_SEEDS - 1)))
    assert check_seeds(few, few.known, config) is None
    problem, config = posed(world, consensus=0.0)
    assert check_seeds(problem, problem.known, config) is None
    assert "seed_check" not in run_of(world, 0.5, preset="paper").info


def test_shared_neighbours_are_counted_like_sets(world: World) -> None:
    problem, _ = posed(world)
    pair, links = problem.pair, problem.known
    name = {int(pair.n_left + b): int(a) for a, b in zip(links.left, links.right, strict=True)}
    name |= {int(a): int(a) for a in links.left}
    around: dict[int, set[int]] = {}
    for head, tail in zip(pair.head.tolist(), pair.tail.tolist(), strict=True):
        if head in name and tail in name and name[head] != name[tail]:
            around.setdefault(head, set()).add(name[tail])
    nodes = zip(links.left.tolist(), (links.right + pair.n_left).tolist(), strict=True)
    expected = [len(around.get(a, set()) & around.get(b, set())) for a, b in nodes]
    assert count_shared_neighbours(PLAIN, pair, links).tolist() == expected
    assert max(expected) > 2


def test_a_link_that_one_seed_alone_explains_is_no_witness(world: World) -> None:
    problem, _ = posed(world)
    exchanged, _ = exchange_partners(ids_of(world, world.truth), 0.5, np.random.default_rng(2))
    pair, links = problem.pair, problem.known.extended(exchanged)
    witnesses = find_witnesses(pair, problem.known, links)
    shared = count_shared_neighbours(PLAIN, pair, links)
    weak = links.take((shared < 2) & ~np.isin(links.left, problem.known.left))
    assert len(weak) > 0
    assert not np.isin(weak.left, witnesses.left).any()
    assert np.isin(problem.known.left, witnesses.left).all()
    assert len(witnesses) == len(links) - len(weak)


# ------------------------------------------------------------------------------ the contest


def contest_of(score: list[float], rival: list[list[int]], rivals: list[list[float]]) -> Contest:
    """Seeds (i, i), ten of 100 by chance, right entities up to 50 and decoys from there on."""
    n = len(score)
    seeds = Links(LeftIds(np.arange(n, dtype=np.int32)), RightIds(np.arange(n, dtype=np.int32)))
    return Contest(
        seeds,
        np.array(score, np.float32),
        np.tile(np.array([0.1, 0.0], np.float32), (n, 1)),
        np.array(rival, np.int32),
        np.array(rivals, np.float32),
        np.ones(n, bool),
        50,
        10,
    )


@pytest.mark.parametrize("n", [1, 2, 5])
def test_where_all_seeds_are_supported_none_may_be_wrong(n: int) -> None:
    """However few there are; where none is, all may be."""
    score, nobody = np.ones(n, np.float32), np.full((n, 1), -1, np.int32)
    seeds = Links(LeftIds(np.arange(n, dtype=np.int32)), RightIds(np.arange(n, dtype=np.int32)))
    by_chance = np.tile(np.array([0.5, 0.5], np.float32), (n, 1))
    contest = Contest(seeds, score, by_chance, nobody, nobody * 1.0, np.ones(n, bool), 50, 10)
    assert contest.most_wrong == 0
    assert replace(contest, score=0 * score).most_wrong == 1


def test_who_wins() -> None:
    contest = contest_of(
        [0.9, 0.0, 0.0, 0.0, 0.05, 0.0],
        [[30, 31], [32, 33], [34, 35], [36, -1], [55, 37], [38, 0]],
        [[0.2, 0.1], [0.8, 0.2], [0.8, 0.7], [0.8, 0.9], [0.6, 0.1], [0.8, 0.9]],
    )
    taken = Links(LeftIds(np.array([40])), RightIds(np.array([36])))
    winners = find_winners(contest, taken)
    assert winners.seed_wins.tolist() == [True] + [False] * 5
    # the third has two rivals about as good, that of the fourth is taken, the fifth is a decoy's,
    # and the last one's best rival is the right entity of a seed that is supported
    assert winners.rival_wins.tolist() == [False, True, False, False, False, True]
    assert winners.rival[[1, 5]].tolist() == [32, 38]
    assert winners.decoy_wins.tolist() == [False, False, False, False, True, False]


def test_rivals_that_win_as_often_as_decoys_say_nothing() -> None:
    n = 40
    half = [[10 + i, 50] for i in range(n // 2)] + [[10, 50 + i] for i in range(n // 2)]
    scores = [[0.8, 0.0]] * (n // 2) + [[0.0, 0.8]] * (n // 2)
    contest = contest_of([0.9] * 2 + [0.0] * (n - 2), half, scores)
    check = judge(contest, find_winners(contest, Links.none()))
    assert check.fits_by_chance
    assert (check.suspicious.better == -1).all()
    assert len(check.suspicious) == n - 2


# ------------------------------------------------------------------------------- whole runs


def test_a_run_tells_of_its_wrong_seeds(world: World) -> None:
    run, wrong = run_of(world, 0.5), with_wrong_seeds(world, 0.5)[:40]
    info, table = run.info["seed_check"], run.suspicious_seeds
    low, high = info["interval"]
    assert low < 0.5 < high
    assert info["warning"] in run.info["warnings"]
    assert info["warning"].startswith("about ")
    assert info["suspicious"] == len(table)
    assert info["most_suspicious"] == table.head(5).to_dicts()
    pairs = set(table.select("left", "right").rows())
    assert len(pairs & set(wrong)) / len(pairs) > 0.9
    assert (
        dict(table.drop_nulls("better").select("left", "better").rows()).items()
        <= {
            **dict(world.seeds),
            **dict(world.truth),
        }.items()
    )


def test_a_run_with_right_seeds_is_silent(world: World) -> None:
    run = run_of(world, 0.0)
    assert run.info["seed_check"]["warning"] is None
    assert run.info["seed_check"]["most_suspicious"] == []
    assert not [text for text in run.info["warnings"] if "seeds" in text]


def test_wrong_must_links_are_told_like_seeds_and_forbidden_pairs_are_never_better(
    world: World,
) -> None:
    wrong = with_wrong_seeds(world, 0.5)
    run = run_of(world, 0.5, seeds=wrong[20:], must_link=wrong[:20])
    better = run.suspicious_seeds.drop_nulls("better").select("left", "better").rows()
    demanded = {a for a, _ in wrong[:20]}
    assert any(a in demanded for a, _ in better)
    forbidden = better[0]
    again = run_of(world, 0.5, cannot_link=[forbidden])
    assert forbidden not in again.suspicious_seeds.select("left", "better").rows()


def test_rivals_that_are_not_allowed_and_the_seed_itself_are_struck() -> None:
    """Places of three seeds; pairs are numbered by left entity times four, plus right entity."""
    pair = SimpleNamespace(without_decoys=lambda ids: ids)
    allowed = AllowedPairs(4, np.array([0 * 4 + 3, 2 * 4 + 0]))
    seeds = Links(LeftIds(np.array([0, 1, 2])), RightIds(np.array([1, 2, 3])))
    rival = np.array([[0, 3, 1], [3, 2, -1], [0, 1, -1]])
    for limits, expected in (
        (allowed, [[0, -1, -1], [3, -1, -1], [-1, 1, -1]]),
        (None, [[0, 3, -1], [3, -1, -1], [0, 1, -1]]),
    ):
        problem: Any = SimpleNamespace(allowed=limits, pair=pair)
        assert _strike_refused_rivals(problem, seeds, rival).tolist() == expected
