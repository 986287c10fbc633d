"""Who may ask, how much, how often; and what a hostile client gets."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import pytest
import uvicorn
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from lighttea.serve.app import build_app
from lighttea.serve.catalogue import Catalogue
from lighttea.serve.guard import ServiceGuard
from lighttea.serve.limits import Deadline, Limits, Refused
from lighttea.serve.queries import QueryReader
from lighttea.serve.server import server_settings
from lighttea.web import patience
from lighttea.web.hosts import OwnHost
from lighttea.web.rate import RateLimit
from lighttea.web.sockets import listen
from tests.serve.conftest import BASE, PORT, make_client, members
from tests.waiting import PATIENCE, wait_until

ADDRESSES = (
    *("/", "/draft", "/preview?id=Albert_Einstein", "/view?id=Albert_Einstein"),
    *("/suggest/entity?prefix=a", "/draft/suggest/type?prefix=", "/extend/propose?type=x"),
)


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1:1", ""])
def test_another_host_name_is_refused(client: TestClient, host: str) -> None:
    for address in ADDRESSES:
        assert client.get(address, headers={"host": host}).status_code == 400


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"127.0.0.1:{PORT}", f"[::1]:{PORT}"])
def test_names_of_this_machine_are_fine(client: TestClient, host: str) -> None:
    for address in ADDRESSES:
        assert client.get(address, headers={"host": host}).status_code == 200


LOCAL = "http://127.0.0.1:3333"


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://", "http://["],
)
def test_pages_of_strangers_may_not_ask(client: TestClient, origin: str) -> None:
    for address in ADDRESSES:
        answer = client.get(address, headers={"origin": origin})
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
    preflight = client.options("/", headers={"origin": origin})
    assert preflight.status_code == 403


@pytest.mark.parametrize("origin", [LOCAL, "http://localhost:8080", "http://[::1]:3333"])
def test_pages_of_this_machine_may_ask(client: TestClient, origin: str) -> None:
    for address in ADDRESSES:
        answer = client.get(address, headers={"origin": origin})
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == origin
        assert answer.headers["vary"] == "Origin"
    preflight = client.options("/draft/reconcile", headers={"origin": origin})
    assert preflight.status_code == 204
    assert "Content-Type" in preflight.headers["access-control-allow-headers"]


@pytest.mark.parametrize("allowed", ["https://friend.example", "*"])
def test_an_origin_that_was_named_may_ask(example: Catalogue, allowed: str) -> None:
    guard = ServiceGuard(OwnHost("127.0.0.1", PORT), Limits(), (allowed,))
    client = TestClient(build_app(example, guard), base_url=BASE)
    answer = client.get("/", headers={"origin": "https://friend.example"})
    assert answer.headers["access-control-allow-origin"] == "https://friend.example"
    other = client.get("/", headers={"origin": "https://other.example"})
    assert other.status_code == (200 if allowed == "*" else 403)


def test_every_answer_has_the_headers_and_pages_have_no_script(client: TestClient) -> None:
    for address in (*ADDRESSES, "/nowhere", "/preview", "/suggest/secrets", "/../../etc/passwd"):
        answer = client.get(address)
        assert answer.headers["x-content-type-options"] == "nosniff"
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "<script" not in answer.text
        assert "unsafe" not in policy


def test_the_style_of_a_page_is_the_one_that_is_allowed(client: TestClient) -> None:
    answer = client.get("/preview?id=Albert_Einstein")
    (style,) = re.findall("<style>(.*?)</style>", answer.text, flags=re.S)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in answer.headers["content-security-policy"]
    assert "<script" not in answer.text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE"])
def test_nothing_is_written(client: TestClient, method: str) -> None:
    for address in ADDRESSES:
        assert client.request(method, address).status_code == 405


@pytest.mark.parametrize(
    "path",
    ["/../pyproject.toml", "/%2e%2e/%2e%2e/etc/passwd", "/preview/../../etc/passwd", "/static/x"],
)
def test_paths_lead_nowhere(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json()["status"] == "error"
    assert client.get("/preview", params={"id": "../../etc/passwd"}).status_code == 404


def test_jsonp_is_not_offered(client: TestClient) -> None:
    assert client.get("/", params={"callback": "alert"}).status_code == 400
    assert client.get("/suggest/entity", params={"prefix": "a", "callback": "x"}).status_code == 400


DEEP = "[" * 100_000 + "]" * 100_000
WRONG: list[Any] = [
    *("", "nonsense", "[]", "1", '{"q": 1}', '{"q": {}}', '{"q": {"query": 3}}', "NaN", DEEP),
    *('{"q": {"query": "x", "limit": 0}}', '{"q": {"query": "x", "limit": NaN}}'),
    *('{"q": {"query": "x", "limit": "9"}}', '{"q": {"query": "x", "type_strict": "maybe"}}'),
    json.dumps({"q": {"query": "x" * 10_000}}),
    json.dumps({"q": {"query": "x", "properties": [{"pid": "p", "v": "x"}] * 21}}),
    json.dumps({"q": {"query": "x", "properties": [{"pid": "p", "v": ["x"] * 51}]}}),
    json.dumps({"q": {"query": "x", "properties": [{"pid": "p", "v": [["x"]]}]}}),
    json.dumps({"q": {"query": "x", "properties": {"pid": "p"}}}),
    '{"q": {"query": "x", "limit": ' + "9" * 5_000 + "}}",
]


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:40])
def test_a_wrong_batch_is_refused_in_a_sentence(client: TestClient, text: str) -> None:
    for answer in (
        client.post("/", data={"queries": text}),
        client.post("/", data={"extend": text}),
        client.post("/draft/reconcile", content=text),
        client.post("/draft/extend", content=text),
    ):
        assert answer.status_code == 400
        assert answer.json()["status"] == "error"
        assert len(answer.json()["message"]) < 200


def test_too_many_queries_are_refused(client: TestClient) -> None:
    queries = {f"q{i}": {"query": "x"} for i in range(101)}
    assert client.post("/", data={"queries": json.dumps(queries)}).status_code == 413
    asked = {"ids": ["x"] * 1_001, "properties": [{"id": "p"}]}
    assert client.post("/draft/extend", json=asked).status_code == 400


def test_a_large_request_is_refused(client: TestClient) -> None:
    large = b"x" * (1024 * 1024 + 1)
    assert client.post("/draft/reconcile", content=large).status_code == 413
    pieces = (b"x" * 65_536 for _ in range(20))  # without a length
    assert client.post("/draft/reconcile", content=pieces).status_code == 413
    assert client.post("/", content=b"{}", headers={"content-type": "text/xml"}).status_code == 415


def test_control_characters_and_lone_surrogates_are_answered(client: TestClient) -> None:
    for name in (
        "\x00\x1b[31m",
        "\u202eabc",
        "\ud800",
        "a" * 1_900,
        "💣" * 500,
        "%s%n",
        "' OR 1=1",
    ):
        batch = json.dumps({"q": {"query": f"x{name}"}})
        answer = client.post("/", data={"queries": batch})
        assert answer.status_code == 200
        assert answer.json()["q"]["result"] == []
        assert client.get(
            "/suggest/entity", params={"prefix": name[:9].replace("\ud800", "")}
        ).is_success


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ("query", "queries", "conditions", "v", "pid", "properties", "type", "id")
            )
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
)


@settings(max_examples=300, deadline=None)
@given(JSON)
def test_any_json_is_read_or_refused(content: Any) -> None:
    reader = QueryReader(Limits())
    for read in (reader.read_batch, reader.read_draft_batch, reader.read_extension):
        with suppress(Refused):
            read(json.dumps(content))


def test_the_rate_is_limited_by_client() -> None:
    limit = RateLimit(10)
    assert sum(limit.admit("a", 0.0) for _ in range(100)) == 20
    assert limit.admit("b", 0.0)
    assert sum(limit.admit("a", 1.0) for _ in range(100)) == 10
    assert sum(limit.admit("a", 1_000.0) for _ in range(100)) == 20


def test_too_many_requests_are_told_to_wait(example: Catalogue) -> None:
    client = make_client(example, rate=1.0)
    codes = [client.get("/").status_code for _ in range(5)]
    assert codes[0] == 200
    assert codes[-1] == 429
    assert client.get("/").headers["retry-after"] == "1"


def test_a_long_request_ends(example: Catalogue) -> None:
    client = make_client(example, seconds=-1.0)
    answer = client.post("/", data={"queries": json.dumps({"q": {"query": "George"}})})
    assert answer.status_code == 503
    with pytest.raises(Refused):
        Deadline(-1).check()


def test_a_failure_is_a_sentence(example: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("lighttea.serve.matching.Matcher.match", fail)
    answer = make_client(example).post("/", data={"queries": '{"q": {"query": "x"}}'})
    assert answer.status_code == 500
    assert "secret" not in answer.text


# ------------------------------------------------------------------- a server on this machine


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patience, "PATIENCE", 0.3)
        listening = listen("127.0.0.1", 0)
        own_host = OwnHost("127.0.0.1", listening.getsockname()[1])
        guard = ServiceGuard(own_host, Limits(body_seconds=0.3, rate=1e6))
        server = uvicorn.Server(server_settings(Catalogue(members()), guard))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        wait_until(lambda: server.started, "the server starts")
        yield "127.0.0.1", own_host.port
        server.should_exit = True
        thread.join(PATIENCE)


def exchange(address: tuple[str, int], *pieces: bytes, pause: float = 0.0) -> bytes:
    """What a server answers to bytes until it closes the connection."""
    with socket.create_connection(address, 20) as connection:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause)
        answer = b""
        while more := connection.recv(65_536):
            answer += more
        return answer


def test_a_slow_head_is_cut_off(address: tuple[str, int]) -> None:
    assert exchange(address) == b""
    assert exchange(address, b"GET / HTTP/1.1\r\nHo") == b""


def test_a_slow_body_is_cut_off(address: tuple[str, int]) -> None:
    head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\nContent-Length: 100\r\n\r\n"
    assert b" 408 " in exchange(address, head.encode(), b"queries=")


@pytest.mark.parametrize(
    "request_text",
    [
        b"GARBAGE\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
    ],
    ids=["garbage", "two hosts", "two lengths", "huge header"],
)
def test_malformed_requests_end(address: tuple[str, int], request_text: bytes) -> None:
    assert exchange(address, request_text)[:12] in (b"HTTP/1.1 400", b"")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_a_real_client_matches_a_column(address: tuple[str, int]) -> None:
    pandas = pytest.importorskip("pandas")
    reconciler = pytest.importorskip("reconciler")
    table = pandas.DataFrame(
        {
            "member": ["John Smith", "Smith, John", "Harbuor"],
            "seat": ["Harbour", "Harbour", ""],
            "year": ["1992", "1997", ""],
        }
    )
    endpoint = f"http://127.0.0.1:{address[1]}/"
    found = reconciler.reconcile(
        table["member"],
        property_mapping={"member for": table["seat"], "@time": table["year"]},
        top_res=1,
        reconciliation_endpoint=endpoint,
    )
    assert dict(zip(found["input_value"], found["id"], strict=True)) == {
        "John Smith": "m/1",
        "Smith, John": "m/2",
        "Harbuor": "harbour",
    }
    assert found["match"].all()
    typed = reconciler.reconcile(
        table["member"][:2], type_id="person", top_res="all", reconciliation_endpoint=endpoint
    )
    assert sorted(typed["id"]) == ["m/1", "m/1", "m/2", "m/2"]
    assert set(typed["type"]) == {"person"}


def test_a_get_of_a_batch(address: tuple[str, int]) -> None:
    query = urlencode({"queries": json.dumps({"q": {"query": "harbour"}})})
    head = f"GET /?{query} HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\nConnection: close\r\n\r\n"
    assert b'"id":"harbour"' in exchange(address, head.encode())
