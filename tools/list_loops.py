"""Write the list of the loops that a first run compiles ahead: `make loops`, after a loop changed.

The bundled example is aligned with the default settings, as the demo does, and every loop that was
called is listed with its types. The longest sources stand at both ends, where the two processes
that compile them begin: they meet at a short one.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from numba.core.dispatcher import Dispatcher

import lighttea
from lighttea import kernels
from lighttea.example import example_file
from lighttea.kernels import ahead
from lighttea.kernels.compiled import Parallel

LIST = ahead.LIST
ALIGN_ALONE = "--align-alone"


def main() -> None:
    """Write the list."""
    lines = loops_of_example()
    LIST.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def loops_of_example() -> list[str]:
    """Return a line for each loop and its types that aligning the example calls."""
    # where code was kept, a loop that others alone call is not loaded, so it is not listed
    subprocess.run([sys.executable, __file__, ALIGN_ALONE], check=True)
    align_example()
    longest_first = sorted(called_loops(), reverse=True)
    lines = [line for _, line in longest_first]
    return lines[::2] + lines[1::2][::-1]


def align_example() -> None:
    """Align the bundled example, without and with literals."""
    ahead.LIST = Path(os.devnull)  # nothing is called but what the run calls
    left, right = (lighttea.read_graph(example_file(name)) for name in ("left.tsv", "right.csv"))
    for literals in (False, True):
        lighttea.align(left, right, threads=1, literals=literals)


def called_loops() -> Iterator[tuple[int, str]]:
    """Yield each loop that this process has called: the length of its source, and its line."""
    for info in iter_modules(kernels.__path__):
        module = import_module(f"{kernels.__name__}.{info.name}")
        for name, function in vars(module).items():
            loop = function.alone if isinstance(function, Parallel) else function
            if isinstance(loop, Dispatcher) and loop.py_func.__module__ == module.__name__:
                length = len(inspect.getsource(loop.py_func))
                for types in loop.signatures:
                    yield length, " ".join([f"{info.name}.{name}", *map(ahead.word_of, types)])


if __name__ == "__main__":
    if sys.argv[1:] == [ALIGN_ALONE]:
        align_example()
    else:
        main()
