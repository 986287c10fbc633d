"""Access control of the app, and the security headers of its pages.

The app listens on the loopback address by default. A random token in the first URL becomes a
cookie; requests without it are refused. The Host header must be one of the app's own (against DNS
rebinding), and requests that change something must be POSTs from the app's own pages.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from fastapi import Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response
from starlette.requests import ClientDisconnect

from lighttea.web.hosts import OwnHost
from lighttea.web.rate import RateLimit

MAX_FORM_BYTES = 64 * 1024
FORM_SECONDS = 10.0  # that a client may take to send a form
RATE = 200.0  # requests a second from one address; a page of the app makes a handful
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_READING = ("GET", "HEAD")
Answer = Callable[[Request], Awaitable[Response]]
Failure = Callable[[Exception], Response]


@dataclass(frozen=True)
class Guard:
    """The secrets of one start of the app, and the host names it accepts."""

    host: str
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    form_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    rate: RateLimit = field(default_factory=lambda: RateLimit(RATE))

    @property
    def cookie(self) -> str:
        """The name of the cookie; it has the port in it, because cookies ignore ports."""
        return f"lighttea-{self.port}"

    @property
    def own_host(self) -> OwnHost:
        """Where the app listens, and the Host headers it accepts."""
        return OwnHost(self.host, self.port)

    def address(self) -> str:
        """Return the URL to open in a browser."""
        return f"{self.own_host.address}/?token={self.token}"

    async def answer(self, request: Request, answer: Answer, failure: Failure) -> Response:
        """Answer a request; `failure` makes the page for an unexpected error.

        The fields of a form are read here, so that the pages need not wait for the network and
        can be plain functions, each in a thread of its own.
        """
        response = self._refuse(request) or self._check_token(request)
        if response is None:
            try:
                request.state.form = await self.form(request) if request.method == "POST" else None
                response = await answer(request)
            except TimeoutError:
                response = PlainTextResponse("The form came too slowly; nothing was changed.", 408)
            except ClientDisconnect:  # nobody reads the answer
                response = PlainTextResponse("The form broke off; nothing was changed.", 400)
            except Exception as error:  # noqa: BLE001 - its page has the headers of every page
                response = failure(error)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def _refuse(self, request: Request) -> Response | None:
        if not self.own_host.is_named_by(request):
            return PlainTextResponse("This app does not answer for that host name.", 400)
        if request.method not in (*_READING, "POST"):
            return PlainTextResponse("This method is not allowed.", 405)
        if request.method == "POST" and not self._is_same_origin(request):
            return PlainTextResponse("Only the app's own pages may send this.", 403)
        client = request.client.host if request.client else ""
        if not self.rate.admit(client, time.monotonic()):
            message = f"More than {RATE:g} requests a second; wait a moment."
            return PlainTextResponse(message, 429, {"Retry-After": "1"})
        return None

    def _is_same_origin(self, request: Request) -> bool:
        site = request.headers.get("sec-fetch-site", "same-origin")
        origin = request.headers.get("origin")
        ours = origin is None or origin.partition("://")[2] == request.headers.get("host")
        return ours and site == "same-origin"

    def _check_token(self, request: Request) -> Response | None:
        """Return None with a valid cookie; else set it where the token is right, or refuse."""
        if request.url.path == "/" and _equal_secrets(
            request.query_params.get("token", ""), self.token
        ):
            response = RedirectResponse("/", 303)
            response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
            return response
        if _equal_secrets(request.cookies.get(self.cookie, ""), self.token):
            return None
        message = "Open the address that lighttea review printed: it holds the key to this page."
        return PlainTextResponse(message, 403)

    async def form(self, request: Request) -> dict[str, str] | None:
        """Return the fields of one of the app's own forms; None for any other.

        The values of a field that is there several times are joined by commas.
        """
        length = request.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MAX_FORM_BYTES:
            return None
        body = await asyncio.wait_for(request.body(), FORM_SECONDS)
        text = body.decode("utf-8", errors="replace")
        fields = {
            name: ",".join(values)
            for name, values in parse_qs(text, keep_blank_values=True).items()
        }
        return fields if _equal_secrets(fields.get("form_token", ""), self.form_token) else None


def _equal_secrets(left: str, right: str) -> bool:
    return secrets.compare_digest(left.encode(), right.encode())
