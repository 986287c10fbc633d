"""The pages: queue, pair, decisions, export, alignment again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lighttea
from lighttea.cli import run_command
from lighttea.display import html_text
from lighttea.errors import LightteaWarning
from lighttea.io.frames import graph_of_frame
from lighttea.progress import Progress
from lighttea.results.run import Run
from lighttea.review.again import align_again as align_again_of
from lighttea.review.decisions import Decisions
from lighttea.review.realign import compare_runs
from lighttea.review.render import format_figure
from lighttea.review.selection import PAGE, Selection
from lighttea.review.standing import Conflict
from tests.review.conftest import Reviewer, make_reviewer, text_of
from tests.waiting import wait_until
from tests.worlds import World, make_world


def test_the_queue_puts_first_what_is_unsure_or_alarming(reviewer: Reviewer) -> None:
    frame = reviewer.session.queue.frame
    assert frame["priority"].is_sorted(descending=True)
    assert set(frame["left"]) == set(reviewer.session.run.candidates["left"])
    links = frame.filter("is_link").with_row_index("place")
    places = [
        links.filter((pl.col("alarms") > 0) == flag)["place"].mean() for flag in (True, False)
    ]
    assert places[0] < places[1]  # type: ignore[operator]
    page = reviewer.page("/")
    assert page.count('class="row"') == PAGE
    assert frame["left"][0] in page


def test_pairs_come_first_where_the_run_is_likely_to_be_wrong(reviewer: Reviewer) -> None:
    frame = reviewer.session.queue.frame.filter(alarms=0).with_row_index("place")
    confidence = pl.col("confidence")
    frame = frame.with_columns(wrong=pl.when("is_link").then(1 - confidence).otherwise(confidence))
    assert frame["facts"].n_unique() < len(frame)
    for _, equal in frame.group_by("facts"):
        assert equal.sort("place")["wrong"].is_sorted(descending=True)
    doubtful = frame.filter("is_link", confidence < 0.9)
    certain = frame.filter(~pl.col("is_link"), confidence < 0.01)
    assert len(doubtful)
    assert doubtful["place"].max() < certain["place"].min()  # type: ignore[operator]


def test_who_has_no_link_stands_there_with_the_surest_candidate(reviewer: Reviewer) -> None:
    frame = reviewer.session.queue.frame
    for item in frame.filter(~pl.col("is_link")).rows(named=True):
        own = reviewer.session.run.candidates.filter(pl.col("left") == item["left"])
        confidence = own["confidence"].sort(descending=True)
        assert item["confidence"] == confidence[0]
        assert item["margin"] == pytest.approx(confidence[0] - confidence[1], abs=1e-6)
        shown = reviewer.session.explainer.candidates_of(item["left"])
        assert shown["right"][0] == item["right"]
        assert shown["rank"].to_list() == list(range(1, len(own) + 1))
        assert shown["confidence"].is_sorted(descending=True)
    assert (frame.filter(~pl.col("is_link"))["margin"] >= 0).all()


def test_search_and_filters(reviewer: Reviewer) -> None:
    page = reviewer.page("/?search=gEORGE_por")
    assert page.count('class="row"') == 1
    assert "George_Porter" in page
    assert "No pair matches" in reviewer.page("/?search=nobody-at-all")
    with_alarm = reviewer.page("/?alarm=any")
    assert with_alarm.count('class="row"') == min(
        PAGE, int((reviewer.session.queue.frame["alarms"] > 0).sum())
    )
    assert 'class="row"' not in reviewer.page("/?state=accepted")
    reviewer.decide(3, "accept")
    assert reviewer.page("/?state=accepted").count('class="row"') == 1
    assert reviewer.page("/?state=nonsense&kind=nonsense&page=-3").count('class="row"') == PAGE


@pytest.mark.parametrize("order", ["confidence", "margin", "fdr"])
def test_the_queue_is_sorted_by_any_figure(reviewer: Reviewer, order: str) -> None:
    queue, selection = reviewer.session.queue, Selection(order=order, state="all")
    items = [
        item
        for number in range(-(-len(queue) // PAGE))
        for item in queue.page(replace(selection, page=number), {}).items
    ]
    assert {item["left"] for item in items} == set(queue.frame["left"])
    values = [item[order] for item in items if item[order] is not None]
    assert values == sorted(values, reverse=order == "fdr")
    assert all(item[order] is None for item in items[len(values) :])
    walk, number = [items[0]["number"]], items[0]["number"]
    while (following := queue.following(number, selection, {})) is not None:
        assert queue.following(following, selection, {}, step=-1) == number
        walk.append(number := following)
    assert walk == [item["number"] for item in items]


def test_a_decision_in_a_sorted_queue_goes_on_in_its_order(reviewer: Reviewer) -> None:
    queue, selection = reviewer.session.queue, Selection(order="fdr")
    first, second = (item["number"] for item in queue.page(selection, {}).items[:2])
    item = queue.item(first)
    assert item is not None
    form = reviewer.form(verdict="accept", right=item["right"], seen=0, order="fdr")
    answer = reviewer.client.post(f"/pair/{first}/decide", data=form)
    assert answer.headers["location"].startswith(f"/pair/{second}?")
    assert "order=fdr" in answer.headers["location"]


def test_the_expected_share_of_wrong_links_is_shown(reviewer: Reviewer) -> None:
    page = reviewer.page("/?order=fdr&kind=links")
    largest = reviewer.session.run.links["fdr"][-1]
    assert f"{largest:.2%}" in page
    assert 'aria-sort="descending"' in page
    assert "most expected wrong first" in page
    number = reviewer.session.queue.number_of("George_Porter")
    assert "expected wrong" in text_of(reviewer.page(f"/pair/{number}"))
    assert "aria-sort" not in reviewer.page("/?order=nonsense")


def test_pages_follow_each_other(reviewer: Reviewer) -> None:
    n = len(reviewer.session.queue)
    names = [
        name
        for number in range(-(-n // PAGE))
        for name in reviewer.session.queue.page(Selection(page=number), {}).items
    ]
    assert len({item["left"] for item in names}) == n
    last = reviewer.page("/?page=999999")
    assert "next</a>" not in last


def test_a_pair_shows_both_timelines_and_the_score(reviewer: Reviewer) -> None:
    number = reviewer.session.queue.number_of("George_Porter")
    page = reviewer.page(f"/pair/{number}")
    words = text_of(page)
    for said in ("porter-george", "Nobel_Prize_in_Chemistry", "1967", "What makes the score"):
        assert said in words
    assert 'class="join"' in page
    candidates = reviewer.session.explainer.candidates_of("George_Porter")
    other = reviewer.page(f"/pair/{number}?choice={candidates['contradiction'].arg_min() + 1}")  # type: ignore[operator]
    assert "Choose this one" in other
    assert "contradict" in other
    far = candidates["right"][29]
    assert f">{html_text(far)}</bdi></h2>" in reviewer.page(f"/pair/{number}?choice=30")
    assert "porter-george</bdi></h2>" in reviewer.page(f"/pair/{number}?choice=999")
    assert reviewer.client.get("/pair/999999").status_code == 404
    assert reviewer.client.get("/pair/x").status_code == 422


def test_deciding_goes_on_to_the_next_and_can_be_undone(reviewer: Reviewer) -> None:
    item = reviewer.session.queue.item(0)
    assert item is not None
    answer = reviewer.decide(0, "accept")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/pair/1?")
    assert "Accepted" in text_of(reviewer.page(answer.headers["location"]))
    assert reviewer.session.decisions.links()[0].rows() == [(item["left"], item["right"])]
    back = reviewer.client.post("/undo", data=reviewer.form())
    assert back.headers["location"].startswith("/pair/0?")
    assert reviewer.session.decisions.links()[0].is_empty()
    assert reviewer.client.post("/undo", data=reviewer.form()).status_code == 409


def test_an_undo_that_would_give_one_entity_to_two_is_refused(reviewer: Reviewer) -> None:
    candidates = reviewer.session.run.candidates
    shared = candidates.group_by("right", maintain_order=True).agg("left")
    right, lefts = shared.filter(pl.col("left").list.len() > 1).row(0)
    numbers = [reviewer.session.queue.number_of(name) for name in lefts[:2]]
    assert None not in numbers
    reviewer.decide(numbers[0] or 0, "accept", right=right)
    reviewer.decide(numbers[0] or 0, "reject", right=right, seen=1)
    assert reviewer.decide(numbers[1] or 0, "accept", right=right).status_code == 303
    answer = reviewer.client.post("/undo", data=reviewer.form(done=2))
    assert answer.status_code == 409
    assert f"accepted for {lefts[1]} by now" in text_of(answer.text)


def test_choosing_another_candidate(reviewer: Reviewer) -> None:
    item = reviewer.session.queue.item(0)
    assert item is not None
    second = reviewer.session.explainer.candidates_of(item["left"])["right"][1]
    assert reviewer.decide(0, "accept", right=second).status_code == 303
    assert reviewer.session.decisions.links()[0].rows() == [(item["left"], second)]
    assert reviewer.decide(1, "accept", right="not a candidate").status_code == 400


def test_the_second_tab_is_told(reviewer: Reviewer) -> None:
    reviewer.decide(0, "accept")
    answer = reviewer.decide(0, "reject")
    assert answer.status_code == 409
    assert "decided meanwhile" in answer.text


def test_after_the_last_one_comes_the_queue(reviewer: Reviewer) -> None:
    values = reviewer.form(verdict="skip", seen=0, search="George_Porter")
    number = reviewer.session.queue.number_of("George_Porter")
    values["right"] = "porter-george"
    answer = reviewer.client.post(f"/pair/{number}/decide", data=values)
    assert answer.headers["location"].startswith("/?search=George_Porter")


def test_notes_are_kept(reviewer: Reviewer) -> None:
    reviewer.client.post("/pair/2/note", data=reviewer.form(text="ask <Anna>"))
    assert "ask &lt;Anna&gt;" in reviewer.page("/pair/2")


def test_export(reviewer: Reviewer, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reviewer.decide(0, "accept")
    reviewer.decide(1, "reject")
    first, second = (reviewer.session.queue.item(number) for number in (0, 1))
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
    assert "no decisions yet" in capsys.readouterr().err


# ------------------------------------------------------------------------- aligning again


def wait_for_alignment(reviewer: Reviewer) -> dict[str, object]:
    def ended() -> dict[str, object] | None:
        status: dict[str, object] = reviewer.client.get("/realign/status").json()
        return status if status["state"] != "running" else None

    status = wait_until(ended, "the end of the alignment")
    assert status is not None
    return status


def align_again(reviewer: Reviewer) -> Run:
    """Press the button, wait, and read the new run."""
    assert reviewer.client.post("/realign", data=reviewer.form()).status_code == 303
    assert wait_for_alignment(reviewer)["state"] == "done", reviewer.session.realignment.error
    assert reviewer.session.realignment.out is not None
    return lighttea.load_run(reviewer.session.realignment.out)


def decide_on(reviewer: Reviewer, left: str, verdict: str, right: str) -> None:
    number = reviewer.session.queue.number_of(left)
    assert number is not None
    assert reviewer.decide(number, verdict, right=right).status_code == 303


def mistaken(run: Run) -> tuple[str, str, str]:
    """A left entity, what it was linked to, and what it should have been."""
    truth = lighttea.read_links(lighttea.example.example_file("truth.tsv"))
    wrong = run.links.join(truth, on="left", suffix="_true", maintain_order="left").filter(
        pl.col("right") != pl.col("right_true")
    )
    known = run.candidates.select("left", right_true="right")
    found = wrong.join(known, on=["left", "right_true"], how="semi", maintain_order="left")
    row = found.select("left", "right", "right_true").row(0)
    return str(row[0]), str(row[1]), str(row[2])


def test_aligning_again_uses_the_decisions(reviewer: Reviewer, folder: Path) -> None:
    """An accepted pair that was not linked is linked, a rejected link is gone for good."""
    run = reviewer.session.run
    left, before, right = mistaken(run)
    kept, gone = run.links.filter(~pl.col("left").is_in([left])).head(2).rows(named=True)
    decide_on(reviewer, left, "accept", right)
    decide_on(reviewer, kept["left"], "accept", kept["right"])
    decide_on(reviewer, gone["left"], "reject", gone["right"])
    new = align_again(reviewer)
    assert {(left, right), (kept["left"], kept["right"])} <= set(new.seeds.rows())
    assert new.cannot_links.rows() == [(gone["left"], gone["right"])]
    forbidden = pl.DataFrame({"left": [gone["left"]], "right": [gone["right"]]})
    for table in (new.links, new.candidates, new.seeds):
        assert table.join(forbidden, on=["left", "right"], how="semi").is_empty()
    changed = reviewer.session.realignment.changes
    assert changed is not None
    told = {row[1]: row[2:4] for row in changed.rows.rows()}
    assert told[left] == (before, right)
    assert told[gone["left"]][0] == gone["right"]
    assert told[gone["left"]][1] != gone["right"]
    assert kept["left"] not in told  # it stayed
    page = reviewer.page("/realign")
    assert "What changed" in page
    assert all(name in page for name in (left, before, right, gone["left"]))
    assert (folder / "links.tsv").exists()  # the run that was reviewed stays


@pytest.mark.slow
def test_decisions_outlast_a_second_review(reviewer: Reviewer) -> None:
    """The new run is reviewed in its turn: what was rejected before stays rejected."""
    first, second = reviewer.session.run.links.head(2).rows(named=True)
    decide_on(reviewer, first["left"], "reject", first["right"])
    new = align_again(reviewer)
    assert reviewer.session.realignment.out is not None
    later = make_reviewer(new, reviewer.session.realignment.out)
    decide_on(later, second["left"], "reject", second["right"])
    newest = align_again(later)
    pairs = {(one["left"], one["right"]) for one in (first, second)}
    assert set(newest.cannot_links.rows()) == pairs
    assert not pairs & set(newest.links.select("left", "right").rows())


@pytest.mark.slow
def test_a_run_without_seeds_can_be_aligned_again(tmp_path: Path) -> None:
    left, right = (
        lighttea.read_graph(lighttea.example.example_file(name))
        for name in ("left.tsv", "right.csv")
    )
    run = lighttea.align(left, right, dim=64, rounds=2)
    assert run.seeds.is_empty()
    reviewer = make_reviewer(run, run.save(tmp_path / "seedless"))
    gone = run.links.row(0, named=True)
    decide_on(reviewer, gone["left"], "reject", gone["right"])
    new = align_again(reviewer)
    assert len(new.links) > 0.9 * len(run.links)
    assert (gone["left"], gone["right"]) not in new.links.select("left", "right").rows()


def test_an_alignment_that_fails_says_why(reviewer: Reviewer, folder: Path) -> None:
    (folder / "facts_left.parquet").write_text("damaged")
    reviewer.client.post("/realign", data=reviewer.form())
    assert wait_for_alignment(reviewer)["state"] == "failed"
    assert "damaged: expected" in reviewer.page("/realign")


@pytest.mark.slow
def test_an_alignment_that_is_killed_can_be_begun_again(reviewer: Reviewer, folder: Path) -> None:
    reviewer.client.post("/realign", data=reviewer.form())
    work = reviewer.session.realignment
    wait_until(lambda: "round" in work.stage or work.state != "running", "a round")
    assert work._process is not None
    first = work._process.pid
    reviewer.client.post("/realign", data=reviewer.form())  # a second tab
    assert work._process.pid == first
    work._process.kill()
    assert wait_for_alignment(reviewer)["state"] == "failed"
    assert "SIGKILL" in reviewer.page("/realign")
    align_again(reviewer)
    left_over = [path.name for path in folder.with_name("run.review").glob(".*")]
    assert not left_over


def test_it_ends_with_the_app(reviewer: Reviewer) -> None:
    reviewer.client.post("/realign", data=reviewer.form())
    work = reviewer.session.realignment
    wait_until(lambda: work._process is not None, "the process that aligns")
    work.stop()
    assert work._process is not None
    assert work._process.poll() is not None
    assert wait_for_alignment(reviewer)["state"] == "failed"


@pytest.mark.filterwarnings("ignore:names")  # hardly any is in both graphs
def test_the_same_settings_come_again(world: World) -> None:
    """Preset, settings, rules, names and what was forbidden; without decisions the same links."""
    run = lighttea.align(
        world.left,
        world.right,
        seeds=world.seeds,
        cannot_link=world.truth[:1],
        many_to_one=True,
        literals=True,
        dim=32,
        beta=0.3,
        joint_evidence=False,
        random_seed=7,
    )
    named = run.facts_left["head"][0]
    called = pl.DataFrame({"kind": ["entity"], "id": [named], "name": ["somebody"]})
    run = replace(run, names_left=called)
    none = run.cannot_links.clear()
    again = align_again_of(lighttea.align, run, none, none, Progress())
    assert again.info["config"] == run.info["config"]
    assert again.info["rules"] == run.info["rules"]
    assert again.names_left.equals(called)
    assert again.cannot_links.rows() == world.truth[:1]
    accepted = pl.DataFrame(world.truth[:1], schema=["left", "right"], orient="row")
    other = align_again_of(lighttea.align, run, accepted, none, Progress())
    assert other.cannot_links.is_empty()  # accepted since
    assert world.truth[0] in other.seeds.rows()


@pytest.mark.slow
def test_nothing_decided_changes_nothing(example_run: Run) -> None:
    none = example_run.cannot_links
    again = align_again_of(lighttea.align, example_run, none, none, Progress())
    changes = compare_runs(example_run, again)
    assert changes.rows.is_empty()
    assert changes.n_same == len(example_run.links)


def test_types_that_are_kept_hold_when_all_is_aligned_again(world: World) -> None:
    names = [*world.seeds, *world.truth]
    odd = world.truth[0][0]
    left = [(a, "odd" if a == odd else "usual") for a, _ in names]
    right = [(b, "usual") for _, b in names]
    settings: dict[str, Any] = {"preset": "paper", "dim": 64, "top_k": 40}
    run = lighttea.align(
        world.left,
        world.right,
        seeds=world.seeds,
        left_types=left,
        right_types=right,
        **settings,
    )
    nothing = run.cannot_links.clear()
    again = align_again_of(lighttea.align, run, nothing, nothing, Progress())
    assert again.info["types"]
    assert odd not in set(again.links["left"])
    assert again.links.equals(run.links)


def test_types_that_cannot_be_kept_are_said(world: World) -> None:
    run = lighttea.align(world.left, world.right, seeds=world.seeds, dim=16, rounds=1)
    typed = replace(run, info={**run.info, "types": True})
    none = run.cannot_links
    with pytest.warns(LightteaWarning, match="types that the run was made with"):
        again = align_again_of(lighttea.align, typed, none, none, Progress())
    assert any("types" in one for one in again.info["warnings"])


@pytest.mark.slow
def test_aligning_again_without_the_app(reviewer: Reviewer, folder: Path) -> None:
    gone = reviewer.session.run.links.row(0, named=True)
    out = folder.with_name("new")
    decide_on(reviewer, gone["left"], "reject", gone["right"])
    assert run_command(["review", str(folder), "--realign", str(out)]) == 0
    new = lighttea.load_run(out)
    assert (gone["left"], gone["right"]) not in new.links.select("left", "right").rows()
    assert run_command(["review", str(folder), "--realign", str(out)]) == 2  # it is there already


# ------------------------------------------------------------------- more than one link each


def test_several_links_of_one_entity_are_one_item(world: World, tmp_path: Path) -> None:
    run = lighttea.align(world.left, world.right, seeds=world.seeds, dim=32, rounds=1, top_n=3)
    assert len(run.links) > run.links["left"].n_unique()
    reviewer = make_reviewer(run, tmp_path / "run")
    frame = reviewer.session.queue.frame
    assert frame["left"].is_unique().all()
    assert set(frame["left"]) == set(run.candidates["left"])
    item = reviewer.session.queue.item(0)
    assert item is not None
    best = run.candidates.filter(pl.col("left") == item["left"], pl.col("rank") == 1)
    assert item["right"] == best["right"][0]
    assert f"{len(run.best_links):,}" in text_of(reviewer.page("/?state=all"))


def test_one_right_entity_may_be_accepted_twice_where_many_may_share_it(tmp_path: Path) -> None:
    for many in (False, True):
        decisions = Decisions(tmp_path / f"{many}.sqlite", many_to_one=many)
        decisions.decide("a", "x", "accept", seen=0)
        if many:
            decisions.decide("b", "x", "accept", seen=0)
            assert len(decisions.links()[0]) == 2
        else:
            with pytest.raises(Conflict, match="already accepted for a"):
                decisions.decide("b", "x", "accept", seen=0)


# -------------------------------------------------------------------------------- large and odd


def test_many_links_make_no_long_page(example_run: Run, tmp_path: Path) -> None:
    from tests.report.test_report import copies

    large = copies(example_run, 1 + 20_000 // len(example_run.links))
    assert len(large.links) >= 20_000
    reviewer = make_reviewer(large, tmp_path / "large")
    for address in ("/", "/?search=porter", "/?page=300", "/pair/5000", "/?alarm=any"):
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
        number = reviewer.session.queue.number_of(name)
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


def test_a_margin_of_next_to_nothing_is_not_minus_zero() -> None:
    assert [format_figure(value) for value in (-1e-9, -0.25, 0.5)] == ["0.000", "-0.250", "0.500"]


def test_without_decisions_there_is_nothing_to_align_again(reviewer: Reviewer) -> None:
    page = reviewer.page("/realign")
    assert "There are no decisions yet" in page
    assert '<form method="post" action="/realign">' not in page
    reviewer.decide(0, "reject")
    assert '<form method="post" action="/realign">' in reviewer.page("/realign")


def test_what_the_command_did_is_json(
    reviewer: Reviewer, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reviewer.decide(0, "accept")
    reviewer.decide(1, "reject")
    out = folder.with_name("decided")
    words = ["review", str(folder), "--restore", "--export", str(out), "--json", "-"]
    assert run_command(words) == 0
    files = [str(out / name) for name in ("must-link.tsv", "cannot-link.tsv")]
    counts = {"restored": [], "accepted": 1, "rejected": 1}
    assert json.loads(capsys.readouterr().out) == {**counts, "files": files}
