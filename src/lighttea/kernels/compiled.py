"""How loops are compiled: kept on disk for the next process, where there is room to keep them.

numba files what it keeps by processor name and features, so that code made for one machine is
never loaded by another that shares the folder.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from functools import cache, update_wrapper
from typing import Any

import numba as nb
from numba.core.caching import FunctionCache, IndexDataCacheFile

from lighttea.errors import LightteaWarning
from lighttea.kernels.announce import announce

_LOOP_BYTES = 112 << 20  # of all loops and of what compiles them; half of it where they are kept
_loaded: set[str] = set()
_kept: set[str] = set()
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

    def __init__(self, function: Any, kind: str) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        name = f"{self._impl.filename_base}{kind}"
        self._cache_file = _Files(self._cache_path, name, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was kept for these types; announce that it has to be compiled otherwise."""
        kept = super().load_overload(sig, target_context)
        _loaded.add(self._py_func.__name__)
        if kept is None:
            announce(self._py_func.__name__)
        return kept

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if it can be kept."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_once(
                f"cannot keep compiled loops in {self.cache_path}: {error.strerror}; every start "
                "compiles them again; set NUMBA_CACHE_DIR to another folder"
            )


def bytes_of_loops_to_come() -> int:
    """Return what loops will take in memory at most: nothing once this process has used some."""
    return 0 if _loaded else _LOOP_BYTES


def can_keep() -> bool:
    """Return whether there is a folder to keep loops in."""
    return bool(_kept)


@cache
def _warn_once(message: str) -> None:
    warnings.warn(message, LightteaWarning, stacklevel=2)


def compiled(function: Any, *, kind: str = "", **options: Any) -> Any:
    """Return the function as machine code.

    `kind` tells apart what is kept of one function that is compiled in several ways.
    """
    made = nb.njit(nogil=True, **options)(function)
    with suppress(RuntimeError):  # no folder can be written at all: nothing is kept
        made._cache = _Cache(function, kind)
        _kept.add(function.__name__)
    return made


class Parallel:
    """A function whose `prange` loops use all threads; a plain loop where there is one thread.

    Small graphs run in one thread. The plain loop compiles in half the time or less, and nothing
    waits at its end.
    """

    def __init__(self, function: Any, fastmath: set[str] | bool = _FAST) -> None:
        self.py_func = function
        self.alone = compiled(function, kind=".alone", fastmath=fastmath)
        self.together = compiled(function, parallel=True, fastmath=fastmath)
        update_wrapper(self, function)

    @property
    def loop(self) -> Any:
        """The loop that suits the number of threads."""
        return self.alone if nb.get_num_threads() == 1 else self.together

    def __call__(self, *arguments: Any) -> Any:
        """Run the loop that suits the number of threads."""
        return self.loop(*arguments)


def parallel(function: Any) -> Any:
    """Return the function as machine code whose `prange` loops use all threads."""
    return Parallel(function)


def parallel_to_the_bit(function: Any) -> Any:
    """Return the same, rounded as it is written: two loops find the same numbers."""
    return Parallel(function, fastmath=False)
