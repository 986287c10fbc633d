"""Every engine does what the CPU engine does: stage by stage, and in whole runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from lighttea.assign.sinkhorn import Assignment
from lighttea.config import Config, LinkRules, Preset, make_config
from lighttea.engines.base import Engine
from lighttea.engines.cpu import CpuEngine
from lighttea.engines.dask.connection import Connection
from lighttea.engines.dask.engine import DaskEngine
from lighttea.engines.dask.layout import Cuts, Layout
from lighttea.evidence.shapes import shape_tokens
from lighttea.graph.pair import Links
from lighttea.similarity.search import Recall
from lighttea.similarity.settled import Settled
from lighttea.similarity.sources import BEFORE, BY_NEIGHBOURS, BY_TIMES
from lighttea.similarity.topk import Candidates
from lighttea.solve.bootstrap import first_seeds
from lighttea.solve.problem import Problem
from lighttea.solve.record import links_of
from lighttea.solve.round import Round
from lighttea.solve.rounds import rounds
from lighttea.types import Bytes, Floats, LeftIds, RightIds
from tests.engines.worlds import job_of
from tests.worlds import make_hard_world, make_world

CLOSE, CLEAR = 1e-4, 1e-3  # scores agree within; best candidates agree where they lead by more
SMALL: dict[str, Any] = {"dim": 32, "top_k": 30, "iterations": 6}

Start = Callable[[Problem], Engine]


# ------------------------------------------------------------------- an engine is a line here


def dask_engine(problem: Problem, cluster: Any) -> Engine:
    """Odd blocks: three of each side, four of the nodes, two of the columns."""
    to = Connection.to(cluster.scheduler_address, 0, 0)
    cuts = (
        Cuts.even(len(problem.left), 3),
        Cuts.even(len(problem.right), 3),
        Cuts.even(problem.pair.n_nodes, 4),
    )
    return DaskEngine(
        problem, to, Layout(*cuts, Cuts.even(SMALL["dim"], 2), piece=17, memory=1 << 30)
    )


def gpu_engine(problem: Problem, _: Any) -> Engine:
    """On torch's CPU device: the same code where there is no GPU."""
    pytest.importorskip("torch")
    from lighttea.engines.gpu.engine import GpuEngine

    return GpuEngine(problem, "cpu")


ENGINES: dict[str, Callable[[Problem, Any], Engine]] = {
    "gpu": gpu_engine,
    "dask": dask_engine,
}


@pytest.fixture(params=ENGINES)
def engine_of(request: pytest.FixtureRequest) -> Iterator[Start]:
    """Starts the engine under test for a problem; closed when the test is over."""
    started: list[Engine] = []
    cluster = request.getfixturevalue("dask_cluster") if request.param == "dask" else None

    def start(problem: Problem) -> Engine:
        started.append(ENGINES[request.param](problem, cluster))
        return started[-1]

    yield start
    for engine in started:
        engine.close()


# ---------------------------------------------------------------------------- comparing


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def dense(candidates: Candidates, table: Floats | Bytes | None) -> Floats:
    """(n, m) with NaN where there is no candidate: the order within a row does not matter."""
    assert table is not None
    out = np.full((len(candidates.left), len(candidates.right)), np.nan)
    row, column = np.nonzero(candidates.valid)
    out[row, candidates.index[row, column]] = table[row, column]
    return out


def assert_same(one: Candidates, other: Candidates, *tables: str) -> None:
    """The same candidates with the same figures, but for a few at the edge of the search."""
    for name in tables:
        left, right = dense(one, getattr(one, name)), dense(other, getattr(other, name))
        both = ~np.isnan(left) & ~np.isnan(right)
        np.testing.assert_allclose(left[both], right[both], atol=CLOSE)
        assert (np.isnan(left) != np.isnan(right)).mean() < 0.002
    score = dense(one, one.score)
    best = np.sort(np.where(np.isnan(score), -np.inf, score), axis=1)[:, -2:]
    clear = np.isfinite(best[:, -1]) & (best[:, 1] - best[:, 0] > CLEAR)
    theirs = dense(other, other.score)
    assert clear.any()
    np.testing.assert_array_equal(
        np.nanargmax(score[clear], axis=1), np.nanargmax(theirs[clear], axis=1)
    )


