"""Who may talk to the app, and what a page may do.

The app listens on this machine alone unless told otherwise. A random token in the first address
becomes a cookie; without it nothing is answered. The Host header must be one of ours (another
site's name could be made to point here), and what changes something must be a POST that comes from
one of our own pages.
"""

from __future__ import annotations

import secrets
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
        names = {"127.0.0.1", "localhost", "[::1]"}
        if self.host not in ("0.0.0.0", "::"):
            names.add(f"[{self.host}]" if ":" in self.host else self.host)
        return {f"{name}:{self.port}" for name in names}

    def address(self) -> str:
        """What to open in a browser."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/?token={self.token}"

    async def __call__(self, request: Request, answer: Answer) -> Response:
        """The middleware."""
        response = self._refusal(request) or self._entrance(request) or await answer(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def _refusal(self, request: Request) -> Response | None:
        if request.headers.get("host", "") not in self.hosts:
            return PlainTextResponse("unknown host", 400)
        if request.method not in (*_READING, "POST"):
            return PlainTextResponse("not allowed", 405)
        if request.method == "POST" and not self._from_here(request):
            return PlainTextResponse("this must come from the app's own pages", 403)
        return None

    def _from_here(self, request: Request) -> bool:
        site = request.headers.get("sec-fetch-site", "same-origin")
        origin = request.headers.get("origin")
        ours = origin is None or urlsplit(origin).netloc in self.hosts
        return ours and site == "same-origin"

    def _entrance(self, request: Request) -> Response | None:
        """Let in who has the cookie, or the token, which becomes one."""
        if _same(request.cookies.get(self.cookie, ""), self.token):
            return None
        if request.url.path == "/" and _same(request.query_params.get("token", ""), self.token):
            response = RedirectResponse("/", 303)
            response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
            return response
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
