"""Who may talk to the app, and what a page may do."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from lighttea.review.app import build_app
from lighttea.review.guard import MAX_FORM_BYTES, Guard
from tests.review.conftest import BASE, PORT, Reviewer

ADDRESSES = (
    "/",
    "/pair/0",
    "/realign",
    "/many?by=threshold&low=0.5",
    "/realign/status",
    "/export/must-link.tsv",
    "/export/decisions.tsv",
    "/static/app.js",
)
CHANGES = ("/pair/0/decide", "/pair/0/note", "/many", "/undo", "/reviewer", "/realign")


@pytest.fixture
def stranger(reviewer: Reviewer) -> TestClient:
    """The same app without the cookie."""
    app = build_app(reviewer.session, reviewer.guard)
    return TestClient(app, base_url=BASE, follow_redirects=False)


@pytest.mark.parametrize("address", ADDRESSES)
def test_without_the_key_nothing_is_answered(stranger: TestClient, address: str) -> None:
    assert stranger.get(address).status_code == 403
    assert stranger.get(address, params={"token": "wrong"}).status_code == 403


def test_the_key_becomes_a_cookie(stranger: TestClient, reviewer: Reviewer) -> None:
    answer = stranger.get("/", params={"token": reviewer.guard.token})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"  # the key does not stay in the address
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    stranger.cookies.set(reviewer.guard.cookie, reviewer.guard.token)
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:1", ""]
)
def test_another_host_name_is_refused(reviewer: Reviewer, host: str) -> None:
    for address in ADDRESSES:
        assert reviewer.client.get(address, headers={"host": host}).status_code == 400


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"127.0.0.1:{PORT}", f"[::1]:{PORT}"])
def test_names_of_this_machine_are_fine(reviewer: Reviewer, host: str) -> None:
    cookie = f"{reviewer.guard.cookie}={reviewer.guard.token}"
    assert reviewer.client.get("/", headers={"host": host, "cookie": cookie}).status_code == 200


@pytest.mark.parametrize("address", CHANGES)
def test_nothing_changes_by_get(reviewer: Reviewer, address: str) -> None:
    answer = reviewer.client.get(address, params=reviewer.form(verdict="accept", text="x"))
    if address not in ("/realign", "/many"):  # which show, and change nothing
        assert answer.status_code == 405
    assert reviewer.session.decisions.standing() == {}
    assert reviewer.session.decisions.note(str(reviewer.session.queue.frame["left"][0])) == ""
    assert reviewer.session.realignment.state == "none"
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert reviewer.client.request(method, address).status_code == 405


@pytest.mark.parametrize("address", CHANGES)
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_posts_from_elsewhere_are_refused(
    reviewer: Reviewer, address: str, headers: dict[str, str]
) -> None:
    answer = reviewer.client.post(address, data=reviewer.form(verdict="accept"), headers=headers)
    assert answer.status_code == 403
    assert reviewer.session.decisions.standing() == {}


@pytest.mark.parametrize("address", CHANGES)
@pytest.mark.parametrize("token", ["", "wrong"])
def test_posts_without_the_forms_token_are_refused(
    reviewer: Reviewer, address: str, token: str
) -> None:
    data = {"form_token": token, "verdict": "accept", "right": "x", "seen": "0"}
    assert reviewer.client.post(address, data=data).status_code == 403
    assert reviewer.session.decisions.standing() == {}
    assert reviewer.session.realignment.state == "none"


def test_a_huge_form_is_refused(reviewer: Reviewer) -> None:
    data = reviewer.form(text="x" * MAX_FORM_BYTES)
    assert reviewer.client.post("/pair/0/note", data=data).status_code == 403


@pytest.mark.parametrize("address", ADDRESSES)
def test_pages_may_run_no_code_but_ours(reviewer: Reviewer, address: str) -> None:
    answer = reviewer.client.get(address)
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    if "html" in answer.headers["content-type"]:
        assert not re.findall(r"<script(?![^>]*\bsrc=)", answer.text)
        assert not re.findall(r"\son[a-z]+=|\sstyle=|javascript:", answer.text)


@pytest.mark.parametrize(
    "path", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "/etc/passwd", "app.css%00", "..\\app.py"]
)
def test_no_path_reaches_the_file_system(reviewer: Reviewer, path: str) -> None:
    answer = reviewer.client.get(f"/static/{path}")
    assert answer.status_code in (404, 400)
    assert "import" not in answer.text


@pytest.mark.parametrize("address", ["/docs", "/openapi.json", "/redoc", "/nothing"])
def test_there_is_nothing_else(reviewer: Reviewer, address: str) -> None:
    assert reviewer.client.get(address).status_code == 404


def test_each_start_has_its_own_secrets() -> None:
    one, other = Guard("127.0.0.1", 1), Guard("127.0.0.1", 1)
    assert one.token != other.token
    assert one.form_token not in (one.token, other.form_token)
    assert len(one.token) >= 32
    assert Guard("::1", 5).address().startswith("http://[::1]:5/?token=")


def test_listening_everywhere_knows_the_address_that_was_reached(reviewer: Reviewer) -> None:
    guard = Guard("0.0.0.0", PORT)
    app = build_app(reviewer.session, guard)
    client = TestClient(app, base_url=f"http://192.0.2.7:{PORT}", follow_redirects=False)
    client.cookies.set(guard.cookie, guard.token)
    assert client.get("/").status_code == 200  # the test client says it reached that address
    assert client.get("/", headers={"host": f"evil.example:{PORT}"}).status_code == 400
    assert "0.0.0.0" not in guard.address()


def test_the_key_leaves_the_address_also_when_the_cookie_is_there(reviewer: Reviewer) -> None:
    answer = reviewer.client.get("/", params={"token": reviewer.guard.token})
    assert answer.headers["location"] == "/"
