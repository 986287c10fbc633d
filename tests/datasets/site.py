"""A web server on this machine that serves one file, well or badly."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What is served and how; `asked` has the Range header of every request."""

    content: bytes
    has_ranges: bool = True
    etag: str | None = None
    modified: str | None = None
    says_length: bool = True
    statuses: list[int] = field(default_factory=list)  # of the next requests, instead of a file
    cuts: list[int] = field(default_factory=list)  # bytes after which the next answers break off
    redirect: str | None = None
    holds_after: int | None = None  # bytes after which it waits until released
    released: threading.Event = field(default_factory=threading.Event)
    asked: list[str | None] = field(default_factory=list)
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
    wanted = handler.headers["Range"]
    site.asked.append(wanted)
    if site.statuses:
        handler.send_error(site.statuses.pop(0))
        return
    if site.redirect:
        handler.send_response(302)
        handler.send_header("Location", site.redirect)
        handler.end_headers()
        return
    begin = _begin(handler, site, wanted)
    if begin >= len(site.content) > 0:
        handler.send_response(416)
        handler.send_header("Content-Range", f"bytes */{len(site.content)}")
        handler.end_headers()
        return
    _send(handler, site, begin)


def _begin(handler: BaseHTTPRequestHandler, site: Site, wanted: str | None) -> int:
    """Where to begin: at the Range asked for, unless If-Range names another version."""
    mark = handler.headers["If-Range"]
    if not wanted or not site.has_ranges or mark not in (None, site.etag, site.modified):
        return 0
    return int(wanted.removeprefix("bytes=").removesuffix("-"))


def _send(handler: BaseHTTPRequestHandler, site: Site, begin: int) -> None:
    body, total = site.content[begin:], len(site.content)
    handler.send_response(206 if begin else 200)
    if begin:
        handler.send_header("Content-Range", f"bytes {begin}-{total - 1}/{total}")
    if site.says_length:
        handler.send_header("Content-Length", str(len(body)))
    for name, mark in (("ETag", site.etag), ("Last-Modified", site.modified)):
        if mark:
            handler.send_header(name, mark)
    handler.end_headers()
    if site.holds_after is not None:
        handler.wfile.write(body[: site.holds_after])
        site.released.wait(60)
        return
    handler.wfile.write(body[: site.cuts.pop(0)] if site.cuts else body)