@dataclass
class Stages:
    """Two engines side by side through the stages of a round."""

    cpu: Engine
    other: Engine
    config: Config

    def both(self, call: Callable[[Engine], Any]) -> tuple[Any, Any]:
        return call(self.cpu), call(self.other)

    def candidates(self, on: Engine) -> tuple[Any, Any]:
        labels = on.labels(on.problem.known, self.config, rng())
        found, recall = on.search(labels, Settled.nobody(), self.config, rng())
        assert recall is None
        return labels, on.weighted(on.with_times(on.candidates(labels, found, {})), 0.4, 0.0)


def on_host(on: Engine, candidates: Any) -> Candidates:
    return on.on_host(candidates, on.without_assignment(candidates))[0]


@cache
def world_job(**options: Any) -> Problem:
    return job_of(make_hard_world(), **options)


@pytest.fixture
def stages(engine_of: Start) -> Stages:
    problem = world_job()
    return Stages(CpuEngine(problem), engine_of(problem), make_config("paper", **SMALL))


# -------------------------------------------------------------------------- stage by stage


@pytest.mark.parametrize("whitening", [False, True])
def test_labels_search_and_times(stages: Stages, whitening: bool) -> None:
    stages.config = replace(stages.config, whitening=whitening)
    cpu, other = (on_host(on, stages.candidates(on)[1]) for on in (stages.cpu, stages.other))
    assert_same(cpu, other, "label", "time", "score")
    assert other.source is not None
    np.testing.assert_array_equal(other.source > 0, other.valid)


def test_approximate_search_finds_nearly_all_and_says_so(stages: Stages) -> None:
    config = replace(stages.config, search="approximate")
    shares = []
    for on in (stages.cpu, stages.other):
        labels = on.labels(on.problem.known, config, rng())
        found, recall = on.search(labels, Settled.nobody(), config, rng())
        if on.name == "gpu":  # which always searches exactly
            assert recall is None
            recall = Recall(1.0, 1.0)
        assert recall is not None
        shares.append((recall.best, recall.all_k))
        near = on_host(on, on.candidates(labels, found, {}))
        exact, _ = on.search(labels, Settled.nobody(), stages.config, rng())
        whole = on_host(on, on.candidates(labels, exact, {}))
        both = ~np.isnan(dense(near, near.label)) & ~np.isnan(dense(whole, whole.label))
        assert both.sum() / whole.valid.sum() == pytest.approx(recall.all_k, abs=0.02)
        one, two = dense(near, near.label)[both], dense(whole, whole.label)[both]
        np.testing.assert_allclose(one, two, atol=CLOSE)
    assert shares[1][0] >= shares[0][0] - 0.05
    assert shares[1][1] >= shares[0][1] - 0.05


def test_both_draw_the_same_numbers(stages: Stages) -> None:
    stages.config = replace(stages.config, whitening=True)
    ends = []
    for on in (stages.cpu, stages.other):
        generator = rng()
        on.labels(on.problem.known, stages.config, generator)
        ends.append(generator.bit_generator.state)
    assert ends[0] == ends[1]


