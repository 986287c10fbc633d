"""How loops are compiled: kept on disk for the next process, where there is room to keep them.

numba files what it keeps by processor name and features, so that code made for one machine is
never loaded by another that shares the folder.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from functools import cache
from typing import Any

import numba as nb
from numba.core.caching import FunctionCache

from lighttea.errors import LightteaWarning

_FAST = {"contract", "reassoc", "arcp", "nsz"}  # what keeps infinities and NaN meaningful


class _Cache(FunctionCache):
    """numba's cache; a full disk costs the next process a compilation, not this one its run."""

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if it can be kept."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_once(
                f"compiled loops cannot be kept in {self.cache_path}: {error.strerror}; each start "
                "compiles them anew; NUMBA_CACHE_DIR names another folder"
            )


@cache
def _warn_once(message: str) -> None:
    warnings.warn(message, LightteaWarning, stacklevel=2)


def compiled(function: Any, **options: Any) -> Any:
    """The function as machine code."""
    made = nb.njit(nogil=True, **options)(function)
    with suppress(RuntimeError):  # no folder can be written at all: nothing is kept
        made._cache = _Cache(function)
    return made


def parallel(function: Any) -> Any:
    """The function as machine code whose `prange` loops use all threads."""
    return compiled(function, parallel=True, fastmath=_FAST)
