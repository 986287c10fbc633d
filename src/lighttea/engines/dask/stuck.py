"""Workers that will never finish: without memory for another task, and with nothing to let go."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

STUCK_SECONDS = 60  # without a change


class Standstill:
    """Looks at the workers now and then, and tells when none of them can go on.

    Dask gives no task to a worker above 80 % of its memory. Where all blocks are on disk already
    and the process is still that large, it stays so for good, without a word.
    """

    def __init__(self) -> None:
        self._seen: Any = None
        self._since = 0.0

    def lasts(self, workers: Mapping[str, Any]) -> bool:
        """Whether nothing happens any more and a worker is paused; `workers` as Dask has them."""
        now, state = (
            time.monotonic(),
            {address: _state(worker) for address, worker in workers.items()},
        )
        if state != self._seen:
            self._seen, self._since = state, now
        paused = any(worker["status"] == "paused" for worker in workers.values())
        executing = any(tasks.get("executing") for _, tasks, _ in state.values())
        return paused and not executing and now - self._since >= STUCK_SECONDS


def _state(worker: Mapping[str, Any]) -> tuple[str, dict[str, int], int]:
    """What changes as long as a worker does anything: tasks, and bytes that go to disk."""
    metrics = worker.get("metrics", {})
    spilled = metrics.get("spilled_bytes", {}).get("disk", 0)
    return worker["status"], dict(metrics.get("task_counts", {})), spilled
