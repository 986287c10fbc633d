"""The GPU engine where there is none, and what is particular to it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lighttea
from lighttea.assign.decode import PlainBest, best_candidates
from lighttea.config import EngineName, make_config
from lighttea.errors import ConfigError, EngineUnavailable, LightteaWarning
from lighttea.graph.pair import Pair
from lighttea.graph.store import load_graphs, save_graphs
from lighttea.solve.memory import MemoryModel
from lighttea.solve.solve import solve
from lighttea.solve.start import gpu_engine, open_workspace, plan_gpu
from lighttea.solve.workspace import Workspace
from tests.engines.worlds import problem_of
from tests.worlds import make_world

torch = pytest.importorskip("torch")

from lighttea.engines.gpu import device as devices  # noqa: E402
from lighttea.engines.gpu import engine as engines  # noqa: E402
from lighttea.engines.gpu.ops import TorchOps  # noqa: E402
from lighttea.engines.gpu.ragged import run_sums, spread  # noqa: E402

SMALL: dict[str, Any] = {"dim": 32, "top_k": 20, "rounds": 2}


def test_without_a_gpu_the_cpu_does_the_work_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    world = make_world(3)
    with pytest.warns(LightteaWarning, match="finds no usable GPU .* aligning on the CPU instead"):
        run = lighttea.align(world.left, world.right, seeds=world.seeds, engine="gpu", **SMALL)
    assert run.info["engine"] == "cpu"
    plain = lighttea.align(world.left, world.right, seeds=world.seeds, **SMALL)
    assert run.links.equals(plain.links)


def test_without_torch_the_cure_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lighttea.engines.gpu.engine", None)
    world = make_world(3)
    with pytest.raises(EngineUnavailable, match=r"pip install 'lighttea\[gpu\]'"):
        lighttea.align(world.left, world.right, seeds=world.seeds, engine="gpu", **SMALL)


@pytest.mark.parametrize(
    ("owner", "function", "is_full"),
    [
        (devices.Device, "put", lambda array, *_: array.ndim == 1),  # views
        (TorchOps, "empty_rows", lambda n_rows, width, n_parts: n_parts == 2),  # label rows
        (TorchOps, "add_neighbour_products", lambda *_: True),
        (TorchOps, "top_k", lambda *_: True),
        (TorchOps, "multiset_dice", lambda *_: True),
        (TorchOps, "sparse_kernel", lambda *_: True),
        (TorchOps, "row_argmin", lambda *_: True),  # links
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_full_device_is_told_with_the_cure(
    owner: type, function: str, is_full: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = getattr(owner, function)

    def fail(self: Any, *arguments: Any, **options: Any) -> Any:
        if is_full(*arguments):
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return whole(self, *arguments, **options)

    monkeypatch.setattr(owner, function, fail)
    monkeypatch.setattr(engines, "find_gpu", lambda: ("cpu", ""))
    world = make_world(3)
    with pytest.raises(
        EngineUnavailable, match=r"ran out of memory.*`engine=\"cpu\"`.*`checkpoint`"
    ):
        lighttea.align(world.left, world.right, seeds=world.seeds, engine="gpu", **SMALL)


def test_a_run_from_the_facts_to_the_links_is_that_of_the_cpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "find_gpu", lambda: ("cpu", ""))
    world = make_world(5)
    options: dict[str, Any] = {"seeds": world.seeds, "preset": "best", **SMALL}
    plain = lighttea.align(world.left, world.right, **options)
    run = lighttea.align(world.left, world.right, engine="gpu", **options)
    assert run.info["engine"] == "gpu"
    assert run.info["expected_peak_mb"] > 50
    pairs = ["left", "right"]
    assert run.links.select(pairs).sort(pairs).equals(plain.links.select(pairs).sort(pairs))
    both = run.candidates.join(plain.candidates, on=pairs, suffix="_cpu")
    assert len(both) > 0.99 * len(plain.candidates)
    names = ["relational", "temporal", "time", "consensus", "likelihood", "contradiction"]
    for name in (*names, "score"):
        np.testing.assert_allclose(both[name], both[f"{name}_cpu"], atol=1e-3)
    terms = both.select(names).sum_horizontal()
    np.testing.assert_allclose(terms, both["score"], atol=1e-5)


def test_no_warning_of_torch_reaches_a_user() -> None:
    """Torch warns once in a process, so the first sparse product is made in one of its own."""
    program = """
import numpy as np
from lighttea.engines.tables import (NodeRows)
from lighttea.engines.gpu.device import Device
from lighttea.engines.gpu.ops import TorchOps
from lighttea.graph.views import View

ops = TorchOps(Device.named("cpu"))
rows = ops.empty_rows(2, 3, 1, compact=False)
rows.put(0, ops.full((2, 3), 1.0, "float32"))
columns = (np.array([0, 1, 2]), np.array([0, 1], np.int32), np.ones(2, np.float32))
out = ops.full((2, 3), 0.0, "float32")
view = View(*map(ops.asarray, columns), 2)
ops.sparse_product(view, ops.spread_rows(rows, [ops.arange(2)], 2), 0, out)
assert ops.to_numpy(out).tolist() == [[1.0] * 3] * 2
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def best_on_gpu() -> PlainBest:
    """Return each left entity's best candidate of a small problem, on torch's CPU device."""
    problem, config = problem_of(make_world(2)), make_config("best", **SMALL)
    work = Workspace(gpu_engine(problem, config, "cpu"), problem)
    for step in solve(work, config):
        best = best_candidates(work.engine, step.result.candidates, step.result.assignment)
    return best


