"""The pages: queue, pair, decisions, export, alignment again."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lighttea
from lighttea.cli import run_command
from lighttea.io.frames import graph_of_frame
from lighttea.review.queue import PAGE, View
from lighttea.review.realign import options_of
from lighttea.run import Run
from tests.review.conftest import Reviewer, make_reviewer, text_of
from tests.worlds import make_world


def test_the_queue_puts_first_what_is_unsure_or_alarming(reviewer: Reviewer) -> None:
    frame = reviewer.desk.queue.frame
    assert frame["priority"].is_sorted(descending=True)
    assert set(frame["left"]) == set(reviewer.desk.run.candidates["left"])
    top, bottom = frame.head(30), frame.tail(100)
    assert top["margin"].mean() < bottom["margin"].mean()  # type: ignore[operator]
    assert (top["alarms"] > 0).mean() > (bottom["alarms"] > 0).mean()  # type: ignore[operator]
    page = reviewer.page("/")
    assert page.count('class="row"') == PAGE
    assert top["left"][0] in page


def test_search_and_filters(reviewer: Reviewer) -> None:
    page = reviewer.page("/?search=gEORGE_por")
    assert page.count('class="row"') == 1
    assert "George_Porter" in page
    assert "Nothing here" in reviewer.page("/?search=nobody-at-all")
    with_alarm = reviewer.page("/?kind=alarms")
    assert with_alarm.count('class="row"') == min(
        PAGE, int((reviewer.desk.queue.frame["alarms"] > 0).sum())
    )
    assert 'class="row"' not in reviewer.page("/?state=accepted")
    reviewer.decide(3, "accept")
    assert reviewer.page("/?state=accepted").count('class="row"') == 1
    assert reviewer.page("/?state=nonsense&kind=nonsense&page=-3").count('class="row"') == PAGE


def test_pages_follow_each_other(reviewer: Reviewer) -> None:
    n = len(reviewer.desk.queue)
    names = [
        name
        for number in range(-(-n // PAGE))
        for name in reviewer.desk.queue.page(View(page=number), {}).items
    ]
    assert len({item["left"] for item in names}) == n
    last = reviewer.page("/?page=999999")
    assert "next</a>" not in last


def test_a_pair_shows_both_timelines_and_the_score(reviewer: Reviewer) -> None:
    number = reviewer.desk.queue.number_of("George_Porter")
    page = reviewer.page(f"/pair/{number}")
    words = text_of(page)
    for said in ("porter-george", "Nobel_Prize_in_Chemistry", "1967", "What makes the score"):
        assert said in words
    assert 'class="join"' in page
    other = reviewer.page(f"/pair/{number}?choice=2")
    assert "Choose this one" in other
    assert "contradict" in other
    far = reviewer.desk.explainer.candidates_of("George_Porter")["right"][29]
    assert f"<bdi>{far}</bdi></h2>" in reviewer.page(f"/pair/{number}?choice=30")
    assert "porter-george</bdi></h2>" in reviewer.page(f"/pair/{number}?choice=999")
    assert reviewer.client.get("/pair/999999").status_code == 404
    assert reviewer.client.get("/pair/x").status_code == 422


def test_deciding_goes_on_to_the_next_and_can_be_undone(reviewer: Reviewer) -> None:
    item = reviewer.desk.queue.item(0)
    assert item is not None
    answer = reviewer.decide(0, "accept")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/pair/1?")
    assert "Accepted" in text_of(reviewer.page(answer.headers["location"]))
    assert reviewer.desk.decisions.links()[0].rows() == [(item["left"], item["right"])]
    back = reviewer.client.post("/undo", data=reviewer.form())
    assert back.headers["location"].startswith("/pair/0?")
    assert reviewer.desk.decisions.links()[0].is_empty()
    assert reviewer.client.post("/undo", data=reviewer.form()).status_code == 409


def test_choosing_another_candidate(reviewer: Reviewer) -> None:
    item = reviewer.desk.queue.item(0)
    assert item is not None
    second = reviewer.desk.explainer.candidates_of(item["left"])["right"][1]
    assert reviewer.decide(0, "accept", right=second).status_code == 303
    assert reviewer.desk.decisions.links()[0].rows() == [(item["left"], second)]
    assert reviewer.decide(1, "accept", right="not a candidate").status_code == 400


def test_the_second_tab_is_told(reviewer: Reviewer) -> None:
    reviewer.decide(0, "accept")
    answer = reviewer.decide(0, "reject")
    assert answer.status_code == 409
    assert "decided meanwhile" in answer.text


def test_after_the_last_one_comes_the_queue(reviewer: Reviewer) -> None:
    values = reviewer.form(verdict="skip", seen=0, search="George_Porter")
    number = reviewer.desk.queue.number_of("George_Porter")
    values["right"] = "porter-george"
    answer = reviewer.client.post(f"/pair/{number}/decide", data=values)
    assert answer.headers["location"].startswith("/?search=George_Porter")


def test_notes_are_kept(reviewer: Reviewer) -> None:
    reviewer.client.post("/pair/2/note", data=reviewer.form(text="ask <Anna>"))
    assert "ask &lt;Anna&gt;" in reviewer.page("/pair/2")


def test_export(reviewer: Reviewer, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reviewer.decide(0, "accept")
    reviewer.decide(1, "reject")
    first, second = (reviewer.desk.queue.item(number) for number in (0, 1))
    assert first is not None
    assert second is not None
    must = reviewer.client.get("/export/must-link.tsv").text
    cannot = reviewer.client.get("/export/cannot-link.tsv").text
    assert must == f"left\tright\n{first['left']}\t{first['right']}\n"
    assert cannot == f"left\tright\n{second['left']}\t{second['right']}\n"
    out = folder.parent / "out"
    assert run_command(["review", str(folder), "--export", str(out)]) == 0
    assert (out / "must-link.tsv").read_text() == must
    assert (out / "cannot-link.tsv").read_text() == cannot
    assert lighttea.read_links(out / "must-link.tsv").height == 1


def test_export_before_any_decision_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["review", str(folder), "--export", "x"]) == 2
    assert "nothing was decided yet" in capsys.readouterr().err


# ------------------------------------------------------------------------- aligning again


def wait_for_alignment(reviewer: Reviewer) -> dict[str, object]:
    for _ in range(600):
        status: dict[str, object] = reviewer.client.get("/realign/status").json()
        if status["state"] != "running":
            return status
        time.sleep(0.1)
    raise AssertionError("the alignment did not end")


def test_aligning_again_uses_the_decisions(reviewer: Reviewer, folder: Path) -> None:
    """An accepted pair that was not linked is linked; what changed is shown."""
    truth = lighttea.read_links(lighttea.example.example_file("truth.tsv"))
    run = reviewer.desk.run
    wrong = run.links.join(truth, on="left", suffix="_true").filter(
        pl.col("right") != pl.col("right_true")
    )
    candidates = run.candidates.select("left", "right")
    left, right = (
        wrong.select("left", right="right_true")
        .join(candidates, on=["left", "right"], maintain_order="left")
        .row(0)
    )
    number = reviewer.desk.queue.number_of(left)
    assert number is not None
    assert reviewer.decide(number, "accept", right=right).status_code == 303
    assert reviewer.client.post("/realign", data=reviewer.form()).status_code == 303
    assert wait_for_alignment(reviewer)["state"] == "done", reviewer.desk.realignment.error
    page = reviewer.page("/realign")
    assert "What changed" in page
    assert left in page
    new = lighttea.load_run(folder.with_name("run.review") / "run-1")
    taken = pl.concat([new.seeds, new.links.select("left", "right")]).rows()
    assert (left, right) in taken
    assert (folder / "links.tsv").exists()  # the run that was reviewed stays


def test_an_alignment_that_fails_says_why(reviewer: Reviewer, folder: Path) -> None:
    (folder / "facts_left.parquet").write_text("damaged")
    reviewer.client.post("/realign", data=reviewer.form())
    assert wait_for_alignment(reviewer)["state"] == "failed"
    assert "cannot be read as Parquet" in reviewer.page("/realign")


def test_the_same_settings_come_again() -> None:
    world = make_world(2)
    run = lighttea.align(
        world.left,
        world.right,
        seeds=world.seeds,
        preset="best",
        dim=32,
        beta=0.3,
        joint_evidence=False,
        random_seed=7,
    )
    words = options_of(run)
    assert words[:2] == ["--preset", "best"]
    assert words[words.index("--dim") : words.index("--dim") + 2] == ["--dim", "32"]
    assert "--no-joint-evidence" in words
    assert "--top-k" not in words


# -------------------------------------------------------------------------------- large and odd


def test_many_links_make_no_long_page(example_run: Run, tmp_path: Path) -> None:
    from tests.report.test_report import copies

    large = copies(example_run, 1 + 20_000 // len(example_run.links))
    assert len(large.links) >= 20_000
    reviewer = make_reviewer(large, tmp_path / "large")
    for address in ("/", "/?search=porter", "/?page=300", "/pair/5000", "/?kind=alarms"):
        page = reviewer.page(address)
        assert len(page) < 300_000  # a page holds a page, not the queue
    reviewer.decide(5000, "accept")
    assert reviewer.page("/?state=accepted").count('class="row"') == 1


def test_odd_names_are_shown_as_they_are(tmp_path: Path) -> None:
    world = make_world(3)
    odd = {"e1": "<script>alert(1)</script>", "e2": "عمر الخيام", "e3": "x" * 400}
    plain = lighttea.align(world.left, world.right, seeds=world.seeds, dim=16, rounds=1)
    facts = plain.facts_left.with_columns(pl.col("head", "tail").replace(odd))
    seeds = [(odd.get(a, a), b) for a, b in world.seeds if a not in odd]
    left, right = graph_of_frame(facts), graph_of_frame(plain.facts_right)
    run = lighttea.align(left, right, seeds=seeds, dim=16, rounds=1)
    reviewer = make_reviewer(run, tmp_path / "run")
    page = reviewer.page("/?search=<script>")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    for name in odd.values():
        number = reviewer.desk.queue.number_of(name)
        shown = reviewer.page(f"/pair/{number}")
        assert "<script>alert" not in shown
        assert (
            reviewer.client.post(f"/pair/{number}/note", data=reviewer.form(text=name)).status_code
            == 303
        )


def test_links_without_time_or_candidates_are_no_error(tmp_path: Path) -> None:
    world = make_world(4, timed=False)
    options: dict[str, Any] = {"temporal_propagation": False, "temporal_constraint": False}
    run = lighttea.align(world.left, world.right, seeds=world.seeds, dim=16, **options)
    reviewer = make_reviewer(run, tmp_path / "run")
    assert "Facts in time" in reviewer.page("/pair/0")
    empty = replace(run, links=run.links.clear())
    assert "no link" in make_reviewer(empty, tmp_path / "other").page("/")
