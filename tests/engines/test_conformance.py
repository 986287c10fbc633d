"""Every engine does what the CPU engine does, however the work is cut: stage by stage.

Whole runs are compared in test_whole_runs.py, single functions of arrays in test_ops.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np
import pytest

from lighttea.assign.decode import (
    PlainBest,
    best_candidates,
    carried_candidates,
    one_to_one_matches,
    scored_candidates,
)
from lighttea.assign.probability import match_probabilities, noise_scale
from lighttea.assign.sinkhorn import Assignment, assign, assign_many_to_one, keep_similarities
from lighttea.config import Config, make_config
from lighttea.engines.base import Blocks
from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.ops import Ops
from lighttea.engines.tables import TopK
from lighttea.evidence.degrees import degree_tokens
from lighttea.evidence.likelihood_model import LikelyPairs
from lighttea.io.frames import graph_of_frame
from lighttea.propagate.labels import Labels
from lighttea.similarity.allowed import refused_pairs, strike_refused
from lighttea.similarity.candidates import (
    Candidates,
    add_consensus,
    add_likelihood,
    blend_scores,
    index_of,
)
from lighttea.similarity.carry import CarriedCandidates
from lighttea.similarity.merge import BY_LABEL, BY_NEIGHBOURS, BY_TIMES, CARRIED_OVER
from lighttea.similarity.recall import Recall
from lighttea.similarity.search import candidates_by_label, carried_tables, search_labels
from lighttea.similarity.time import add_time_similarity
from lighttea.similarity.weights import (
    TermWeights,
    count_distinct_best,
    count_distinct_best_by_alpha,
)
from lighttea.solve.problem import Problem
from lighttea.solve.round import count_contradictions, fit_weights, propagate_labels
from lighttea.solve.workspace import Workspace
from tests.engines.comparing import (
    CLOSE,
    assert_same,
    assert_same_matches,
    assert_same_places,
    dense,
    fetch_candidates,
    fetch_rows,
    fetch_table,
)
from tests.engines.conftest import ENGINES, SMALL, OpenWork, open_works
from tests.engines.worlds import problem_of, whole_cpu
from tests.lives import people, person, right_names
from tests.worlds import World, fact_frame, make_hard_world

PAPER = make_config("paper", **SMALL)


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


# ---------------------------------------------------------------------------- the stages

T = TypeVar("T")
Made = tuple[Labels[Any], Blocks[Candidates[Any]]]


class Stages:
    """One problem on two engines side by side; what several tests need is made once."""

    def __init__(self, problem: Problem, open_work: OpenWork) -> None:
        self.problem = problem
        self.cpu = Workspace(whole_cpu(problem, SMALL["dim"]), problem)
        self.other = open_work(problem)
        self._made: dict[tuple[str, str, Config], object] = {}

    @property
    def both(self) -> tuple[Workspace[Any], Workspace[Any]]:
        """Return both workspaces, the CPU's first."""
        return self.cpu, self.other

    def _once(self, what: str, work: Workspace[Any], config: Config, make: Callable[[], T]) -> T:
        key = what, "cpu" if work is self.cpu else "other", config
        if key not in self._made:
            self._made[key] = make()
        return cast(T, self._made[key])

    def labels(self, work: Workspace[Any], config: Config) -> Labels[Any]:
        """Return the labels that the seeds give."""
        known = self.problem.known
        return self._once(
            "labels", work, config, lambda: propagate_labels(work, known, config, rng())
        )

    def search(self, work: Workspace[Any], config: Config) -> Blocks[TopK[Any]]:
        """Return the best right entities of each left one by label."""

        def search() -> Blocks[TopK[Any]]:
            labels, nothing = self.labels(work, config), CarriedCandidates.none()
            found, recall = search_labels(work.engine, labels, nothing, config, rng())
            assert recall is None
            return found

        return self._once("search", work, config, search)

    def candidates(self, work: Workspace[Any], config: Config) -> Made:
        """Return labels, and the candidates that they find with the similarity of their times."""
        engine, labels = work.engine, self.labels(work, config)

        def score() -> Blocks[Candidates[Any]]:
            found = candidates_by_label(engine, labels, self.search(work, config), {})
            timed = add_time_similarity(engine, found, work.views.tick_counts())
            return engine.map(blend_scores, timed, 0.4, 0.0)

        return labels, self._once("candidates", work, config, score)

    def assigned(self, work: Workspace[Any], config: Config) -> tuple[*Made, Assignment[Any]]:
        """Return labels and candidates with their values after Sinkhorn."""
        labels, candidates = self.candidates(work, config)
        assignment = self._once(
            "assigned",
            work,
            config,
            lambda: assign(work.engine, candidates, temperature=0.05, iterations=6),
        )
        return labels, candidates, assignment


