"""A run to review, and a client that has the key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from lighttea.results.run import Run
from lighttea.review.app import build_app
from lighttea.review.guard import Guard
from lighttea.review.session import ReviewSession
from tests.worlds import align_example

PORT = 8765
BASE = f"http://127.0.0.1:{PORT}"


@pytest.fixture(scope="session")
def example_run() -> Run:
    """The bundled example, small."""
    return align_example(preset="best", dim=64, rounds=2)


@pytest.fixture
def folder(example_run: Run, tmp_path: Path) -> Path:
    return example_run.save(tmp_path / "run")


@dataclass
class Reviewer:
    """Somebody with the app open."""

    client: TestClient
    session: ReviewSession
    guard: Guard

    def form(self, **values: object) -> dict[str, str]:
        """The fields that every form of the app carries, and more."""
        return {"form_token": self.guard.form_token, **{k: str(v) for k, v in values.items()}}

    def decide(
        self, number: int, verdict: str, right: str | None = None, seen: int = 0
    ) -> Response:
        item = self.session.queue.item(number)
        assert item is not None
        values = self.form(verdict=verdict, right=right or item["right"], seen=seen)
        return self.client.post(f"/pair/{number}/decide", data=values)

    def page(self, address: str) -> str:
        answer = self.client.get(address)
        assert answer.status_code == 200
        return answer.text


def make_reviewer(run: Run, folder: Path) -> Reviewer:
    session, guard = ReviewSession(run, folder), Guard("127.0.0.1", PORT)
    client = TestClient(build_app(session, guard), base_url=BASE, follow_redirects=False)
    client.cookies.set(guard.cookie, guard.token)
    return Reviewer(client, session, guard)


@pytest.fixture
def reviewer(example_run: Run, folder: Path) -> Iterator[Reviewer]:
    made = make_reviewer(example_run, folder)
    yield made
    made.session.realignment.stop()


def text_of(page: str) -> str:
    """The words of a page without its marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.replace("<wbr>", "")))
