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
from numba.core.caching import FunctionCache, IndexDataCacheFile

from lighttea.errors import LightteaWarning

_FAST = {"contract", "reassoc", "arcp", "nsz"}  # what keeps infinities and NaN meaningful


class _Files(IndexDataCacheFile):
    """numba's files, each with what it is for.

    numba numbers them and writes first the numbers, then the code. Of processes that compile at the
    same time, one may find under its number what another made for other types, or what an older
    source left there; running that is anything from a wrong result to a crash.
    """

    def save(self, key: Any, data: Any) -> None:
        """Keep code with the types and the source it was made for."""
        super().save(key, (key, self._source_stamp, data))

    def load(self, key: Any) -> Any:
        """The code for these types and this source, if it is what lies there."""
        kept = super().load(key)
        return kept[2] if kept and kept[:2] == (key, self._source_stamp) else None


class _Cache(FunctionCache):
    """numba's cache; a full disk costs the next process a compilation, not this one its run."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, stamp)

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
