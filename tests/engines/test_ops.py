"""Every function of `Ops` gives the same with numpy as with torch on its CPU device."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.ops import Ops
from lighttea.types import NumpyArray
from tests.engines import label_cases, namespace_cases, table_cases
from tests.engines.ops_input import CLOSE, Case, Input, cases_of

CASES = [one for module in (namespace_cases, label_cases, table_cases) for one in cases_of(module)]
SIZES = {  # left rows, right rows, k
    "usual": (23, 19, 7),
    "one of each": (1, 1, 1),
    "no rows": (0, 5, 3),
    "k larger than the side": (9, 4, 20),
}


def every_array(ops: Ops[Any], value: object) -> list[NumpyArray]:
    """Return all arrays of a result in plain memory."""
    if isinstance(value, list | tuple):
        return [array for one in value for array in every_array(ops, one)]
    return [value if isinstance(value, np.ndarray) else ops.to_numpy(value)]


def assert_same(one: NumpyArray, other: NumpyArray) -> None:
    """Fail unless shapes, kinds of numbers, precision and entries agree."""
    assert one.shape == other.shape
    assert one.dtype.kind.replace("u", "i") == other.dtype.kind.replace("u", "i")
    if one.dtype.kind == "f":
        assert one.dtype == other.dtype
    np.testing.assert_allclose(one, other, rtol=CLOSE, atol=CLOSE)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize(
    "function", [function for _, function in CASES], ids=[f"{n}: {f.__name__}" for n, f in CASES]
)
def test_torch_gives_what_numpy_gives(function: Case, sizes: tuple[int, int, int]) -> None:
    pytest.importorskip("torch")
    from lighttea.engines.gpu.device import Device
    from lighttea.engines.gpu.ops import TorchOps

    hardware: list[Ops[Any]] = [PLAIN, TorchOps(Device.named("cpu"))]
    one, other = (
        every_array(ops, function(Input(ops, np.random.default_rng(5), *sizes))) for ops in hardware
    )
    assert len(one) == len(other)
    for mine, theirs in zip(one, other, strict=True):
        assert_same(mine, theirs)


def test_every_function_has_a_case() -> None:
    functions = {
        name
        for name, member in vars(Ops).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
    }
    assert {name for name, _ in CASES} == functions
