"""Many pairs: filters, orders, thresholds with a preview, decisions at once and their undo."""

from __future__ import annotations

import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import polars as pl
import pytest

import lighttea
from lighttea.io.frames import graph_of_frame
from lighttea.review.many import list_thresholds, preview_many, threshold_selection
from lighttea.review.selection import ORDERS, Selection
from tests.review.conftest import Reviewer, make_reviewer, text_of
from tests.worlds import make_world


def items_of(reviewer: Reviewer, **choices: Any) -> pl.DataFrame:
    """The items of a selection, whatever was decided unless a state is given."""
    selection = Selection(**{"state": "all", **choices})
    queue = reviewer.session.queue
    return queue.items(queue.select(selection, reviewer.session.decisions.standing()))


# ---------------------------------------------------------------------------- filters and orders


def test_a_range_of_confidence(reviewer: Reviewer) -> None:
    frame = reviewer.session.queue.frame
    found = items_of(reviewer, low=0.3, high=0.9)
    inside = frame.filter(pl.col("confidence").is_between(0.3, 0.9))
    assert set(found["left"]) == set(inside["left"])
    assert 0 < len(found) < len(frame)
    assert Selection.of({"low": ",5", "high": "2"}).low == 0.5  # as people write it
    assert Selection.of({"low": ",5", "high": "2"}).high == 1.0
    assert Selection.of({"low": "nan", "high": "much"}) == Selection()
    page = text_of(reviewer.page("/?low=0.3&high=0.9&state=all"))
    assert f"{len(found)} pairs" in page


def test_alarms_by_kind(reviewer: Reviewer) -> None:
    frame, queue = reviewer.session.queue.frame, reviewer.session.queue
    with_alarm = set(items_of(reviewer, alarm="any")["left"])
    assert with_alarm == set(frame.filter(pl.col("alarms") > 0)["left"])
    assert set(items_of(reviewer, alarm="none")["left"]) == set(frame["left"]) - with_alarm
    kinds = [set(items_of(reviewer, alarm=kind)["left"]) for kind in queue.alarm_kinds]
    assert set().union(*kinds) == with_alarm
    assert items_of(reviewer, alarm="no such kind").is_empty()


@pytest.mark.parametrize("side", ["left", "right"])
def test_entities_with_a_relation(reviewer: Reviewer, side: str) -> None:
    facts = getattr(reviewer.session.run, f"facts_{side}")
    choice = reviewer.session.queue.facets.relations[side][3]
    own = facts.filter(pl.col("relation") == choice.named.id)
    entities = set(own["head"]) | set(own["tail"])
    found = items_of(reviewer, relation=choice.value)
    assert set(found["left"]) == {
        row["left"]
        for row in reviewer.session.queue.frame.rows(named=True)
        if row[side] in entities
    }
    assert len(found) == choice.n_items
    assert items_of(reviewer, relation=f"{side}:nothing").is_empty()
    assert items_of(reviewer, relation="nowhere:nothing").is_empty()


def test_entities_of_a_type(tmp_path: Path) -> None:
    world = make_world(3)
    plain = lighttea.align(world.left, world.right, seeds=world.seeds, dim=16, rounds=1)
    kinds = [(f"e{i}", "type", "person" if i % 2 else "place") for i in range(40)]
    typed = pl.DataFrame(kinds, schema=["head", "relation", "tail"], orient="row")
    facts = pl.concat([plain.facts_left, typed], how="diagonal")
    left, right = graph_of_frame(facts), graph_of_frame(plain.facts_right)
    run = lighttea.align(left, right, seeds=world.seeds, dim=16, rounds=1)
    reviewer = make_reviewer(run, tmp_path / "run")
    types = {choice.named.id: choice for choice in reviewer.session.queue.facets.types["left"]}
    assert set(types) == {"person", "place"}
    found = items_of(reviewer, type="left:person")
    assert len(found) == types["person"].n_items > 0
    assert all(int(name.removeprefix("e")) % 2 for name in found["left"])
    assert "Type" in text_of(reviewer.page("/"))


