"""What one request may ask for, and how often one client may ask."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of the service; what is beyond is refused, never cut silently."""

    request_bytes: int = 1024 * 1024
    queries: int = 100  # in a batch
    candidates: int = 100  # of a query
    conditions: int = 20  # of a query
    values: int = 50  # of a condition
    letters: int = 2_000  # of a text in a query
    entities: int = 1_000  # whose data are asked for at once
    properties: int = 50  # that are asked for at once
    statements: int = 200  # of an entity and a property that are compared or handed out
    seconds: float = 20.0  # that a request may take
    body_seconds: float = 10.0  # that a client may take to send its request
    rate: float = 50.0  # requests a second from one address
    connections: int = 64


class Refused(Exception):  # noqa: N818 - a state of a request, told to the client
    """A request that is not answered: the status code, and why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Deadline:
    """The moment by which a request has to be answered."""

    seconds: float
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds

    def check(self) -> None:
        """Raise an error where the time is over."""
        if time.monotonic() > self._end:
            raise Refused(
                503, f"this took more than {self.seconds:g} seconds; ask for less at once"
            )


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
