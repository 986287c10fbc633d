"""Memory is predicted before the work, kept to, or refused."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

import lighttea
from lighttea.config import Preset, make_config
from lighttea.errors import ConfigError, LightteaWarning
from lighttea.kernels import compiled as compiled_loops
from lighttea.kernels.process import resident_bytes
from lighttea.results.run import Run
from lighttea.solve import memory, start
from lighttea.solve.memory import GIB, MemoryModel, kept_candidates, written_bytes
from lighttea.solve.problem import Sizes
from lighttea.solve.start import plan_cpu
from tests.worlds import World, make_hard_world, workspace_of

MEASURE = """
import json
import numpy as np
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.timeline import Instants
from lighttea.kernels import compiled as compiled_loops
from lighttea.kernels.process import resident_bytes
from lighttea.solve.memory import GIB
from lighttea.progress import Progress
import lighttea
rng = np.random.default_rng(0)
def graph(prefix, n, n_facts):
    head, tail = rng.integers(0, n, (2, n_facts))
    time = rng.integers(0, 300, n_facts)
    facts = Facts(head, rng.integers(0, 20, n_facts), tail, time, time)
    instants = Instants(np.arange(300) * 86400, np.full(300, 2, np.uint8))
    names = [prefix + str(i) for i in range(n)]
    return Graph(names, [str(i) for i in range(20)], facts, instants)
class Noting(Progress):
    def planned(self, peak_bytes):
        super().planned(peak_bytes)
        self.held_mb = resident_bytes() / (1 << 20)
    def show_warning(self, message):
        pass
