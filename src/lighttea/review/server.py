"""The server of the app: a free port, the token in the URL, the browser."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from lighttea.results.run import Run
from lighttea.review.app import build_app
from lighttea.review.guard import Guard
from lighttea.review.render import clean_name
from lighttea.review.session import ReviewSession
from lighttea.web.sockets import listen


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
