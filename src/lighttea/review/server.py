"""The server of the app: a free port, the token in the URL, the browser."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from lighttea.results.run import Run
from lighttea.review.app import build_app
from lighttea.review.guard import Guard
from lighttea.review.render import clean_name
from lighttea.review.session import ReviewSession
from lighttea.web.patience import PatientProtocol
from lighttea.web.sockets import listen

CONNECTIONS = 64  # at once; a browser opens six


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
    server = uvicorn.Server(server_settings(build_app(session, guard)))
    tell(guard.address())
    if open_browser:
        threading.Timer(0.5, webbrowser.open, [guard.address()]).start()
    try:
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    finally:
        session.realignment.stop()
        session.decisions.back_up()


def server_settings(app: FastAPI) -> uvicorn.Config:
    """Return how the app runs: bounded connections, short waits, no log of requests."""
    return uvicorn.Config(
        app,
        http=PatientProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=5,
    )
