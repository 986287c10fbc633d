"""Loops compiled before they are called, by two processes at once, in half the time.

`ahead.txt` lists the loops of the default preset with the types they are called with;
`tools/list_loops.py` writes it. This process goes through the list from its beginning, another one
from its end, and each loads what the other has kept. A loop that is not listed is compiled when it
is called.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np

from lighttea.kernels.announce import listening
from lighttea.kernels.compiled import Parallel, can_keep
from lighttea.kernels.threads import available_threads, current_threads

LIST = Path(__file__).with_name("ahead.txt")
_LAST_LOOP = 5  # seconds that the other process has for what it is compiling at the end
_THREADS = 2  # from which on loops use threads; how many does not matter here


def compile_ahead() -> None:
    """Make the listed loops ready; those that no earlier run has kept are compiled."""
    with ExitStack() as stack:
        started: list[None] = []

        def share_the_work(name: str) -> None:
            is_python = sys.executable and not getattr(sys, "frozen", False)
            if not started and is_python and available_threads() > 1 and can_keep():
                started.append(stack.enter_context(_second_process()))

        with listening(share_the_work):
            for loop, types in listed_loops():
                loop.compile(types)


def listed_loops() -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield each listed loop, as it suits the number of threads, and its types."""
    for line in LIST.read_text(encoding="ascii").splitlines():
        name, *types = line.split()
        module, _, function = name.partition(".")
        loop = getattr(import_module(f"lighttea.kernels.{module}"), function)
        yield loop.loop if isinstance(loop, Parallel) else loop, tuple(map(type_of, types))


def type_of(word: str) -> Any:
    """Return the type of a word: `i8` is a number, `f4/2C` an array of two dimensions."""
    dtype, _, array = word.partition("/")
    number = nb.from_dtype(np.dtype(dtype))
    layout: Any = array[-1:]
    return nb.types.Array(number, int(array[:-1]), layout) if array else number


def word_of(type_: Any) -> str:
    """Return the word that stands for a type."""
    if isinstance(type_, nb.types.Array):
        return f"{word_of(type_.dtype)}/{type_.ndim}{type_.layout}"
    dtype = np.dtype(str(type_))
    return f"{dtype.kind}{dtype.itemsize}"


@contextmanager
def _second_process() -> Iterator[None]:
    """Run a second process beside, where one can be had; nothing depends on it.

    With `-P`: a module that lies in the current folder is not to be run.
    """
    command = [sys.executable, "-P", "-m", __name__, str(current_threads())]
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)
    except OSError:
        yield
        return
    try:
        yield
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LAST_LOOP)
    finally:
        process.terminate()
        process.wait()


def compile_from_the_end(threads: int) -> None:
    """Compile the listed loops, the last first, until one is met that is kept already."""
    nb.set_num_threads(min(threads, _THREADS))
    for loop, types in reversed(list(listed_loops())):
        loop.compile(types)
        if loop.stats.cache_hits:
            return


if __name__ == "__main__":
    compile_from_the_end(int(sys.argv[1]))
