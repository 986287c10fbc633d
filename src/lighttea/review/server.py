"""Starting the app: a free port, the key in the address, the browser."""

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
from lighttea.review.app import Desk, build_app
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
    """Serve until interrupted, which is how it is meant to end."""
    listening = listen(host, port)
    guard = Guard(host, listening.getsockname()[1])
    desk = Desk(run, folder)
    settings = uvicorn.Config(build_app(desk, guard), log_level="warning", access_log=False)
    server = uvicorn.Server(settings)
    tell(guard.address())
    if open_browser:
        threading.Timer(0.5, webbrowser.open, [guard.address()]).start()
    try:
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    finally:
        desk.realignment.stop()


def listen(host: str, port: int) -> socket.socket:
    """A socket on that address; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)  # who comes before the app is ready waits
    except OSError as error:
        listening.close()
        raise InputError(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another --port"
        ) from None
    return listening