def test_assignments_and_what_is_read_off_them(stages: Stages) -> None:
    (_, cpu), (_, other) = stages.both(stages.candidates)
    calls: list[Callable[[Engine, Any], Assignment]] = [
        lambda on, c: on.assign(c, 0.05, 6),
        lambda on, c: on.without_assignment(c),
        lambda on, c: on.for_themselves(c, 0.05),
    ]
    for call in calls:
        one, two = call(stages.cpu, cpu), call(stages.other, other)
        assert two.marginal_gap == pytest.approx(one.marginal_gap, abs=CLOSE)
        seen, theirs = stages.other.on_host(other, two)
        np.testing.assert_allclose(
            dense(seen, theirs.value), dense(cpu, one.value), atol=1e-3, equal_nan=True
        )
        best, found = stages.cpu.best(cpu, one), stages.other.best(other, two)
        clear = best.margin > CLEAR
        np.testing.assert_array_equal(best.row[clear], found.row[clear])
        np.testing.assert_array_equal(best.right[clear], found.right[clear])
        np.testing.assert_allclose(best.score[clear], found.score[clear], atol=CLOSE)
        some = Links(LeftIds(best.left[::5]), RightIds(best.right[::5]))
        new, found = stages.cpu.claims(cpu, one, some), stages.other.claims(other, two, some)
        assert len(new.row) == len(set(new.right.tolist())) > 0
        assert not np.isin(new.left, some.left).any()
        assert not np.isin(new.right, some.right).any()
        clear = new.margin > CLEAR
        np.testing.assert_array_equal(new.row[clear], found.row[clear])
        np.testing.assert_array_equal(new.right[clear], found.right[clear])
        few, found = stages.cpu.best_n(cpu, one, 3), stages.other.best_n(other, two, 3)
        assert len(few.row) == len(found.row)
        np.testing.assert_allclose(
            np.sort(few.score.reshape(-1)), np.sort(found.score.reshape(-1)), atol=CLOSE
        )


def test_confidence_and_the_scale_of_noise(stages: Stages) -> None:
    (_, cpu), (_, other) = stages.both(stages.candidates)
    scale = stages.cpu.noise_scale(cpu)
    assert scale
    assert stages.other.noise_scale(other) == pytest.approx(scale, rel=1e-3)
    one, two = stages.cpu.confidence(cpu, 6), stages.other.confidence(other, 6)
    assert one is not None
    assert two is not None
    assert two.share == pytest.approx(one.share, abs=1e-3)
    seen, theirs = stages.other.on_host(other, Assignment(two.value, 0.0, two.value, two.share))
    assert theirs.confidence is not None
    np.testing.assert_allclose(
        dense(seen, theirs.confidence), dense(cpu, one.value), atol=5e-3, equal_nan=True
    )


def test_counts_and_weights(stages: Stages) -> None:
    (labels, cpu), (theirs, other) = stages.both(stages.candidates)
    assert stages.other.reached(other) == stages.cpu.reached(cpu) > 0
    for weights in ((0.0, 0.0), (0.4, 0.0), (0.9, 0.5)):
        mine, found = stages.cpu.wanted(cpu, *weights), stages.other.wanted(other, *weights)
        assert found == pytest.approx(mine, abs=2)
    tried = (0.2, 0.5, 0.8)
    mine_by = stages.cpu.wanted_by_alpha(cpu, labels, 0.5, tried)
    found_by = stages.other.wanted_by_alpha(other, theirs, 0.5, tried)
    assert found_by == pytest.approx(mine_by, abs=2)


def test_the_settled_choose_again_and_the_kept_are_told(stages: Stages) -> None:
    on = stages.cpu, stages.other
    made = [stages.candidates(one) for one in on]
    values = [one.assign(table, 0.05, 6) for one, (_, table) in zip(on, made, strict=True)]
    paired = on[0].problem.left[::2]
    settled = [
        one.settled(table, value, paired, 10)
        for one, (_, table), value in zip(on, made, values, strict=True)
    ]
    np.testing.assert_array_equal(settled[0].rows, settled[1].rows)
    assert settled[0].index.shape == settled[1].index.shape
    again = []
    for one, (labels, _) in zip(on, made, strict=True):
        found, _ = one.search(labels, settled[0], stages.config, rng())
        again.append(on_host(one, one.candidates(labels, found, {})))
    assert_same(again[0], again[1], "label")
    kept = [
        one.kept(labels, table, value, stages.config, 5)
        for one, (labels, table), value in zip(on, made, values, strict=True)
    ]
    np.testing.assert_array_equal(kept[0].row, kept[1].row)
    np.testing.assert_array_equal(kept[0].rank, kept[1].rank)
    assert (kept[0].place == kept[1].place).mean() > 0.95
    same = kept[0].place == kept[1].place
    assert list(kept[0].terms) == list(kept[1].terms)
    for name, term in kept[0].terms.items():
        np.testing.assert_allclose(term[same], kept[1].terms[name][same], atol=CLOSE)
    total = sum(kept[1].terms.values())
    np.testing.assert_allclose(total, kept[1].score, atol=CLOSE)


