"""What one request may ask for."""

from __future__ import annotations

import time
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
