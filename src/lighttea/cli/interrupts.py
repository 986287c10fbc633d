"""Ctrl-C ends a command wherever it strikes, and with the command's own exit code."""

from __future__ import annotations

import _thread
import signal
import sys
import threading

_LATER = 0.02  # seconds: when what ignored the interrupt is over


def never_lose_interrupts() -> None:
    """Interrupt the main thread again where Python ignored the exception, so that work would go on.

    It ignores whatever is raised in a finaliser or in the callback of a weak reference; each import
    has one of these.
    """
    show, main_thread = sys.unraisablehook, threading.get_ident()

    def again(ignored: sys.UnraisableHookArgs) -> None:
        if not issubclass(ignored.exc_type, KeyboardInterrupt):
            show(ignored)
            return
        timer = threading.Timer(_LATER, _interrupt, [main_thread])
        timer.daemon = True
        timer.start()

    sys.unraisablehook = again


def _interrupt(main_thread: int) -> None:
    if hasattr(signal, "pthread_kill"):  # a real signal ends what it waits for, too
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        _thread.interrupt_main()


def forget_handled_interrupts() -> None:
    """Leave the exit code to the command.

    An interrupt that passes through `exec` or `eval` of a text counts as unhandled for good, and
    `python -m` would die by the signal at its end; the next such text starts the count anew.
    """
    exec("")
