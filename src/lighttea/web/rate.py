"""How often one client may ask."""

from __future__ import annotations

import threading
from collections import OrderedDict


class RateLimit:
    """Counts requests by client: `rate` a second, and as many at once as come in two seconds."""

    _MOST_CLIENTS = 10_000

    def __init__(self, rate: float) -> None:
        self._rate, self._burst = rate, max(2 * rate, 1.0)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # requests, moment
        self._lock = threading.Lock()

    def admit(self, client: str, now: float) -> bool:
        """Whether a client may ask once more at a moment."""
        with self._lock:
            left, before = self._left.pop(client, (self._burst, now))
            left = min(self._burst, left + (now - before) * self._rate)
            self._left[client] = (left - 1 if left >= 1 else left), now
            while len(self._left) > self._MOST_CLIENTS:
                self._left.popitem(last=False)
            return left >= 1