@pytest.mark.parametrize("order", [order for order in ORDERS if order])
def test_every_order_sorts(reviewer: Reviewer, order: str) -> None:
    column = order.removeprefix("-")
    items = items_of(reviewer, order=order)
    assert len(items) == len(reviewer.session.queue)
    if column == "name":
        names = [name.replace("_", " ").lower() for name in items["left"]]
        n_falls = sum(a > b for a, b in pairwise(names))
        n_expected = 0 if order == "name" else len(names)
        assert abs(n_falls - n_expected) < 20  # accents aside
        return
    values = items[column].drop_nulls()
    assert values.is_sorted(descending=order.startswith("-") != (column == "fdr"))
    assert items[column].head(len(values)).null_count() == 0  # those without a value are last
    assert ORDERS[order] in text_of(reviewer.page(f"/?order={order}"))


def test_a_longer_page(reviewer: Reviewer) -> None:
    assert reviewer.page("/?size=200").count('class="row"') == 200
    assert "size=200" in reviewer.page("/?size=200&page=0")
    assert reviewer.page("/?size=100000").count('class="row"') == 50


# ------------------------------------------------------------------------- before it is decided


def test_a_preview_counts_what_would_be_decided(reviewer: Reviewer) -> None:
    session, selection = reviewer.session, threshold_selection(Selection(), 0.5)
    links = session.run.best_links.filter(pl.col("confidence") >= 0.5)
    numbers = session.queue.select(selection, {})
    preview = preview_many(session.queue, numbers, {}, "accept")
    assert {left for left, _ in preview.pairs} == set(links["left"])
    assert preview.expected_wrong == pytest.approx((1 - links["confidence"].cast(float)).sum())
    assert preview.n_alarms == int((links["alarms"] != "").sum())
    least_sure = [item["confidence"] for item in preview.doubtful]
    assert least_sure == sorted(links["confidence"].to_list())[:10]
    refused = preview_many(session.queue, numbers, {}, "reject")
    assert refused.expected_wrong == pytest.approx(links["confidence"].cast(float).sum(), rel=1e-5)
    page = text_of(reviewer.page("/many?by=threshold&verdict=accept&low=0.5"))
    assert f"Accept {len(links)} links from confidence 0.5?" in page
    assert f"about {preview.expected_wrong:.1f} expected wrong" in page
    assert session.decisions.standing() == {}  # nothing was decided


def test_thresholds_are_listed(reviewer: Reviewer) -> None:
    rows = list_thresholds(reviewer.session.queue, Selection(), {})
    confidence = reviewer.session.run.best_links["confidence"].to_numpy()
    assert [row.n_links for row in rows] == [
        int((confidence >= np.float32(row.low)).sum()) for row in rows
    ]
    assert [row.low for row in rows] == sorted((row.low for row in rows), reverse=True)


def test_a_preview_leaves_out_what_is_decided_or_taken(reviewer: Reviewer) -> None:
    session = reviewer.session
    first, second = session.run.best_links.head(2).rows(named=True)
    session.decisions.decide(first["left"], first["right"], "reject", seen=0)
    shared = session.queue.frame.filter(pl.col("right") == second["right"])
    numbers = np.array([session.queue.number_of(row["left"]) for row in (first, second)])
    preview = preview_many(session.queue, numbers, session.decisions.standing(), "accept")
    assert preview.pairs == [(second["left"], second["right"])]
    assert (preview.n_before, preview.n_taken) == (1, 0)
    session.decisions.decide("somebody else", second["right"], "accept", seen=0)
    preview = preview_many(session.queue, numbers, session.decisions.standing(), "accept")
    assert (preview.pairs, preview.n_taken) == ([], 1)
    assert len(shared) >= 1


def test_without_calibration_there_is_no_estimate(tmp_path: Path) -> None:
    world = make_world(3)
    run = lighttea.align(world.left, world.right, seeds=world.seeds, preset="paper", dim=32)
    reviewer = make_reviewer(run, tmp_path / "run")
    page = text_of(reviewer.page("/many?by=threshold&verdict=accept&low=0"))
    assert "confidence is not calibrated" in page


