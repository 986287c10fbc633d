"""Requests as no browser sends them, over a real socket: refused, and the app goes on."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import uvicorn

from lighttea.results.run import Run
from lighttea.review import server as servers
from lighttea.review.app import build_app
from lighttea.review.guard import HEADERS, Guard
from lighttea.review.server import server_settings
from lighttea.review.session import ReviewSession
from lighttea.web.sockets import listen
from tests.waiting import wait_until


class Server:
    """The app behind the server that `lighttea review` uses."""

    def __init__(self, run: Run, folder: Path) -> None:
        listening = listen("127.0.0.1", 0)
        self.guard = Guard("127.0.0.1", listening.getsockname()[1])
        self.session = ReviewSession(run, folder)
        self.server = uvicorn.Server(server_settings(build_app(self.session, self.guard)))
        self._thread = threading.Thread(target=self.server.run, args=([listening],), daemon=True)
        self._thread.start()
        wait_until(lambda: self.server.started, "the server starts")

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.guard.port), timeout=30)

    def send(self, *pieces: bytes) -> bytes:
        """Send the pieces one by one, and return all that comes back until the end."""
        with closing(self.connect()) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with suppress(ConnectionError):
                for piece in pieces:
                    client.sendall(piece)
            return read_all(client)

    def head(self, line: str = "GET / HTTP/1.1", *more: str, close: bool = True) -> bytes:
        """The head of a request by somebody who has the key."""
        lines = [line, f"Host: 127.0.0.1:{self.guard.port}", *more]
        lines.append(f"Cookie: {self.guard.cookie}={self.guard.token}")
        lines += ["Connection: close"] * close
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def n_open(self) -> int:
        return len(self.server.server_state.connections)

    def stop(self) -> None:
        self.server.should_exit = True
        self._thread.join(timeout=30)


def read_all(client: socket.socket) -> bytes:
    answer = b""
    with suppress(ConnectionError):
        while piece := client.recv(65536):
            answer += piece
    return answer


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


@pytest.fixture(scope="module")
def running(example_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = example_run.save(tmp_path_factory.mktemp("requests") / "run")
    made = Server(example_run, folder)
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def goes_on(running: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever was sent, the app answers afterwards, and nothing was decided."""
    yield
    monkeypatch.undo()
    assert status_of(running.send(running.head())) == 200
    assert running.session.decisions.standing() == {}


MALFORMED = {
    "nonsense": b"\x00\xff\x16\x03\x01 hello\r\n\r\n",
    "no version": b"GET /\r\n\r\n",
    "another protocol": b"GET / HTTP/9.9\r\n\r\n",
    "a header without a colon": b"GET / HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n",
    "a space before the colon": b"GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n",
    "a folded header": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n evil\r\n\r\n",
    "a NUL in a header": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\x00\r\n\r\n",
    "two lengths": b"POST /undo HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "a negative length": b"POST /undo HTTP/1.1\r\nContent-Length: -5\r\n\r\nhello",
    "a length of 5,000 digits": b"POST /undo HTTP/1.1\r\nContent-Length: "
    + b"9" * 5000
    + b"\r\n\r\n",
    "a head without end": b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000,
    "a proxy's request": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_request_is_refused(running: Server, name: str) -> None:
    answer = running.send(MALFORMED[name])
    assert 400 <= status_of(answer) < 500
    assert running.guard.token.encode() not in answer


def test_a_request_in_single_bytes_is_a_request(running: Server) -> None:
    head = running.head()
    assert status_of(running.send(*(head[i : i + 1] for i in range(len(head))))) == 200


def test_a_request_smuggled_behind_another_has_no_rights(running: Server) -> None:
    """The length says that the second one is the body of the first, or that it is not."""
    inner = b"POST /undo HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n"
    both = ("Transfer-Encoding: chunked", f"Content-Length: {len(inner)}")
    answer = running.send(running.head("POST /undo HTTP/1.1", *both), b"0\r\n\r\n" + inner)
    assert status_of(answer) in (400, 403)
    answer = running.send(running.head(close=False), inner, running.head())
    statuses = [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [200, 400, 200]


@pytest.mark.parametrize(
    "target",
    [
        *(
            "/static/../app.py",
            "/static/..%2f..%2fapp.py",
            "/static/%2e%2e/guard.py",
            "//etc/passwd",
        ),
        *("/static/%00", "/export/..%2f..%2frun.json", "/pair/../../etc/passwd", "/%ff%fe"),
        *("http://evil.example/", "*"),
    ],
)
def test_no_target_reaches_the_file_system(running: Server, target: str) -> None:
    answer = running.send(running.head(f"GET {target} HTTP/1.1"))
    assert b"import " not in answer
    assert b"root:" not in answer
    assert status_of(answer) in (200, 303, 400, 404, 422)
    assert status_of(answer) != 200 or target == "http://evil.example/"  # the path is "/"


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "://", "\xff", "null"])
def test_an_origin_that_is_none_is_refused_with_all_headers(running: Server, origin: str) -> None:
    """`http://[` used to end in a bare error of the server."""
    more = (f"Origin: {origin}", "Content-Length: 0")
    answer = running.send(running.head("POST /undo HTTP/1.1", *more)).lower()
    assert status_of(answer) in (400, 403)
    if status_of(answer) == 403:
        assert all(name.lower().encode() in answer for name in HEADERS)


