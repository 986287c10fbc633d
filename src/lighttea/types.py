"""Array types that say which side and which space their numbers belong to.

Left and right entities are numbered separately, from 0. `Nodes` is the joint space of the
propagation (left entities first, right ones behind them); only `Pair` converts between the three,
and the type checker refuses a left id where a right id is due.
"""

from __future__ import annotations

from typing import Any, NewType, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.integer[Any]]
Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Signs: TypeAlias = NDArray[np.int8]  # -1 or 1

LeftIds = NewType("LeftIds", "NDArray[np.integer[Any]]")
RightIds = NewType("RightIds", "NDArray[np.integer[Any]]")
Nodes = NewType("Nodes", "NDArray[np.integer[Any]]")
