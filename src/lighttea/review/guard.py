"""Who may talk to the app, and what a page may do.

The app listens on this machine alone unless told otherwise. A random token in the first address
becomes a cookie; without it nothing is answered. The Host header must be one of ours (another
site's name could be made to point here), and what changes something must be a POST that comes from
one of our own pages.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from fastapi import Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response

MOST_BYTES = 64 * 1024  # of a form
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
EVERYWHERE = ("0.0.0.0", "::")
_READING = ("GET", "HEAD")
Answer = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Guard:
    """The secrets of one start of the app, and the names it answers to."""

    host: str
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    form_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def cookie(self) -> str:
        """Cookies know no ports, so that two apps need two names."""
        return f"lighttea-{self.port}"

    @property
    def hosts(self) -> set[str]:
        """What a Host header may say."""
        names = {"127.0.0.1", "localhost", "::1", self._name}
        return {f"{_in_address(name)}:{self.port}" for name in names}

    @property
    def _name(self) -> str:
        """The name to be reached by; this machine's where the app listens everywhere."""
        return socket.gethostname() if self.host in EVERYWHERE else self.host

    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{_in_address(self._name)}:{self.port}/?token={self.token}"

    def _knows(self, request: Request) -> bool:
        """One of our names or, where the app listens everywhere, the address that was reached."""
        said = request.headers.get("host", "")
        if self.host in EVERYWHERE and (server := request.scope.get("server")):
            return said in {*self.hosts, f"{_in_address(server[0])}:{self.port}"}
        return said in self.hosts

    async def __call__(self, request: Request, answer: Answer) -> Response:
        """The middleware."""
        response = self._refusal(request) or self._entrance(request) or await answer(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def _refusal(self, request: Request) -> Response | None:
        if not self._knows(request):
            return PlainTextResponse("unknown host", 400)
        if request.method not in (*_READING, "POST"):
            return PlainTextResponse("not allowed", 405)
        if request.method == "POST" and not self._from_here(request):
            return PlainTextResponse("this must come from the app's own pages", 403)
        return None

    def _from_here(self, request: Request) -> bool:
        site = request.headers.get("sec-fetch-site", "same-origin")
        origin = request.headers.get("origin")
        ours = origin is None or urlsplit(origin).netloc == request.headers.get("host")
        return ours and site == "same-origin"

    def _entrance(self, request: Request) -> Response | None:
        """Let in who has the cookie, or the token, which becomes one."""
        if request.url.path == "/" and _same(request.query_params.get("token", ""), self.token):
            response = RedirectResponse("/", 303)
            response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
            return response
        if _same(request.cookies.get(self.cookie, ""), self.token):
            return None
        said = "open the address that lighttea review printed; it holds the key to this page"
        return PlainTextResponse(said, 403)

    async def form(self, request: Request) -> dict[str, str] | None:
        """The fields of a form of ours; None for one that is not."""
        length = request.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return None
        text = (await request.body()).decode("utf-8", errors="replace")
        fields = {
            name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()
        }
        return fields if _same(fields.get("form_token", ""), self.form_token) else None


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _in_address(name: str) -> str:
    """A version 6 address stands in brackets."""
    return f"[{name}]" if ":" in name else name