def test_evidence_suggestions_and_consensus(stages: Stages) -> None:
    config = make_config("best", **SMALL)
    made = []
    for on in (stages.cpu, stages.other):
        evidence = on.evidence(on.problem.known, config, list(shape_tokens(on.problem.pair)))
        tables = {
            bit: on.suggested(evidence, 20, neighbours=bit == BY_NEIGHBOURS)
            for bit in (BY_NEIGHBOURS, BY_TIMES)
        }
        alone = on.candidates_by_evidence(evidence, tables)
        labels = on.labels(on.problem.known, config, rng())
        found, _ = on.search(labels, Settled.nobody(), config, rng())
        before = Settled(np.arange(4), np.arange(8, dtype=np.int32).reshape(4, 2))
        merged = on.candidates(labels, found, {BEFORE: on.stayed(before), **tables})
        said = on.weighted(on.with_consensus(on.with_times(merged), evidence), 0.2, 0.6)
        made.append((on_host(on, alone), on_host(on, said)))
    (one, first), (two, second) = made
    assert_same(one, two, "label")
    assert_same(first, second, "label", "time", "consensus", "score")
    assert first.source is not None
    assert second.source is not None
    same = dense(first, first.source) == dense(second, second.source)
    assert (same | np.isnan(dense(first, first.label))).mean() > 0.998


# ------------------------------------------------------------------------------- whole runs


def last_round(on: Engine, config: Config) -> Round:
    seeds, _ = first_seeds(on, config)
    for result in rounds(on, config=config, rng=rng(), seeds=seeds):
        last = result
    return last


def assert_same_links(problem: Problem, engine_of: Start, config: Config, **rules: Any) -> None:
    links = []
    for on in (CpuEngine(problem), engine_of(problem)):
        found = links_of(on, last_round(on, config), LinkRules(**rules))
        links.append(found)
    one, two = links
    assert len(one.left)
    sure = one.margin > CLEAR
    pairs = set(zip(two.left.tolist(), two.right.tolist(), strict=True))
    missing = set(zip(one.left[sure].tolist(), one.right[sure].tolist(), strict=True)) - pairs
    assert not missing
    assert abs(len(one.left) - len(two.left)) <= (~sure).sum()


@pytest.mark.parametrize("preset", ["paper", "best"])
def test_whole_runs(engine_of: Start, preset: Preset) -> None:
    config = make_config(preset, **SMALL, rounds=2)
    assert_same_links(world_job(), engine_of, config)


def test_with_types_and_forbidden_pairs(engine_of: Start) -> None:
    problem = world_job(refused=True)
    assert_same_links(problem, engine_of, make_config("paper", **SMALL, rounds=1))
    assert problem.allowed is not None
    on = engine_of(problem)
    found = links_of(on, last_round(on, make_config("paper", **SMALL, rounds=1)))
    assert not problem.allowed.refuses(found.left, found.right).any()


def test_without_time(engine_of: Start) -> None:
    config = make_config("paper", **SMALL, rounds=1).without_time()
    assert_same_links(job_of(make_world(2, timed=False)), engine_of, config)


def test_without_seeds_and_with_names(engine_of: Start) -> None:
    world = replace(make_world(4, n_entities=80, n_facts=700), seeds=[])
    config = make_config("best", **SMALL, rounds=1, names=True)
    assert_same_links(job_of(world, named=True), engine_of, config)


def test_one_candidate_alone(engine_of: Start) -> None:
    config = make_config("paper", **(SMALL | {"top_k": 1}), rounds=1)
    assert_same_links(world_job(few_right=1), engine_of, config, many_to_one=True)


def test_more_candidates_than_there_are(engine_of: Start) -> None:
    config = make_config("paper", **(SMALL | {"top_k": 500}), rounds=1)
    assert_same_links(job_of(make_world(3)), engine_of, config, top_n=2)


def test_the_ablations(engine_of: Start) -> None:
    config = make_config("paper", **SMALL, rounds=1, sinkhorn=False, temporal_propagation=False)
    assert_same_links(world_job(), engine_of, config)