@cache
def hard_problem(**options: Any) -> Problem:
    return problem_of(make_hard_world(), **options)


@pytest.fixture(scope="module", params=ENGINES)
def stages(request: pytest.FixtureRequest) -> Iterator[Stages]:
    """The stages of one problem, on the CPU engine and each other engine in turn."""
    with open_works(request, request.param) as open_work:
        yield Stages(hard_problem(), open_work)


# ----------------------------------------------------------------------- labels and search


@pytest.mark.parametrize("whitening", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_labels(stages: Stages, whitening: bool, alpha: float) -> None:
    config = replace(PAPER, whitening=whitening, alpha=alpha)
    one, other = (stages.labels(work, config) for work in stages.both)
    assert (one.n_aspects, one.has_relational) == (other.n_aspects, other.has_relational)
    for side in ("left", "right"):
        mine = fetch_rows(stages.cpu, getattr(one, side))
        theirs = fetch_rows(stages.other, getattr(other, side))
        assert np.linalg.norm(mine, axis=1).max() == pytest.approx(1, abs=1e-5)
        np.testing.assert_allclose(mine, theirs, atol=CLOSE)


@pytest.mark.parametrize("whitening", [False, True])
def test_labels_of_eight_bits_point_where_others_do(open_work: OpenWork, whitening: bool) -> None:
    config, problem = replace(PAPER, whitening=whitening), hard_problem()
    work, cpu = open_work(problem), Workspace(whole_cpu(problem, SMALL["dim"]), problem)
    work.engine.compact = True
    rounded, whole = (propagate_labels(w, problem.known, config, rng()) for w in (work, cpu))
    for side in ("left", "right"):
        mine = fetch_rows(work, getattr(rounded, side))
        theirs = fetch_rows(cpu, getattr(whole, side))
        np.testing.assert_array_equal(mine.any(axis=1), theirs.any(axis=1))
        cosines = (mine * theirs).sum(axis=1)[theirs.any(axis=1)]
        np.testing.assert_allclose(cosines, 1, atol=0.005)  # lengths are rounded too


def test_both_draw_the_same_numbers(stages: Stages) -> None:
    config, ends = replace(PAPER, whitening=True), []
    for work in stages.both:
        generator = rng()
        propagate_labels(work, work.problem.known, config, generator)
        ends.append(generator.bit_generator.state)
    assert ends[0] == ends[1]


@pytest.mark.parametrize("whitening", [False, True])
def test_exact_search_and_time_similarity(stages: Stages, whitening: bool) -> None:
    config = replace(PAPER, whitening=whitening)
    one, other = (
        fetch_candidates(work, stages.candidates(work, config)[1]) for work in stages.both
    )
    assert_same(one, other, "label", "time", "score")
    np.testing.assert_array_equal(other.source, np.where(other.valid, BY_LABEL, 0))


def test_approximate_search_finds_nearly_all_and_says_so(stages: Stages) -> None:
    config, recalls = replace(PAPER, search="approximate"), []
    for work in stages.both:
        labels, nothing = stages.labels(work, PAPER), CarriedCandidates.none()
        found, recall = search_labels(work.engine, labels, nothing, config, rng())
        if work.engine.is_exact:
            assert recall is None
            recall = Recall(1.0, 1.0)
        assert recall is not None
        recalls.append(recall)
        near, exact = (
            fetch_candidates(work, candidates_by_label(work.engine, labels, one, {}))
            for one in (found, stages.search(work, PAPER))
        )
        one, two = dense(near, near.label), dense(exact, exact.label)
        both = ~np.isnan(one) & ~np.isnan(two)
        assert both.sum() / exact.valid.sum() == pytest.approx(recall.all_k, abs=0.02)
        np.testing.assert_allclose(one[both], two[both], atol=CLOSE)
    assert recalls[1].best >= recalls[0].best - 0.05
    assert recalls[1].all_k >= recalls[0].all_k - 0.05


def test_pairs_that_are_not_allowed_are_struck(stages: Stages) -> None:
    allowed, problem = hard_problem(refused=True).allowed, stages.problem
    assert allowed is not None
    found = []
    for work in stages.both:
        engine, (_, candidates) = work.engine, stages.candidates(work, PAPER)
        left = Blocks(engine.hold(problem.left[rows]) for rows in engine.layout.left)
        right, held = engine.hold(problem.right), engine.hold(allowed)
        struck = engine.map(strike_refused, candidates, held, left, right)
        found.append(fetch_candidates(work, struck))
    one, other = found
    assert_same(one, other, "label", "score")
    row, column = np.nonzero(other.valid)
    right_ids = problem.right[other.index[row, column]]
    assert not refused_pairs(PLAIN, allowed, problem.left[row], right_ids).any()
    before = fetch_candidates(stages.other, stages.candidates(stages.other, PAPER)[1])
    assert len(row) < before.valid.sum()


# -------------------------------------------------------- assignment and what is read off it

Assigning = Callable[[Workspace[Any], Blocks[Candidates[Any]]], Assignment[Any]]
ASSIGNMENTS: dict[str, Assigning] = {
    "one to one": lambda w, c: assign(w.engine, c, temperature=0.05, iterations=6),
    "many to one": lambda w, c: assign_many_to_one(w.engine, c, temperature=0.05),
    "similarities": lambda w, c: keep_similarities(w.engine, c),
}


@pytest.mark.parametrize("assigning", ASSIGNMENTS.values(), ids=ASSIGNMENTS)
def test_assignment_and_decoding(stages: Stages, assigning: Assigning) -> None:
    candidates = [stages.candidates(work, PAPER)[1] for work in stages.both]
    tables = list(zip(stages.both, candidates, strict=True))
    assignments = [assigning(work, table) for work, table in tables]
    gaps = [assignment.marginal_gap for assignment in assignments]
    assert gaps[1] == pytest.approx(gaps[0], abs=CLOSE)
    values = [
        dense(fetch_candidates(work, table), fetch_table(work, assignment.value))
        for (work, table), assignment in zip(tables, assignments, strict=True)
    ]
    np.testing.assert_allclose(values[0], values[1], atol=1e-3)

    def decode(function: Callable[..., PlainBest], *arguments: Any) -> tuple[PlainBest, PlainBest]:
        one, other = (
            function(work.engine, table, assignment, *arguments)
            for (work, table), assignment in zip(tables, assignments, strict=True)
        )
        return one, other

    best, theirs = decode(best_candidates)
    assert_same_matches(best, theirs)
    links = stages.cpu.links_of(best.row[::5], best.place[::5])
    new, theirs = decode(one_to_one_matches, *stages.cpu.taken(links))
    assert len(new.row) == len(set(new.place.tolist())) > 0
    assert not np.isin(new.row, best.row[::5]).any()
    assert not np.isin(new.place, best.place[::5]).any()
    assert_same_matches(new, theirs)
    few, theirs = decode(best_candidates, 3)
    assert len(few.row) == len(theirs.row) > len(best.row)
    np.testing.assert_allclose(np.sort(few.score), np.sort(theirs.score), atol=CLOSE)


def test_probabilities_and_the_scale_of_noise(stages: Stages) -> None:
    found, scales, shares = [], [], []
    for work in stages.both:
        _, candidates = stages.candidates(work, PAPER)
        scales.append(noise_scale(work.engine, candidates))
        match = match_probabilities(work.engine, candidates, iterations=6)
        assert match is not None
        shares.append(match.share)
        plain = fetch_candidates(work, candidates)
        found.append(dense(plain, fetch_table(work, match.value)))
    assert scales[0]
    assert scales[1] == pytest.approx(scales[0], rel=1e-3)
    assert shares[1] == pytest.approx(shares[0], abs=1e-3)
    np.testing.assert_allclose(found[0], found[1], atol=5e-3)


def test_carried_candidates_choose_again(stages: Stages) -> None:
    made = [stages.assigned(work, PAPER) for work in stages.both]
    rows = np.arange(len(stages.problem.left)) % 2 == 0
    carried = [
        carried_candidates(work.engine, candidates, assignment, rows, 10)
        for work, (_, candidates, assignment) in zip(stages.both, made, strict=True)
    ]
    for one in carried:
        np.testing.assert_array_equal(one.rows, np.flatnonzero(rows))
    assert_same_places(carried[0].index, carried[1].index)
    again, tables = [], []
    for work, (labels, _, _) in zip(stages.both, made, strict=True):
        found, _ = search_labels(work.engine, labels, carried[0], PAPER, rng())
        again.append(fetch_candidates(work, candidates_by_label(work.engine, labels, found, {})))
        tables.append(fetch_table(work, carried_tables(work.engine, carried[0]), -1))
    assert_same(again[0], again[1], "label")
    assert (again[1].valid[rows].sum(axis=1) <= 10).all()
    np.testing.assert_array_equal(tables[0], tables[1])
    np.testing.assert_array_equal(tables[1][rows], carried[0].index)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_scored_candidates_and_their_terms(stages: Stages, alpha: float) -> None:
    config, scored = replace(PAPER, alpha=alpha), []
    for work in stages.both:
        made = stages.assigned(work, config)
        scored.append(scored_candidates(work.engine, *made, config, 5))
    one, other = scored
    np.testing.assert_array_equal(one.row, other.row)
    np.testing.assert_array_equal(one.rank, other.rank)
    same = one.place == other.place
    assert same.mean() > 0.95
    assert list(one.terms) == list(other.terms)
    for name, term in one.terms.items():
        np.testing.assert_allclose(term[same], other.terms[name][same], atol=CLOSE)
    np.testing.assert_allclose(one.confidence[same], other.confidence[same], atol=1e-3)
    for each in scored:
        np.testing.assert_allclose(sum(each.terms.values()), each.score, atol=CLOSE)


# -------------------------------------------------------------------- evidence and weights


def test_evidence_proposals_and_consensus(stages: Stages) -> None:
    config, proposed, scored = make_config("best", **SMALL), [], []
    for work in stages.both:
        problem, engine = work.problem, work.engine
        unlinked = list(degree_tokens(PLAIN, problem.pair))
        evidence = work.evidence.gather(problem.known, config, unlinked)
        tables = {
            bit: work.evidence.propose(evidence, 20, neighbours=bit == BY_NEIGHBOURS)
            for bit in (BY_NEIGHBOURS, BY_TIMES)
        }
        proposed.append([fetch_table(work, table, -1) for table in tables.values()])
        carried = CarriedCandidates(np.arange(4), np.arange(8, dtype=np.int32).reshape(4, 2))
        proposals = {CARRIED_OVER: carried_tables(engine, carried), **tables}
        labels, found = stages.labels(work, config), stages.search(work, config)
        candidates = candidates_by_label(engine, labels, found, proposals)
        candidates = add_time_similarity(engine, candidates, work.views.tick_counts())
        consensus = work.evidence.consensus(evidence, engine.map(index_of, candidates))
        candidates = engine.map(add_consensus, candidates, consensus)
        pairs = LikelyPairs.sure(problem.known)
        likelihood = work.likelihood.weigh(pairs, engine.map(index_of, candidates))
        candidates = engine.map(add_likelihood, candidates, likelihood)
        scored.append(fetch_candidates(work, engine.map(blend_scores, candidates, 0.2, 0.6, 0.3)))
    for one, other in zip(*proposed, strict=True):
        assert (one >= 0).any()
        assert_same_places(one, other)
    one, other = scored
    assert_same(one, other, "label", "time", "consensus", "likelihood", "score")
    same = dense(one, one.source) == dense(other, other.source)
    assert (same | np.isnan(dense(one, one.label))).mean() > 0.998


def test_contradictions(open_work: OpenWork) -> None:
    """Every person with every other as a candidate, most of them seeds."""
    problem, counted = problem_of(lives_world()), []
    config = make_config("best", **SMALL)
    for work in (Workspace(whole_cpu(problem, SMALL["dim"]), problem), open_work(problem)):
        engine, n_right = work.engine, len(problem.right)
        every = engine.map(all_candidates, n_rows_of_blocks(work), n_right)
        candidates = count_contradictions(work, every, problem.known, config)
        scored = engine.map(blend_scores, candidates, 0.2, 0.6)
        counted.append(fetch_candidates(work, scored))
    one, other = counted
    assert one.contradiction is not None
    assert one.contradiction.min() < -0.1
    assert 0.2 < (one.contradiction < 0).mean() < 1
    assert 0 < (one.index < 0).sum() < one.index.size / 2
    np.testing.assert_array_equal(one.index, other.index)
    for name in ("contradiction", "score"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-6)


def n_rows_of_blocks(work: Workspace[Any]) -> Blocks[int]:
    return Blocks(work.engine.hold(n) for n in work.engine.layout.left.sizes)


def all_candidates(ops: Ops[Any], n_rows: int, n_right: int) -> Candidates[Any]:
    """Return every right entity as a candidate of every left one, all with the same score."""
    index = ops.astype(ops.full((n_rows, 1), 0, "int32") + ops.arange(n_right), "int32")
    label = ops.full((n_rows, n_right), 0.5, "float32")
    return Candidates(index, label, label, ops.full((n_rows, n_right), BY_LABEL, "uint8"))


def lives_world() -> World:
    """People of two times, of which a half is known."""
    old = [fact for n in range(20) for fact in person(f"old {n}", 1600 + n, 1640 + n, 1670 + n, n)]
    left, right = [*people(), *old], right_names([*people(), *old])
    left_graph, right_graph = (graph_of_frame(fact_frame(*facts)) for facts in (left, right))
    names = sorted({end for fact in left for end in (fact[0], fact[2])})
    unknown = {*names[::3], *(name for name in names if name.startswith("old 1"))}
    pairs = [(name, f"x {name}") for name in names]
    seeds = [pair for pair in pairs if pair[0] not in unknown]
    return World(left_graph, right_graph, seeds, [pair for pair in pairs if pair[0] in unknown])


def test_counts_and_weights_that_the_data_choose(stages: Stages) -> None:
    counts: list[Sequence[int]] = []
    chosen: list[tuple[float, float]] = []
    config = replace(make_config("best", **SMALL), adapt="beta, consensus")
    for work in stages.both:
        engine, (labels, candidates) = work.engine, stages.candidates(work, PAPER)
        evidence = work.evidence.gather(work.problem.known, config)
        consensus = work.evidence.consensus(evidence, engine.map(index_of, candidates))
        told = engine.map(add_consensus, candidates, consensus)
        weights = TermWeights(0.0, 0.0), TermWeights(0.4, 0.0), TermWeights(0.9, 0.5)
        by_weights = count_distinct_best(engine, told, weights)
        alphas = (0.2, 0.5, 0.8)
        by_alpha = count_distinct_best_by_alpha(engine, candidates, labels, 0.5, alphas)
        assert list(by_alpha) == list(alphas)
        counts.append([*by_weights, *by_alpha.values()])
        fitted = fit_weights(work, told, config)
        chosen.append((fitted.beta, fitted.consensus))
    assert min(counts[0]) > 0
    assert counts[1] == pytest.approx(counts[0], abs=2)
    assert chosen[1] == pytest.approx(chosen[0], abs=0.02)