# --------------------------------------------------------------------------------- deciding many


def fields_of(page: str) -> dict[str, str]:
    """The hidden fields of the last form of a page that has them."""
    fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)
    return {name: unescape(value) for name, value in fields}


def many(reviewer: Reviewer, **values: object) -> Any:
    return reviewer.client.post("/many", data=reviewer.form(**values))


def test_ticked_pairs_are_decided_at_once_and_undone_at_once(reviewer: Reviewer) -> None:
    answer = many(reviewer, verdict="reject", pick="0,1,2,x,99999999")
    assert answer.status_code == 303
    standing = reviewer.session.decisions.standing()
    assert len(standing) == 3
    page = reviewer.page(answer.headers["location"])
    assert "Rejected 3 pairs at once" in text_of(page)
    assert "Undo 3 decisions" in text_of(page)
    number = re.findall(r'name="done" value="(\d+)"', page)[0]
    back = reviewer.client.post("/undo", data=reviewer.form(done=number))
    assert "3 decisions undone" in text_of(reviewer.page(back.headers["location"]))
    assert reviewer.session.decisions.standing() == {}


def test_a_browser_sends_each_tick_on_its_own(reviewer: Reviewer) -> None:
    body = f"form_token={reviewer.guard.form_token}&verdict=accept&pick=5&pick=6"
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert reviewer.client.post("/many", content=body, headers=kind).status_code == 303
    decided = {
        reviewer.session.queue.number_of(left) for left in reviewer.session.decisions.standing()
    }
    assert decided <= {5, 6}
    assert decided


def test_all_that_match_are_shown_before_they_are_decided(reviewer: Reviewer) -> None:
    answer = many(reviewer, verdict="accept", scope="all", kind="links", low="0.9")
    address = answer.headers["location"]
    assert address.startswith("/many?")
    assert reviewer.session.decisions.standing() == {}
    page = reviewer.page(address)
    fields = fields_of(page)
    n_links = int(fields["most"])
    assert n_links == len(items_of(reviewer, kind="links", low=0.9))
    done = many(reviewer, **{**fields, "verdict": "accept"})
    assert len(reviewer.session.decisions.links()[0]) == n_links
    assert parse_qs(urlsplit(done.headers["location"]).query)["kind"] == ["links"]


def test_what_another_tab_decided_meanwhile_stays(reviewer: Reviewer) -> None:
    page = reviewer.page("/many?by=threshold&verdict=accept&low=0.9")
    fields = fields_of(page)
    other = items_of(reviewer, kind="links", low=0.9).row(0, named=True)
    reviewer.decide(other["number"], "reject")  # in another tab
    answer = many(reviewer, **{**fields, "verdict": "accept"})
    shown = text_of(reviewer.page(answer.headers["location"]))
    assert f"Accepted {int(fields['most']) - 1} pairs at once" in shown
    assert reviewer.session.decisions.links()[1].rows() == [(other["left"], other["right"])]


def test_more_than_was_shown_is_not_decided(reviewer: Reviewer) -> None:
    first = items_of(reviewer, kind="links", low=0.9).row(0, named=True)
    reviewer.decide(first["number"], "skip")
    page = reviewer.page("/many?by=threshold&verdict=accept&low=0.9")
    fields = fields_of(page)
    reviewer.client.post("/undo", data=reviewer.form())  # in another tab: one more is undecided
    answer = many(reviewer, **{**fields, "verdict": "accept"})
    assert answer.status_code == 409
    assert "have changed since this page was shown" in text_of(answer.text)
    assert reviewer.session.decisions.standing() == {}


@pytest.mark.parametrize("values", [{"verdict": "accept"}, {"verdict": "skip", "pick": "1"}])
def test_nothing_ticked_or_no_such_verdict_is_said(
    reviewer: Reviewer, values: dict[str, str]
) -> None:
    assert many(reviewer, **values).status_code == 400
    assert reviewer.session.decisions.standing() == {}