options = {options!r}
seeds = [(f"l{{i}}", f"r{{i}}") for i in range({n} // 10)]
small = dict(options, dim=8, top_k=5, suggestions=2, threshold=0)
lighttea.align(graph("l", 300, 1000), graph("r", 300, 1000), seeds=seeds[:20], **small)  # kernels
left, right = graph("l", {n}, {n_facts}), graph("r", {n}, {n_facts})
progress = Noting()
limit = {more_mb} and (resident_bytes() / GIB + {more_mb} / 1024)
run = lighttea.align(left, right, seeds=seeds, progress=progress, max_memory=limit, **options)
print(json.dumps({{
    "expected": run.info["expected_peak_mb"], "measured": run.info["peak_rss_mb"],
    "held": progress.held_mb, "limit": 1024 * limit,
    "compact": "eight bits" in str(progress.warnings),
}}))
"""

# hops are the most, and in the second round the seeds' own one too: nearly all are paired
MANY_SEEDS = {"rounds": 2, "dim": 1024, "top_k": 20, "sketch_factor": 1, "alpha": 0}
NO_TIME: dict[str, Any] = {"alpha": 0.0, "beta": 0.0}


def measured(n: int, n_facts: int, options: dict[str, Any], more_mb: int = 0) -> dict[str, Any]:
    """One run in a process of its own, allowed so much more than it holds before (0: plenty)."""
    code = MEASURE.format(n=n, n_facts=n_facts, options=options, more_mb=more_mb)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def compiled() -> None:
    """Kernels in their cache: compiling takes more memory than a small run does."""
    small: dict[str, Any] = {"rounds": 2, "dim": 8, "top_k": 5, "threshold": 0.0}
    for preset in ("paper", "best"):
        for compact in (False, True):
            for more in ({}, NO_TIME):
                run_of(make_hard_world(), compact=compact, preset=preset, **small, **more)
        measured(300, 1_000, {**small, "preset": preset})  # with all that a new process loads


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    ("n_entities", "n_facts", "options", "more_mb"),
    [
        # labels are the most
        (9_000, 30_000, {"preset": "paper", "rounds": 1, "dim": 512, "top_k": 50}, 0),
        (9_000, 30_000, {"preset": "paper", "rounds": 1, "dim": 512, "top_k": 50}, 190),
        (9_000, 30_000, {"preset": "paper", "rounds": 1, "dim": 256, "top_k": 300, **NO_TIME}, 0),
        (9_000, 30_000, {"preset": "paper", **MANY_SEEDS}, 160),
        # whitening them takes more
        (9_000, 30_000, {"preset": "best", **MANY_SEEDS}, 256),
        (5_000, 16_666, {"preset": "best", "rounds": 2, "dim": 512}, 0),
        # candidates are the most: two blocks of rows show it
        (5_000, 16_666, {"preset": "paper", "rounds": 2, "dim": 64, "top_k": 1200}, 0),
        (5_000, 16_666, {"preset": "best", "rounds": 2, "dim": 64, "suggestions": 450}, 0),
        # views are the most
        (30_000, 300_000, {"preset": "paper", "rounds": 1, "dim": 16, "top_k": 5}, 0),
    ],
    ids=str,
)
def test_the_expected_peak_is_the_measured_one_within_a_quarter(
    n_entities: int, n_facts: int, options: dict[str, Any], more_mb: int
) -> None:
    """With less memory than float32 labels need they are rounded, and the limit is kept to."""
    if not resident_bytes():
        pytest.skip("cannot run here: the system does not tell a process its memory")
    found = measured(n_entities, n_facts, {"threshold": 0.0, **options}, more_mb)
    assert found["compact"] == (more_mb > 0)
    assert found["expected"] == pytest.approx(found["measured"], rel=0.25)
    added, expected = (found[name] - found["held"] for name in ("measured", "expected"))
    assert added > 80  # beside what the libraries hold, which needs no prediction
    # what a run adds hangs on when the C library gives memory back: .252 was seen once
    assert expected == pytest.approx(added, rel=0.4)
    if more_mb:
        assert max(found["expected"], found["measured"]) <= found["limit"]


@pytest.fixture(scope="module")
def sizes(world: World) -> Sizes:
    return workspace_of(world)[0].problem.sizes


def test_smaller_blocks_are_chosen_to_stay_within_the_limit(
    sizes: Sizes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other, as less and less is allowed: first fewer rows, then eight bits."""
    monkeypatch.setattr(start, "resident_bytes", lambda: 1 << 28)
    sizes = replace(sizes, n_left=9000, n_right=9000)
    plans = [plan_cpu(sizes, make_config("paper", top_k=20, max_memory=50.0))]
    while True:
        limit = plans[-1].peak / GIB - 1e-6
        try:
            plans.append(plan_cpu(sizes, make_config("paper", top_k=20, max_memory=limit)))
        except ConfigError:
            break
        assert plans[-1].peak <= limit * GIB
    assert [plan.compact for plan in plans] == [False, False, True, True]
    assert [plan.is_short for plan in plans] == [False, False, True, True]
    assert [plan.left_rows for plan in plans] == [4096, 512, 4096, 256]
    peaks = [plan.peak for plan in plans]
    assert peaks == sorted(peaks, reverse=True)


@pytest.mark.parametrize("compact", [False, True])
def test_a_resumed_run_holds_its_labels_as_it_began(sizes: Sizes, compact: bool) -> None:
    assert plan_cpu(sizes, make_config("paper"), compact=compact).compact == compact


def test_many_entities_take_eight_bits_without_being_short_of_memory(sizes: Sizes) -> None:
    sizes = replace(sizes, n_left=60_000, n_right=60_000)
    plan = plan_cpu(sizes, make_config("paper", max_memory=500.0))
    assert plan.compact
    assert not plan.is_short


def run_of(world: World, *, compact: bool = False, rows: int = 4096, **options: Any) -> Run:
    """A run that has no choice of blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start, "_CHOICES", ((compact, rows, rows),))
        if not compact:
            return lighttea.align(world.left, world.right, seeds=world.seeds, **options)
        with pytest.warns(LightteaWarning, match="rounded to eight bits"):
            return lighttea.align(world.left, world.right, seeds=world.seeds, **options)


def links_of(run: Run) -> set[tuple[str, str]]:
    return set(run.links.select("left", "right").rows())


@pytest.mark.parametrize("compact", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_blocks_do_not_change_the_links(compact: bool) -> None:
    world = make_hard_world()
    whole = run_of(world, compact=compact, rounds=2, dim=128)
    blocked = run_of(world, compact=compact, rounds=2, dim=128, rows=37)
    assert links_of(whole) == links_of(blocked)


def test_rounding_changes_few_links(world: World) -> None:
    """At most one link in a hundred; a round's scores by .0003 on average and .005 at most.

    In later rounds one pair more among the seeds gives all that follow it other random points.
    """
    paper: dict[str, Any] = {"preset": "paper"}
    assert links_of(run_of(world, compact=True, **paper)) == links_of(run_of(world, **paper))
    hard = make_hard_world()
    exact, rounded = run_of(hard, **paper), run_of(hard, compact=True, **paper)
    one, other = links_of(exact), links_of(rounded)
    assert len(one & other) >= 0.99 * max(len(one), len(other))
    paper["rounds"] = 1
    exact, rounded = run_of(hard, **paper), run_of(hard, compact=True, **paper)
    both = exact.candidates.join(rounded.candidates, on=["left", "right"], suffix="_rounded")
    gap = (both["score"] - both["score_rounded"]).abs().to_numpy()
    assert 0 < gap.mean() < 5e-4
    assert gap.max() < 5e-3


def test_a_rounded_run_says_so(world: World) -> None:
    assert "eight bits" in run_of(world, compact=True, rounds=1).info["warnings"][0]
    assert not run_of(world, rounds=1).info["warnings"]


def test_too_little_memory_is_refused_with_the_number(world: World) -> None:
    with pytest.raises(ConfigError, match=r"about \d+\.\d\d GiB of memory and may use 0\.01 GiB"):
        lighttea.align(world.left, world.right, seeds=world.seeds, max_memory=0.01)


def test_four_fifths_of_what_is_free_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda: 1000)
    assert memory.allowance(0, held=50) == 50 + 800
    assert memory.allowance(2, held=50) == 2 << 30


def test_what_is_off_takes_no_memory(sizes: Sizes) -> None:
    with_all = MemoryModel(sizes, make_config("best"))
    assert with_all.candidate_bytes == 58 + 4 + 4
    assert MemoryModel(sizes, make_config("best", likelihood=0.0)).candidate_bytes == 58 + 4
    assert MemoryModel(sizes, make_config("best", contradictions=False)).candidate_bytes == 58 + 4


MANY = Sizes(5000, 6000, n_nodes=12_000, n_facts=40_000, n_others=90_000, n_literals=9000)


def all_bytes(sizes: Sizes, **options: Any) -> dict[str, int]:
    """Everything a model tells, for the preset that does most."""
    model = MemoryModel(sizes, make_config("best", **options))
    return {
        **model.stages(4096, 2048),
        "device": model.on_device(),
        "worker": model.of_worker(3),
        "worker_row": model.worker_row_bytes,
    }


@pytest.mark.parametrize(
    "name", ["n_left", "n_right", "n_nodes", "n_facts", "n_others", "n_literals"]
)
def test_no_stage_takes_less_where_something_grows(name: str) -> None:
    """Bytes are whole numbers, and no less for twice as many entities, facts or literals."""
    before, after = all_bytes(MANY), all_bytes(replace(MANY, **{name: 2 * getattr(MANY, name)}))
    assert all(isinstance(value, int) for value in (*before.values(), *after.values()))
    assert all(after[stage] >= before[stage] for stage in before)
    assert after != before


def test_candidates_and_facts_count_where_they_stand() -> None:
    """Alarms hold tables of facts beside the views; a candidate takes a number at least."""
    few, many = all_bytes(MANY, suggestions=50), all_bytes(MANY, suggestions=100)
    assert few["alarms"] > MemoryModel(MANY, make_config("best")).views
    for stage in ("consensus", "time_similarity", "sinkhorn", "links"):
        assert many[stage] - few[stage] >= MANY.n_left * 2 * 50 * 4


def test_halves_have_labels_of_their_own(sizes: Sizes) -> None:
    """With cross-fitting each right entity has two labels; otherwise one."""
    once, twice = (MemoryModel(sizes, make_config("best", cross_fit=on)) for on in (False, True))
    assert once.labels == once.label_bytes * (sizes.n_left + sizes.n_right)
    assert twice.labels == once.labels + once.label_bytes * sizes.n_right


def test_evidence_takes_memory_where_it_is_on(sizes: Sizes) -> None:
    on, off = (MemoryModel(sizes, make_config("best", consensus=w)) for w in (0.5, 0.0))
    assert on.evidence >= 8 * sizes.n_facts  # a token and its entity, at least
    assert on.kept_evidence > 0
    assert off.evidence == off.kept_evidence == 0


def test_workers_share_what_they_hold(sizes: Sizes) -> None:
    model = MemoryModel(sizes, make_config("best"))
    alone, of_four = (model.of_worker(n) - model.evidence for n in (1, 4))
    assert of_four == alone // 4


def test_more_of_anything_needs_more(sizes: Sizes) -> None:
    many = replace(sizes, n_left=5000, n_right=5000, n_nodes=11000)

    def peak(preset: Preset = "paper", compact: bool = False, **options: Any) -> int:
        model = MemoryModel(many, make_config(preset, **options), compact)
        return max(model.stages(4096, 2048).values())

    assert peak(dim=1024) > peak() > peak(dim=128)
    assert peak(sketch_factor=8) > peak()
    assert peak(depth=9) > peak()
    assert peak(alpha=0.0) < peak()
    assert peak(compact=True) < peak()
    assert peak("best", suggestions=900) > peak("best")
    assert peak("best", whitening=False) < peak("best")


def test_views_of_an_aspect_that_is_not_used_need_nothing(sizes: Sizes) -> None:
    """Eight bytes of each fact in each of eight views, or of the four without time."""
    with_time, without = (
        MemoryModel(sizes, make_config("paper", **options)).views for options in ({}, NO_TIME)
    )
    assert without >= 4 * 8 * sizes.n_facts
    assert with_time - without >= 4 * 8 * sizes.n_facts


def test_a_small_graph_needs_little(sizes: Sizes) -> None:
    """Blocks are not larger than what there is to put into them."""
    model = MemoryModel(sizes, make_config("paper"))
    assert max(model.stages(4096, 2048).values()) < 5e6


def test_a_parents_memory_is_not_counted() -> None:
    """A process started by a large one does not call its parent's memory its own."""
    ballast = bytearray(600 << 20)
    ballast[:: 1 << 12] = b"x" * len(ballast[:: 1 << 12])
    code = "from lighttea.progress import peak_rss_mb; print(peak_rss_mb())"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert 0 < float(done.stdout) < 300
    del ballast


@pytest.mark.parametrize(
    ("n_left", "kept"), [(0, 50), (400_000, 50), (1_000_000, 20), (90_000_000, 1)]
)
def test_the_kept_candidates_do_not_grow_without_end(n_left: int, kept: int) -> None:
    assert kept_candidates(n_left) == kept
    assert written_bytes(n_left) <= 120 * max(20_000_000, n_left)


def test_loops_count_until_they_are_there(sizes: Sizes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small limit is refused with what is needed; it used to be overrun by the loops."""
    config = make_config("paper", dim=8, top_k=5, max_memory=0.4)
    monkeypatch.setattr(start, "resident_bytes", lambda: 350 << 20)
    monkeypatch.setattr(compiled_loops, "_loaded", set())
    with pytest.raises(ConfigError, match=r"may use 0\.40 GiB; .* alone take 0\.45 GiB"):
        plan_cpu(sizes, config)
    monkeypatch.setattr(compiled_loops, "_loaded", {"a loop"})
    assert plan_cpu(sizes, config).peak <= 0.4 * GIB
