"""The server: a graph or a run becomes a service on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import uvicorn

from lighttea.serve.app import build_app
from lighttea.serve.catalogue import Catalogue
from lighttea.serve.guard import ServiceGuard
from lighttea.serve.limits import Limits
from lighttea.web.hosts import OwnHost
from lighttea.web.patience import PatientProtocol
from lighttea.web.sockets import listen


def serve(
    catalogue: Catalogue,
    *,
    host: str,
    port: int,
    limits: Limits,
    allowed_origins: Sequence[str] = (),
    tell: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C."""
    listening = listen(host, port)
    own_host = OwnHost(host, listening.getsockname()[1])
    guard = ServiceGuard(own_host, limits, allowed_origins)
    server = uvicorn.Server(server_settings(catalogue, guard))
    tell(own_host.address)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def server_settings(catalogue: Catalogue, guard: ServiceGuard) -> uvicorn.Config:
    """Return how the service runs: bounded connections, short waits, no log of requests."""
    return uvicorn.Config(
        build_app(catalogue, guard),
        http=PatientProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=guard.limits.connections,
        timeout_keep_alive=5,
    )
