"""What this process takes of the machine: memory, by psutil, waiting threads, and interrupts.

psutil is imported on the first call: on a bare GPU machine without it, the resident memory is
unknown (0) and 8 GiB are taken to be free.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_ASSUMED_FREE = 8 << 30
_M_ARENA_MAX = -8  # of glibc's mallopt


def resident_bytes() -> int:
    """Return the memory that this process holds now, in bytes; 0 where it is unknown."""
    try:
        import psutil
    except ImportError:
        return 0
    return int(psutil.Process().memory_info().rss)


def free_bytes() -> int:
    """Return the memory that can be had without swapping, in bytes; 8 GiB where it is unknown."""
    try:
        import psutil
    except ImportError:
        return _ASSUMED_FREE
    return int(psutil.virtual_memory().available)


def peak_bytes() -> int:
    """Return the most memory that this process has held so far, in bytes; 0 where it is unknown.

    psutil knows this on Windows only. On Linux the kernel's high-water mark is read by hand:
    `getrusage` also counts what the parent held when it started this process.
    """
    if sys.platform == "win32":
        try:
            import psutil
        except ImportError:
            return 0
        return int(psutil.Process().memory_info().peak_wset)
    with suppress(OSError, IndexError, ValueError):
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return 1024 * int(status.partition("VmHWM:")[2].split()[0])
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def wait_asleep() -> None:
    """Let threads that wait for others sleep, unless the user has set something else.

    GNU's and LLVM's OpenMP let them run in circles for some milliseconds, at the cost of whatever
    else the cores could do. They read this when they are loaded, with the first compiled loop.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def share_one_heap() -> bool:
    """Let all threads of this process take memory from one heap, where the C library has several.

    What one thread gives back others take again. Otherwise each thread keeps what it once had, and
    two threads hold up to twice as much as one. Return whether it was done: glibc alone has this.
    """
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    with suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1))
    return False


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Let processes and threads that are started inside never see Ctrl-C; this one sees it after.

    A terminal sends it to all of them; this process ends the others. The signal is held back, not
    ignored: one that is ignored is lost, and the work would go on. Those that are started inherit
    the mask; the handler is for the threads of this process that were there before.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # its start would let interrupts through again
    held: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, _: held.append(number)) if is_main else 0
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if is_main:
            signal.signal(signal.SIGINT, handler)
        if held:
            signal.raise_signal(signal.SIGINT)
