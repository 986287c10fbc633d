"""What happens when something fails: the headers of every page, and plain words."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from typing import Any

import pytest

from lighttea.review.guard import HEADERS
from tests.review.conftest import Reviewer, text_of


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a locked file."""
    monkeypatch.setattr("lighttea.review.file.MOST_WAIT", 0.05)


def has_headers(answer: Any) -> bool:
    return all(answer.headers[name.lower()] == value for name, value in HEADERS.items())


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("address", "values"),
    [
        ("/pair/0/decide", {"verdict": "accept", "seen": 0}),
        ("/pair/0/note", {"text": "a note"}),
        ("/many", {"verdict": "accept", "pick": "1"}),
        ("/undo", {}),
    ],
)
def test_a_locked_file_is_a_page_that_says_so(
    reviewer: Reviewer, address: str, values: dict[str, object]
) -> None:
    item = reviewer.session.queue.item(0)
    assert item is not None
    path = reviewer.session.decisions.path
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        data = reviewer.form(right=item["right"], **values)
        answer = reviewer.client.post(address, data=data)
        assert reviewer.client.get("/").status_code == 200  # reading goes on
        other.execute("ROLLBACK")
    assert answer.status_code == 503
    assert has_headers(answer)
    assert "another program has locked the decisions; nothing was changed" in text_of(answer.text)
    assert reviewer.session.decisions.standing() == {}


@pytest.mark.usefixtures("impatient")
def test_a_file_locked_for_readers_is_a_page_too(reviewer: Reviewer) -> None:
    path = reviewer.session.decisions.path
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        for address in ("/", "/pair/0", "/many", "/realign", "/export/decisions.tsv"):
            answer = reviewer.client.get(address)
            assert answer.status_code == 503
            assert has_headers(answer)
        other.execute("ROLLBACK")
    assert reviewer.client.get("/").status_code == 200


def test_who_waits_for_a_locked_file_keeps_nobody_else_waiting(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A decision waits in a thread of its own; other pages are answered meanwhile."""
    monkeypatch.setattr("lighttea.review.file.MOST_WAIT", 60.0)
    answers: list[int] = []
    with (
        reviewer.client,
        closing(
            sqlite3.connect(
                reviewer.session.decisions.path, isolation_level=None, check_same_thread=False
            )
        ) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        waiting = threading.Thread(
            target=lambda: answers.append(reviewer.decide(0, "accept").status_code)
        )
        waiting.start()
        assert reviewer.client.get("/realign/status").status_code == 200
        assert reviewer.client.get("/").status_code == 200
        assert not answers  # still waiting
        other.execute("ROLLBACK")
        waiting.join(timeout=60)
    assert answers == [303]


def test_an_error_nobody_expected_has_the_headers_too(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr(reviewer.session.queue, "page", fail)
    answer = reviewer.client.get("/")
    assert answer.status_code == 500
    assert has_headers(answer)
    assert "The app failed" in text_of(answer.text)
    assert "a secret detail" not in answer.text
    assert "a secret detail" in caplog.text


@pytest.mark.parametrize(
    ("address", "code"),
    [("/nothing", 404), ("/pair/99999", 404), ("/pair/x", 422), ("/export/x", 404), ("/undo", 405)],
)
def test_every_error_is_a_page_with_the_headers(
    reviewer: Reviewer, address: str, code: int
) -> None:
    answer = reviewer.client.get(address)
    assert answer.status_code == code
    assert has_headers(answer)
    assert answer.headers["content-type"].startswith("text/html")


def test_refusals_have_the_headers(reviewer: Reviewer) -> None:
    assert has_headers(reviewer.client.get("/", headers={"host": "evil.example"}))
    assert has_headers(reviewer.client.post("/undo", data={"form_token": "wrong"}))
    reviewer.client.cookies.clear()
    assert has_headers(reviewer.client.get("/"))
