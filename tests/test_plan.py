"""Memory is predicted before the work, kept to, or refused."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import lighttea
from lighttea.config import make_config
from lighttea.errors import ConfigError
from lighttea.graph.pair import Pair
from lighttea.plan import GIB, Blocks, make_plan, resident_bytes, stage_bytes
from tests.worlds import World

MEASURE = """
import sys
from typing import Any
import numpy as np
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.timeline import Instants
import lighttea
n, n_facts = {n}, {n_facts}
rng = np.random.default_rng(0)
def graph(prefix):
    head, tail = rng.integers(0, n, (2, n_facts))
    time = rng.integers(0, 300, n_facts)
    facts = Facts(head, rng.integers(0, 20, n_facts), tail, time, time)
    instants = Instants(np.arange(300) * 86400, np.full(300, 2, np.uint8))
    names = [prefix + str(i) for i in range(n)]
    return Graph(names, [str(i) for i in range(20)], facts, instants)
left, right = graph("l"), graph("r")
seeds = [(f"l{{i}}", f"r{{i}}") for i in range(n // 10)]
options = {options!r}
small = dict(dim=8, top_k=5, rounds=1)
lighttea.align(graph("l"), graph("r"), seeds=seeds[:20], **small)  # load the kernels first
run = lighttea.align(left, right, seeds=seeds, **options)
print(run.info["expected_peak_mb"], run.info["peak_rss_mb"])
"""


@pytest.fixture(scope="module")
def compiled() -> None:
    """Kernels in their cache: compiling takes more memory than a small run does."""
    code = MEASURE.format(n=300, n_facts=1_000, options={"rounds": 1, "dim": 8, "top_k": 5})
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 1, "dim": 512, "top_k": 50},  # labels are the most
        {"rounds": 2, "dim": 64, "top_k": 2000, "threshold": 0.0},  # candidates are the most
        {"rounds": 1, "dim": 256, "top_k": 300, "beta": 0.0, "alpha": 0.0},
    ],
)
def test_the_expected_peak_is_the_measured_one_within_a_quarter(options: dict[str, float]) -> None:
    if not resident_bytes():
        pytest.skip("cannot run here: the system does not tell a process its memory")
    code = MEASURE.format(n=9_000, n_facts=30_000, options=options)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    expected, measured = map(float, done.stdout.split())
    assert measured > 300  # more than the libraries alone: there is something to predict
    assert expected == pytest.approx(measured, rel=0.25)


def test_smaller_blocks_are_chosen_to_stay_within_the_limit(world: World) -> None:
    pair = Pair.of(world.left, world.right)
    roomy = make_plan(pair, 60, 60, make_config(max_memory=50.0))
    assert roomy.blocks == Blocks()
    need = roomy.peak / GIB
    tight = make_plan(pair, 60, 60, make_config(max_memory=need - 0.01))
    assert tight.blocks.right_rows < roomy.blocks.right_rows
    assert tight.peak < roomy.peak


def test_blocks_do_not_change_the_links(world: World) -> None:
    options = {"dim": 64, "top_k": 30, "rounds": 2}
    roomy = lighttea.align(world.left, world.right, seeds=world.seeds, **options)  # type: ignore[arg-type]
    limit = (resident_bytes() + 25e6) / GIB
    tight = lighttea.align(
        world.left,
        world.right,
        seeds=world.seeds,
        max_memory=limit,
        **options,  # type: ignore[arg-type]
    )
    assert set(roomy.links.select("left", "right").rows()) == set(
        tight.links.select("left", "right").rows()
    )


def test_too_little_memory_is_refused_with_the_number(world: World) -> None:
    with pytest.raises(ConfigError, match=r"about \d+\.\d\d GiB of memory are needed, 0\.01 GiB"):
        lighttea.align(world.left, world.right, seeds=world.seeds, max_memory=0.01)


def test_more_of_anything_needs_more(world: World) -> None:
    pair = Pair.of(world.left, world.right)

    def peak(**options: Any) -> int:
        return max(stage_bytes(pair, 60, 60, make_config(**options), Blocks()).values())

    assert peak(dim=1024) > peak() > peak(dim=128)
    assert peak(alpha=0.0) < peak()


def test_a_parents_memory_is_not_counted() -> None:
    """A process started by a large one does not call its parent's memory its own."""
    ballast = bytearray(600 << 20)
    ballast[:: 1 << 12] = b"x" * len(ballast[:: 1 << 12])
    code = "from lighttea.stages import peak_rss_mb; print(peak_rss_mb())"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert 0 < float(done.stdout) < 300
    del ballast