def test_the_key_is_in_no_page_and_leaves_the_address(running: Server) -> None:
    key = running.guard.token
    host = f"Host: 127.0.0.1:{running.guard.port}"
    first = f"GET /?token={key} HTTP/1.1\r\n{host}\r\nConnection: close\r\n\r\n".encode()
    answer = running.send(first)
    assert status_of(answer) == 303
    assert b"\r\nlocation: /\r\n" in answer.lower()
    assert b"referrer-policy: same-origin" in answer.lower()  # no other site learns the address
    for target in ("/", "/pair/0", "/many", "/realign", "/static/app.js", "/nothing"):
        assert key.encode() not in running.send(running.head(f"GET {target} HTTP/1.1"))
    referring = f"GET / HTTP/1.1\r\n{host}\r\nReferer: /?token={key}\r\nConnection: close\r\n\r\n"
    assert status_of(running.send(referring.encode())) == 403  # the address alone counts


def test_a_client_that_sends_its_head_slowly_is_closed(
    running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lighttea.web.patience.PATIENCE", 0.2)
    assert running.send(b"GET / HTTP/1.1\r\nHost: 127.") == b""
    assert running.send() == b""
    answer = running.send(running.head(close=False), b"GET / HT")  # the second one never ends
    assert answer.count(b"HTTP/1.1 200") == 1


def test_a_form_that_comes_slowly_is_refused(
    running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lighttea.review.guard.FORM_SECONDS", 0.2)
    answer = running.send(running.head("POST /undo HTTP/1.1", "Content-Length: 50"), b"form")
    assert status_of(answer) == 408
    assert b"nothing was changed" in answer
    assert all(name.lower().encode() in answer.lower() for name in HEADERS)


def test_a_form_that_breaks_off_is_no_error_of_the_app(
    running: Server, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(running.connect()) as client:
        client.sendall(running.head("POST /undo HTTP/1.1", "Content-Length: 50") + b"form")
    assert status_of(running.send(running.head())) == 200
    assert caplog.text == ""


def test_connections_beyond_the_limit_are_told_to_wait(running: Server) -> None:
    clients = [running.connect() for _ in range(servers.CONNECTIONS + 5)]
    try:
        wait_until(lambda: running.n_open() > servers.CONNECTIONS, "all are connected")
        assert status_of(running.send(running.head())) == 503
    finally:
        for client in clients:
            client.close()
    wait_until(lambda: running.n_open() < 10, "the others are closed")


def test_too_many_requests_are_told_to_wait(
    running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running.guard.rate, "_burst", 3.0)
    monkeypatch.setattr(running.guard.rate, "_rate", 0.0)
    monkeypatch.setattr(running.guard.rate, "_left", type(running.guard.rate._left)())
    statuses = [status_of(running.send(running.head())) for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
