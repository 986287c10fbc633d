"""Who wants to know that a loop is being compiled: it takes seconds, once on each machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[str], None]] = []


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Call the listener with the name of each function that is compiled inside."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce(name: str) -> None:
    """Tell all listeners that a function is about to be compiled."""
    for listener in _listeners:
        listener(name)
