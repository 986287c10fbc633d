"""A SPARQL endpoint on this machine: real queries on a store, and faults on demand."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from pyoxigraph import QueryResultsFormat, QuerySolutions, RdfFormat, Store

JSON = "application/sparql-results+json"


@dataclass
class Fault:
    """What is sent instead of an answer, or what is done to it."""

    status: int = 200
    body: bytes | None = None
    media_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    cut_at: int | None = None  # bytes after which the connection is closed
    announces_length: bool = True
    delay_s: float = 0.0


@dataclass
class Service:
    """The data of an endpoint, and the faults of the next requests; None is no fault."""

    store: Store = field(default_factory=Store)
    faults: list[Fault | None] = field(default_factory=list)
    most_rows: int | None = None  # a limit of the server's own
    ignores_offset: bool = False
    queries: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)
    url: str = ""


def service_of(turtle: str) -> Service:
    """An endpoint with these triples."""
    service = Service()
    service.store.load(turtle.encode(), format=RdfFormat.TURTLE)
    return service


@contextmanager
def serving(service: Service) -> Iterator[Service]:
    """Serve until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _answer(self, service, urlsplit(self.path).query)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            _answer(self, service, body.decode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep the tests' output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        service.url = f"http://127.0.0.1:{server.server_port}/sparql"
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(handler: BaseHTTPRequestHandler, service: Service, form: str) -> None:
    query = parse_qs(form)["query"][0]
    service.queries.append(query)
    service.methods.append(handler.command)
    service.agents.add(handler.headers["User-Agent"])
    fault = (service.faults.pop(0) if service.faults else None) or Fault()
    if fault.delay_s:
        time.sleep(fault.delay_s)
    status, body = (fault.status, fault.body) if fault.body is not None else _run(service, query)
    if fault.status != 200:
        status = fault.status
    handler.send_response(status)
    handler.send_header("Content-Type", fault.media_type)
    for name, value in fault.headers.items():
        handler.send_header(name, value)
    if fault.announces_length:
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body if fault.cut_at is None else body[: fault.cut_at])


def _run(service: Service, query: str) -> tuple[int, bytes]:
    if service.ignores_offset:
        query = query.partition("OFFSET")[0]
    if service.most_rows is not None:
        head, _, rest = query.rpartition("LIMIT ")
        limit, _, offset = rest.partition("\n")
        query = f"{head}LIMIT {min(int(limit), service.most_rows)}\n{offset}"
    try:
        answer = service.store.query(query)
    except SyntaxError as error:
        return 400, f"malformed query: {error}\nmore lines".encode()
    assert isinstance(answer, QuerySolutions)
    return 200, answer.serialize(format=QueryResultsFormat.JSON) or b""
