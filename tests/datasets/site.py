"""A web server on this machine that serves one file, well or badly."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What is served and how; `requests` counts the requests."""

    content: bytes
    sends_length: bool = True
    statuses: list[int] = field(default_factory=list)  # of the next requests, instead of a file
    cuts: list[int] = field(default_factory=list)  # bytes after which the next answers break off
    redirect: str | None = None
    holds_after: int | None = None  # bytes after which it waits until released
    released: threading.Event = field(default_factory=threading.Event)
    requests: int = 0
    url: str = ""


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    """Serve until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _answer(self, site)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep the tests' output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        site.url = f"http://127.0.0.1:{server.server_port}/data.zip"
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(handler: BaseHTTPRequestHandler, site: Site) -> None:
    site.requests += 1
    if site.statuses:
        handler.send_error(site.statuses.pop(0))
        return
    if site.redirect:
        handler.send_response(302)
        handler.send_header("Location", site.redirect)
        handler.end_headers()
        return
    handler.send_response(200)
    if site.sends_length:
        handler.send_header("Content-Length", str(len(site.content)))
    handler.end_headers()
    if site.holds_after is not None:
        handler.wfile.write(site.content[: site.holds_after])
        site.released.wait(60)
        return
    handler.wfile.write(site.content[: site.cuts.pop(0)] if site.cuts else site.content)