def test_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fits on the device is asked for; with nearly no room all goes row by row."""
    wide, asked = best_on_gpu(), []
    rows = devices.Device.rows

    def ask(self: devices.Device, row_bytes: float, at_most: int) -> int:
        asked.append(rows(self, row_bytes, at_most))
        return asked[-1]

    monkeypatch.setattr(devices.Device, "rows", ask)
    monkeypatch.setattr(devices, "_PLAIN_FREE", 20_000)
    monkeypatch.setattr(devices, "_LITTLE", 0)
    for module in ("ragged", "tokens"):
        monkeypatch.setattr(f"lighttea.engines.gpu.{module}.MOST_ENTRIES", 500)
    monkeypatch.setattr("lighttea.engines.gpu.ragged._FEW_ITEMS", 3)
    monkeypatch.setattr("lighttea.engines.gpu.search._WIDEST", 7)
    narrow = best_on_gpu()
    assert min(asked) == 1
    np.testing.assert_array_equal(wide.row, narrow.row)
    np.testing.assert_array_equal(wide.place, narrow.place)
    np.testing.assert_allclose(wide.score, narrow.score, atol=1e-5)


def test_too_little_memory_is_said_with_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, config = problem_of(make_world(2)), make_config("paper")
    monkeypatch.setattr(devices.Device, "is_gpu", True)
    monkeypatch.setattr(devices.Device, "free_bytes", lambda self: 1000)
    with pytest.raises(ConfigError, match=r"GiB of GPU memory, 0\.0 GiB are free"):
        plan_gpu(problem, config, "cpu")
    width = 2 * config.dim * config.sketch_factor
    n_rows = len(problem.left) + len(problem.right)
    assert MemoryModel(problem.sizes, config).on_device() > 4 * width * n_rows


def test_lists_laid_end_to_end() -> None:
    owner, place = spread(torch.tensor([2, 0, 3]))
    assert owner.tolist() == [0, 0, 2, 2, 2]
    assert place.tolist() == [0, 1, 0, 1, 2]
    assert run_sums(torch.arange(5.0), torch.tensor([2, 0, 3])).tolist() == [1.0, 0.0, 9.0]


@pytest.mark.slow
def test_the_core_runs_on_a_bare_machine(tmp_path: Path) -> None:
    """Graphs from .npz, numpy, scipy, numba and torch: no reader, no table library."""
    world = make_world(4)
    save_graphs(tmp_path / "pair.npz", world.left, world.right)
    left, right, _ = load_graphs(tmp_path / "pair.npz")
    again, before = Pair.of(left, right), Pair.of(world.left, world.right)
    assert np.array_equal(again.head, before.head)
    assert np.array_equal(again.tick, before.tick)
    code = f"""
import sys
for name in ("polars", "rich", "cyclopts", "pyoxigraph", "pandas", "pyarrow"):
    sys.modules[name] = None
from pathlib import Path
from lighttea.config import LinkRules, make_config
from lighttea.graph.pair import Links
from lighttea.graph.store import load_graphs
from lighttea.progress import Progress
from lighttea.solve.problem import pose_problem
from lighttea.solve.solution import finish
from lighttea.solve.solve import solve
from lighttea.solve.start import gpu_engine
from lighttea.solve.workspace import Workspace
left, right, _ = load_graphs(Path({str(tmp_path / "pair.npz")!r}))
config = make_config("best", dim=32, top_k=20, rounds=1)
problem, config = pose_problem(left, right, Links.none(), config, Progress())
work = Workspace(gpu_engine(problem, config, "cpu"), problem)
for step in solve(work, config):
    print(len(finish(work, step, LinkRules()).links))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40


@pytest.mark.parametrize("name", ["cpu", "gpu"])
def test_an_engine_is_started_by_its_name(
    name: EngineName, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "find_gpu", lambda: ("cpu", ""))
    work = open_workspace(name, problem_of(make_world(2)), make_config("paper", **SMALL))
    assert work.engine.name == name
    assert isinstance(work.engine, engines.GpuEngine) == (name == "gpu")
    work.close()


def test_a_damaged_file_of_numbers_is_refused(tmp_path: Path) -> None:
    world = make_world(4)
    save_graphs(tmp_path / "pair.npz", world.left, world.right, pairs=np.zeros((2, 3)))
    arrays = dict(np.load(tmp_path / "pair.npz"))
    assert load_graphs(tmp_path / "pair.npz")[2]["pairs"].shape == (2, 3)
    arrays["left_head"] = arrays["left_head"] + 10_000
    np.savez(tmp_path / "high.npz", **arrays)
    del arrays["right_tail"]
    np.savez(tmp_path / "short.npz", **arrays)
    (tmp_path / "text.npz").write_text("no", encoding="utf-8")
    for name in ("high.npz", "short.npz", "text.npz", "nothing.npz"):
        with pytest.raises(lighttea.errors.InputError, match=name):
            load_graphs(tmp_path / name)
