"""Who may ask, how much and how often; and the headers of every answer.

The service only reads. It answers for its own host names alone (against DNS rebinding), lets pages
of this machine read its answers (CORS), and others only where they were named.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from lighttea.serve.describe import STYLE_HASH
from lighttea.serve.limits import Limits, Refused
from lighttea.web.hosts import OwnHost, is_loopback
from lighttea.web.rate import RateLimit

ANY_ORIGIN = "*"
_METHODS = "GET, HEAD, POST, OPTIONS"
_LOCAL_PAGES = "http://127.0.0.1:* http://localhost:* http://[::1]:*"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Vary": "Origin",
}
Answer = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class ServiceGuard:
    """The host names and origins that are accepted, and the limits of requests."""

    own_host: OwnHost
    limits: Limits = field(default_factory=Limits)
    allowed_origins: Sequence[str] = ()
    clock: Callable[[], float] = time.monotonic
    rate: RateLimit = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", RateLimit(self.limits.rate))

    async def answer(self, request: Request, answer: Answer) -> Response:
        """Answer a request, or say in a sentence why not; the body is read here."""
        try:
            self._check(request)
            if request.method == "OPTIONS":
                response = Response(status_code=204)
            else:
                request.state.body = await self._body(request) if request.method == "POST" else b""
                response = await answer(request)
        except Refused as refused:
            response = error_response(refused.status, str(refused))
        except Exception:  # noqa: BLE001 - a client gets no traceback
            response = error_response(500, "the service failed on this request")
        self._add_headers(request, response)
        return response

    def _check(self, request: Request) -> None:
        if not self.own_host.is_named_by(request):
            raise Refused(400, "this service does not answer for that host name")
        if request.method not in _METHODS.split(", "):
            raise Refused(405, "this service only reads: use GET or POST")
        origin = request.headers.get("origin")
        if origin is not None and not self._allows(origin):
            raise Refused(403, "pages of that origin may not ask; --allow-origin lets them")
        client = request.client.host if request.client else ""
        if not self.rate.admit(client, self.clock()):
            raise Refused(429, f"more than {self.limits.rate:g} requests a second; wait a moment")

    def _allows(self, origin: str) -> bool:
        named = origin in self.allowed_origins or ANY_ORIGIN in self.allowed_origins
        return named or is_loopback(origin)

    async def _body(self, request: Request) -> bytes:
        """Return what a client sends; refused where it is too much or comes too slowly."""
        most, length = self.limits.request_bytes, request.headers.get("content-length", "")
        if length.isdecimal() and int(length) > most:
            raise Refused(413, f"a request of {int(length):,} bytes; expected {most:,} at most")
        try:
            return await asyncio.wait_for(_read(request, most), self.limits.body_seconds)
        except TimeoutError:
            raise Refused(408, "the request came too slowly") from None

    def _add_headers(self, request: Request, response: Response) -> None:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        frames = " ".join((_LOCAL_PAGES, *self.allowed_origins))
        response.headers["Content-Security-Policy"] = (
            f"default-src 'none'; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'; "
            f"frame-ancestors {frames}"
        )
        if response.status_code == 429:
            response.headers["Retry-After"] = "1"
        origin = request.headers.get("origin")
        if origin is not None and self._allows(origin) and response.status_code != 400:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Allow-Methods"] = _METHODS
            response.headers["Access-Control-Allow-Headers"] = "Content-Type, Accept-Language"


async def _read(request: Request, most: int) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise Refused(413, f"a request of more than {most:,} bytes")
    return bytes(body)


def error_response(status: int, message: str) -> JSONResponse:
    """Return an error as clients of the API read it."""
    return JSONResponse({"status": "error", "message": message}, status)
