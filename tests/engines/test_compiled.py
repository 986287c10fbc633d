"""Kernels of the GPU give what numpy gives: run by Triton's interpreter, which needs no GPU."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.ops import Ops
from tests.engines import label_cases, table_cases
from tests.engines.ops_input import Case, Input, cases_of
from tests.engines.test_ops import SIZES, assert_same, every_array

torch = pytest.importorskip("torch")

os.environ["TRITON_INTERPRET"] = "1"  # before it is imported for the first time
pytest.importorskip("triton", reason="Triton is not installed; try: pip install triton")

from lighttea.engines.gpu import engine as engines  # noqa: E402
from lighttea.engines.gpu.compiled.ops import CompiledOps  # noqa: E402
from lighttea.engines.gpu.compiled.overlaps import overlaps  # noqa: E402
from lighttea.engines.gpu.device import Device  # noqa: E402
from lighttea.engines.gpu.ops import TorchOps  # noqa: E402
from lighttea.engines.gpu.ragged import Lists, in_order  # noqa: E402

PRIMITIVES = {  # of `Ops`, by the function that is compiled
    "list_overlaps": "multiset_dice",
    "token_overlaps": "add_token_cosines",
    "suggest_by_tokens": "suggest_by_tokens",
    "fact_log_odds": "fact_log_odds",
    "row_dots": "dots",
    "sparse_kernel": "sparse_kernel",
}
CASES = [
    (name, function)
    for cases in (label_cases, table_cases)
    for name, function in cases_of(cases)
    if name in PRIMITIVES.values()
]
CPU = Device.named("cpu")


def test_every_compiled_primitive_has_a_case() -> None:
    compiled = {name for name in vars(CompiledOps) if name in dir(TorchOps) and name[0] != "_"}
    assert compiled == set(PRIMITIVES)
    assert {name for name, _ in CASES} == set(PRIMITIVES.values())


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param(sizes, id=name, marks=[pytest.mark.slow] * (name != "usual"))
        for name, sizes in SIZES.items()
    ],
)
@pytest.mark.parametrize(
    "function", [function for _, function in CASES], ids=[f"{n}: {f.__name__}" for n, f in CASES]
)
def test_kernels_give_what_numpy_gives(function: Case, sizes: tuple[int, int, int]) -> None:
    hardware: list[Ops[Any]] = [PLAIN, CompiledOps(CPU)]
    one, other = (
        every_array(ops, function(Input(ops, np.random.default_rng(6), *sizes))) for ops in hardware
    )
    assert len(one) == len(other)
    for mine, theirs in zip(one, other, strict=True):
        assert_same(mine, theirs)


def test_lists_longer_than_what_a_program_looks_at_together() -> None:
    """A hub on either side: several blocks of entries, and of candidates."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 4, 60)
    lengths[[0, 31, 59]] = 200, 300, 150
    start = np.concatenate([[0], np.cumsum(lengths)])
    items = [np.sort(rng.choice(400, n, replace=False)) for n in lengths]
    item, value = np.concatenate(items), rng.random(start[-1]).astype(np.float32)
    index = np.tile(np.arange(30, dtype=np.int32), (30, 1))
    expected = np.zeros((30, 30), np.float32)
    own = [dict(zip(items[n], value[start[n] : start[n + 1]], strict=True)) for n in range(60)]
    for left in range(30):
        for right in range(30):
            mine, theirs = own[left], own[30 + right]
            expected[left, right] = sum(mine[one] for one in mine.keys() & theirs.keys())
    lists = Lists(torch.as_tensor(start), torch.as_tensor(item), torch.as_tensor(value), 400)
    nodes = torch.arange(60)
    found = overlaps(lists, lists, torch.as_tensor(index), nodes[:30], nodes[30:], smaller=False)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


def test_lists_out_of_order_are_sorted() -> None:
    start, item = torch.tensor([0, 3, 3, 5]), torch.tensor([7, 2, 4, 1, 0])
    lists = in_order(Lists(start, item, item.float(), 8))
    assert lists.item.tolist() == [2, 4, 7, 0, 1]
    assert lists.value.tolist() == [2, 4, 7, 0, 1]
    assert in_order(lists) is lists


def test_without_a_compiler_torch_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(device: Device) -> None:
        raise RuntimeError("Failed to find C compiler.\nPlease specify via CC.")

    monkeypatch.setattr("lighttea.engines.gpu.compiled.ops.try_to_compile", fail)
    monkeypatch.setattr(Device, "is_gpu", True)
    ops, reason = engines.primitives_of(CPU)
    assert type(ops) is TorchOps
    assert reason == "RuntimeError: Failed to find C compiler."


def test_with_a_compiler_kernels_do_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "is_gpu", True)
    ops, reason = engines.primitives_of(CPU)
    assert (type(ops), reason) == (CompiledOps, "")


def test_a_device_that_is_no_gpu_compiles_nothing() -> None:
    ops, reason = engines.primitives_of(CPU)
    assert (type(ops), reason) == (TorchOps, "")
