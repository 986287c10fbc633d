"""Who decided, and when: asked once, shown, exported, kept through an alignment."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from lighttea.cli import run_command
from lighttea.results.run import Run
from lighttea.review.app import build_app
from lighttea.review.decisions import Decisions, decisions_file, read_reviews
from lighttea.review.guard import Guard
from lighttea.review.session import ReviewSession
from lighttea.review.stages import estimate_percent
from tests.review.conftest import BASE, PORT, Reviewer, text_of

ANNA = "Anna Müller-Exämple"


def give_name(reviewer: Reviewer, name: str, back: str = "/") -> str:
    answer = reviewer.client.post("/reviewer", data=reviewer.form(name=name, back=back))
    assert answer.status_code == 303
    return str(answer.headers["location"])


def test_the_name_is_asked_for_once(reviewer: Reviewer) -> None:
    assert "Who is reviewing?" in reviewer.page("/")
    assert give_name(reviewer, f"  {ANNA}\n", back="/?order=name") == "/?order=name"
    page = reviewer.page("/")
    assert "Who is reviewing?" not in page
    assert f"reviewer: {ANNA}" in text_of(page)
    reviewer.decide(0, "accept")
    item = reviewer.session.queue.item(0)
    assert item is not None
    last = reviewer.session.decisions.standing()[item["left"]].last
    assert last is not None
    assert last.reviewer == ANNA
    assert f"{last.day}, {ANNA}" in text_of(reviewer.page("/pair/0"))
    give_name(reviewer, "")
    assert "Who is reviewing?" in reviewer.page("/")


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_a_name_leads_nowhere_else(reviewer: Reviewer, back: str) -> None:
    assert give_name(reviewer, ANNA, back=back) == "/"


def test_the_name_of_the_command_is_the_default(example_run: Run, folder: Path) -> None:
    session = ReviewSession(example_run, folder, reviewer="The Team")
    guard = Guard("127.0.0.1", PORT)
    client = TestClient(build_app(session, guard), base_url=BASE, follow_redirects=False)
    client.cookies.set(guard.cookie, guard.token)
    reviewer = Reviewer(client, session, guard)
    assert "Who is reviewing?" not in reviewer.page("/")
    reviewer.decide(0, "accept")
    give_name(reviewer, ANNA)  # who sits there goes first
    reviewer.decide(1, "reject")
    assert session.decisions.reviews()["reviewer"].to_list() == ["The Team", ANNA]


def test_who_decided_meanwhile_is_told(reviewer: Reviewer) -> None:
    give_name(reviewer, ANNA)
    reviewer.decide(0, "accept")
    answer = reviewer.decide(0, "reject")
    assert answer.status_code == 409
    assert f"by {ANNA}" in text_of(answer.text)


def test_decisions_are_downloaded_with_names_and_dates(reviewer: Reviewer) -> None:
    give_name(reviewer, ANNA)
    reviewer.decide(0, "reject")
    header, row = reviewer.client.get("/export/decisions.tsv").text.splitlines()
    assert header.split("\t") == ["left", "right", "verdict", "at", "reviewer"]
    assert row.split("\t")[2::2] == ["reject", ANNA]


def test_sssom_has_the_names(reviewer: Reviewer, folder: Path) -> None:
    give_name(reviewer, ANNA)
    link = reviewer.session.run.links.row(0, named=True)
    number = reviewer.session.queue.number_of(link["left"])
    assert number is not None
    reviewer.decide(number, "accept", right=link["right"])
    out = folder.with_name("links.sssom.tsv")
    assert run_command(["export", str(folder), "--format", "sssom", "--out", str(out)]) == 0
    lines = [line for line in out.read_text(encoding="utf-8").splitlines() if ANNA in line]
    assert len(lines) == 1
    day = reviewer.session.decisions.reviews()["at"][0][:10]
    assert lines[0].endswith(f"{ANNA}\t{day}")


def test_a_note_changed_in_another_tab_is_not_lost(reviewer: Reviewer) -> None:
    first = reviewer.form(text="first\r\nline", note_seen="")
    assert reviewer.client.post("/pair/2/note", data=first).status_code == 303
    late = reviewer.client.post("/pair/2/note", data=reviewer.form(text="mine", note_seen=""))
    assert late.status_code == 409
    assert "mine" in late.text  # what was written stands there
    again = reviewer.form(text="both", note_seen="first\r\nline")
    assert reviewer.client.post("/pair/2/note", data=again).status_code == 303
    assert "both" in reviewer.page("/pair/2")


def test_names_outlast_an_alignment(reviewer: Reviewer, folder: Path) -> None:
    give_name(reviewer, ANNA)
    link = reviewer.session.run.links.row(0, named=True)
    number = reviewer.session.queue.number_of(link["left"])
    assert number is not None
    reviewer.decide(number, "accept", right=link["right"])
    new = folder.with_name("new")
    assert run_command(["review", str(folder), "--realign", str(new)]) == 0
    reviews = read_reviews(new)
    assert reviews is not None
    assert reviews.select("left", "reviewer").rows() == [(link["left"], ANNA)]
    assert Decisions(decisions_file(new)).standing() == {}


def test_percent_grows_with_the_stages() -> None:
    lines = [
        "reading",
        "building ticks and views",
        "round 1 of 4: propagating labels",
        "round 1 of 4: searching candidates",
        "round 1 of 4: something new",
        "round 1 of 4: assigning (Sinkhorn)",
        "round 2 of 4: propagating labels",
        "round 4 of 4: promoting sure pairs",
        "round 4 of 4: alarms",
        "round 4 of 4: writing the run folder",
    ]
    percents = [0.0]
    for line in lines:
        percents.append(estimate_percent(line, percents[-1]))
    assert percents == sorted(percents)
    assert percents[2] < 10 <= percents[3]
    assert percents[7] == 30
    assert percents[-1] < 100
