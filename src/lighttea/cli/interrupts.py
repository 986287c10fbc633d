"""Ctrl-C ends a command at any point, with the command's own exit code; so does a closed pipe."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading

_DELAY = 0.02  # seconds, after which the code that ignored the interrupt is over


def repeat_ignored_interrupts() -> None:
    """Interrupt the main thread again where Python ignored the exception.

    Python ignores what is raised in a finaliser or in the callback of a weak reference, of which
    every import has one; the work would go on.
    """
    show_ignored, main_thread = sys.unraisablehook, threading.get_ident()

    def interrupt_again(ignored: sys.UnraisableHookArgs) -> None:
        if not issubclass(ignored.exc_type, KeyboardInterrupt):
            show_ignored(ignored)
            return
        timer = threading.Timer(_DELAY, _interrupt, [main_thread])
        timer.daemon = True
        timer.start()

    sys.unraisablehook = interrupt_again


def _interrupt(main_thread: int) -> None:
    if hasattr(signal, "pthread_kill"):  # a real signal ends what it waits for, too
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        _thread.interrupt_main()


def clear_handled_interrupts() -> None:
    """Make Python exit with the command's own code.

    An interrupt that passes through `exec` or `eval` of a text counts as unhandled for good, and
    `python -m` would die by the signal at its end; the next such text starts the count anew. One
    more interrupt, while the process ends, is ignored: the command is over.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    exec("")


def drop_stdout() -> None:
    """Discard what is still to be written to a closed stdout, also when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
