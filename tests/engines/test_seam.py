"""The seam between algorithms and hardware: small, typed, and kept by every engine."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lighttea
from lighttea.engines import base, tables
from lighttea.engines import ops as ops_module
from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.cpu.ops import PLAIN, NumpyOps
from lighttea.engines.dask import connection
from lighttea.engines.dask.engine import DaskEngine
from lighttea.engines.layout import Cuts, Layout
from lighttea.engines.local import LocalEngine
from lighttea.engines.ops import Ops, add_up
from lighttea.engines.tables import Rows
from lighttea.types import NumpyArray

MOST_METHODS = 12
SEAM = (base, ops_module, tables)
PACKAGE = Path(lighttea.__file__).parent


# ------------------------------------------------------------------------------- its signatures


@cache
def protocol(name: str) -> ast.ClassDef:
    """Return the source of a class of the seam."""
    trees = [ast.parse(inspect.getsource(module)) for module in SEAM]
    bodies = (one for tree in trees for one in tree.body)
    (found,) = (one for one in bodies if isinstance(one, ast.ClassDef) and one.name == name)
    return found


def methods_of(name: str) -> list[ast.FunctionDef]:
    """Return the public methods of a class of the seam, properties among them."""
    functions = (one for one in protocol(name).body if isinstance(one, ast.FunctionDef))
    return [one for one in functions if not one.name.startswith("_")]


def test_an_engine_has_few_methods() -> None:
    assert 8 <= len(methods_of("Engine")) <= MOST_METHODS


@pytest.mark.parametrize(
    ("owner", "method"),
    [
        (owner, method)
        for owner in ("Engine", "Ops", "RowsBuilder", "Rows", "SparseKernel")
        for method in methods_of(owner)
    ],
    ids=lambda one: getattr(one, "name", one),
)
def test_every_signature_says_what_it_takes_and_returns(
    owner: str, method: ast.FunctionDef
) -> None:
    arguments = method.args
    named = [*arguments.posonlyargs, *arguments.args[1:], *arguments.kwonlyargs]
    extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    annotations = [one.annotation for one in (*named, *extra)] + [method.returns]
    assert None not in annotations
    names = {
        part.id if isinstance(part, ast.Name) else part.attr
        for annotation in annotations
        if annotation is not None
        for part in ast.walk(annotation)
        if isinstance(part, ast.Name | ast.Attribute)
    }
    assert not names & {"Any", "kwargs"}, f"{owner}.{method.name}"


def test_the_seam_never_says_any() -> None:
    for module in SEAM:
        tree = ast.parse(inspect.getsource(module))
        assert "Any" not in {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}


def implementations() -> list[tuple[str, type]]:
    """Return the classes of the seam and what stands for them."""
    pytest.importorskip("torch")
    from lighttea.engines.gpu.engine import GpuEngine
    from lighttea.engines.gpu.ops import TorchOps

    engines = [("Engine", one) for one in (LocalEngine, GpuEngine, DaskEngine)]
    return [*engines, ("Ops", NumpyOps), ("Ops", TorchOps)]


def test_engines_keep_to_the_signatures() -> None:
    for owner, implementation in implementations():
        for method in methods_of(owner):
            if any(isinstance(one, ast.Name) for one in method.decorator_list):  # a property
                assert hasattr(implementation, method.name)
                continue
            parameters = inspect.signature(getattr(implementation, method.name)).parameters
            arguments = method.args
            expected = [one.arg for one in (*arguments.args, *arguments.kwonlyargs)]
            found = [n for n, one in parameters.items() if one.kind is not one.VAR_POSITIONAL]
            assert found == expected, f"{implementation.__name__}.{method.name}"


def test_every_function_of_arrays_is_used() -> None:
    used = {
        part.attr
        for path in PACKAGE.rglob("*.py")
        if "engines" not in path.relative_to(PACKAGE).parts
        for part in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(part, ast.Attribute)
    }
    assert {method.name for method in methods_of("Ops")} <= used


# --------------------------------------------------------------------- what engines do with it


@pytest.fixture
def dask_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine[NumpyArray]]:
    """The Dask engine on two workers that are threads of this process: they start at once."""
    from distributed import Client, LocalCluster

    monkeypatch.setattr(connection, "_fix_threads", lambda n_threads: 1)  # of this process
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        connected = connection.Connection(client)
        assert connected.n_workers == 2
        yield DaskEngine(connected, LAYOUT)


LAYOUT = Layout.whole(1, 1, 1, 1, 1)


@pytest.fixture(params=["cpu", "gpu", "dask"])
def engine(request: pytest.FixtureRequest) -> Any:
    """Each engine in turn."""
    if request.param == "dask":
        return request.getfixturevalue("dask_engine")
    if request.param == "cpu":
        return LocalEngine("cpu", PLAIN, LAYOUT, is_exact=False)
    pytest.importorskip("torch")
    from lighttea.engines.gpu.engine import GpuEngine

    return GpuEngine(LAYOUT, "cpu")


@dataclass(frozen=True)
class Couple:
    """Two arrays and a name."""

    one: Any
    other: Any
    name: str = "couple"


def double(ops: Ops[Any], array: Any) -> Any:
    return array + array


def plain(ops: Ops[Any], array: Any) -> NumpyArray:
    return ops.to_numpy(array)


def plain_couple(ops: Ops[Any], couple: Couple) -> tuple[NumpyArray, NumpyArray, str]:
    return ops.to_numpy(couple.one), ops.to_numpy(couple.other.one), couple.name


def concatenate(ops: Ops[Any], parts: Sequence[Any]) -> Any:
    return ops.concat(parts)


def fetch_plain(engine: Engine[Any], handle: Handle[Any]) -> NumpyArray:
    return engine.fetch(engine.run(plain, handle))


def placed(engine: Engine[Any], array: NumpyArray) -> Handle[Any]:
    return engine.place(engine.hold(array))


@pytest.mark.parametrize("value", [3, 0.5, "text", None, slice(2, 5), (1, 2), {"a": 1}])
def test_what_is_held_comes_back(engine: Engine[Any], value: object) -> None:
    assert engine.fetch(engine.hold(value)) == value


def test_plain_arrays_stay_plain_until_they_are_placed(engine: Engine[Any]) -> None:
    made = engine.make(np.add, engine.hold(np.arange(3)), 10)
    assert isinstance(engine.fetch(made), np.ndarray)
    assert engine.fetch(made).tolist() == [10, 11, 12]
    assert fetch_plain(engine, engine.run(double, engine.place(made))).tolist() == [20, 22, 24]


def test_all_arrays_of_a_value_are_placed(engine: Engine[Any]) -> None:
    inner = Couple(np.arange(2), np.arange(3))
    held = engine.place(engine.hold(Couple(np.arange(4.0), inner, "outer")))
    one, other, name = engine.fetch(engine.run(plain_couple, held))
    assert (one.tolist(), other.tolist(), name) == ([0, 1, 2, 3], [0, 1], "outer")


def count_all(ops: Ops[Any], *arguments: Any) -> list[Any]:
    return [len(one) if isinstance(one, list) else int(one) for one in arguments]


def test_functions_are_given_what_handles_stand_for(engine: Engine[Any]) -> None:
    three = engine.run(lambda ops: 3)
    blocks = Blocks(engine.hold(number) for number in range(4))
    assert engine.fetch(engine.run(count_all, three, 5, blocks, [three, three])) == [3, 5, 4, 2]
    assert engine.fetch(engine.run(lambda ops, nested: sum(nested[0]), [[three, 4]])) == 7


def scale_and_add(ops: Ops[Any], own: int, factor: int, everybody: Any, begin: int) -> int:
    return own * factor + begin + (0 if everybody is None else everybody)


@pytest.mark.parametrize("spread", [False, True])
def test_a_block_is_given_its_own_and_the_whole_of_all_else(
    engine: Engine[Any], spread: bool
) -> None:
    own, begins = (Blocks(engine.hold(number) for number in range(5)) for _ in range(2))
    shared = engine.run(lambda ops: 100)
    found = engine.map(scale_and_add, own, 10, shared, begins, spread=spread)
    assert [engine.fetch(one) for one in found] == [100, 111, 122, 133, 144]
    alone = engine.map(scale_and_add, own, 10, None, 0)
    assert [engine.fetch(one) for one in alone] == [0, 10, 20, 30, 40]


@pytest.mark.parametrize("n_parts", [1, 2, 8, 9, 70])
def test_parts_are_combined_in_their_order(engine: Engine[Any], n_parts: int) -> None:
    parts = Blocks(placed(engine, np.arange(number, number + 2)) for number in range(n_parts))
    joined = fetch_plain(engine, engine.combine(concatenate, parts))
    assert joined.tolist() == [number + more for number in range(n_parts) for more in (0, 1)]


def add_up_parts(ops: Ops[Any], parts: Sequence[Any]) -> Any:
    return add_up(ops, parts)


def test_sums_are_made_of_parts(engine: Engine[Any]) -> None:
    parts = Blocks(placed(engine, np.full(3, number)) for number in range(20))
    assert fetch_plain(engine, engine.combine(add_up_parts, parts)).tolist() == [190] * 3


def piece(ops: Ops[Any], begin: int, n_rows: int, part: int) -> Any:
    """Rows that tell where they belong."""
    numbers = np.arange(begin, begin + n_rows, dtype=np.float32)
    return ops.asarray(np.stack([numbers, np.full(n_rows, 10.0 + part, np.float32)], axis=1))


def stretched(ops: Ops[Any], rows: Rows[Any], factor: float) -> Rows[Any]:
    rows.stretch(ops.full(tuple(rows.scale.shape), factor, "float32"))
    return rows


def dense(ops: Ops[Any], rows: Rows[Any]) -> NumpyArray:
    return ops.to_numpy(rows.take(ops.arange(len(rows))))


def test_rows_are_built_of_pieces(engine: Engine[Any]) -> None:
    cuts = Cuts.even(11, 2)
    builder = engine.build_rows(cuts, 2, 2)
    for part in range(2):
        for block, n_rows in enumerate(cuts.sizes):
            for rows in Cuts.even(n_rows, 2):
                size = rows.stop - rows.start
                builder.put(block, rows.start, part, piece, rows.start, size, part)
        builder.flush()
    blocks = builder.finish(stretched, 2.0)
    engine.wait(blocks)
    for found, n_rows in zip(engine.map(dense, blocks), cuts.sizes, strict=True):
        numbers, tens = np.arange(n_rows), np.full(n_rows, 10)
        expected = np.stack([numbers, tens, numbers, tens + 1], axis=1) * 2
        np.testing.assert_array_equal(engine.fetch(found), expected)


def fail(ops: Ops[Any], number: int) -> int:
    return 1 // number


def wait_for(engine: Engine[Any], start: Callable[[], Handle[int] | Blocks[int]]) -> None:
    engine.wait(start())


def test_what_goes_wrong_is_raised_at_the_latest_when_it_is_waited_for(
    engine: Engine[Any],
) -> None:
    numbers = Blocks(engine.hold(number) for number in (1, 0))
    with pytest.raises(ZeroDivisionError):
        wait_for(engine, lambda: engine.run(fail, 0))
    with pytest.raises(ZeroDivisionError):
        wait_for(engine, lambda: engine.map(fail, numbers))
