"""Waiting for other processes: long, as a busy machine is slow and not wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 180  # seconds, for what never comes

T = TypeVar("T")


def wait_until(condition: Callable[[], T], what: str) -> T:
    """Return the first true value of the condition; an error where there is none for very long."""
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {PATIENCE} seconds in vain: {what}")
        time.sleep(0.02)
    return value
