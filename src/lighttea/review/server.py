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
from lighttea.review.app import build_app
from lighttea.review.guard import Guard
from lighttea.review.render import clean_name
from lighttea.review.session import ReviewSession


def serve(
    run: Run,
    folder: Path,
    *,
    host: str,
    port: int,
    open_browser: bool,
    reviewer: str = "",
    tell: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C."""
    listening = listen(host, port)
    guard = Guard(host, listening.getsockname()[1])
    session = ReviewSession(run, folder, reviewer=clean_name(reviewer))
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
        session.decisions.back_up()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # on Windows the other option would share the port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
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
