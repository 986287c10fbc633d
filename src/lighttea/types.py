"""Array types: which side and which space their numbers belong to, and what engines have in common.

Left and right entities are numbered separately, from 0. `Nodes` is the joint space of the
propagation (left entities first, right ones behind them); only `Pair` converts between the three,
and the type checker refuses a left id where a right id is due.

Algorithms that run on every engine are generic in `A`: numpy's arrays or torch's tensors. `Array`
names the few operations that both spell alike; all others come from an engine's `Ops`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NewType, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

NumpyArray: TypeAlias = NDArray[Any]
Ints: TypeAlias = NDArray[np.integer[Any]]
Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Signs: TypeAlias = NDArray[np.int8]  # -1 or 1

LeftIds = NewType("LeftIds", "NDArray[np.integer[Any]]")
RightIds = NewType("RightIds", "NDArray[np.integer[Any]]")
Nodes = NewType("Nodes", "NDArray[np.integer[Any]]")

NO_CANDIDATE = -1  # stands where an entity has fewer candidates than there is room for


class Array(Protocol):
    """What numpy's arrays and torch's tensors have in common."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""

    @property
    def T(self) -> Any:  # noqa: N802 - numpy's and torch's name
        """The matrix with rows and columns swapped."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __setitem__(self, key: Any, value: Any, /) -> None: ...
    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __floordiv__(self, other: Any, /) -> Any: ...
    def __mod__(self, other: Any, /) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def __lshift__(self, other: Any, /) -> Any: ...
    def __rshift__(self, other: Any, /) -> Any: ...
    def __and__(self, other: Any, /) -> Any: ...
    def __or__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...
    def __invert__(self) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...

    @property
    def reshape(self) -> Callable[..., Any]:
        """The same entries in another shape."""

    @property
    def any(self) -> Callable[..., Any]:
        """Whether any entry along an axis is not zero."""

    @property
    def sum(self) -> Callable[..., Any]:
        """The sum along an axis."""

    @property
    def mean(self) -> Callable[..., Any]:
        """The mean along an axis."""


A = TypeVar("A", bound=Array)
