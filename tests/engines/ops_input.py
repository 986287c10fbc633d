"""Random input for the functions of `Ops`, and the list of cases that use it.

A case puts its input on the hardware and returns what a function makes of it. It is run with numpy
and with torch, and the results are compared; primitives are compared with a slow, obvious reference
too, inside the case. Tables have empty places, and rows without any candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import isfunction
from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse as sp

from lighttea.engines.ops import Ops
from lighttea.engines.tables import Rows
from lighttea.graph.views import PlainView, View
from lighttea.types import Floats, Ints, NumpyArray

DTYPES = ("float32", "float64", "int32", "int64", "uint8", "bool")
CLOSE = 1e-5  # a difference that rounding explains


@dataclass(frozen=True)
class Input:
    """An engine's arrays, random numbers, and how large the two sides are."""

    ops: Ops[Any]
    rng: np.random.Generator
    n_left: int
    n_right: int
    k: int

    def put(self, array: NumpyArray, dtype: str = "") -> Any:
        """Return a copy of the array on the hardware."""
        return self.ops.asarray(np.array(array), dtype)

    def plain(self, array: Any) -> NumpyArray:
        """Return an array of the hardware in plain memory."""
        return np.array(self.ops.to_numpy(array))

    def floats(self, *shape: int) -> Floats:
        """Return normal numbers."""
        return self.rng.standard_normal(shape, dtype=np.float32)

    def ints(self, n: int, high: int) -> Ints:
        """Return whole numbers from 0 to below `high`, many of them equal."""
        return self.rng.integers(0, max(1, high), n).astype(np.int32)

    def flags(self, *shape: int) -> NumpyArray:
        """Return yes or no."""
        return self.rng.random(shape) < 0.5

    def index(self, width: int | None = None) -> Ints:
        """Return a table of right places, none twice in a row, with empty places and rows."""
        width = max(1, min(self.k if width is None else width, self.n_right))
        drawn = self.rng.random((self.n_left, self.n_right)).argsort(axis=1)[:, :width]
        drawn[self.rng.random(drawn.shape) < 0.25] = -1
        drawn[::4] = -1
        return drawn.astype(np.int32)

    def matrix(self, n_rows: int, n_columns: int) -> Floats:
        """Return rows of which some are zero."""
        rows = self.floats(n_rows, n_columns)
        rows[2::5] = 0
        return rows

    def rows(self, matrix: Floats, n_parts: int = 1) -> Rows[Any]:
        """Return a matrix as label rows of so many parts."""
        width = matrix.shape[1] // n_parts
        rows = self.ops.empty_rows(len(matrix), width, n_parts, compact=False)
        for part in range(n_parts):
            rows.put(0, self.put(matrix[:, part * width : (part + 1) * width]), part)
        return rows

    def dense(self, rows: Rows[Any]) -> NumpyArray:
        """Return label rows as a plain matrix."""
        return self.plain(rows.take(self.ops.arange(len(rows))))

    def view(self, n_rows: int, n_columns: int) -> PlainView:
        """Return a sparse matrix of counts, in plain memory; some rows are empty."""
        counts = self.rng.poisson(0.6, (n_rows, n_columns)).astype(np.float32)
        counts[1::4] = 0
        matrix = sp.csr_array(counts)
        start, columns = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
        return View(start, columns, matrix.data.astype(np.float32), n_columns)

    def put_view(self, view: PlainView) -> View[Any]:
        """Return a view on the hardware."""
        return View(
            self.put(view.start), self.put(view.columns), self.put(view.weights), view.n_columns
        )


Case = Callable[[Input], object]


def case(name: str) -> Callable[[Case], Case]:
    """Return a decorator for a case of this function of `Ops`."""

    def add(function: Case) -> Case:
        _NAMES[function] = name
        return function

    return add


_NAMES: dict[Case, str] = {}


def cases_of(module: ModuleType) -> list[tuple[str, Case]]:
    """Return the cases of a module with the functions of `Ops` that they are about."""
    functions = [one for one in vars(module).values() if isfunction(one) and one in _NAMES]
    return [(_NAMES[function], function) for function in functions]


def assert_close(found: NumpyArray, expected: NumpyArray | Sequence[Any]) -> None:
    """Fail where two arrays differ by more than rounding."""
    np.testing.assert_allclose(found, expected, rtol=CLOSE, atol=CLOSE)
