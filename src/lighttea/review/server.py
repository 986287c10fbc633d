"""The server of the app: a free port, the token in the URL, the browser."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from lighttea.errors import InputError
from lighttea.results.run import Run
from lighttea.review.app import ReviewSession, build_app
from lighttea.review.guard import Guard


def serve(
    run: Run,
    folder: Path,
    *,
    host: str,
    port: int,
    open_browser: bool,
    tell: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C."""
    listening = listen(host, port)
    guard = Guard(host, listening.getsockname()[1])
    session = ReviewSession(run, folder)
    settings = uvicorn.Config(build_app(session, guard), log_level="warning", access_log=False)
    server = uvicorn.Server(settings)
    tell(guard.address())
    if open_browser:
        threading.Timer(0.5, webbrowser.open, [guard.address()]).start()
    try:
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    finally:
        session.realignment.stop()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)  # early requests wait until the app is ready
    except OSError as error:
        listening.close()
        raise InputError(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another --port"
        ) from None
    return listening
